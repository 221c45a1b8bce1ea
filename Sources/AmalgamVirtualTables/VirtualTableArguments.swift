public import AmalgamCore
import CAmalgam

/// The arguments of ``VirtualTableCursor/filter(_:_:)``, or of a ``VirtualTableFunction``. They are only valid during
/// the call that receives them.
///
/// The arguments of `filter` are the values of the constraints that the plan uses, in the order of the calls of
/// ``VirtualTableIndexInfo/use(_:omit:inList:)``.
///
/// ```swift
/// extension PlayerCursor {
///     mutating func filter(_ plan: Plan, _ arguments: borrowing VirtualTableArguments) throws {
///         let name: String = try arguments[0]
///         rows = table.players.values.filter { $0.name == name }
///     }
/// }
/// ```
public struct VirtualTableArguments: ~Copyable {
    @usableFromInline
    let values: UnsafeMutablePointer<OpaquePointer?>?

    /// The number of arguments.
    public let count: Int

    /// The connection that runs the statement.
    public let database: Database

    @usableFromInline
    init(_ database: Database, count: CInt, values: UnsafeMutablePointer<OpaquePointer?>?) {
        self.database = database
        self.count = Int(count)
        self.values = values
    }

    /// Returns the value of an argument.
    ///
    /// ```swift
    /// let name: String = try arguments[0]
    /// let limit: Int? = try arguments[1]
    /// let value: DatabaseValue = try arguments[2]
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if there is no such argument, `SQLITE_MISMATCH` if its value can't be converted.
    public subscript<Value: DatabaseValueConvertible>(index: Int) -> Value {
        get throws { try decode(value(at: index)) { "argument \(index)" } }
    }

    /// Returns the values of an `IN` list that `bestIndex` has requested as one argument. See
    /// ``VirtualTableIndexInfo/use(_:omit:inList:)``.
    ///
    /// ```swift
    /// let names: [String] = try arguments.list(at: 0)   // name IN ('Anna', 'Bo')
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if there is no such argument, or if it isn't a list; `SQLITE_MISMATCH` if a value
    ///   can't be converted.
    public func list<Value: DatabaseValueConvertible>(at index: Int) throws -> [Value] {
        guard index >= 0, index < count, let list = values?[index] else { throw missing(index) }
        var result: [Value] = []
        var element: OpaquePointer?
        var code = sqlite3_vtab_in_first(list, &element)
        while code == SQLITE_OK, let value = element {
            result.append(try decode(DatabaseValue(sqliteValue: value)) { "list \(index)" })
            code = sqlite3_vtab_in_next(list, &element)
        }
        guard code == SQLITE_DONE || code == SQLITE_OK else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "argument \(index) isn't a list: use(_:inList:) makes it one")
        }
        return result
    }

    private func value(at index: Int) throws -> DatabaseValue {
        guard index >= 0, index < count, let value = values?[index] else { throw missing(index) }
        return DatabaseValue(sqliteValue: value)
    }

    private func missing(_ index: Int) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: "there is no argument \(index): the plan uses \(count)")
    }
}

/// Converts a value that SQLite has passed. The error contains the types, but not the value.
func decode<Value: DatabaseValueConvertible>(
    _ dbValue: DatabaseValue, _ subject: () -> String
) throws -> Value {
    if let value = Value.fromDatabaseValue(dbValue) { return value }
    throw DatabaseError(
        resultCode: .SQLITE_MISMATCH,
        message: "\(subject()) does not convert from \(dbValue.storage.className) to \(Value.self)")
}

extension DatabaseValue.Storage {
    fileprivate var className: String {
        switch self {
        case .null: "NULL"
        case .int64: "INTEGER"
        case .double: "REAL"
        case .string: "TEXT"
        case .blob: "BLOB"
        }
    }
}
