public import AmalgamCore

// Each operator has an overload for a value of the column's type, for an optional value, for a column of the same type,
// and for a column of the optional type. The compiler uses the unavailable overloads for other operands, because their
// error message is short.

extension TypedColumn where Value: DatabaseValueConvertible {
    /// Compares a column and a value: `"score" = 10`, or `"teamId" IS NULL` if the value is nil.
    ///
    /// ```swift
    /// let (score, teamId) = (TypedColumn<Int>("score"), TypedColumn<Int64?>("teamId"))
    /// Player.filter { _ in score == 10 }     // WHERE "score" = 10
    /// Player.filter { _ in teamId == nil }   // WHERE "teamId" IS NULL
    /// ```
    public static func == (lhs: Self, rhs: Value) -> SQLExpression { equality(lhs, .equal, lhs.stored(rhs)) }

    /// Compares a value and a column: `10 = "score"`.
    public static func == (lhs: Value, rhs: Self) -> SQLExpression { rhs.comparison(of: lhs, .equal) }

    /// Compares a column and an optional value: `"score" = 10`, or `"score" IS NULL` if the value is nil.
    public static func == (lhs: Self, rhs: some _OptionalValue<Value>) -> SQLExpression {
        equality(lhs, .equal, rhs._optional.map(lhs.stored))
    }

    /// Compares an optional value and a column: `10 = "score"`, or `"score" IS NULL` if the value is nil.
    public static func == (lhs: some _OptionalValue<Value>, rhs: Self) -> SQLExpression {
        rhs.comparison(of: lhs._optional, .equal)
    }
}

extension TypedColumn {
    /// Compares two columns: `"score" = "bonus"`.
    public static func == (lhs: Self, rhs: Self) -> SQLExpression { equality(lhs, .equal, rhs) }

    /// Compares two columns, one of which is optional: `"score" = "bonus"`.
    public static func == (lhs: Self, rhs: TypedColumn<Value?>) -> SQLExpression { equality(lhs, .equal, rhs) }

    /// Compares two columns, one of which is optional: `"score" = "bonus"`.
    public static func == (lhs: TypedColumn<Value?>, rhs: Self) -> SQLExpression { equality(lhs, .equal, rhs) }

    /// Compares an optional column with NULL: `"teamId" IS NULL`.
    public static func == <Wrapped>(lhs: Self, rhs: _OptionalNilComparisonType) -> SQLExpression
    where Value == Wrapped? {
        equality(lhs, .equal, nil)
    }

    @available(*, unavailable, message: "the column isn't optional")
    public static func == (lhs: Self, rhs: _OptionalNilComparisonType) -> SQLExpression { equality(lhs, .equal, nil) }

    /// Compares a column and a value of any type, which is encoded as the record of the column encodes it, for example as
    /// JSON: `"tags" = '["new"]'`.
    @_disfavoredOverload
    public static func == (lhs: Self, rhs: Value) -> SQLExpression { equality(lhs, .equal, lhs.storedInFormat(rhs)) }

    @available(*, unavailable, message: "the operands have different types")
    public static func == (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { equality(lhs, .equal, rhs) }

    @available(*, unavailable, message: "the operands have different types")
    public static func == (lhs: some DatabaseValueConvertible, rhs: Self) -> SQLExpression {
        equality(lhs, .equal, rhs)
    }
}

extension TypedColumn where Value: DatabaseValueConvertible {
    /// Compares a column and a value: `"score" <> 10`, or `"teamId" IS NOT NULL` if the value is nil.
    ///
    /// Rows with NULL don't satisfy `"teamId" <> 10`. To select these rows as well, use `!==`, which is written
    /// `"teamId" IS NOT 10`.
    public static func != (lhs: Self, rhs: Value) -> SQLExpression { equality(lhs, .notEqual, lhs.stored(rhs)) }

    /// Compares a value and a column: `10 <> "score"`.
    public static func != (lhs: Value, rhs: Self) -> SQLExpression { rhs.comparison(of: lhs, .notEqual) }

    /// Compares a column and an optional value: `"score" <> 10`, or `"score" IS NOT NULL` if the value is nil.
    public static func != (lhs: Self, rhs: some _OptionalValue<Value>) -> SQLExpression {
        equality(lhs, .notEqual, rhs._optional.map(lhs.stored))
    }

    /// Compares an optional value and a column: `10 <> "score"`, or `"score" IS NOT NULL` if the value is nil.
    public static func != (lhs: some _OptionalValue<Value>, rhs: Self) -> SQLExpression {
        rhs.comparison(of: lhs._optional, .notEqual)
    }
}

extension TypedColumn {
    /// Compares two columns: `"score" <> "bonus"`.
    public static func != (lhs: Self, rhs: Self) -> SQLExpression { equality(lhs, .notEqual, rhs) }

    /// Compares two columns, one of which is optional: `"score" <> "bonus"`.
    public static func != (lhs: Self, rhs: TypedColumn<Value?>) -> SQLExpression { equality(lhs, .notEqual, rhs) }

    /// Compares two columns, one of which is optional: `"score" <> "bonus"`.
    public static func != (lhs: TypedColumn<Value?>, rhs: Self) -> SQLExpression { equality(lhs, .notEqual, rhs) }

    /// Compares an optional column with NULL: `"teamId" IS NOT NULL`.
    public static func != <Wrapped>(lhs: Self, rhs: _OptionalNilComparisonType) -> SQLExpression
    where Value == Wrapped? {
        equality(lhs, .notEqual, nil)
    }

    /// Compares a column and a value of any type, which is encoded as the record of the column encodes it, for example as
    /// JSON: `"tags" <> '["new"]'`.
    @_disfavoredOverload
    public static func != (lhs: Self, rhs: Value) -> SQLExpression {
        equality(lhs, .notEqual, lhs.storedInFormat(rhs))
    }

    @available(*, unavailable, message: "the column isn't optional")
    public static func != (lhs: Self, rhs: _OptionalNilComparisonType) -> SQLExpression {
        equality(lhs, .notEqual, nil)
    }

    @available(*, unavailable, message: "the operands have different types")
    public static func != (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { equality(lhs, .notEqual, rhs) }

    @available(*, unavailable, message: "the operands have different types")
    public static func != (lhs: some DatabaseValueConvertible, rhs: Self) -> SQLExpression {
        equality(lhs, .notEqual, rhs)
    }
}

extension TypedColumn where Value: DatabaseValueConvertible {
    /// Compares a column and a value: `"teamId" IS 10`, or `"teamId" IS NULL` if the value is nil. The result is never
    /// NULL.
    public static func === (lhs: Self, rhs: Value) -> SQLExpression { equality(lhs, .is, lhs.stored(rhs)) }

    /// Compares a value and a column: `10 IS "score"`.
    public static func === (lhs: Value, rhs: Self) -> SQLExpression { rhs.comparison(of: lhs, .is) }

    /// Compares a column and an optional value: `"score" IS 10`, or `"score" IS NULL` if the value is nil.
    public static func === (lhs: Self, rhs: some _OptionalValue<Value>) -> SQLExpression {
        equality(lhs, .is, rhs._optional.map(lhs.stored))
    }

    /// Compares an optional value and a column: `10 IS "score"`, or `"score" IS NULL` if the value is nil.
    public static func === (lhs: some _OptionalValue<Value>, rhs: Self) -> SQLExpression {
        rhs.comparison(of: lhs._optional, .is)
    }
}

extension TypedColumn {
    /// Compares two columns: `"score" IS "bonus"`.
    public static func === (lhs: Self, rhs: Self) -> SQLExpression { equality(lhs, .is, rhs) }

    /// Compares two columns, one of which is optional: `"score" IS "bonus"`.
    public static func === (lhs: Self, rhs: TypedColumn<Value?>) -> SQLExpression { equality(lhs, .is, rhs) }

    /// Compares two columns, one of which is optional: `"score" IS "bonus"`.
    public static func === (lhs: TypedColumn<Value?>, rhs: Self) -> SQLExpression { equality(lhs, .is, rhs) }

    /// Compares an optional column with NULL: `"teamId" IS NULL`.
    public static func === <Wrapped>(lhs: Self, rhs: _OptionalNilComparisonType) -> SQLExpression
    where Value == Wrapped? {
        equality(lhs, .is, nil)
    }

    @available(*, unavailable, message: "the column isn't optional")
    public static func === (lhs: Self, rhs: _OptionalNilComparisonType) -> SQLExpression { equality(lhs, .is, nil) }

    @available(*, unavailable, message: "the operands have different types")
    public static func === (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { equality(lhs, .is, rhs) }

    @available(*, unavailable, message: "the operands have different types")
    public static func === (lhs: some DatabaseValueConvertible, rhs: Self) -> SQLExpression { equality(lhs, .is, rhs) }
}

extension TypedColumn where Value: DatabaseValueConvertible {
    /// Compares a column and a value: `"teamId" IS NOT 10`, or `"teamId" IS NOT NULL` if the value is nil. The result
    /// is never NULL.
    public static func !== (lhs: Self, rhs: Value) -> SQLExpression { equality(lhs, .isNot, lhs.stored(rhs)) }

    /// Compares a value and a column: `10 IS NOT "score"`.
    public static func !== (lhs: Value, rhs: Self) -> SQLExpression { rhs.comparison(of: lhs, .isNot) }

    /// Compares a column and an optional value: `"score" IS NOT 10`, or `"score" IS NOT NULL` if the value is nil.
    public static func !== (lhs: Self, rhs: some _OptionalValue<Value>) -> SQLExpression {
        equality(lhs, .isNot, rhs._optional.map(lhs.stored))
    }

    /// Compares an optional value and a column: `10 IS NOT "score"`, or `"score" IS NOT NULL` if the value is nil.
    public static func !== (lhs: some _OptionalValue<Value>, rhs: Self) -> SQLExpression {
        rhs.comparison(of: lhs._optional, .isNot)
    }
}

extension TypedColumn {
    /// Compares two columns: `"score" IS NOT "bonus"`.
    public static func !== (lhs: Self, rhs: Self) -> SQLExpression { equality(lhs, .isNot, rhs) }

    /// Compares two columns, one of which is optional: `"score" IS NOT "bonus"`.
    public static func !== (lhs: Self, rhs: TypedColumn<Value?>) -> SQLExpression { equality(lhs, .isNot, rhs) }

    /// Compares two columns, one of which is optional: `"score" IS NOT "bonus"`.
    public static func !== (lhs: TypedColumn<Value?>, rhs: Self) -> SQLExpression { equality(lhs, .isNot, rhs) }

    /// Compares an optional column with NULL: `"teamId" IS NOT NULL`.
    public static func !== <Wrapped>(lhs: Self, rhs: _OptionalNilComparisonType) -> SQLExpression
    where Value == Wrapped? {
        equality(lhs, .isNot, nil)
    }

    @available(*, unavailable, message: "the column isn't optional")
    public static func !== (lhs: Self, rhs: _OptionalNilComparisonType) -> SQLExpression { equality(lhs, .isNot, nil) }

    @available(*, unavailable, message: "the operands have different types")
    public static func !== (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { equality(lhs, .isNot, rhs) }

    @available(*, unavailable, message: "the operands have different types")
    public static func !== (lhs: some DatabaseValueConvertible, rhs: Self) -> SQLExpression {
        equality(lhs, .isNot, rhs)
    }
}

extension TypedColumn where Value: DatabaseValueConvertible {
    /// Returns a comparison in which the value comes first, unless it is a Boolean: `"isActive" = 1`.
    private func comparison(of value: Value?, _ comparison: EqualityNode.Operator) -> SQLExpression {
        let stored = value.map(stored)
        return value is Bool? ? equality(self, comparison, stored) : equality(stored, comparison, self)
    }
}
