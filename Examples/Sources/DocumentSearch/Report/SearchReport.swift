import Foundation

extension Terminal {
    func report(_ result: SearchResult) {
        section("Search: \(result.query.text.printable)")
        let count = bold(result.count.counted("document")) + " of \(result.documentCount.grouped)"
        line("  \(count) in \(bold(result.duration.text))" + dim("; best first: bm25, titles × 8, paths × 4"))
        if result.hits.isEmpty { line("  No document has all of these words.") }
        for (index, hit) in result.hits.enumerated() { report(hit, rank: index + 1) }
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
