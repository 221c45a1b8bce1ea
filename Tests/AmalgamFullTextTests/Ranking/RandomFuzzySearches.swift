import Amalgam
import AmalgamCore
import CAmalgam
import TestSupport
import Testing

/// Random searches with typos by the public API, each compared with one that calls the ranking function for each match.
@Suite("Random searches with typos")
struct RandomFuzzySearches {
    /// The tokenizer and the options of the table.
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case plain, prefixes, smallPages, stems, languages, contentless

        var testDescription: String { rawValue }

        var hasStems: Bool { self == .stems || self == .languages }

        func create(_ db: Database) throws {
            if self == .languages {
                let tokenizer = FTS5TokenizerDescriptor.snowball(languages: [.english, .french])
                let components = tokenizer.components.map { "'\($0)'" }.joined(separator: " ")
                let arguments = "locale=1, tokenize=\"\(components)\""
                return try db.execute(sql: "CREATE VIRTUAL TABLE d USING fts5(title, body, \(arguments))")
            }
            try db.create(virtualTable: "d", using: FTS5()) { t in
                switch self {
                case .plain, .smallPages, .languages: break
                case .prefixes: t.prefixes = [1, 3]
                case .stems: t.tokenizer = .porter()
                case .contentless:
                    t.content = ""
                    t.contentlessDelete = true
                }
                t.column("title")
                t.column("body")
            }
            if self == .smallPages { try db.execute(sql: "INSERT INTO d(d, rank) VALUES ('pgsz', 64)") }
        }
    }

    @Test(
        "have the rows, the order and the ranks of FTS5's way", arguments: Kind.allCases, [DatabaseKind.memory, .pool])
    func searches(kind: Kind, storage: DatabaseKind) throws {
        var random = RandomSearches(
            seed: UInt64(kind.rawValue.utf8.reduce(storage.rawValue.utf8.count) { $0 * 31 + Int($1) }),
            words: kind.hasStems ? RandomSearches.inflections : RandomSearches.similarWords)
        try storage.run { db in
            for _ in 0..<3 {
                try kind.create(db)
                if random.number(0...1) == 0 {
                    try db.execute(sql: "INSERT INTO d(d, rank) VALUES ('rank', 'bm25(4.0, 0.5)')")
                }
                for _ in 0..<4 {
                    try db.inTransaction {
                        try write(db, kind, &random)
                        for _ in 0..<3 { try search(db, &random) }
                        return random.number(0...3) == 0 ? .rollback : .commit
                    }
                    for _ in 0..<12 { try search(db, &random) }
                }
                try db.drop(table: "d")
            }
            #expect(random.rowCount > 1_000)
        }
    }

    private func write(_ db: Database, _ kind: Kind, _ random: inout RandomSearches) throws {
        for _ in 0..<random.number(20...120) {
            let rowID = random.number(-9000...9000)
            let text = kind == .languages ? random.element(["?", "fts5_locale('en', ?)", "fts5_locale('fr', ?)"]) : "?"
            try db.execute(
                sql: "INSERT OR REPLACE INTO d(rowid, title, body) VALUES (?, \(text), \(text))",
                arguments: [rowID, random.text(words: 4), random.text(words: 15)])
            if random.number(0...7) == 0 { try db.execute(sql: "DELETE FROM d WHERE rowid = ?", arguments: [rowID]) }
        }
    }

    private func query(_ random: inout RandomSearches) -> FTS5Query? {
        let (first, second) = (random.typo(), random.typo())
        let few = TypoTolerance(maximumTermCount: 3, joinsAndSplitsWords: false)
        switch random.number(0...9) {
        case 0: return .fuzzy(first)
        case 1: return .fuzzy("\(first) \(second)")
        case 2: return .fuzzy("\(first) \(second)", tolerance: few)
        case 3: return .fuzzyPrefix("\(first) \(second.prefix(random.number(1...4)))")
        case 4: return FTS5Query.fuzzy(first).inColumns(random.element(["title", "body"]))
        case 5: return .fuzzy(first) || .fuzzy(second)
        case 6: return .fuzzy(first) && !FTS5Query(second)
        case 7:
            return .fuzzy("\(first) \(second)") && FTS5Query.near(FTS5Phrase(random.word()), FTS5Phrase(random.word()))
        case 8: return .fuzzy(first) && (FTS5Query(random.word()) || .prefix(second))
        default:
            let syntax = SearchBoxSyntax(matchesPrefixOfLastWord: true, typoTolerance: .standard)
            let text = "\(first) \(second) \(random.element(["", "-", "\""]))\(random.typo())"
            return FTS5Query(searchBox: text, syntax: syntax)
        }
    }

    private func search(_ db: Database, _ random: inout RandomSearches) throws {
        guard let query = query(&random) else { return }
        var request = Table("d").matching(query).order(Column.rank, Column.rowID).select(Column.rowID, Column.rank)
        if random.number(0...3) == 0 { request = request.filter(Column.rowID > random.number(-9000...9000)) }
        if random.number(0...2) > 0 { request = request.limit(random.number(1...60)) }
        let found = try Row.fetchAll(db, request).map { RankedRow($0) }
        let sorted = try db.withoutRankedSearches { try Row.fetchAll(db, request).map { RankedRow($0) } }
        random.rowCount += found.count
        #expect(found == sorted, "\(query)")
        // A typo outweighs all scores, so the rule for typos doesn't change the order.
        let rules: [FTS5RankingRule] = [.typos, .relevance, .expression(Column.rowID)]
        #expect(try Row.fetchAll(db, request.ranked(by: rules)).map { RankedRow($0) } == found, "\(query), by rules")
    }
}
