import AmalgamCore
public import AmalgamQuery

extension TableRequest where Self: FilteredRequest {
    /// Returns this request, restricted to the rows of its ``FTS3`` or ``FTS4`` table that match a pattern.
    ///
    /// ```swift
    /// Document.all().matching(FTS3Pattern(matchingAllTokensIn: "moby dick"))
    /// // SELECT * FROM "document" WHERE "document" MATCH 'moby dick'
    /// ```
    ///
    /// Fetching throws `unable to use function MATCH in the requested context` if the table isn't a full-text table.
    ///
    /// - Parameter pattern: The pattern. If nil, the request fetches no rows.
    public func matching(_ pattern: FTS3Pattern?) -> Self { matching(rawPattern: pattern?.databaseValue) }

    /// Returns this request, restricted to the rows of its ``FTS5`` table that match a pattern.
    ///
    /// ```swift
    /// Document.all().matching(FTS5Pattern(matchingAllTokensIn: "moby dick")).order(Column.rank)
    /// // SELECT * FROM "document" WHERE "document" MATCH 'moby dick' ORDER BY "rank"
    /// ```
    ///
    /// To filter the rows of a content table, such as `book`, join the content table with its full-text table by an
    /// association:
    ///
    /// ```swift
    /// struct BookSearch: TableRecord {}
    /// struct Book: TableRecord {
    ///     static let search = hasOne(BookSearch.self, using: ForeignKey([.rowID]))
    /// }
    ///
    /// let pattern = FTS5Pattern(matchingAllTokensIn: "moby dick")
    /// Book.joining(required: Book.search.matching(pattern))
    /// // SELECT "book".* FROM "book"
    /// // JOIN "bookSearch" ON ("bookSearch"."rowid" = "book"."id") AND ("bookSearch" MATCH 'moby dick')
    /// ```
    ///
    /// Fetching throws `unable to use function MATCH in the requested context` if the table isn't a full-text table.
    ///
    /// - Parameter pattern: The pattern. If nil, the request fetches no rows.
    public func matching(_ pattern: FTS5Pattern?) -> Self { matching(rawPattern: pattern?.databaseValue) }

    private func matching(rawPattern: DatabaseValue?) -> Self {
        guard let rawPattern else { return none() }
        return _filter(SQLExpression(node: MatchNode(target: FullTextTableNode(), pattern: rawPattern)))
    }
}

extension TableRecord {
    /// Returns a request of the rows of an ``FTS3`` or ``FTS4`` table that match a pattern. If the pattern is nil, the
    /// request fetches no rows.
    ///
    /// ```swift
    /// let notes = try Note.matching(FTS3Pattern(matchingPhrase: "moby dick")).fetchAll(db)
    /// // SELECT * FROM "note" WHERE "note" MATCH '"moby dick"'
    /// ```
    public static func matching(_ pattern: FTS3Pattern?) -> QueryInterfaceRequest<Self> { all().matching(pattern) }

    /// Returns a request of the rows of an ``FTS5`` table that match a pattern. If the pattern is nil, the request
    /// fetches no rows.
    ///
    /// ```swift
    /// let notes = try Note.matching(FTS5Pattern(matchingAllTokensIn: "moby dick")).order(Column.rank).fetchAll(db)
    /// // SELECT * FROM "note" WHERE "note" MATCH 'moby dick' ORDER BY "rank"
    /// ```
    public static func matching(_ pattern: FTS5Pattern?) -> QueryInterfaceRequest<Self> { all().matching(pattern) }
}

extension Table {
    /// Returns a request of the rows of an ``FTS3`` or ``FTS4`` table that match a pattern. If the pattern is nil, the
    /// request fetches no rows.
    ///
    /// ```swift
    /// let rows = try Table("note").matching(FTS3Pattern(matchingPhrase: "moby dick")).fetchAll(db)
    /// // SELECT * FROM "note" WHERE "note" MATCH '"moby dick"'
    /// ```
    public func matching(_ pattern: FTS3Pattern?) -> QueryInterfaceRequest<RowDecoder> { all().matching(pattern) }

    /// Returns a request of the rows of an ``FTS5`` table that match a pattern. If the pattern is nil, the request
    /// fetches no rows.
    ///
    /// ```swift
    /// let rows = try Table("note").matching(FTS5Pattern(matchingAllTokensIn: "moby dick")).fetchAll(db)
    /// // SELECT * FROM "note" WHERE "note" MATCH 'moby dick'
    /// ```
    public func matching(_ pattern: FTS5Pattern?) -> QueryInterfaceRequest<RowDecoder> { all().matching(pattern) }
}
