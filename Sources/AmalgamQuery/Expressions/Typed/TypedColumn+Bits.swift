public import AmalgamCore

extension TypedColumn where Value: SQLIntegerValue {
    /// Returns the bitwise AND: `"flags" & 2`.
    ///
    /// ```swift
    /// let flags = TypedColumn<Int>("flags")
    /// Player.filter { _ in flags & 2 != 0 }
    /// // SELECT * FROM "player" WHERE ("flags" & 2) <> 0
    /// ```
    public static func & (lhs: Self, rhs: Value) -> SQLExpression { SQLExpression(lhs, .bitwiseAnd, lhs.stored(rhs)) }

    /// Returns the bitwise AND: `2 & "flags"`.
    public static func & (lhs: Value, rhs: Self) -> SQLExpression { SQLExpression(rhs.stored(lhs), .bitwiseAnd, rhs) }

    /// Returns the bitwise AND: `"flags" & "mask"`.
    public static func & (lhs: Self, rhs: TypedColumn<some SQLIntegerValue>) -> SQLExpression {
        SQLExpression(lhs, .bitwiseAnd, rhs)
    }

    /// Returns the bitwise OR: `"flags" | 2`.
    public static func | (lhs: Self, rhs: Value) -> SQLExpression { SQLExpression(lhs, .bitwiseOr, lhs.stored(rhs)) }

    /// Returns the bitwise OR: `2 | "flags"`.
    public static func | (lhs: Value, rhs: Self) -> SQLExpression { SQLExpression(rhs.stored(lhs), .bitwiseOr, rhs) }

    /// Returns the bitwise OR: `"flags" | "mask"`.
    public static func | (lhs: Self, rhs: TypedColumn<some SQLIntegerValue>) -> SQLExpression {
        SQLExpression(lhs, .bitwiseOr, rhs)
    }

    /// Shifts bits to the left: `"flags" << 2`.
    public static func << (lhs: Self, rhs: Value) -> SQLExpression { shift(lhs, .shiftLeft, lhs.stored(rhs)) }

    /// Shifts bits to the left: `2 << "flags"`.
    public static func << (lhs: Value, rhs: Self) -> SQLExpression { shift(rhs.stored(lhs), .shiftLeft, rhs) }

    /// Shifts bits to the left: `"flags" << "mask"`.
    public static func << (lhs: Self, rhs: TypedColumn<some SQLIntegerValue>) -> SQLExpression {
        shift(lhs, .shiftLeft, rhs)
    }

    /// Shifts bits to the right: `"flags" >> 2`.
    public static func >> (lhs: Self, rhs: Value) -> SQLExpression { shift(lhs, .shiftRight, lhs.stored(rhs)) }

    /// Shifts bits to the right: `2 >> "flags"`.
    public static func >> (lhs: Value, rhs: Self) -> SQLExpression { shift(rhs.stored(lhs), .shiftRight, rhs) }

    /// Shifts bits to the right: `"flags" >> "mask"`.
    public static func >> (lhs: Self, rhs: TypedColumn<some SQLIntegerValue>) -> SQLExpression {
        shift(lhs, .shiftRight, rhs)
    }

    /// Inverts all bits: `~"flags"`.
    public static prefix func ~ (value: Self) -> SQLExpression { ~value.sqlExpression }
}
