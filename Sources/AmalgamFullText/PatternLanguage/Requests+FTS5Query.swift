import AmalgamCore
public import AmalgamQuery

extension TableRequest where Self: FilteredRequest {
    /// Returns this request, restricted to the rows of its FTS5 table that match a query.
    ///
    /// ```swift
    /// Document.all().matching("full text" || .prefix("sql")).order(Column.rank)
    /// // SELECT * FROM "document" WHERE "document" MATCH '"full text" OR sql*' ORDER BY "rank"
    /// ```
    ///
    /// Fetching throws an ``FTS5QueryError`` if the query names a column that the table doesn't have, or is nested too
    /// deeply.
    ///
    /// - Parameter query: The query. If nil, the request fetches no rows.
    public func matching(_ query: FTS5Query?) -> Self {
        guard let query else { return none() }
        let table = databaseTableName
        return filterWhenConnected { db in
            let query = try query.expanded(db, forTable: table)
            let pattern = try query.rawPattern()
            let match = SQLExpression(node: MatchNode(target: FullTextTableNode(), pattern: pattern.databaseValue))
            guard let rank = try TypoRank.rank(of: query, FullTextIndex(db: db, table: table)) else { return match }
            return match && Column.rank.matches(rank)
        }
    }

    /// Returns this request, restricted to the rows of its FTS5 table that match the text of a search box.
    ///
    /// ```swift
    /// Document.all().matching(searchBox: "swift -java data*").order(Column.rank)
    /// // SELECT * FROM "document" WHERE "document" MATCH 'swift data* NOT java' ORDER BY "rank"
    /// ```
    ///
    /// Every string is valid: see ``SearchBoxSyntax``. If the text has nothing to search for, such as an empty string,
    /// the request fetches no rows.
    ///
    /// Fetching throws an ``FTS5QueryError`` if the text contains a field, such as `title:` in `title:sqlite`, whose
    /// columns in `syntax` aren't all in the table; a ``DatabaseError`` if the table has the option `detail=none`, and the text
    /// contains a field.
    public func matching(searchBox text: String, syntax: SearchBoxSyntax = SearchBoxSyntax()) -> Self {
        matching(FTS5Query(searchBox: text, syntax: syntax))
    }
}

extension TableRecord {
    /// Returns a request of the rows of an FTS5 table that match a query. If the query is nil, the request fetches no
    /// rows.
    ///
    /// ```swift
    /// let notes = try Note.matching("full text" || .prefix("sql")).order(Column.rank).fetchAll(db)
    /// // SELECT * FROM "note" WHERE "note" MATCH '"full text" OR sql*' ORDER BY "rank"
    /// ```
    public static func matching(_ query: FTS5Query?) -> QueryInterfaceRequest<Self> { all().matching(query) }

    /// Returns a request of the rows of an FTS5 table that match the text of a search box.
    ///
    /// ```swift
    /// let notes = try Note.matching(searchBox: "swift -java").order(Column.rank).fetchAll(db)
    /// // SELECT * FROM "note" WHERE "note" MATCH 'swift NOT java' ORDER BY "rank"
    /// ```
    public static func matching(
        searchBox text: String, syntax: SearchBoxSyntax = SearchBoxSyntax()
    ) -> QueryInterfaceRequest<Self> {
        all().matching(searchBox: text, syntax: syntax)
    }
}

extension Table {
    /// Returns a request of the rows of an FTS5 table that match a query. If the query is nil, the request fetches no
    /// rows.
    ///
    /// ```swift
    /// let rows = try Table("note").matching("full text" || .prefix("sql")).fetchAll(db)
    /// // SELECT * FROM "note" WHERE "note" MATCH '"full text" OR sql*'
    /// ```
    public func matching(_ query: FTS5Query?) -> QueryInterfaceRequest<RowDecoder> { all().matching(query) }

    /// Returns a request of the rows of an FTS5 table that match the text of a search box.
    ///
    /// ```swift
    /// let rows = try Table("note").matching(searchBox: "swift -java").fetchAll(db)
    /// // SELECT * FROM "note" WHERE "note" MATCH 'swift NOT java'
    /// ```
    public func matching(
        searchBox text: String, syntax: SearchBoxSyntax = SearchBoxSyntax()
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().matching(searchBox: text, syntax: syntax)
    }
}
