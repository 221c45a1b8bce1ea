/// An aggregate function, which computes one result from many rows: <https://sqlite.org/appfunc.html>.
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
/// SQLite creates one instance for each group of rows. A group without rows, as in `SELECT product(factor) FROM empty`,
/// has an instance whose `step` method is never called.
public protocol DatabaseAggregate: SendableMetatype {
    /// Creates the aggregate of a group.
    init()

    /// Adds a row to the group.
    ///
    /// The storage of the array is reused for the next row, unless the aggregate retains the array.
    ///
    /// - Parameter dbValues: the arguments of the function in this row.
    /// - Throws: any error. It becomes the error of the statement, as explained for ``DatabaseFunction``.
    mutating func step(_ dbValues: [DatabaseValue]) throws

    /// Returns the result of the group; nil is NULL.
    ///
    /// The method isn't called after an error. If a statement ends before its last row, the method may be called for a
    /// group whose result isn't used.
    ///
    /// - Throws: any error. It becomes the error of the statement, as explained for ``DatabaseFunction``.
    func finalize() throws -> (any DatabaseValueConvertible)?
}

/// An aggregate that can also be used as a window function: <https://sqlite.org/windowfunctions.html>.
///
/// When the window moves, SQLite calls `step` for each row that enters it, and `inverse` for each row that leaves it.
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
/// Statements with `GROUP BY` can use the function like any aggregate.
public protocol DatabaseWindowAggregate: DatabaseAggregate {
    /// Removes the oldest row from the window.
    ///
    /// - Parameter dbValues: the arguments that ``DatabaseAggregate/step(_:)`` received for this row.
    /// - Throws: any error. It becomes the error of the statement, as explained for ``DatabaseFunction``.
    mutating func inverse(_ dbValues: [DatabaseValue]) throws

    /// Returns the result for the rows that are in the window now; nil is NULL. The window may move afterwards.
    ///
    /// - Throws: any error. It becomes the error of the statement, as explained for ``DatabaseFunction``.
    func value() throws -> (any DatabaseValueConvertible)?
}

extension DatabaseWindowAggregate {
    /// Returns the value of the last window.
    ///
    /// - Throws: the error of ``value()``.
    public func finalize() throws -> (any DatabaseValueConvertible)? { try value() }
}
