public import AmalgamCore

// SQLite takes the operands for integers of 64 bits: <https://sqlite.org/lang_expr.html#operators>.

extension SQLSpecificExpressible {
    /// `"flags" & 2`
    public static func & (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { SQLExpression(lhs, .bitwiseAnd, rhs) }

    /// `2 & "flags"`
    public static func & (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { SQLExpression(lhs, .bitwiseAnd, rhs) }

    /// `"flags" & "mask"`
    public static func & (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(lhs, .bitwiseAnd, rhs)
    }

    /// `"flags" | 2`
    public static func | (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { SQLExpression(lhs, .bitwiseOr, rhs) }

    /// `2 | "flags"`
    public static func | (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { SQLExpression(lhs, .bitwiseOr, rhs) }

    /// `"flags" | "mask"`
    public static func | (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(lhs, .bitwiseOr, rhs)
    }

    /// `"flags" << 2`
    public static func << (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { shift(lhs, .shiftLeft, rhs) }

    /// `2 << "count"`
    public static func << (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { shift(lhs, .shiftLeft, rhs) }

    /// `"flags" << "count"`
    public static func << (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression { shift(lhs, .shiftLeft, rhs) }

    /// `"flags" >> 2`
    public static func >> (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { shift(lhs, .shiftRight, rhs) }

    /// `2 >> "count"`
    public static func >> (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { shift(lhs, .shiftRight, rhs) }

    /// `"flags" >> "count"`
    public static func >> (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        shift(lhs, .shiftRight, rhs)
    }

    /// `~"flags"`: all bits inverted.
    public static prefix func ~ (value: Self) -> SQLExpression {
        SQLExpression(node: UnaryNode(.complement, value.sqlExpression.node))
    }
}

private func shift(
    _ lhs: some SQLExpressible, _ operation: BinaryNode.Operator, _ rhs: some SQLExpressible
) -> SQLExpression {
    SQLExpression(node: BinaryNode(lhs.sqlExpression.node, operation, rhs.sqlExpression.node))
}
