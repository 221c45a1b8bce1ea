import AmalgamCore
import AmalgamQuery
import Foundation

/// Ranks the rows of a query with typos: rows with fewer typos come first, and rows with as many typos are ordered by
/// BM25.
///
/// FTS5's `bm25` adds the scores of all phrases. A rare misspelled term would have a higher score than the correct
/// word. So the alternatives of a word are treated as one phrase here: its typos are those of the best alternative in
/// the row, its occurrences those of the alternatives with as many typos, and its documents those of its most frequent
/// alternative.
struct TypoRank {
    /// The constants of FTS5's `bm25`: <https://www.sqlite.org/fts5.html#the_bm25_function>.
    private static let saturation = 1.2
    private static let lengthWeight = 0.75

    /// The rank of one typo. It exceeds each possible BM25 score.
    private static let typoRank = 1e6

    /// The word that a phrase is an alternative of, and the number of its typos.
    private struct Phrase {
        var word: Int
        var typoCount: Int
    }

    private var phrases: [Phrase]
    private let rarities: [Double]
    private let averageSize: Double
    private let weights: [Double]

    /// The ranking for an expanded query; nil if the query has no alternatives with typos.
    static func rank(of query: FTS5Query, _ index: FullTextIndex) throws -> FTS5Rank? {
        var plan = Plan()
        plan.append(query)
        guard plan.hasTypos else { return nil }
        try function.addIfMissing(to: index.db)
        return FTS5Rank(function.name, plan.text, literals: try index.settings()?.weights)
    }

    private static let function = FTS5Function("amalgam_typos") { match, arguments in
        let rank = try match.cached(TypoRank.self) { try TypoRank($0, arguments) }
        return try rank.value(of: match)
    }

    private init(_ match: borrowing FTS5Match, _ arguments: [DatabaseValue]) throws {
        phrases = Self.phrases(arguments.first.flatMap { String.fromDatabaseValue($0) } ?? "")
        // A pattern that isn't the one of the plan is ranked by BM25.
        if phrases.count != match.phraseCount {
            phrases = (0..<match.phraseCount).map { Phrase(word: $0, typoCount: 0) }
        }
        weights = arguments.dropFirst().map { Double.fromDatabaseValue($0) ?? 1 }
        averageSize = max(1, try match.averageSize())
        let rowCount = Double(try match.rowCount())
        var counts = Array(repeating: 0, count: (phrases.map(\.word).max() ?? -1) + 1)
        for (index, phrase) in phrases.enumerated() {
            counts[phrase.word] = max(counts[phrase.word], try match.rowCount(ofPhrase: index))
        }
        rarities = counts.map { count in max(1e-6, log((rowCount - Double(count) + 0.5) / (Double(count) + 0.5))) }
    }

    private static func phrases(_ plan: String) -> [Phrase] {
        plan.split(separator: " ").map { phrase in
            let numbers = phrase.split(separator: ":").compactMap { Int($0) }
            let isValid = numbers.count == 2 && (0..<100_000).contains(numbers[0])
            return isValid ? Phrase(word: numbers[0], typoCount: numbers[1]) : Phrase(word: 0, typoCount: 0)
        }
    }

    private func value(of match: borrowing FTS5Match) throws -> Double {
        var typoCounts: [Int: Int] = [:]
        var frequencies: [Int: Double] = [:]
        for hit in try match.hits() where hit.phrase < phrases.count {
            let phrase = phrases[hit.phrase]
            let known = typoCounts[phrase.word] ?? .max
            if phrase.typoCount > known { continue }
            if phrase.typoCount < known { frequencies[phrase.word] = 0 }
            typoCounts[phrase.word] = phrase.typoCount
            frequencies[phrase.word, default: 0] += hit.column < weights.count ? weights[hit.column] : 1
        }
        let relativeSize = Double(try match.size()) / averageSize
        let constant = Self.saturation * (1 - Self.lengthWeight + Self.lengthWeight * relativeSize)
        // The order of the sum is the same for each row.
        let score = frequencies.keys.sorted().reduce(0.0) { sum, word in
            let frequency = frequencies[word] ?? 0
            return sum + rarities[word] * frequency * (Self.saturation + 1) / (frequency + constant)
        }
        return Double(typoCounts.values.reduce(0, +)) * Self.typoRank - score
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
            case .tooDeep: break
            case .filter, .sequence, .and, .or, .not: for part in query.node.parts { append(part) }
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
