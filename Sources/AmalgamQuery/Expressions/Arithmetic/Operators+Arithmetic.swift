public import AmalgamCore

// Arithmetic only: `+` adds numbers, also if the operands are strings. `[…].joined(operator: .concat)` concatenates.

extension SQLSpecificExpressible {
    /// Adds two expressions: `"score" + 1`. SQLite converts operands that aren't numbers:
    /// <https://sqlite.org/lang_expr.html#operators>.
    ///
    /// ```swift
    /// Player.select { $0.score + 1 }
    /// // SELECT "score" + 1 FROM "player"
    /// ```
    public static func + (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { SQLExpression(lhs, .add, rhs) }

    /// Adds two expressions: `1 + "score"`.
    public static func + (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { SQLExpression(lhs, .add, rhs) }

    /// Adds two expressions: `"score" + "bonus"`.
    public static func + (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(lhs, .add, rhs)
    }

    /// Subtracts two expressions: `"score" - 1`.
    public static func - (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { binary(lhs, .subtract, rhs) }

    /// Subtracts two expressions: `1 - "score"`.
    public static func - (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { binary(lhs, .subtract, rhs) }

    /// Subtracts two expressions: `"score" - "bonus"`.
    public static func - (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression { binary(lhs, .subtract, rhs) }

    /// Multiplies two expressions: `"score" * 2`.
    public static func * (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { SQLExpression(lhs, .multiply, rhs) }

    /// Multiplies two expressions: `2 * "score"`.
    public static func * (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { SQLExpression(lhs, .multiply, rhs) }

    /// Multiplies two expressions: `"score" * "bonus"`.
    public static func * (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(lhs, .multiply, rhs)
    }

    /// Divides two expressions: `"score" / 2`. The quotient of two integers is an integer. A division by 0 is NULL.
    public static func / (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { binary(lhs, .divide, rhs) }

    /// Divides two expressions: `2 / "score"`.
    public static func / (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { binary(lhs, .divide, rhs) }

    /// Divides two expressions: `"score" / "bonus"`.
    public static func / (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression { binary(lhs, .divide, rhs) }

    /// Returns the remainder of an integer division: `"score" % 2`. It has the sign of the first operand.
    public static func % (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { binary(lhs, .remainder, rhs) }

    /// Returns the remainder of a division: `10 % "score"`.
    public static func % (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { binary(lhs, .remainder, rhs) }

    /// Returns the remainder of a division: `"score" % "bonus"`.
    public static func % (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression { binary(lhs, .remainder, rhs) }

    /// Negates a number: `-"score"`.
    ///
    /// ```swift
    /// Player.order { -$0.score }
    /// // SELECT * FROM "player" ORDER BY -"score"
    /// ```
    public static prefix func - (value: Self) -> SQLExpression {
        let node = value.sqlExpression.node
        return node.formattedResult?.negated ?? SQLExpression(node: UnaryNode(.minus, node))
    }
}

func binary(
    _ lhs: some SQLExpressible, _ operation: BinaryNode.Operator, _ rhs: some SQLExpressible
) -> SQLExpression {
    formattedResult(lhs, FormattedOperation(operation), rhs)
        ?? SQLExpression(node: BinaryNode(lhs.sqlExpression.node, operation, rhs.sqlExpression.node))
}
