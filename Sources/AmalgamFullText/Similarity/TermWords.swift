import AmalgamCore

/// Finds words that the tokenizer changes to given terms of an index.
///
/// A pattern can't contain a term directly, because FTS5 also tokenizes patterns. `porter` changes "databases" to the
/// term "databas", but the pattern "databas" to "databa". Therefore, each word is verified with the tokenizer.
struct TermWords {
    private let tokenizer: any FTS5Tokenizer

    /// The suffixes that English stemmers remove. They are tried for terms without a word in the text.
    private static let endings = ["e", "s", "es", "ed", "ing", "ly", "y", "al", "ion", "er"]

    init(_ tokenizer: any FTS5Tokenizer) {
        self.tokenizer = tokenizer
    }

    /// Returns a word for each term: the term itself if the tokenizer doesn't change it, otherwise a word in `texts`
    /// that the tokenizer changes to the term, otherwise the term with a suffix that the tokenizer removes, such as "s"
    /// or "ing".
    ///
    /// The dictionary doesn't contain terms without such a word.
    func words(for terms: [String], in texts: [String]) throws -> [String: String] {
        var words: [String: String] = [:]
        for term in terms where try isSearch(term, for: term) { words[term] = term }
        if words.count < terms.count { try addWords(for: terms, of: texts, to: &words) }
        for term in terms where words[term] == nil {
            words[term] = try Self.endings.lazy.map { term + $0 }.first { try isSearch($0, for: term) }
        }
        return words
    }

    /// A word for one of the terms; nil if there is none.
    func firstWord(for terms: [String], in texts: [String]) throws -> String? {
        if let term = try terms.first(where: { try isSearch($0, for: $0) }) { return term }
        let words = try words(for: terms, in: texts)
        return terms.lazy.compactMap { words[$0] }.first
    }

    private func addWords(for terms: [String], of texts: [String], to words: inout [String: String]) throws {
        var missing = Set(terms).subtracting(words.keys)
        for text in texts {
            for token in try tokenizer.words(of: text, for: .document) where missing.contains(token.token) {
                guard !token.flags.contains(.colocated), try isSearch(token.word, for: token.token) else { continue }
                words[token.token] = token.word
                missing.remove(token.token)
                if missing.isEmpty { return }
            }
        }
    }

    /// Whether the word's only token is the term.
    private func isSearch(_ word: String, for term: String) throws -> Bool {
        let tokens = try tokenizer.tokenize(query: word).filter { !$0.flags.contains(.colocated) }
        return tokens.count == 1 && tokens[0].token == term
    }
}
