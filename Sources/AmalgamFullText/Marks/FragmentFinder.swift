/// Finds the fragments of a column's text with the most interesting matches. Positions are those of tokens.
///
/// A fragment scores 1,000 for each phrase that it contains, 1 for each repetition, and more if it begins a sentence:
/// these are the scores of SQLite's `snippet()`. A phrase that a previous fragment contains is a repetition. The time is
/// proportional to the number of matches and sentences.
struct FragmentFinder {
    /// The matches in the column, in ascending order.
    let hits: [FTS5Match.Hit]

    /// The number of tokens of each phrase.
    let phraseSizes: [Int]

    /// The positions of the first tokens of sentences, in ascending order.
    let sentenceStarts: [Int]

    /// The number of positions in the text.
    let count: Int

    /// The maximum number of positions in a fragment.
    let tokenCount: Int

    /// Returns the best fragment that doesn't overlap the previous ones, and its score. Nil if the previous fragments
    /// contain all matches.
    func best(after fragments: [Range<Int>]) -> (range: Range<Int>, score: Int)? {
        let fragments = fragments.sorted { $0.lowerBound < $1.lowerBound }
        let shown = Set(hits.filter { hit in fragments.contains { $0.contains(hit.tokenOffset) } }.map(\.phrase))
        var around = HitWindow(hits, shown: shown, phraseCount: phraseSizes.count)
        var fromSentence = around
        var sentence = 0
        var best: (range: Range<Int>, score: Int)?
        func offer(_ start: Int, _ score: Int, in gap: Range<Int>) {
            if score > best?.score ?? 0 { best = (start..<min(start + tokenCount, gap.upperBound), score) }
        }
        for hit in hits {
            guard let gap = gap(at: hit.tokenOffset, between: fragments) else { continue }
            let centered = around.move(to: hit.tokenOffset..<min(hit.tokenOffset + tokenCount, gap.upperBound))
            if centered > best?.score ?? 0 {
                let last = around.last.map { $0.tokenOffset + phraseSizes[$0.phrase] } ?? hit.tokenOffset
                offer(start(centering: hit.tokenOffset..<max(hit.tokenOffset, last), in: gap), centered, in: gap)
            }
            while sentence < sentenceStarts.count, sentenceStarts[sentence] <= hit.tokenOffset { sentence += 1 }
            guard count > tokenCount, sentence > 0 else { continue }
            let start = sentenceStarts[sentence - 1]
            guard start < hit.tokenOffset, start >= gap.lowerBound else { continue }
            let matches = fromSentence.move(to: start..<min(start + tokenCount, gap.upperBound))
            if matches > 0 { offer(start, matches + (start == 0 ? 120 : 100), in: gap) }
        }
        return best
    }

    /// The free positions around a position. Nil if a fragment contains it, or if it is outside of the text.
    private func gap(at position: Int, between fragments: [Range<Int>]) -> Range<Int>? {
        guard (0..<count).contains(position) else { return nil }
        var gap = 0..<count
        for fragment in fragments {
            if fragment.contains(position) { return nil }
            if fragment.upperBound <= position {
                gap = max(gap.lowerBound, fragment.upperBound)..<gap.upperBound
            } else {
                gap = gap.lowerBound..<min(gap.upperBound, fragment.lowerBound)
            }
        }
        return gap
    }

    private func start(centering span: Range<Int>, in gap: Range<Int>) -> Int {
        let start = span.lowerBound - max(0, tokenCount - span.count) / 2
        return max(gap.lowerBound, min(start, gap.upperBound - tokenCount))
    }
}

/// The matches in a range of positions that only moves forward, and their score.
private struct HitWindow {
    private let hits: [FTS5Match.Hit]

    /// The phrases whose matches are repetitions.
    private let shown: Set<Int>

    /// The indices of the matches in the range.
    private var indices = 0..<0

    /// The number of matches of each phrase in the range.
    private var counts: [Int]

    /// The number of phrases in the range that aren't shown.
    private var newPhraseCount = 0

    init(_ hits: [FTS5Match.Hit], shown: Set<Int>, phraseCount: Int) {
        self.hits = hits
        self.shown = shown
        counts = Array(repeating: 0, count: phraseCount)
    }

    /// The last match in the range.
    var last: FTS5Match.Hit? { indices.last.map { hits[$0] } }

    /// Moves the range, and returns its score.
    mutating func move(to range: Range<Int>) -> Int {
        var (first, end) = (indices.lowerBound, indices.upperBound)
        while end < hits.count, hits[end].tokenOffset < range.upperBound {
            count(hits[end].phrase, by: 1)
            end += 1
        }
        while first < end, hits[first].tokenOffset < range.lowerBound {
            count(hits[first].phrase, by: -1)
            first += 1
        }
        indices = first..<end
        return indices.count + 999 * newPhraseCount
    }

    private mutating func count(_ phrase: Int, by change: Int) {
        let wasPresent = counts[phrase] > 0
        counts[phrase] += change
        if wasPresent != (counts[phrase] > 0), !shown.contains(phrase) { newPhraseCount += change }
    }
}
