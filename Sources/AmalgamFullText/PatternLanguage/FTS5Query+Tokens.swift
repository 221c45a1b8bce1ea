extension FTS5Query {
    /// Returns the query without the phrases in which the tokenizer finds no token.
    ///
    /// FTS5 ignores such a phrase in a list of phrases: `swift "?!"`. Next to a group (an operand in parentheses), the
    /// phrase must be an operand of AND, and therefore matches nothing: `(swift OR rust) AND "?!"`.
    ///
    /// - Parameter hasToken: Whether the tokenizer finds a token in a part of a phrase.
    /// - Returns: The query without these phrases. The query is unchanged if it has no AND operator, or if at most the
    ///   right operands of NOT would remain.
    func ignoringEmptyPhrases(_ hasToken: (FTS5Phrase.Part) throws -> Bool) rethrows -> FTS5Query {
        hasGroup ? try ignoringAllEmptyPhrases(hasToken) : self
    }

    /// Returns the query without the phrases in which the tokenizer finds no token, also in lists of phrases.
    func ignoringAllEmptyPhrases(_ hasToken: (FTS5Phrase.Part) throws -> Bool) rethrows -> FTS5Query {
        try remainder { phrase in try phrase.parts.contains(where: hasToken) }.query ?? self
    }

    /// Whether the query combines a group with AND.
    private var hasGroup: Bool {
        if case .and = node { return true }
        return node.parts.contains(where: \.hasGroup)
    }

    private func remainder(_ hasToken: (FTS5Phrase) throws -> Bool) rethrows -> PartialQuery {
        switch node {
        case .phrase(let phrase), .initial(let phrase):
            return PartialQuery(query: try hasToken(phrase) ? self : nil)
        case .word(let word):
            return PartialQuery(query: try hasToken(word.phrase) ? self : nil)
        case .near(let phrases, _):
            return PartialQuery(query: try phrases.contains(where: hasToken) ? self : nil)
        case .filter(let filter, let query):
            return try query.remainder(hasToken).map { FTS5Query(.filter(filter, $0)) }
        case .sequence(let queries), .and(let queries):
            return Self.conjunction(try queries.map { try $0.remainder(hasToken) })
        case .or([]), .tooDeep:
            return PartialQuery(query: self)
        case .or(let queries):
            let kept = try queries.compactMap { try $0.remainder(hasToken).query }
            // Next to a phrase with tokens, a query that matches nothing has no effect.
            let others = kept.filter { $0 != .nothing }
            return PartialQuery(query: .any(others.isEmpty ? kept : others))
        case .not(let query, let excluded):
            let (kept, left) = (try query.remainder(hasToken), try excluded.remainder(hasToken).query)
            return PartialQuery(query: kept.query, excluded: kept.excluded + [left].compactMap(\.self)).resolved
        }
    }

    private static func conjunction(_ parts: [PartialQuery]) -> PartialQuery {
        PartialQuery(query: combined(parts.compactMap(\.query), .and), excluded: parts.flatMap(\.excluded)).resolved
    }
}
