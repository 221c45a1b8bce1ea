extension FTS5Query {
    /// The documents that both queries find: `a AND b`.
    public func and(_ other: FTS5Query) -> FTS5Query { Self.combining([self, other], .and) }

    /// The documents that one of the queries finds: `a OR b`.
    public func or(_ other: FTS5Query) -> FTS5Query { Self.combining([self, other], .or) }

    /// The documents that the query finds, but for those that another one finds: `a NOT b`.
    ///
    /// FTS5 searches for something before it leaves something out: there is no query for all documents without a word.
    public func not(_ other: FTS5Query) -> FTS5Query {
        // A chain of NOTs is a tower for FTS5, and one NOT of alternatives is none.
        if case .not(let query, let excluded) = node { return FTS5Query(.not(query, excluded.or(other))) }
        return FTS5Query(.not(self, other))
    }

    /// The documents that both queries find: `a AND b`.
    public static func && (lhs: FTS5Query, rhs: FTS5Query) -> FTS5Query { lhs.and(rhs) }

    /// The documents that one of the queries finds: `a OR b`.
    public static func || (lhs: FTS5Query, rhs: FTS5Query) -> FTS5Query { lhs.or(rhs) }

    /// The documents that the query finds, but for some: `a NOT b`.
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
    /// The documents that all queries find; nil for no query.
    ///
    /// ```swift
    /// FTS5Query.all(["rock", "&", "roll"])   // rock "&" roll
    /// ```
    ///
    /// Unlike AND, this takes phrases without token for not being there: the second one above does not keep all documents
    /// out. It is what FTS5 does with phrases that stand side by side:
    /// <https://www.sqlite.org/fts5.html#fts5_boolean_operators>.
    public static func all(_ queries: some Sequence<FTS5Query>) -> FTS5Query? {
        let flat = queries.flatMap { query in
            if case .sequence(let parts) = query.node { parts } else { [query] }
        }
        let phrases = flat.filter(\.isPhrase)
        let others = flat.filter { !$0.isPhrase }
        let sequence = phrases.count > 1 ? [FTS5Query(.sequence(phrases))] : phrases
        return combined(sequence + others, .and)
    }

    /// The documents that one of the queries finds; nil for no query.
    ///
    /// ```swift
    /// FTS5Query.any(["sqlite", "swift"])   // sqlite OR swift
    /// ```
    public static func any(_ queries: some Sequence<FTS5Query>) -> FTS5Query? { combined(Array(queries), .or) }

    private enum Combination {
        case and, or
    }

    private static func combined(_ queries: [FTS5Query], _ combination: Combination) -> FTS5Query? {
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
        // Alternatives that find nothing are none.
        return parts.count == 1 ? parts[0] : FTS5Query(combination == .and ? .and(parts) : .or(parts))
    }

    /// Whether FTS5 accepts the query beside another one without operator.
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
