import Amalgam
import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

@Suite("Searches ordered by rank")
struct RankedSearchTests {
    /// A table of documents with the word `common`, each shorter than the next one.
    private func create(_ db: Database, count: Int = 1000, options: String = "") throws {
        try db.execute(sql: "CREATE VIRTUAL TABLE document USING fts5(title, body\(options))")
        for number in 1...count {
            let body = String(repeating: "other ", count: number % 200) + (number % 10 == 0 ? "tenth" : "")
            try db.execute(sql: "INSERT INTO document VALUES (?, ?)", arguments: ["common", body])
        }
    }

    /// What EXPLAIN QUERY PLAN tells about the full-text table.
    private func plan(_ db: Database, _ sql: String) throws -> String? {
        let steps = try db.queryPlan(sql: sql).nodes.map(\.detail)
        return steps.first { $0.contains("VIRTUAL TABLE INDEX ") }?.components(separatedBy: "VIRTUAL TABLE INDEX ")[1]
    }

    private let best = "SELECT rowid FROM document WHERE document MATCH 'common' ORDER BY rank, rowid LIMIT 5"

    @Test("EXPLAIN tells how the rows are found")
    func explain() throws {
        try DatabaseQueue().write { db in
            try create(db, count: 10)
            let condition = "FROM document WHERE document MATCH 'common'"
            let plans = try [
                "SELECT title \(condition) ORDER BY rank LIMIT 5", "SELECT title \(condition) ORDER BY rank, rowid",
                "SELECT title \(condition) ORDER BY rank DESC", "SELECT title \(condition)",
                "SELECT title \(condition) AND rank MATCH 'bm25(10.0)' ORDER BY rank",
                "SELECT title \(condition) AND rank MATCH 'other()' ORDER BY rank",
                "SELECT title \(condition) AND rank MATCH ? ORDER BY rank",
            ].map { try plan(db, $0) }
            #expect(plans[0] == "8224:M2, best rows first")
            #expect(plans[1] == "4128:M2, best rows first")
            #expect(plans[2] == "160:M2")
            #expect(plans[3] == "0:M2")
            #expect(plans[4] == "32:rM2, best rows first")
            #expect(plans[5] == "32:rM2, all rows sorted: not by bm25")
            #expect(plans[6] == "32:rM2, best rows first if by bm25")
        }
    }

    @Test(
        "Tables without positions or lengths sort all rows, and find the same",
        arguments: [", detail=column", ", detail=none", ", columnsize=0"])
    func otherTables(options: String) throws {
        try DatabaseQueue().write { db in
            try create(db, count: 300, options: options)
            expectEqual(try plan(db, best)?.contains("all rows sorted"), true)
            let sorted = try Int.fetchAll(
                db,
                sql: "SELECT rowid FROM document WHERE document MATCH 'common' ORDER BY bm25(document), +rowid LIMIT 5")
            expectEqual(try Int.fetchAll(db, sql: best), sorted)
        }
    }

    @Test("A ranking of the application sorts all rows, and equal ranks by rowid")
    func ownRanking() throws {
        try DatabaseQueue().write { db in
            try create(db, count: 50)
            let parity = FTS5Function("parity") { match, arguments in match.rowID % 2 }
            try db.add(auxiliaryFunction: parity)
            let rowIDs = try Int.fetchAll(
                db,
                sql: """
                    SELECT rowid FROM document WHERE document MATCH 'common' AND rank MATCH 'parity()'
                    ORDER BY rank, rowid LIMIT 3
                    """)
            #expect(rowIDs == [2, 4, 6])
            expectFailure(.SQLITE_ERROR, "no such function: missing") {
                _ = try Row.fetchAll(
                    db,
                    sql: "SELECT * FROM document WHERE document MATCH 'common' AND rank MATCH 'missing()' ORDER BY rank"
                )
            }
        }
    }

    @Test("Weights that aren't positive numbers have the ranks of bm25()", arguments: ["-1.0", "0.0", "'x'"])
    func weights(weight: String) throws {
        try DatabaseQueue().write { db in
            try create(db, count: 100)
            try db.execute(
                sql: "INSERT INTO document(document, rank) VALUES ('rank', 'bm25(' || ? || ')')", arguments: [weight])
            let ranked = try Row.fetchAll(
                db, sql: "SELECT rowid, rank FROM document WHERE document MATCH 'common OR tenth' ORDER BY rank, rowid")
            let sorted = try Row.fetchAll(
                db,
                sql:
                    "SELECT rowid, bm25(document, \(weight)) FROM document WHERE document MATCH 'common OR tenth' ORDER BY 2, +rowid"
            )
            #expect(ranked.map { $0[0] as Int } == sorted.map { $0[0] as Int })
        }
    }

    @Test("All rows come, in their order, without a limit")
    func allRows() throws {
        try DatabaseQueue().write { db in
            try create(db)
            let rowIDs = try Int.fetchAll(
                db, sql: "SELECT rowid FROM document WHERE document MATCH 'common' ORDER BY rank")
            let sorted = try Int.fetchAll(
                db, sql: "SELECT rowid FROM document WHERE document MATCH 'common' ORDER BY bm25(document), +rowid")
            #expect(rowIDs.count == 1000)
            #expect(rowIDs == sorted)
        }
    }

    @Test("A join with a condition gets further rows when it needs them")
    func joined() throws {
        try DatabaseQueue().write { db in
            try create(db)
            try db.execute(sql: "CREATE TABLE info (id INTEGER PRIMARY KEY, kind TEXT)")
            try db.execute(sql: "INSERT INTO info SELECT rowid, iif(rowid % 100 = 7, 'rare', 'other') FROM document")
            let sql = """
                SELECT document.rowid FROM document JOIN info ON info.id = document.rowid
                WHERE document MATCH 'common' AND kind = 'rare' ORDER BY
                """
            let rowIDs = try Int.fetchAll(db, sql: "\(sql) rank LIMIT 4")
            expectEqual(rowIDs, try Int.fetchAll(db, sql: "\(sql) bm25(document), +document.rowid LIMIT 4"))
            #expect(rowIDs.count == 4)
        }
    }

    @Test("Highlights and snippets mark the matches of each row")
    func highlights() throws {
        try DatabaseQueue().write { db in
            try create(db, count: 40)
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT rowid, highlight(document, 0, '[', ']') AS title, highlight(document, 1, '[', ']') AS body, bm25(document) AS score, rank
                    FROM document WHERE document MATCH 'common OR tenth' ORDER BY rank LIMIT 20
                    """)
            #expect(rows.count == 20)
            for row in rows {
                #expect(row["title"] == "[common]")
                #expect((row["body"] as String).contains("[tenth]") == ((row["rowid"] as Int) % 10 == 0))
                #expect(row["score"] as Double == row["rank"] as Double)
            }
        }
    }

    @Test(
        "Highlights of prefixes are those of single rows",
        arguments: [
            "com*", "com* OR ten*", "com* AND oth*", "other + oth*", "NEAR(com* ten*, 3)", "body : ten* OR common",
            "com* NOT tenth", "^com* OR tenth",
        ], ["", ", prefix='1 2'", ", tokendata=1"])
    func highlightsOfPrefixes(pattern: String, options: String) throws {
        try DatabaseQueue().write { db in
            try create(db, count: 200, options: options)
            let marks = "rowid, highlight(document, 0, '[', ']') AS title, highlight(document, 1, '[', ']') AS body"
            let best = "SELECT \(marks) FROM document WHERE document MATCH ? ORDER BY rank"
            let single = "SELECT \(marks) FROM document WHERE document MATCH ? AND rowid = ?"
            let rows = try Row.fetchAll(db, sql: best, arguments: [pattern])
            let rowIDs = try Int.fetchAll(
                db, sql: "SELECT rowid FROM document WHERE document MATCH ? ORDER BY bm25(document), +rowid",
                arguments: [pattern])
            expectEqual(rows.map { $0[0] }, rowIDs)
            #expect(pattern.hasPrefix("NEAR") || rows.count > 10)
            for row in rows {
                expectEqual(try Row.fetchOne(db, sql: single, arguments: [pattern, row[0] as Int]), row)
            }
        }
    }

    /// Without a prefix index, FTS5 reads all terms with the prefix to find its positions in one row.
    @Test("Highlights of a prefix read the prefix once")
    func readsOfPrefixes() throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.inTransaction {
                try db.execute(sql: "CREATE VIRTUAL TABLE document USING fts5(title, body)")
                for number in 1...2000 {
                    try db.execute(sql: "INSERT INTO document VALUES ('title', 'word\(number) other')")
                }
                return .commit
            }
            func reads(_ limit: Int) throws -> Int {
                let sql = """
                    SELECT highlight(document, 1, '[', ']') FROM document WHERE document MATCH 'word*'
                    ORDER BY rank LIMIT \(limit)
                    """
                _ = try String.fetchAll(db, sql: sql)
                let before = try readCount(db)
                let rows = try String.fetchAll(db, sql: sql)
                expectEqual(rows, (1...limit).map { "[word\($0)] other" })
                return try readCount(db) - before
            }
            let single = try reads(1)
            #expect(single > 5)
            #expect(try reads(30) < 2 * single)
        }
    }

    /// The number of pages of the index that FTS5 has read.
    private func readCount(_ db: Database) throws -> Int {
        try #require(try Int.fetchOne(db, sql: "SELECT document FROM document WHERE document MATCH '*reads'"))
    }

    @Test("Writes between two rows repeat no row")
    func writesBetweenRows() throws {
        try DatabaseQueue().write { db in
            try create(db)
            let cursor = try Int.fetchCursor(
                db, sql: "SELECT rowid FROM document WHERE document MATCH 'common' ORDER BY rank")
            var rowIDs: [Int] = []
            while let rowID = try cursor.next() {
                rowIDs.append(rowID)
                try db.execute(sql: "UPDATE document SET body = 'changed' WHERE rowid = ?", arguments: [rowID])
            }
            #expect(Set(rowIDs).count == rowIDs.count)
            #expect(rowIDs.count == 1000)
        }
    }

    @Test("An interrupt ends a search, and the connection can be used")
    func interrupted() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE document USING fts5(title)")
            try db.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)
                    INSERT INTO document SELECT 'common word' FROM n
                    """)
            sqlite3_progress_handler(db.sqliteConnection, 1_000_000, { _ in 1 }, nil)
            expectCode(.SQLITE_INTERRUPT) { try Int.fetchAll(db, sql: best) }
            sqlite3_progress_handler(db.sqliteConnection, 0, nil, nil)
            expectEqual(try Int.fetchAll(db, sql: best), [1, 2, 3, 4, 5])
        }
    }

    @Test("Without access to the lengths, a search throws the error of FTS5")
    func authorizer() throws {
        try DatabaseQueue().write { db in
            try create(db, count: 20)
            expectCode(.SQLITE_AUTH) {
                try db.withAuthorizer { action in
                    action.tableName == "document_docsize" ? .deny : .allow
                } perform: {
                    try Int.fetchAll(db, sql: best)
                }
            }
            expectEqual(try Int.fetchAll(db, sql: best), [1, 2, 3, 4, 5])
        }
    }

    @Test("Tables of attached and temporary databases")
    func schemas() throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH ':memory:' AS other")
            for schema in ["main", "other", "temp"] {
                try db.execute(sql: "CREATE VIRTUAL TABLE \(schema).\(schema)Document USING fts5(title)")
                try db.execute(sql: "INSERT INTO \(schema)Document VALUES ('a b c'), ('a'), ('a b')")
                let rowIDs = try Int.fetchAll(
                    db,
                    sql: "SELECT rowid FROM \(schema)Document WHERE \(schema)Document MATCH 'a' ORDER BY rank LIMIT 3")
                #expect(rowIDs == [2, 3, 1])
            }
            // The next database has the same names, and other lengths.
            try db.execute(sql: "DETACH other; ATTACH ':memory:' AS other")
            try db.execute(sql: "CREATE VIRTUAL TABLE other.otherDocument USING fts5(title)")
            try db.execute(sql: "INSERT INTO otherDocument VALUES ('a'), ('a b c'), ('a b')")
            let rowIDs = try Int.fetchAll(
                db, sql: "SELECT rowid FROM otherDocument WHERE otherDocument MATCH 'a' ORDER BY rank LIMIT 3")
            #expect(rowIDs == [1, 3, 2])
        }
    }

    @Test("A table that is dropped and created again")
    func dropped() throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            for texts in ["('a b c'), ('a')", "('a'), ('a b c')"] {
                try db.execute(
                    sql: "CREATE VIRTUAL TABLE document USING fts5(title); INSERT INTO document VALUES \(texts)")
                let rowIDs = try Int.fetchAll(
                    db, sql: "SELECT rowid FROM document WHERE document MATCH 'a' ORDER BY rank")
                #expect(rowIDs == (texts.hasPrefix("('a b") ? [2, 1] : [1, 2]))
                try db.execute(sql: "DROP TABLE document")
            }
        }
    }
}
