import Amalgam
import AmalgamCore
import TestSupport
import Testing

/// Tables that are dropped or renamed, and whose names are used again: no action changes the rows of the new table.
@Suite struct TableLifetimeTests {
    private static let definition = "CREATE TABLE t (id INTEGER PRIMARY KEY, a)"

    private static let replacements = [
        "DROP TABLE t; \(definition); INSERT INTO t VALUES (1, 'y')",
        "ALTER TABLE t RENAME TO u; \(definition); INSERT INTO t VALUES (1, 'y')",
        "ALTER TABLE t RENAME TO u; ALTER TABLE u RENAME TO t",
        "CREATE TABLE n (id INTEGER PRIMARY KEY, a); INSERT INTO n SELECT * FROM t; DROP TABLE t; ALTER TABLE n RENAME TO t",
    ]

    private func open(_ test: (Database, UndoHistory) throws -> Void) throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(sql: "\(Self.definition); INSERT INTO t VALUES (1, 'x'), (2, 'z')")
            try test(db, UndoHistory())
        }
    }

    private func rows(_ db: Database, _ table: String = "t") throws -> [String] {
        try String.fetchAll(db, sql: "SELECT id || ' ' || a FROM \(table) ORDER BY id")
    }

    @Test(arguments: replacements) func anActionThatReplacesATableIsRolledBack(replacement: String) throws {
        try open { db, history in
            expectCode(.SQLITE_SCHEMA) {
                try history.perform(db) { try db.execute(sql: "UPDATE t SET a = 'y' WHERE id = 1; \(replacement)") }
            }
            try expectEqual(rows(db), ["1 x", "2 z"])
            #expect(!history.canUndo)
            // The table is the same as before the action, also when the schema changes later.
            try history.perform(db) { try db.execute(sql: "UPDATE t SET a = 'y' WHERE id = 1") }
            try db.execute(sql: "CREATE TABLE other (a)")
            try history.undo(db)
            try expectEqual(rows(db), ["1 x", "2 z"])
        }
    }

    @Test(arguments: replacements) func aTableThatIsReplacedAfterTheActionIsUnchanged(replacement: String) throws {
        try open { db, history in
            try history.perform(db) { try db.execute(sql: "UPDATE t SET a = 'y' WHERE id = 1") }
            try db.execute(sql: replacement)
            let after = try rows(db)
            expectCode(.SQLITE_SCHEMA) { try history.undo(db) }
            try expectEqual(rows(db), after)
        }
    }

    /// A rollback restores the table that was dropped.
    @Test(arguments: ["ROLLBACK", "ROLLBACK TO s; RELEASE s"]) func aReplacementThatIsRolledBack(end: String) throws {
        try open { db, history in
            try history.perform(db) { try db.execute(sql: "UPDATE t SET a = 'y' WHERE id = 1") }
            let begin = end == "ROLLBACK" ? "BEGIN" : "SAVEPOINT s"
            try db.execute(sql: "\(begin); DROP TABLE t; \(Self.definition); \(end)")
            try db.execute(sql: "CREATE TABLE other (a); CREATE INDEX i ON other (a); VACUUM")
            try history.undo(db)
            try expectEqual(rows(db), ["1 x", "2 z"])
            try history.redo(db)
            try expectEqual(rows(db), ["1 y", "2 z"])
        }
    }

    @Test(arguments: replacements) func aReplacementThatTheActionRollsBack(replacement: String) throws {
        try open { db, history in
            try history.perform(db) {
                try db.execute(sql: "UPDATE t SET a = 'y' WHERE id = 1")
                try db.inSavepoint {
                    try db.execute(sql: replacement)
                    return .rollback
                }
            }
            try expectEqual(rows(db), ["1 y", "2 z"])
            try history.undo(db)
            try expectEqual(rows(db), ["1 x", "2 z"])
            try history.redo(db)
            try expectEqual(rows(db), ["1 y", "2 z"])
        }
    }

    @Test func aTableThatTheActionReplacesBeforeItChangesRows() throws {
        try open { db, history in
            try history.perform(db) {
                try db.execute(sql: "DROP TABLE t; \(Self.definition); INSERT INTO t VALUES (5, 'new')")
            }
            try history.undo(db)
            try expectEqual(rows(db), [])
            try history.redo(db)
            try expectEqual(rows(db), ["5 new"])
        }
    }

    @Test func aTableThatTheActionCreatesTwice() throws {
        try open { db, history in
            try history.perform(db) {
                try db.execute(
                    sql: """
                        CREATE TABLE n (id INTEGER PRIMARY KEY, a); INSERT INTO n VALUES (1, 'a'); DROP TABLE n;
                        CREATE TABLE n (id INTEGER PRIMARY KEY, a); INSERT INTO n VALUES (2, 'b');
                        UPDATE t SET a = 'y'
                        """)
            }
            try history.undo(db)
            try expectEqual(rows(db, "n"), [])
            try expectEqual(rows(db), ["1 x", "2 z"])
        }
    }
}
