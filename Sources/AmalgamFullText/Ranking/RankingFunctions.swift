import AmalgamCore
import CAmalgam

/// The auxiliary functions of ranking rules. Smaller results are better.
enum RankingFunctions {
    static let words = FTS5Function("amalgam_rank_words") { match, _ in
        try -(0..<match.phraseCount).count { try !match.columns(ofPhrase: $0).isEmpty }
    }

    static let attribute = FTS5Function("amalgam_rank_attribute") { match, arguments in
        let columns = arguments.compactMap(Int.fromDatabaseValue)
        let count = columns.isEmpty ? match.columnCount : columns.count
        return try (0..<match.phraseCount).reduce(0) { sum, phrase in
            let positions = try match.columns(ofPhrase: phrase).compactMap { column in
                columns.isEmpty ? column : columns.firstIndex(of: column)
            }
            return sum + (positions.min() ?? count)
        }
    }

    static let proximity = FTS5Function("amalgam_rank_proximity") { match, _ in
        let hits = Dictionary(grouping: try match.hits(), by: \.phrase)
        let phrases = hits.keys.sorted()
        return try zip(phrases, phrases.dropFirst()).reduce(0) { sum, pair in
            let sizes = (try match.size(ofPhrase: pair.0), try match.size(ofPhrase: pair.1))
            return sum + distance(hits[pair.0] ?? [], sizes.0, hits[pair.1] ?? [], sizes.1)
        }
    }

    static let exactness = FTS5Function("amalgam_rank_exactness") { match, _ in
        let exact = try match.exactHits()
        let count = Set(exact.map(\.phrase)).count
        let isWhole = try Dictionary(grouping: exact, by: \.column).contains { column, hits in
            let phrases = Set(hits.map(\.phrase))
            let size = try phrases.reduce(0) { try $0 + match.size(ofPhrase: $1) }
            return try phrases.count == match.phraseCount && match.size(ofColumn: column) == size
        }
        return -2 * count - (isWhole ? 1 : 0)
    }

    private static let maximumDistance = 8

    /// The number of tokens between the closest hits of two phrases, plus 1 if the second one is first.
    private static func distance(
        _ first: [FTS5Match.Hit], _ firstSize: Int, _ second: [FTS5Match.Hit], _ secondSize: Int
    ) -> Int {
        var distance = maximumDistance
        var index = 0
        for hit in first {
            while index < second.count, second[index].precedes(hit) { index += 1 }
            if index < second.count, second[index].column == hit.column {
                distance = min(distance, max(0, second[index].tokenOffset - hit.tokenOffset - firstSize))
            }
            if index > 0, second[index - 1].column == hit.column {
                distance = min(distance, 1 + max(0, hit.tokenOffset - second[index - 1].tokenOffset - secondSize))
            }
        }
        return distance
    }
}

extension FTS5Match.Hit {
    fileprivate func precedes(_ other: FTS5Match.Hit) -> Bool {
        (column, tokenOffset) < (other.column, other.tokenOffset)
    }
}

extension FTS5Match {
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
