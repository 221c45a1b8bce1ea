extension FTS5Query {
    /// The documents that match both queries: `a b`, or `a AND (b OR c)` where one of them isn't a phrase.
    ///
    /// A phrase without token, such as an emoji in a table with the default tokenizer, is ignored next to other queries.
    /// See ``pattern(_:forTable:)``.
    public func and(_ other: FTS5Query) -> FTS5Query { Self.combining([self, other], .and) }

    /// The documents that match one of the queries: `a OR b`.
    public func or(_ other: FTS5Query) -> FTS5Query { Self.combining([self, other], .or) }

    /// The documents that match the query and don't match another one: `a NOT b`.
    ///
    /// FTS5 searches for something before it leaves something out: there is no query for all documents without a word.
    public func not(_ other: FTS5Query) -> FTS5Query {
        // FTS5 nests each NOT of a chain, and limits the depth. One NOT of alternatives isn't nested.
        if case .not(let query, let excluded) = node { return FTS5Query(.not(query, excluded.or(other))) }
        return FTS5Query(.not(self, other))
    }

    /// The documents that match both queries: see ``and(_:)``.
    public static func && (lhs: FTS5Query, rhs: FTS5Query) -> FTS5Query { lhs.and(rhs) }

    /// The documents that match one of the queries: `a OR b`.
    public static func || (lhs: FTS5Query, rhs: FTS5Query) -> FTS5Query { lhs.or(rhs) }

    /// The documents that match the left query and don't match the right one: `a NOT b`.
    public static func && (lhs: FTS5Query, rhs: Negation) -> FTS5Query { lhs.not(rhs.query) }

    /// The documents that a query does not find, which stands at the right of `&&`.
    public static prefix func ! (query: FTS5Query) -> Negation { Negation(query: query) }

    /// What another query leaves out: `"sqlite" && !FTS5Query("java")`.
    ///
    /// FTS5 has no query for it alone, and so it is none.
    public struct Negation: Hashable, Sendable {
        let query: FTS5Query
    }
}

// MARK: - Lists

extension FTS5Query {
    /// The documents that match all queries; nil for no query. Phrases come first.
    ///
    /// ```swift
    /// FTS5Query.all(["rock", "&", "roll"])   // rock "&" roll
    /// ```
    ///
    /// A phrase without token, such as the second one above, is ignored. See ``pattern(_:forTable:)``.
    public static func all(_ queries: some Sequence<FTS5Query>) -> FTS5Query? {
        let queries = Array(queries)
        return combined(
            queries.filter { $0.listedPhrases != nil } + queries.filter { $0.listedPhrases == nil }, .and)
    }

    /// The documents that match one of the queries; nil for no query.
    ///
    /// ```swift
    /// FTS5Query.any(["sqlite", "swift"])   // sqlite OR swift
    /// ```
    public static func any(_ queries: some Sequence<FTS5Query>) -> FTS5Query? { combined(Array(queries), .or) }

    enum Combination {
        case and, or
    }

    static func combined(_ queries: [FTS5Query], _ combination: Combination) -> FTS5Query? {
        queries.count > 1 ? combining(queries, combination) : queries.first
    }

    /// Queries of one operator are siblings: `(a AND b) AND c` is `a AND b AND c`.
    private static func combining(_ queries: [FTS5Query], _ combination: Combination) -> FTS5Query {
        let parts = queries.flatMap { query in
            switch (query.node, combination) {
            case (.and(let parts), .and), (.or(let parts), .or): parts
            default: [query]
            }
        }
        let siblings = combination == .and ? joiningPhrases(in: parts) : parts
        // Alternatives without any part match nothing, and aren't a sibling of others.
        return siblings.count == 1 ? siblings[0] : FTS5Query(combination == .and ? .and(siblings) : .or(siblings))
    }

    /// The same queries, with neighbouring phrases in one list: FTS5 ignores phrases without token in a list of phrases,
    /// and takes them for conditions that nothing meets next to AND.
    ///
    /// <https://www.sqlite.org/fts5.html#fts5_boolean_operators>
    private static func joiningPhrases(in queries: [FTS5Query]) -> [FTS5Query] {
        var joined: [FTS5Query] = []
        var phrases: [FTS5Query] = []
        func appendPhrases() {
            joined += phrases.count > 1 ? [FTS5Query(.sequence(phrases))] : phrases
            phrases = []
        }
        for query in queries {
            if let listed = query.listedPhrases {
                phrases += listed
            } else {
                appendPhrases()
                joined.append(query)
            }
        }
        appendPhrases()
        return joined
    }

    /// The phrases of a list, or the query if it's one phrase; nil for a query that FTS5 doesn't accept in such a list.
    private var listedPhrases: [FTS5Query]? {
        if case .sequence(let phrases) = node { return phrases }
        return isPhrase ? [self] : nil
    }

    /// Whether FTS5 accepts the query next to another one without operator.
    private var isPhrase: Bool {
        switch node {
        case .phrase, .initial, .near: true
        case .filter(_, let query): query.isBarePhrase
        default: false
        }
    }

    /// Whether a column filter needs no parentheses around the query.
    var isBarePhrase: Bool {
        switch node {
        case .phrase, .initial, .near: true
        default: false
        }
    }
}
