public import AmalgamCore

extension SQLExpression {
    /// An operator that joins any number of expressions, whatever the parentheses.
    ///
    /// ```swift
    /// [Column("firstName"), " ".databaseValue, Column("lastName")].joined(operator: .concat)
    /// // "firstName" || ' ' || "lastName"
    /// ```
    public struct AssociativeBinaryOperator: Hashable, Sendable {
        /// The operator in SQL.
        let sql: String

        /// The value of no expression at all.
        let neutralValue: DatabaseValue

        /// Whether `(a • b) • c` is written `a • b • c`. It is not where rounding makes a difference.
        let isFlat: Bool

        /// `+`; 0 for no expression.
        public static let add = Self(sql: "+", neutralValue: 0.databaseValue, isFlat: false)

        /// `*`; 1 for no expression.
        public static let multiply = Self(sql: "*", neutralValue: 1.databaseValue, isFlat: false)

        /// `AND`; true for no expression.
        public static let and = Self(sql: "AND", neutralValue: true.databaseValue, isFlat: true)

        /// `OR`; false for no expression.
        public static let or = Self(sql: "OR", neutralValue: false.databaseValue, isFlat: true)

        /// `||`: joined texts; the empty text for no expression.
        public static let concat = Self(sql: "||", neutralValue: "".databaseValue, isFlat: true)

        /// `&`; -1, all bits, for no expression.
        public static let bitwiseAnd = Self(sql: "&", neutralValue: (-1).databaseValue, isFlat: true)

        /// `|`; 0 for no expression.
        public static let bitwiseOr = Self(sql: "|", neutralValue: 0.databaseValue, isFlat: true)

        public static func == (lhs: Self, rhs: Self) -> Bool { lhs.sql == rhs.sql }

        public func hash(into hasher: inout Hasher) { hasher.combine(sql) }
    }
}

extension SQLExpression {
    /// Expressions, joined with an operator.
    init(_ operands: [SQLExpression], joinedBy associativeOperator: AssociativeBinaryOperator) {
        switch operands.count {
        case 0: self.init(node: associativeOperator.neutralValue)
        case 1: self = operands[0]
        default: self.init(node: AssociativeNode(associativeOperator, operands.map(\.node)))
        }
    }
}

extension Sequence {
    /// The expressions, joined with an operator.
    ///
    /// ```swift
    /// let conditions = names.map { Column("name") == $0 }
    /// Player.filter(conditions.joined(operator: .or))
    /// // SELECT * FROM "player" WHERE ("name" = 'Anna') OR ("name" = 'Bob')
    /// ```
    ///
    /// A sequence of one expression is this expression; an empty one is the neutral value of the operator.
    public func joined(operator: SQLExpression.AssociativeBinaryOperator) -> SQLExpression
    where Element: SQLSpecificExpressible {
        SQLExpression(map(\.sqlExpression), joinedBy: `operator`)
    }

    /// The expressions, joined with an operator.
    public func joined(operator: SQLExpression.AssociativeBinaryOperator) -> SQLExpression
    where Element == any SQLExpressible {
        SQLExpression(map(\.sqlExpression), joinedBy: `operator`)
    }

    /// The expressions, joined with an operator.
    public func joined(operator: SQLExpression.AssociativeBinaryOperator) -> SQLExpression
    where Element == any SQLSpecificExpressible {
        SQLExpression(map(\.sqlExpression), joinedBy: `operator`)
    }
}

/// `(a) AND (b) AND (c)`
struct AssociativeNode: SQLNode {
    let associativeOperator: SQLExpression.AssociativeBinaryOperator
    let operands: [any SQLNode]

    /// - Parameter operands: two at least.
    init(_ associativeOperator: SQLExpression.AssociativeBinaryOperator, _ operands: [any SQLNode]) {
        self.associativeOperator = associativeOperator
        self.operands =
            associativeOperator.isFlat
            ? operands.flatMap { operand in
                guard let node = operand as? AssociativeNode, node.associativeOperator == associativeOperator else {
                    return [operand]
                }
                return node.operands
            } : operands
    }

    func write(to writer: inout SQLWriter) throws {
        for (index, operand) in operands.enumerated() {
            if index > 0 { writer.append(" \(associativeOperator.sql) ") }
            try writer.append(operand: operand)
        }
    }
}

extension AssociativeNode: CompositeNode {
    private var expressions: [SQLExpression] { operands.map(SQLExpression.init(node:)) }

    /// Text before or after a column leaves different values different.
    func column(in table: IdentifiedTable) -> IdentifiedColumn? {
        guard associativeOperator == .concat, let node = expressions.first(where: { !$0.isConstant }),
            expressions.filter({ !$0.isConstant }).count == 1
        else { return nil }
        return node.column(in: table).map { IdentifiedColumn(name: $0.name, isExact: false) }
    }

    func fixedColumns(in table: IdentifiedTable) throws -> Set<TableName> {
        guard associativeOperator == .and else { return [] }
        return try expressions.reduce(into: []) { try $0.formUnion($1.fixedColumns(in: table)) }
    }

    func rowIDs(in table: IdentifiedTable) throws -> Set<Int64>? {
        let sets = try expressions.map { try $0.rowIDs(in: table) }
        switch associativeOperator {
        case .and: return sets.compactMap(\.self).reduce(nil) { $0?.intersection($1) ?? $1 }
        case .or: return sets.reduce([]) { result, set in set.flatMap { result?.union($0) } }
        default: return nil
        }
    }

    func fixedValues(in table: IdentifiedTable) throws -> [TableName: Set<DatabaseValue>] {
        let parts = try expressions.map { try $0.fixedValues(in: table) }
        switch associativeOperator {
        case .and: return parts.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
        case .or: return parts.dropFirst().reduce(parts.first ?? [:]) { $0.united(with: $1) }
        default: return [:]
        }
    }
}

extension [TableName: Set<DatabaseValue>] {
    /// What is known when one of two conditions is true: the columns that both know.
    fileprivate func united(with other: Self) -> Self {
        reduce(into: [:]) { result, known in
            if let values = other[known.key] { result[known.key] = known.value.union(values) }
        }
    }
}
