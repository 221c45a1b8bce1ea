/// An aggregate function: many rows, one result.
///
/// ```swift
/// struct Product: DatabaseAggregate {
///     var product = 1.0
///
///     mutating func step(_ dbValues: [DatabaseValue]) {
///         product *= Double.fromDatabaseValue(dbValues[0]) ?? 1
///     }
///
///     func finalize() -> (any DatabaseValueConvertible)? { product }
/// }
///
/// db.add(function: DatabaseFunction("product", argumentCount: 1, pure: true, aggregate: Product.self))
/// // SELECT teamId, product(factor) FROM player GROUP BY teamId
/// ```
///
/// Each group of rows has an instance of its own. A group without any row, as `SELECT product(factor) FROM empty` has
/// one, is an instance that was never stepped.
public protocol DatabaseAggregate: SendableMetatype {
    /// Makes the aggregate of a group.
    init()

    /// Adds a row.
    ///
    /// The array is reused for the next row, unless it is kept.
    ///
    /// - Parameter dbValues: the arguments of the function: as many as the function was declared with.
    /// - throws: any error, which is then that of the statement, as explained for ``DatabaseFunction``.
    mutating func step(_ dbValues: [DatabaseValue]) throws

    /// The result; nil is NULL.
    ///
    /// It is not called after an error. It may be called for a group whose result nobody reads, when a statement ends
    /// before its last row.
    func finalize() throws -> (any DatabaseValueConvertible)?
}

/// An aggregate that can also be used as a window function: <https://sqlite.org/windowfunctions.html>.
///
/// While a window moves over the rows, each row is added when it enters, and taken back when it leaves.
///
/// ```swift
/// struct Sum: DatabaseWindowAggregate {
///     var sum = 0
///
///     mutating func step(_ dbValues: [DatabaseValue]) { sum += Int.fromDatabaseValue(dbValues[0]) ?? 0 }
///     mutating func inverse(_ dbValues: [DatabaseValue]) { sum -= Int.fromDatabaseValue(dbValues[0]) ?? 0 }
///     func value() -> (any DatabaseValueConvertible)? { sum }
/// }
///
/// db.add(function: DatabaseFunction("mySum", argumentCount: 1, pure: true, aggregate: Sum.self))
/// // SELECT mySum(score) OVER (ORDER BY id ROWS 2 PRECEDING) FROM player
/// ```
///
/// It serves in `GROUP BY` queries like any aggregate.
public protocol DatabaseWindowAggregate: DatabaseAggregate {
    /// Takes back the row that was added first, of those that were not taken back.
    ///
    /// - Parameter dbValues: the arguments that ``DatabaseAggregate/step(_:)`` had received.
    mutating func inverse(_ dbValues: [DatabaseValue]) throws

    /// The result for the rows of the window as it is now; nil is NULL. More rows may come and go.
    func value() throws -> (any DatabaseValueConvertible)?
}

extension DatabaseWindowAggregate {
    /// The value of the last window.
    public func finalize() throws -> (any DatabaseValueConvertible)? { try value() }
}
