public import AmalgamQuery

extension FTS5Query {
    /// Restricts the query to some columns.
    ///
    /// ```swift
    /// let query = FTS5Query("sqlite").inColumns(Document.Columns.title)   // title : sqlite
    /// ```
    public func inColumns(_ columns: any ColumnExpression...) -> FTS5Query { inColumns(columns.map(\.name)) }

    /// Restricts the query to all columns except some.
    ///
    /// ```swift
    /// let query = FTS5Query("sqlite").notInColumns(Document.Columns.title)   // - title : sqlite
    /// ```
    public func notInColumns(_ columns: any ColumnExpression...) -> FTS5Query { notInColumns(columns.map(\.name)) }
}
