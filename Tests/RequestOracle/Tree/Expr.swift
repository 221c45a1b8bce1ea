/// An expression, from which the evaluator, the request and the text of a program are made.
indirect enum Expr: Sendable {
    /// A column of a source. `isAliased`: written with the alias of the source.
    case column(source: Int, name: String, isAliased: Bool)
    case value(Cell)
    case collated(Expr, Collation)
    case unary(UnaryOperator, Expr)
    case arithmetic(ArithmeticOperator, Expr, Expr)
    case comparison(ComparisonOperator, Expr, Expr)
    case logic(isAnd: Bool, Expr, Expr)
    case concatenation([Expr])
    case range(RangeKind, Expr, Cell, Cell)
    case inList(Expr, [Expr])
    case inQuery(Expr, Query)
    case exists(Query)
    case scalar(Query)
    case like(Expr, Expr)
    case glob(Expr, Expr)
    case cases(base: Expr?, [CaseBranch], otherwise: Expr?)
    case function(Function, [Expr])
    case cast(Expr, Affinity)
    case aggregate(Aggregate)
    case window(Aggregate, Window)
    case windowFunction(WindowFunction, [Expr], Window)
}

struct CaseBranch: Sendable {
    var condition: Expr
    var value: Expr
}

enum UnaryOperator: String, CaseIterable, Sendable {
    case minus = "-"
    case not = "!"
    case complement = "~"
}

enum ComparisonOperator: String, CaseIterable, Sendable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case `is` = "==="
    case isNot = "!=="
}

enum RangeKind: CaseIterable, Sendable {
    case closed, halfOpen, from, through, upTo
}

enum Function: String, CaseIterable, Sendable {
    case abs, length, lower, upper, substr, instr, replace, trim, ltrim, rtrim, typeof, hex, round, sign, nullIf
    case coalesce, ifNull, iif, min, max, unicode, octetLength

    var argumentCounts: ClosedRange<Int> {
        switch self {
        case .abs, .length, .lower, .upper, .trim, .ltrim, .rtrim, .typeof, .hex, .round, .sign, .unicode, .octetLength:
            1...1
        case .instr, .nullIf, .ifNull: 2...2
        case .substr, .coalesce, .min, .max: 2...3
        case .replace, .iif: 3...3
        }
    }
}

struct Aggregate: Sendable {
    enum Name: String, CaseIterable, Sendable {
        case count, sum, total, average, min, max, groupConcat
    }

    var name: Name
    /// nil: COUNT(*)
    var argument: Expr?
    var isDistinct = false
    var filter: Expr?
    var order: Order?

    /// The parts, without the filter.
    var operands: [Expr] { [argument, order?.term].compactMap(\.self) }
}

struct Order: Sendable {
    enum Direction: String, CaseIterable, Sendable {
        case unstated, asc, desc, ascNullsLast, descNullsFirst

        var isDescending: Bool { self == .desc || self == .descNullsFirst }

        var nullsAreFirst: Bool { self != .desc && self != .ascNullsLast }

        var reversed: Direction {
            switch self {
            case .unstated, .asc: .desc
            case .desc: .asc
            case .ascNullsLast: .descNullsFirst
            case .descNullsFirst: .ascNullsLast
            }
        }
    }

    var term: Expr
    var direction = Direction.unstated
}

enum WindowFunction: String, CaseIterable, Sendable {
    case rowNumber, rank, denseRank, percentRank, cumulativeDistribution, ntile, lag, lead, firstValue, lastValue
    case nthValue

    var argumentCount: Int {
        switch self {
        case .rowNumber, .rank, .denseRank, .percentRank, .cumulativeDistribution: 0
        case .ntile, .firstValue, .lastValue: 1
        case .nthValue: 2
        case .lag, .lead: 3
        }
    }
}

struct Window: Sendable {
    enum Unit: String, CaseIterable, Sendable {
        case rows, range, groups
    }

    enum Bound: Equatable, Sendable {
        case unboundedPreceding
        case preceding(Int64)
        case currentRow
        case following(Int64)
        case unboundedFollowing
    }

    enum Exclusion: String, CaseIterable, Sendable {
        case currentRow, group, ties
    }

    struct Frame: Sendable {
        var unit: Unit
        var start: Bound
        var end: Bound
        var exclusion: Exclusion?
    }

    var partitions: [Expr] = []
    var orders: [Order] = []
    var frame: Frame?
}
