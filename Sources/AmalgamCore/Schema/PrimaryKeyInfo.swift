/// The primary key of a table, or of a view that has one by a ``DatabaseSchemaSource``.
///
/// | table | `columns` | `rowIDColumn` | `isRowID` |
/// | --- | --- | --- | --- |
/// | `player (id INTEGER PRIMARY KEY, name)` | `["id"]` | `"id"` | true |
/// | `country (code TEXT PRIMARY KEY)` | `["code"]` | nil | false |
/// | `citizenship (citizenId, countryCode, PRIMARY KEY (citizenId, countryCode))` | both | nil | false |
/// | `log (message)` | `["rowid"]` | nil | true |
///
/// See <https://sqlite.org/lang_createtable.html#rowid>.
public struct PrimaryKeyInfo: Sendable {
    /// The columns of the key, in the order of the key. `["rowid"]` for a table without a declared key.
    ///
    /// In a table that has a column named `rowid` for another purpose, the hidden key is `["_rowid_"]` or `["oid"]`.
    public let columns: [String]

    /// The column that is an alias of the rowid: `id INTEGER PRIMARY KEY`. Nil when there is none.
    public let rowIDColumn: String?

    /// Whether the key is the rowid, with a name of its own or hidden.
    public let isRowID: Bool

    /// What is known of the columns; nil for a hidden rowid, which is no column.
    public let columnInfos: [ColumnInfo]?

    /// Whether rows have a rowid: not in a WITHOUT ROWID table, nor in a view.
    public let tableHasRowID: Bool

    /// The key of a table that declares one.
    init(_ columnInfos: [ColumnInfo], rowIDColumn: String?, tableHasRowID: Bool) {
        columns = columnInfos.map(\.name)
        self.rowIDColumn = rowIDColumn
        isRowID = rowIDColumn != nil
        self.columnInfos = columnInfos
        self.tableHasRowID = tableHasRowID
    }

    /// The key of a table that declares none.
    init(hiddenRowID name: String) {
        columns = [name]
        rowIDColumn = nil
        isRowID = true
        columnInfos = nil
        tableHasRowID = true
    }
}
