import Amalgam

struct SearchResult {
    let query: Query
    /// The pattern that FTS5 searched for.
    let pattern: FTS5Pattern
    /// The similar words that it also searched for.
    let corrections: [Query.Correction]
    let hits: [Hit]
    /// The number of all matching documents, the best of which are the hits.
    let count: Int
    let documentCount: Int
    let duration: Duration
}

extension Library {
    /// Returns the best matching documents, best first.
    func search(_ query: Query, limit: Int = 5) throws -> SearchResult {
        let start = ContinuousClock.now
        let (hits, count) = try pool.read { db in
            try (Hit.best(limit, matching: query, db).fetchAll(db), hitCount(db, query))
        }
        let duration = start.duration(to: .now)
        return try pool.read { db in
            try SearchResult(
                query: query, pattern: query.pattern(db), corrections: query.corrections(db), hits: hits, count: count,
                documentCount: Document.fetchCount(db), duration: duration)
        }
    }

    /// Returns the best matching documents: now, and again after each commit that changes them.
    func observe(_ query: Query, limit: Int = 5) -> AsyncValueObservation<[Hit]> {
        ValueObservation
            .tracking { db in try Hit.best(limit, matching: query, db).fetchAll(db) }
            .values(in: pool)
    }

    /// Returns the number of documents that a query finds.
    func hitCount(_ db: Database, _ query: Query) throws -> Int {
        try query.matches(of: DocumentText.all(), db).fetchCount(db)
    }

    /// Checks a query, and throws a readable error if FTS5 can't parse it.
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
