import CAmalgam

/// A kind of row change: insertions, deletions or updates of rows in one table. Updates also have the names of the
/// updated columns.
///
/// ```swift
/// func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
///     switch eventKind {
///     case .insert(let table), .delete(let table): table == "player"
///     case .update(let table, let columns): table == "player" && columns.contains("score")
///     }
/// }
/// ```
@frozen
public enum DatabaseEventKind: Hashable, Sendable {
    /// Insertions of rows.
    case insert(tableName: String)

    /// Deletions of rows.
    case delete(tableName: String)

    /// Updates of some columns. A change of the rowid is reported as a change of the column `ROWID`.
    case update(tableName: String, columnNames: Set<String>)

    /// The name of the table, spelled as in the schema.
    public var tableName: String {
        switch self {
        case .insert(let tableName), .delete(let tableName), .update(let tableName, _): tableName
        }
    }

    package var operation: CInt {
        switch self {
        case .insert: SQLITE_INSERT
        case .delete: SQLITE_DELETE
        case .update: SQLITE_UPDATE
        }
    }
}

extension DatabaseEventKind {
    /// Returns whether both kinds have the same operation, table and columns. Names are compared by their bytes, because
    /// canonically equivalent names belong to different tables and columns.
    public static func == (lhs: DatabaseEventKind, rhs: DatabaseEventKind) -> Bool {
        switch (lhs, rhs) {
        case (.insert(let lhs), .insert(let rhs)), (.delete(let lhs), .delete(let rhs)): lhs.equalsExactly(rhs)
        case (.update(let lhs, let lhsColumns), .update(let rhs, let rhsColumns)):
            lhs.equalsExactly(rhs) && lhsColumns.count == rhsColumns.count
                && lhsColumns.allSatisfy { name in
                    rhsColumns.firstIndex(of: name).map { rhsColumns[$0].equalsExactly(name) } ?? false
                }
        default: false
        }
    }

    /// Returns updates of some columns. A set of Swift strings can't contain two canonically equivalent names: an update of
    /// the rowid, which counts as an update of all columns, then stands for the missing name.
    static func update(_ tableName: String, _ columns: Set<ExactString>) -> DatabaseEventKind {
        var names = Set(columns.map(\.string))
        if names.count < columns.count { names.insert("ROWID") }
        return .update(tableName: tableName, columnNames: names)
    }

    /// Whether the kind is of an operation on a table.
    func isOf(_ operation: CInt, table: String) -> Bool {
        self.operation == operation && tableName.equalsExactly(table)
    }
}

/// The change of one row: <https://sqlite.org/c3ref/update_hook.html>.
///
/// ```swift
/// func databaseDidChange(with event: DatabaseEvent) {
///     if event.kind == .delete { print("\(event.tableName) \(event.rowID) was deleted") }
/// }
/// ```
public struct DatabaseEvent: Sendable {
    /// The operation. The raw values are SQLite's.
    public enum Kind: CInt, Sendable {
        /// `SQLITE_INSERT`: a row is inserted.
        case insert = 18
        /// `SQLITE_DELETE`: a row is deleted.
        case delete = 9
        /// `SQLITE_UPDATE`: a row is updated.
        case update = 23
    }

    /// The operation on the row.
    public let kind: Kind

    /// The rowid of the row. After an update of the rowid, this is the new rowid.
    ///
    /// In WITHOUT ROWID tables, it is 0, and ``hasRowID`` is false.
    public let rowID: Int64

    /// Whether the row has a rowid: false for WITHOUT ROWID tables.
    public let hasRowID: Bool

    /// The schema of the table: `main`, `temp`, or the name of an attached database.
    public var databaseName: String { names.schema }

    /// The name of the table, spelled as in the schema.
    public var tableName: String { names.table }

    /// The names, shared by all events of a statement on a table.
    let names: EventNames

    init(_ change: RowChange, _ names: EventNames) {
        kind = Kind(rawValue: change.operation)!
        let number = kind == .delete ? change.oldRowID : change.newRowID
        rowID = change.hasRowID ? number : 0
        hasRowID = change.hasRowID
        self.names = names
    }

    /// Returns the event itself. An event may be used after the callback without a copy.
    public func copy() -> DatabaseEvent { self }
}

/// The names in the events of one table, created once per statement and transaction.
final class EventNames: Sendable {
    let schema: String
    let table: String

    init(schema: String, table: String) {
        self.schema = schema
        self.table = table
    }
}
