import AmalgamCore
internal import Foundation

/// Chooses fragments of a row's text that match a query, and encodes them.
struct SnippetMaker {
    private let tokenCount: Int
    private let pieceCount: Int

    /// The number of matches in a column from which the fragments are chosen.
    private static let maximumHitCount = 10_000

    init(tokenCount: Int, pieceCount: Int) {
        self.tokenCount = min(1_000, max(1, tokenCount))
        self.pieceCount = min(16, max(1, pieceCount))
    }

    /// - Parameter column: The index of the column. If negative, the column that matches best.
    func snippet(of match: borrowing FTS5Match, column: Int) throws -> Data {
        let hits = try match.firstHits(inColumn: column, limit: Self.maximumHitCount)
        if column >= 0 { return try encode(candidate(match, column, hits), of: match) }
        var best: Candidate?
        for column in Set(hits.map(\.column)).sorted() {
            let candidate = try candidate(match, column, hits)
            if candidate.score > best?.score ?? 0 { best = candidate }
        }
        if let best { return try encode(best, of: match) }
        return try encode(candidate(match, 0, []), of: match)
    }

    /// A column with its best fragment.
    private struct Candidate {
        let column: Int
        let hits: [FTS5Match.Hit]
        let places: TokenPlaces
        let finder: FragmentFinder
        let first: Range<Int>
        let score: Int
    }

    private func candidate(
        _ match: borrowing FTS5Match, _ column: Int, _ hits: [FTS5Match.Hit]
    ) throws -> Candidate {
        let hits = hits.filter { $0.column == column }
        // Without matches, the fragment is the beginning of the string. Other fragments contain a match.
        let places = try match.tokenPlaces(ofColumn: column, limit: (hits.last?.tokenOffset ?? 0) + 2 * tokenCount)
        let sentences = try match.withText(ofColumn: column) { places.sentenceStarts(in: $0) }
        let sizes = try (0..<match.phraseCount).map { try match.size(ofPhrase: $0) }
        let finder = FragmentFinder(
            hits: hits, phraseSizes: sizes, sentenceStarts: sentences, count: places.count, tokenCount: tokenCount)
        // Without a match, a snippet is the beginning of the text.
        let (first, score) = finder.best(after: []) ?? (0..<min(tokenCount, places.count), 0)
        return Candidate(
            column: column, hits: hits, places: places, finder: finder, first: first, score: score)
    }

    private func encode(_ candidate: Candidate, of match: borrowing FTS5Match) throws -> Data {
        var fragments = [candidate.first]
        while fragments.count < pieceCount, let (fragment, _) = candidate.finder.best(after: fragments) {
            fragments.append(fragment)
        }
        let marks = try match.marks(of: candidate.hits, candidate.places)
        return try match.withText(ofColumn: candidate.column) { text in
            let ranges = candidate.places.byteRanges(of: fragments, in: text)
            let pieces = ranges.map { range in
                MarkedBytes.encode(
                    UnsafeRawBufferPointer(rebasing: text[range]), marks.compactMap { $0.clipped(to: range) })
            }
            return SnippetBytes(
                column: candidate.column, omitsBeginning: ranges[0].lowerBound > 0,
                omitsEnd: ranges[ranges.count - 1].upperBound < text.count, pieces: pieces
            ).encoded
        }
    }
}

extension TokenPlaces {
    /// The positions of the first tokens of sentences.
    fileprivate func sentenceStarts(in text: UnsafeRawBufferPointer) -> [Int] {
        var space = 0..<0
        return (0..<count).filter {
            $0 == 0 || text.endsSentence(before: place(at: $0)?.lowerBound ?? 0, after: &space)
        }
    }

    /// The byte ranges of fragments, in ascending order. Adjacent fragments are merged. A fragment at the beginning or
    /// at the end of the text includes what is outside of all tokens.
    fileprivate func byteRanges(of fragments: [Range<Int>], in text: UnsafeRawBufferPointer) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var lastPosition = 0
        for fragment in fragments.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            let range = byteRange(of: fragment, in: text)
            if let last = ranges.last, lastPosition == fragment.lowerBound || range.lowerBound <= last.upperBound {
                let start = min(last.lowerBound, range.lowerBound)
                ranges[ranges.count - 1] = start..<max(last.upperBound, range.upperBound)
            } else {
                ranges.append(range)
            }
            lastPosition = fragment.upperBound
        }
        return ranges
    }

    private func byteRange(of fragment: Range<Int>, in text: UnsafeRawBufferPointer) -> Range<Int> {
        let first = fragment.lowerBound == 0 ? 0 : place(at: fragment.lowerBound)?.lowerBound ?? 0
        let isEnd = isComplete && fragment.upperBound >= count
        let last = isEnd ? text.count : place(at: fragment.upperBound - 1)?.upperBound ?? 0
        let start = min(text.count, max(0, first))
        return wholeRange(start..<min(text.count, max(start, last))).clamped(to: 0..<text.count)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether a sentence ends before the token at an offset: with a period, a colon or another sign, and white space.
    /// Chinese and Japanese signs need no white space.
    ///
    /// - Parameter space: The white space before the last token. It isn't read again: very many tokens may begin in white
    ///   space, such as those of the tokenizer `trigram`.
    fileprivate func endsSentence(before start: Int, after space: inout Range<Int>) -> Bool {
        guard start <= count else { return false }
        var end = start
        while end > 0, self[end - 1] == 0x20 || (0x09...0x0D).contains(self[end - 1]) {
            end = end == space.upperBound && !space.isEmpty ? space.lowerBound : end - 1
        }
        space = end..<start
        guard end > 0 else { return false }
        if self[end - 1] < 0x80 {
            return end < start
                && [UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "!"), UInt8(ascii: "?")]
                    .contains(self[end - 1])
        }
        return ["。", "！", "？"].contains { sign in end >= 3 && self[(end - 3)..<end].elementsEqual(sign.utf8) }
    }
}
