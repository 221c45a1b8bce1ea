import Amalgam
import AmalgamCore
import CAmalgam
import TestSupport
import Testing

/// Searches ordered by rank whose table has several MATCH conditions: `WHERE d MATCH 'a' AND d MATCH 'b' ORDER BY rank`.
@Suite("Searches with several MATCH conditions")
struct SeveralMatchesTests {
    private let fruit = FTS5Query("apple") || FTS5Query("pear")

    private func withFruits(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE d USING fts5(title, body)")
            for (title, body) in [
                ("red", "apple"), ("green", "apple"), ("red", "pear"), ("green", "pear"), ("blue", "plum"),
                ("red", "plum"), ("", "apple"), ("red", ""),
            ] {
                try db.execute(sql: "INSERT INTO d VALUES (?, ?)", arguments: [title, body])
            }
            try body(db)
        }
    }

    @Test("find the rows that match all conditions, and no others")
    func rows() throws {
        try withFruits { db in
            let requests: [QueryInterfaceRequest<Row>] = try [
                Table("d").matching(FTS5Query("red")).matching(fruit),
                Table("d").matching(fruit).matching(FTS5Query("red")),
                Table("d").matching(FTS5Query("red")).filter(
                    Column("body").match(FTS5Pattern(rawPattern: "apple OR pear"))),
                Table("d").matching(searchBox: "red").matching(searchBox: "apple OR pear"),
                Table("d").matching(fruit).matching(FTS5Query("red") || FTS5Query("yellow")),
                Table("d").matching(fruit).matching(FTS5Query.fuzzy("red")),
            ]
            for request in requests {
                for request in [request.order(Column.rank), request.order(Column.rank).limit(7)] {
                    expectEqual(try Set(request.select(Column.rowID, as: Int64.self).fetchAll(db)), [1, 3])
                }
            }
        }
    }

    @Test("find the best rows of two columns of an intact table")
    func columns() throws {
        try withFruits { db in
            let sql = "SELECT rowid FROM d WHERE title MATCH 'red' AND body MATCH 'apple' ORDER BY rank LIMIT 3"
            // The second search finds the postings of the first one in memory.
            for _ in 0..<2 { expectEqual(try Int.fetchAll(db, sql: sql), [1]) }
            expectEqual(
                try Int.fetchAll(
                    db, sql: "SELECT rowid FROM d WHERE title MATCH 'red' AND body MATCH '\"\"' ORDER BY rank"), [])
        }
    }

    @Test("have the facets of the rows that they find")
    func facets() throws {
        try withFruits { db in
            let request = Table("d").matching(FTS5Query("red")).matching(fruit).order(Column.rank)
            let counts = try request.facets([Facet(Column("body"))]).fetch(db)["body"]
            #expect(counts?.map(\.count) == [1, 1])
        }
    }

    @Test("have the ranks of bm25(): the typos of one condition don't count")
    func ranksOfTypos() throws {
        try withFruits { db in
            try db.execute(sql: "INSERT INTO d VALUES ('green', 'aple'), ('green', 'appel')")
            let fuzzy = FTS5Query.fuzzy("apple")
            let request = Table("d").matching(fuzzy).matching(FTS5Query("green")).select(Column.rank, as: Double.self)
            #expect(try request.order(Column.rank).fetchAll(db).allSatisfy { $0 < 0 })
            let combined = Table("d").matching(fuzzy && FTS5Query("green")).select(Column.rank, as: Double.self)
            let typos = try combined.order(Column.rank).fetchAll(db).map { ($0 / 1_000_000).rounded() }
            #expect(typos == [0, 1, 1])
        }
    }

    // MARK: Random queries

    private static let shapes: [@Sendable (inout RandomSearches) -> String] = [
        { $0.word() },
        { "\($0.word().prefix(1))*" },
        { "\($0.word()) OR \($0.word())" },
        { "\($0.word()) AND \($0.word())" },
        { "\"\($0.word()) \($0.word())\"" },
        { "NEAR(\($0.word()) \($0.word()), 3)" },
        { "\($0.word()) NOT \($0.word())" },
        { "title : \($0.word())" },
        { "(\($0.word()) OR \($0.word())) AND \($0.word())" },
        { "\($0.word()) OR \"\($0.word()) \($0.word())\" OR ^\($0.word())" },
        { "(\($0.word()) AND \($0.word())) OR \($0.word())" },
        { _ in "\"\"" },
    ]

    /// Each pair of shapes, and as many random triples, each in a state of the table without postings in memory, and then in
    /// one with them.
    @Test(
        "have the rows, the order and the ranks of FTS5's functions", arguments: [DatabaseKind.memory, .pool],
        [1, 997_000_000_000])
    func random(storage: DatabaseKind, distance: Int64) throws {
        var random = RandomSearches(seed: UInt64(distance))
        try storage.run { db in
            try create(db, distance, &random)
            for first in Self.shapes {
                for second in Self.shapes {
                    try search(db, [first(&random), second(&random)], &random)
                    let third = random.element(Self.shapes)
                    try search(db, [first(&random), second(&random), third(&random)], &random)
                }
                try db.execute(sql: "INSERT INTO d VALUES (?, ?)", arguments: [random.text(words: 5), ""])
            }
            #expect(random.rowCount > 5_000)
        }
    }

    private func create(_ db: Database, _ distance: Int64, _ random: inout RandomSearches) throws {
        #expect(amalgam_ranked_add_typos(db.sqliteConnection) == SQLITE_OK)
        try db.execute(sql: "CREATE VIRTUAL TABLE d USING fts5(title, body)")
        for number in 0..<300 {
            try db.execute(
                sql: "INSERT INTO d(rowid, title, body) VALUES (?, ?, ?)",
                arguments: [Int64(number) * distance, random.text(words: 8), random.text(words: 20)])
        }
    }

    private func search(_ db: Database, _ queries: [String], _ random: inout RandomSearches) throws {
        let conditions = queries.map { _ in "\(random.element(["d", "d", "title", "body"])) MATCH ?" }
            .joined(separator: " AND ")
        let rankings = [
            Ranking.bm25, Ranking(name: "bm25", arguments: ["10.0", "0.5"]),
            Ranking(name: "amalgam_typos", arguments: ["'0:0 1:0'"]),
            Ranking(name: "amalgam_typos", arguments: ["'0:1 0:0 1:0'", "2.0"]),
            Ranking(name: "amalgam_typos", arguments: ["'0:0 1:0 0:2 1:1'"]),
        ]
        for ranking in [rankings[0], random.element(rankings)] {
            let limit = random.element(["", "LIMIT 10", "LIMIT 90 OFFSET 3"])
            let rank = "AND rank MATCH '\(ranking.text.replacing("'", with: "''"))'"
            let rows = try RankedRow.fetchAll(
                db, sql: "SELECT rowid, rank FROM d WHERE \(conditions) \(rank) ORDER BY rank, rowid \(limit)",
                arguments: StatementArguments(queries))
            let expected = try RankedRow.fetchAll(
                db, sql: "SELECT rowid, \(ranking.call("d")) FROM d WHERE \(conditions) ORDER BY 2, +rowid \(limit)",
                arguments: StatementArguments(queries))
            random.rowCount += rows.count
            #expect(rows == expected, "\(conditions) \(queries) \(rank) \(limit)")
        }
    }

    @Test("have the ranks of FTS5's way, with typos in one or more of them")
    func typos() throws {
        var random = RandomSearches(seed: 3, words: RandomSearches.similarWords)
        try DatabaseQueue().write { db in
            try create(db, 1, &random)
            for _ in 0..<100 {
                let queries: [FTS5Query] = [
                    .fuzzy(random.typo()), .fuzzy("\(random.typo()) \(random.typo())"), FTS5Query(random.word()),
                    FTS5Query(random.word()) || FTS5Query(random.word()), .prefix(random.word()),
                ]
                let request = Table("d").matching(random.element(queries)).matching(random.element(queries))
                    .order(Column.rank, Column.rowID).limit(random.number(1...60))
                    .select(Column.rowID, Column.rank)
                let found = try Row.fetchAll(db, request).map { RankedRow($0) }
                let sorted = try db.withoutRankedSearches { try Row.fetchAll(db, request).map { RankedRow($0) } }
                random.rowCount += found.count
                #expect(found == sorted)
            }
            #expect(random.rowCount > 500)
        }
    }
}
