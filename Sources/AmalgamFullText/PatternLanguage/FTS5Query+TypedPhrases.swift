/// An index without positions (`detail=column` or `detail=none`) answers no queries for phrases of several tokens. Which words
/// have several tokens depends on the tokenizer: "e-mail" has two. So a phrase that a user has typed becomes a query for its
/// words in such a table.
extension FTS5Query {
    /// Whether the query has a phrase that a user has typed.
    var hasTypedPhrase: Bool {
        switch node {
        case .phrase(let phrase): phrase.isTyped
        case .word: true
        default: node.parts.contains(where: \.hasTypedPhrase)
        }
    }

    /// The query with the words of typed phrases in place of the phrases.
    func replacingTypedPhrases(by tokenizer: any FTS5Tokenizer) throws -> FTS5Query {
        func replacing(_ query: FTS5Query) throws -> FTS5Query { try query.replacingTypedPhrases(by: tokenizer) }
        switch node {
        case .phrase(let phrase): return phrase.isTyped ? try phrase.words(tokenizer) ?? self : self
        case .word(let word):
            let queries = try word.queries.map { try $0.replacingPhrase(by: tokenizer) }
            return queries == word.queries ? self : Self.any(queries) ?? self
        case .initial, .near, .tooDeep, .or([]): return self
        case .filter(let filter, let query): return FTS5Query(.filter(filter, try replacing(query)))
        case .sequence(let queries), .and(let queries): return Self.combined(try queries.map(replacing), .and) ?? self
        case .or(let queries): return Self.combined(try queries.map(replacing), .or) ?? self
        case .not(let query, let excluded): return FTS5Query(.not(try replacing(query), try replacing(excluded)))
        }
    }

    /// An alternative of a word, without a phrase of several words.
    private func replacingPhrase(by tokenizer: any FTS5Tokenizer) throws -> FTS5Query {
        guard case .phrase(let phrase) = node else { return self }
        return try phrase.words(tokenizer) ?? self
    }
}

extension FTS5Phrase {
    /// A query for the words of the phrase, each of which has one token. Nil if the phrase has fewer than two tokens.
    fileprivate func words(_ tokenizer: any FTS5Tokenizer) throws -> FTS5Query? {
        let words = try parts.flatMap { try $0.words(tokenizer) }
        if words.count < 2 { return nil }
        return FTS5Query.all(
            try words.filter { word in
                guard case .phrase(let phrase) = word.node else { return false }
                return try phrase.parts.flatMap { try $0.words(tokenizer) }.count == 1
            })
    }
}

extension FTS5Phrase.Part {
    /// A query for each word of the string. The words are the parts of its tokens.
    func words(_ tokenizer: any FTS5Tokenizer) throws -> [FTS5Query] {
        let words = try tokenizer.words(of: text, for: isPrefix ? [.query, .prefix] : .query)
            .filter { !$0.flags.contains(.colocated) }
        return try words.enumerated().map { index, word in
            let isPrefix = isPrefix && index == words.count - 1
            let text = try Self.text(of: word, isPrefix, tokenizer)
            return isPrefix ? .prefix(text) : FTS5Query(text)
        }
    }

    /// A string with this token only: the part of the typed string, or the token itself. The part if there is no such string.
    private static func text(of word: TokenWord, _ isPrefix: Bool, _ tokenizer: any FTS5Tokenizer) throws -> String {
        let texts = [word.word, word.token]
        return try texts.first { text in
            let tokens = try tokenizer.words(of: text, for: isPrefix ? [.query, .prefix] : .query)
                .filter { !$0.flags.contains(.colocated) }
            return tokens.map(\.token) == [word.token]
        } ?? word.word
    }
}
