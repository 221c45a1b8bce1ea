import Amalgam
import AmalgamCore
import CAmalgam
import TestSupport
import Testing

/// Random searches, each compared with a search that calls the ranking function for each match, and sorts by SQL.
@Suite("Random ranked searches")
struct RandomRankedSearches {
    /// The options of the table. Contentless tables have no text to update.
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case plain, prefixes, contentless, deletable, external, stems, noSizes, smallPages, languages

        var testDescription: String { rawValue }

        var options: String {
            switch self {
            case .plain, .smallPages: return ""
            case .prefixes: return ", prefix='1 2'"
            case .contentless: return ", content=''"
            case .deletable: return ", content='', contentless_delete=1"
            case .external: return ", content='source', content_rowid='id'"
            case .stems: return ", tokenize='porter'"
            case .noSizes: return ", columnsize=0"
            case .languages:
                let tokenizer = FTS5TokenizerDescriptor.snowball(languages: [.english, .french])
                let components = tokenizer.components.map { "'\($0)'" }.joined(separator: " ")
                return ", locale=1, tokenize=\"\(components)\""
            }
        }
    }

    /// Tables of 50 to 300 documents change between the searches: 1,400 searches for each kind of table.
    @Test(
        "have the rows, the order and the ranks of FTS5's functions", arguments: Kind.allCases,
        [DatabaseKind.memory, .pool])
    func searches(kind: Kind, storage: DatabaseKind) throws {
        var random = RandomSearches(
            seed: UInt64(kind.rawValue.utf8.reduce(storage.rawValue.utf8.count) { $0 * 31 + Int($1) }),
            words: kind == .languages ? RandomSearches.inflections : RandomSearches.letterPairs)
        try storage.run { db in
            #expect(amalgam_ranked_add_typos(db.sqliteConnection) == SQLITE_OK)
            for _ in 0..<(isSanitized ? 2 : 10) { try Corpus(kind: kind, random: &random).run(db, &random) }
            #expect(random.rowCount > (isSanitized ? 100 : 5_000))
        }
    }
}

/// A row of a search, with the bits of its rank.
struct RankedRow: Equatable, CustomStringConvertible {
    var rowID: Int64?
    var rank: UInt64?

    init(_ row: Row) {
        rowID = row[0]
        rank = (row[1] as Double?)?.bitPattern
    }

    static func fetchAll(_ db: Database, sql: String, arguments: StatementArguments) throws -> [RankedRow] {
        try Row.fetchAll(db, sql: sql, arguments: arguments).map { RankedRow($0) }
    }

    var description: String {
        "\(rowID.map { "\($0)" } ?? "NULL"): \(rank.map { "\(Double(bitPattern: $0))" } ?? "NULL")"
    }
}

extension Database {
    /// Runs a closure whose searches call the ranking function for each match.
    func withoutRankedSearches<T>(_ body: () throws -> T) throws -> T {
        #expect(amalgam_ranked_set_enabled(sqliteConnection, 0) == SQLITE_OK)
        defer { #expect(amalgam_ranked_set_enabled(sqliteConnection, 1) == SQLITE_OK) }
        return try body()
    }
}

private struct Corpus {
    let kind: RandomRankedSearches.Kind
    /// The distance between two rowids.
    let distance: Int64
    let origin: Int64
    let count: Int
    let ranking: Ranking

    init(kind: RandomRankedSearches.Kind, random: inout RandomSearches) {
        self.kind = kind
        distance = random.element([1, 37, 997_000_000_000])
        origin = random.element([0, -5000]) * distance
        count = random.number(50...300)
        ranking = random.element([
            .bm25, .bm25, .bm25, Ranking(name: "bm25", arguments: ["3.0", "0.5"]),
            Ranking(name: "amalgam_typos", arguments: ["'0:0 0:1 1:0'", "2.0"]),
        ])
    }

    func run(_ db: Database, _ random: inout RandomSearches) throws {
        try db.execute(sql: "DROP TABLE IF EXISTS source; DROP TABLE IF EXISTS d")
        try db.execute(sql: "CREATE TABLE source (id INTEGER PRIMARY KEY, title TEXT, body TEXT)")
        try db.execute(sql: "CREATE VIRTUAL TABLE d USING fts5(title, body\(kind.options))")
        if kind == .smallPages { try db.execute(sql: "INSERT INTO d(d, rank) VALUES ('pgsz', 64)") }
        try db.execute(sql: "INSERT INTO d(d, rank) VALUES ('rank', ?)", arguments: [ranking.text])
        if random.number(0...2) == 0 { try db.execute(sql: "INSERT INTO d(d, rank) VALUES ('automerge', 0)") }
        var used: Set<Int64> = []
        for _ in 0..<5 {
            try db.inTransaction {
                try write(db, &used, &random)
                try search(db, times: 5, &random)
                if random.number(0...4) == 0 {
                    let rowIDs = used
                    try db.inSavepoint {
                        try write(db, &used, &random)
                        try search(db, times: 2, &random)
                        return .rollback
                    }
                    used = rowIDs
                    try search(db, times: 2, &random)
                }
                return random.number(0...5) == 0 && used.isEmpty ? .rollback : .commit
            }
            if random.number(0...2) == 0 { try db.execute(sql: "INSERT INTO d(d) VALUES ('optimize')") }
            if random.number(0...2) == 0 { try db.execute(sql: "INSERT INTO d(d, rank) VALUES ('merge', 8)") }
            if kind == .external { try db.execute(sql: "INSERT INTO d(d) VALUES ('rebuild')") }
            try search(db, times: 8, &random)
        }
    }

    // MARK: Documents

    private func write(_ db: Database, _ used: inout Set<Int64>, _ random: inout RandomSearches) throws {
        for _ in 0...count / 5 {
            let rowID = origin + Int64(random.number(0...400)) * distance
            let title = random.text(words: 5)
            let body = random.text(words: random.number(0...9) == 0 ? 150 : 20)
            let isNew = used.insert(rowID).inserted
            switch kind {
            case .contentless:
                if isNew { try insert(db, "INSERT INTO d", rowID, title, body) }
            case .external:
                guard isNew else { continue }
                try db.execute(sql: "INSERT INTO source VALUES (?, ?, ?)", arguments: [rowID, title, body])
                try insert(db, "INSERT INTO d", rowID, title, body)
            default:
                let locale = kind == .languages ? random.element([nil, "en", "fr"]) : nil
                try insert(db, "INSERT OR REPLACE INTO d", rowID, title, body, locale: locale)
                if random.number(0...6) == 0 {
                    try db.execute(sql: "DELETE FROM d WHERE rowid = ?", arguments: [rowID])
                }
                if kind != .deletable, random.number(0...9) == 0 {
                    try db.execute(
                        sql: "UPDATE d SET body = ? WHERE rowid IN (SELECT rowid FROM d LIMIT 2)", arguments: [title])
                }
            }
        }
    }

    private func insert(
        _ db: Database, _ sql: String, _ rowID: Int64, _ title: String, _ body: String, locale: String? = nil
    ) throws {
        let value = locale.map { "fts5_locale('\($0)', ?)" } ?? "?"
        try db.execute(
            sql: "\(sql) (rowid, title, body) VALUES (?, \(value), \(value))", arguments: [rowID, title, body])
    }

    // MARK: Searches

    private func search(_ db: Database, times: Int, _ random: inout RandomSearches) throws {
        for _ in 0..<times {
            if random.number(0...1) == 0 {
                try search(db, random.query(depth: random.number(0...3)), random.ranking(), &random)
            } else {
                let groups = random.groups()
                try search(db, groups.query, random.ranking(groups), &random)
            }
        }
    }

    private func search(
        _ db: Database, _ query: String, _ ranking: Ranking?, _ random: inout RandomSearches
    ) throws {
        let condition = condition(&random)
        let limit = random.element([
            "", "LIMIT 5", "LIMIT \(random.number(1...90))", "LIMIT \(random.number(1...90)) OFFSET 7",
        ])
        let pattern = kind == .languages && random.number(0...4) == 0 ? "fts5_locale('fr', ?)" : "?"
        let rank = ranking.map { "AND rank MATCH '\($0.text.replacing("'", with: "''"))'" } ?? ""
        let found = "SELECT rowid, rank FROM d WHERE d MATCH \(pattern) \(rank) \(condition) ORDER BY rank"
        let rows = try RankedRow.fetchAll(
            db, sql: "\(found)\(random.element(["", ", rowid"])) \(limit)", arguments: [query])
        let expected = try RankedRow.fetchAll(
            db,
            sql: """
                SELECT rowid, \((ranking ?? self.ranking).call("d")) FROM d WHERE d MATCH \(pattern) \(condition)
                ORDER BY 2, +rowid \(limit)
                """, arguments: [query])
        random.rowCount += rows.count
        #expect(rows == expected, "\(query) \(rank) \(condition) \(limit)")
        if random.number(0...4) > 0 { return }
        let sorted = try db.withoutRankedSearches {
            try RankedRow.fetchAll(db, sql: "\(found), rowid \(limit)", arguments: [query])
        }
        #expect(rows == sorted, "\(query) \(rank) \(condition) \(limit), without ranked searches")
    }

    /// A condition on the rowids. Most searches have none.
    private func condition(_ random: inout RandomSearches) -> String {
        func rowID(_ random: inout RandomSearches) -> Int64 { origin + Int64(random.number(-1...401)) * distance }
        let (first, second) = (rowID(&random), rowID(&random))
        let some = (0..<random.number(1...40)).map { _ in "\(rowID(&random))" }.joined(separator: ", ")
        return random.element([
            "", "", "", "", "AND rowid > \(origin + 40)", "AND rowid % 3 = 1", "AND rowid = \(first)",
            "AND rowid BETWEEN \(min(first, second)) AND \(max(first, second))", "AND rowid < \(first)",
            "AND rowid >= \(first) AND rowid <= \(second)", "AND rowid IN (\(some))", "AND rowid NOT IN (\(some))",
        ])
    }
}
