public import AmalgamCore
import CAmalgam
import Foundation

// Changes that the application creates: https://sqlite.org/session/sqlite3changegroup_change_begin.html
extension Changegroup {
    /// Adds an insertion.
    ///
    /// ```swift
    /// let group = try Changegroup<Changeset>(schemaOf: db)
    /// try group.insert(into: "player", ["id": 1, "name": "Anna", "score": 10])
    /// ```
    ///
    /// - Parameters:
    ///   - tableName: the table.
    ///   - values: a value for each column of the table, by name.
    ///   - isIndirect: the value of ``RecordedChange/isIndirect``.
    /// - Throws: `SQLITE_ERROR` if the table doesn't exist, if a column has no value, or if a primary key is NULL;
    ///   `SQLITE_MISUSE` if a column doesn't exist, or if the group has no schema.
    public func insert(
        into tableName: String, _ values: [String: (any DatabaseValueConvertible)?], isIndirect: Bool = false
    ) throws {
        try write(.insert, tableName, old: [:], new: positions(values, tableName), isIndirect)
    }

    /// Adds an update.
    ///
    /// ```swift
    /// try group.update("player", from: ["id": 1, "score": 10], to: ["score": 20])
    /// ```
    ///
    /// - Parameters:
    ///   - tableName: the table.
    ///   - oldValues: the primary key, and the old values of the changed columns. A patchset only needs the primary
    ///     key.
    ///   - newValues: the new values of the changed columns.
    ///   - isIndirect: the value of ``RecordedChange/isIndirect``.
    /// - Throws: a ``DatabaseError``:
    ///   - `SQLITE_ERROR` if the table doesn't exist;
    ///   - `SQLITE_ERROR` if a primary key column has no old value, a NULL old value, or a new value;
    ///   - `SQLITE_ERROR` if, in a changeset, a column outside of the primary key has only an old or only a new value;
    ///   - `SQLITE_MISUSE` if a column doesn't exist, or if the group has no schema.
    public func update(
        _ tableName: String, from oldValues: [String: (any DatabaseValueConvertible)?],
        to newValues: [String: (any DatabaseValueConvertible)?], isIndirect: Bool = false
    ) throws {
        try write(
            .update, tableName, old: positions(oldValues, tableName), new: positions(newValues, tableName), isIndirect)
    }

    /// Adds a deletion.
    ///
    /// ```swift
    /// try group.delete(from: "player", ["id": 1, "name": "Anna", "score": 10])
    /// ```
    ///
    /// - Parameters:
    ///   - tableName: the table.
    ///   - values: a value for each column of the table, by name. A patchset only needs the primary key.
    ///   - isIndirect: the value of ``RecordedChange/isIndirect``.
    /// - Throws: `SQLITE_ERROR` if the table doesn't exist, if a column has no value, or if a primary key is NULL;
    ///   `SQLITE_MISUSE` if a column doesn't exist, or if the group has no schema.
    public func delete(
        from tableName: String, _ values: [String: (any DatabaseValueConvertible)?], isIndirect: Bool = false
    ) throws {
        try write(.delete, tableName, old: positions(values, tableName), new: [:], isIndirect)
    }

    /// Adds a change whose values are identified by the positions of their columns in the table.
    ///
    /// ```swift
    /// try group.add(.update, table: "player", old: [0: 1, 2: 10], new: [2: 20])
    /// ```
    ///
    /// The table must be in the schema of the group, or in a change that was added before.
    ///
    /// - Throws: `SQLITE_ERROR` if the group doesn't know the table, if a primary key is NULL, or if values are missing
    ///   or not allowed for the operation, such as old values of an insertion; `SQLITE_RANGE` if a column doesn't
    ///   exist.
    public func add(
        _ operation: RecordedChange.Operation, table tableName: String,
        old: [Int: (any DatabaseValueConvertible)?] = [:], new: [Int: (any DatabaseValueConvertible)?] = [:],
        isIndirect: Bool = false
    ) throws {
        try write(
            operation, tableName, old: old.mapValues { $0?.databaseValue ?? .null },
            new: new.mapValues { $0?.databaseValue ?? .null }, isIndirect)
    }

    private func positions(
        _ values: [String: (any DatabaseValueConvertible)?], _ tableName: String
    ) throws -> [Int: DatabaseValue] {
        guard let database else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "column names are known to a changegroup made with init(schemaOf:schemaName:) only")
        }
        let names = try RecordedTable.columnNames(database, of: tableName, schemaName: schemaName).columns
        if names.isEmpty { throw DatabaseError(message: "no such table: \(tableName)") }
        var positions: [Int: DatabaseValue] = [:]
        for (name, value) in values {
            guard let index = names.firstIndex(where: { $0.equalsIgnoringCase(name) }) else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "no such column to record: \(tableName).\(name)")
            }
            positions[index] = value?.databaseValue ?? .null
        }
        return positions
    }

    private func write(
        _ operation: RecordedChange.Operation, _ tableName: String,
        old: [Int: DatabaseValue], new: [Int: DatabaseValue], _ isIndirect: Bool
    ) throws {
        let group = try pointer()
        try checkName(tableName)
        var message: UnsafeMutablePointer<CChar>?
        defer { sqlite3_free(message) }
        var code = sqlite3changegroup_change_begin(group, operation.code, tableName, isIndirect ? 1 : 0, &message)
        if code != SQLITE_OK { throw Self.failure(code, message) }
        do {
            for (index, value) in old { try Self.set(value, at: index, isNew: 0, group) }
            for (index, value) in new { try Self.set(value, at: index, isNew: 1, group) }
        } catch {
            sqlite3changegroup_change_finish(group, 1, &message)
            throw error
        }
        code = sqlite3changegroup_change_finish(group, 0, &message)
        if code != SQLITE_OK { throw Self.failure(code, message) }
    }

    private static func failure(_ code: CInt, _ message: UnsafeMutablePointer<CChar>?) -> DatabaseError {
        DatabaseError(code: code, message: message.map { String(cString: $0) })
    }

    private static func set(_ value: DatabaseValue, at index: Int, isNew: CInt, _ group: OpaquePointer) throws {
        let index = CInt(clamping: index)
        let code =
            switch value.storage {
            case .null: sqlite3changegroup_change_null(group, isNew, index)
            case .int64(let integer): sqlite3changegroup_change_int64(group, isNew, index, integer)
            case .double(let double): sqlite3changegroup_change_double(group, isNew, index, double)
            case .string(let string): setText(string, at: index, isNew: isNew, group)
            case .blob(let data):
                data.withUnsafeBytes { bytes in
                    CInt(exactly: bytes.count).map {
                        sqlite3changegroup_change_blob(group, isNew, index, bytes.baseAddress ?? emptyBytes, $0)
                    } ?? SQLITE_TOOBIG
                }
            }
        switch code {
        case SQLITE_OK: return
        case SQLITE_RANGE: throw DatabaseError(code: code, message: "no such column: \(index)")
        case SQLITE_ERROR:
            throw DatabaseError(
                code: code,
                message: isNew == 0 ? "an insertion has no old values" : "a deletion has no new values")
        default: throw DatabaseError(code: code)
        }
    }

    private static func setText(_ string: String, at index: CInt, isNew: CInt, _ group: OpaquePointer) -> CInt {
        var string = string
        return string.withUTF8 { bytes in
            guard let count = CInt(exactly: bytes.count) else { return SQLITE_TOOBIG }
            let start = UnsafeRawPointer(bytes.baseAddress).map { $0.assumingMemoryBound(to: CChar.self) }
            return sqlite3changegroup_change_text(group, isNew, index, start ?? emptyText, count)
        }
    }

    /// A non-null address for empty values: the C functions don't accept NULL, and copy no bytes.
    private static var emptyBytes: UnsafeRawPointer { UnsafeRawPointer(StaticString("").utf8Start) }
    private static var emptyText: UnsafePointer<CChar> { emptyBytes.assumingMemoryBound(to: CChar.self) }
}
