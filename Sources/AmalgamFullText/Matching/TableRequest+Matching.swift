import AmalgamCore
public import AmalgamQuery

extension TableRequest where Self: FilteredRequest {
    /// The rows of an ``FTS3`` or ``FTS4`` table that match a pattern.
    ///
    /// ```swift
    /// Document.all().matching(FTS3Pattern(matchingAllTokensIn: "moby dick"))
    /// // SELECT * FROM "document" WHERE "document" MATCH 'moby dick'
    /// ```
    ///
    /// Fetching throws `unable to use function MATCH in the requested context` for a table that is no full-text table.
    ///
    /// - Parameter pattern: no row matches nil.
    public func matching(_ pattern: FTS3Pattern?) -> Self { matching(rawPattern: pattern?.databaseValue) }

    /// The rows of an ``FTS5`` table that match a pattern.
    ///
    /// ```swift
    /// Document.all().matching(FTS5Pattern(matchingAllTokensIn: "moby dick")).order(Column.rank)
    /// // SELECT * FROM "document" WHERE "document" MATCH 'moby dick' ORDER BY "rank"
    /// ```
    ///
    /// An association to a full-text table finds the rows of its content table:
    ///
    /// ```swift
    /// extension Book {
    ///     static let search = hasOne(BookSearch.self, using: ForeignKey([.rowID]))
    /// }
    /// Book.joining(required: Book.search.matching(pattern))
    /// // SELECT "book".* FROM "book"
    /// // JOIN "bookSearch" ON ("bookSearch"."rowid" = "book"."id") AND ("bookSearch" MATCH 'moby dick')
    /// ```
    ///
    /// Fetching throws `unable to use function MATCH in the requested context` for a table that is no full-text table.
    ///
    /// - Parameter pattern: no row matches nil.
    public func matching(_ pattern: FTS5Pattern?) -> Self { matching(rawPattern: pattern?.databaseValue) }

    private func matching(rawPattern: DatabaseValue?) -> Self {
        guard let rawPattern else { return none() }
        return _filter(SQLExpression(node: MatchNode(target: FullTextTableNode(), pattern: rawPattern)))
    }
}

extension TableRecord {
    /// The rows of an ``FTS3`` or ``FTS4`` table that match a pattern; none for nil.
    public static func matching(_ pattern: FTS3Pattern?) -> QueryInterfaceRequest<Self> { all().matching(pattern) }

    /// The rows of an ``FTS5`` table that match a pattern; none for nil.
    public static func matching(_ pattern: FTS5Pattern?) -> QueryInterfaceRequest<Self> { all().matching(pattern) }
}

extension Table {
    /// The rows of an ``FTS3`` or ``FTS4`` table that match a pattern; none for nil.
    public func matching(_ pattern: FTS3Pattern?) -> QueryInterfaceRequest<RowDecoder> { all().matching(pattern) }

    /// The rows of an ``FTS5`` table that match a pattern; none for nil.
    public func matching(_ pattern: FTS5Pattern?) -> QueryInterfaceRequest<RowDecoder> { all().matching(pattern) }
}
