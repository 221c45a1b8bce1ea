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
    public static func + (lhs: Self, rhs: Value) -> SQLExpression {
        lhs.formatted(SQLExpression(lhs.addend, .add, lhs.exactForm(of: rhs)))
    }

    /// Adds numbers: `1 + "score"`.
    public static func + (lhs: Value, rhs: Self) -> SQLExpression {
        rhs.formatted(SQLExpression(rhs.exactForm(of: lhs), .add, rhs.addend))
    }

    /// Adds numbers: `"score" + "bonus"`.
    public static func + (lhs: Self, rhs: TypedColumn<some SQLNumericValue>) -> SQLExpression {
        lhs.formatted(SQLExpression(lhs.addend(like: rhs), .add, rhs))
    }

    /// Subtracts numbers: `"score" - 1`.
    public static func - (lhs: Self, rhs: Value) -> SQLExpression {
        lhs.formatted(binary(lhs.addend, .subtract, lhs.exactForm(of: rhs)))
    }

    /// Subtracts numbers: `1 - "score"`.
    public static func - (lhs: Value, rhs: Self) -> SQLExpression {
        rhs.formatted(binary(rhs.exactForm(of: lhs), .subtract, rhs.addend))
    }

    /// Subtracts numbers: `"score" - "bonus"`.
    public static func - (lhs: Self, rhs: TypedColumn<some SQLNumericValue>) -> SQLExpression {
        lhs.formatted(binary(lhs.addend(like: rhs), .subtract, rhs))
    }

    /// Multiplies numbers: `"score" * 2`.
    public static func * (lhs: Self, rhs: Value) -> SQLExpression {
        SQLExpression(lhs.number, .multiply, lhs.stored(rhs))
    }

    /// Multiplies numbers: `2 * "score"`.
    public static func * (lhs: Value, rhs: Self) -> SQLExpression {
        SQLExpression(rhs.stored(lhs), .multiply, rhs.number)
    }

    /// Multiplies numbers: `"score" * "bonus"`.
    public static func * (lhs: Self, rhs: TypedColumn<some SQLNumericValue>) -> SQLExpression {
        SQLExpression(lhs.number, .multiply, rhs.number)
    }

    /// Divides numbers: `"score" / 2`. The quotient of two integers is an integer. A division by 0 is NULL.
    public static func / (lhs: Self, rhs: Value) -> SQLExpression { binary(lhs.number, .divide, lhs.stored(rhs)) }

    /// Divides numbers: `2 / "score"`.
    public static func / (lhs: Value, rhs: Self) -> SQLExpression { binary(rhs.stored(lhs), .divide, rhs.number) }

    /// Divides numbers: `"score" / "bonus"`.
    public static func / (lhs: Self, rhs: TypedColumn<some SQLNumericValue>) -> SQLExpression {
        binary(lhs.number, .divide, rhs.number)
    }

    /// Negates a number: `-"score"`.
    public static prefix func - (value: Self) -> SQLExpression { -value.number }
}

extension TypedColumn where Value: SQLIntegerValue {
    /// Returns the remainder of a division: `"score" % 2`.
    public static func % (lhs: Self, rhs: Value) -> SQLExpression { binary(lhs.number, .remainder, lhs.stored(rhs)) }

    /// Returns the remainder of a division: `2 % "score"`.
    public static func % (lhs: Value, rhs: Self) -> SQLExpression { binary(rhs.stored(lhs), .remainder, rhs.number) }

    /// Returns the remainder of a division: `"score" % "bonus"`.
    public static func % (lhs: Self, rhs: TypedColumn<some SQLIntegerValue>) -> SQLExpression {
        binary(lhs.number, .remainder, rhs.number)
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

    @available(*, unavailable, message: "the values of the column aren't numbers")
    public static prefix func - (value: Self) -> SQLExpression { -value.sqlExpression }
}
