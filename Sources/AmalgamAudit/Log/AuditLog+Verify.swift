public import AmalgamCore
internal import AmalgamQuery
internal import AmalgamRecords

extension AuditLog {
    /// A contradiction between entries of the log, or between the log and a table. Something has changed a row without
    /// being recorded: see ``AuditLog/verify(_:tables:)``.
    public struct Break: Hashable, Sendable, CustomStringConvertible {
        /// The kind of a contradiction.
        public enum Kind: Hashable, Sendable {
            /// The old value of an entry isn't the new value of the entry before.
            case value(columnName: String, expected: DatabaseValue, found: DatabaseValue)
            /// A row was inserted again, although the log doesn't know its deletion.
            case unrecordedDeletion
            /// A row was changed or deleted after the log has recorded its deletion.
            case unrecordedInsertion
        }

        /// The name of the table.
        public let tableName: String

        /// The primary key of the row.
        public let key: Key

        /// The kind of the contradiction.
        public let kind: Kind

        /// The identifier of the entry that contradicts the entries before it; nil if the current row contradicts the
        /// last entry.
        public let entryID: Int64?

        /// The contradiction as a string, such as `order 1: status is "cancelled", but was "paid" (entry 7)`.
        public var description: String {
            let place = entryID.map { " (entry \($0))" } ?? " (current row)"
            switch kind {
            case .value(let column, let expected, let found):
                return "\(tableName) \(key): \(column) is \(found), but was \(expected)\(place)"
            case .unrecordedDeletion: return "\(tableName) \(key): the row doesn't exist, but was there\(place)"
            case .unrecordedInsertion: return "\(tableName) \(key): the row exists, but was deleted\(place)"
            }
        }
    }

    /// Compares the entries of the log with each other and with the tables, and returns the contradictions.
    ///
    /// ```swift
    /// for gap in try AuditLog.verify(db) { print(gap) }
    /// // order 1: status is "cancelled", but was "paid" (current row)
    /// ```
    ///
    /// A contradiction means that a row was changed without the audit, for example by another program, or that the log was
    /// changed. Not every such change can be found: a row that the log has never recorded, a value that was changed and
    /// restored, and columns that aren't audited, or redacted, leave no trace. Neither do rows whose primary key contains
    /// NULL, or TEXT with U+FFFD or with bytes that aren't characters: the log can't tell such rows apart. Entries up to
    /// the last one of the table that ``deleteEntries(_:exceptLatest:)`` has deleted aren't compared. Tables that were
    /// dropped or renamed are compared only with their entries: see ``missingTables(_:)``. If a table has no primary key,
    /// `VACUUM` may change the rowids of its rows, which the method reports.
    ///
    /// Cost: all entries of the tables are read, the last values of all their rows are in memory, and each row is fetched.
    ///
    /// - Parameters:
    ///   - db: the connection.
    ///   - tables: the tables to check, or nil for all audited tables.
    /// - Throws: an error of reading; `SQLITE_ERROR` for a name that neither a table nor the log has; `SQLITE_CORRUPT` for an
    ///   entry that the log hasn't written.
    public static func verify(_ db: Database, tables: [String]? = nil) throws -> [Break] {
        let exists = try AuditSchema.exists(db)
        for name in tables ?? [] where try !db.tableExists(name, in: "main") {
            if exists, try AuditSchema.existingTableID(db, name) != nil { continue }
            throw DatabaseError(
                message: "the table \(name) doesn't exist, and the audit log has no entries of it: it can't be verified"
            )
        }
        guard exists else { return [] }
        let names = try tables ?? String.fetchAll(db, sql: "SELECT name FROM main.amalgam_audit_table ORDER BY name")
        return try names.flatMap { name in
            var check = TableVerification(tableName: name, start: try AuditSchema.lastDeletedEntry(db, of: name))
            let entries = try Entry.filter { $0.tableName == name }.order(Entry.Columns.id).fetchCursor(db)
            while let entry = try entries.next() { check.add(entry) }
            try check.compare(db)
            return check.breaks
        }
    }
}

/// The values that the rows of one table have after the entries that were read.
private struct TableVerification {
    let tableName: String
    /// The entries up to this one may be incomplete, because others between them were deleted. Dates don't tell, because the
    /// clock may have been set back.
    let start: Int64
    private(set) var breaks: [AuditLog.Break] = []
    /// The rows, by their keys as the log stores them. Keys such as 1 and 1.0 differ.
    private var rows: [[UInt8]: (key: AuditLog.Key, state: State)] = [:]

    private enum State {
        case absent
        /// The known values, by the name of their column.
        case present([TableName: (name: String, value: DatabaseValue)])
    }

    init(tableName: String, start: Int64) {
        self.tableName = tableName
        self.start = start
    }

    mutating func add(_ entry: AuditLog.Entry) {
        if entry.id <= start { return }
        let state = entry.key.identifiesRow ? rows[Self.bytes(entry.key)]?.state : nil
        switch (entry.operation, state) {
        case (.insert, .present?): report(entry.key, .unrecordedDeletion, entry.id)
        case (.update, .absent?), (.delete, .absent?): report(entry.key, .unrecordedInsertion, entry.id)
        default: break
        }
        var values: [TableName: (name: String, value: DatabaseValue)] = [:]
        if entry.operation != .insert, case .present(let known)? = state { values = known }
        for change in entry.changes {
            let column = TableName(change.columnName)
            if entry.operation != .insert, let old = change.oldValue, let known = values[column]?.value {
                compare(known, old, change.columnName, entry.key, entry.id)
            }
            values[column] = change.newValue.map { (change.columnName, $0) }
        }
        set(.absent, entry.key)
        if entry.operation != .delete { set(.present(values), entry.newKey ?? entry.key) }
    }

    private mutating func set(_ state: State, _ key: AuditLog.Key) {
        if key.identifiesRow { rows[Self.bytes(key)] = (key, state) }
    }

    private static func bytes(_ key: AuditLog.Key) -> [UInt8] {
        JSONBValue.array(key.values.map { JSONBValue($0) }).bytes
    }

    /// Compares the last values with the rows of the table.
    mutating func compare(_ db: Database) throws {
        guard try db.tableExists(tableName, in: "main") else { return }
        let reader = try AuditedRows(db, tableName)
        for (key, state) in rows.values.sorted(by: { $0.key.description < $1.key.description }) {
            let row = try reader.row(key)
            switch (state, row) {
            case (.absent, nil): break
            case (.absent, _?): report(key, .unrecordedInsertion, nil)
            case (.present, nil): report(key, .unrecordedDeletion, nil)
            case (.present(let values), let row?):
                let names = values.keys.sorted { $0.spelling.utf8.lexicographicallyPrecedes($1.spelling.utf8) }
                for column in names {
                    guard let known = values[column], let current = row[column] else { continue }
                    compare(known.value, current, known.name, key, nil)
                }
            }
        }
    }

    private mutating func compare(
        _ expected: DatabaseValue, _ found: DatabaseValue, _ column: String, _ key: AuditLog.Key, _ entryID: Int64?
    ) {
        if expected.isRecordedLike(found) { return }
        report(key, .value(columnName: column, expected: expected, found: found), entryID)
    }

    private mutating func report(_ key: AuditLog.Key, _ kind: AuditLog.Break.Kind, _ entryID: Int64?) {
        breaks.append(AuditLog.Break(tableName: tableName, key: key, kind: kind, entryID: entryID))
    }
}

/// Fetches the rows of a table by keys of the log.
private struct AuditedRows {
    private let keyColumns: [TableName]
    private let selection: Statement

    init(_ database: Database, _ tableName: String) throws {
        let columns = try database.primaryKey(tableName, in: "main").columns
        keyColumns = columns.map(TableName.init)
        let condition = columns.map { "\($0.quotedDatabaseIdentifier) IS ?" }.joined(separator: " AND ")
        selection = try database.makeStatement(
            sql: "SELECT * FROM main.\(tableName.quotedDatabaseIdentifier) WHERE \(condition)")
    }

    /// Returns the values by the names of their columns; nil if the row doesn't exist.
    func row(_ key: AuditLog.Key) throws -> [TableName: DatabaseValue]? {
        guard key.values.count == keyColumns.count else { return nil }
        guard let row = try Row.fetchOne(selection, arguments: StatementArguments(key.values)) else { return nil }
        let values = Dictionary(row.map { (TableName($0), $1) }, uniquingKeysWith: { first, _ in first })
        // By its collation, the key of another row may be equal.
        let hasKey = zip(keyColumns, key.values).allSatisfy { values[$0]?.isRecordedLike($1) ?? true }
        return hasKey ? values : nil
    }
}

extension AuditLog.Key {
    /// Whether the key belongs to one row. Several rows may have NULL in their primary keys. In TEXT, U+FFFD may stand for
    /// different bytes that aren't characters.
    fileprivate var identifiesRow: Bool {
        values.allSatisfy { value in
            switch value.storage {
            case .null: false
            case .string(let string): !string.unicodeScalars.contains("\u{FFFD}")
            default: true
            }
        }
    }
}

extension DatabaseValue {
    /// Whether the log would record both values in the same way.
    func isRecordedLike(_ other: DatabaseValue) -> Bool { JSONBValue(self) == JSONBValue(other) }
}
