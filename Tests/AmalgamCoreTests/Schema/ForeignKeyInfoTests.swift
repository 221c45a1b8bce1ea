import Amalgam
import AmalgamCore
import TestSupport
import Testing

struct ForeignKeyInfoTests {
    @Test(arguments: DatabaseKind.allCases)
    func oneColumn(_ kind: DatabaseKind) throws {
        try kind.run { db in
            try db.createTeams()
            let foreignKeys = try db.foreignKeys(on: "PLAYER")
            #expect(foreignKeys.count == 1)
            let foreignKey = try #require(foreignKeys.first)
            #expect(foreignKey.id == 0)
            #expect(foreignKey.destinationTable == "team")
            #expect(foreignKey.mapping.map { "\($0.origin) \($0.destination)" } == ["teamId id"])
            #expect(foreignKey.originColumns == ["teamId"])
            #expect(foreignKey.destinationColumns == ["id"])
            #expect(foreignKey.onDelete == .cascade)
            #expect(foreignKey.onUpdate == .cascade)
            #expect(!foreignKey.isDeferred)
            #expect(try db.foreignKeys(on: "team").isEmpty)
        }
    }

    @Test func severalForeignKeys() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(
                sql: """
                    CREATE TABLE parent (a, b, c, PRIMARY KEY (b, a));
                    CREATE TABLE child (
                      x, y, z, id INTEGER PRIMARY KEY,
                      parentId REFERENCES child ON DELETE SET NULL ON UPDATE SET DEFAULT,
                      FOREIGN KEY (x, y) REFERENCES parent DEFERRABLE INITIALLY DEFERRED,
                      FOREIGN KEY (y, z) REFERENCES parent(a, b) ON DELETE RESTRICT DEFERRABLE INITIALLY IMMEDIATE);
                    """)
            let foreignKeys = try db.foreignKeys(on: "child")
            #expect(foreignKeys.map(\.id) == [0, 1, 2])
            #expect(foreignKeys.map(\.originColumns) == [["y", "z"], ["x", "y"], ["parentId"]])
            #expect(foreignKeys.map(\.destinationTable) == ["parent", "parent", "child"])
            #expect(foreignKeys.map(\.destinationColumns) == [["a", "b"], ["b", "a"], ["id"]])
            #expect(foreignKeys.map(\.onDelete) == [.restrict, nil, .setNull])
            #expect(foreignKeys.map(\.onUpdate) == [nil, nil, .setDefault])
            #expect(foreignKeys.map(\.isDeferred) == [false, true, false])
        }
    }

    @Test func destinationsAreInTheSameDatabase() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(
                sql: """
                    ATTACH DATABASE ':memory:' AS other;
                    CREATE TABLE team (inMain PRIMARY KEY);
                    CREATE TEMPORARY TABLE team (inTemp PRIMARY KEY);
                    CREATE TABLE other.team (inOther PRIMARY KEY);
                    CREATE TABLE main.player (teamId REFERENCES team);
                    CREATE TABLE other.player (teamId REFERENCES team);
                    CREATE TABLE temp.player (teamId REFERENCES team);
                    """)
            #expect(try db.foreignKeys(on: "player").map(\.destinationColumns) == [["inTemp"]])
            let columns = try ["main", "other"].map { try db.foreignKeys(on: "player", in: $0)[0].destinationColumns }
            #expect(columns == [["inMain"], ["inOther"]])
        }
    }

    @Test func destinationsThatAreNotThere() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(
                sql: """
                    CREATE TABLE a (x REFERENCES missing);
                    CREATE TABLE b (x REFERENCES missing(y));
                    CREATE TABLE c (x, y, FOREIGN KEY (x, y) REFERENCES d);
                    CREATE TABLE d (id INTEGER PRIMARY KEY);
                    CREATE TABLE e (x REFERENCES v);
                    CREATE VIEW v AS SELECT 1;
                    """)
            expectError(.SQLITE_ERROR, "no such table: missing") { _ = try db.foreignKeys(on: "a") }
            #expect(try db.foreignKeys(on: "b").map(\.destinationColumns) == [["y"]])
            expectError(.SQLITE_ERROR, "foreign key mismatch - \"c\" referencing \"d\"") {
                _ = try db.foreignKeys(on: "c")
            }
            expectError(.SQLITE_ERROR, "database view v has no primary key") { _ = try db.foreignKeys(on: "e") }
            try db.execute(sql: "CREATE TABLE missing (z PRIMARY KEY)")
            #expect(try db.foreignKeys(on: "a").map(\.destinationColumns) == [["z"]])
        }
    }
}
