import AmalgamCore
public import AmalgamQuery

extension TableRequest where Self: FilteredRequest {
    /// The rows of an FTS5 table that match a query.
    ///
    /// ```swift
    /// Document.all().matching("full text" || .prefix("sql")).order(Column.rank)
    /// // SELECT * FROM "document" WHERE "document" MATCH '"full text" OR sql*' ORDER BY "rank"
    /// ```
    ///
    /// Fetching throws an ``FTS5QueryError`` when the query names a column that the table does not have, or is nested too
    /// deeply.
    ///
    /// - Parameter query: no row matches nil.
    public func matching(_ query: FTS5Query?) -> Self {
        guard let query else { return none() }
        let table = databaseTableName
        return filterWhenConnected { db in
            let pattern = try query.pattern(db, forTable: table)
            return SQLExpression(node: MatchNode(target: FullTextTableNode(), pattern: pattern.databaseValue))
        }
    }

    /// The rows of an FTS5 table that people look for, as they type it into a search box.
    ///
    /// ```swift
    /// Document.all().matching(searchBox: "swift -java data*").order(Column.rank)
    /// // SELECT * FROM "document" WHERE "document" MATCH 'swift data* NOT java' ORDER BY "rank"
    /// ```
    ///
    /// No text is an error: see ``SearchBoxSyntax``. No row matches a text with nothing to look for, such as an empty one;
    /// ``FTS5Query/init(searchBox:syntax:)`` tells it beforehand. Fetching throws an ``FTS5QueryError`` when a field of
    /// the syntax is a column that the table does not have, and somebody uses it; and a ``DatabaseError`` for phrases, such as
    /// `"full text"` and `e-mail`, in a table with less than `detail=full`, which knows none.
    public func matching(searchBox text: String, syntax: SearchBoxSyntax = SearchBoxSyntax()) -> Self {
        matching(FTS5Query(searchBox: text, syntax: syntax))
    }
}

extension TableRecord {
    /// The rows of an FTS5 table that match a query; none for nil.
    public static func matching(_ query: FTS5Query?) -> QueryInterfaceRequest<Self> { all().matching(query) }

    /// The rows of an FTS5 table that people look for, as they type it into a search box.
    public static func matching(
        searchBox text: String, syntax: SearchBoxSyntax = SearchBoxSyntax()
    ) -> QueryInterfaceRequest<Self> {
        all().matching(searchBox: text, syntax: syntax)
    }
}

extension Table {
    /// The rows of an FTS5 table that match a query; none for nil.
    public func matching(_ query: FTS5Query?) -> QueryInterfaceRequest<RowDecoder> { all().matching(query) }

    /// The rows of an FTS5 table that people look for, as they type it into a search box.
    public func matching(
        searchBox text: String, syntax: SearchBoxSyntax = SearchBoxSyntax()
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().matching(searchBox: text, syntax: syntax)
    }
}
