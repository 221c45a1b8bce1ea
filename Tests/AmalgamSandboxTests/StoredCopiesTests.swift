import Amalgam
import TestSupport
import Testing

/// Tables that store values of hidden and denied columns of other tables.
struct StoredCopiesTests {
    private static let queries = [
        "SELECT sample FROM sqlite_stat4", "SELECT stat FROM SQLITE_STAT1", "SELECT COUNT(*) FROM sqlite_stat4",
        "SELECT seq FROM sqlite_sequence", "SELECT changes FROM amalgam_audit",
        "SELECT changes FROM amalgam_audit_change",
        "SELECT COUNT(*) FROM amalgam_audit_text", "SELECT payload FROM pages", "SELECT data FROM content",
        "SELECT seq FROM counters", "WITH c AS (SELECT sample AS s FROM sqlite_stat4) SELECT s FROM c",
    ]

    private func run(_ test: (Database) throws -> Void) throws {
        var configuration = Configuration()
        configuration.audit("player")
        try DatabaseKind.memory.run(configuration) { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY AUTOINCREMENT, name, email);
                    CREATE INDEX playerOnEmail ON player(email);
                    CREATE VIRTUAL TABLE pages USING dbstat;
                    CREATE VIRTUAL TABLE content USING sqlite_dbpage;
                    CREATE VIEW counters AS SELECT seq FROM sqlite_sequence;
                    INSERT INTO player VALUES (17, 'Anna', 'anna@example.com'), (18, 'Bo', 'bo@example.com');
                    ANALYZE;
                    """)
            _ = try AuditLog.copyAsText(db)
            try test(db)
        }
    }

    @Test("tables that store hidden values can't be read", arguments: queries, [false, true])
    func tablesOfCopies(_ sql: String, isDenied: Bool) throws {
        try run { db in
            try db.sandboxed(.readOnly) { #expect(throws: Never.self) { try Row.fetchAll(db, sql: sql) } }
            var sandbox = Sandbox.readOnly
            if isDenied {
                sandbox.denyColumns(["email"], of: "player")
            } else {
                sandbox.hideColumns(["email"], of: "player")
            }
            let action = try expectDenied(db, sandbox, sql)
            #expect(action?.kind == .read)
            try db.sandboxed(sandbox) {
                try expectEqual(String.fetchAll(db, sql: "SELECT name FROM player ORDER BY id"), ["Anna", "Bo"])
            }
        }
    }

    @Test("tables that store hidden values can be read if the sandbox lists them")
    func listedTables() throws {
        try run { db in
            var sandbox = Sandbox.readOnly(tables: ["player", "sqlite_stat1", "main.sqlite_sequence", "pages"])
            sandbox.hideColumns(["email"], of: "player")
            try db.sandboxed(sandbox) {
                try expectEqual(Int.fetchAll(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'player'"), [18])
                try expectEqual(
                    String.fetchAll(db, sql: "SELECT stat FROM sqlite_stat1 WHERE idx = 'playerOnEmail'"), ["2 1"])
                #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM pages") ?? 0 > 0)
            }
            try expectDenied(db, sandbox, "SELECT sample FROM sqlite_stat4")
        }
    }

    @Test("rows with AUTOINCREMENT can be inserted without reading sqlite_sequence")
    func insertsWithCounters() throws {
        try run { db in
            var sandbox = Sandbox.readWrite(tables: ["player"])
            sandbox.hideColumns(["email"], of: "player")
            try db.sandboxed(sandbox) { try db.execute(sql: "INSERT INTO player (name) VALUES ('Cleo')") }
            #expect(try Int.fetchOne(db, sql: "SELECT MAX(id) FROM player") == 19)
        }
    }
}
