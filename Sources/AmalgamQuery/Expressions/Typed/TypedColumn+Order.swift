public import AmalgamCore

// The same overloads as for equality, without those for nil: see TypedColumn+Equality.swift.

extension TypedColumn where Value: DatabaseValueConvertible {
    /// Compares a column and a value: `"score" < 10`. A comparison with NULL is NULL:
    /// <https://sqlite.org/datatype3.html#comparisons>.
    ///
    /// ```swift
    /// let score = TypedColumn<Int>("score")
    /// Player.filter { _ in score < 10 }
    /// // SELECT * FROM "player" WHERE "score" < 10
    /// ```
    public static func < (lhs: Self, rhs: Value) -> SQLExpression { comparison(lhs, .less, lhs.stored(rhs)) }

    /// Compares a value and a column: `10 < "score"`.
    public static func < (lhs: Value, rhs: Self) -> SQLExpression { comparison(rhs.stored(lhs), .less, rhs) }
}

extension TypedColumn {
    /// Compares two columns: `"score" < "bonus"`.
    public static func < (lhs: Self, rhs: Self) -> SQLExpression { comparison(lhs, .less, rhs) }

    /// Compares two columns, one of which is optional: `"score" < "bonus"`.
    public static func < (lhs: Self, rhs: TypedColumn<Value?>) -> SQLExpression { comparison(lhs, .less, rhs) }

    /// Compares two columns, one of which is optional: `"score" < "bonus"`.
    public static func < (lhs: TypedColumn<Value?>, rhs: Self) -> SQLExpression { comparison(lhs, .less, rhs) }

    @available(*, unavailable, message: "the operands have different types")
    public static func < (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { comparison(lhs, .less, rhs) }

    @available(*, unavailable, message: "the operands have different types")
    public static func < (lhs: some DatabaseValueConvertible, rhs: Self) -> SQLExpression {
        comparison(lhs, .less, rhs)
    }
}

extension TypedColumn where Value: DatabaseValueConvertible {
    /// Compares a column and a value: `"score" <= 10`.
    public static func <= (lhs: Self, rhs: Value) -> SQLExpression { comparison(lhs, .lessOrEqual, lhs.stored(rhs)) }

    /// Compares a value and a column: `10 <= "score"`.
    public static func <= (lhs: Value, rhs: Self) -> SQLExpression { comparison(rhs.stored(lhs), .lessOrEqual, rhs) }
}

extension TypedColumn {
    /// Compares two columns: `"score" <= "bonus"`.
    public static func <= (lhs: Self, rhs: Self) -> SQLExpression { comparison(lhs, .lessOrEqual, rhs) }

    /// Compares two columns, one of which is optional: `"score" <= "bonus"`.
    public static func <= (lhs: Self, rhs: TypedColumn<Value?>) -> SQLExpression { comparison(lhs, .lessOrEqual, rhs) }

    /// Compares two columns, one of which is optional: `"score" <= "bonus"`.
    public static func <= (lhs: TypedColumn<Value?>, rhs: Self) -> SQLExpression { comparison(lhs, .lessOrEqual, rhs) }

    @available(*, unavailable, message: "the operands have different types")
    public static func <= (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { comparison(lhs, .lessOrEqual, rhs) }

    @available(*, unavailable, message: "the operands have different types")
    public static func <= (lhs: some DatabaseValueConvertible, rhs: Self) -> SQLExpression {
        comparison(lhs, .lessOrEqual, rhs)
    }
}

extension TypedColumn where Value: DatabaseValueConvertible {
    /// Compares a column and a value: `"score" > 10`.
    public static func > (lhs: Self, rhs: Value) -> SQLExpression { comparison(lhs, .greater, lhs.stored(rhs)) }

    /// Compares a value and a column: `10 > "score"`.
    public static func > (lhs: Value, rhs: Self) -> SQLExpression { comparison(rhs.stored(lhs), .greater, rhs) }
}

extension TypedColumn {
    /// Compares two columns: `"score" > "bonus"`.
    public static func > (lhs: Self, rhs: Self) -> SQLExpression { comparison(lhs, .greater, rhs) }

    /// Compares two columns, one of which is optional: `"score" > "bonus"`.
    public static func > (lhs: Self, rhs: TypedColumn<Value?>) -> SQLExpression { comparison(lhs, .greater, rhs) }

    /// Compares two columns, one of which is optional: `"score" > "bonus"`.
    public static func > (lhs: TypedColumn<Value?>, rhs: Self) -> SQLExpression { comparison(lhs, .greater, rhs) }

    @available(*, unavailable, message: "the operands have different types")
    public static func > (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { comparison(lhs, .greater, rhs) }

    @available(*, unavailable, message: "the operands have different types")
    public static func > (lhs: some DatabaseValueConvertible, rhs: Self) -> SQLExpression {
        comparison(lhs, .greater, rhs)
    }
}

extension TypedColumn where Value: DatabaseValueConvertible {
    /// Compares a column and a value: `"score" >= 10`.
    public static func >= (lhs: Self, rhs: Value) -> SQLExpression { comparison(lhs, .greaterOrEqual, lhs.stored(rhs)) }

    /// Compares a value and a column: `10 >= "score"`.
    public static func >= (lhs: Value, rhs: Self) -> SQLExpression { comparison(rhs.stored(lhs), .greaterOrEqual, rhs) }
}

extension TypedColumn {
    /// Compares two columns: `"score" >= "bonus"`.
    public static func >= (lhs: Self, rhs: Self) -> SQLExpression { comparison(lhs, .greaterOrEqual, rhs) }

    /// Compares two columns, one of which is optional: `"score" >= "bonus"`.
    public static func >= (lhs: Self, rhs: TypedColumn<Value?>) -> SQLExpression {
        comparison(lhs, .greaterOrEqual, rhs)
    }

    /// Compares two columns, one of which is optional: `"score" >= "bonus"`.
    public static func >= (lhs: TypedColumn<Value?>, rhs: Self) -> SQLExpression {
        comparison(lhs, .greaterOrEqual, rhs)
    }

    @available(*, unavailable, message: "the operands have different types")
    public static func >= (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        comparison(lhs, .greaterOrEqual, rhs)
    }

    @available(*, unavailable, message: "the operands have different types")
    public static func >= (lhs: some DatabaseValueConvertible, rhs: Self) -> SQLExpression {
        comparison(lhs, .greaterOrEqual, rhs)
    }
}
