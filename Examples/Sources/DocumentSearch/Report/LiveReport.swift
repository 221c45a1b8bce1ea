import Foundation

extension Terminal {
    /// Prints the hits of a search before and after a commit, as an observation has delivered them.
    func report(_ before: [Hit], _ after: [Hit]) {
        section("Live: the search, observed")
        let changes = changes(LiveHit.list(before), LiveHit.list(after))
        line(
            "  \(changes.count) of \(after.count.counted("hit")) changed"
                + dim("; told by a ValueObservation when the edit was committed"))
        if changes.isEmpty { return }
        row("rank", "title", "reviews", "score", style: dim)
        for (old, new) in changes { report(old, new) }
    }

    /// Returns the changed hits. An edit also changes the scores of other documents, because their words become more or
    /// less rare.
    private func changes(_ before: [LiveHit], _ after: [LiveHit]) -> [(old: LiveHit?, new: LiveHit?)] {
        let hits = after.map { new in (before.first { $0.id == new.id }, Optional(new)) }
        let gone = before.filter { old in !after.contains { $0.id == old.id } }.map { (Optional($0), LiveHit?.none) }
        return (hits + gone).filter { $0.0 != $0.1 }
    }

    private func report(_ old: LiveHit?, _ new: LiveHit?) {
        func change(_ text: KeyPath<LiveHit, String>) -> String {
            let (old, new) = (old?[keyPath: text] ?? "–", new?[keyPath: text] ?? "–")
            return old == new ? new : "\(old) → \(new)"
        }
        row(change(\.rank), (new ?? old)?.title ?? "", change(\.reviews), change(\.score))
    }

    private func row(
        _ rank: String, _ title: String, _ reviews: String, _ score: String, style: (String) -> String = { $0 }
    ) {
        let columns = width - 38
        // The changes are at the end of a title.
        let title = title.count <= columns ? title : "…" + title.suffix(columns - 1)
        let figures = reviews.leftPadded(to: 10) + score.leftPadded(to: 17)
        line("  " + style(rank.padded(to: 9) + title.padded(to: columns) + figures))
    }
}

/// The parts of a hit that are shown: a change of other parts doesn't count.
private struct LiveHit: Equatable {
    let id: Int64
    let rank: String
    let title: String
    let reviews: String
    let score: String

    static func list(_ hits: [Hit]) -> [LiveHit] {
        hits.enumerated().map { index, hit in
            LiveHit(
                id: hit.documentID, rank: (index + 1).grouped,
                title: hit.title.words.map { $0.map(\.text).joined() }.joined(separator: " ").printable,
                reviews: hit.reviews.grouped, score: String(format: "%.2f", hit.score))
        }
    }
}
