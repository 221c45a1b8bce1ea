extension FTS5Query {
    /// Returns a query for the documents that match both queries: `a b` for two phrases, otherwise `a AND (b OR c)`.
    ///
    /// ```swift
    /// let query = FTS5Query("sqlite").and("swift")   // sqlite swift
    /// ```
    ///
    /// If one of the two queries is a phrase without tokens, such as an emoji in a table with the default tokenizer,
    /// requests such as `Document.matching(query)` ignore this phrase: see ``pattern(_:forTable:)``.
    public func and(_ other: FTS5Query) -> FTS5Query { Self.combining([self, other], .and) }

    /// Returns a query for the documents that match at least one of the queries: `a OR b`.
    ///
    /// ```swift
    /// let query = FTS5Query("sqlite").or("database")   // sqlite OR database
    /// ```
    public func or(_ other: FTS5Query) -> FTS5Query { Self.combining([self, other], .or) }

    /// Returns a query for the documents that match this query and don't match the other query: `a NOT b`.
    ///
    /// ```swift
    /// let query = FTS5Query("sqlite").not("java")   // sqlite NOT java
    /// ```
    ///
    /// FTS5 has no unary NOT: it can't search for all documents that don't match a query.
    public func not(_ other: FTS5Query) -> FTS5Query {
        // FTS5 limits the nesting of NOTs: `a NOT b NOT c` is nested, but the equivalent `a NOT (b OR c)` isn't.
        if case .not(let query, let excluded) = node { return FTS5Query(.not(query, excluded.or(other))) }
        return FTS5Query(.not(self, other))
    }

    /// Returns a query for the documents that match both queries: see ``and(_:)``.
    ///
    /// ```swift
    /// let query: FTS5Query = "sqlite" && "swift"   // sqlite swift
    /// ```
    public static func && (lhs: FTS5Query, rhs: FTS5Query) -> FTS5Query { lhs.and(rhs) }

    /// Returns a query for the documents that match at least one of the queries: `a OR b`.
    public static func || (lhs: FTS5Query, rhs: FTS5Query) -> FTS5Query { lhs.or(rhs) }

    /// Returns a query for the documents that match the left query and don't match the right one: `a NOT b`.
    public static func && (lhs: FTS5Query, rhs: Negation) -> FTS5Query { lhs.not(rhs.query) }

    /// Negates a query, for the right side of `&&`.
    public static prefix func ! (query: FTS5Query) -> Negation { Negation(query: query) }

    /// A negated query, for the right side of `&&`.
    ///
    /// ```swift
    /// let query = "sqlite" && !FTS5Query("java")   // sqlite NOT java
    /// ```
    ///
    /// A negation isn't an ``FTS5Query``, because FTS5 has no unary NOT.
    public struct Negation: Hashable, Sendable {
        let query: FTS5Query
    }
}

// MARK: - Lists

extension FTS5Query {
    /// Returns a query for the documents that match all queries, or nil if the sequence is empty. Phrases are moved to
    /// the front, so that they form one list of phrases.
    ///
    /// ```swift
    /// FTS5Query.all(["rock", "&", "roll"])   // rock "&" roll
    /// ```
    ///
    /// In a list, FTS5 ignores a phrase without tokens, such as `&` in the example. See ``pattern(_:forTable:)``.
    public static func all(_ queries: some Sequence<FTS5Query>) -> FTS5Query? {
        let queries = Array(queries)
        return combined(
            queries.filter { $0.listedPhrases != nil } + queries.filter { $0.listedPhrases == nil }, .and)
    }

    /// Returns a query for the documents that match at least one of the queries, or nil if the sequence is empty.
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

    /// Combines queries, and flattens nested queries of the same operator: `(a AND b) AND c` is `a AND b AND c`.
    ///
    /// A query that matches nothing stays an operand of OR: if the other operands have no tokens, which only a table can
    /// tell, the OR matches nothing. Without this operand, the OR would have no tokens and be ignored.
    private static func combining(_ queries: [FTS5Query], _ combination: Combination) -> FTS5Query {
        let parts = queries.flatMap { query in
            switch (query.node, combination) {
            case (.or([]), _): [query]
            case (.and(let parts), .and), (.or(let parts), .or): parts
            default: [query]
            }
        }
        let siblings = combination == .and ? joiningPhrases(in: parts) : withOneNothing(parts)
        return siblings.count == 1 ? siblings[0] : FTS5Query(combination == .and ? .and(siblings) : .or(siblings))
    }

    /// The operands of an OR, at most one of which matches nothing.
    private static func withOneNothing(_ queries: [FTS5Query]) -> [FTS5Query] {
        let others = queries.filter { $0 != .nothing }
        return others.count == queries.count ? queries : others + [.nothing]
    }

    /// The queries, with adjacent phrases combined to a list of phrases, such as `a b c`. FTS5 ignores a phrase without
    /// tokens in such a list. As an operand of AND, a phrase without tokens would match nothing.
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

    /// The phrases of a query that is a list of phrases or a single phrase. Nil for other queries, because FTS5 accepts
    /// only phrases in a list.
    private var listedPhrases: [FTS5Query]? {
        if case .sequence(let phrases) = node { return phrases }
        return isPhrase ? [self] : nil
    }

    /// Whether FTS5 accepts the query in a list of phrases, without an operator.
    private var isPhrase: Bool {
        switch node {
        case .phrase, .initial, .near: true
        case .word(let word): word.isBarePhrase
        case .filter(_, let query): query.isBarePhrase
        default: false
        }
    }

    /// Whether the query needs no parentheses after a column filter.
    var isBarePhrase: Bool {
        switch node {
        case .phrase, .initial, .near: true
        case .word(let word): word.isBarePhrase
        default: false
        }
    }
}
