/// A column of a table or view: <https://sqlite.org/pragma.html#pragma_table_xinfo>.
///
/// ```swift
/// for column in try db.columns(in: "player") {
///     print(column.name, column.type)
/// }
/// ```
public struct ColumnInfo: Sendable {
    /// The storage of a generated column: <https://sqlite.org/gencol.html>.
    public enum Generation: Sendable {
        /// Values are computed when they are read.
        case virtual
        /// Values are computed when the row is written.
        case stored
    }

    /// The name of the column.
    public let name: String

    /// The declared type, such as `VARCHAR(10)`; empty for a column without a type.
    public let type: String

    /// Whether the column is declared NOT NULL.
    public let isNotNull: Bool

    /// The SQL of the default value, as in the schema: `'Anna'`, `1e6`, `CURRENT_TIMESTAMP`. Nil if there is none.
    public let defaultValueSQL: String?

    /// The position in the primary key, starting at 1; 0 for a column that isn't part of it.
    public let primaryKeyIndex: Int

    /// The storage of a generated column; nil for an ordinary column.
    public let generation: Generation?

    /// Whether `SELECT *` excludes the column, such as the `rank` of a full-text table:
    /// <https://sqlite.org/vtab.html#hidden_columns_in_virtual_tables>.
    public let isHidden: Bool

    /// The declared type; nil for a column without a type.
    public var columnType: Database.ColumnType? {
        type.isEmpty ? nil : Database.ColumnType(rawValue: type)
    }

    /// Creates a column from a row of `PRAGMA table_xinfo` or `PRAGMA table_info`.
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
