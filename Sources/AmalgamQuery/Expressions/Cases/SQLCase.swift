public import AmalgamCore

/// One of several values, after the first condition that is true.
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
/// Without `else`, it is NULL when no condition is true. It may also compare one expression with several values:
///
/// ```swift
/// Player.order { SQLCase($0.role, when: "captain", then: 0).when("coach", then: 1).else(2) }
/// // SELECT * FROM "player" ORDER BY CASE "role" WHEN 'captain' THEN 0 WHEN 'coach' THEN 1 ELSE 2 END
/// ```
///
/// See <https://sqlite.org/lang_expr.html#case>.
public struct SQLCase: SQLSpecificExpressible, Sendable {
    private var node: CaseNode

    /// A value for a condition.
    public init(when condition: some SQLExpressible, then value: (any SQLExpressible)?) {
        node = CaseNode(base: nil)
        node.append(condition, value)
    }

    /// A value for one value of an expression.
    public init(
        _ expression: some SQLSpecificExpressible, when value: some SQLExpressible, then result: (any SQLExpressible)?
    ) {
        node = CaseNode(base: expression.sqlExpression.node)
        node.append(value, result)
    }

    /// A value for one more condition; or for one more value, of an expression.
    public func when(_ condition: some SQLExpressible, then value: (any SQLExpressible)?) -> SQLCase {
        var result = self
        result.node.append(condition, value)
        return result
    }

    /// The value when no condition is true.
    public func `else`(_ value: (any SQLExpressible)?) -> SQLExpression {
        var node = node
        node.otherwise = value.sqlExpression.node
        return SQLExpression(node: node)
    }

    public var sqlExpression: SQLExpression { SQLExpression(node: node) }
}

/// `CASE WHEN "score" >= 1000 THEN 'gold' ELSE 'silver' END`
private struct CaseNode: CompositeNode {
    let base: (any SQLNode)?
    private var branches: [(condition: any SQLNode, value: any SQLNode)] = []
    var otherwise: (any SQLNode)?

    init(base: (any SQLNode)?) {
        self.base = base
    }

    mutating func append(_ condition: some SQLExpressible, _ value: (any SQLExpressible)?) {
        branches.append((condition.sqlExpression.node, value.sqlExpression.node))
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
