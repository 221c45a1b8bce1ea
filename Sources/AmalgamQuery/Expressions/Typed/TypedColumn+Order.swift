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
    public static func < (lhs: Self, rhs: Value) -> SQLExpression { lhs.compared(.less, rhs) }

    /// Compares a value and a column: `10 < "score"`.
    public static func < (lhs: Value, rhs: Self) -> SQLExpression { rhs.reversed(lhs, .less) }
}

extension TypedColumn {
    /// Compares two columns: `"score" < "bonus"`.
    public static func < (lhs: Self, rhs: Self) -> SQLExpression {
        comparison(lhs.ordered(like: rhs), .less, rhs.ordered)
    }

    /// Compares two columns, one of which is optional: `"score" < "bonus"`.
    public static func < (lhs: Self, rhs: TypedColumn<Value?>) -> SQLExpression {
        comparison(lhs.ordered(like: rhs), .less, rhs.ordered)
    }

    /// Compares two columns, one of which is optional: `"score" < "bonus"`.
    public static func < (lhs: TypedColumn<Value?>, rhs: Self) -> SQLExpression {
        comparison(lhs.ordered(like: rhs), .less, rhs.ordered)
    }

    @available(*, unavailable, message: "the operands have different types")
    public static func < (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { comparison(lhs, .less, rhs) }

    @available(*, unavailable, message: "the operands have different types")
    public static func < (lhs: some DatabaseValueConvertible, rhs: Self) -> SQLExpression {
        comparison(lhs, .less, rhs)
    }
}

extension TypedColumn where Value: DatabaseValueConvertible {
    /// Compares a column and a value: `"score" <= 10`.
    public static func <= (lhs: Self, rhs: Value) -> SQLExpression { lhs.compared(.lessOrEqual, rhs) }

    /// Compares a value and a column: `10 <= "score"`.
    public static func <= (lhs: Value, rhs: Self) -> SQLExpression { rhs.reversed(lhs, .lessOrEqual) }
}

extension TypedColumn {
    /// Compares two columns: `"score" <= "bonus"`.
    public static func <= (lhs: Self, rhs: Self) -> SQLExpression {
        comparison(lhs.ordered(like: rhs), .lessOrEqual, rhs.ordered)
    }

    /// Compares two columns, one of which is optional: `"score" <= "bonus"`.
    public static func <= (lhs: Self, rhs: TypedColumn<Value?>) -> SQLExpression {
        comparison(lhs.ordered(like: rhs), .lessOrEqual, rhs.ordered)
    }

    /// Compares two columns, one of which is optional: `"score" <= "bonus"`.
    public static func <= (lhs: TypedColumn<Value?>, rhs: Self) -> SQLExpression {
        comparison(lhs.ordered(like: rhs), .lessOrEqual, rhs.ordered)
    }

    @available(*, unavailable, message: "the operands have different types")
    public static func <= (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { comparison(lhs, .lessOrEqual, rhs) }

    @available(*, unavailable, message: "the operands have different types")
    public static func <= (lhs: some DatabaseValueConvertible, rhs: Self) -> SQLExpression {
        comparison(lhs, .lessOrEqual, rhs)
    }
}

extension TypedColumn where Value: DatabaseValueConvertible {
    /// Compares a column and a value: `"score" > 10`.
    public static func > (lhs: Self, rhs: Value) -> SQLExpression { lhs.compared(.greater, rhs) }

    /// Compares a value and a column: `10 > "score"`.
    public static func > (lhs: Value, rhs: Self) -> SQLExpression { rhs.reversed(lhs, .greater) }
}

extension TypedColumn {
    /// Compares two columns: `"score" > "bonus"`.
    public static func > (lhs: Self, rhs: Self) -> SQLExpression {
        comparison(lhs.ordered(like: rhs), .greater, rhs.ordered)
    }

    /// Compares two columns, one of which is optional: `"score" > "bonus"`.
    public static func > (lhs: Self, rhs: TypedColumn<Value?>) -> SQLExpression {
        comparison(lhs.ordered(like: rhs), .greater, rhs.ordered)
    }

    /// Compares two columns, one of which is optional: `"score" > "bonus"`.
    public static func > (lhs: TypedColumn<Value?>, rhs: Self) -> SQLExpression {
        comparison(lhs.ordered(like: rhs), .greater, rhs.ordered)
    }

    @available(*, unavailable, message: "the operands have different types")
    public static func > (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { comparison(lhs, .greater, rhs) }

    @available(*, unavailable, message: "the operands have different types")
    public static func > (lhs: some DatabaseValueConvertible, rhs: Self) -> SQLExpression {
        comparison(lhs, .greater, rhs)
    }
}

extension TypedColumn where Value: DatabaseValueConvertible {
    /// Compares a column and a value: `"score" >= 10`.
    public static func >= (lhs: Self, rhs: Value) -> SQLExpression { lhs.compared(.greaterOrEqual, rhs) }

    /// Compares a value and a column: `10 >= "score"`.
    public static func >= (lhs: Value, rhs: Self) -> SQLExpression { rhs.reversed(lhs, .greaterOrEqual) }
}

extension TypedColumn {
    /// Compares two columns: `"score" >= "bonus"`.
    public static func >= (lhs: Self, rhs: Self) -> SQLExpression {
        comparison(lhs.ordered(like: rhs), .greaterOrEqual, rhs.ordered)
    }

    /// Compares two columns, one of which is optional: `"score" >= "bonus"`.
    public static func >= (lhs: Self, rhs: TypedColumn<Value?>) -> SQLExpression {
        comparison(lhs.ordered(like: rhs), .greaterOrEqual, rhs.ordered)
    }

    /// Compares two columns, one of which is optional: `"score" >= "bonus"`.
    public static func >= (lhs: TypedColumn<Value?>, rhs: Self) -> SQLExpression {
        comparison(lhs.ordered(like: rhs), .greaterOrEqual, rhs.ordered)
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

// MARK: - Wrong operands

extension TypedColumn {
    @available(*, unavailable, message: "a comparison with NULL is never true: use '== nil'")
    public static func < (lhs: Self, rhs: _OptionalNilComparisonType) -> SQLExpression { lhs.sqlExpression }

    @available(*, unavailable, message: "the stored values of the column have no order")
    public static func < (lhs: Self, rhs: Value) -> SQLExpression { lhs.sqlExpression }

    @available(*, unavailable, message: "a comparison with NULL is never true: use '== nil'")
    public static func <= (lhs: Self, rhs: _OptionalNilComparisonType) -> SQLExpression { lhs.sqlExpression }

    @available(*, unavailable, message: "the stored values of the column have no order")
    public static func <= (lhs: Self, rhs: Value) -> SQLExpression { lhs.sqlExpression }

    @available(*, unavailable, message: "a comparison with NULL is never true: use '== nil'")
    public static func > (lhs: Self, rhs: _OptionalNilComparisonType) -> SQLExpression { lhs.sqlExpression }

    @available(*, unavailable, message: "the stored values of the column have no order")
    public static func > (lhs: Self, rhs: Value) -> SQLExpression { lhs.sqlExpression }

    @available(*, unavailable, message: "a comparison with NULL is never true: use '== nil'")
    public static func >= (lhs: Self, rhs: _OptionalNilComparisonType) -> SQLExpression { lhs.sqlExpression }

    @available(*, unavailable, message: "the stored values of the column have no order")
    public static func >= (lhs: Self, rhs: Value) -> SQLExpression { lhs.sqlExpression }
}
