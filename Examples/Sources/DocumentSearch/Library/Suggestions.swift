import Amalgam

/// What a search box offers beside the results.
struct Suggestions: Equatable {
    /// What the user may be about to type: the query, with its last word completed.
    var completions: [String] = []

    /// "Did you mean …?", when nothing is found: the query, with words that documents have.
    var correction: Correction?

    struct Correction: Equatable {
        var text: String
        var count: Int
    }
}

extension Library {
    /// The words of the documents as they are: the index that is searched has only their stems.
    private static let vocabulary = FTS5Terms("documentTerms", of: "documentWords")

    /// There are none for FTS5 syntax, which nobody types into a search box.
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

    /// - Returns: nil for a correction that finds nothing: the words are those of titles and bodies, and the query may look
    ///   at paths as well, or exclude all that it finds.
    private func correction(_ db: Database, _ query: Query) throws -> Suggestions.Correction? {
        guard let text = try Self.vocabulary.correction(db, ofSearchBox: query.text, syntax: Query.syntax) else {
            return nil
        }
        let count = try hitCount(db, Query(searchBox: text))
        return count == 0 ? nil : Suggestions.Correction(text: text, count: count)
    }
}
