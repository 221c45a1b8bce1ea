import Amalgam
import AmalgamCore
import CAmalgam
import TestSupport
import Testing

/// Statements that C code runs, and that fail: the log has no entry of what SQLite has undone.
@Suite struct UndoneStatementTests {
    private static let schema = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, a);
        CREATE TABLE attempt (n INTEGER PRIMARY KEY, id);
        CREATE TRIGGER noting BEFORE INSERT ON t BEGIN INSERT INTO attempt (id) VALUES (new.id); END;
        """

    /// Opens a database with audited tables, and a changeset that inserts rows, of which 2 exists with another value.
    private func open(_ test: (Database, Changeset) throws -> Void) throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(sql: Self.schema)
            let changes = try db.recordChanges(tables: ["t"]) {
                try db.execute(sql: "INSERT INTO t VALUES (1, 'new'), (2, 'new'), (3, 'new')")
            }
            try db.execute(sql: "DELETE FROM t; DELETE FROM attempt; INSERT INTO t VALUES (2, 'own')")
            try db.execute(sql: "DELETE FROM attempt")
            try db.audit("t", "attempt")
            try test(db, changes)
            try expectEqual(AuditLog.verify(db), [])
        }
    }

    @Test func anOmittedChangeLeavesNoEntryOfItsTrigger() throws {
        try open { db, changes in
            let entries = try db.logged { try db.apply(changes) { _ in .omit } }
            try expectEqual(Int.fetchAll(db, sql: "SELECT id FROM attempt"), [1, 3])
            #expect(entries.filter { $0.hasPrefix("INSERT attempt") }.count == 2)
            #expect(entries.filter { $0.hasPrefix("INSERT t") }.count == 2)
            #expect(entries.count == 4)
        }
    }

    @Test func aReplacedRowIsLoggedOnceAndReverted() throws {
        try open { db, changes in
            let before = try Row.fetchAll(db, sql: "SELECT * FROM t")
            let entries = try db.logged { try db.apply(changes) { _ in .replace } }
            #expect(entries.filter { $0.hasPrefix("INSERT attempt") }.count == 3)
            #expect(entries.contains("DELETE t 2 (id: 2, a: \"own\")"))
            let id = try Int64.fetchOne(db, sql: "SELECT max(transactionID) FROM amalgam_audit")
            try AuditLog.revert(db, transaction: #require(id))
            try expectEqual(Row.fetchAll(db, sql: "SELECT * FROM t"), before)
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM attempt"), 0)
        }
    }

    @Test func anApplicationWithoutASavepoint() throws {
        try open { db, changes in
            let entries = try db.logged {
                try db.inTransaction {
                    try db.execute(sql: "INSERT INTO attempt VALUES (10, 0)")
                    try db.apply(changes, options: .withoutSavepoint) { _ in .omit }
                    try db.execute(sql: "INSERT INTO attempt VALUES (20, 0)")
                    return .commit
                }
            }
            #expect(entries.count == 6)
        }
    }

    /// Closures that are called in an application run further statements, some of which fail.
    @Test func aConflictHandlerThatWrites() throws {
        try open { db, changes in
            let entries = try db.logged {
                try db.apply(changes) { _ in
                    try db.execute(sql: "INSERT INTO attempt VALUES (100, 0)")
                    expectCode(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT INTO t VALUES (9, 'x'), (2, 'y')") }
                    return .omit
                }
            }
            #expect(entries.count == 5)
            #expect(entries.contains("INSERT attempt 100 (n: 100, id: 0)"))
        }
    }

    /// The changes before the savepoint remain, and so do their entries.
    @Test(arguments: [true, false]) func aConflictHandlerThatRollsBackASavepoint(isInTransaction: Bool) throws {
        try open { db, changes in
            let entries = try db.logged {
                if isInTransaction { try db.beginTransaction() }
                try db.apply(changes) { _ in
                    try db.inSavepoint {
                        try db.execute(sql: "INSERT INTO attempt VALUES (100, 0)")
                        return .rollback
                    }
                    return .omit
                }
                if isInTransaction { try db.commit() }
            }
            try expectEqual(Int.fetchAll(db, sql: "SELECT id FROM t"), [1, 2, 3])
            #expect(entries.filter { $0.hasPrefix("INSERT attempt") }.count == 2)
            #expect(entries.filter { $0.hasPrefix("INSERT t") }.count == 2)
            #expect(entries.count == 4)
        }
    }

    /// SQLite undoes the application, with the savepoint in it.
    @Test func aConflictHandlerThatRollsBackASavepointAndAborts() throws {
        try open { db, changes in
            let entries = try db.logged {
                try db.inTransaction {
                    try db.execute(sql: "INSERT INTO attempt VALUES (10, 0)")
                    expectCode(.SQLITE_ABORT) {
                        try db.apply(changes) { _ in
                            try db.inSavepoint {
                                try db.execute(sql: "INSERT INTO attempt VALUES (100, 0)")
                                return .rollback
                            }
                            return .abort
                        }
                    }
                    return .commit
                }
            }
            #expect(entries == ["INSERT attempt 10 (n: 10, id: 0)"])
        }
    }

    /// A function in C runs a statement, and ignores its error.
    @Test(arguments: [true, false]) func aFunctionInCThatIgnoresAnError(isInTransaction: Bool) throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(sql: Self.schema + "CREATE TABLE u (x); INSERT INTO t VALUES (2, 'own')")
            try db.audit("t", "attempt", "u")
            sqlite3_create_function_v2(
                db.sqliteConnection, "insertAgain", 1, SQLITE_UTF8, nil,
                { context, _, values in
                    let connection = sqlite3_context_db_handle(context)
                    sqlite3_exec(connection, "INSERT INTO t VALUES (4, 'new'), (2, 'new')", nil, nil, nil)
                    sqlite3_exec(connection, "INSERT INTO attempt VALUES (50, 50)", nil, nil, nil)
                    sqlite3_result_value(context, values?[0])
                }, nil, nil, nil)
            let entries = try db.logged {
                if isInTransaction { try db.beginTransaction() }
                try db.execute(sql: "INSERT INTO u VALUES (insertAgain(7))")
                if isInTransaction { try db.commit() }
            }
            try expectEqual(Int.fetchAll(db, sql: "SELECT id FROM t"), [2])
            #expect(entries.sorted() == ["INSERT attempt 50 (n: 50, id: 50)", "INSERT u 1 (x: 7)"])
            try expectEqual(AuditLog.verify(db), [])
        }
    }

    /// The savepoints of a transaction are counted from zero after a rollback, and after the audit begins again.
    @Test func savepointsOfFurtherTransactionsAndRecorders() throws {
        try open { db, changes in
            for isAuditedAgain in [false, true] {
                try db.inSavepoint {
                    try db.apply(changes) { _ in .omit }
                    return .rollback
                }
                if isAuditedAgain {
                    try db.stopAuditing()
                    try db.audit("t", "attempt")
                }
                let entries = try db.logged {
                    try db.inSavepoint {
                        try db.apply(changes) { _ in .omit }
                        return .commit
                    }
                }
                #expect(entries.count == 4)
                try db.execute(sql: "DELETE FROM t WHERE id <> 2; DELETE FROM attempt")
            }
        }
    }

    /// SQLite retries an update as a deletion and an insertion, in a savepoint that it rolls back. The trigger makes the
    /// deletion the first recorded change of the transaction, in a second savepoint inside of it.
    @Test(arguments: [true, false]) func anUpdateThatIsRetriedWithoutSuccess(isInTransaction: Bool) throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (id INTEGER PRIMARY KEY, a UNIQUE);
                    CREATE TABLE deletion (n INTEGER PRIMARY KEY, id);
                    CREATE TRIGGER noting AFTER DELETE ON t BEGIN INSERT INTO deletion (id) VALUES (old.id); END;
                    INSERT INTO t VALUES (1, 'x'), (2, 'y')
                    """)
            let changes = try db.recordChanges(tables: ["t"]) {
                try db.execute(sql: "UPDATE t SET a = 'new' WHERE id = 1; UPDATE t SET a = 'x' WHERE id = 2")
            }
            try db.execute(
                sql: """
                    UPDATE t SET a = 'y' WHERE id = 2; UPDATE t SET a = 'x' WHERE id = 1;
                    INSERT INTO t VALUES (3, 'new')
                    """)
            try db.audit("t", "deletion")
            let before = try Row.fetchAll(db, sql: "SELECT * FROM t")
            let entries = try db.logged {
                if isInTransaction { try db.beginTransaction() }
                try db.apply(changes) { _ in .omit }
                if isInTransaction { try db.commit() }
            }
            try expectEqual(Row.fetchAll(db, sql: "SELECT * FROM t"), before)
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM deletion"), 0)
            #expect(entries == [])
            try expectEqual(AuditLog.verify(db), [])
        }
    }
}
