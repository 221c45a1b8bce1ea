import Amalgam
import AmalgamCore
import CAmalgam
import TestSupport
import Testing

/// Ranked searches of some rowids, which begin at the first of them.
@Suite("Ranked searches by rowid")
struct RowIDSearchTests {
    /// 6,000 documents with gaps between their rowids, around zero and at both ends of the range.
    private func create(_ db: Database) throws {
        #expect(amalgam_ranked_add_typos(db.sqliteConnection) == SQLITE_OK)
        try db.execute(sql: "CREATE VIRTUAL TABLE d USING fts5(title, body)")
        try db.inTransaction {
            var random = RandomSearches(seed: 3)
            for number in 0..<6000 {
                let rowID: Int64 =
                    switch number {
                    case 0..<40: .min + Int64(number) * 1000
                    case 5960...: .max - Int64(5999 - number) * 1000
                    default: Int64(number - 3000) * 7
                    }
                try db.execute(
                    sql: "INSERT INTO d(rowid, title, body) VALUES (?, ?, ?)",
                    arguments: [rowID, random.text(words: 4), random.text(words: 12)])
            }
            try db.execute(
                sql: "CREATE TABLE numbers (id INTEGER PRIMARY KEY); INSERT INTO numbers SELECT rowid FROM d")
            return .commit
        }
    }

    /// Patterns whose rows are found in windows and by FTS5, and the ranking.
    private static let searches = [
        ("aa", "bm25()"), ("aa AND ba", "bm25()"), ("aa OR ca OR \"aa ba\"", "bm25(4.0, 0.5)"),
        ("(aa OR ca) AND (ba OR da)", "bm25()"), ("\"aa ba\"", "bm25()"), ("aa NOT ba", "bm25()"),
        ("aa OR ba OR ca", "amalgam_typos('0:0 0:1 0:2')"),
        ("(aa OR ca) AND (ba OR da)", "amalgam_typos('0:0 0:1 1:0 1:1', 2.0)"),
        ("(aa OR \"ca da\") AND (ba OR d*)", "amalgam_typos('0:0 0:1 1:0 1:1')"),
    ]

    private static let conditions = [
        "rowid IN (7, 14, 21, -21000, 20900, 5000)", "rowid IN (SELECT rowid FROM d WHERE rowid % 70 = 0)",
        "rowid IN (SELECT value FROM json_each('[70, \"140\", 210.0, null, 9223372036854775807]'))",
        "rowid BETWEEN -100 AND 100", "rowid BETWEEN 4096 AND 8191", "rowid BETWEEN 4095 AND 4096",
        "rowid BETWEEN 100 AND -100", "rowid BETWEEN -30000 AND 30000", "rowid = 4098", "rowid = 4099",
        "rowid < -20000",
        "rowid <= -9223372036854775808", "rowid < -9223372036854775808", "rowid > 9223372036854775806",
        "rowid >= 9223372036854700000", "rowid > 9223372036854775807", "rowid > 20.5 AND rowid < 4000.5",
        "rowid >= '21' AND rowid <= '2100'", "rowid > NULL", "rowid BETWEEN 'a' AND 'b'", "rowid > -1e300",
        "rowid >= 0 AND rowid > 4200 AND rowid <= 9000 AND rowid < 8800", "rowid <> 7 AND rowid > 0",
        "(rowid < -19000 OR rowid > 19000)", "rowid IN (70, 140) AND rowid > 100",
    ]

    @Test("have the rows, the order and the ranks of FTS5's functions", arguments: searches, [true, false])
    func search(_ search: (query: String, ranking: String), isWarm: Bool) throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try create(db)
            let call = search.ranking.replacing("(", with: "(d, ", maxReplacements: 1).replacing("(d, )", with: "(d)")
            func fetch(_ condition: String, _ limit: String) throws -> [RankedRow] {
                try RankedRow.fetchAll(
                    db,
                    sql: """
                        SELECT rowid, rank FROM d WHERE d MATCH ? AND rank MATCH ? AND \(condition)
                        ORDER BY rank, rowid \(limit)
                        """, arguments: [search.query, search.ranking])
            }
            if isWarm { expectEqual(try fetch("TRUE", "").isEmpty, false) }
            var count = 0
            for condition in Self.conditions {
                for limit in ["", "LIMIT 3", "LIMIT 20 OFFSET 2"] {
                    // The condition decides about the rowids in another table.
                    let expected = try RankedRow.fetchAll(
                        db,
                        sql: """
                            SELECT rowid, \(call) FROM d WHERE d MATCH ?
                            AND +rowid IN (SELECT id FROM numbers WHERE \(condition))
                            ORDER BY 2, +rowid \(limit)
                            """, arguments: [search.query])
                    expectEqual(try fetch(condition, limit), expected, "\(condition) \(limit)")
                    count += expected.count
                }
                // A write removes everything that is in memory.
                if !isWarm { try db.execute(sql: "INSERT INTO d(d, rank) VALUES ('crisismerge', 16)") }
            }
            #expect(count > 50)
        }
    }

    @Test("a join that searches once for each row of another table")
    func joins() throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try create(db)
            try db.execute(
                sql: "CREATE TABLE picked (id INTEGER PRIMARY KEY); INSERT INTO picked VALUES (-700), (70), (4102), (9)"
            )
            let sql = "FROM picked JOIN d ON d.rowid = picked.id WHERE d MATCH 'aa OR ba'"
            expectEqual(
                try RankedRow.fetchAll(db, sql: "SELECT d.rowid, rank \(sql) ORDER BY rank, d.rowid", arguments: []),
                try RankedRow.fetchAll(db, sql: "SELECT d.rowid, bm25(d) \(sql) ORDER BY 2, +d.rowid", arguments: []))
        }
    }
}
