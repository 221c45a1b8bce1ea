import Amalgam

/// A document that was found.
struct Hit {
    let documentID: Int64
    let path: String
    let title: MarkedText
    let snippet: MarkedText
    let language: String
    /// The higher, the better.
    let score: Double
}

extension Hit: FetchableRecord {
    init(row: Row) {
        self.init(
            documentID: row["id"], path: row["path"], title: MarkedText(marked: row["title"]),
            snippet: MarkedText(marked: row["snippet"]), language: row["language"], score: -(row["rank"] as Double))
    }
}

struct SearchResult {
    let query: Query
    let hits: [Hit]
    /// How many documents were found, of which the hits are the best.
    let count: Int
    let documentCount: Int
    let duration: Duration
}

extension Library {
    /// The documents that fit best, best first.
    func search(_ query: Query, limit: Int = 5) throws -> SearchResult {
        let start = ContinuousClock.now
        let (hits, count) = try pool.read { db in try (self.hits(db, query, limit), hitCount(db, query)) }
        let duration = start.duration(to: .now)
        let documentCount = try pool.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM document")! }
        return SearchResult(query: query, hits: hits, count: count, documentCount: documentCount, duration: duration)
    }

    private func hits(_ db: Database, _ query: Query, _ limit: Int) throws -> [Hit] {
        let sql = """
            SELECT document.id, document.path, document.metadata ->> '$.language' AS language, rank,
                   highlight(documentText, 0, :open, :close) AS title,
                   snippet(documentText, 2, :open, :close, '…', 28) AS snippet
            FROM documentText JOIN document ON document.id = documentText.rowid
            WHERE documentText MATCH :pattern ORDER BY rank LIMIT :limit
            """
        let arguments: StatementArguments = [
            "open": String(MarkedText.open), "close": String(MarkedText.close),
            "pattern": query.pattern, "limit": limit,
        ]
        return try Hit.fetchAll(db, sql: sql, arguments: arguments)
    }

    /// How many documents a query finds.
    func hitCount(_ db: Database, _ query: Query) throws -> Int {
        let sql = "SELECT count(*) FROM documentText WHERE documentText MATCH ?"
        return try Int.fetchOne(db, sql: sql, arguments: [query.pattern])!
    }

    /// Fails early, and in words, on a query that FTS5 does not understand.
    func check(_ query: Query) throws {
        do {
            _ = try pool.read { db in try hits(db, query, 1) }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            throw Failure(
                "FTS5 does not understand the query \(query.text): \(error.message ?? "").",
                advice: "Without --raw, the words of the query are taken as they are.", exitCode: 2)
        }
    }
}
