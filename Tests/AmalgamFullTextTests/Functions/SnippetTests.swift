import Amalgam
import AmalgamCore
import TestSupport
import Testing

/// `snippet()` of FTS5, which this package computes in a faster way, returns the fragment that SQLite's rules define.
@Suite("snippet()")
struct SnippetTests {
    /// Finds the fragment by the rules of SQLite's documentation: it counts the matches of each fragment.
    private static let model = FTS5Function("snippetModel") { match, arguments in
        let size = Int.fromDatabaseValue(arguments[0])!
        let words = try match.text(ofColumn: 0).split(separator: " ").map(String.init)
        let hits = try match.hits()
        var phraseSizes: [Int: Int] = [:]
        for hit in hits { phraseSizes[hit.phrase] = try match.size(ofPhrase: hit.phrase) }
        let sizes = phraseSizes
        func score(_ start: Int) -> (score: Int, last: Int) {
            let found = hits.filter { (start..<start + size).contains($0.tokenOffset) }
            let last = found.last.map { $0.tokenOffset + sizes[$0.phrase]! } ?? 0
            return (found.count + 999 * Set(found.map(\.phrase)).count, last)
        }
        var (best, start) = (0, 0)
        for hit in hits {
            let centered = score(hit.tokenOffset)
            if centered.score > best {
                let adjusted = hit.tokenOffset - (size - (centered.last - hit.tokenOffset)) / 2
                (best, start) = (centered.score, max(0, min(adjusted, words.count - size)))
            }
            let sentence = (0...hit.tokenOffset).last { $0 == 0 || words[$0 - 1].hasSuffix(".") } ?? 0
            guard words.count > size, sentence < hit.tokenOffset else { continue }
            let sentenceScore = score(sentence).score + (sentence == 0 ? 120 : 100)
            if sentenceScore > best { (best, start) = (sentenceScore, sentence) }
        }
        let end = min(words.count, start + size)
        let text = words[start..<end].joined(separator: " ")
        if end == words.count { return (start > 0 ? "…" : "") + text }
        return (start > 0 ? "…" : "") + (text.hasSuffix(".") ? String(text.dropLast()) : text) + "…"
    }

    @Test("random documents and queries", arguments: seeds(40))
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func word() -> String { ["a", "b", "c", "d", "e", "f"].randomElement(using: &random)! }
        try DatabaseQueue().write { db in
            try db.add(auxiliaryFunction: Self.model)
            try db.execute(sql: "CREATE VIRTUAL TABLE d USING fts5(body)")
            for _ in 0..<20 {
                let words = (0..<Int.random(in: 1...80, using: &random)).map { _ in
                    word() + (Int.random(in: 0...9, using: &random) == 0 ? "." : "")
                }
                try db.execute(sql: "INSERT INTO d VALUES (?)", arguments: [words.joined(separator: " ")])
            }
            for _ in 0..<20 {
                let query = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                    [word(), word() + "*", "\"\(word()) \(word())\"", "NEAR(\(word()) \(word()), 3)"]
                        .randomElement(using: &random)!
                }.joined(separator: " OR ")
                let size = Int.random(in: 1...12, using: &random)
                let rows = try Row.fetchAll(
                    db,
                    sql: """
                        SELECT snippet(d, 0, '', '', '…', ?1), snippetModel(d, ?1), body FROM d WHERE d MATCH ?2
                        \(Bool.random(using: &random) ? "ORDER BY rank" : "")
                        """, arguments: [size, query])
                for row in rows {
                    #expect(
                        row[0] as String == row[1] as String, "seed \(seed): \(query), \(size), \(row[2] as String)")
                }
            }
        }
    }
}
