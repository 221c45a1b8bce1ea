public import AmalgamCore

extension SQLExpression {
    /// An operator that combines any number of expressions. The result doesn't depend on the placement of parentheses.
    ///
    /// ```swift
    /// [Column("firstName"), " ".databaseValue, Column("lastName")].joined(operator: .concat)
    /// // "firstName" || ' ' || "lastName"
    /// ```
    public struct AssociativeBinaryOperator: Hashable, Sendable {
        /// The operator in SQL.
        let sql: String

        /// The value of an empty list of operands.
        let neutralValue: DatabaseValue

        /// Whether `(a • b) • c` is written `a • b • c`. False if rounding makes a difference.
        let isFlat: Bool

        /// `+`. It is 0 for an empty list.
        public static let add = Self(sql: "+", neutralValue: 0.databaseValue, isFlat: false)

        /// `*`. It is 1 for an empty list.
        public static let multiply = Self(sql: "*", neutralValue: 1.databaseValue, isFlat: false)

        /// `AND`. It is true for an empty list.
        public static let and = Self(sql: "AND", neutralValue: true.databaseValue, isFlat: true)

        /// `OR`. It is false for an empty list.
        public static let or = Self(sql: "OR", neutralValue: false.databaseValue, isFlat: true)

        /// `||`: concatenated strings. It is an empty string for an empty list.
        public static let concat = Self(sql: "||", neutralValue: "".databaseValue, isFlat: true)

        /// `&`. It is -1, with all bits set, for an empty list.
        public static let bitwiseAnd = Self(sql: "&", neutralValue: (-1).databaseValue, isFlat: true)

        /// `|`. It is 0 for an empty list.
        public static let bitwiseOr = Self(sql: "|", neutralValue: 0.databaseValue, isFlat: true)

        /// Whether the operands are numbers.
        var isArithmetic: Bool { self != .and && self != .or && self != .concat }

        public static func == (lhs: Self, rhs: Self) -> Bool { lhs.sql == rhs.sql }

        public func hash(into hasher: inout Hasher) { hasher.combine(sql) }
    }
}

extension SQLExpression {
    init(_ node: AssociativeNode) {
        self.init(node: node.isTooDeep ? TooDeepNode() : node)
    }

    /// Creates an expression that combines expressions with an operator.
    init(_ operands: [SQLExpression], joinedBy associativeOperator: AssociativeBinaryOperator) {
        switch operands.count {
        case 0: self.init(node: associativeOperator.neutralValue)
        case 1: self = operands[0]
        default: self.init(AssociativeNode(associativeOperator, operands.map(\.node)))
        }
    }

    /// Creates an expression that combines operands with an operator. A number is added to the sum of a column with a format
    /// as the operator of two operands adds it.
    fileprivate init(joining operands: [any SQLExpressible], _ associativeOperator: AssociativeBinaryOperator) {
        let expressions = operands.map { $0.operand(of: associativeOperator) }
        let hasFormat =
            associativeOperator.isArithmetic && expressions.contains { $0.node.formattedResult != nil }
        guard hasFormat, operands.count > 1 else {
            self.init(expressions, joinedBy: associativeOperator)
            return
        }
        var result = SQLExpression(operands[0], associativeOperator, operands[1])
        for operand in operands.dropFirst(2) { result = SQLExpression(result, associativeOperator, operand) }
        self = result
    }
}

extension SQLExpressible {
    /// The expression as an operand: a condition if the operator is a logical one.
    func operand(of associativeOperator: SQLExpression.AssociativeBinaryOperator) -> SQLExpression {
        switch associativeOperator {
        case .and, .or: conditionExpression
        default: sqlExpression
        }
    }
}

extension Sequence {
    /// Combines the expressions with an operator.
    ///
    /// ```swift
    /// let names = ["Anna", "Bob"]
    /// let conditions = names.map { Column("name") == $0 }
    /// Player.filter(conditions.joined(operator: .or))
    /// // SELECT * FROM "player" WHERE ("name" = 'Anna') OR ("name" = 'Bob')
    /// ```
    ///
    /// A single expression is returned unchanged. For an empty sequence, the result is the neutral value of the
    /// operator: for example, `1` for `AND`, and `0` for `OR`.
    public func joined(operator: SQLExpression.AssociativeBinaryOperator) -> SQLExpression
    where Element: SQLOperand {
        SQLExpression(joining: map { $0 as any SQLExpressible }, `operator`)
    }

    /// Combines the expressions with an operator.
    public func joined(operator: SQLExpression.AssociativeBinaryOperator) -> SQLExpression
    where Element == any SQLExpressible {
        SQLExpression(joining: map { $0 as any SQLExpressible }, `operator`)
    }

    /// Combines the expressions with an operator.
    public func joined(operator: SQLExpression.AssociativeBinaryOperator) -> SQLExpression
    where Element == any SQLSpecificExpressible {
        SQLExpression(joining: map { $0 as any SQLExpressible }, `operator`)
    }
}

/// Operands combined with an associative operator: `(a) AND (b) AND (c)`, `(a + b) + c`.
struct AssociativeNode: SQLNode {
    let associativeOperator: SQLExpression.AssociativeBinaryOperator
    let operands: [any SQLNode]

    /// The numbers of operands in each pair of parentheses, from the inside out, and without parentheses. For
    /// `(a + b) + c`, it is 2 and 1. A long sum isn't a deep tree.
    private let groups: [Int]

    let storedDepth: Int?

    /// - Parameter operands: at least two operands.
    init(_ associativeOperator: SQLExpression.AssociativeBinaryOperator, _ operands: [any SQLNode]) {
        self.associativeOperator = associativeOperator
        func node(_ operand: any SQLNode) -> AssociativeNode? {
            guard let node = operand as? AssociativeNode else { return nil }
            return node.associativeOperator == associativeOperator ? node : nil
        }
        if associativeOperator.isFlat {
            self.operands = operands.flatMap { node($0)?.operands ?? [$0] }
            groups = [self.operands.count]
        } else if let first = node(operands[0]) {
            self.operands = first.operands + operands.dropFirst()
            groups = first.groups + [operands.count - 1]
        } else {
            self.operands = operands
            groups = [operands.count]
        }
        // Only the operands of the operands above are in this node. In `a + (b + c)`, `b + c` is one level deeper.
        storedDepth = operands.indices.map { index in
            let isMerged = associativeOperator.isFlat || index == 0
            return (isMerged ? node(operands[index])?.storedDepth : nil) ?? 1 + operands[index].depth
        }.max()
    }

    /// Whether SQLite certainly doesn't accept the sum or product, because it is nested too deeply.
    var isTooDeep: Bool { groups.count > TooDeepNode.maximumDepth }

    func write(to writer: inout SQLWriter) throws {
        try writer.checkDepth()
        writer.append(String(repeating: "(", count: groups.count - 1))
        var index = 0
        for (group, count) in groups.enumerated() {
            if group > 0 { writer.append(")") }
            for _ in 0..<count {
                if index > 0 { writer.append(" \(associativeOperator.sql) ") }
                try writer.append(operand: operands[index])
                index += 1
            }
        }
    }
}

extension AssociativeNode: CompositeNode {
    private var expressions: [SQLExpression] { operands.map(SQLExpression.init(part:)) }

    /// Different values of a column stay different if a constant string is concatenated before or after each of them.
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
    /// Returns the possible values if one of two conditions is true, for the columns that both conditions limit.
    fileprivate func united(with other: Self) -> Self {
        reduce(into: [:]) { result, known in
            if let values = other[known.key] { result[known.key] = known.value.union(values) }
        }
    }
}
