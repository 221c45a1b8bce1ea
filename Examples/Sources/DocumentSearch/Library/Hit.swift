import Amalgam

/// A document that a search has found.
struct Hit: Equatable {
    let documentID: Int64
    let path: String
    let title: MarkedText
    let snippet: MarkedText
    let language: String
    let reviews: Int
    /// A higher score is better.
    let score: Double
}

extension Hit: FetchableRecord {
    init(row: Row) {
        let snippet: FTS5MarkedSnippet = row["snippet"]
        self.init(
            documentID: row["id"], path: row["path"], title: MarkedText(row["title"]),
            snippet: MarkedText(snippet.joined()), language: row["language"], reviews: row["reviews"] ?? 0,
            score: -(row["score"] as Double))
    }
}

extension Hit {
    /// Returns the best matching documents, best first: those with the fewest typos, and among these those with the
    /// highest scores.
    ///
    /// Marking matches requires reading complete documents. So a subquery chooses the best documents first, using the
    /// index only.
    ///
    /// - Throws: a `DatabaseError` if the FTS5 syntax of the query is invalid.
    static func best(_ limit: Int, matching query: Query, _ db: Database) throws -> QueryInterfaceRequest<Hit> {
        let (ranked, index) = (TableAlias<DocumentText>(), TableAlias<DocumentText>())
        let best = try Document.matching(query, db, ranked).select(\.id).order(ranked[Column.rank]).limit(limit)
        return try Document.matching(query, db, index)
            .filter { best.contains($0.id) }
            .select {
                [
                    $0.id, $0.path, $0.metadata["$.language"].forKey("language"),
                    $0.metadata["$.reviews"].forKey("reviews"), index[score].forKey("score"),
                    index[title].forKey("title"), index[snippet].forKey("snippet"),
                ]
            }
            .order(index[Column.rank])
            .asRequest(of: Hit.self)
    }

    /// Matches in a title count eight times, matches in a path four times, as in the rank of the index: see `Schema`.
    private static let score = FTS5.bm25(weights: ["title": 8, "path": 4])

    private static let title = FTS5.markedText(DocumentText.Columns.title)

    private static let snippet = FTS5.markedSnippet(DocumentText.Columns.body, tokenCount: 28)
}
