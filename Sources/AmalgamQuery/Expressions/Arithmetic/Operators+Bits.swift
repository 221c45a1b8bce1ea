public import AmalgamCore

// SQLite converts the operands to integers of 64 bits: <https://sqlite.org/lang_expr.html#operators>.

extension SQLSpecificExpressible {
    /// Returns the bitwise AND: `"flags" & 2`.
    ///
    /// ```swift
    /// Player.filter(Column("flags") & 2 != 0)
    /// // SELECT * FROM "player" WHERE ("flags" & 2) <> 0
    /// ```
    public static func & (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { SQLExpression(lhs, .bitwiseAnd, rhs) }

    /// Returns the bitwise AND: `2 & "flags"`.
    public static func & (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { SQLExpression(lhs, .bitwiseAnd, rhs) }

    /// Returns the bitwise AND: `"flags" & "mask"`.
    public static func & (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(lhs, .bitwiseAnd, rhs)
    }

    /// Returns the bitwise OR: `"flags" | 2`.
    public static func | (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { SQLExpression(lhs, .bitwiseOr, rhs) }

    /// Returns the bitwise OR: `2 | "flags"`.
    public static func | (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { SQLExpression(lhs, .bitwiseOr, rhs) }

    /// Returns the bitwise OR: `"flags" | "mask"`.
    public static func | (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(lhs, .bitwiseOr, rhs)
    }

    /// Shifts bits to the left: `"flags" << 2`.
    public static func << (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { shift(lhs, .shiftLeft, rhs) }

    /// Shifts bits to the left: `2 << "count"`.
    public static func << (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { shift(lhs, .shiftLeft, rhs) }

    /// Shifts bits to the left: `"flags" << "count"`.
    public static func << (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression { shift(lhs, .shiftLeft, rhs) }

    /// Shifts bits to the right: `"flags" >> 2`.
    public static func >> (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { shift(lhs, .shiftRight, rhs) }

    /// Shifts bits to the right: `2 >> "count"`.
    public static func >> (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { shift(lhs, .shiftRight, rhs) }

    /// Shifts bits to the right: `"flags" >> "count"`.
    public static func >> (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        shift(lhs, .shiftRight, rhs)
    }

    /// Inverts all bits: `~"flags"`.
    public static prefix func ~ (value: Self) -> SQLExpression {
        SQLExpression(node: UnaryNode(.complement, value.sqlExpression.node))
    }
}

func shift(
    _ lhs: some SQLExpressible, _ operation: BinaryNode.Operator, _ rhs: some SQLExpressible
) -> SQLExpression {
    formattedResult(lhs, .other, rhs)
        ?? SQLExpression(node: BinaryNode(lhs.sqlExpression.node, operation, rhs.sqlExpression.node))
}
