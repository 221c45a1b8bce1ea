import Amalgam
import AmalgamConcurrency
import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

/// Rows that the log can't store, in a transaction: the statement that changes them is undone, and nothing else.
@Suite struct UnstorableRowTests {
    /// The statement whose rows can't be stored is undone as a whole. The transaction goes on.
    @Test(arguments: Store.allCases)
    func theTransactionGoesOn(store: Store) throws {
        try store.open { writer in
            try writer.write { db in
                try db.createTeams()
                try db.audit("player", "team")
                try db.execute(sql: "CREATE INDEX byScore ON player (score); CREATE TABLE work (v)")
                try db.execute(sql: "CREATE VIRTUAL TABLE text USING fts5(body)")
                try db.execute(
                    sql: """
                        CREATE TRIGGER called AFTER UPDATE ON player BEGIN
                          INSERT INTO work VALUES (new.name);
                          INSERT INTO text VALUES (new.name);
                        END
                        """)
            }
            try writer.write { db in
                try db.execute(sql: "INSERT INTO work VALUES ('before'); INSERT INTO text VALUES ('before')")
                try db.execute(sql: "UPDATE team SET name = 'Greens' WHERE id = 1")
                sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, 10_000)
                for sql in [
                    "UPDATE player SET score = zeroblob(6000)",
                    "UPDATE player SET score = zeroblob(6000) WHERE id = 2",
                    "UPDATE player SET score = zeroblob(6000) RETURNING name",
                ] {
                    expectCode(.SQLITE_TOOBIG) { _ = try Row.fetchAll(db, sql: sql) }
                    #expect(db.isInsideTransaction)
                    #expect(db.changesCount == 0)
                }
                let cursor = try String.fetchCursor(db, sql: "UPDATE team SET name = upper(name) RETURNING name")
                try expectEqual(cursor.next(), "GREENS")
                expectCode(.SQLITE_TOOBIG) { try db.execute(sql: "UPDATE player SET score = zeroblob(6000)") }
                try expectEqual(cursor.next(), "BLUES")
                try db.execute(sql: "UPDATE player SET score = 11 WHERE id = 1; INSERT INTO work VALUES ('after')")
            }
            try writer.read { db in
                try expectEqual(String.fetchAll(db, sql: "SELECT v FROM work"), ["before", "Anna", "after"])
                try expectEqual(String.fetchAll(db, sql: "SELECT body FROM text"), ["before", "Anna"])
                try expectEqual(String.fetchAll(db, sql: "PRAGMA integrity_check"), ["ok"])
                try expectEqual(
                    db.log.suffix(4),
                    [
                        #"UPDATE team 1 (name: "Reds" -> "Greens")"#, #"UPDATE team 1 (name: "Greens" -> "GREENS")"#,
                        #"UPDATE team 2 (name: "Blues" -> "BLUES")"#, "UPDATE player 1 (score: 10 -> 11)",
                    ])
            }
        }
    }

    /// If SQLite can't undo the statement alone, the transaction is aborted: the first statement of a deferred
    /// transaction that writes. Further statements fail, and the method throws the error that has caused it.
    @Test(arguments: Store.allCases)
    func theTransactionIsAborted(store: Store) throws {
        try store.audit("player") { db in
            try db.execute(sql: "CREATE TABLE work (v)")
            sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, 10_000)
            let error = expectCode(.SQLITE_TOOBIG) {
                try db.inTransaction(.deferred) {
                    expectCode(.SQLITE_TOOBIG) { try db.execute(sql: "UPDATE player SET score = zeroblob(6000)") }
                    #expect(!db.isInsideTransaction)
                    for sql in ["INSERT INTO work VALUES ('after')", "SELECT 1", "COMMIT", "BEGIN"] {
                        let error = expectCode(.SQLITE_ABORT) { try db.execute(sql: sql) }
                        #expect(error?.message == "Transaction was aborted")
                        #expect(error?.sql == sql)
                    }
                    return .commit
                }
            }
            #expect(error?.message?.hasPrefix("A row of the table player is too large to be audited") == true)
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM work"), 0)

            // A transaction of the application is aborted until the application rolls it back.
            try db.beginTransaction(.deferred)
            expectCode(.SQLITE_TOOBIG) { try db.execute(sql: "UPDATE player SET score = zeroblob(6000)") }
            expectCode(.SQLITE_ABORT) { try db.execute(sql: "INSERT INTO work VALUES ('after')") }
            expectCode(.SQLITE_ABORT) { try db.commit() }
            try db.rollback()
            try db.execute(sql: "INSERT INTO work VALUES ('later')")
            try expectEqual(String.fetchAll(db, sql: "SELECT v FROM work"), ["later"])
            try expectEqual(db.log, [])
        }
    }

    /// The log's tables may be dropped, and are created again in the statement that is undone.
    @Test(arguments: Store.allCases)
    func theTablesOfTheLogAreUndoneToo(store: Store) throws {
        try store.audit("player") { db in
            sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, 10_000)
            try db.execute(
                sql: """
                    DROP VIEW amalgam_audit; DROP TABLE amalgam_audit_change;
                    DROP TABLE amalgam_audit_origin; DROP TABLE amalgam_audit_table;
                    """)
            try db.inTransaction {
                expectCode(.SQLITE_TOOBIG) { try db.execute(sql: "UPDATE player SET score = zeroblob(6000)") }
                #expect(db.isInsideTransaction)
                try db.execute(sql: "UPDATE player SET score = 11 WHERE id = 1")
                return .commit
            }
            try expectEqual(db.log, ["UPDATE player 1 (score: 10 -> 11)"])
        }
    }

    /// A changeset whose rows can't be stored is undone by its savepoint.
    @Test(arguments: Store.allCases)
    func changesetsThatCannotBeStored(store: Store) throws {
        try store.audit("player") { db in
            try db.execute(sql: "CREATE TABLE work (v)")
            var changeset: Changeset?
            try db.inSavepoint {
                let session = try Session(db)
                try session.attach(table: "player")
                try db.stopAuditing()
                try db.execute(sql: "UPDATE player SET score = zeroblob(6000) WHERE id = 1")
                changeset = try session.changeset()
                try session.close()
                return .rollback
            }
            try db.audit("player")
            sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, 10_000)
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO work VALUES ('before')")
                expectCode(.SQLITE_TOOBIG) { try db.apply(changeset!) { _ in .abort } }
                #expect(db.isInsideTransaction)
                try db.execute(sql: "UPDATE player SET score = 11 WHERE id = 1")
                return .commit
            }
            try expectEqual(String.fetchAll(db, sql: "SELECT v FROM work"), ["before"])
            try expectEqual(db.log, ["UPDATE player 1 (score: 10 -> 11)"])
        }
    }

    @Test(arguments: Store.allCases)
    func blobWritesInATransactionThatCannotBeStored(store: Store) throws {
        try store.audit("player") { db in
            try db.execute(
                sql: """
                    CREATE TABLE work (v);
                    UPDATE player SET score = x'0001' WHERE id = 1;
                    CREATE TRIGGER full BEFORE INSERT ON amalgam_audit_change BEGIN
                      SELECT RAISE(ABORT, 'the log is full');
                    END
                    """)
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO work VALUES ('before')")
                let blob = try db.openBlob(table: "player", column: "score", rowID: 1, access: .readWrite)
                expectCode(.SQLITE_CONSTRAINT) { try blob.write(Data([9])) }
                #expect(db.isInsideTransaction)
                try blob.close()
                try db.execute(sql: "INSERT INTO work VALUES ('after')")
                return .commit
            }
            try expectEqual(String.fetchOne(db, sql: "SELECT hex(score) FROM player WHERE id = 1"), "0001")
            try expectEqual(String.fetchAll(db, sql: "SELECT v FROM work"), ["before", "after"])
        }
    }

    /// Untrusted SQL can't roll back the transaction of its caller by a row that is too large for the log.
    @Test(arguments: Store.allCases)
    func sandboxedStatementsThatCannotBeStored(store: Store) throws {
        try store.open { writer in
            try writer.write { db in
                try db.createTeams()
                try db.audit("player")
            }
            try writer.write { db in
                try db.execute(sql: "INSERT INTO team VALUES (3, 'Greens')")
                expectCode(.SQLITE_TOOBIG) {
                    try db.sandboxed(.readWrite(tables: ["player"])) {
                        try db.execute(
                            sql: """
                                UPDATE player SET name = printf('%.*c', 600000, 'a') WHERE id = 1;
                                UPDATE player SET name = printf('%.*c', 600001, 'a') WHERE id = 1;
                                """)
                    }
                }
                #expect(db.isInsideTransaction)
            }
            try writer.read { db in
                try expectEqual(String.fetchOne(db, sql: "SELECT name FROM team WHERE id = 3"), "Greens")
                try expectEqual(Int.fetchOne(db, sql: "SELECT length(name) FROM player WHERE id = 1"), 600_000)
                #expect(try AuditLog.Entry.fetchCount(db) == 1)
            }
        }
    }
}
