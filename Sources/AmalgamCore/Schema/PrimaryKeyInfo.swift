/// The primary key of a table, or of a view whose key a ``DatabaseSchemaSource`` declares.
///
/// ```swift
/// let primaryKey = try db.primaryKey("player")
/// primaryKey.columns   // ["id"]
/// ```
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
    /// The columns of the key, in the order of the key; `["rowid"]` for a table that declares no key.
    ///
    /// If the table has an ordinary column named `rowid`, the hidden key is `["_rowid_"]` or `["oid"]`.
    public let columns: [String]

    /// The column that is an alias of the rowid: `id INTEGER PRIMARY KEY`. Nil if there is none.
    public let rowIDColumn: String?

    /// Whether the key is the rowid, either hidden or as the column ``rowIDColumn``.
    public let isRowID: Bool

    /// The columns of the key; nil for a hidden rowid, which isn't a column.
    public let columnInfos: [ColumnInfo]?

    /// Whether rows have a rowid. False for a WITHOUT ROWID table and for a view.
    public let tableHasRowID: Bool

    /// Creates the key of a table that declares one.
    init(_ columnInfos: [ColumnInfo], rowIDColumn: String?, tableHasRowID: Bool) {
        columns = columnInfos.map(\.name)
        self.rowIDColumn = rowIDColumn
        isRowID = rowIDColumn != nil
        self.columnInfos = columnInfos
        self.tableHasRowID = tableHasRowID
    }

    /// Creates the hidden key of a table that declares none.
    init(hiddenRowID name: String) {
        columns = [name]
        rowIDColumn = nil
        isRowID = true
        columnInfos = nil
        tableHasRowID = true
    }
}
