public import AmalgamCore
import CAmalgam

/// The change of one row in a changeset or patchset: <https://sqlite.org/session/sqlite3changeset_op.html>.
///
/// ```swift
/// let changes = try changeset.changes()
/// while let change = try changes.next() {
///     print(change.tableName, change.operation, change.primaryKey)  // player update [1]
///     let oldScore = change.oldValue(at: 2)                         // 10
///     let newScore = change.newValue(at: 2)                         // 20
///     let newName = change.newValue(at: 1)                          // nil: the column isn't changed
///     let score: Int? = try change.newRow(db)?["score"]             // 20
/// }
/// ```
///
/// Values are identified by the position of their column in the table, because a changeset contains no column names.
/// ``columnNames(_:schemaName:)``, ``oldRow(_:schemaName:)`` and ``newRow(_:schemaName:)`` read the names from the
/// schema of a database.
///
/// A `RecordedChange` copies its values, and remains valid after the iteration.
public struct RecordedChange: Hashable, Sendable {
    /// The kind of a change.
    public enum Operation: String, Hashable, Sendable, CaseIterable {
        /// The row is inserted. The change has new values only.
        case insert = "INSERT"
        /// The row is updated. Its primary key doesn't change.
        case update = "UPDATE"
        /// The row is deleted. The change has old values only.
        case delete = "DELETE"

        init?(_ code: CInt) {
            switch code {
            case SQLITE_INSERT: self = .insert
            case SQLITE_UPDATE: self = .update
            case SQLITE_DELETE: self = .delete
            default: return nil
            }
        }

        var code: CInt {
            switch self {
            case .insert: SQLITE_INSERT
            case .update: SQLITE_UPDATE
            case .delete: SQLITE_DELETE
            }
        }
    }

    let table: RecordedTable

    /// The kind of the change.
    public let operation: Operation

    /// Whether a trigger or a foreign key action has made the change, or ``Session/isIndirect`` was true.
    public let isIndirect: Bool

    /// One element per column for updates and deletions; empty for insertions.
    let old: [DatabaseValue?]

    /// One element per column for updates and insertions; empty for deletions.
    let new: [DatabaseValue?]

    /// Creates a change that isn't read from a changeset.
    package init(
        tableName: String, isPrimaryKey: [Bool], operation: Operation, old: [DatabaseValue?], new: [DatabaseValue?]
    ) {
        table = RecordedTable(name: tableName, isPrimaryKey: isPrimaryKey)
        self.operation = operation
        isIndirect = false
        self.old = old
        self.new = new
    }

    /// The name of the table.
    public var tableName: String { table.name }

    /// The number of columns of the table, without generated columns.
    public var columnCount: Int { table.isPrimaryKey.count }

    /// The positions of the columns of the primary key.
    public var primaryKeyColumns: [Int] { table.isPrimaryKey.indices.filter { table.isPrimaryKey[$0] } }

    /// The values of the primary key. A change doesn't modify them: an update of a primary key is recorded as a
    /// deletion and an insertion.
    public var primaryKey: [DatabaseValue] {
        let values = operation == .insert ? new : old
        return primaryKeyColumns.map { values[$0] ?? .null }
    }

    /// Returns the value of a column before an update or deletion.
    ///
    /// ```swift
    /// let score = change.oldValue(at: 2)   // 10
    /// ```
    ///
    /// The result is nil, and not a NULL value, if there is no old value:
    /// - for insertions
    /// - if the column doesn't exist
    /// - for columns outside of the primary key, in patchsets
    /// - for columns outside of the primary key that an update doesn't change
    public func oldValue(at index: Int) -> DatabaseValue? { old.indices.contains(index) ? old[index] : nil }

    /// Returns the value of a column after an insertion or update.
    ///
    /// ```swift
    /// let score = change.newValue(at: 2)   // 20
    /// ```
    ///
    /// The result is nil, and not a NULL value, if there is no new value:
    /// - for deletions
    /// - if the column doesn't exist
    /// - for columns that an update doesn't change
    public func newValue(at index: Int) -> DatabaseValue? { new.indices.contains(index) ? new[index] : nil }

    /// The positions of the columns with new values. Empty for deletions.
    public var changedColumns: [Int] { new.indices.filter { new[$0] != nil } }
}

/// The name and the columns of a table, shared by its changes.
final class RecordedTable: Hashable, Sendable {
    let name: String
    /// One element per column.
    let isPrimaryKey: [Bool]

    init(name: String, isPrimaryKey: [Bool]) {
        self.name = name
        self.isPrimaryKey = isPrimaryKey
    }

    static func == (lhs: RecordedTable, rhs: RecordedTable) -> Bool {
        lhs === rhs || lhs.name.equalsExactly(rhs.name) && lhs.isPrimaryKey == rhs.isPrimaryKey
    }

    /// Returns the columns of a table that aren't generated or hidden. Sessions record only these columns.
    static func columnNames(
        _ db: Database, of tableName: String, schemaName: String
    ) throws -> (columns: [String], isImplicit: Bool) {
        let statement = try db.cachedStatement(
            sql: "SELECT name, pk FROM pragma_table_xinfo(?, ?) WHERE hidden = 0 ORDER BY cid")
        let rows = try Row.fetchAll(statement, arguments: [tableName, schemaName])
        let names = rows.map { row -> String in row[0] }
        return (names, !rows.contains { row in (row[1] as Int) > 0 })
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(isPrimaryKey)
    }
}

extension RecordedChange: CustomStringConvertible {
    /// The change as a string, such as `UPDATE player(1*, _, 10 -> 20)`: `*` marks a value of the primary key, `_`
    /// stands for a value that isn't recorded or doesn't change.
    public var description: String {
        let values = (0..<columnCount).map(text(at:)).joined(separator: ", ")
        return "\(operation.rawValue) \(tableName)(\(values))" + (isIndirect ? " indirect" : "")
    }

    private func text(at index: Int) -> String {
        let old = oldValue(at: index)?.description ?? "_"
        let mark = table.isPrimaryKey[index] ? "*" : ""
        guard let new = newValue(at: index)?.description else { return old + mark }
        return (operation == .update ? "\(old) -> \(new)" : new) + mark
    }
}

// MARK: - Names

extension RecordedChange {
    /// Returns the names of the columns, from the schema of a database that contains the table.
    ///
    /// ```swift
    /// let names = try change.columnNames(db)   // ["id", "name", "score"]
    /// ```
    ///
    /// With ``Session/Options/recordsImplicitRowIDs``, a session also records tables without a primary key. For such a
    /// table, the first name is `_rowid_`, or `rowid` or `oid` if a column has this name.
    ///
    /// - Throws: `SQLITE_SCHEMA` if the table doesn't exist, or has fewer columns than the change.
    public func columnNames(_ db: Database, schemaName: String = "main") throws -> [String] {
        var names = try RecordedTable.columnNames(db, of: tableName, schemaName: schemaName)
        if names.isImplicit, !names.columns.isEmpty, primaryKeyColumns == [0] {
            let taken = Set(names.columns.map(TableName.init))
            names.columns.insert(
                ["_rowid_", "rowid", "oid"].first { !taken.contains(TableName($0)) } ?? "_rowid_", at: 0)
        }
        guard names.columns.count >= columnCount else {
            throw DatabaseError(
                resultCode: .SQLITE_SCHEMA,
                message: names.columns.isEmpty
                    ? "no such table: \(schemaName).\(tableName)"
                    : "the table \(tableName) has fewer columns than the recorded change")
        }
        return Array(names.columns.prefix(columnCount))
    }

    /// Returns the recorded values of the row before an update or deletion, with the column names of the table in `db`.
    /// Returns nil for an insertion.
    ///
    /// ```swift
    /// if let row = try change.oldRow(db) { print(row) }
    /// ```
    ///
    /// - Throws: an error of ``columnNames(_:schemaName:)``.
    public func oldRow(_ db: Database, schemaName: String = "main") throws -> Row? {
        try operation == .insert ? nil : row(old, db, schemaName)
    }

    /// Returns the recorded values of the row after an insertion or update, with the column names of the table in `db`.
    /// Returns nil for a deletion.
    ///
    /// ```swift
    /// if let row = try change.newRow(db) { print(row) }
    /// ```
    ///
    /// - Throws: an error of ``columnNames(_:schemaName:)``.
    public func newRow(_ db: Database, schemaName: String = "main") throws -> Row? {
        try operation == .delete ? nil : row(new, db, schemaName)
    }

    private func row(_ values: [DatabaseValue?], _ db: Database, _ schemaName: String) throws -> Row {
        let names = try columnNames(db, schemaName: schemaName)
        return Row(zip(names, values).compactMap { name, value in value.map { (name, $0) } })
    }
}
