public import AmalgamQuery

extension FTS5Query {
    /// Returns the query, restricted to the given columns.
    ///
    /// ```swift
    /// let query = FTS5Query("sqlite").inColumns(Document.Columns.title)   // title : sqlite
    /// ```
    public func inColumns(_ columns: any NamedColumn...) -> FTS5Query { inColumns(columns.map(\.name)) }

    /// Returns the query, restricted to all columns except the given ones.
    ///
    /// ```swift
    /// let query = FTS5Query("sqlite").notInColumns(Document.Columns.title)   // - title : sqlite
    /// ```
    public func notInColumns(_ columns: any NamedColumn...) -> FTS5Query { notInColumns(columns.map(\.name)) }
}
