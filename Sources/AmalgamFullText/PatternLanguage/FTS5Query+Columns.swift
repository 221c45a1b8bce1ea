extension FTS5Query {
    /// The columns that a query searches, or doesn't search.
    struct ColumnFilter: Hashable, Sendable {
        var columns: [String]
        var isExcluding = false
    }

    /// Returns the query, restricted to the given columns: `{title author} : sqlite`.
    ///
    /// ```swift
    /// let query = FTS5Query("sqlite").inColumns("title", "author")
    /// ```
    ///
    /// A query with several nested column filters searches the columns that all of them allow. See
    /// <https://www.sqlite.org/fts5.html#fts5_column_filters>.
    public func inColumns(_ columns: String...) -> FTS5Query { inColumns(columns) }

    /// Returns the query, restricted to the given columns. If the array is empty, the query matches nothing.
    ///
    /// ```swift
    /// let query = FTS5Query("sqlite").inColumns(["title", "author"])   // {title author} : sqlite
    /// ```
    public func inColumns(_ columns: [String]) -> FTS5Query {
        columns.isEmpty ? .nothing : FTS5Query(.filter(ColumnFilter(columns: columns), self))
    }

    /// Returns the query, restricted to all columns except the given ones.
    ///
    /// ```swift
    /// let query = FTS5Query("sqlite").notInColumns("title")   // - title : sqlite
    /// ```
    public func notInColumns(_ columns: String...) -> FTS5Query { notInColumns(columns) }

    /// Returns the query, restricted to the columns that aren't in the array. An empty array excludes no column.
    public func notInColumns(_ columns: [String]) -> FTS5Query {
        columns.isEmpty ? self : FTS5Query(.filter(ColumnFilter(columns: columns, isExcluding: true), self))
    }

    /// The column names in all column filters.
    var columnNames: [String] {
        switch node {
        case .filter(let filter, let query): filter.columns + query.columnNames
        default: node.parts.flatMap(\.columnNames)
        }
    }
}
