public import AmalgamCore
import CAmalgam

/// The change of one row, out of a changeset or patchset: <https://sqlite.org/session/sqlite3changeset_op.html>.
///
/// ```swift
/// let changes = try changeset.changes()
/// while let change = try changes.next() {
///     change.tableName                 // "player"
///     change.operation                 // .update
///     change.primaryKey                // [1]
///     change.oldValue(at: 2)           // 10
///     change.newValue(at: 2)           // 20
///     change.newValue(at: 1)           // nil: not part of the change
///     try change.newRow(db)?["score"]  // 20
/// }
/// ```
///
/// Values are known by the position of their column in the table: a changeset holds no column names. With a database
/// at hand, ``columnNames(_:)``, ``oldRow(_:)`` and ``newRow(_:)`` take them from its schema.
///
/// It is a copy, which may be kept.
public struct RecordedChange: Hashable, Sendable {
    /// What happens to the row.
    public enum Operation: String, Hashable, Sendable, CaseIterable {
        /// The row is new: it has new values only.
        case insert = "INSERT"
        /// The row is there, and its values change; its primary key stays.
        case update = "UPDATE"
        /// The row goes: it has old values only.
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

    /// What happens to the row.
    public let operation: Operation

    /// Whether the change was made by a trigger or a foreign key action, or while ``Session/isIndirect`` was true.
    public let isIndirect: Bool

    /// One per column for updates and deletions; empty for insertions.
    let old: [DatabaseValue?]

    /// One per column for updates and insertions; empty for deletions.
    let new: [DatabaseValue?]

    /// The table.
    public var tableName: String { table.name }

    /// The number of columns that the table had. Generated columns do not count.
    public var columnCount: Int { table.isPrimaryKey.count }

    /// The positions of the columns of the primary key.
    public var primaryKeyColumns: [Int] { table.isPrimaryKey.indices.filter { table.isPrimaryKey[$0] } }

    /// The values of the primary key, which a change never changes: an update of a primary key is recorded as a
    /// deletion and an insertion.
    public var primaryKey: [DatabaseValue] {
        let values = operation == .insert ? new : old
        return primaryKeyColumns.map { values[$0] ?? .null }
    }

    /// The value that a column had before an update or deletion.
    ///
    /// It is nil, and not a NULL value, when it is unknown: for insertions; for columns that an update leaves alone,
    /// except the primary key; in patchsets, for all columns but the primary key; and for a column that does not
    /// exist.
    public func oldValue(at index: Int) -> DatabaseValue? { old.indices.contains(index) ? old[index] : nil }

    /// The value that a column gets from an insertion or update.
    ///
    /// It is nil, and not a NULL value, when there is none: for deletions, for columns that an update leaves alone,
    /// and for a column that does not exist.
    public func newValue(at index: Int) -> DatabaseValue? { new.indices.contains(index) ? new[index] : nil }

    /// The positions of the columns that the change gives a value to. Empty for deletions.
    public var changedColumns: [Int] { new.indices.filter { new[$0] != nil } }
}

/// What the changes of one table share.
final class RecordedTable: Hashable, Sendable {
    let name: String
    /// One per column.
    let isPrimaryKey: [Bool]

    init(name: String, isPrimaryKey: [Bool]) {
        self.name = name
        self.isPrimaryKey = isPrimaryKey
    }

    static func == (lhs: RecordedTable, rhs: RecordedTable) -> Bool {
        lhs === rhs || lhs.name == rhs.name && lhs.isPrimaryKey == rhs.isPrimaryKey
    }

    /// The columns that sessions know of a table: those that are not generated or hidden.
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
    /// `UPDATE player(1*, _, 10 -> 20)`: `*` marks the primary key, `_` what is not known or not changed.
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
    /// The names of the columns, from the schema of a database that has the table.
    ///
    /// A table recorded without a primary key (``Session/Options/recordsImplicitRowIDs``) begins with `_rowid_`.
    ///
    /// - throws: `SQLITE_SCHEMA` when there is no such table, or when it has fewer columns.
    public func columnNames(_ db: Database, schemaName: String = "main") throws -> [String] {
        var names = try RecordedTable.columnNames(db, of: tableName, schemaName: schemaName)
        if names.isImplicit, !names.columns.isEmpty, primaryKeyColumns == [0] { names.columns.insert("_rowid_", at: 0) }
        guard names.columns.count >= columnCount else {
            throw DatabaseError(
                resultCode: .SQLITE_SCHEMA,
                message: names.columns.isEmpty
                    ? "no such table: \(schemaName).\(tableName)"
                    : "the table \(tableName) has fewer columns than the recorded change")
        }
        return Array(names.columns.prefix(columnCount))
    }

    /// The known values before an update or deletion, by the names that the columns have in a database; nil for an
    /// insertion.
    ///
    /// - throws: as ``columnNames(_:schemaName:)``.
    public func oldRow(_ db: Database, schemaName: String = "main") throws -> Row? {
        try operation == .insert ? nil : row(old, db, schemaName)
    }

    /// The values that an insertion or update gives, by the names that the columns have in a database; nil for a
    /// deletion.
    ///
    /// - throws: as ``columnNames(_:schemaName:)``.
    public func newRow(_ db: Database, schemaName: String = "main") throws -> Row? {
        try operation == .delete ? nil : row(new, db, schemaName)
    }

    private func row(_ values: [DatabaseValue?], _ db: Database, _ schemaName: String) throws -> Row {
        let names = try columnNames(db, schemaName: schemaName)
        return Row(zip(names, values).compactMap { name, value in value.map { (name, $0) } })
    }
}
