extension FTS5Query {
    /// A word that is expanded when the query becomes a pattern for a table: into similar terms of the table, or into
    /// what the user may still be typing.
    struct Word: Hashable, Sendable {
        /// The string. It may have several tokens, or none.
        var text: String

        /// Whether the last token is a prefix.
        var isPrefix = false

        /// Whether the user may still be typing the last token. Then the word matches all that each longer word would.
        var isTyped = false

        /// The tolerated typos. If nil, the word has to match exactly.
        var tolerance: TypoTolerance?

        /// The expansion, which begins with the word itself. Before the expansion, the array is empty.
        var alternatives: [Alternative] = []
    }

    /// A query that a word may stand for.
    struct Alternative: Hashable, Sendable {
        var query: FTS5Query
        var typoCount: Int
    }
}

extension FTS5Query.Word {
    /// The phrase of the word itself.
    var phrase: FTS5Phrase { (isPrefix ? FTS5Phrase.prefix(text) : FTS5Phrase(text)).asTyped }

    /// The queries of the alternatives, or the word itself before the expansion.
    var queries: [FTS5Query] { alternatives.isEmpty ? [.phrase(phrase)] : alternatives.map(\.query) }

    /// Whether the syntax of the word is that of a phrase.
    var isBarePhrase: Bool { alternatives.count <= 1 }

    /// The word with a transformed phrase.
    func mapPhrase(_ transform: (FTS5Phrase) throws -> FTS5Phrase) rethrows -> FTS5Query.Word {
        var word = self
        word.text = try transform(phrase).parts.map(\.text).joined(separator: " ")
        word.alternatives = []
        return word
    }
}
