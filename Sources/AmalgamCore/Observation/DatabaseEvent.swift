import CAmalgam

/// What a statement may do to the rows of a table, known before it runs.
@frozen
public enum DatabaseEventKind: Hashable, Sendable {
    /// Rows are inserted.
    case insert(tableName: String)

    /// Rows are deleted.
    case delete(tableName: String)

    /// These columns of rows are updated. A change of the rowid itself is a change of a column named `ROWID`.
    case update(tableName: String, columnNames: Set<String>)

    /// The table, with the spelling of the schema.
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

/// The change of one row: <https://sqlite.org/c3ref/update_hook.html>.
public struct DatabaseEvent: Sendable {
    /// What happened to the row. Raw values are those of SQLite.
    public enum Kind: CInt, Sendable {
        /// `SQLITE_INSERT`
        case insert = 18
        /// `SQLITE_DELETE`
        case delete = 9
        /// `SQLITE_UPDATE`
        case update = 23
    }

    /// What happened to the row.
    public let kind: Kind

    /// The rowid of the row, after an update of the rowid itself the new one.
    ///
    /// Rows of WITHOUT ROWID tables have none: it is 0 then, and ``hasRowID`` is false.
    public let rowID: Int64

    /// Whether the row has a rowid: false for WITHOUT ROWID tables.
    public let hasRowID: Bool

    /// The schema of the table: `main`, `temp`, or the name of an attached database.
    public var databaseName: String { names.schema }

    /// The table, with the spelling of the schema.
    public var tableName: String { names.table }

    /// Both names are shared by all events of a statement on a table.
    let names: EventNames

    init(_ change: RowChange, _ names: EventNames) {
        kind = Kind(rawValue: change.operation)!
        let number = kind == .delete ? change.oldRowID : change.newRowID
        rowID = change.hasRowID ? number : 0
        hasRowID = change.hasRowID
        self.names = names
    }

    /// The event, to be kept after the callback. An event holds no resource of SQLite: the copy is the event itself.
    public func copy() -> DatabaseEvent { self }
}

/// The names in the events of one table, made once per statement and transaction.
final class EventNames: Sendable {
    let schema: String
    let table: String

    init(schema: String, table: String) {
        self.schema = schema
        self.table = table
    }
}
