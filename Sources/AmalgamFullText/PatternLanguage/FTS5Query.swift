/// What a full-text search looks for, made of phrases and operators.
///
/// ```swift
/// let query: FTS5Query = ("sqlite" || "database") && .prefix("swi") && !FTS5Query("java")
/// // (sqlite OR database) AND swi* NOT java
/// let documents = try Document.matching(query).order(Column.rank).fetchAll(db)
/// ```
///
/// A query is a value, and a string literal is the query for its phrase. What FTS5 knows, a query knows:
///
/// | Swift | FTS5 |
/// | --- | --- |
/// | `"full text"` | `"full text"` |
/// | `.prefix("dat")` | `dat*` |
/// | `.initial("once upon")` | `^ "once upon"` |
/// | `.near("sqlite", "swift", distance: 5)` | `NEAR(sqlite swift, 5)` |
/// | `FTS5Query("sqlite").inColumns("title")` | `title : sqlite` |
/// | `FTS5Query("sqlite").notInColumns("title", "author")` | `- {title author} : sqlite` |
/// | `a && b`, `a.and(b)`, `.all([a, b])` | `a b`; `a AND (b OR c)` next to a group |
/// | `a \|\| b`, `a.or(b)` | `a OR b` |
/// | `a && !b`, `a.not(b)` | `a NOT b` |
///
/// Texts are quoted whatever is in them, and parentheses are there where they are needed. The only thing that can go
/// wrong with a query is that it names a column that the table does not have, or is nested too deeply; then the methods
/// that use it throw an ``FTS5QueryError``. See <https://www.sqlite.org/fts5.html#full_text_query_syntax>.
public struct FTS5Query: Hashable, Sendable {
    let node: Node

    /// How many queries are inside one another.
    let depth: Int

    /// FTS5's parser has room for a hundred symbols, and takes up to three of them for each level.
    static let maximumDepth = 30

    indirect enum Node: Hashable, Sendable {
        case phrase(FTS5Phrase)
        case initial(FTS5Phrase)
        case near([FTS5Phrase], distance: Int)
        case filter(ColumnFilter, FTS5Query)

        /// The implicit AND, for which phrases without token do not count.
        case sequence([FTS5Query])
        case and([FTS5Query])
        case or([FTS5Query])
        case not(FTS5Query, FTS5Query)

        /// What is nested deeper than FTS5 can read. Its parts are dropped: no composition makes a tower of them.
        case tooDeep
    }

    init(_ node: Node) {
        let depth = 1 + (node.parts.map(\.depth).max() ?? 0)
        self.node = depth > Self.maximumDepth ? .tooDeep : node
        self.depth = min(depth, Self.maximumDepth)
    }
}

extension FTS5Query.Node {
    /// The queries that the node is made of.
    var parts: [FTS5Query] {
        switch self {
        case .phrase, .initial, .near, .tooDeep: []
        case .filter(_, let query): [query]
        case .sequence(let queries), .and(let queries), .or(let queries): queries
        case .not(let query, let excluded): [query, excluded]
        }
    }
}

// MARK: - Phrases

extension FTS5Query: ExpressibleByStringLiteral {
    /// The documents with a phrase.
    public init(stringLiteral phrase: String) { self.init(phrase) }

    /// The documents with a phrase: any text.
    ///
    /// ```swift
    /// FTS5Query("O\"Brien AND sons")   // "O""Brien AND sons"
    /// ```
    public init(_ phrase: String) { self.init(.phrase(FTS5Phrase(phrase))) }

    /// The documents with a phrase.
    public static func phrase(_ phrase: FTS5Phrase) -> FTS5Query { FTS5Query(.phrase(phrase)) }

    /// The documents with a token that begins like the last one of a text: `dat*`.
    public static func prefix(_ text: String) -> FTS5Query { .phrase(.prefix(text)) }

    /// The documents of which a column begins with a phrase: `^ "once upon"`.
    ///
    /// See <https://www.sqlite.org/fts5.html#fts5_initial_token_queries>.
    public static func initial(_ phrase: FTS5Phrase) -> FTS5Query { FTS5Query(.initial(phrase)) }

    /// The documents with phrases close to each other, in any order: `NEAR(sqlite swift, 5)`.
    ///
    /// See <https://www.sqlite.org/fts5.html#fts5_near_queries>.
    ///
    /// - Parameter distance: how many tokens may be between the end of the first phrase and the beginning of the last one.
    ///   A negative distance is zero.
    public static func near(
        _ first: FTS5Phrase, _ second: FTS5Phrase, _ others: FTS5Phrase..., distance: Int = 10
    ) -> FTS5Query {
        FTS5Query(.near([first, second] + others, distance: max(0, distance)))
    }

    /// No document: those of one of no queries. A phrase without token would not count in a list of phrases.
    static let nothing = FTS5Query(.or([]))
}

extension FTS5Query {
    /// The same query with other phrases.
    func mapPhrases(_ transform: (FTS5Phrase) throws -> FTS5Phrase) throws -> FTS5Query {
        func map(_ query: FTS5Query) throws -> FTS5Query { try query.mapPhrases(transform) }
        switch node {
        case .phrase(let phrase): return FTS5Query(.phrase(try transform(phrase)))
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
