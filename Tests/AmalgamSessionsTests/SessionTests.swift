import Amalgam
import AmalgamCore
import AmalgamSessions
import Foundation
import TestSupport
import Testing

/// The changes that sessions record.
@Suite struct SessionTests {
    @Test(arguments: DatabaseKind.allCases)
    func insertionsUpdatesAndDeletions(_ kind: DatabaseKind) throws {
        try kind.run { db in
            try db.createTeams()
            let lines = try db.recorded(
                """
                INSERT INTO player VALUES (4, 'Dora', 5, 2);
                UPDATE player SET score = 11 WHERE id = 1;
                DELETE FROM player WHERE id = 3;
                """)
            #expect(
                lines == [
                    "DELETE player(3*, \"Cleo\", NULL, 2)",
                    "INSERT player(4*, \"Dora\", 5, 2)",
                    "UPDATE player(1*, _, 10 -> 11, _)",
                ])
        }
    }

    @Test func allStorageClasses() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
            let changeset = try db.recordChanges {
                try db.execute(
                    sql: """
                        INSERT INTO t VALUES
                        (1, NULL), (2, -1), (3, 1.5), (4, 'é🙂'), (5, x'00ff'), (6, x''), (7, '')
                        """)
            }
            let values = try changeset.changes().reduce(into: [:]) { values, change in
                values[change.primaryKey[0]] = change.newValue(at: 1)
            }
            let expected: [DatabaseValue: DatabaseValue] = [
                1.databaseValue: .null, 2.databaseValue: (-1).databaseValue, 3.databaseValue: 1.5.databaseValue,
                4.databaseValue: "é🙂".databaseValue, 5.databaseValue: Data([0, 0xff]).databaseValue,
                6.databaseValue: Data().databaseValue, 7.databaseValue: "".databaseValue,
            ]
            #expect(values == expected)
        }
    }

    @Test func undefinedIsNotNull() throws {
        try withDatabase { db in
            try db.createPeople()
            let changeset = try db.recordChanges { try db.execute(sql: "UPDATE person SET score = NULL WHERE id = 1") }
            let change = try #require(try changeset.first)
            #expect(change.operation == .update)
            #expect(change.oldValue(at: 0) == 1.databaseValue)
            #expect(change.newValue(at: 0) == nil)
            #expect(change.oldValue(at: 1) == nil)
            #expect(change.newValue(at: 1) == nil)
            #expect(change.oldValue(at: 2) == 10.databaseValue)
            #expect(change.newValue(at: 2) == .some(.null))
            #expect(change.changedColumns == [2])
            #expect(change.oldValue(at: 3) == nil)
            #expect(change.oldValue(at: -1) == nil)
            #expect(change.newValue(at: .max) == nil)
        }
    }

    @Test func compositeKeysAndWithoutRowID() throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE c (v, a TEXT, b INTEGER, PRIMARY KEY (b, a));
                    CREATE TABLE w (a TEXT, b TEXT, v, PRIMARY KEY (a, b)) WITHOUT ROWID;
                    INSERT INTO c VALUES (1, 'x', 1);
                    INSERT INTO w VALUES ('x', 'y', 1);
                    """)
            let changeset = try db.recordChanges {
                try db.execute(
                    sql: """
                        UPDATE c SET v = 2;
                        INSERT INTO c VALUES (3, 'z', 3);
                        UPDATE w SET v = 2;
                        INSERT INTO w VALUES ('q', 'r', NULL);
                        """)
            }
            #expect(
                try changeset.lines == [
                    "INSERT c(3, \"z\"*, 3*)", "INSERT w(\"q\"*, \"r\"*, NULL)",
                    "UPDATE c(1 -> 2, \"x\"*, 1*)", "UPDATE w(\"x\"*, \"y\"*, 1 -> 2)",
                ])
            let update = try #require(
                try changeset.changes().first { $0.operation == .update && $0.tableName == "c" })
            #expect(update.primaryKeyColumns == [1, 2])
            #expect(update.primaryKey == ["x".databaseValue, 1.databaseValue])
            #expect(try changeset.tableNames == ["c", "w"])
        }
    }

    @Test func changedPrimaryKeyIsDeletionAndInsertion() throws {
        try withDatabase { db in
            try db.createPeople()
            #expect(
                try db.recorded("UPDATE person SET id = 9 WHERE id = 1") == [
                    "DELETE person(1*, \"Anna\", 10)", "INSERT person(9*, \"Anna\", 10)",
                ])
        }
    }

    @Test func tablesWithoutPrimaryKey() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t (a, b)")
            #expect(try db.recorded("INSERT INTO t VALUES (1, 2)") == [])
            let changeset = try db.recordChanges(options: .recordsImplicitRowIDs) {
                try db.execute(sql: "INSERT INTO t VALUES (3, 4)")
            }
            #expect(try changeset.lines == ["INSERT t(2*, 3, 4)"])
            let change = try #require(try changeset.first)
            #expect(try change.columnNames(db) == ["_rowid_", "a", "b"])
            #expect(try change.newRow(db) == ["_rowid_": 2, "a": 3, "b": 4])
            try db.apply(changeset.inverted())
            #expect(try db.rows(of: "t") == ["1|2"])
        }
    }

    @Test func nullInKeysIsNotRecorded() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t (a TEXT PRIMARY KEY, b)")
            #expect(try db.recorded("INSERT INTO t VALUES (NULL, 1)") == [])
            #expect(try db.recorded("UPDATE t SET a = 'x'") == ["INSERT t(\"x\"*, 1)"])
            #expect(try db.recorded("UPDATE t SET a = NULL") == ["DELETE t(\"x\"*, 1)"])
        }
    }

    @Test func changesAreThoseOfTheMomentOfTheChangeset() throws {
        try withDatabase { db in
            try db.createPeople()
            let session = try db.makeSession()
            try db.execute(sql: "INSERT INTO person VALUES (4, 'Dora', 1)")
            try db.execute(sql: "UPDATE person SET score = 2 WHERE id = 4; UPDATE person SET score = 3 WHERE id = 4")
            #expect(try session.changeset().lines == ["INSERT person(4*, \"Dora\", 3)"])
            try db.execute(sql: "DELETE FROM person WHERE id = 4")
            #expect(try session.changeset().lines == [])
            #expect(try session.changeset().isEmpty)
            let isEmpty = try session.isEmpty
            #expect(!isEmpty)
        }
    }

    @Test func whatWasRolledBackIsNotRecorded() throws {
        try withDatabase { db in
            try db.createPeople()
            let session = try db.makeSession()
            try db.inTransaction {
                try db.execute(sql: "UPDATE person SET score = 0")
                return .rollback
            }
            #expect(try session.changeset().isEmpty)
            try db.inTransaction {
                try db.execute(sql: "UPDATE person SET score = 1 WHERE id = 1")
                try db.inSavepoint {
                    try db.execute(sql: "UPDATE person SET score = 2 WHERE id = 2")
                    return .rollback
                }
                #expect(try session.changeset().lines == ["UPDATE person(1*, _, 10 -> 1)"])
                return .commit
            }
            #expect(try session.changeset().lines == ["UPDATE person(1*, _, 10 -> 1)"])
        }
    }

    @Test func chosenTables() throws {
        try withDatabase { db in
            try db.createTeams()
            let byName = try db.makeSession(tables: ["TEAM", "nothing"])
            let none = try Session(db)
            var asked: [String] = []
            let byClosure = try Session(db)
            try byClosure.attach { tableName in
                asked.append(tableName)
                return tableName == "player"
            }
            let later = try db.makeSession()
            try db.execute(
                sql: """
                    UPDATE team SET name = 'Greens' WHERE id = 1;
                    UPDATE team SET name = 'Greys' WHERE id = 2;
                    UPDATE player SET score = 0 WHERE id = 1;
                    CREATE TABLE extra (id INTEGER PRIMARY KEY);
                    INSERT INTO extra VALUES (1);
                    """)
            #expect(try byName.changeset().tableNames == ["TEAM"])
            #expect(try none.changeset().isEmpty)
            #expect(try byClosure.changeset().tableNames == ["player"])
            #expect(asked == ["team", "player", "extra"])
            #expect(try later.changeset().tableNames == ["team", "player", "extra"])
        }
    }

    @Test func schemas() throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    ATTACH DATABASE ':memory:' AS other;
                    CREATE TABLE other.t (id INTEGER PRIMARY KEY);
                    CREATE TEMP TABLE u (id INTEGER PRIMARY KEY);
                    CREATE TABLE main.t (id INTEGER PRIMARY KEY);
                    """)
            let other = try db.makeSession(schemaName: "other")
            let temporary = try db.makeSession(schemaName: "temp")
            let main = try db.makeSession()
            try db.execute(
                sql: "INSERT INTO other.t VALUES (1); INSERT INTO u VALUES (2); INSERT INTO main.t VALUES (3)")
            #expect(try other.changeset().lines == ["INSERT t(1*)"])
            #expect(try temporary.changeset().lines == ["INSERT u(2*)"])
            #expect(try main.changeset().lines == ["INSERT t(3*)"])
            #expect(other.schemaName == "other")
            expectError(.SQLITE_ERROR, "no such database: nope") { _ = try Session(db, schemaName: "nope") }
            expectError(.SQLITE_MISUSE, "a name contains a NUL character") { _ = try Session(db, schemaName: "main\0") }
            expectError(.SQLITE_MISUSE, "a name contains a NUL character") { try main.attach(table: "t\0") }
        }
    }

    @Test func recordingSwitchedOff() throws {
        try withDatabase { db in
            try db.createPeople()
            let session = try db.makeSession()
            #expect(try session.isEnabled)
            try session.withoutRecording {
                #expect(try !session.isEnabled)
                try db.execute(sql: "UPDATE person SET score = 0 WHERE id = 1")
            }
            #expect(try session.isEnabled)
            try db.execute(sql: "UPDATE person SET score = 0 WHERE id = 2")
            #expect(try session.changeset().lines == ["UPDATE person(2*, _, 20 -> 0)"])
            #expect(throws: Failure.self) { try session.withoutRecording { throw Failure() } }
            #expect(try session.isEnabled)
        }
    }

    @Test func indirectChanges() throws {
        try withDatabase { db in
            try db.createTeams()
            try db.execute(
                sql: "CREATE TRIGGER t AFTER UPDATE ON team BEGIN UPDATE player SET score = 0 WHERE id = 1; END")
            let session = try db.makeSession()
            #expect(try !session.isIndirect)
            try db.execute(sql: "UPDATE team SET name = 'Greens' WHERE id = 1; DELETE FROM team WHERE id = 2")
            #expect(
                try session.changeset().lines == [
                    "DELETE player(3*, \"Cleo\", NULL, 2) indirect",
                    "DELETE team(2*, \"Blues\")",
                    "UPDATE player(1*, _, 10 -> 0, _) indirect",
                    "UPDATE team(1*, \"Reds\" -> \"Greens\")",
                ])
            let direct = try session.changeset().filtered { !$0.isIndirect }
            #expect(try direct.count == 2)
            try session.setIndirect(true)
            #expect(try session.isIndirect)
            try db.execute(sql: "INSERT INTO team VALUES (3, 'Whites')")
            #expect(try session.changeset().lines.contains("INSERT team(3*, \"Whites\") indirect"))
        }
    }

    @Test func sizes() throws {
        try withDatabase { db in
            try db.createPeople()
            let plain = try db.makeSession()
            let session = try db.makeSession(options: .tracksChangesetSize)
            #expect(try session.isEmpty)
            #expect(try session.maximumChangesetSize == 0)
            let before = try session.memoryUsed
            try db.execute(sql: "INSERT INTO person VALUES (4, 'Dora', 1)")
            #expect(try !session.isEmpty)
            #expect(try session.memoryUsed > before)
            let size = try session.changeset().bytes.count
            #expect(try session.maximumChangesetSize >= size)
            expectError(
                .SQLITE_MISUSE, "the size of changesets is known to sessions with the option tracksChangesetSize only"
            ) {
                _ = try plain.maximumChangesetSize
            }
        }
    }

    @Test func columnsAddedWhileRecording() throws {
        try withDatabase { db in
            try db.createPeople()
            let session = try db.makeSession()
            try db.execute(
                sql: """
                    UPDATE person SET score = 11 WHERE id = 1;
                    ALTER TABLE person ADD COLUMN city TEXT DEFAULT 'Rome';
                    UPDATE person SET city = 'Oslo' WHERE id = 2;
                    INSERT INTO person (id) VALUES (5);
                    """)
            #expect(
                try session.changeset().lines == [
                    "INSERT person(5*, NULL, NULL, \"Rome\")",
                    "UPDATE person(1*, _, 10 -> 11, _)",
                    "UPDATE person(2*, _, _, \"Rome\" -> \"Oslo\")",
                ])
        }
    }

    @Test func patchset() throws {
        try withDatabase { db in
            try db.createPeople()
            let session = try db.makeSession()
            try db.execute(sql: "UPDATE person SET score = 11 WHERE id = 1; DELETE FROM person WHERE id = 2")
            let patchset = try session.patchset()
            #expect(try patchset.lines == ["DELETE person(2*, _, _)", "UPDATE person(1*, _, _ -> 11)"])
            let changeset = try session.changeset()
            #expect(patchset.bytes.count < changeset.bytes.count)
        }
    }

    @Test func readOnlyAccess() throws {
        try DatabaseKind.file.open { writer in
            try writer.writeWithoutTransaction { try $0.createPeople() }
            try writer.read { db in
                let session = try db.makeSession()
                #expect(try session.changeset().isEmpty)
                #expect(throws: DatabaseError.self) { try db.apply(session.changeset().appending(insertion())) }
            }
        }
    }

    private func insertion() throws -> Changeset {
        let dbQueue = try DatabaseQueue()
        return try dbQueue.inDatabase { db in
            try db.createPeople()
            return try db.recordChanges { try db.execute(sql: "INSERT INTO person VALUES (7, 'Eva', 1)") }
        }
    }

    @Test func tablesWithEquivalentNamesHaveTheirOwnAnswers() throws {
        try withDatabase { db in
            // The letter é as one scalar, and as two. For Swift, both strings are equal.
            let names = ["\u{E9}", "e\u{301}"]
            for name in names { try db.execute(sql: "CREATE TABLE \"\(name)\" (id INTEGER PRIMARY KEY)") }
            let session = try Session(db)
            try session.attach { $0.unicodeScalars.count == 2 }
            for name in names + names { try db.execute(sql: "INSERT INTO \"\(name)\" DEFAULT VALUES") }
            let changeset = try session.changeset()
            #expect(try changeset.tableNames.map(\.unicodeScalars.count) == [2])
            #expect(try changeset.count == 2)
        }
    }
}
