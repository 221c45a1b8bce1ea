public import AmalgamCore
import CAmalgam

/// The values of the constraints that a plan uses, in the order of ``VirtualTableIndexInfo/use(_:omit:inList:)``.
///
/// They are valid during the call that receives them.
public struct VirtualTableArguments: ~Copyable {
    @usableFromInline
    let values: UnsafeMutablePointer<OpaquePointer?>?

    /// How many there are.
    public let count: Int

    /// The connection.
    public let database: Database

    @usableFromInline
    init(_ database: Database, count: CInt, values: UnsafeMutablePointer<OpaquePointer?>?) {
        self.database = database
        self.count = Int(count)
        self.values = values
    }

    /// The value of an argument.
    ///
    /// ```swift
    /// let name: String = try arguments[0]
    /// let limit: Int? = try arguments[1]
    /// let value: DatabaseValue = try arguments[2]
    /// ```
    ///
    /// - throws: `SQLITE_MISUSE` when there is no such argument, `SQLITE_MISMATCH` when it does not convert.
    public subscript<Value: DatabaseValueConvertible>(index: Int) -> Value {
        get throws { try decode(value(at: index)) { "argument \(index)" } }
    }

    /// The values of an `IN` list that the plan uses as a whole: see ``VirtualTableIndexInfo/use(_:omit:inList:)``.
    ///
    /// ```swift
    /// let names: [String] = try arguments.list(at: 0)   // name IN ('Anna', 'Bo')
    /// ```
    ///
    /// - throws: `SQLITE_MISUSE` when there is no such argument, or it is no list; `SQLITE_MISMATCH` when a value
    ///   does not convert.
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
                resultCode: .SQLITE_MISUSE, message: "argument \(index) is no list: use(_:inList:) makes it one")
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

/// Converts a value that comes from a statement, without showing it in the error.
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
