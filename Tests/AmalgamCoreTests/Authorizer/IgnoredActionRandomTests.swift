import Amalgam
import Foundation
import TestSupport
import Testing

/// Random statements under authorizers that ignore random actions: the file stays intact, a second connection can read it, and
/// observers receive each change of a row.
struct IgnoredActionRandomTests {
    private static let schema = """
        CREATE TABLE t1 (id INTEGER PRIMARY KEY, a, h);
        CREATE TABLE t2 (k TEXT);
        CREATE TABLE log (x, y);
        CREATE TABLE w (k TEXT, j, v, PRIMARY KEY (k, j)) WITHOUT ROWID;
        CREATE TABLE au (id INTEGER PRIMARY KEY AUTOINCREMENT, a UNIQUE);
        CREATE TABLE g (a, b AS (a + 1) STORED, c AS (a || 'x'), d DEFAULT (abs(-3)) CHECK (d > 0));
        CREATE INDEX i1 ON t1(a);
        CREATE INDEX i2 ON t1(lower(h)) WHERE a > 0;
        CREATE VIEW v1 AS SELECT id, a, h FROM t1;
        CREATE TRIGGER inserted AFTER INSERT ON t1 BEGIN INSERT INTO log VALUES (new.id, upper(new.h)); END;
        CREATE TRIGGER updated AFTER UPDATE OF a ON t1 BEGIN UPDATE t2 SET k = k || new.a; END;
        CREATE TRIGGER deleted AFTER DELETE ON t1 BEGIN
          DELETE FROM log WHERE x = old.id;
          INSERT INTO log SELECT k, 1 FROM t2;
        END;
        CREATE TRIGGER insteadOfInsert INSTEAD OF INSERT ON v1 BEGIN INSERT INTO t1(a, h) VALUES (new.a, new.h); END;
        CREATE TRIGGER insteadOfDelete INSTEAD OF DELETE ON v1 BEGIN DELETE FROM t1 WHERE id = old.id; END;
        CREATE TRIGGER insteadOfUpdate INSTEAD OF UPDATE ON v1 BEGIN UPDATE t1 SET a = new.a WHERE id = old.id; END;
        CREATE VIRTUAL TABLE f5 USING fts5(x, y);
        CREATE VIRTUAL TABLE f4 USING fts4(x);
        CREATE VIRTUAL TABLE r USING rtree(id, x0, x1);
        INSERT INTO t1 VALUES (1, 1, 'One'), (2, 2, 'Two'), (3, 3, 'Three');
        INSERT INTO t2 VALUES ('a'), ('b');
        INSERT INTO w VALUES ('a', 1, 2), ('b', 2, 3);
        INSERT INTO au(a) VALUES (1), (2);
        INSERT INTO g(a) VALUES (1), (2);
        INSERT INTO f5 VALUES ('one two', 'three'), ('two', 'four');
        INSERT INTO f4 VALUES ('one two'), ('three');
        INSERT INTO r VALUES (1, 0, 1), (2, 1, 2);
        """

    /// Statements that change rows or read them, but not the schema.
    private static let rowStatements = [
        "SELECT a, lower(h) FROM v1 WHERE a > 0 ORDER BY h",
        "SELECT max(a), count(*), group_concat(h) FROM t1 GROUP BY a HAVING count(*) > 0",
        "SELECT row_number() OVER w, max(a) FILTER (WHERE a > 1) OVER w FROM t1 WINDOW w AS (ORDER BY id)",
        "SELECT * FROM (SELECT DISTINCT a FROM t1) x, (SELECT h FROM t1 LIMIT 1)",
        "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 5) SELECT * FROM c, t1",
        "SELECT upper((SELECT h FROM t1 WHERE id = abs(t2.rowid))) FROM t2",
        "SELECT id FROM t1 UNION SELECT id FROM au EXCEPT SELECT x FROM log ORDER BY 1",
        "SELECT x, highlight(f5, 0, '[', ']'), rank FROM f5 WHERE f5 MATCH 'two' ORDER BY rank",
        "SELECT snippet(f4) FROM f4 WHERE f4 MATCH 'one'", "SELECT * FROM r WHERE x0 > 0",
        "INSERT INTO t1(a, h) VALUES (9, 'Nine'), (8, 'Eight')", "INSERT INTO v1(a, h) VALUES (7, 'Seven')",
        "INSERT INTO t2 SELECT h FROM t1", "INSERT INTO t2 SELECT * FROM t2", "INSERT OR REPLACE INTO au VALUES (1, 2)",
        "INSERT INTO au(a) VALUES (2) ON CONFLICT(a) DO UPDATE SET a = excluded.a + 10 WHERE a > 0",
        "INSERT INTO au(a) VALUES (random()) RETURNING id, a", "REPLACE INTO w VALUES ('a', 1, 9)",
        "INSERT INTO g(a) VALUES (4)", "INSERT INTO f5 VALUES ('five six', 'two')",
        "INSERT INTO f4 VALUES ('nine ten')",
        "INSERT INTO r VALUES (NULL, 4, 5)", "INSERT INTO f5(f5) VALUES ('optimize')",
        "UPDATE t1 SET a = a + 1, h = lower(h)", "UPDATE t1 SET (a, h) = (SELECT 5, 'z') WHERE id = 1",
        "UPDATE v1 SET a = 3 WHERE id > 1", "UPDATE w SET k = k || 'z', v = v + 1", "UPDATE g SET a = a + 1",
        "UPDATE t1 SET h = k FROM t2 WHERE t2.rowid = id", "UPDATE t1 SET a = 1 RETURNING id, a",
        "UPDATE OR REPLACE au SET a = 1", "UPDATE f5 SET x = 'seven' WHERE rowid = 1", "UPDATE f4 SET x = 'eight'",
        "UPDATE r SET x1 = x1 + 1", "DELETE FROM t1", "DELETE FROM t1 WHERE id = 1", "DELETE FROM t2",
        "DELETE FROM v1 WHERE a = 2", "DELETE FROM w", "DELETE FROM t2 RETURNING k", "DELETE FROM f5",
        "DELETE FROM f5 WHERE rowid = 1", "DELETE FROM f4 WHERE f4 MATCH 'one'", "DELETE FROM r WHERE id = 1",
    ]

    private static let otherStatements = [
        "UPDATE t1 SET id = id + 100 WHERE id = 2", "UPDATE t2 SET _rowid_ = rowid + 10, k = 'r'",
        "CREATE TABLE n1 (a INTEGER PRIMARY KEY, b UNIQUE, c CHECK (length(c) > 0), d AS (abs(b)))",
        "CREATE TABLE n2 (k PRIMARY KEY, j UNIQUE) WITHOUT ROWID",
        "CREATE TABLE n3 AS SELECT id, upper(h) AS u FROM t1",
        "CREATE TABLE n4 (id INTEGER PRIMARY KEY AUTOINCREMENT)", "CREATE TEMP TABLE n5 AS SELECT * FROM v1",
        "CREATE INDEX j1 ON t1(abs(a), upper(h)) WHERE length(h) > 1", "CREATE UNIQUE INDEX j2 ON w(v, k)",
        "CREATE VIEW v2 AS SELECT * FROM t1", "CREATE TRIGGER more AFTER INSERT ON t2 BEGIN DELETE FROM log; END",
        "CREATE VIRTUAL TABLE n6 USING fts5(q)", "CREATE VIRTUAL TABLE n7 USING rtree(id, a0, a1)", "DROP TABLE t1",
        "DROP TABLE au", "DROP TABLE w", "DROP VIEW v1", "DROP INDEX i2", "DROP TRIGGER inserted", "DROP TABLE f5",
        "DROP TABLE r", "ALTER TABLE t1 ADD COLUMN z CHECK (z IS NULL OR length(z) > 0)", "ALTER TABLE t1 RENAME TO t3",
        "ALTER TABLE t1 RENAME COLUMN h TO hh", "ALTER TABLE g DROP COLUMN d", "ALTER TABLE f4 RENAME TO f4b",
        "REINDEX",
        "REINDEX t1", "ANALYZE", "PRAGMA optimize", "EXPLAIN CREATE INDEX j3 ON t1(a)",
    ]

    private static let kinds: [AuthorizerAction.Kind] = [
        .read, .select, .recursive, .function, .insert, .update, .delete, .pragma, .analyze, .reindex, .alterTable,
        .createTable, .createIndex, .createTrigger, .createVirtualTable, .dropTable, .dropIndex, .dropTrigger,
    ]

    /// An authorizer that ignores a kind of action, one action of each statement, or actions by their names.
    private static func authorizer(_ generator: inout SeededGenerator) -> (AuthorizerAction, Int) -> AuthorizerDecision
    {
        let kind = kinds.randomElement(using: &generator)!
        let number = Int.random(in: 1...40, using: &generator)
        let salt = generator.next()
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: return { action, _ in action.kind == kind ? .ignore : .allow }
        case 1: return { _, count in count == number ? .ignore : .allow }
        default:
            return { action, _ in
                let hash = "\(action)".utf8.reduce(salt) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
                return (hash >> 29) % 5 == 0 ? .ignore : .allow
            }
        }
    }

    /// The rows of ordinary tables by their rowids.
    private func rows(_ db: Database) throws -> [String: [Int64: String]] {
        var rows: [String: [Int64: String]] = [:]
        for table in ["t1", "t2", "log", "au", "g"] {
            guard try db.tableExists(table) else { continue }
            for row in try Row.fetchAll(db, sql: "SELECT rowid AS number, * FROM \(table)") {
                rows[table, default: [:]][row["number"]] = "\(Array(row.databaseValues))"
            }
        }
        return rows
    }

    private func expectIntact(_ db: Database, _ comment: Comment) throws {
        try expectEqual(String.fetchAll(db, sql: "PRAGMA integrity_check"), ["ok"], comment)
        let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
        for table in tables { _ = try Row.fetchAll(db, sql: "SELECT * FROM \(table)") }
        for table in ["f5", "f4", "f4b"] where tables.contains(table) {
            try db.execute(sql: "INSERT INTO \(table)(\(table)) VALUES ('integrity-check')")
        }
    }

    /// Runs a statement, and expects that the observer has received each changed row.
    private func runObserved(
        _ sql: String, _ db: Database, _ log: EventLog, _ comment: Comment, _ run: () throws -> Void
    )
        throws
    {
        let before = try rows(db)
        let first = log.events.count
        do { try run() } catch let error as DatabaseError { #expect(error.resultCode != .SQLITE_CORRUPT, comment) }
        let after = try rows(db)
        let events = log.events[first...].map { "\($0.tableName) \($0.rowID)" }
        for table in Set(before.keys).union(after.keys) {
            let (old, new) = (before[table, default: [:]], after[table, default: [:]])
            for number in Set(old.keys).union(new.keys) where old[number] != new[number] {
                #expect(events.contains("\(table) \(number)"), comment)
            }
        }
    }

    @Test("statements under an authorizer that ignores actions", arguments: seeds(20))
    func statements(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        try withTemporaryDirectory { directory in
            let path = directory.appending(path: "ignored.sqlite").path
            let queue = try DatabaseQueue(path: path)
            try queue.write { db in try db.execute(sql: Self.schema) }
            let log = EventLog()
            queue.add(transactionObserver: log, extent: .databaseLifetime)
            let authorizer = Self.authorizer(&generator)
            for _ in 1...12 {
                let changesSchema = Int.random(in: 0..<3, using: &generator) == 0
                let sql = (changesSchema ? Self.otherStatements : Self.rowStatements).randomElement(using: &generator)!
                let comment: Comment = "\(seed): \(sql)"
                func run(_ db: Database) throws {
                    var count = 0
                    try db.withAuthorizer { action in
                        count += 1
                        return authorizer(action, count)
                    } perform: {
                        _ = try Row.fetchAll(db, sql: sql)
                    }
                }
                try queue.write { db in
                    if changesSchema {
                        do { try run(db) } catch let error as DatabaseError {
                            #expect(error.resultCode != .SQLITE_CORRUPT, comment)
                        }
                    } else {
                        try runObserved(sql, db, log, comment) { try run(db) }
                    }
                }
            }
            try queue.inDatabase { db in try expectIntact(db, "\(seed)") }
            try queue.close()
            let other = try DatabaseQueue(path: path)
            try other.inDatabase { db in try expectIntact(db, "\(seed), a second connection") }
            try other.close()
        }
    }
}
