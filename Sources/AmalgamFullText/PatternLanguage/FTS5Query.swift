/// A full-text query, composed of phrases and operators.
///
/// ```swift
/// let query: FTS5Query = ("sqlite" || "database") && .prefix("swi") && !FTS5Query("java")
/// // (sqlite OR database) AND swi* NOT java
/// let documents = try Document.matching(query).order(Column.rank).fetchAll(db)
/// ```
///
/// A query is a value. A string literal is a query for a phrase. Every construct of the FTS5 query syntax has an
/// equivalent:
///
/// | Swift | FTS5 |
/// | --- | --- |
/// | `"full text"` | `"full text"` |
/// | `.prefix("dat")` | `dat*` |
/// | `.fuzzy("databse")` | `databse OR database`, with the terms of the table |
/// | `.initial("once upon")` | `^ "once upon"` |
/// | `.near("sqlite", "swift", distance: 5)` | `NEAR(sqlite swift, 5)` |
/// | `FTS5Query("sqlite").inColumns("title")` | `title : sqlite` |
/// | `FTS5Query("sqlite").notInColumns("title", "author")` | `- {title author} : sqlite` |
/// | `a && b`, `a.and(b)`, `.all([a, b])` | `a b` if both are phrases; otherwise `a AND (b OR c)` |
/// | `a \|\| b`, `a.or(b)` | `a OR b` |
/// | `a && !b`, `a.not(b)` | `a NOT b` |
///
/// Strings are quoted, and parentheses are added where they are needed. A query is invalid only if it names a column
/// that the table doesn't have, or is nested too deeply. Methods that use an invalid query throw an ``FTS5QueryError``.
/// See <https://www.sqlite.org/fts5.html#full_text_query_syntax>.
public struct FTS5Query: Hashable, Sendable {
    let node: Node

    /// The nesting depth of the query.
    let depth: Int

    /// The stack of FTS5's parser holds a hundred symbols. Each level needs up to three of them.
    static let maximumDepth = 30

    indirect enum Node: Hashable, Sendable {
        case phrase(FTS5Phrase)

        /// A word that is expanded with the tokenizer and the terms of the table.
        case word(Word)
        case initial(FTS5Phrase)
        case near([FTS5Phrase], distance: Int)
        case filter(ColumnFilter, FTS5Query)

        /// The implicit AND of phrases, which ignores phrases without tokens.
        case sequence([FTS5Query])
        case and([FTS5Query])
        case or([FTS5Query])
        case not(FTS5Query, FTS5Query)

        /// A query nested deeper than FTS5 can parse. The parts of the query are dropped, so that repeated composition
        /// doesn't build a tree of unlimited depth.
        case tooDeep
    }

    init(_ node: Node) {
        let depth = 1 + (node.parts.map(\.depth).max() ?? 0)
        self.node = depth > Self.maximumDepth ? .tooDeep : node
        self.depth = min(depth, Self.maximumDepth)
    }
}

extension FTS5Query.Node {
    /// The operands of the node.
    var parts: [FTS5Query] {
        switch self {
        case .phrase, .word, .initial, .near, .tooDeep: []
        case .filter(_, let query): [query]
        case .sequence(let queries), .and(let queries), .or(let queries): queries
        case .not(let query, let excluded): [query, excluded]
        }
    }
}

// MARK: - Phrases

extension FTS5Query: ExpressibleByStringLiteral {
    /// Creates a query for a phrase.
    public init(stringLiteral phrase: String) { self.init(phrase) }

    /// Creates a query for a phrase. The string may contain any characters.
    ///
    /// ```swift
    /// FTS5Query("O\"Brien AND sons")   // "O""Brien AND sons"
    /// ```
    public init(_ phrase: String) { self.init(.phrase(FTS5Phrase(phrase))) }

    /// Returns a query for a phrase.
    ///
    /// ```swift
    /// let query = FTS5Query.phrase("full" + .prefix("te"))   // "full te"*
    /// ```
    public static func phrase(_ phrase: FTS5Phrase) -> FTS5Query { FTS5Query(.phrase(phrase)) }

    /// Returns a query for a phrase whose last token is a prefix: `dat*`.
    ///
    /// ```swift
    /// let notes = try Note.matching(.prefix("dat")).fetchAll(db)
    /// // SELECT * FROM "note" WHERE "note" MATCH 'dat*'
    /// ```
    public static func prefix(_ text: String) -> FTS5Query { .phrase(.prefix(text)) }

    /// Returns a query for a phrase at the beginning of a column: `^ "once upon"`.
    ///
    /// ```swift
    /// let query = FTS5Query.initial("once upon")   // ^ "once upon"
    /// ```
    ///
    /// See <https://www.sqlite.org/fts5.html#fts5_initial_token_queries>.
    public static func initial(_ phrase: FTS5Phrase) -> FTS5Query { FTS5Query(.initial(phrase)) }

    /// Returns a query for phrases close to each other, in any order: `NEAR(sqlite swift, 5)`.
    ///
    /// ```swift
    /// let query = FTS5Query.near("sqlite", "swift", distance: 5)   // NEAR(sqlite swift, 5)
    /// ```
    ///
    /// See <https://www.sqlite.org/fts5.html#fts5_near_queries>.
    ///
    /// - Parameter distance: The maximum number of tokens between the end of the first phrase and the beginning of the
    ///   last one. Negative numbers are treated as zero.
    public static func near(
        _ first: FTS5Phrase, _ second: FTS5Phrase, _ others: FTS5Phrase..., distance: Int = 10
    ) -> FTS5Query {
        FTS5Query(.near([first, second] + others, distance: max(0, distance)))
    }

    /// A query that matches nothing: an OR without operands. A phrase without tokens wouldn't always match nothing,
    /// because FTS5 ignores such a phrase in a list of phrases.
    static let nothing = FTS5Query(.or([]))
}

extension FTS5Query {
    /// The query with transformed phrases.
    func mapPhrases(_ transform: (FTS5Phrase) throws -> FTS5Phrase) throws -> FTS5Query {
        func map(_ query: FTS5Query) throws -> FTS5Query { try query.mapPhrases(transform) }
        switch node {
        case .phrase(let phrase): return FTS5Query(.phrase(try transform(phrase)))
        case .word(let word): return FTS5Query(.word(try word.mapPhrase(transform)))
        case .initial(let phrase): return FTS5Query(.initial(try transform(phrase)))
        case .near(let phrases, let distance): return FTS5Query(.near(try phrases.map(transform), distance: distance))
        case .filter(let filter, let query): return FTS5Query(.filter(filter, try map(query)))
        case .sequence(let queries): return FTS5Query(.sequence(try queries.map(map)))
        case .and(let queries): return FTS5Query(.and(try queries.map(map)))
        case .or(let queries): return FTS5Query(.or(try queries.map(map)))
        case .not(let query, let excluded): return FTS5Query(.not(try map(query), try map(excluded)))
        case .tooDeep: return self
        }
    }
}
