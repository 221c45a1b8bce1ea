public import AmalgamCore
internal import AmalgamQuery
internal import AmalgamRecords
internal import AmalgamSessions
internal import Foundation
import CAmalgam

extension AuditLog {
    /// Undoes the changes that the log has recorded for a transaction, also after a restart or in another process.
    ///
    /// ```swift
    /// let entry = try AuditLog.lastChange(of: "name", in: "player", key: 1).fetchOne(db)
    /// if let entry {
    ///     try db.auditing(as: "user:42", reason: "undo") {
    ///         _ = try AuditLog.revert(db, transaction: entry.transactionID)
    ///     }
    /// }
    /// ```
    ///
    /// The transaction is reverted as a whole, or not at all. If a value that it has written isn't there any more, or a
    /// constraint doesn't allow an earlier value, an ``UndoConflict`` with these rows is thrown, and nothing changes.
    /// Changes of other columns remain. Triggers and foreign key actions don't run, because the log contains the changes
    /// that they have made. Foreign keys are checked at the end. The log records the reverting transaction like any
    /// other one.
    ///
    /// Only what the log knows can be reverted: changes of tables and columns that aren't audited remain. Values of
    /// redacted columns, and deleted rows with columns that aren't audited, can't be restored. In a table without
    /// a primary key, `VACUUM` may change rowids. So an insertion or an update in such a table is only reverted if the log
    /// knows all values of the row, for example from its insertion, and the row still has these values.
    ///
    /// - Parameters:
    ///   - db: a connection with write access.
    ///   - transactionID: ``Entry/transactionID`` of the entries to revert.
    /// - Returns: the number of reverted entries.
    /// - Throws: an ``UndoConflict``; `SQLITE_ERROR` if the log has no entries of the transaction, or if some of them were
    ///   deleted; `SQLITE_MISUSE` if values are redacted or not audited, or if columns are named rowid, _rowid_ and oid;
    ///   `SQLITE_SCHEMA` if a table or column was dropped or renamed.
    @discardableResult
    public static func revert(_ db: Database, transaction transactionID: Int64) throws -> Int {
        try db.checkAccess()
        var count = 0
        try db.inSavepoint {
            let entries =
                try Entry
                .filter { $0.transactionID == transactionID }
                .order(Entry.Columns.id.desc)
                .fetchAll(db)
            try checkCompleteness(db, entries, transactionID)
            var reversal = TransactionReversal(db)
            for entry in entries { try reversal.add(entry) }
            try reversal.write(actionName: "transaction \(transactionID)")
            count = entries.count
            return .commit
        }
        return count
    }

    private static func checkCompleteness(_ db: Database, _ entries: [Entry], _ transactionID: Int64) throws {
        guard let last = entries.first, let first = entries.last else {
            throw DatabaseError(
                message: "the audit log has no entries of the transaction \(transactionID): nothing can be reverted")
        }
        // The identifiers of a transaction's entries follow on each other, unless other code has deleted entries.
        let isComplete =
            try last.id - first.id + 1 == entries.count && !AuditSchema.isCut(db, transactionID: transactionID)
        if !isComplete {
            throw DatabaseError(
                message: """
                    entries of the transaction \(transactionID) were deleted from the audit log: it can't be reverted as a \
                    whole
                    """)
        }
    }
}

/// The rows that a transaction has changed, with the values before it, computed from the entries of the log.
private struct TransactionReversal {
    private let database: Database
    private var tables: [ImagedTable] = []
    /// The readers of `tables`.
    private var readers: [RowReader] = []
    private var states: [RowKey: RowState] = [:]
    private var conflicts: [ChangeConflict] = []
    /// Rows that must be deleted, and whose keys other rows get.
    private var removed: [(key: RowKey, state: RowState)] = []

    private struct RowKey: Hashable {
        let table: Int
        let key: AuditLog.Key
        /// The key as the log stores it. Keys such as 1 and 1.0 differ.
        private let bytes: [UInt8]

        init(table: Int, key: AuditLog.Key) {
            self.table = table
            self.key = key
            bytes = JSONBValue.array(key.values.map { JSONBValue($0) }).bytes
        }

        static func == (lhs: RowKey, rhs: RowKey) -> Bool { lhs.table == rhs.table && lhs.bytes == rhs.bytes }

        func hash(into hasher: inout Hasher) {
            hasher.combine(table)
            hasher.combine(bytes)
        }
    }

    private struct RowState {
        /// The place of the row; nil if no row has the key.
        let place: RowPlace?
        let current: RowImage?
        /// The values that the row must have; nil if there must be no row.
        var values: [ArraySlice<UInt8>]?
    }

    init(_ database: Database) { self.database = database }

    /// Takes back one entry. Later entries must be added first.
    mutating func add(_ entry: AuditLog.Entry) throws {
        let table = try index(ofTable: entry.tableName)
        let key = RowKey(table: table, key: entry.newKey ?? entry.key)
        var state = try states[key] ?? state(key)
        switch (entry.operation, state.values) {
        case (.delete, nil):
            state.values = try oldValues(entry, tables[table])
        case (.delete, .some):
            try reportConflict(.conflict, entry, key, state)
        case (_, nil):
            try reportConflict(.notFound, entry, key, state)
        case (_, let values?):
            let changes = try changes(entry, tables[table])
            let isOther = try states[key] == nil && !isLoggedRow(key, state)
            if isOther || changes.contains(where: { $0.new != values[$0.column] }) {
                try reportConflict(.data, entry, key, state)
            }
            if entry.operation == .insert { state.values = nil }
            for change in changes where entry.operation == .update { state.values?[change.column] = change.old }
        }
        states[key] = state
        if entry.newKey != nil { try rename(key, to: RowKey(table: table, key: entry.key), entry) }
    }

    /// Gives a row its earlier key, which no row may have now.
    private mutating func rename(_ key: RowKey, to earlier: RowKey, _ entry: AuditLog.Entry) throws {
        let other = try states[earlier] ?? state(earlier)
        if other.values != nil { try reportConflict(.conflict, entry, earlier, other) }
        if other.current != nil { removed.append((earlier, other)) }
        states[earlier] = states[key]
        states[key] = RowState(place: nil, current: nil, values: nil)
    }

    /// Writes the rows.
    ///
    /// - Throws: an ``UndoConflict``; errors of SQLite.
    func write(actionName: String) throws {
        if !conflicts.isEmpty { throw UndoConflict(actionName: actionName, conflicts: conflicts) }
        var targets = removed.map { key, state in
            RowWriter.Target(table: key.table, place: state.place!, current: state.current, expected: nil)
        }
        for (key, state) in states { try targets += self.targets(key, state) }
        let obstacles = try RowReplacement(database, tables).write(targets)
        if !obstacles.conflicts.isEmpty {
            throw UndoConflict(
                actionName: actionName, conflicts: obstacles.conflicts, violatingRows: obstacles.violations)
        }
    }

    /// Returns what to write for a row.
    ///
    /// If a table has no primary key, the rowid is the place of the row, and not one of its values: a row whose rowid has
    /// changed is deleted, and inserted at its earlier rowid.
    private func targets(_ key: RowKey, _ state: RowState) throws -> [RowWriter.Target] {
        let table = tables[key.table]
        let expected = state.values.map { RowImage(values: $0) }
        func target(_ place: RowPlace, _ current: RowImage?, _ expected: RowImage?) -> RowWriter.Target {
            RowWriter.Target(table: key.table, place: place, current: current, expected: expected)
        }
        if let place = state.place, expected != nil, table.hasRowIDAsKey {
            let earlier = try table.place(of: key.key)
            if place != earlier { return [target(place, state.current, nil), target(earlier, nil, expected)] }
        }
        if expected == state.current { return [] }
        return [target(try state.place ?? table.place(of: key.key), state.current, expected)]
    }

    // MARK: Entries

    private mutating func index(ofTable name: String) throws -> Int {
        if let index = tables.firstIndex(where: { $0.name.equalsIgnoringCase(name) }) { return index }
        guard let table = try ImagedTable(database, name) else {
            throw DatabaseError(
                resultCode: .SQLITE_SCHEMA,
                message: "the table \(name) was dropped or renamed: changes of its rows can't be reverted")
        }
        try readers.append(RowReader(database, table))
        tables.append(table)
        return tables.count - 1
    }

    private func state(_ key: RowKey) throws -> RowState {
        let table = tables[key.table]
        let absence = RowState(place: nil, current: nil, values: nil)
        guard let place = try table.existingPlace(of: key.key, database) else { return absence }
        guard let current = try readers[key.table].image(at: place) else { return absence }
        // By its collation, the key of another row may be equal.
        guard try table.hasKey(current.values, key.key, database) else { return absence }
        return RowState(place: place, current: current, values: current.values)
    }

    /// Whether the row of a table without a primary key is the one that the log knows. VACUUM may have given its rowid to
    /// another row.
    ///
    /// - Throws: `SQLITE_MISUSE` if the log doesn't know all values of the row.
    private func isLoggedRow(_ key: RowKey, _ state: RowState) throws -> Bool {
        let table = tables[key.table]
        guard let current = state.current, table.hasRowIDAsKey else { return true }
        let known = try AuditLog.lastValues(database, table.name, key.key)
        let unknown = table.columns.filter { known[$0] == nil }
        if !unknown.isEmpty { throw Self.unidentified(key.key, unknown, table) }
        return zip(table.columns, current.values).allSatisfy { name, value in
            known[name]!.isRecordedLike(DatabaseValue(image: value, encoding: table.encoding))
        }
    }

    private static func unidentified(_ key: AuditLog.Key, _ columns: [String], _ table: ImagedTable) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                the transaction can't be reverted: the table \(table.name) has no primary key, and VACUUM may have given the \
                rowid \(key) to another row. The log can't tell, because it doesn't know all values of the row \
                (\(columns.joined(separator: ", "))).
                """)
    }

    private typealias Change = (column: Int, old: ArraySlice<UInt8>, new: ArraySlice<UInt8>)

    private func changes(_ entry: AuditLog.Entry, _ table: ImagedTable) throws -> [Change] {
        try entry.changes.compactMap { change in
            if table.generatedColumns.contains(TableName(change.columnName)) { return nil }
            guard let column = table.columns.firstIndex(where: { $0.equalsIgnoringCase(change.columnName) })
            else { throw missing(change.columnName, table) }
            guard let old = change.oldValue, let new = change.newValue else {
                if entry.operation == .insert { return nil }
                throw Self.unknown([change.columnName], table, "redacted")
            }
            return try (column, table.image(of: old), table.image(of: new))
        }
    }

    private func oldValues(_ entry: AuditLog.Entry, _ table: ImagedTable) throws -> [ArraySlice<UInt8>] {
        var values = [ArraySlice<UInt8>?](repeating: nil, count: table.columns.count)
        for change in try changes(entry, table) { values[change.column] = change.old }
        let unknown = table.columns.indices.filter { values[$0] == nil }.map { table.columns[$0] }
        if !unknown.isEmpty { throw Self.unknown(unknown, table, "not audited") }
        return values.map { $0! }
    }

    private func missing(_ column: String, _ table: ImagedTable) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_SCHEMA,
            message: "the column \(column) of the table \(table.name) was dropped or renamed: it can't be reverted")
    }

    private static func unknown(_ columns: [String], _ table: ImagedTable, _ why: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                the transaction can't be reverted, because the log doesn't know earlier values of the table \
                \(table.name): \(columns.joined(separator: ", ")) \(columns.count == 1 ? "is" : "are") \(why)
                """)
    }

    private mutating func reportConflict(
        _ kind: ChangeConflict.Kind, _ entry: AuditLog.Entry, _ key: RowKey, _ state: RowState
    ) throws {
        let table = tables[key.table]
        func row(_ value: (AuditLog.ColumnChange) -> DatabaseValue?) throws -> RowImage {
            var values = state.values ?? table.columns.map { _ in [UInt8(SQLITE_NULL)][...] }
            for (column, name) in table.columns.enumerated() {
                if let known = entry[name].flatMap(value) { values[column] = try table.image(of: known) }
            }
            return RowImage(values: values)
        }
        let from = try entry.operation == .delete ? nil : row(\.newValue)
        let to = try entry.operation == .insert ? nil : row(\.oldValue)
        let current = kind == .notFound ? nil : state.values.map { RowImage(values: $0) }
        try conflicts.append(
            table.conflict(kind, state.place ?? table.place(of: key.key), from: from, to: to, current))
    }
}

extension ImagedTable {
    /// Whether the table has no primary key, so that the log identifies its rows by their rowids.
    fileprivate var hasRowIDAsKey: Bool { insertsRowID && !isPrimaryKey.contains(true) }

    /// Returns the place of the row with a key of the log; nil if there is none.
    fileprivate func existingPlace(of key: AuditLog.Key, _ db: Database) throws -> RowPlace? {
        let place = try place(of: key)
        if !hasRowID || place.rowID != nil { return place }
        let condition = try db.primaryKey(name, in: "main").columns
            .map { "\($0.quotedDatabaseIdentifier) IS ?" }
            .joined(separator: " AND ")
        let sql = """
            SELECT \(rowIDName!.quotedDatabaseIdentifier) FROM main.\(name.quotedDatabaseIdentifier) \
            WHERE \(condition) LIMIT 2
            """
        let rowIDs = try db.unnoticed { try Int64.fetchAll(db, sql: sql, arguments: StatementArguments(key.values)) }
        if rowIDs.count > 1 {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: """
                    the transaction can't be reverted: several rows of the table \(name) have the primary key \(key), and \
                    the log can't tell them apart
                    """)
        }
        return rowIDs.first.map { RowPlace(rowID: $0) }
    }

    /// Whether a row has a key of the log, byte for byte.
    fileprivate func hasKey(_ values: [ArraySlice<UInt8>], _ key: AuditLog.Key, _ db: Database) throws -> Bool {
        if hasRowID && (storesRowID || !isPrimaryKey.contains(true)) { return true }
        let names = try db.primaryKey(name, in: "main").columns
        return try zip(names, key.values).allSatisfy { name, value in
            guard let column = columns.firstIndex(where: { $0.equalsIgnoringCase(name) }) else { return false }
            return try values[column] == image(of: value)
        }
    }

    /// Returns the place that a row with a key of the log has, or that a new row gets.
    fileprivate func place(of key: AuditLog.Key) throws -> RowPlace {
        if !hasRowID { return try RowPlace(rowID: 0, key: key.values.flatMap { try image(of: $0) }) }
        guard storesRowID || !isPrimaryKey.contains(true) else { return RowPlace(rowID: nil) }
        return RowPlace(rowID: Int64.fromDatabaseValue(key.values.first ?? .null))
    }

    /// Encodes a value of the log.
    ///
    /// - Throws: `SQLITE_MISUSE` for a string that contains U+FFFD: the stored bytes may not be characters.
    fileprivate func image(of value: DatabaseValue) throws -> ArraySlice<UInt8> {
        switch value.storage {
        case .null: return [UInt8(SQLITE_NULL)]
        case .int64(let integer): return [UInt8(SQLITE_INTEGER)] + withUnsafeBytes(of: integer) { Array($0) }
        case .double(let real): return [UInt8(SQLITE_FLOAT)] + withUnsafeBytes(of: real) { Array($0) }
        case .blob(let data): return Self.image(UInt8(SQLITE_BLOB), Array(data))
        case .string(let string):
            if string.unicodeScalars.contains("\u{FFFD}") { throw isNotText }
            if encoding == SQLITE_UTF8 { return Self.image(UInt8(SQLITE_TEXT), Array(string.utf8)) }
            let isLittle = encoding == SQLITE_UTF16LE
            return Self.image(
                UInt8(SQLITE_TEXT),
                string.utf16.flatMap {
                    isLittle ? [UInt8($0 & 255), UInt8($0 >> 8)] : [UInt8($0 >> 8), UInt8($0 & 255)]
                })
        }
    }

    private var isNotText: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                the transaction can't be reverted: a TEXT value of the table \(name) contains bytes that aren't UTF-8, or \
                U+FFFD, so the log doesn't know the exact bytes
                """)
    }

    private static func image(_ type: UInt8, _ bytes: [UInt8]) -> ArraySlice<UInt8> {
        ([type] + withUnsafeBytes(of: UInt32(bytes.count)) { Array($0) } + bytes)[...]
    }
}
