public import AmalgamCore

// The operators of columns whose numbers are stored in a representation: see Represented.swift. Values are encoded by the
// format of the column.

extension TypedColumn where Value: _RepresentedValue {
    /// Compares a column and a number: `"price" = 250`.
    public static func == (lhs: Self, rhs: Value.Number) -> SQLExpression {
        equality(lhs, .equal, lhs.storedInFormat(Value(_number: rhs)))
    }

    /// Compares a column and a number: `"price" <> 250`.
    public static func != (lhs: Self, rhs: Value.Number) -> SQLExpression {
        equality(lhs, .notEqual, lhs.storedInFormat(Value(_number: rhs)))
    }

    /// Compares a column and a number: `"price" IS 250`.
    public static func === (lhs: Self, rhs: Value.Number) -> SQLExpression {
        equality(lhs, .is, lhs.storedInFormat(Value(_number: rhs)))
    }

    /// Compares a column and a number: `"price" IS NOT 250`.
    public static func !== (lhs: Self, rhs: Value.Number) -> SQLExpression {
        equality(lhs, .isNot, lhs.storedInFormat(Value(_number: rhs)))
    }

    /// Compares a column and a number: `"price" < 250`.
    public static func < (lhs: Self, rhs: Value.Number) -> SQLExpression {
        lhs.compared(.less, Value(_number: rhs))
    }

    /// Compares a column and a number: `"price" <= 250`.
    public static func <= (lhs: Self, rhs: Value.Number) -> SQLExpression {
        lhs.compared(.lessOrEqual, Value(_number: rhs))
    }

    /// Compares a column and a number: `"price" > 250`.
    public static func > (lhs: Self, rhs: Value.Number) -> SQLExpression {
        lhs.compared(.greater, Value(_number: rhs))
    }

    /// Compares a column and a number: `"price" >= 250`.
    public static func >= (lhs: Self, rhs: Value.Number) -> SQLExpression {
        lhs.compared(.greaterOrEqual, Value(_number: rhs))
    }

    /// Compares the column with a number by order: see `compared(_:_:)`.
    fileprivate func compared(_ operation: ComparisonNode.Operator, _ value: Value) -> SQLExpression {
        let rounding = format?.rounding(of: value) ?? .exact
        return comparison(sqlExpression, operation.rounded(rounding), storedInFormat(value))
    }
}

// MARK: - Sums and assignments

extension TypedColumn where Value: _RepresentedValue {
    /// Adds a number to a column: `"price" + 100`. The result is compared with numbers.
    public static func + (lhs: Self, rhs: Value.Number) -> Self {
        lhs.written(
            as: SQLExpression(SQLExpression(node: lhs.node), .add, lhs.storedInFormat(Value(_number: rhs))).node)
    }

    /// Adds a number to the column: `"price" = "price" + 100`.
    public static func += (column: Self, number: Value.Number) -> ColumnAssignment {
        column.untyped.set(to: (column + number).sqlExpression)
    }

    /// Subtracts a number from a column: `"price" - 100`. The result is compared with numbers.
    public static func - (lhs: Self, rhs: Value.Number) -> Self {
        lhs.written(as: binary(SQLExpression(node: lhs.node), .subtract, lhs.storedInFormat(Value(_number: rhs))).node)
    }

    /// Subtracts a number from the column: `"price" = "price" - 100`.
    public static func -= (column: Self, number: Value.Number) -> ColumnAssignment {
        column.untyped.set(to: (column - number).sqlExpression)
    }

    /// Returns the assignment of a number to the column: `"price" = 250`.
    public func set(to number: Value.Number) -> ColumnAssignment {
        untyped.set(to: storedInFormat(Value(_number: number)))
    }
}

extension TypedColumn {
    /// Returns the assignment of NULL to an optional column: `"price" = NULL`.
    public func set<Number>(to value: _OptionalNilComparisonType) -> ColumnAssignment
    where Value == Represented<Number>? {
        untyped.set(to: nil)
    }

    /// Replaces NULL with a number: `IFNULL("price", 250)`.
    public static func ?? <Number>(lhs: Self, rhs: Number) -> TypedColumn<Represented<Number>>
    where Value == Represented<Number>? {
        lhs.wrapped().written(as: lhs.sqlExpression ?? lhs.storedInFormat(Represented(rhs)), of: "IFNULL")
    }
}

/// Returns the sum of the numbers of a column: `SUM("price")`. NULL without numbers.
public func sum<Number>(
    _ column: TypedColumn<Represented<Number>>, filter: (any SQLCondition)? = nil
) -> TypedColumn<Represented<Number>?> {
    column.optional.written(as: aggregate("SUM", column, filter: filter), of: "SUM")
}

/// Returns the sum of the numbers of an optional column: `SUM("price")`. NULL without numbers.
public func sum<Number>(
    _ column: TypedColumn<Represented<Number>?>, filter: (any SQLCondition)? = nil
) -> TypedColumn<Represented<Number>?> {
    column.written(as: aggregate("SUM", column, filter: filter), of: "SUM")
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

// MARK: - Wrong operations

// The compiler uses these overloads where nothing else fits.

extension TypedColumn where Value: _RepresentedValue {
    @available(
        *, unavailable, message: "the column stores a representation of its numbers: use 'untyped', or compute in Swift"
    )
    public static func * (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { lhs.sqlExpression }

    @available(
        *, unavailable, message: "the column stores a representation of its numbers: use 'untyped', or compute in Swift"
    )
    public static func / (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { lhs.sqlExpression }

    @available(
        *, unavailable, message: "the column stores a representation of its numbers: use 'untyped', or compute in Swift"
    )
    public static func % (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { lhs.sqlExpression }

    @available(
        *, unavailable, message: "the column stores a representation of its numbers: use 'untyped', or compute in Swift"
    )
    public static func & (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { lhs.sqlExpression }

    @available(
        *, unavailable, message: "the column stores a representation of its numbers: use 'untyped', or compute in Swift"
    )
    public static func | (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { lhs.sqlExpression }

    @available(
        *, unavailable, message: "the column stores a representation of its numbers: use 'untyped', or compute in Swift"
    )
    public static func << (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { lhs.sqlExpression }

    @available(
        *, unavailable, message: "the column stores a representation of its numbers: use 'untyped', or compute in Swift"
    )
    public static func >> (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { lhs.sqlExpression }

    @available(
        *, unavailable, message: "the column stores a representation of its numbers: use 'untyped', or compute in Swift"
    )
    public static func *= (column: Self, value: some SQLExpressible) -> ColumnAssignment { column.noOverwrite }

    @available(
        *, unavailable, message: "the column stores a representation of its numbers: use 'untyped', or compute in Swift"
    )
    public static func /= (column: Self, value: some SQLExpressible) -> ColumnAssignment { column.noOverwrite }

    @available(
        *, unavailable, message: "the column stores a representation of its numbers: use 'untyped', or compute in Swift"
    )
    public static prefix func - (value: Self) -> SQLExpression { value.sqlExpression }
}

@available(
    *, unavailable, message: "the column stores a representation of its numbers: use 'untyped', or compute in Swift"
)
public func average(_ column: TypedColumn<some _RepresentedValue>) -> TypedColumn<Double?> {
    column.result(of: "average", column.sqlExpression)
}

@available(
    *, unavailable, message: "the column stores a representation of its numbers: use 'untyped', or compute in Swift"
)
public func total(_ column: TypedColumn<some _RepresentedValue>) -> TypedColumn<Double> {
    column.result(of: "total", column.sqlExpression)
}

@available(
    *, unavailable, message: "the column stores a representation of its numbers: use 'untyped', or compute in Swift"
)
public func median(_ column: TypedColumn<some _RepresentedValue>) -> TypedColumn<Double?> {
    column.result(of: "median", column.sqlExpression)
}

@available(
    *, unavailable, message: "the column stores a representation of its numbers: use 'untyped', or compute in Swift"
)
public func abs(_ column: TypedColumn<some _RepresentedValue>) -> TypedColumn<Double?> {
    column.result(of: "abs", column.sqlExpression)
}
