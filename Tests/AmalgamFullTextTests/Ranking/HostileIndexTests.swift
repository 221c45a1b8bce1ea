import Amalgam
import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

/// A file from elsewhere may have other tables in place of those that FTS5 makes, and damaged pages. A search may find any
/// ranks then, or throw an error. The address sanitizer finds more: `scripts/proof/fuzz ranked`.
@Suite("Ranked searches of damaged indexes")
struct HostileIndexTests {
    private func create(_ db: Database, rows: Int = 400) throws {
        try db.execute(sql: "CREATE VIRTUAL TABLE t USING fts5(x)")
        for number in 1...rows {
            try db.execute(
                sql: "INSERT INTO t(rowid, x) VALUES (?, ?)",
                arguments: [number, "a " + String(repeating: "b ", count: number % 9)])
        }
    }

    /// Replaces the table of lengths.
    private func replaceLengths(_ db: Database, _ sql: String) throws {
        try db.execute(
            sql:
                "PRAGMA writable_schema = ON; CREATE TABLE lengths AS SELECT id, sz FROM t_docsize; DROP TABLE t_docsize; \(sql)"
        )
    }

    private func search(_ db: Database) {
        for query in ["a", "a OR b", "a AND b", "b*"] {
            for _ in 0..<2 {
                _ = try? Row.fetchAll(
                    db, sql: "SELECT rowid, rank FROM t WHERE t MATCH ? ORDER BY rank", arguments: [query])
            }
            _ = try? FTS5Index("t").warmUp(db)
        }
    }

    @Test(
        "tables of lengths that FTS5 hasn't made",
        arguments: [
            "CREATE TABLE t_docsize (id, sz); INSERT INTO t_docsize SELECT 1, sz FROM lengths",
            "CREATE VIEW t_docsize AS SELECT id, sz FROM lengths UNION ALL SELECT 5, sz FROM lengths",
            "CREATE TABLE t_docsize (id INTEGER PRIMARY KEY, sz) WITHOUT ROWID; INSERT INTO t_docsize SELECT * FROM lengths",
            "CREATE TABLE t_docsize (sz, id INTEGER PRIMARY KEY); INSERT INTO t_docsize SELECT sz, id FROM lengths",
            "CREATE TABLE t_docsize (id INTEGER PRIMARY KEY, sz); INSERT INTO t_docsize SELECT id, 'text' FROM lengths",
            "CREATE TABLE t_docsize (id INTEGER PRIMARY KEY, sz); INSERT INTO t_docsize SELECT id, NULL FROM lengths",
            "CREATE TABLE t_docsize (id INTEGER PRIMARY KEY, sz); INSERT INTO t_docsize SELECT id, x'ffffffffffffffffff' FROM lengths",
            "CREATE TABLE t_docsize (id INTEGER PRIMARY KEY, sz); INSERT INTO t_docsize SELECT id, x'ff' FROM lengths",
            "CREATE TABLE t_docsize (id INTEGER PRIMARY KEY, sz); INSERT INTO t_docsize SELECT id, randomblob(9000) FROM lengths LIMIT 50",
            "CREATE TABLE t_docsize (id INTEGER PRIMARY KEY, sz, a AS (id + 1) STORED); INSERT INTO t_docsize(id, sz) SELECT * FROM lengths",
        ])
    func otherTables(sql: String) throws {
        try withTemporaryDirectory { directory in
            let path = directory.appending(path: "t.sqlite").path
            let queue = try DatabaseQueue(path: path)
            try queue.writeWithoutTransaction { db in
                try create(db)
                try replaceLengths(db, sql)
            }
            try queue.close()
            let reopened = try DatabaseQueue(path: path)
            try reopened.unsafeRead { db in
                search(db)
                // With FTS5's own search, the same rows are found, or the same error is thrown.
                let sql = "SELECT rowid, rank FROM t WHERE t MATCH 'a' ORDER BY rank, rowid"
                let found = try? RankedRow.fetchAll(db, sql: sql, arguments: [])
                let expected = try db.withoutRankedSearches { try? RankedRow.fetchAll(db, sql: sql, arguments: []) }
                #expect(found == expected)
            }
            try reopened.close()
        }
    }

    /// FTS5's own schema, but the rows of one page have the same rowid. No length is held in memory, and the ranks are those
    /// of FTS5.
    @Test("a page of the lengths that has a rowid many times")
    func sameRowIDs() throws {
        try damage { page, random in
            let count = Int(page[3]) << 8 | Int(page[4])
            for cell in 0..<count {
                let offset = Int(page[8 + 2 * cell]) << 8 | Int(page[9 + 2 * cell])
                if page[offset + 1] < 0x80 { page[offset + 1] = 1 }
            }
        } check: { db in
            let lengths = try FTS5Index("t").warmUp(db)
            #expect(lengths.rowCount == 0 && lengths.byteCount == 0)
            for query in ["a", "a OR b", "b*"] {
                let sql = "SELECT rowid, rank FROM t WHERE t MATCH ? ORDER BY rank, rowid"
                let found = try? RankedRow.fetchAll(db, sql: sql, arguments: [query])
                let expected = try db.withoutRankedSearches {
                    try? RankedRow.fetchAll(db, sql: sql, arguments: [query])
                }
                #expect(found == expected, "\(query)")
            }
        }
    }

    @Test("random bytes on a page of the lengths", arguments: seeds(40))
    func randomBytes(seed: UInt64) throws {
        try damage(seed) { page, random in
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                // The header and the offsets of cells more often than others.
                let limit = [12, 300, page.count].randomElement(using: &random)!
                page[Int.random(in: 0..<limit, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
        }
    }

    /// Changes the root page of `t_docsize` or a page below it in a file, and searches.
    private func damage(
        _ seed: UInt64 = 1, _ change: (inout [UInt8], inout SeededGenerator) -> Void,
        check: (Database) throws -> Void = { _ in }
    ) throws {
        var random = SeededGenerator(seed: seed)
        try withTemporaryDirectory { directory in
            let path = directory.appending(path: "t.sqlite").path
            let rows = seed % 2 == 0 ? 2_000 : 150
            let queue = try DatabaseQueue(path: path)
            let root = try queue.writeWithoutTransaction { db in
                try db.inTransaction {
                    try create(db, rows: rows)
                    return .commit
                }
                return try #require(
                    try Int.fetchOne(db, sql: "SELECT rootpage FROM sqlite_master WHERE name = 't_docsize'"))
            }
            try queue.close()
            var file = [UInt8](try Data(contentsOf: URL(filePath: path)))
            let start = (root - 1) * 4096
            var page = Array(file[start..<start + 4096])
            change(&page, &random)
            file.replaceSubrange(start..<start + 4096, with: page)
            try Data(file).write(to: URL(filePath: path))
            var configuration = Configuration()
            configuration.readonly = true
            let reopened = try DatabaseQueue(path: path, configuration: configuration)
            // SQLite returns the error of a search again when the transaction ends.
            _ = try? reopened.read { db in search(db) }
            try reopened.unsafeRead(check)
            expectEqual(try reopened.unsafeRead { db in try Int.fetchOne(db, sql: "SELECT 1") }, 1)
            try reopened.close()
        }
    }

    /// A row whose length is missing doesn't matter to a search that can't find it.
    @Test("a search scores only rows that can be in the result")
    func otherRows() throws {
        try DatabaseQueue().write { db in
            try create(db)
            try db.execute(sql: "DELETE FROM t_docsize WHERE id = 300")
            try db.execute(sql: "INSERT INTO t(rowid, x) VALUES (500, 'a')")
            for query in ["a", "a OR b", "a AND b", "(a OR b) AND (a OR c)", "a*"] {
                for condition in ["rowid = 7", "rowid < 299", "rowid > 301", "rowid BETWEEN 10 AND 20"] {
                    try checkRanks(db, "t", query, "\(query), \(condition)", condition: condition)
                }
                expectCode(.SQLITE_CORRUPT) {
                    _ = try Row.fetchAll(
                        db, sql: "SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank", arguments: [query])
                }
            }
        }
    }
}
