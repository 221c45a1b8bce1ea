public import AmalgamCore

extension FTS5Query {
    /// The query as a pattern for a table.
    ///
    /// ```swift
    /// let pattern = try FTS5Query("sqlite").inColumns("title").pattern(db, forTable: "document")   // title : sqlite
    /// try FTS5Query("sqlite").inColumns("titel").pattern(db, forTable: "document")
    /// // throws: no such column: titel. The columns of document are: title, body
    /// ```
    ///
    /// - throws: an ``FTS5QueryError`` for a query that cannot be used with the table; a ``DatabaseError`` when the query
    ///   names columns, and the table does not exist.
    public func pattern(_ db: Database, forTable table: String) throws -> FTS5Pattern {
        let rawPattern = try rawPattern()
        try checkColumns(db, table)
        return FTS5Pattern(known: rawPattern)
    }

    /// FTS5 would say the same of an unknown column, and not which ones there are.
    private func checkColumns(_ db: Database, _ table: String) throws {
        let names = columnNames
        if names.isEmpty { return }
        let columns = try db.columns(in: table).filter { !$0.isHidden }.map(\.name)
        let known = Set(columns.map(TableName.init))
        if let name = names.first(where: { !known.contains(TableName($0)) }) {
            throw FTS5QueryError.unknownColumn(name, table: table, columns: columns)
        }
    }
}
