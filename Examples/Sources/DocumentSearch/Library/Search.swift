import Amalgam

struct SearchResult {
    let query: Query
    /// What FTS5 was asked.
    let pattern: FTS5Pattern
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
        let (pattern, hits, count) = try pool.read { db in
            let pattern = try query.pattern(db)
            return try (pattern, Hit.best(limit, matching: pattern).fetchAll(db), hitCount(db, query))
        }
        let duration = start.duration(to: .now)
        return SearchResult(
            query: query, pattern: pattern, hits: hits, count: count,
            documentCount: try pool.read(Document.fetchCount), duration: duration)
    }

    /// The documents that fit best: now, and again after each commit that changes what is found of them.
    func observe(_ query: Query, limit: Int = 5) -> AsyncValueObservation<[Hit]> {
        ValueObservation
            .tracking { db in try Hit.best(limit, matching: query.pattern(db)).fetchAll(db) }
            .values(in: pool)
    }

    /// How many documents a query finds.
    func hitCount(_ db: Database, _ query: Query) throws -> Int {
        try DocumentText.matching(query.pattern(db)).fetchCount(db)
    }

    /// Fails early, and in words, on a query that FTS5 does not understand.
    func check(_ query: Query) throws {
        do {
            _ = try pool.read { db in try hitCount(db, query) }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            throw Failure(
                "FTS5 does not understand the query \(query.text): \(error.message ?? "").",
                advice: "Without --raw, no query is wrong.", exitCode: 2)
        }
    }
}
