public import AmalgamCore
internal import AmalgamQuery
internal import AmalgamRecords
public import Foundation

extension AuditLog {
    /// Returns a row as it was at a given date.
    ///
    /// ```swift
    /// let row = try AuditLog.row(db, in: "player", key: 1, at: yesterday)
    /// let score: Int? = row?["score"]   // 10
    /// ```
    ///
    /// The current row is fetched, and the changes that the log has recorded since the date are undone. So columns that
    /// aren't audited have their current values, and a row that was deleted later has only its audited columns. Columns
    /// that were redacted in a later entry are left out. A row is found by the key that it had at the date, even if an
    /// update has changed the key since.
    ///
    /// If the clock was set back, the row is returned as it was after the last transaction whose date isn't later than
    /// the given date. Cost: if the row has changed since the date, the transactions in the log are scanned once.
    ///
    /// - Parameters:
    ///   - db: the connection.
    ///   - tableName: the name of the table. Its case is ignored.
    ///   - key: the primary key that the row had at the date, such as an `Int64`, a `String` or a `UUID`.
    ///   - date: the date. Changes of transactions with this date are included.
    /// - Returns: the row, or nil if it didn't exist.
    /// - Throws: `SQLITE_ERROR` if the log doesn't reach back to the date, or if the table was never audited.
    public static func row(
        _ db: Database, in tableName: String, key: some DatabaseValueConvertible, at date: Date
    ) throws -> Row? {
        try row(db, in: tableName, key: Key(anyValue: key), at: date)
    }

    /// Returns a row as it was at a given date. The primary key of the table may have several columns.
    ///
    /// ```swift
    /// let row = try AuditLog.row(db, in: "citizenship", key: [playerId, "FR"], at: yesterday)
    /// ```
    ///
    /// - Parameters:
    ///   - db: the connection.
    ///   - tableName: the name of the table. Its case is ignored.
    ///   - key: the primary key that the row had at the date.
    ///   - date: the date. Changes of transactions with this date are included.
    /// - Returns: the row, or nil if it didn't exist.
    /// - Throws: `SQLITE_ERROR` if the log doesn't reach back to the date, or if the table was never audited.
    public static func row(_ db: Database, in tableName: String, key: Key, at date: Date) throws -> Row? {
        try checkReach(db, tableName, date)
        let history = history(of: tableName, key: key)
        if try history.filter({ $0.date > date }).isEmpty(db) { return try currentRow(db, tableName, key) }
        let last = try AuditSchema.lastTransactionID(db, at: date)
        var request = history.filter { $0.transactionID > last }
        var past = PastRow(key: key)
        while true {
            switch try past.follow(request.fetchAll(db)) {
            case .absent: return nil
            case .complete: return past.row(over: nil)
            case .untouched:
                return try currentRow(db, tableName, past.key).map { past.row(over: $0) }
            case .moved(let entryID):
                request = Self.history(of: tableName, key: past.key).filter { $0.id > entryID }
            }
        }
    }

    private static func checkReach(_ db: Database, _ tableName: String, _ date: Date) throws {
        let since = try Date.fetchOne(
            db, sql: "SELECT since FROM main.amalgam_audit_table WHERE name = ?", arguments: [tableName])
        guard let since else {
            throw DatabaseError(message: "the table \(tableName) was never audited: the log cannot tell how it was")
        }
        // The log stores dates with milliseconds.
        guard date.timeIntervalSince(since) > -0.001 else {
            throw DatabaseError(
                message: """
                    the audit log of the table \(tableName) begins, or was cut, after the requested date: it cannot \
                    tell how the table was
                    """)
        }
    }

    private static func currentRow(_ db: Database, _ tableName: String, _ key: Key) throws -> Row? {
        guard try db.tableExists(tableName) else { return nil }
        let columns = try db.primaryKey(tableName).columns
        guard columns.count == key.values.count else { return nil }
        let condition = columns.map { "\($0.quotedDatabaseIdentifier) IS ?" }.joined(separator: " AND ")
        return try Row.fetchOne(
            db, sql: "SELECT * FROM \(tableName.quotedDatabaseIdentifier) WHERE \(condition)",
            arguments: StatementArguments(key.values))
    }
}

/// The known values of a row at a past date, computed from the later entries.
private struct PastRow {
    enum Outcome {
        /// The row didn't exist.
        case absent
        /// The row was deleted later, and all its values are known.
        case complete
        /// The row exists, and `key` is its current key.
        case untouched
        /// The entry with this identifier has changed the key of the row. Later entries of the row have the new key.
        case moved(Int64)
    }

    /// The key of the row after the entries that were followed.
    var key: AuditLog.Key

    /// The old values of columns, each from the first entry that has changed the column; nil if the column is redacted.
    private var values: [(name: String, value: DatabaseValue?)] = []
    private var isKnown = false

    /// The columns of the row when it was deleted, in the order of the table.
    private var columnNames: [String] = []

    init(key: AuditLog.Key) { self.key = key }

    /// Computes the past values from the entries of the current key, oldest first.
    mutating func follow(_ entries: [AuditLog.Entry]) -> Outcome {
        for entry in entries {
            if !isKnown && (entry.operation == .insert || entry.key != key) { return .absent }
            // An entry whose `key` isn't this key, or an insertion, belongs to a different row that got this key later.
            guard entry.operation != .insert, entry.key == key else { return .complete }
            isKnown = true
            take(entry.changes)
            if entry.operation == .delete {
                columnNames = entry.changes.map(\.columnName)
                return .complete
            }
            if let newKey = entry.newKey {
                key = newKey
                return .moved(entry.id)
            }
        }
        return .untouched
    }

    private mutating func take(_ changes: [AuditLog.ColumnChange]) {
        for change in changes where !values.contains(where: { $0.name == change.columnName }) {
            values.append((change.columnName, change.oldValue))
        }
    }

    /// Returns the row with the known past values, and the values of the current row in other columns.
    func row(over current: Row?) -> Row {
        var columns: [(String, DatabaseValue?)] =
            current.map { row in row.map { ($0, $1) } } ?? columnNames.map { ($0, nil) }
        for (name, value) in values {
            if let index = columns.firstIndex(where: { $0.0.lowercased() == name.lowercased() }) {
                columns[index].1 = value
            } else {
                columns.append((name, value))
            }
        }
        return Row(columns.compactMap { name, value in value.map { (name, $0) } })
    }
}
