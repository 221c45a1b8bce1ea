public import AmalgamQuery

extension FTS5Query {
    /// The same query in some columns only: `FTS5Query("sqlite").inColumns(Document.Columns.title)`.
    public func inColumns(_ columns: any ColumnExpression...) -> FTS5Query { inColumns(columns.map(\.name)) }

    /// The same query in all columns but some: `FTS5Query("sqlite").notInColumns(Document.Columns.title)`.
    public func notInColumns(_ columns: any ColumnExpression...) -> FTS5Query { notInColumns(columns.map(\.name)) }
}
