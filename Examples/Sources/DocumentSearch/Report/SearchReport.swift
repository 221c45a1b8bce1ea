import Amalgam
import Foundation

extension Terminal {
    func report(_ result: SearchResult, _ suggestions: Suggestions) {
        section("Search: \(result.query.text.printable)")
        fact("pattern", result.pattern.rawPattern.printable.shortened(to: width - 14))
        report(result.corrections)
        let count = bold(result.count.counted("document")) + " of \(result.documentCount.grouped)"
        let order = "; by typos, bm25: titles × 8, paths × 4"
        line("  \(count) in \(bold(result.duration.text))" + dim(order))
        report(suggestions)
        for (index, hit) in result.hits.enumerated() { report(hit, rank: index + 1) }
    }

    /// Prints the similar words that were searched for: `databse → database, databases`.
    private func report(_ corrections: [Query.Correction]) {
        if corrections.isEmpty { return }
        let words = corrections.map { "\($0.word) → \($0.similar.joined(separator: ", "))".printable }
        // A line may be broken between two words of the query, but not inside of one.
        fact("typos", words.map { $0.replacing(" ", with: "\u{A0}") }.joined(separator: " · "))
    }

    private func report(_ suggestions: Suggestions) {
        if let correction = suggestions.correction {
            let text = correction.text.printable.shortened(to: width - 40)
            line("  Did you mean \(bold(text))? " + dim("It finds \(correction.count.counted("document"))."))
        }
        if !suggestions.completions.isEmpty {
            // A line may be broken between two completions, but not inside of one.
            let completions = suggestions.completions.map { $0.printable.replacing(" ", with: "\u{A0}") }
            fact("completed", completions.joined(separator: " · "))
        }
    }

    private func report(_ hit: Hit, rank: Int) {
        let facts = "\(hit.language)  \(String(format: "%.1f", hit.score))"
        line("\n  \(rank)  " + bold(hit.path.printable.shortened(to: width - facts.count - 7)) + "  " + dim(facts))
        show(hit.title, limit: 2, style: { $0 })
        show(hit.snippet, limit: 3, style: dim)
    }

    private func show(_ text: MarkedText, limit: Int, style: (String) -> String) {
        for words in text.lines(of: width - 7).prefix(limit) {
            line("     " + words.map { highlighted($0, style) }.joined(separator: " "))
        }
    }

    private func highlighted(_ word: MarkedText.Word, _ style: (String) -> String) -> String {
        word.map { $0.isMarked ? highlight($0.text.printable) : style($0.text.printable) }.joined()
    }
}
