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

    /// Appends a typed column, as an identifier: `\(score)`.
    ///
    /// ```swift
    /// let price = TypedColumn<Decimal>("price")
    /// let query: SQL = "UPDATE item SET \(price) = 10"
    /// // UPDATE item SET "price" = 10
    /// ```
    ///
    /// SQL that compares decimals names their collation: `\(price) > '10' COLLATE decimal`.
    public mutating func appendInterpolation(_ column: TypedColumn<some Any>) { append(column.node) }
}
