public import AmalgamCore

extension SQLInterpolation {
    /// Appends the name of a column, for `\(column)`. This overload lets the compiler resolve `.rowID`.
    ///
    /// ```swift
    /// let query: SQL = "SELECT \(.rowID), \(Column("name")) FROM player"
    /// // SELECT "rowid", "name" FROM player
    /// ```
    public mutating func appendInterpolation(_ column: Column) {
        append(ColumnNode(name: column.name))
    }
}
