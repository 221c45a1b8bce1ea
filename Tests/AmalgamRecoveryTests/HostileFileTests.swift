import Amalgam
import Foundation
import Synchronization
import TestSupport
import Testing

/// Files that were made to harm: the cures of vendor/sqlite/recover.patch.
@Suite("Recovery of hostile files", hasRecovery)
struct HostileFileTests {
    /// Creates a file whose schema has additional rows.
    private func makeDatabase(_ sql: String, schema rows: [(type: String, name: String, page: Int, sql: String)]) throws
        -> DamagedDatabase
    {
        try DamagedDatabase { db in
            try db.execute(sql: sql)
            try db.execute(sql: "PRAGMA writable_schema = ON")
            for row in rows {
                try db.execute(
                    sql: "INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)",
                    arguments: [row.type, row.name, row.name, row.page, row.sql])
            }
            try db.execute(sql: "PRAGMA writable_schema = OFF")
        }
    }

    @Test(
        "Page numbers that aren't numbers",
        arguments: ["'-1000000'", "x'2d39393939393939'", "'x'", "-5", "1e300", "NULL"])
    func rootPage(page: String) throws {
        let database = try DamagedDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (a); INSERT INTO t VALUES (1); CREATE TABLE u (a); INSERT INTO u VALUES (2);
                    PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = \(page) WHERE name = 'u';
                    """)
        }
        let report = try database.recover()
        #expect(try database.integer("SELECT a FROM t") == 1)
        #expect(report.lostAndFound?.rowCount == 1)
    }

    @Test("An index of the temporary schema with the name of a table")
    func temporaryIndex() throws {
        let database = try makeDatabase(
            "CREATE TABLE t (a); INSERT INTO t VALUES (1)",
            schema: [
                ("table", "first", 90, "CREATE TABLE temp.other (x, y)"),
                ("table", "second", 91, "CREATE INDEX temp.late ON other (y, x, x + 1, y)"),
                ("table", "late", 92, "CREATE TABLE late (z)"),
            ])
        let report = try database.recover()
        #expect(report.missingObjects.map(\.name) == ["first", "second"])
        #expect(try database.integer("SELECT a FROM t") == 1)
    }

    @Test("Statements that do something else aren't run")
    func otherStatements() throws {
        var configuration = Configuration()
        let calls = CallCounter()
        configuration.prepareDatabase { db in
            db.add(function: DatabaseFunction("harm", argumentCount: 0) { _ in calls.count() })
        }
        let database = try makeDatabase(
            "CREATE TABLE t (a); INSERT INTO t VALUES (1)",
            schema: [
                ("table", "x", 90, "CREATE TABLE x AS SELECT harm() AS y"),
                ("table", "z", 91, "CREATE TABLE recovery.z (a)"),
                ("index", "w", 92, "CREATE UNIQUE INDEX w ON t (a); DROP TABLE t"),
                ("view", "v", 0, "CREATE TEMP VIEW v AS SELECT harm()"),
            ])
        database.configuration = configuration
        let report = try database.recover()
        #expect(calls.value == 0)
        #expect(report.missingObjects.map(\.name) == ["x", "z", "v"])
        #expect(try database.integer("SELECT a FROM t") == 1)
    }

    @Test("Virtual tables whose SQL is damaged")
    func virtualTables() throws {
        let database = try makeDatabase(
            "CREATE TABLE t (a)",
            schema: [
                ("table", "a", 0, "CREATE VIRTUAL TABLE a USING"), ("table", "b", 0, "CREATE VIRTUAL garbage"),
                ("table", "c", 0, "CREATE VIRTUAL TABLE c USING fts5(x, content="),
                ("table", "d", 0, "CREATE VIRTUAL TABLE other USING fts5(x)"),
            ])
        let report = try database.recover()
        #expect(report.tables.map(\.name) == ["t"])
        #expect(Set(report.missingObjects.map(\.name)).isSuperset(of: ["a", "b", "c"]))
    }

    @Test("A row of the schema with the name of a different virtual table")
    func nameOfVirtualTable() throws {
        let database = try makeDatabase(
            "CREATE TABLE t (a); INSERT INTO t VALUES (1)",
            schema: [("table", "place", 0, "CREATE VIRTUAL TABLE other USING rtree (id, x0, x1)")])
        let report = try database.recover()
        #expect(report.missingObjects.map(\.name) == ["place"])
        #expect(report.virtualTables == [])
        #expect(try database.integer("SELECT a FROM t") == 1)
    }

    @Test("An R*Tree whose tables have other columns")
    func tablesOfRTree() throws {
        let database = try DamagedDatabase { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE place USING rtree (id, x0, x1);
                    WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 200)
                    INSERT INTO place SELECT n, n, n + 1 FROM number;
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_schema SET sql = 'CREATE TABLE place_rowid (a, nodeno)' WHERE name = 'place_rowid';
                    PRAGMA writable_schema = RESET; UPDATE place_rowid SET a = 'no number', nodeno = 'a text';
                    """)
        }
        #expect(try database.recover().virtualTables.map(\.state) == [.rebuilt])
        #expect(try database.integer("SELECT COUNT(*) FROM place WHERE x1 = id + 1") == 200)
    }

    @Test("Functions of the recovery in the schema")
    func functionsOfTheRecovery() throws {
        let database = try DamagedDatabase(
            """
            CREATE TABLE t (a); INSERT INTO t VALUES (1); CREATE TABLE u (a); INSERT INTO u VALUES (2);
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE TABLE u (a CHECK (page_is_used(a) < 2))' WHERE name = 'u';
            """)
        let report = try database.recover()
        #expect(report.missingObjects.map(\.name) == ["u"])
        #expect(report.lostAndFound?.rowCount == 1)
        #expect(try database.integer("SELECT a FROM t") == 1)
    }

    @Test("A chain of overflow pages that returns to itself")
    func overflowChain() throws {
        let database = try DamagedDatabase { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [String(repeating: "x", count: 400_000)])
        }
        try database.damage { bytes in
            // Each overflow page leads to page 3, and the cell on page 2 says that it has 16 MB.
            for page in 2..<bytes.count / 4096 where bytes[page * 4096 + 100] == UInt8(ascii: "x") {
                bytes.replaceSubrange(page * 4096..<page * 4096 + 4, with: [0, 0, 0, 3])
            }
            let cell = 4096 + Int(bytes[4096 + 8]) << 8 + Int(bytes[4096 + 9])
            bytes.replaceSubrange(cell..<cell + 4, with: [0x87, 0xff, 0xff, 0x01])
        }
        try database.recover()
        #expect(try database.integer("SELECT count(*) FROM t WHERE length(CAST(a AS BLOB)) > 3000000") == 0)
    }

    @Test("A record with more fields than a table can have columns")
    func manyFields() throws {
        let database = try DamagedDatabase { db in
            try db.execute(sql: "CREATE TABLE kept (a); INSERT INTO kept VALUES (1); CREATE TABLE t (a)")
            try db.execute(sql: "INSERT INTO t VALUES (zeroblob(3900))")
            // Without its row of the schema, the page of the table belongs to nothing.
            try db.execute(sql: "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 't'")
        }
        try database.damage { bytes in
            let page = bytes.count / 4096 - 1
            let cell = page * 4096 + Int(bytes[page * 4096 + 8]) << 8 + Int(bytes[page * 4096 + 9])
            // Behind the size and the rowid: a header of 3,900 bytes, whose fields are NULL.
            bytes.replaceSubrange(cell + 3..<cell + 5, with: [0x9e, 0x3c])
        }
        let report = try database.recover()
        #expect(try database.integer("SELECT a FROM kept") == 1)
        #expect(report.lostAndFound?.rowCount == 1)
        #expect(try database.integer("SELECT nfield FROM lost_and_found").map { $0 <= 1996 && $0 > 1000 } == true)
    }

    /// Prints its seeds when it fails. scripts/proof/recovery has more of it.
    @Test("Random bytes in random places", arguments: 1...12 as ClosedRange<UInt64>)
    func randomDamage(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let database = try DamagedDatabase(pageSize: [512, 1024, 4096][Int(seed % 3)]) { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (a INTEGER PRIMARY KEY, b, c UNIQUE); CREATE INDEX i ON t (b);
                    CREATE TABLE w (a, b, PRIMARY KEY (b)) WITHOUT ROWID;
                    CREATE VIRTUAL TABLE f USING fts5 (x); CREATE VIRTUAL TABLE r USING rtree (id, x0, x1);
                    """)
            for number in 0..<300 {
                let text = String(repeating: "word\(number) ", count: Int.random(in: 0...90, using: &generator))
                try db.execute(sql: "INSERT INTO t VALUES (?, ?, ?)", arguments: [number, text, "c\(number)"])
                try db.execute(sql: "INSERT INTO w VALUES (?, ?)", arguments: [text, number])
                try db.execute(sql: "INSERT INTO f VALUES (?)", arguments: [text])
                try db.execute(sql: "INSERT INTO r VALUES (?, ?, ?)", arguments: [number, number, number + 1])
            }
        }
        try database.damage { bytes in
            for _ in 0..<bytes.count / [20, 100, 1000][Int(seed / 3 % 3)] {
                bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
        }
        try database.recover()
    }
}

/// Counts calls from any thread.
private final class CallCounter: Sendable {
    private let calls = Mutex(0)
    var value: Int { calls.withLock { $0 } }

    func count() -> Int {
        calls.withLock { calls in
            calls += 1
            return calls
        }
    }
}
