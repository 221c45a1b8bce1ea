import Amalgam

/// The suggestions of a search box, in addition to the results.
struct Suggestions: Equatable {
    /// Probable queries: the query with its last word completed.
    var completions: [String] = []

    /// "Did you mean …?" if nothing is found: the query with words that documents contain.
    var correction: Correction?

    struct Correction: Equatable {
        var text: String
        var count: Int
    }
}

extension Library {
    /// The unchanged words of the documents, because the search index only has their stems.
    private static let vocabulary = FTS5Terms("documentTerms", of: "documentWords")

    /// Returns suggestions for a search. There are none for FTS5 syntax, which isn't typed into a search box.
    func suggestions(for result: SearchResult) throws -> Suggestions {
        let query = result.query
        if query.isRaw { return Suggestions() }
        return try pool.read { db in
            let completions = try Self.vocabulary
                .completions(db, ofSearchBox: query.text, syntax: Query.syntax, limit: 5)
                .filter { $0.lowercased() != query.text.lowercased() }
            return Suggestions(
                completions: completions, correction: result.count == 0 ? try correction(db, query) : nil)
        }
    }

    /// Returns a correction of the query.
    ///
    /// - Returns: nil if the correction would find nothing: the words are those of titles and bodies, but the query may
    ///   also search paths, or exclude all results.
    private func correction(_ db: Database, _ query: Query) throws -> Suggestions.Correction? {
        guard let text = try Self.vocabulary.correction(db, ofSearchBox: query.text, syntax: Query.syntax) else {
            return nil
        }
        let count = try hitCount(db, Query(searchBox: text))
        return count == 0 ? nil : Suggestions.Correction(text: text, count: count)
    }
}
