import Amalgam
import TestSupport
import Testing

/// An `INTEGER PRIMARY KEY` that is hidden, and what shows it other than its column.
struct HiddenKeyTests {
    private func run(hiding columns: Set<String>, _ test: (Database, Sandbox) throws -> Void) throws {
        try DatabaseKind.memory.run { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (secret INTEGER PRIMARY KEY, name UNIQUE, email DEFAULT 'none', note);
                    INSERT INTO player (secret, name) VALUES (987654, 'Anna');
                    CREATE TRIGGER noted AFTER INSERT ON player WHEN NEW.note = 'log'
                      BEGIN UPDATE player SET note = last_insert_rowid() WHERE name = 'Anna'; END;
                    """)
            var sandbox = Sandbox.readWrite(tables: ["player"])
            sandbox.hideColumns(columns, of: "player")
            try test(db, sandbox)
        }
    }

    @Test("last_insert_rowid() can't be called if a key is hidden")
    func lastInsertedRowid() throws {
        try run(hiding: ["secret"]) { db, sandbox in
            for sql in ["SELECT last_insert_rowid()", "UPDATE player SET note = LAST_INSERT_ROWID()"] {
                let action = try expectDenied(db, sandbox, sql)
                #expect(action?.functionName?.lowercased() == "last_insert_rowid")
            }
            var allowing = sandbox
            allowing.functions = ["last_insert_rowid"]
            try db.sandboxed(allowing) {
                try expectEqual(Int.fetchOne(db, sql: "SELECT last_insert_rowid()"), 987_654)
            }
            // A trigger belongs to the schema.
            try db.sandboxed(sandbox) { try db.execute(sql: "INSERT INTO player (name, note) VALUES ('Bo', 'log')") }
        }
        try run(hiding: ["email"]) { db, sandbox in
            try db.sandboxed(sandbox) {
                try expectEqual(Int.fetchOne(db, sql: "SELECT last_insert_rowid()"), 987_654)
            }
        }
    }

    private static let upsert =
        "INSERT INTO player (name, note) VALUES ('Anna', 'x') ON CONFLICT (name) DO UPDATE SET note = "

    @Test(
        "excluded doesn't show hidden columns to which the statement gives no value",
        arguments: [
            "+excluded.secret", "excluded.rowid", #"EXCLUDED . "secret""#, "[excluded]/* */.`oid`", "'excluded'.secret",
            "excluded.name || excluded.email", "note WHERE excluded.secret > 0",
        ])
    func excludedColumns(_ value: String) throws {
        try run(hiding: ["secret", "email"]) { db, sandbox in
            let action = try expectDenied(db, sandbox, Self.upsert + value)
            #expect(action?.kind == .read)
            #expect(try String?.fetchAll(db, sql: "SELECT note FROM player") == [nil])
        }
    }

    @Test("excluded shows the values that the statement gives")
    func insertedColumns() throws {
        try run(hiding: ["secret", "email"]) { db, sandbox in
            try db.sandboxed(sandbox) { try db.execute(sql: Self.upsert + "excluded.name || \"excluded\".note") }
            #expect(try String.fetchAll(db, sql: "SELECT note FROM player") == ["Annax"])
        }
    }
}
