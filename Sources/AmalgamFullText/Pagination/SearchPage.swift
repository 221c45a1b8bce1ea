public import AmalgamCore
public import AmalgamQuery
public import AmalgamRecords

/// A page of search results, and the cursor of the next page.
///
/// ```swift
/// let page = try Document.matching("sqlite").order(Column.rank).fetchPage(db, count: 20)
/// print(page.elements.count, page.next == nil ? "last page" : "more")
/// ```
public struct SearchPage<Element> {
    /// The results on the page.
    public var elements: [Element]

    /// The cursor of the next page; nil on the last page.
    public var next: SearchPageCursor?

    /// Creates a page.
    public init(elements: [Element], next: SearchPageCursor?) {
        self.elements = elements
        self.next = next
    }
}

extension SearchPage: Sendable where Element: Sendable {}

extension SearchPage: Equatable where Element: Equatable {}

extension QueryInterfaceRequest where RowDecoder: FetchableRecord {
    /// Fetches one page of the results of a search. Pages repeat no result, even if documents change between two pages.
    ///
    /// ```swift
    /// let results = Document.matching(searchBox: "sqlite").order(Column.rank)
    /// let first = try results.fetchPage(db, count: 20)
    /// if let cursor = first.next {
    ///     let second = try results.fetchPage(db, count: 20, after: cursor)
    /// }
    /// // SELECT *, "rowid" AS "searchPageRowID" FROM "document"
    /// // WHERE ("document" MATCH 'sqlite') AND ("rowid" NOT IN (SELECT +value FROM carray(?)))
    /// // ORDER BY "rank", "rowid" LIMIT 21
    /// ```
    ///
    /// The rank of a document depends on all other documents: each insertion changes all ranks slightly. If pages began
    /// at an offset, or after the rank of the last result, they would repeat or skip results. Therefore, a page holds
    /// the best current results that are on no previous page. No result is repeated. A document that matches from the
    /// first page to the last is on one of the pages. The order of results may change between two pages.
    ///
    /// The time of a page grows with the number of results on earlier pages: the search for the best rows finds these, too,
    /// and skips them. With 20 results per page, of 100,000 short documents, the first 10 pages take about as long as the
    /// first one, and page 100 takes about 10 times as long. The statement fetches one row more than the page has, to find
    /// out whether there is a next page.
    ///
    /// The request must fetch rows of a table with rowids, and each row of the table at most once. Its rows can't stand for
    /// several rows of the table: with DISTINCT, it must select the primary key, and GROUP BY must name the primary key, as
    /// the aggregates of associations do. A limit of the request is ignored. Rows with equal values in the ORDER BY clause are ordered by the primary key, or by the rowid of
    /// a full-text index that is joined with it. The rows of a request that is also ordered by another table are sorted by
    /// SQLite, which ranks all matches for each page.
    ///
    /// - Parameters:
    ///   - count: The maximum number of results. It must be positive.
    ///   - cursor: The cursor of the previous page; nil for the first page.
    /// - Throws: A ``DatabaseError`` if the statement fails; `SQLITE_MISUSE` if `count` isn't positive, or is
    ///   `Int.max`, or if a row of the request may stand for several rows of the table; a ``RowDecodingError`` if a `rowid` column isn't an integer.
    public func fetchPage(
        _ db: Database, count: Int, after cursor: SearchPageCursor? = nil
    ) throws -> SearchPage<RowDecoder> {
        guard count > 0, count < .max else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "a page has one result at least, and not \(count)")
        }
        guard try rowsAreRowsOfTable(db) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: """
                    pages need a request whose rows are rows of the table \(databaseTableName): without DISTINCT, unless \
                    the primary key is selected, and without groups, unless they are those of the primary key. Fetch this \
                    request with limit(_:offset:).
                    """)
        }
        let previous = cursor?.rowIDs ?? []
        let rows = try Row.fetchAll(db, without(previous).limit(count + 1))
        let page = rows.prefix(count)
        let rowIDs = try page.map { try $0.decode(Int64.self, forColumn: Self.rowIDKey) }
        return SearchPage(
            elements: try page.map { try RowDecoder(row: $0) },
            next: rows.count > count ? SearchPageCursor(rowIDs: previous + rowIDs) : nil)
    }

    private static var rowIDKey: String { "searchPageRowID" }

    private func without(_ rowIDs: [Int64]) -> QueryInterfaceRequest {
        let request = annotated(with: Column.rowID.forKey(Self.rowIDKey)).withStableOrder()
        return rowIDs.isEmpty ? request : request.filter(!SQLArray(rowIDs).contains(Column.rowID))
    }
}
