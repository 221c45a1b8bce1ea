public import AmalgamCore
public import Foundation

// Decimals are TEXT. SQLite's arithmetic operators would convert them to REAL, so the functions of its decimal extension are
// used. Their results are decimals, too.

/// `Decimal`, or an optional `Decimal`: the values of a ``TypedColumn`` that are compared and added as decimal numbers.
///
/// ```swift
/// let price = TypedColumn<Decimal>("price")
/// Player.filter { _ in price * 2 > 10 }.order(price)
/// // SELECT * FROM "player" WHERE decimal_mul("price", '2') > '10' COLLATE decimal ORDER BY "price" COLLATE decimal
/// ```
///
/// `distinct()` compares the TEXT, which is the same for equal decimals that Amalgam has stored. `count(distinct:)` and
/// `group` also find 10.5 and 10.50 equal, which other programs may have stored.
///
/// No other types conform. The results are exact. An index of a column that isn't declared with `COLLATE decimal` isn't
/// used. See <https://sqlite.org/floatingpoint.html#decext>.
public protocol SQLDecimalValue: DatabaseValueConvertible {}

extension Decimal: SQLDecimalValue {}
extension Optional: SQLDecimalValue where Wrapped: SQLDecimalValue {}

extension TypedColumn where Value: SQLDecimalValue {
    /// Adds decimals exactly: `decimal_add("price", '1')`.
    public static func + (lhs: Self, rhs: Decimal) -> Self {
        lhs.decimals("decimal_add", lhs.decimal, rhs.databaseValue)
    }

    /// Adds decimals exactly: `decimal_add('1', "price")`.
    public static func + (lhs: Decimal, rhs: Self) -> Self {
        rhs.decimals("decimal_add", lhs.databaseValue, rhs.decimal)
    }

    /// Adds decimals exactly: `decimal_add("price", "tax")`.
    public static func + (lhs: Self, rhs: Self) -> Self { lhs.decimals("decimal_add", lhs.decimal, rhs.decimal) }

    /// Subtracts decimals exactly: `decimal_sub("price", '1')`.
    public static func - (lhs: Self, rhs: Decimal) -> Self {
        lhs.decimals("decimal_sub", lhs.decimal, rhs.databaseValue)
    }

    /// Subtracts decimals exactly: `decimal_sub('1', "price")`.
    public static func - (lhs: Decimal, rhs: Self) -> Self {
        rhs.decimals("decimal_sub", lhs.databaseValue, rhs.decimal)
    }

    /// Subtracts decimals exactly: `decimal_sub("price", "tax")`.
    public static func - (lhs: Self, rhs: Self) -> Self { lhs.decimals("decimal_sub", lhs.decimal, rhs.decimal) }

    /// Multiplies decimals exactly: `decimal_mul("price", '2')`.
    public static func * (lhs: Self, rhs: Decimal) -> Self {
        lhs.decimals("decimal_mul", lhs.decimal, rhs.databaseValue)
    }

    /// Multiplies decimals exactly: `decimal_mul('2', "price")`.
    public static func * (lhs: Decimal, rhs: Self) -> Self {
        rhs.decimals("decimal_mul", lhs.databaseValue, rhs.decimal)
    }

    /// Multiplies decimals exactly: `decimal_mul("price", "count")`.
    public static func * (lhs: Self, rhs: Self) -> Self { lhs.decimals("decimal_mul", lhs.decimal, rhs.decimal) }

    /// Negates a decimal: `decimal_sub('0', "price")`.
    public static prefix func - (value: Self) -> Self {
        value.decimals("decimal_sub", Decimal(0).databaseValue, value.decimal)
    }

    @available(*, unavailable, message: "a quotient may have no end: divide in Swift, or 'untyped' as REAL numbers")
    public static func / (lhs: Self, rhs: some SQLExpressible) -> Self { lhs }

    /// The column as an operand of a function of decimals. Writing it throws if the column has a format.
    fileprivate var decimal: any SQLNode { format == nil ? node : misuse(.numbers).node }

    private func decimals(_ function: String, _ arguments: any SQLNode...) -> Self {
        let node = AmalgamQuery.decimals(function, arguments[0], arguments[1])
        return written(as: SQLExpression(node: node), of: function)
    }
}

// MARK: - Aggregates

/// Returns the exact sum of the decimals of a column: `decimal_sum("price")`. NULL without decimals.
///
/// ```swift
/// let price = TypedColumn<Decimal>("price")
/// Player.select { _ in sum(price) }
/// // SELECT decimal_sum("price") FROM "player"
/// ```
public func sum<Value: SQLDecimalValue>(
    _ column: TypedColumn<Value>, filter: (any SQLCondition)? = nil
) -> TypedColumn<Decimal?> {
    guard SQLiteBuild.hasDecimals else {
        return column.result(of: "decimal_sum", SQLExpression(node: MissingDecimals()))
    }
    // `decimal_sum` of NULL values alone is 0, and that of no value NULL.
    let isPresent = Value.self is any _OptionalValue.Type ? column.sqlExpression != nil : nil
    let conditions = [isPresent, filter?.conditionExpression].compactMap(\.self)
    let condition = conditions.isEmpty ? nil : conditions.joined(operator: .and)
    return column.result(of: "decimal_sum", aggregate("decimal_sum", column.decimal, filter: condition))
}

@available(*, unavailable, message: "decimals have no exact average in SQL: divide their sum by their count in Swift")
public func average(_ column: TypedColumn<some SQLDecimalValue>, filter: (any SQLCondition)? = nil) -> TypedColumn<
    Double?
> {
    column.result(of: "AVG", average(column.sqlExpression))
}

@available(*, unavailable, message: "the total is a REAL number: use 'sum', which is exact")
public func total(_ column: TypedColumn<some SQLDecimalValue>, filter: (any SQLCondition)? = nil) -> TypedColumn<Double>
{
    column.result(of: "TOTAL", total(column.sqlExpression))
}

@available(*, unavailable, message: "SQLite has no absolute value of decimals: use '-' or compute in Swift")
public func abs(_ column: TypedColumn<some SQLDecimalValue>) -> TypedColumn<Decimal?> {
    column.result(of: "ABS", column.sqlExpression)
}
