public import AmalgamCore

// Numbers only: `+` adds, also when operands are texts. Texts are joined with `[…].joined(operator: .concat)`.

extension SQLSpecificExpressible {
    /// `"score" + 1`. Operands that are no numbers are converted: <https://sqlite.org/lang_expr.html#operators>.
    public static func + (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { SQLExpression(lhs, .add, rhs) }

    /// `1 + "score"`
    public static func + (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { SQLExpression(lhs, .add, rhs) }

    /// `"score" + "bonus"`
    public static func + (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(lhs, .add, rhs)
    }

    /// `"score" - 1`
    public static func - (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { binary(lhs, .subtract, rhs) }

    /// `1 - "score"`
    public static func - (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { binary(lhs, .subtract, rhs) }

    /// `"score" - "bonus"`
    public static func - (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression { binary(lhs, .subtract, rhs) }

    /// `"score" * 2`
    public static func * (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { SQLExpression(lhs, .multiply, rhs) }

    /// `2 * "score"`
    public static func * (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { SQLExpression(lhs, .multiply, rhs) }

    /// `"score" * "bonus"`
    public static func * (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(lhs, .multiply, rhs)
    }

    /// `"score" / 2`. The quotient of two integers is an integer; that of anything and 0 is NULL.
    public static func / (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { binary(lhs, .divide, rhs) }

    /// `2 / "score"`
    public static func / (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { binary(lhs, .divide, rhs) }

    /// `"score" / "bonus"`
    public static func / (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression { binary(lhs, .divide, rhs) }

    /// `"score" % 2`: the remainder of two integers, with the sign of the first one.
    public static func % (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { binary(lhs, .remainder, rhs) }

    /// `10 % "score"`
    public static func % (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { binary(lhs, .remainder, rhs) }

    /// `"score" % "bonus"`
    public static func % (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression { binary(lhs, .remainder, rhs) }

    /// `-"score"`
    public static prefix func - (value: Self) -> SQLExpression {
        SQLExpression(node: UnaryNode(.minus, value.sqlExpression.node))
    }
}

private func binary(
    _ lhs: some SQLExpressible, _ operation: BinaryNode.Operator, _ rhs: some SQLExpressible
) -> SQLExpression {
    SQLExpression(node: BinaryNode(lhs.sqlExpression.node, operation, rhs.sqlExpression.node))
}
