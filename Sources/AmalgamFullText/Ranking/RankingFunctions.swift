import AmalgamCore
import CAmalgam

/// The auxiliary functions of ranking rules. Smaller results are better.
///
/// A query consists of words. In a query with typos, a word has several phrases, which are its alternatives. In others,
/// each phrase is a word.
enum RankingFunctions {
    static let words = FTS5Function("amalgam_rank_words") { match, _ in
        try -match.words().count { word in
            try word.contains { try !match.columns(ofPhrase: $0.phrase).isEmpty }
        }
    }

    static let typos = FTS5Function("amalgam_rank_typos") { match, _ in
        try match.words().reduce(0) { sum, word in
            let found = try word.filter { try !match.columns(ofPhrase: $0.phrase).isEmpty }
            return sum + (found.map(\.typoCount).min() ?? 0)
        }
    }

    static let attribute = FTS5Function("amalgam_rank_attribute") { match, arguments in
        let columns = arguments.compactMap(Int.fromDatabaseValue)
        let count = columns.isEmpty ? match.columnCount : columns.count
        return try match.words().reduce(0) { sum, word in
            let positions = try word.flatMap { try match.columns(ofPhrase: $0.phrase) }.compactMap { column in
                columns.isEmpty ? column : columns.firstIndex(of: column)
            }
            return sum + (positions.min() ?? count)
        }
    }

    static let proximity = FTS5Function("amalgam_rank_proximity") { match, _ in
        let hits = Dictionary(grouping: try match.hits(), by: \.phrase)
        let words = try match.words().compactMap { word -> [Place]? in
            let places = try word.flatMap { alternative in
                let size = try match.size(ofPhrase: alternative.phrase)
                return (hits[alternative.phrase] ?? []).map { Place(hit: $0, size: size) }
            }
            return places.isEmpty ? nil : places.sorted { $0.precedes($1) }
        }
        return zip(words, words.dropFirst()).reduce(0) { $0 + distance($1.0, $1.1) }
    }

    static let exactness = FTS5Function("amalgam_rank_exactness") { match, _ in
        let words = try match.words()
        let exact = try match.exactHits()
        let phrases = Set(exact.map(\.phrase))
        let count = words.count { word in word.contains { $0.typoCount == 0 && phrases.contains($0.phrase) } }
        let isWhole = try Dictionary(grouping: exact, by: \.column).contains { column, hits in
            let phrases = Set(hits.map(\.phrase))
            let found = words.map { word in word.first { $0.typoCount == 0 && phrases.contains($0.phrase) } }
            let size = try found.reduce(0) { size, alternative in
                try alternative.map { try size + match.size(ofPhrase: $0.phrase) } ?? size
            }
            return try !found.contains { $0 == nil } && match.size(ofColumn: column) == size
        }
        return -2 * count - (isWhole ? 1 : 0)
    }

    /// A hit, and the number of its tokens.
    private struct Place {
        var hit: FTS5Match.Hit
        var size: Int

        func precedes(_ other: Place) -> Bool {
            (hit.column, hit.tokenOffset) < (other.hit.column, other.hit.tokenOffset)
        }
    }

    private static let maximumDistance = 8

    /// The number of tokens between the closest places of two words, plus 1 if the second one is first.
    private static func distance(_ first: [Place], _ second: [Place]) -> Int {
        var distance = maximumDistance
        var index = 0
        for place in first {
            while index < second.count, second[index].precedes(place) { index += 1 }
            if index < second.count, second[index].hit.column == place.hit.column {
                let gap = second[index].hit.tokenOffset - place.hit.tokenOffset - place.size
                distance = min(distance, max(0, gap))
            }
            if index > 0, second[index - 1].hit.column == place.hit.column {
                let before = second[index - 1]
                distance = min(distance, 1 + max(0, place.hit.tokenOffset - before.hit.tokenOffset - before.size))
            }
        }
        return distance
    }
}

/// A phrase of a query that is an alternative of a word.
private struct PhraseAlternative: Equatable {
    var phrase: Int
    var typoCount: Int
}

extension FTS5Match {
    /// The words of the query, and their phrases.
    fileprivate func words() throws -> [[PhraseAlternative]] {
        try cached { match in
            let count = match.phraseCount
            var phrases = Array(repeating: amalgam_phrase_word(), count: count)
            try match.check(amalgam_ranked_words(match.match, CInt(count), &phrases))
            var words: [[PhraseAlternative]] = []
            for (phrase, word) in phrases.enumerated() {
                while words.count <= Int(word.word) { words.append([]) }
                words[Int(word.word)].append(PhraseAlternative(phrase: phrase, typoCount: Int(word.typos)))
            }
            return words
        }
    }

    /// The hits whose last token is that of the pattern. Only this token can be a prefix in the pattern.
    fileprivate func exactHits() throws -> [Hit] {
        let lastTokens = try cached([[UInt8]].self) { match in
            try (0..<match.phraseCount).map { Array(try match.tokens(ofPhrase: $0).last?.utf8 ?? "".utf8) }
        }
        return try hits().enumerated().compactMap { index, hit in
            let size = try self.size(ofPhrase: hit.phrase)
            if size == 0 { return nil }
            var token: UnsafePointer<CChar>?
            var count: CInt = 0
            try check(api.pointee.xInstToken(match, CInt(index), CInt(size - 1), &token, &count))
            let bytes = UnsafeRawBufferPointer(start: token, count: token == nil ? 0 : Int(count))
            return bytes.elementsEqual(lastTokens[hit.phrase]) ? hit : nil
        }
    }
}
