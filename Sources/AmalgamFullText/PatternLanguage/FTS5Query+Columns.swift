extension FTS5Query {
    /// Columns that a query looks at, or does not look at.
    struct ColumnFilter: Hashable, Sendable {
        var columns: [String]
        var isExcluding = false
    }

    /// The same query in some columns only: `{title author} : sqlite`.
    ///
    /// ```swift
    /// let query = FTS5Query("sqlite").inColumns("title", "author")
    /// ```
    ///
    /// Inside of another filter, the columns are those that both name. See
    /// <https://www.sqlite.org/fts5.html#fts5_column_filters>.
    public func inColumns(_ columns: String...) -> FTS5Query { inColumns(columns) }

    /// The same query in some columns only. In no column, it finds nothing.
    public func inColumns(_ columns: [String]) -> FTS5Query {
        columns.isEmpty ? .nothing : FTS5Query(.filter(ColumnFilter(columns: columns), self))
    }

    /// The same query in all columns but some: `- title : sqlite`.
    public func notInColumns(_ columns: String...) -> FTS5Query { notInColumns(columns) }

    /// The same query in all columns but some.
    public func notInColumns(_ columns: [String]) -> FTS5Query {
        columns.isEmpty ? self : FTS5Query(.filter(ColumnFilter(columns: columns, isExcluding: true), self))
    }

    /// The names of all columns in filters.
    var columnNames: [String] {
        switch node {
        case .filter(let filter, let query): filter.columns + query.columnNames
        default: node.parts.flatMap(\.columnNames)
        }
    }
}
