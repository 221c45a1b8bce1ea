public import AmalgamCore

/// A `CASE` expression.
///
/// ```swift
/// Player.select {
///     SQLCase(when: $0.score >= 1000, then: "gold")
///         .when($0.score >= 100, then: "silver")
///         .else("bronze")
/// }
/// // SELECT CASE WHEN "score" >= 1000 THEN 'gold' WHEN "score" >= 100 THEN 'silver' ELSE 'bronze' END FROM "player"
/// ```
///
/// Without `else`, the value is NULL if no condition is true. An expression can also be compared with several values:
///
/// ```swift
/// Player.order(SQLCase(Column("role"), when: "captain", then: 0).when("coach", then: 1).else(2))
/// // SELECT * FROM "player" ORDER BY CASE "role" WHEN 'captain' THEN 0 WHEN 'coach' THEN 1 ELSE 2 END
/// ```
///
/// See <https://sqlite.org/lang_expr.html#case>.
public struct SQLCase: SQLSpecificExpressible, Sendable {
    private var node: CaseNode

    /// Creates a `CASE` expression with one condition and its value.
    ///
    /// ```swift
    /// Player.select { SQLCase(when: $0.score >= 1000, then: "gold") }
    /// // SELECT CASE WHEN "score" >= 1000 THEN 'gold' END FROM "player"
    /// ```
    public init(when condition: some SQLExpressible, then value: (any SQLExpressible)?) {
        node = CaseNode(base: nil)
        node.append(condition, value)
    }

    /// Creates a `CASE` expression that compares an expression with values.
    ///
    /// ```swift
    /// Player.select { SQLCase($0.score, when: 0, then: "none").else("some") }
    /// // SELECT CASE "score" WHEN 0 THEN 'none' ELSE 'some' END FROM "player"
    /// ```
    public init(
        _ expression: some SQLOperand, when value: some SQLExpressible, then result: (any SQLExpressible)?
    ) {
        node = CaseNode(base: expression.sqlExpression.node)
        node.append(value, result)
    }

    /// Adds a branch: `WHEN … THEN …`. If the `CASE` compares an expression with values, the first argument is such a
    /// value. Otherwise, it is a condition.
    ///
    /// ```swift
    /// Player.select { SQLCase(when: $0.score >= 1000, then: "gold").when($0.score >= 100, then: "silver") }
    /// // SELECT CASE WHEN "score" >= 1000 THEN 'gold' WHEN "score" >= 100 THEN 'silver' END FROM "player"
    /// ```
    public func when(_ condition: some SQLExpressible, then value: (any SQLExpressible)?) -> SQLCase {
        var result = self
        result.node.append(condition, value)
        return result
    }

    /// Adds the value for the case that no condition is true.
    ///
    /// ```swift
    /// Player.select { SQLCase(when: $0.score >= 1000, then: "gold").else("silver") }
    /// // SELECT CASE WHEN "score" >= 1000 THEN 'gold' ELSE 'silver' END FROM "player"
    /// ```
    public func `else`(_ value: (any SQLExpressible)?) -> SQLExpression {
        var node = node
        node.otherwise = value.sqlExpression.node
        return SQLExpression(node: node)
    }

    public var sqlExpression: SQLExpression { SQLExpression(node: node) }
}

/// A CASE expression: `CASE WHEN "score" >= 1000 THEN 'gold' ELSE 'silver' END`.
private struct CaseNode: CompositeNode {
    let base: (any SQLNode)?
    private var branches: [(condition: any SQLNode, value: any SQLNode)] = []
    var otherwise: (any SQLNode)?

    init(base: (any SQLNode)?) {
        self.base = base
    }

    mutating func append(_ condition: some SQLExpressible, _ value: (any SQLExpressible)?) {
        let condition = base == nil ? condition.conditionExpression : condition.sqlExpression
        branches.append((condition.node, value.sqlExpression.node))
    }

    var isAtom: Bool { true }

    var operands: [any SQLNode] {
        [base, otherwise].compactMap(\.self) + branches.flatMap { [$0.condition, $0.value] }
    }

    func write(to writer: inout SQLWriter) throws {
        writer.append("CASE ")
        if let base {
            try base.write(to: &writer)
            writer.append(" ")
        }
        for branch in branches {
            writer.append("WHEN ")
            try branch.condition.write(to: &writer)
            writer.append(" THEN ")
            try branch.value.write(to: &writer)
            writer.append(" ")
        }
        if let otherwise {
            writer.append("ELSE ")
            try otherwise.write(to: &writer)
            writer.append(" ")
        }
        writer.append("END")
    }
}
