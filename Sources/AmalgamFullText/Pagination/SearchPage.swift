public import AmalgamCore
public import AmalgamQuery
public import AmalgamRecords

/// Some results of a search, and where the next ones begin.
public struct SearchPage<Element> {
    /// The results.
    public var elements: [Element]

    /// What the next page begins after; nil when there were no more results.
    public var next: SearchPageCursor?

    /// A page.
    public init(elements: [Element], next: SearchPageCursor?) {
        self.elements = elements
        self.next = next
    }
}

extension SearchPage: Sendable where Element: Sendable {}

extension SearchPage: Equatable where Element: Equatable {}

extension QueryInterfaceRequest where RowDecoder: FetchableRecord {
    /// A page of the results, which stays right while documents change.
    ///
    /// ```swift
    /// let results = Document.matching(searchBox: text).order(Column.rank)
    /// let first = try results.fetchPage(db, count: 20)
    /// if let cursor = first.next {
    ///     let second = try results.fetchPage(db, count: 20, after: cursor)
    /// }
    /// // SELECT *, "rowid" AS "searchPageRowID" FROM "document"
    /// // WHERE ("document" MATCH 'sqlite') AND ("rowid" NOT IN carray(?)) ORDER BY "rank", "rowid" LIMIT 21
    /// ```
    ///
    /// The rank of a document depends on all the others: each insertion moves all ranks a little. An offset, and the rank
    /// of the last result as well, would then repeat results, or skip them. So a page holds the best results of now that
    /// are on no page before: no result comes twice, and none that matches all the time is lost. Only the order may tell
    /// that documents have changed between two pages.
    ///
    /// A page costs as much as the first one: a ranked search ranks all matches. It asks for one row more than the page
    /// has, and so knows whether there is a next one.
    ///
    /// The request fetches rows of a table with rowids, each one once; its limit does not count. Rows of equal order are
    /// ordered by the primary key.
    ///
    /// - Parameters:
    ///   - count: how many results, at most; one at least.
    ///   - cursor: where the page begins; nil for the first page.
    /// - throws: a ``DatabaseError``; `SQLITE_MISUSE` for a count below one; a ``RowDecodingError`` for a `rowid` column
    ///   that is no integer.
    public func fetchPage(
        _ db: Database, count: Int, after cursor: SearchPageCursor? = nil
    ) throws -> SearchPage<RowDecoder> {
        guard count > 0, count < .max else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "a page has one result at least, and not \(count)")
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
