@testable import AmalgamFullText
import TestSupport
import Testing

/// The fragments of a text are those that a comparison of all possible fragments finds.
@Suite("Fragments with the most interesting matches")
struct FragmentFinderTests {
    /// Finds the best fragment in the simple way: it counts the matches of each fragment.
    private struct Model {
        let finder: FragmentFinder

        func best(after fragments: [Range<Int>]) -> (range: Range<Int>, score: Int)? {
            let shown = Set(
                finder.hits.filter { hit in fragments.contains { $0.contains(hit.tokenOffset) } }.map(\.phrase))
            var best: (range: Range<Int>, score: Int)?
            func offer(_ start: Int, _ score: Int, _ gap: Range<Int>) {
                if score > best?.score ?? 0 { best = (start..<min(start + finder.tokenCount, gap.upperBound), score) }
            }
            for hit in finder.hits {
                guard let gap = gap(at: hit.tokenOffset, fragments) else { continue }
                let (score, end) = score(hit.tokenOffset, gap, shown)
                let span = max(0, end - hit.tokenOffset)
                let centered = hit.tokenOffset - max(0, finder.tokenCount - span) / 2
                offer(max(gap.lowerBound, min(centered, gap.upperBound - finder.tokenCount)), score, gap)
                guard finder.count > finder.tokenCount,
                    let sentence = finder.sentenceStarts.last(where: { $0 <= hit.tokenOffset }),
                    sentence < hit.tokenOffset, sentence >= gap.lowerBound
                else { continue }
                let matches = self.score(sentence, gap, shown).score
                if matches > 0 { offer(sentence, matches + (sentence == 0 ? 120 : 100), gap) }
            }
            return best
        }

        private func gap(at position: Int, _ fragments: [Range<Int>]) -> Range<Int>? {
            guard position < finder.count, !fragments.contains(where: { $0.contains(position) }) else { return nil }
            return
                (fragments.map(\.upperBound).filter { $0 <= position }.max() ?? 0)..<(fragments.map(\.lowerBound).filter
            { $0 > position }.min() ?? finder.count)
        }

        private func score(_ start: Int, _ gap: Range<Int>, _ shown: Set<Int>) -> (score: Int, end: Int) {
            let end = min(start + finder.tokenCount, gap.upperBound)
            let hits = finder.hits.filter { (start..<end).contains($0.tokenOffset) }
            let new = Set(hits.map(\.phrase)).subtracting(shown)
            return (
                hits.count + 999 * new.count, hits.last.map { $0.tokenOffset + finder.phraseSizes[$0.phrase] } ?? start
            )
        }
    }

    @Test("random texts", arguments: seeds(500))
    func randomTexts(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...60, using: &random)
        let sizes = (0..<4).map { _ in Int.random(in: 1...3, using: &random) }
        let density = Int.random(in: 1...8, using: &random)
        let hits = (0..<count).flatMap { offset in
            sizes.indices.filter { _ in Int.random(in: 0...density, using: &random) == 0 }
                .map { FTS5Match.Hit(phrase: $0, column: 0, tokenOffset: offset) }
        }
        let finder = FragmentFinder(
            hits: hits, phraseSizes: sizes,
            sentenceStarts: [0] + (1..<max(2, count)).filter { _ in Int.random(in: 0...5, using: &random) == 0 },
            count: count, tokenCount: Int.random(in: 1...12, using: &random))
        var fragments: [Range<Int>] = []
        while fragments.count < 8 {
            let (found, expected) = (finder.best(after: fragments), Model(finder: finder).best(after: fragments))
            #expect(found?.range == expected?.range && found?.score == expected?.score, "seed \(seed)")
            guard let range = found?.range else { break }
            fragments.append(range)
        }
    }
}
