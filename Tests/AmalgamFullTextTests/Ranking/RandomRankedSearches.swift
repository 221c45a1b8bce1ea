import Amalgam
import TestSupport
import Testing

/// Random searches, each compared with a search that calls `bm25()` for each match, and sorts by SQL.
@Suite("Random ranked searches")
struct RandomRankedSearches {
    /// The options of the table. Contentless tables have no text to update.
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case plain, prefixes, contentless, deletable, external, stems, noSizes, smallPages

        var testDescription: String { rawValue }

        var options: String {
            switch self {
            case .plain, .smallPages: ""
            case .prefixes: ", prefix='1 2'"
            case .contentless: ", content=''"
            case .deletable: ", content='', contentless_delete=1"
            case .external: ", content='source', content_rowid='id'"
            case .stems: ", tokenize='porter'"
            case .noSizes: ", columnsize=0"
            }
        }
    }

    /// Tables of 50 to 300 documents change between the searches: 1,400 searches for each kind of table.
    @Test("have the rows, the order and the ranks of bm25()", arguments: Kind.allCases, [DatabaseKind.memory, .pool])
    func searches(kind: Kind, storage: DatabaseKind) throws {
        var random = Source(seed: UInt64(kind.rawValue.utf8.reduce(storage.rawValue.utf8.count) { $0 * 31 + Int($1) }))
        try storage.run { db in
            for _ in 0..<10 { try Corpus(kind: kind, random: &random).run(db, &random) }
        }
    }
}

// MARK: - Tables

private struct Corpus {
    let kind: RandomRankedSearches.Kind
    /// The distance between two rowids.
    let distance: Int64
    let origin: Int64
    let count: Int
    /// Whether the ranking of the table has weights.
    let isWeighted: Bool

    init(kind: RandomRankedSearches.Kind, random: inout Source) {
        self.kind = kind
        distance = random.element([1, 37, 997_000_000_000])
        origin = random.element([0, -5000]) * distance
        count = random.number(50...300)
        isWeighted = random.number(0...2) == 0
    }

    func run(_ db: Database, _ random: inout Source) throws {
        try db.execute(sql: "DROP TABLE IF EXISTS source; DROP TABLE IF EXISTS d")
        try db.execute(sql: "CREATE TABLE source (id INTEGER PRIMARY KEY, title TEXT, body TEXT)")
        try db.execute(sql: "CREATE VIRTUAL TABLE d USING fts5(title, body\(kind.options))")
        if kind == .smallPages { try db.execute(sql: "INSERT INTO d(d, rank) VALUES ('pgsz', 64)") }
        if isWeighted { try db.execute(sql: "INSERT INTO d(d, rank) VALUES ('rank', 'bm25(3.0, 0.5)')") }
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

    private func write(_ db: Database, _ used: inout Set<Int64>, _ random: inout Source) throws {
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
                try insert(db, "INSERT OR REPLACE INTO d", rowID, title, body)
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

    private func insert(_ db: Database, _ sql: String, _ rowID: Int64, _ title: String, _ body: String) throws {
        try db.execute(sql: "\(sql) (rowid, title, body) VALUES (?, ?, ?)", arguments: [rowID, title, body])
    }

    private func search(_ db: Database, times: Int, _ random: inout Source) throws {
        for _ in 0..<times {
            let pattern = random.query(depth: random.number(0...3))
            let ranking = random.number(0...3) == 0 ? "bm25(10.0, 0.0)" : nil
            let condition = random.element(["", "", "", "AND rowid > \(origin + 40)", "AND rowid % 3 = 1"])
            let limit = random.element([
                "", "LIMIT 5", "LIMIT \(random.number(1...90))", "LIMIT \(random.number(1...90)) OFFSET 7",
            ])
            let weights = ranking != nil ? ", 10.0, 0.0" : isWeighted ? ", 3.0, 0.5" : ""
            let found = try Row.fetchAll(
                db,
                sql: """
                    SELECT rowid, rank FROM d WHERE d MATCH ? \(ranking.map { "AND rank MATCH '\($0)'" } ?? "") \(condition)
                    ORDER BY rank\(random.element(["", ", rowid"])) \(limit)
                    """, arguments: [pattern])
            let expected = try Row.fetchAll(
                db,
                sql: """
                    SELECT rowid, bm25(d\(weights)) AS rank FROM d WHERE d MATCH ? \(condition)
                    ORDER BY 2, +rowid \(limit)
                    """, arguments: [pattern])
            #expect(found == expected, "\(pattern) \(condition) \(limit)")
        }
    }
}

// MARK: - Random texts and queries

private struct Source {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }

    mutating func element<Element>(_ elements: [Element]) -> Element { elements[number(0...elements.count - 1)] }

    /// One of 60 words of two letters. A few words are in most documents.
    mutating func word() -> String {
        let number = number(0...element([4, 4, 4, 19, 59]))
        return String(UnicodeScalar(UInt8(97 + number % 7))) + String(UnicodeScalar(UInt8(97 + number / 7)))
    }

    mutating func text(words: Int) -> String { (0..<number(0...words)).map { _ in word() }.joined(separator: " ") }

    mutating func query(depth: Int) -> String {
        guard depth > 0, number(0...9) > 2 else { return phrase() }
        let (left, right) = (query(depth: depth - 1), query(depth: depth - 1))
        return element([
            "(\(left)) AND (\(right))", "\(left) OR \(right)", "(\(left)) OR (\(right))", "(\(left)) NOT (\(right))",
        ])
    }

    private mutating func phrase() -> String {
        let (first, second) = (word(), word())
        return element([
            first, first, first, first, "\(first.prefix(1))*", "\"\(first) \(second)\"", "^\(first)",
            "NEAR(\(first) \(second), \(number(0...3)))", "title : \(first)", "body : \(first)",
            "\(first) + \(second)*",
            "\"\"",
        ])
    }
}
