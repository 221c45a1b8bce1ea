public import AmalgamCore

// Sums of numbers that are stored in a representation. A representation whose sums aren't stored as sums, such as JSON or
// a temperature in a different unit, makes an operand that throws when it is written.

extension TypedColumn where Value: _RepresentedValue {
    /// Adds a number to a column: `"price" + 100`. The result is compared with numbers.
    ///
    /// Writing the expression throws if the representation rounds the number, as cents round 0.004.
    public static func + (lhs: Self, rhs: Value.Number) -> Self {
        lhs.written(as: SQLExpression(lhs.addend, .add, lhs.exactForm(of: Value(_number: rhs))).node)
    }

    /// Adds numbers: `100 + "price"`. The result is compared with numbers.
    public static func + (lhs: Value.Number, rhs: Self) -> Self {
        rhs.written(as: SQLExpression(rhs.exactForm(of: Value(_number: lhs)), .add, rhs.addend).node)
    }

    /// Adds the numbers of two columns: `"price" + "tax"`. Writing the expression throws if they have different
    /// representations.
    public static func + (lhs: Self, rhs: Self) -> Self {
        lhs.written(as: SQLExpression(lhs.addend(like: rhs), .add, rhs).node)
    }

    /// Adds the numbers of two columns, one of which is optional: `"price" + "discount"`.
    public static func + (lhs: Self, rhs: TypedColumn<Value?>) -> TypedColumn<Value?> {
        rhs.written(as: SQLExpression(lhs.addend(like: rhs), .add, rhs).node)
    }

    /// Adds the numbers of two columns, one of which is optional: `"discount" + "price"`.
    public static func + (lhs: TypedColumn<Value?>, rhs: Self) -> TypedColumn<Value?> {
        lhs.written(as: SQLExpression(lhs.addend(like: rhs), .add, rhs).node)
    }

    /// Subtracts a number from a column: `"price" - 100`. The result is compared with numbers.
    public static func - (lhs: Self, rhs: Value.Number) -> Self {
        lhs.written(as: binary(lhs.addend, .subtract, lhs.exactForm(of: Value(_number: rhs))).node)
    }

    /// Subtracts numbers: `100 - "price"`. The result is compared with numbers.
    public static func - (lhs: Value.Number, rhs: Self) -> Self {
        rhs.written(as: binary(rhs.exactForm(of: Value(_number: lhs)), .subtract, rhs.addend).node)
    }

    /// Subtracts the numbers of two columns: `"price" - "tax"`. Writing the expression throws if they have different
    /// representations.
    public static func - (lhs: Self, rhs: Self) -> Self {
        lhs.written(as: binary(lhs.addend(like: rhs), .subtract, rhs).node)
    }

    /// Subtracts the numbers of two columns, one of which is optional: `"price" - "discount"`.
    public static func - (lhs: Self, rhs: TypedColumn<Value?>) -> TypedColumn<Value?> {
        rhs.written(as: binary(lhs.addend(like: rhs), .subtract, rhs).node)
    }

    /// Subtracts the numbers of two columns, one of which is optional: `"discount" - "price"`.
    public static func - (lhs: TypedColumn<Value?>, rhs: Self) -> TypedColumn<Value?> {
        lhs.written(as: binary(lhs.addend(like: rhs), .subtract, rhs).node)
    }

    /// Negates a number: `-"price"`. The result is compared with numbers.
    public static prefix func - (value: Self) -> Self { value.written(as: (-value.addend).node) }
}

extension TypedColumn {
    /// Adds an optional number to an optional column: `"discount" + 100`.
    public static func + <Number>(lhs: Self, rhs: some _OptionalValue<Number>) -> Self
    where Value == Represented<Number>? {
        lhs.written(as: SQLExpression(lhs.addend, .add, lhs.exactForm(optional: rhs)).node)
    }

    /// Subtracts an optional number from an optional column: `"discount" - 100`.
    public static func - <Number>(lhs: Self, rhs: some _OptionalValue<Number>) -> Self
    where Value == Represented<Number>? {
        lhs.written(as: binary(lhs.addend, .subtract, lhs.exactForm(optional: rhs)).node)
    }

    private func exactForm<Number>(optional number: some _OptionalValue<Number>) -> SQLExpression
    where Value == Represented<Number>? {
        exactForm(of: number._optional.map { Represented($0) })
    }

    /// Replaces NULL with a number: `IFNULL("price", 250)`.
    public static func ?? <Number>(lhs: Self, rhs: Number) -> TypedColumn<Represented<Number>>
    where Value == Represented<Number>? {
        lhs.wrapped().written(as: lhs.sqlExpression ?? lhs.storedInFormat(Represented(rhs)), of: "IFNULL")
    }
}

// MARK: - Functions

/// Returns the sum of a column: `SUM("price")`. NULL without numbers.
///
/// - Parameters:
///   - column: the column.
///   - ordering: the order in which the numbers are added.
///   - filter: a condition on the rows.
public func sum<Number>(
    _ column: TypedColumn<Represented<Number>>, orderBy ordering: (any SQLOrderingTerm)? = nil,
    filter: (any SQLCondition)? = nil
) -> TypedColumn<Represented<Number>?> {
    column.optional.written(as: aggregate("SUM", column.addend, orderBy: ordering, filter: filter), of: "SUM")
}

/// Returns the sum of the numbers of an optional column: `SUM("price")`. NULL without numbers.
public func sum<Number>(
    _ column: TypedColumn<Represented<Number>?>, orderBy ordering: (any SQLOrderingTerm)? = nil,
    filter: (any SQLCondition)? = nil
) -> TypedColumn<Represented<Number>?> {
    column.written(as: aggregate("SUM", column.addend, orderBy: ordering, filter: filter), of: "SUM")
}

/// Returns the absolute value of the numbers of a column: `ABS("price")`.
public func abs<Value: _RepresentedValue>(_ column: TypedColumn<Value>) -> TypedColumn<Value> {
    column.written(as: abs(column.magnitude), of: "ABS")
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
