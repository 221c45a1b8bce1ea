import AmalgamCore

/// Finds, for terms of an index, words that search for them.
///
/// FTS5 has no pattern for a term as it is: the tokenizer reads patterns as well, and may make another term of a term.
/// `porter` makes "databas" of "databases", and "databa" of "databas". So each word is given to the tokenizer before it is
/// returned.
struct TermWords {
    private let tokenizer: any FTS5Tokenizer

    /// Endings that stemmers of English remove, for terms whose texts aren't at hand.
    private static let endings = ["e", "s", "es", "ed", "ing", "ly", "y", "al", "ion", "er"]

    init(_ tokenizer: any FTS5Tokenizer) {
        self.tokenizer = tokenizer
    }

    /// Words by the terms that they search for: the term itself where it can be, or a word of the texts.
    ///
    /// Terms for which there is no word are left out.
    func words(for terms: [String], in texts: [String]) throws -> [String: String] {
        var words: [String: String] = [:]
        for term in terms where try isSearch(term, for: term) { words[term] = term }
        if words.count < terms.count { try addWords(for: terms, of: texts, to: &words) }
        for term in terms where words[term] == nil {
            words[term] = try Self.endings.lazy.map { term + $0 }.first { try isSearch($0, for: term) }
        }
        return words
    }

    /// A word for one of the terms; nil when there is none.
    func firstWord(for terms: [String], in texts: [String]) throws -> String? {
        if let term = try terms.first(where: { try isSearch($0, for: $0) }) { return term }
        let words = try words(for: terms, in: texts)
        return terms.lazy.compactMap { words[$0] }.first
    }

    private func addWords(for terms: [String], of texts: [String], to words: inout [String: String]) throws {
        var missing = Set(terms).subtracting(words.keys)
        for text in texts {
            for token in try tokenizer.tokens(of: text, for: .document) where missing.contains(token.text) {
                let word = String(text[token.range])
                guard !token.flags.contains(.colocated), try isSearch(word, for: token.text) else { continue }
                words[token.text] = word
                missing.remove(token.text)
                if missing.isEmpty { return }
            }
        }
    }

    /// Whether a pattern of the word searches for the term, and for nothing else.
    private func isSearch(_ word: String, for term: String) throws -> Bool {
        let tokens = try tokenizer.tokenize(query: word).filter { !$0.flags.contains(.colocated) }
        return tokens.count == 1 && tokens[0].token == term
    }
}
