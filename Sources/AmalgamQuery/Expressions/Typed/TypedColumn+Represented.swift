public import AmalgamCore

// The operators of columns whose numbers are stored in a representation: see Represented.swift. Values are encoded by the
// format of the column. Operators of two columns are in the files of other typed columns.

extension TypedColumn where Value: _RepresentedValue {
    /// Compares a column and a number: `"price" = 250`.
    public static func == (lhs: Self, rhs: Value.Number) -> SQLExpression {
        equality(lhs, .equal, lhs.storedForm(rhs))
    }

    /// Compares a number and a column: `250 = "price"`.
    public static func == (lhs: Value.Number, rhs: Self) -> SQLExpression {
        equality(rhs.storedForm(lhs), .equal, rhs)
    }

    /// Compares a column and an optional number: `"price" = 250`, or `"price" IS NULL` if the number is nil.
    public static func == (lhs: Self, rhs: some _OptionalValue<Value.Number>) -> SQLExpression {
        equality(lhs, .equal, rhs._optional.map(lhs.storedForm))
    }

    /// Compares an optional number and a column: `250 = "price"`, or `"price" IS NULL` if the number is nil.
    public static func == (lhs: some _OptionalValue<Value.Number>, rhs: Self) -> SQLExpression {
        equality(lhs._optional.map(rhs.storedForm), .equal, rhs)
    }

    /// Compares a column and a number: `"price" <> 250`.
    public static func != (lhs: Self, rhs: Value.Number) -> SQLExpression {
        equality(lhs, .notEqual, lhs.storedForm(rhs))
    }

    /// Compares a number and a column: `250 <> "price"`.
    public static func != (lhs: Value.Number, rhs: Self) -> SQLExpression {
        equality(rhs.storedForm(lhs), .notEqual, rhs)
    }

    /// Compares a column and an optional number: `"price" <> 250`, or `"price" IS NOT NULL` if the number is nil.
    public static func != (lhs: Self, rhs: some _OptionalValue<Value.Number>) -> SQLExpression {
        equality(lhs, .notEqual, rhs._optional.map(lhs.storedForm))
    }

    /// Compares an optional number and a column: `250 <> "price"`, or `"price" IS NOT NULL` if the number is nil.
    public static func != (lhs: some _OptionalValue<Value.Number>, rhs: Self) -> SQLExpression {
        equality(lhs._optional.map(rhs.storedForm), .notEqual, rhs)
    }

    /// Compares a column and a number: `"price" IS 250`.
    public static func === (lhs: Self, rhs: Value.Number) -> SQLExpression {
        equality(lhs, .is, lhs.storedForm(rhs))
    }

    /// Compares a number and a column: `250 IS "price"`.
    public static func === (lhs: Value.Number, rhs: Self) -> SQLExpression {
        equality(rhs.storedForm(lhs), .is, rhs)
    }

    /// Compares a column and an optional number: `"price" IS 250`, or `"price" IS NULL` if the number is nil.
    public static func === (lhs: Self, rhs: some _OptionalValue<Value.Number>) -> SQLExpression {
        equality(lhs, .is, rhs._optional.map(lhs.storedForm))
    }

    /// Compares an optional number and a column: `250 IS "price"`, or `"price" IS NULL` if the number is nil.
    public static func === (lhs: some _OptionalValue<Value.Number>, rhs: Self) -> SQLExpression {
        equality(lhs._optional.map(rhs.storedForm), .is, rhs)
    }

    /// Compares a column and a number: `"price" IS NOT 250`.
    public static func !== (lhs: Self, rhs: Value.Number) -> SQLExpression {
        equality(lhs, .isNot, lhs.storedForm(rhs))
    }

    /// Compares a number and a column: `250 IS NOT "price"`.
    public static func !== (lhs: Value.Number, rhs: Self) -> SQLExpression {
        equality(rhs.storedForm(lhs), .isNot, rhs)
    }

    /// Compares a column and an optional number: `"price" IS NOT 250`, or `"price" IS NOT NULL` if the number is nil.
    public static func !== (lhs: Self, rhs: some _OptionalValue<Value.Number>) -> SQLExpression {
        equality(lhs, .isNot, rhs._optional.map(lhs.storedForm))
    }

    /// Compares an optional number and a column: `250 IS NOT "price"`, or `"price" IS NOT NULL` if the number is nil.
    public static func !== (lhs: some _OptionalValue<Value.Number>, rhs: Self) -> SQLExpression {
        equality(lhs._optional.map(rhs.storedForm), .isNot, rhs)
    }

    /// The stored form of a number.
    func storedForm(_ number: Value.Number) -> SQLExpression { storedInFormat(Value(_number: number)) }
}

// MARK: - Order

extension TypedColumn where Value: _RepresentedValue {
    /// Compares a column and a number: `"price" < 250`.
    public static func < (lhs: Self, rhs: Value.Number) -> SQLExpression {
        lhs.compared(.less, Value(_number: rhs))
    }

    /// Compares a number and a column: `250 < "price"`.
    public static func < (lhs: Value.Number, rhs: Self) -> SQLExpression {
        rhs.reversed(Value(_number: lhs), .less)
    }

    /// Compares a column and a number: `"price" <= 250`.
    public static func <= (lhs: Self, rhs: Value.Number) -> SQLExpression {
        lhs.compared(.lessOrEqual, Value(_number: rhs))
    }

    /// Compares a number and a column: `250 <= "price"`.
    public static func <= (lhs: Value.Number, rhs: Self) -> SQLExpression {
        rhs.reversed(Value(_number: lhs), .lessOrEqual)
    }

    /// Compares a column and a number: `"price" > 250`.
    public static func > (lhs: Self, rhs: Value.Number) -> SQLExpression {
        lhs.compared(.greater, Value(_number: rhs))
    }

    /// Compares a number and a column: `250 > "price"`.
    public static func > (lhs: Value.Number, rhs: Self) -> SQLExpression {
        rhs.reversed(Value(_number: lhs), .greater)
    }

    /// Compares a column and a number: `"price" >= 250`.
    public static func >= (lhs: Self, rhs: Value.Number) -> SQLExpression {
        lhs.compared(.greaterOrEqual, Value(_number: rhs))
    }

    /// Compares a number and a column: `250 >= "price"`.
    public static func >= (lhs: Value.Number, rhs: Self) -> SQLExpression {
        rhs.reversed(Value(_number: lhs), .greaterOrEqual)
    }

    /// Compares the column with a number by order: see `compared(_:_:)` of other columns.
    fileprivate func compared(_ operation: ComparisonNode.Operator, _ value: Value) -> SQLExpression {
        let rounding = format?.rounding(of: value) ?? .exact
        return comparison(ordered, operation.rounded(rounding), storedInFormat(value))
    }

    /// Compares a number with the column by order.
    fileprivate func reversed(_ value: Value, _ operation: ComparisonNode.Operator) -> SQLExpression {
        let rounding = format?.rounding(of: value) ?? .exact
        return comparison(storedInFormat(value), operation.flipped.rounded(rounding).flipped, ordered)
    }
}

// Columns that aren't optional have no such overloads: a comparison with NULL is never true.

extension TypedColumn {
    /// Compares an optional column and an optional number: `"discount" < 250`.
    public static func < <Number>(lhs: Self, rhs: some _OptionalValue<Number>) -> SQLExpression
    where Value == Represented<Number>? {
        lhs.compared(.less, rhs._optional.map { Represented($0) })
    }

    /// Compares an optional column and an optional number: `"discount" <= 250`.
    public static func <= <Number>(lhs: Self, rhs: some _OptionalValue<Number>) -> SQLExpression
    where Value == Represented<Number>? {
        lhs.compared(.lessOrEqual, rhs._optional.map { Represented($0) })
    }

    /// Compares an optional column and an optional number: `"discount" > 250`.
    public static func > <Number>(lhs: Self, rhs: some _OptionalValue<Number>) -> SQLExpression
    where Value == Represented<Number>? {
        lhs.compared(.greater, rhs._optional.map { Represented($0) })
    }

    /// Compares an optional column and an optional number: `"discount" >= 250`.
    public static func >= <Number>(lhs: Self, rhs: some _OptionalValue<Number>) -> SQLExpression
    where Value == Represented<Number>? {
        lhs.compared(.greaterOrEqual, rhs._optional.map { Represented($0) })
    }
}

// MARK: - Lists and ranges

extension Sequence where Element: DatabaseValueConvertible & Sendable {
    /// Returns an expression that is true if the sequence contains the number of a column: `"price" IN (250, 300)`.
    public func contains(_ column: TypedColumn<Represented<Element>>) -> SQLExpression {
        SQLExpression(column.node, isIn: map { column.storedInFormat(Represented($0)).node })
    }

    /// Returns an expression that is true if the sequence contains the number of an optional column.
    public func contains(_ column: TypedColumn<Represented<Element>?>) -> SQLExpression {
        SQLExpression(column.node, isIn: map { column.storedInFormat(Represented($0)).node })
    }
}

extension Sequence {
    /// Returns an expression that is true if the sequence contains the number of an optional column. NULL is in no list.
    public func contains<Number>(_ column: TypedColumn<Represented<Number>?>) -> SQLExpression
    where Element == Number?, Number: DatabaseValueConvertible & Sendable {
        SQLExpression(column.node, isIn: map { column.storedInFormat($0.map { Represented($0) }).node })
    }
}

extension ClosedRange where Bound: Sendable {
    /// Returns an expression that is true if the number of a column is in the range:
    /// `("price" >= 250) AND ("price" <= 300)`.
    public func contains(_ column: TypedColumn<Represented<Bound>>) -> SQLExpression {
        column >= lowerBound && column <= upperBound
    }

    /// Returns an expression that is true if the number of an optional column is in the range.
    public func contains(_ column: TypedColumn<Represented<Bound>?>) -> SQLExpression {
        column >= lowerBound && column <= upperBound
    }
}

extension Range where Bound: Sendable {
    /// Returns an expression that is true if the number of a column is in the range:
    /// `("price" >= 250) AND ("price" < 300)`.
    public func contains(_ column: TypedColumn<Represented<Bound>>) -> SQLExpression {
        column >= lowerBound && column < upperBound
    }

    /// Returns an expression that is true if the number of an optional column is in the range.
    public func contains(_ column: TypedColumn<Represented<Bound>?>) -> SQLExpression {
        column >= lowerBound && column < upperBound
    }
}

extension PartialRangeFrom where Bound: Sendable {
    /// Returns an expression that is true if the number of a column is in the range: `"price" >= 250`.
    public func contains(_ column: TypedColumn<Represented<Bound>>) -> SQLExpression { column >= lowerBound }

    /// Returns an expression that is true if the number of an optional column is in the range.
    public func contains(_ column: TypedColumn<Represented<Bound>?>) -> SQLExpression { column >= lowerBound }
}

extension PartialRangeThrough where Bound: Sendable {
    /// Returns an expression that is true if the number of a column is in the range: `"price" <= 250`.
    public func contains(_ column: TypedColumn<Represented<Bound>>) -> SQLExpression { column <= upperBound }

    /// Returns an expression that is true if the number of an optional column is in the range.
    public func contains(_ column: TypedColumn<Represented<Bound>?>) -> SQLExpression { column <= upperBound }
}

extension PartialRangeUpTo where Bound: Sendable {
    /// Returns an expression that is true if the number of a column is in the range: `"price" < 250`.
    public func contains(_ column: TypedColumn<Represented<Bound>>) -> SQLExpression { column < upperBound }

    /// Returns an expression that is true if the number of an optional column is in the range.
    public func contains(_ column: TypedColumn<Represented<Bound>?>) -> SQLExpression { column < upperBound }
}
