/// A statement.
indirect enum Query: Sendable {
    case select(Select)
    case compound(Compound)
}

struct Compound: Sendable {
    enum Operator: String, CaseIterable, Sendable {
        case union, unionAll, intersect, except
    }

    struct Member: Sendable {
        var compoundOperator: Operator
        var query: Query
    }

    var first: Query
    var others: [Member]
    /// The positions of result columns, by which the rows are sorted. The columns have the names `c0`, `c1`.
    var orders: [(column: Int, isDescending: Bool)] = []
    var limit: Limit?
}

struct Limit: Sendable {
    var count: Int
    var offset: Int?
}

/// A request of the query interface.
struct Select: Sendable {
    var table: Branch
    var isDistinct = false
    var groups: [Expr] = []
    var groupFilters: [Expr] = []
    var limit: Limit?
    var commonTables: [CommonTable] = []
}

/// The clauses that requests and associations have in common.
struct Branch: Sendable {
    /// The number of the source, which is unique in a query.
    var source: Int
    var origin: Origin
    /// The selected columns; nil for all columns.
    var selection: [Selected]?
    var annotations: [Selected] = []
    var filters: [Expr] = []
    var orders: [Order] = []
    var isReversed = false
    var joins: [Joined] = []
    /// Aggregates of associations, only in the main request.
    var aggregates: [AggregatedJoin] = []
}

enum Origin: Sendable {
    case table(String)
    case commonTable(CommonTable)
}

struct Selected: Sendable {
    var expression: Expr
    /// The name of the result column, for `forKey`.
    var key: String?
}

/// A common table expression with the columns `c0`, `c1`.
struct CommonTable: Sendable {
    var name: String
    var columnCount: Int
    var query: Query
    /// The part of a recursive query behind UNION or UNION ALL. It selects from the table itself.
    var step: RecursiveStep?
}

/// `… UNION ALL SELECT c0 + increment FROM name WHERE c0 < limit`.
struct RecursiveStep: Sendable {
    var isUnionAll: Bool
    var increment: Int64
    var limit: Int64
}

struct Joined: Sendable {
    enum Mode: String, CaseIterable, Sendable {
        case includingRequired, includingOptional, includingAll, joiningRequired, joiningOptional
        case annotatedWithRequired, annotatedWithOptional

        var isRequired: Bool {
            self == .includingRequired || self == .joiningRequired || self == .annotatedWithRequired
        }

        var isIncluded: Bool { self == .includingRequired || self == .includingOptional }

        var isAnnotated: Bool { self == .annotatedWithRequired || self == .annotatedWithOptional }
    }

    var mode: Mode
    var association: Association
    /// The joined table: the last one, if the association goes through another table.
    var table: Branch
}

struct Association: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case belongsTo, hasOne, hasMany
        /// An association to a common table expression, with a condition on two columns.
        case condition
    }

    struct Step: Sendable {
        var kind: Kind
        var origin: String
        var destination: String
        var originColumn: String
        var destinationColumn: String
        /// Whether the association names no foreign key.
        var isInferred: Bool
        var key: String
    }

    var step: Step
    /// The association to the table in between, which has this source.
    var pivot: (step: Step, table: Branch)?

    /// The key of the association in fetched rows.
    var key: String { step.key }

    var isToMany: Bool { step.kind == .hasMany || pivot?.step.kind == .hasMany }
}

/// Aggregates of one association, for `annotated(with:)` and `having(_:)`.
struct AggregatedJoin: Sendable {
    enum Name: String, CaseIterable, Sendable {
        case count, isEmpty, average, min, max, sum, total
    }

    struct Use: Sendable {
        var name: Name
        /// A column of the associated table.
        var column: String
        /// The condition of `having`: the aggregate is compared with the value. nil: the request is annotated.
        var condition: (ComparisonOperator, Int64)?
        var key: String

        /// Returns the aggregate as an expression.
        func expression(of table: Branch, _ world: World) -> Expr {
            let argument = Expr.column(source: table.source, name: column, isAliased: true)
            switch name {
            case .count, .isEmpty:
                guard case .table(let tableName) = table.origin else { return .value(.null) }
                let key = Expr.column(source: table.source, name: world.table(tableName).key.name, isAliased: true)
                let count = Expr.aggregate(Aggregate(name: .count, argument: key, isDistinct: true))
                return name == .count ? count : .comparison(.equal, count, .value(.integer(0)))
            case .average: return .aggregate(Aggregate(name: .average, argument: argument))
            case .min: return .aggregate(Aggregate(name: .min, argument: argument))
            case .max: return .aggregate(Aggregate(name: .max, argument: argument))
            case .sum: return .aggregate(Aggregate(name: .sum, argument: argument))
            case .total: return .aggregate(Aggregate(name: .total, argument: argument))
            }
        }
    }

    var association: Association
    var table: Branch
    var uses: [Use]
}
