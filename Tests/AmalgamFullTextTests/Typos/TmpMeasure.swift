import Amalgam
import Foundation
import TestSupport
import Testing

@Suite("TMP measure")
struct TmpMeasure {
    static let typing = SearchBoxSyntax(matchesPrefixOfLastWord: true)
    @Test("pats") func pats() throws {
        for item in (ProcessInfo.processInfo.environment["PATS"] ?? "").split(separator: ",") {
            let parts = item.split(separator: ":").map(String.init)
            try DatabaseQueue().write { db in
                try db.create(virtualTable: "document", using: FTS5()) { t in
                    t.tokenizer = parts[0] == "porter" ? .porter() : .snowball(language: SnowballLanguage(rawValue: parts[0]), stopWords: true)
                    t.column("body")
                }
                print(item, try FTS5Query(searchBox: parts[1], syntax: Self.typing)!.pattern(db, forTable: "document").rawPattern)
            }
        }
    }

    @Test("measure") func measure() throws {
        let env = ProcessInfo.processInfo.environment
        let limit = Int(env["LIMIT"] ?? "500")!
        let only = env["LANGS"].map { Set($0.split(separator: ",").map(String.init)) }
        var cases: [(String, FTS5TokenizerDescriptor)] = SnowballLanguage.all.map { ($0.rawValue, .snowball(language: $0, stopWords: !$0.stopWords.isEmpty)) }
        cases.append(("porter", .porter()))
        cases.append(("unicode61", .unicode61()))
        cases.append(("multi", .snowball(languages: [.english, .french, .german, .italian, .spanish])))
        cases.append(("all", .snowball(languages: SnowballLanguage.all)))
        for (name, tokenizer) in cases {
            if let only, !only.contains(name) { continue }
            let file = ["porter": "english", "unicode61": "english", "multi": "german", "all": "french"][name] ?? name
            guard let text = try? String(contentsOfFile: "/tmp/words/out/\(file).txt", encoding: .utf8) else { continue }
            var words = text.split(separator: "\n").map(String.init)
            var g = SeededGenerator(seed: 11)
            words.shuffle(using: &g)
            words = Array(words.prefix(limit))
            let locale = ["multi": "de", "all": "fr"][name]
            try DatabaseQueue().write { db in
                try db.create(virtualTable: "document", using: FTS5()) { t in
                    t.tokenizer = tokenizer
                    if locale != nil { t.locale = true }
                    t.column("body")
                }
                for word in words {
                    if let locale { try db.execute(sql: "INSERT INTO document VALUES (fts5_locale(?, ?))", arguments: [locale, word]) }
                    else { try db.execute(sql: "INSERT INTO document VALUES (?)", arguments: [word]) }
                }
                var prefixes = 0, holes = 0, plainHoles = 0, long = 0, count = 0, maxCount = 0, counts: [Int] = []
                var time = Duration.zero, worst = Duration.zero
                var examples: [String] = []
                for (i, word) in words.enumerated() {
                    let scalars = Array(word.unicodeScalars)
                    for n in 3..<max(3, scalars.count) {
                        var v = String.UnicodeScalarView(); v.append(contentsOf: scalars[..<n]); let p = String(v)
                        prefixes += 1
                        let q = FTS5Query(searchBox: p, syntax: Self.typing)
                        let start = ContinuousClock.now
                        let pattern = try q!.pattern(db, forTable: "document")
                        let d = start.duration(to: .now); time += d; worst = max(worst, d)
                        let c = pattern.rawPattern.split(separator: " ").filter { $0 == "OR" }.count
                        if c > 30, env["SHOW"] != nil { print(p, c, pattern.rawPattern.prefix(300)) }
                        counts.append(c); count += c; maxCount = max(c, maxCount)
                        let ok = try Int.fetchOne(db, sql: "SELECT 1 FROM document WHERE document MATCH ? AND rowid = ?", arguments: [pattern.rawPattern, i + 1]) != nil
                        let plain = try Int.fetchOne(db, sql: "SELECT 1 FROM document WHERE document MATCH ? AND rowid = ?", arguments: ["\"\(p)\"*", i + 1]) != nil
                        // what the whole word finds
                        let whole = try Int.fetchOne(db, sql: "SELECT 1 FROM document WHERE document MATCH ? AND rowid = ?", arguments: ["\"\(word)\"", i + 1]) != nil
                        if !plain && whole { plainHoles += 1 }
                        if !ok && whole { holes += 1; if n >= 5 { long += 1 }; if examples.count < 6 { examples.append("\(p)→\(word)") } }
                    }
                }
                counts.sort()
                let us = Double(time.components.attoseconds) / 1e12 / Double(prefixes) + Double(time.components.seconds) * 1e6 / Double(prefixes)
                let p95 = counts[Int(0.95 * Double(counts.count))]
                print(name, "prefixes", prefixes, "plain", plainHoles, "holes", holes, "5+", long, "alt mean", (Double(count) / Double(prefixes) * 100).rounded() / 100, "p95", p95, "max", maxCount, "µs", us.rounded(), "worst", worst, examples)
            }
        }
    }
}
