import AmalgamCore
import AmalgamQuery
import CAmalgam

/// The ranking of queries with typos: rows with fewer typos come first, and rows with as many typos are ordered by BM25.
///
/// FTS5's `bm25` adds the scores of all phrases. A rare misspelled term would have a higher score than the correct
/// word. So the alternatives of a word are treated as one phrase here: its typos are those of the best alternative in
/// the row, its occurrences those of the alternatives with as many typos, and its documents those of its most frequent
/// alternative.
///
/// The function is written in C, next to the search for the best rows, which knows it.
enum TypoRank {
    /// The name of the function in SQL.
    static let function = "amalgam_typos"

    /// The ranking for an expanded query; nil if the query has no alternatives with typos.
    static func rank(of query: FTS5Query, _ index: FullTextIndex) throws -> FTS5Rank? {
        var plan = Plan()
        plan.append(query)
        guard plan.hasTypos else { return nil }
        try index.db.checkAccess()
        let code = amalgam_ranked_add_typos(index.db.sqliteConnection)
        if code != SQLITE_OK { throw index.db.error(code) }
        return FTS5Rank(function, plan.text, literals: try index.settings()?.weights)
    }
}

extension TypoRank {
    /// The words and typos of the phrases of a pattern, in their order, such as `0:0 0:1 1:0`.
    private struct Plan {
        private var phrases: [String] = []
        private var wordCount = 0
        private(set) var hasTypos = false

        var text: String { phrases.joined(separator: " ") }

        mutating func append(_ query: FTS5Query) {
            switch query.node {
            case .phrase, .initial: appendWord([FTS5Query.Alternative(query: query, typoCount: 0)])
            case .word(let word):
                let itself = FTS5Query.Alternative(query: .phrase(word.phrase), typoCount: 0)
                appendWord(word.alternatives.isEmpty ? [itself] : word.alternatives)
            case .near(let phrases, _): for phrase in phrases { append(.phrase(phrase)) }
            case .or([]): append("")
            case .or(let queries): for query in queries where query != .nothing { append(query) }
            case .tooDeep: break
            case .filter, .sequence, .and, .not: for part in query.node.parts { append(part) }
            }
        }

        private mutating func appendWord(_ alternatives: [FTS5Query.Alternative]) {
            for alternative in alternatives {
                phrases.append("\(wordCount):\(alternative.typoCount)")
                hasTypos = hasTypos || alternative.typoCount > 0
            }
            wordCount += 1
        }
    }
}

extension FTS5Rank {
    /// Creates a ranking by a function with a string, and with arguments that are SQL literals.
    fileprivate init(_ name: String, _ string: String, literals: String?) {
        text = "\(name)(\(([string.databaseValue.sqlLiteral] + [literals].compactMap(\.self)).joined(separator: ", ")))"
    }
}
