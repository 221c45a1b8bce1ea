public import AmalgamCore

extension TypedColumn where Value: SQLIntegerValue {
    /// Returns the bitwise AND: `"flags" & 2`.
    ///
    /// ```swift
    /// let flags = TypedColumn<Int>("flags")
    /// Player.filter { _ in flags & 2 != 0 }
    /// // SELECT * FROM "player" WHERE ("flags" & 2) <> 0
    /// ```
    public static func & (lhs: Self, rhs: Value) -> SQLExpression {
        SQLExpression(lhs.number, .bitwiseAnd, lhs.stored(rhs))
    }

    /// Returns the bitwise AND: `2 & "flags"`.
    public static func & (lhs: Value, rhs: Self) -> SQLExpression {
        SQLExpression(rhs.stored(lhs), .bitwiseAnd, rhs.number)
    }

    /// Returns the bitwise AND: `"flags" & "mask"`.
    public static func & (lhs: Self, rhs: TypedColumn<some SQLIntegerValue>) -> SQLExpression {
        SQLExpression(lhs.number, .bitwiseAnd, rhs.number)
    }

    /// Returns the bitwise OR: `"flags" | 2`.
    public static func | (lhs: Self, rhs: Value) -> SQLExpression {
        SQLExpression(lhs.number, .bitwiseOr, lhs.stored(rhs))
    }

    /// Returns the bitwise OR: `2 | "flags"`.
    public static func | (lhs: Value, rhs: Self) -> SQLExpression {
        SQLExpression(rhs.stored(lhs), .bitwiseOr, rhs.number)
    }

    /// Returns the bitwise OR: `"flags" | "mask"`.
    public static func | (lhs: Self, rhs: TypedColumn<some SQLIntegerValue>) -> SQLExpression {
        SQLExpression(lhs.number, .bitwiseOr, rhs.number)
    }

    /// Shifts bits to the left: `"flags" << 2`.
    public static func << (lhs: Self, rhs: Value) -> SQLExpression { shift(lhs.number, .shiftLeft, lhs.stored(rhs)) }

    /// Shifts bits to the left: `2 << "flags"`.
    public static func << (lhs: Value, rhs: Self) -> SQLExpression { shift(rhs.stored(lhs), .shiftLeft, rhs.number) }

    /// Shifts bits to the left: `"flags" << "mask"`.
    public static func << (lhs: Self, rhs: TypedColumn<some SQLIntegerValue>) -> SQLExpression {
        shift(lhs.number, .shiftLeft, rhs.number)
    }

    /// Shifts bits to the right: `"flags" >> 2`.
    public static func >> (lhs: Self, rhs: Value) -> SQLExpression { shift(lhs.number, .shiftRight, lhs.stored(rhs)) }

    /// Shifts bits to the right: `2 >> "flags"`.
    public static func >> (lhs: Value, rhs: Self) -> SQLExpression { shift(rhs.stored(lhs), .shiftRight, rhs.number) }

    /// Shifts bits to the right: `"flags" >> "mask"`.
    public static func >> (lhs: Self, rhs: TypedColumn<some SQLIntegerValue>) -> SQLExpression {
        shift(lhs.number, .shiftRight, rhs.number)
    }

    /// Inverts all bits: `~"flags"`.
    public static prefix func ~ (value: Self) -> SQLExpression { ~value.number }
}

// The compiler uses these overloads for other operands, because their error message is short.

extension TypedColumn {
    @available(*, unavailable, message: "the operands have different types, or aren't integers")
    public static func & (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { lhs.sqlExpression & rhs }

    @available(*, unavailable, message: "the operands have different types, or aren't integers")
    public static func | (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { lhs.sqlExpression | rhs }
}
