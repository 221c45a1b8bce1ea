import Amalgam
import AmalgamCore
import Foundation
import TestSupport
import Testing

/// The definitions of tables, which requests look up, in a sandbox.
@Suite("Look-ups of the schema in a sandbox")
struct SchemaLookupTests {
    private struct Player: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "player"
        var id: Int64
        var name: String
        var teamId: Int64?
    }

    private func create(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
                CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE, teamId INTEGER REFERENCES team);
                CREATE VIEW captain AS SELECT name FROM player;
                CREATE VIRTUAL TABLE note USING fts5(title, body);
                INSERT INTO team VALUES (1, 'Reds');
                INSERT INTO player VALUES (1, 'Anna', 1);
                INSERT INTO note VALUES ('alpha', 'beta')
                """)
    }

    /// Runs a test on a new connection, whose cache of look-ups has all tables, or none.
    private func run(isWarm: Bool, _ test: (Database) throws -> Void) throws {
        try withTemporaryDirectory { directory in
            let path = directory.appending(path: "teams.sqlite").path
            let first = try DatabaseQueue(path: path)
            try first.write(create)
            try first.close()
            let queue = try DatabaseQueue(path: path)
            try queue.write { db in
                if isWarm {
                    for table in ["team", "player", "note"] {
                        _ = try (db.columns(in: table), db.primaryKey(table), db.indexes(on: table))
                        _ = try db.foreignKeys(on: table)
                    }
                    _ = try db.columns(in: "captain")
                }
                try test(db)
            }
            try queue.close()
        }
    }

    @Test("the definitions of readable tables are known", arguments: [false, true])
    func readableTables(isWarm: Bool) throws {
        try run(isWarm: isWarm) { db in
            try db.sandboxed(.readOnly(tables: ["player", "captain", "note"])) {
                expectEqual(try db.columns(in: "player").map(\.name), ["id", "name", "teamId"])
                expectEqual(try db.columns(in: "captain").map(\.name), ["name"])
                expectEqual(try db.columns(in: "json_each").count > 8, true)
                expectEqual(try db.primaryKey("player").columns, ["id"])
                expectEqual(try db.indexes(on: "player").map(\.columns), [["name"]])
                expectEqual(try db.table("player", hasUniqueKey: ["name"]), true)
                // The key of the referenced table is a part of the foreign key.
                expectEqual(try db.foreignKeys(on: "player").map(\.destinationColumns), [["id"]])
            }
        }
    }

    @Test("requests of readable tables succeed", arguments: [false, true])
    func requests(isWarm: Bool) throws {
        try run(isWarm: isWarm) { db in
            try db.sandboxed(.readOnly(tables: ["player", "note"])) {
                expectEqual(try Player.fetchOne(db, key: 1)?.name, "Anna")
                expectEqual(try Table("note").matching(.fuzzy("alhpa")).fetchCount(db), 1)
                expectEqual(try Table("note").matching(FTS5Query("alpha").inColumns("title")).fetchCount(db), 1)
                let marked = Table("note").matching("alpha").select(FTS5.markedText(Column("title")))
                expectEqual(try marked.asRequest(of: FTS5MarkedText.self).fetchAll(db).map(\.text), ["alpha"])
                let facets = Table("note").matching("alpha").facets([Facet(Column("title"))])
                expectEqual(try facets.fetch(db)["title"]?.count, 1)
            }
            try db.sandboxed(.readWrite(tables: ["player", "team"])) {
                try Player(id: 2, name: "Bob", teamId: 1).insert(db)
                expectEqual(try Player.fetchCount(db), 2)
            }
        }
    }

    @Test(
        "the definitions of other tables are refused, whether they are in the cache or not", arguments: [false, true])
    func refusedTables(isWarm: Bool) throws {
        try run(isWarm: isWarm) { db in
            try db.sandboxed(.readOnly(tables: ["player"])) {
                expectCode(.SQLITE_AUTH) { _ = try db.columns(in: "team") }
                expectCode(.SQLITE_AUTH) { _ = try db.primaryKey("team") }
                expectCode(.SQLITE_AUTH) { _ = try db.indexes(on: "team") }
                expectCode(.SQLITE_AUTH) { _ = try db.foreignKeys(on: "team") }
                expectCode(.SQLITE_AUTH) { _ = try db.columns(in: "captain") }
                expectCode(.SQLITE_AUTH) { _ = try Row.fetchAll(db, sql: "PRAGMA table_xinfo(player)") }
            }
            var sandbox = Sandbox.readOnly(tables: ["player"])
            sandbox.pragmas = ["table_xinfo"]
            try db.sandboxed(sandbox) { expectEqual(try db.columns(in: "team").map(\.name), ["id", "name"]) }
            expectEqual(try db.columns(in: "team").map(\.name), ["id", "name"])
        }
    }
}
