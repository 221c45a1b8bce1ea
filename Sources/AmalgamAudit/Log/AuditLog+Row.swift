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
    /// Columns are found by the names that they had when a change was recorded. If the log knows an old value of the row
    /// under a name that no column has any more, columns that the log knows only since then, or not at all, are left out:
    /// one of them may be the renamed column. This also holds for a row that was deleted later.
    ///
    /// The log can't tell columns apart whose names are used again: after `RENAME COLUMN price TO old` and
    /// `ADD COLUMN price`, or after two columns have exchanged their names, earlier values of the one are returned under the
    /// name of the other, and `old` has its current value. Rename columns to names that the table never had.
    ///
    /// In a table without a primary key, `VACUUM` may give the rowid of a row to another one. The method throws an error
    /// if it finds that by the last entry of the row.
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
    /// - Throws: `SQLITE_ERROR` if the log doesn't reach back to the date, if the table was never audited, or was dropped
    ///   or renamed, or if the row contradicts the log.
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
    /// - Throws: `SQLITE_ERROR` if the log doesn't reach back to the date, if the table was never audited, or was dropped
    ///   or renamed, or if the row contradicts the log.
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
            case .complete:
                return try past.row(over: nil).removing(formerColumns(db, tableName, past, past.finalNames))
            case .untouched:
                guard let current = try currentRow(db, tableName, past.key) else {
                    if past.isKnown { throw contradiction(tableName, past.key) }
                    return nil
                }
                let names = Set(current.columnNames.map(TableName.init))
                return try past.row(over: current).removing(formerColumns(db, tableName, past, names))
            case .moved(let entryID):
                request = Self.history(of: tableName, key: past.key).filter { $0.id > entryID }
            }
        }
    }

    private static func checkReach(_ db: Database, _ tableName: String, _ date: Date) throws {
        guard let since = try AuditSchema.beginning(db, of: tableName) else {
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

    /// Fetches a row. In a table without a primary key, compares the row with its last entries.
    private static func currentRow(_ db: Database, _ tableName: String, _ key: Key) throws -> Row? {
        guard try db.tableExists(tableName, in: "main") else {
            throw DatabaseError(
                message: """
                    the table \(tableName) was dropped or renamed: the log can't tell how its rows were. Its entries have the \
                    former name: AuditLog.history(of:key:) finds them.
                    """)
        }
        let primaryKey = try db.primaryKey(tableName, in: "main")
        guard primaryKey.columns.count == key.values.count else { return nil }
        let condition = primaryKey.columns.map { "\($0.quotedDatabaseIdentifier) IS ?" }.joined(separator: " AND ")
        let row = try Row.fetchOne(
            db, sql: "SELECT * FROM main.\(tableName.quotedDatabaseIdentifier) WHERE \(condition)",
            arguments: StatementArguments(key.values))
        if primaryKey.columnInfos == nil, try lastValues(db, tableName, key).contradict(row) {
            throw contradiction(tableName, key)
        }
        return row
    }

    /// The values that the row with a key has after its last entries, also the entries of its earlier keys.
    static func lastValues(_ db: Database, _ tableName: String, _ key: Key) throws -> LastValues {
        var values = LastValues()
        var (next, before): (Key?, Int64) = (key, .max)
        while let key = next {
            next = nil
            let limit = before
            let entries = try history(of: tableName, key: key)
                .filter { $0.id < limit }
                .order(Entry.Columns.id.desc)
                .fetchCursor(db)
            while let entry = try entries.next(), values.add(entry, of: key) {
                if entry.newKey == nil { continue }
                (next, before) = (entry.key, entry.id)
                break
            }
        }
        return values
    }

    private static func contradiction(_ tableName: String, _ key: Key) -> DatabaseError {
        DatabaseError(
            message: """
                the row \(key) of the table \(tableName) contradicts its last entry in the audit log: it was changed without \
                the audit, or VACUUM has changed its rowid (AuditLog.verify lists such rows)
                """)
    }

    /// The columns that may have had another name at the date, so that their values at the date are unknown.
    ///
    /// - Parameter finalNames: the columns that the table had after the last entry of the row; nil for its current columns.
    private static func formerColumns(
        _ db: Database, _ tableName: String, _ past: PastRow, _ finalNames: Set<TableName>?
    ) throws -> Set<TableName> {
        let exists = try db.tableExists(tableName, in: "main")
        let currentNames = exists ? try db.columns(in: tableName, in: "main").map { TableName($0.name) } : []
        guard let names = finalNames ?? (exists ? Set(currentNames) : nil) else { return [] }
        guard let last = past.lastMention(except: names) else { return [] }
        // Columns that the log knew while the missing one still had its name are other ones.
        let known = try String.fetchAll(
            db,
            sql: """
                SELECT DISTINCT member.key
                FROM main.amalgam_audit AS entry JOIN json_each(entry.changes) AS member
                WHERE entry.tableName = ? AND entry.id <= ?
                """, arguments: [tableName, last])
        let key = exists ? try db.primaryKey(tableName, in: "main").columns : []
        return names.subtracting((known + key).map(TableName.init))
    }
}

/// The values that a row has according to its last entries, which are added newest first.
struct LastValues {
    private var values: [TableName: DatabaseValue?] = [:]
    /// Whether the row exists; nil if the log has no entry.
    private var exists: Bool?

    /// The value of a column; nil if the log doesn't know it.
    subscript(columnName: String) -> DatabaseValue? { values[TableName(columnName)] ?? nil }

    /// - Returns: whether earlier entries may have further values.
    mutating func add(_ entry: AuditLog.Entry, of key: AuditLog.Key) -> Bool {
        let becomes = entry.operation != .delete && (entry.newKey ?? entry.key) == key
        if exists == nil { exists = becomes }
        guard becomes else { return false }
        for change in entry.changes where values[TableName(change.columnName)] == nil {
            values[TableName(change.columnName)] = .some(change.newValue)
        }
        return entry.operation == .update
    }

    func contradict(_ row: Row?) -> Bool {
        guard let exists else { return false }
        guard let row else { return exists }
        if !exists { return true }
        return row.contains { name, value in
            guard let known = self[name] else { return false }
            return !known.isRecordedLike(value)
        }
    }
}

extension Row {
    /// Returns the row without some columns.
    fileprivate func removing(_ names: Set<TableName>) -> Row {
        names.isEmpty ? self : Row(filter { !names.contains(TableName($0.0)) }.map { ($0.0, $0.1) })
    }
}

extension AuditLog.Entry {
    fileprivate var changedNames: Set<TableName> { Set(changes.map { TableName($0.columnName) }) }
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
    /// The last entry that mentions a column, by the name of the column.
    private var mentions: [TableName: Int64] = [:]
    /// Whether the row existed, according to an entry.
    private(set) var isKnown = false

    /// The columns of the row when it was deleted, in the order of the table.
    private var columnNames: [String] = []
    /// The audited columns of the table when the row was deleted or replaced; nil if they are unknown.
    private(set) var finalNames: Set<TableName>?

    init(key: AuditLog.Key) { self.key = key }

    /// Computes the past values from the entries of the current key, oldest first.
    mutating func follow(_ entries: [AuditLog.Entry]) -> Outcome {
        for entry in entries {
            if !isKnown && (entry.operation == .insert || entry.key != key) { return .absent }
            // An entry whose `key` isn't this key, or an insertion, belongs to a different row that got this key later.
            guard entry.operation != .insert, entry.key == key else {
                if entry.operation == .insert { finalNames = entry.changedNames }
                return .complete
            }
            isKnown = true
            take(entry.changes)
            for change in entry.changes { mentions[TableName(change.columnName)] = entry.id }
            if entry.operation == .delete {
                columnNames = entry.changes.map(\.columnName)
                finalNames = entry.changedNames
                return .complete
            }
            if let newKey = entry.newKey {
                key = newKey
                return .moved(entry.id)
            }
        }
        return .untouched
    }

    /// The last entry that mentions a column other than the given ones; nil if there is none.
    func lastMention(except names: Set<TableName>) -> Int64? {
        mentions.filter { !names.contains($0.key) }.values.max()
    }

    private mutating func take(_ changes: [AuditLog.ColumnChange]) {
        for change in changes where !values.contains(where: { $0.name.equalsExactly(change.columnName) }) {
            values.append((change.columnName, change.oldValue))
        }
    }

    /// Returns the row with the known past values, and the values of the current row in other columns.
    func row(over current: Row?) -> Row {
        var columns: [(String, DatabaseValue?)] =
            current.map { row in row.map { ($0, $1) } } ?? columnNames.map { ($0, nil) }
        for (name, value) in values {
            if let index = columns.firstIndex(where: { $0.0.equalsIgnoringCase(name) }) {
                columns[index].1 = value
            } else {
                columns.append((name, value))
            }
        }
        return Row(columns.compactMap { name, value in value.map { (name, $0) } })
    }
}
