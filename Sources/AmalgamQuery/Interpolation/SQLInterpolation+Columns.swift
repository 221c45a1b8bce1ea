public import AmalgamCore

extension SQLInterpolation {
    /// `\(column)`: the name of the column. With it, the compiler knows what `.rowID` is.
    ///
    /// ```swift
    /// let query: SQL = "SELECT \(.rowID), \(Column("name")) FROM player"
    /// // SELECT "rowid", "name" FROM player
    /// ```
    public mutating func appendInterpolation(_ column: Column) {
        append(ColumnNode(name: column.name))
    }
}
