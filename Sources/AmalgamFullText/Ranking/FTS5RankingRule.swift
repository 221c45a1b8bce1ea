public import AmalgamCore
public import AmalgamQuery

/// A rule that orders the results of a full-text query. Each rule decides between results that the rules before it
/// consider equal.
///
/// ```swift
/// let rules: [FTS5RankingRule] = [.words, .typos, .proximity, .attribute(["title", "body"]), .exactness, .relevance]
/// Document.matching("moby" || "dick").ranked(by: rules)
/// // SELECT * FROM "document" WHERE "document" MATCH 'moby OR dick'
/// // ORDER BY amalgam_rank_words("document"), amalgam_rank_typos("document"), amalgam_rank_proximity("document"),
/// // amalgam_rank_attribute("document", 0, 1), amalgam_rank_exactness("document"), "rank"
/// ```
///
/// A bm25 rank is one number, in which a rare word outweighs everything else. Rules are decisions that a user can
/// follow: results with all words come first, among them those with the words next to each other, and so on.
///
/// SQLite computes all rules for each matching row, and sorts the rows. This takes longer than ``FTS5Rank``. A connection has
/// the functions of the rules after their first use in a request, so a view of such a request can't be created, except for
/// a temporary one.
public struct FTS5RankingRule: Sendable {
    fileprivate enum Rule {
        /// An expression of the full-text table. Smaller values are better.
        case function(SQLExpression)
        case ordering(SQLOrdering)
    }

    fileprivate let rule: Rule

    /// Results that match more phrases of the pattern come first: `amalgam_rank_words("document")`.
    ///
    /// ```swift
    /// Document.matching("moby" || "dick").ranked(by: [.words])   // with both words, then with one
    /// ```
    ///
    /// In a contentless table with `detail=none`, all results are equal: see ``FTS5Match/columns(ofPhrase:)``.
    public static var words: FTS5RankingRule { FTS5RankingRule(RankingFunctions.words) }

    /// Results with fewer typos come first: `amalgam_rank_typos("document")`. See ``FTS5Query/fuzzy(_:tolerance:)``.
    ///
    /// ```swift
    /// Document.matching(.fuzzy("moby dikc")).ranked(by: [.typos, .proximity])   // "dick", then "dock"
    /// ```
    ///
    /// The value is the sum of the typos of all words, each with its best alternative in the result. It is 0 for queries
    /// without typos. The other rules count the alternatives of a word as one phrase.
    ///
    /// In a contentless table with `detail=none`, all results are equal. There, ``relevance`` orders them by their typos.
    public static var typos: FTS5RankingRule { FTS5RankingRule(RankingFunctions.typos) }

    /// Results in which consecutive phrases of the pattern are closer to each other come first:
    /// `amalgam_rank_proximity("document")`.
    ///
    /// ```swift
    /// Document.matching("moby" && "dick").ranked(by: [.proximity])   // "moby dick", then "dick moby", then "moby the dick"
    /// ```
    ///
    /// The value is the sum of the distances of phrases that follow each other in the pattern: the number of tokens
    /// between them, plus 1 if their order is reversed, at most 8. Phrases that the result doesn't match aren't counted,
    /// so this rule belongs after ``words``.
    public static var proximity: FTS5RankingRule { FTS5RankingRule(RankingFunctions.proximity) }

    /// Results that match in an earlier column of the table come first: `amalgam_rank_attribute("document")`.
    ///
    /// ```swift
    /// Document.matching("moby").ranked(by: [.attribute])   // in the title, then in the body
    /// ```
    public static var attribute: FTS5RankingRule { attribute([]) }

    /// Results that match in an earlier column of a list come first, and those that match in a different column last:
    /// `amalgam_rank_attribute("document", 1, 0)`.
    ///
    /// ```swift
    /// Document.matching("moby").ranked(by: [.attribute(["body", "title"])])
    /// ```
    ///
    /// The value is the sum of the positions in the list, for the best column of each phrase. Fetching throws
    /// `no such column` if the table doesn't have a column.
    ///
    /// - Parameter columns: The names of the columns, best first. If empty, all columns in the order of the table.
    public static func attribute(_ columns: [String]) -> FTS5RankingRule {
        FTS5RankingRule(RankingFunctions.attribute) { table in try columns.map { try table.index(of: $0).node } }
    }

    /// Results that match in an earlier column of a list come first, and those that match in a different column last.
    ///
    /// ```swift
    /// Document.matching("moby").ranked(by: [.attribute([Document.Columns.body, Document.Columns.title])])
    /// ```
    @_disfavoredOverload
    public static func attribute(_ columns: [any NamedColumn]) -> FTS5RankingRule { attribute(columns.map(\.name)) }

    /// Results with exact matches come first: `amalgam_rank_exactness("document")`.
    ///
    /// ```swift
    /// Document.matching(.prefix("data")).ranked(by: [.exactness])   // "data", then "data model", then "database"
    /// ```
    ///
    /// The value is the number of phrases that match whole terms of the index, and not only the beginning of a term. A
    /// result with a column that consists of the phrases of the pattern precedes others with the same number. Different
    /// words with one term, such as "café" and "cafe", are equal.
    ///
    /// For the prefixes of a pattern, FTS5 reads the index a second time, unless the table has the option `insttoken`:
    /// <https://www.sqlite.org/fts5.html#the_insttoken_configuration_option>. Fetching throws `SQLITE_ERROR` for a
    /// contentless table with `columnsize=0`.
    public static var exactness: FTS5RankingRule { FTS5RankingRule(RankingFunctions.exactness) }

    /// Results with a better `rank` come first: see `Column.rank`.
    ///
    /// ```swift
    /// Document.matching("moby" || "dick").ranked(by: [.words, .relevance])
    /// // … ORDER BY amalgam_rank_words("document"), "rank"
    /// ```
    public static var relevance: FTS5RankingRule { FTS5RankingRule(rule: .function(Column.rank.sqlExpression)) }

    /// Results are ordered by any SQL expression.
    ///
    /// ```swift
    /// Document.matching("moby" || "dick").ranked(by: [.words, .expression(Column("date").desc)])
    /// // … ORDER BY amalgam_rank_words("document"), "date" DESC
    /// ```
    public static func expression(_ term: some SQLOrderingTerm) -> FTS5RankingRule {
        FTS5RankingRule(rule: .ordering(term.sqlOrdering))
    }

    private init(rule: Rule) { self.rule = rule }

    private init(
        _ function: FTS5Function,
        _ arguments: @escaping @Sendable (FullTextColumns) throws -> [any SQLNode] = { _ in [] }
    ) {
        self.init(rule: .function(function.registeredCall(arguments)))
    }
}

extension OrderedRequest {
    /// Returns this request of a full-text table with its rows ordered by rules, best match first.
    ///
    /// ```swift
    /// Document.matching("moby" || "dick").ranked(by: [.words, .proximity, .relevance])
    /// // SELECT * FROM "document" WHERE "document" MATCH 'moby OR dick'
    /// // ORDER BY amalgam_rank_words("document"), amalgam_rank_proximity("document"), "rank"
    /// ```
    ///
    /// In a request without a pattern, all results are equal to rules other than ``FTS5RankingRule/expression(_:)``.
    public func ranked(by rules: [FTS5RankingRule]) -> Self {
        order(
            rules.map { rule -> any SQLOrderingTerm in
                switch rule.rule {
                case .function(let expression): expression
                case .ordering(let ordering): ordering
                }
            })
    }

    /// Returns this request, which is joined with a full-text table, with its rows ordered by rules.
    ///
    /// ```swift
    /// let index = TableAlias<DocumentSearch>()
    /// Document.joining(required: Document.search.matching("moby" || "dick").aliased(index))
    ///     .ranked(by: [.words, .expression(Column("year").desc)], in: index)
    /// // … ORDER BY amalgam_rank_words("documentSearch"), "document"."year" DESC
    /// ```
    ///
    /// - Parameters:
    ///   - rules: The rules. Those of ``FTS5RankingRule/expression(_:)`` refer to the tables of the request.
    ///   - alias: The alias of the full-text table, to which all other rules refer.
    public func ranked(by rules: [FTS5RankingRule], in alias: TableAlias<some Any>) -> Self {
        order(
            rules.map { rule -> any SQLOrderingTerm in
                switch rule.rule {
                case .function(let expression): alias[expression]
                case .ordering(let ordering): ordering
                }
            })
    }
}
