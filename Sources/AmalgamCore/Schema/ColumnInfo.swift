/// A column of a table or view: <https://sqlite.org/pragma.html#pragma_table_xinfo>.
///
/// ```swift
/// for column in try db.columns(in: "player") {
///     print(column.name, column.type)
/// }
/// ```
public struct ColumnInfo: Sendable {
    /// How the values of a generated column are kept: <https://sqlite.org/gencol.html>.
    public enum Generation: Sendable {
        /// They are computed when they are read.
        case virtual
        /// They are computed when the row is written.
        case stored
    }

    /// The name of the column.
    public let name: String

    /// The declared type, such as `VARCHAR(10)`. Empty for a column without a type.
    public let type: String

    /// Whether the column is declared NOT NULL.
    public let isNotNull: Bool

    /// The default value, as it is written in the schema: `'Anna'`, `1e6`, `CURRENT_TIMESTAMP`. Nil when there is none.
    public let defaultValueSQL: String?

    /// The position in the primary key, from 1 on. 0 for a column that is not part of it.
    public let primaryKeyIndex: Int

    /// How the values are generated. Nil for an ordinary column.
    public let generation: Generation?

    /// Whether `SELECT *` leaves the column out, as with the `rank` of a full-text table:
    /// <https://sqlite.org/vtab.html#hidden_columns_in_virtual_tables>.
    public let isHidden: Bool

    /// The declared type, or nil for a column without one.
    public var columnType: Database.ColumnType? {
        type.isEmpty ? nil : Database.ColumnType(rawValue: type)
    }

    /// The column that a row of `PRAGMA table_xinfo` or `PRAGMA table_info` describes.
    ///
    /// ```swift
    /// let rows = try Row.fetchAll(db, sql: "PRAGMA table_xinfo(player)")
    /// let columns = rows.map(ColumnInfo.init(row:))
    /// ```
    public init(row: Row) {
        name = row["name"]
        type = row["type"]
        isNotNull = row["notnull"]
        defaultValueSQL = row["dflt_value"]
        primaryKeyIndex = row["pk"]
        let visibility = row["hidden"] as Int? ?? 0
        isHidden = visibility == 1
        generation = visibility == 2 ? .virtual : visibility == 3 ? .stored : nil
    }
}
