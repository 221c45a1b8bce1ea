public import AmalgamCore

// Numbers of different types can be added if both are columns. A value has the type of its column.

extension TypedColumn where Value: SQLNumericValue {
    /// Adds numbers: `"score" + 1`.
    ///
    /// ```swift
    /// let score = TypedColumn<Int>("score")
    /// Player.select { _ in score + 1 }
    /// // SELECT "score" + 1 FROM "player"
    /// ```
    public static func + (lhs: Self, rhs: Value) -> SQLExpression { SQLExpression(lhs, .add, lhs.stored(rhs)) }

    /// Adds numbers: `1 + "score"`.
    public static func + (lhs: Value, rhs: Self) -> SQLExpression { SQLExpression(rhs.stored(lhs), .add, rhs) }

    /// Adds numbers: `"score" + "bonus"`.
    public static func + (lhs: Self, rhs: TypedColumn<some SQLNumericValue>) -> SQLExpression {
        SQLExpression(lhs, .add, rhs)
    }

    /// Subtracts numbers: `"score" - 1`.
    public static func - (lhs: Self, rhs: Value) -> SQLExpression { binary(lhs, .subtract, lhs.stored(rhs)) }

    /// Subtracts numbers: `1 - "score"`.
    public static func - (lhs: Value, rhs: Self) -> SQLExpression { binary(rhs.stored(lhs), .subtract, rhs) }

    /// Subtracts numbers: `"score" - "bonus"`.
    public static func - (lhs: Self, rhs: TypedColumn<some SQLNumericValue>) -> SQLExpression {
        binary(lhs, .subtract, rhs)
    }

    /// Multiplies numbers: `"score" * 2`.
    public static func * (lhs: Self, rhs: Value) -> SQLExpression { SQLExpression(lhs, .multiply, lhs.stored(rhs)) }

    /// Multiplies numbers: `2 * "score"`.
    public static func * (lhs: Value, rhs: Self) -> SQLExpression { SQLExpression(rhs.stored(lhs), .multiply, rhs) }

    /// Multiplies numbers: `"score" * "bonus"`.
    public static func * (lhs: Self, rhs: TypedColumn<some SQLNumericValue>) -> SQLExpression {
        SQLExpression(lhs, .multiply, rhs)
    }

    /// Divides numbers: `"score" / 2`. The quotient of two integers is an integer. A division by 0 is NULL.
    public static func / (lhs: Self, rhs: Value) -> SQLExpression { binary(lhs, .divide, lhs.stored(rhs)) }

    /// Divides numbers: `2 / "score"`.
    public static func / (lhs: Value, rhs: Self) -> SQLExpression { binary(rhs.stored(lhs), .divide, rhs) }

    /// Divides numbers: `"score" / "bonus"`.
    public static func / (lhs: Self, rhs: TypedColumn<some SQLNumericValue>) -> SQLExpression {
        binary(lhs, .divide, rhs)
    }

    /// Negates a number: `-"score"`.
    public static prefix func - (value: Self) -> SQLExpression { -value.sqlExpression }
}

extension TypedColumn where Value: SQLIntegerValue {
    /// Returns the remainder of a division: `"score" % 2`.
    public static func % (lhs: Self, rhs: Value) -> SQLExpression { binary(lhs, .remainder, lhs.stored(rhs)) }

    /// Returns the remainder of a division: `2 % "score"`.
    public static func % (lhs: Value, rhs: Self) -> SQLExpression { binary(rhs.stored(lhs), .remainder, rhs) }

    /// Returns the remainder of a division: `"score" % "bonus"`.
    public static func % (lhs: Self, rhs: TypedColumn<some SQLIntegerValue>) -> SQLExpression {
        binary(lhs, .remainder, rhs)
    }
}

// The compiler uses these overloads for other operands, because their error message is short.

extension TypedColumn {
    @available(*, unavailable, message: "the operands have different types, or aren't numbers")
    public static func + (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { lhs.sqlExpression + rhs }

    @available(*, unavailable, message: "the operands have different types, or aren't numbers")
    public static func - (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { lhs.sqlExpression - rhs }

    @available(*, unavailable, message: "the operands have different types, or aren't numbers")
    public static func * (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { lhs.sqlExpression * rhs }

    @available(*, unavailable, message: "the operands have different types, or aren't numbers")
    public static func / (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { lhs.sqlExpression / rhs }

    @available(*, unavailable, message: "the operands have different types, or aren't numbers")
    public static func % (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { lhs.sqlExpression % rhs }
}
