// What SQLite knows about an expression before it runs:
// <https://sqlite.org/datatype3.html#affinity_of_expressions>.

/// The affinity of an expression. It is unknown where it depends on how SQLite executes the statement, as for the
/// result of an operator in a subquery.
enum ExprAffinity: Equatable {
    case none
    case known(Affinity)
    case unknown
}

/// The collation of an expression.
enum ExprCollation: Equatable {
    case none
    case known(Collation)
    case unknown

    /// The collations that SQLite may use.
    var candidates: [Collation] {
        if Mistake.current == .collation { return [.binary] }
        return switch self {
        case .none: [.binary]
        case .known(let collation): [collation]
        case .unknown: Collation.allCases
        }
    }
}

/// A table or common table expression in a FROM clause.
struct Source {
    struct Column {
        var name: String
        var affinity: ExprAffinity
        var collation: ExprCollation
    }

    var columns: [Column]
    var rows: [[Cell]]

    func position(_ name: String) -> Int { columns.firstIndex { $0.name == name }! }
}

/// The current row of each source.
struct Env {
    var rows: [Int: [Cell]] = [:]
    /// The rows of the group; nil where aggregates aren't allowed.
    var group: [Env]?
    /// The rows of the group from which SQLite may read bare columns.
    var candidates: [Env] = []
    /// All rows of the statement, for window functions, and the position of this one.
    var statement: [Env] = []
    var index = 0
}

extension Evaluator {
    func affinity(of expression: Expr) throws -> ExprAffinity {
        switch expression {
        case .column(let source, let name, _):
            let source = try self.source(source)
            return source.columns[source.position(name)].affinity
        case .collated(let expression, _): return try affinity(of: expression)
        case .cast(_, let affinity): return .known(affinity)
        case .scalar(let query): return try columns(of: query)[0].affinity
        default: return .none
        }
    }

    func collation(of expression: Expr) throws -> ExprCollation {
        switch expression {
        case .column(let source, let name, _):
            let source = try self.source(source)
            return source.columns[source.position(name)].collation
        case .collated(_, let collation): return .known(collation)
        case .cast(let expression, _): return try collation(of: expression)
        default: return expression.explicitCollation.map { .known($0) } ?? .none
        }
    }

    /// Returns the collation of a comparison: that of a COLLATE operator, otherwise that of the left operand.
    func collation(_ left: Expr, _ right: Expr) throws -> ExprCollation {
        if let collation = left.explicitCollation ?? right.explicitCollation { return .known(collation) }
        let leftCollation = try collation(of: left)
        return leftCollation == .none ? try collation(of: right) : leftCollation
    }

    /// Returns the affinities that SQLite may apply to the operands of a comparison.
    func affinities(_ left: ExprAffinity, _ right: ExprAffinity) -> [Affinity?] {
        if Mistake.current == .affinity { return [nil] }
        return switch (left, right) {
        case (.unknown, _), (_, .unknown): [nil, .numeric, .text]
        case (.known(let left), .known(let right)): [left.isNumeric || right.isNumeric ? .numeric : nil]
        case (.known(let affinity), .none), (.none, .known(let affinity)): [affinity]
        case (.none, .none): [nil]
        }
    }
}

extension Expr {
    /// The collation of a COLLATE operator in the expression.
    var explicitCollation: Collation? {
        if case .collated(_, let collation) = self { return collation }
        return parts.lazy.compactMap(\.explicitCollation).first
    }

    /// The operands. Those of subqueries aren't among them.
    var parts: [Expr] {
        switch self {
        case .column, .value, .exists, .scalar: []
        case .collated(let part, _), .unary(_, let part), .range(_, let part, _, _), .inQuery(let part, _),
            .cast(let part, _):
            [part]
        case .arithmetic(_, let left, let right), .comparison(_, let left, let right), .logic(_, let left, let right),
            .like(let left, let right), .glob(let left, let right):
            [left, right]
        case .concatenation(let parts), .function(_, let parts): parts
        case .inList(let element, let list): [element] + list
        case .cases(let base, let branches, let otherwise):
            [base, otherwise].compactMap(\.self) + branches.flatMap { [$0.condition, $0.value] }
        case .aggregate(let aggregate): [aggregate.argument].compactMap(\.self)
        case .window(let aggregate, _): [aggregate.argument].compactMap(\.self)
        case .windowFunction(_, let arguments, _): arguments
        }
    }

    /// Whether an aggregate or a window function is in the expression.
    func contains(_ isWanted: (Expr) -> Bool) -> Bool { isWanted(self) || parts.contains { $0.contains(isWanted) } }

    var isAggregated: Bool {
        contains {
            if case .aggregate = $0 { return true }
            return false
        }
    }

    var isWindowed: Bool {
        contains {
            switch $0 {
            case .window, .windowFunction: true
            default: false
            }
        }
    }
}
