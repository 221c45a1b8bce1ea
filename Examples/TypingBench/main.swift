import Amalgam
import Foundation
let typing = SearchBoxSyntax(matchesPrefixOfLastWord: true)
var cases: [(String, FTS5TokenizerDescriptor)] = SnowballLanguage.all.map { ($0.rawValue, .snowball(language: $0, stopWords: !$0.stopWords.isEmpty)) }
cases += [("porter", .porter()), ("unicode61", .unicode61()), ("multi", .snowball(languages: [.english, .french, .german, .italian, .spanish])), ("all", .snowball(languages: SnowballLanguage.all))]
for (name, tokenizer) in cases {
    let file = ["porter": "english", "unicode61": "english", "multi": "german", "all": "french"][name] ?? name
    guard let text = try? String(contentsOfFile: "/tmp/words/out/\(file).txt", encoding: .utf8) else { continue }
    let all = text.split(separator: "\n")
    let words = stride(from: 7, to: all.count, by: max(1, all.count / 300)).map { String(all[$0]) }
    let locale = ["multi": "de", "all": "fr"][name]
    try DatabaseQueue().write { db in
        try db.create(virtualTable: "document", using: FTS5()) { t in
            t.tokenizer = tokenizer
            t.column("body")
            if locale != nil { t.locale = true }
        }
        for word in words {
            if let locale { try db.execute(sql: "INSERT INTO document VALUES (fts5_locale(?, ?))", arguments: [locale, word]) }
            else { try db.execute(sql: "INSERT INTO document VALUES (?)", arguments: [word]) }
        }
        var times: [Double] = [], search: [Double] = [], plain: [Double] = [], counts: [Int] = []
        for word in words where word.count > 3 {
            for n in 3..<word.count {
                let p = String(word.prefix(n))
                var start = ContinuousClock.now
                let pattern = try FTS5Query(searchBox: p, syntax: typing)!.pattern(db, forTable: "document")
                times.append(start.duration(to: .now) / .microseconds(1))
                counts.append(pattern.rawPattern.split(separator: " ").filter { $0 == "OR" }.count)
                start = ContinuousClock.now
                _ = try Int.fetchAll(db, sql: "SELECT rowid FROM document WHERE document MATCH ?", arguments: [pattern.rawPattern])
                search.append(start.duration(to: .now) / .microseconds(1))
                start = ContinuousClock.now
                _ = try FTS5Query(searchBox: p, syntax: SearchBoxSyntax())!.pattern(db, forTable: "document")
                plain.append(start.duration(to: .now) / .microseconds(1))
            }
        }
        times.sort(); search.sort(); plain.sort(); counts.sort()
        func s(_ a: [Double]) -> String { String(format: "mean %.0f p50 %.0f p99 %.0f", a.reduce(0, +) / Double(a.count), a[a.count / 2], a[a.count * 99 / 100]) }
        print(name, "expand µs", s(times), "search µs", s(search), "plain µs", s(plain), "alternatives max", counts.last ?? 0)
    }
}
