public import AmalgamCore
internal import AmalgamQuery
internal import AmalgamRecords
public import Foundation

extension AuditLog {
    /// A row as it was at a time.
    ///
    /// ```swift
    /// let row = try AuditLog.row(db, in: "player", key: 1, at: yesterday)
    /// row?["score"]   // 10
    /// ```
    ///
    /// It is the row of today, with what the log says of the changes since then undone. So columns that are not audited
    /// have the values of today, and a row that is gone has its audited columns only. Columns whose values were redacted
    /// in an entry since then are left out. A row that got another key is followed.
    ///
    /// The order of transactions counts, not only their dates: where the clock went back, the row is as the last transaction
    /// left it whose date isn't after the given one. Unless the row was untouched since, the transactions since then are
    /// looked at once.
    ///
    /// - Parameters:
    ///   - tableName: the table, whatever its case.
    ///   - key: the primary key that the row had at that time, such as an `Int64`, a `String` or a `UUID`.
    ///   - date: changes of transactions with this date have happened.
    /// - Returns: nil when there was no such row.
    /// - Throws: `SQLITE_ERROR` when the log does not reach back to the date, or the table was never audited.
    public static func row(
        _ db: Database, in tableName: String, key: some DatabaseValueConvertible, at date: Date
    ) throws -> Row? {
        try row(db, in: tableName, key: Key(anyValue: key), at: date)
    }

    /// A row as it was at a time, whose primary key has one column or several.
    ///
    /// ```swift
    /// let row = try AuditLog.row(db, in: "citizenship", key: [playerId, "FR"], at: yesterday)
    /// ```
    ///
    /// - Parameters:
    ///   - tableName: the table, whatever its case.
    ///   - key: the primary key that the row had at that time.
    ///   - date: changes of transactions with this date have happened.
    /// - Returns: nil when there was no such row.
    /// - Throws: `SQLITE_ERROR` when the log does not reach back to the date, or the table was never audited.
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
        // Dates are stored with milliseconds.
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

/// A row of the past, as far as the entries since then tell.
private struct PastRow {
    enum Outcome {
        /// There was no row.
        case absent
        /// The row was deleted since: all is known.
        case complete
        /// The row is still there, under the current key.
        case untouched
        /// An entry gave the row another key: later ones are found under that.
        case moved(Int64)
    }

    /// The key that the row has after the entries that were followed.
    var key: AuditLog.Key

    /// The first entry of a column tells its value: nil when it was redacted.
    private var values: [(name: String, value: DatabaseValue?)] = []
    private var isKnown = false

    /// The columns of the row when it was deleted, in the order of the table.
    private var columnNames: [String] = []

    init(key: AuditLog.Key) { self.key = key }

    /// Looks at the entries of the key, from the oldest to the newest.
    mutating func follow(_ entries: [AuditLog.Entry]) -> Outcome {
        for entry in entries {
            if !isKnown && (entry.operation == .insert || entry.key != key) { return .absent }
            // Entries that do not continue the row are about another one, which has got the key since.
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

    /// The known values, over those of today.
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
