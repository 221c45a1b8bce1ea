import Amalgam
import AmalgamCore
import AmalgamSessions
import Foundation
import TestSupport
import Testing

/// The changes that lead from one database to another.
@Suite struct DifferenceTests {
    private func withTwoSchemas(_ test: (Database) throws -> Void) throws {
        let folder = Folder()
        let path = folder.path("old.sqlite")
        let old = try DatabaseQueue(path: path)
        try old.inDatabase { try $0.createTeams() }
        try old.close()
        try DatabaseKind.file.run { db in
            try db.createTeams()
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE ft USING fts5(a);
                    UPDATE player SET score = 11, name = 'Ann' WHERE id = 1;
                    DELETE FROM player WHERE id = 2;
                    INSERT INTO team VALUES (3, 'Greens');
                    """)
            try db.execute(sql: "ATTACH DATABASE ? AS old", arguments: [path])
            try test(db)
            try db.execute(sql: "DETACH DATABASE old")
        }
    }

    @Test func allTables() throws {
        try withTwoSchemas { db in
            let changeset = try db.difference(from: "old", to: "main")
            #expect(
                try changeset.lines == [
                    "DELETE player(2*, \"Bo\", 20, 1)", "INSERT team(3*, \"Greens\")",
                    "UPDATE player(1*, \"Anna\" -> \"Ann\", 10 -> 11, _)",
                ])
            #expect(try db.difference(from: "main", to: "old").lines == changeset.inverted().lines)
            #expect(try db.difference(from: "old", tables: ["team"]).lines == ["INSERT team(3*, \"Greens\")"])
            #expect(try db.difference(from: "main", to: "main").isEmpty)
            // Applied to a copy of the old database, they lead to the new one.
            try withDatabase { copy in
                try copy.createTeams()
                try copy.apply(changeset)
                #expect(try copy.rows(of: "player") == db.rows(of: "player"))
                #expect(try copy.rows(of: "team") == db.rows(of: "team"))
            }
        }
    }

    @Test func tablesThatDoNotFit() throws {
        try withTwoSchemas { db in
            let session = try Session(db)
            try session.recordDifference(from: "old", table: "player")
            #expect(try session.changeset().count == 2)
            try session.recordDifference(from: "old", table: "nothing")
            try db.execute(sql: "CREATE TABLE fresh (id INTEGER PRIMARY KEY)")
            expectError(.SQLITE_SCHEMA, "no such table: old.fresh") {
                try session.recordDifference(from: "old", table: "fresh")
            }
            expectError(.SQLITE_SCHEMA, "no such table: old.fresh") { _ = try db.difference(from: "old") }
            expectError(.SQLITE_SCHEMA, "no such table: nope.fresh") { _ = try db.difference(from: "nope") }
            expectError(.SQLITE_ERROR, "no such database: nope") { _ = try db.difference(from: "main", to: "nope") }
            expectError(.SQLITE_MISUSE, "a name contains a NUL character") {
                try session.recordDifference(from: "old\0", table: "team")
            }
            try db.execute(sql: "CREATE TABLE old.fresh (id INTEGER PRIMARY KEY, more)")
            expectError(.SQLITE_SCHEMA, "table schemas do not match") {
                try session.recordDifference(from: "old", table: "fresh")
            }
        }
    }
}

/// Differences of tables in which not every column is stored or compared by its bytes.
@Suite struct DifferenceOfColumnTests {
    @Test func generatedColumns() throws {
        try withDatabase { db in
            try db.execute(sql: "ATTACH ':memory:' AS older")
            for schema in ["main", "older"] {
                try db.execute(
                    sql: """
                        CREATE TABLE \(schema).t (
                          upper TEXT AS (upper(name)), id INTEGER PRIMARY KEY, name TEXT, length AS (length(name)) STORED, b);
                        INSERT INTO \(schema).t (id, name, b) VALUES (1, 'a', 1), (2, 'b', 2);
                        CREATE TABLE \(schema).keyless (a, g AS (a + 1), b);
                        INSERT INTO \(schema).keyless (a, b) VALUES (1, 1), (2, 2)
                        """)
            }
            try db.execute(sql: "UPDATE main.t SET name = 'c' WHERE id = 1; DELETE FROM main.t WHERE id = 2")
            try db.execute(
                sql: "UPDATE main.keyless SET b = 3 WHERE a = 2; INSERT INTO main.keyless (a, b) VALUES (5, 5)")
            let difference = try db.difference(from: "older", options: .recordsImplicitRowIDs)
            try expectEqual(
                difference.lines,
                [
                    "DELETE t(2*, \"b\", 2)", "INSERT keyless(3*, 5, 5)", "UPDATE keyless(2*, _, 2 -> 3)",
                    "UPDATE t(1*, \"a\" -> \"c\", _)",
                ])
        }
    }

    @Test func valuesThatCollationsTakeForEqual() throws {
        try withDatabase { db in
            try db.execute(sql: "ATTACH ':memory:' AS older")
            for schema in ["main", "older"] {
                try db.execute(
                    sql: """
                        CREATE TABLE \(schema).t (k TEXT COLLATE NOCASE PRIMARY KEY, v COLLATE NOCASE, n);
                        INSERT INTO \(schema).t VALUES ('anna', 'x', 1), ('bo', 'y', 1)
                        """)
            }
            try db.execute(
                sql: "UPDATE main.t SET k = 'Anna' WHERE k = 'anna'; UPDATE main.t SET v = 'Y', n = 1.0 WHERE k = 'bo'")
            try expectEqual(
                db.difference(from: "older").lines,
                [
                    #"DELETE t("anna"*, "x", 1)"#, #"INSERT t("Anna"*, "x", 1)"#,
                    #"UPDATE t("bo"*, "y" -> "Y", 1 -> 1.0)"#,
                ])
        }
    }
}
