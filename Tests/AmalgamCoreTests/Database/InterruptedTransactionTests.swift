import Amalgam
import Foundation
import TestSupport
import Testing

/// An interruption in a transaction that the application has opened with `beginTransaction` or `BEGIN`: SQLite rolls
/// the transaction back, and later statements must not be committed one by one.
struct InterruptedTransactionTests {
    private let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try makeQueue("CREATE TABLE t (id INTEGER PRIMARY KEY)")
    }

    /// Interrupts an INSERT.
    private func interruptInsertion(_ db: Database) throws {
        db.add(
            function: DatabaseFunction("interruptNow") { [weak dbQueue] _ in
                dbQueue?.interrupt()
                return nil
            })
        expectFailure(.SQLITE_INTERRUPT) {
            try db.execute(
                sql: """
                    WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n WHERE x < 1000000)
                    INSERT INTO t SELECT x + 100 FROM n WHERE x > 1 OR interruptNow() IS NULL
                    """)
        }
        #expect(!db.isInsideTransaction)
    }

    private func count(_ db: Database) throws -> Int? { try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") }

    @Test(arguments: [true, false])
    func statementsThrowUntilTheRollback(sql: Bool) throws {
        try dbQueue.inDatabase { db in
            if sql { try db.execute(sql: "BEGIN") } else { try db.beginTransaction() }
            try db.execute(sql: "INSERT INTO t VALUES (-1)")
            try interruptInsertion(db)
            for sql in ["INSERT INTO t VALUES (-2)", "SELECT * FROM t", "COMMIT", "BEGIN"] {
                expectFailure(.SQLITE_ABORT, "Transaction was aborted", sql: sql) { try db.execute(sql: sql) }
            }
            expectFailure(.SQLITE_ABORT, "Transaction was aborted") { try db.commit() }
            try db.rollback()
            try #expect(count(db) == 0)
            try db.execute(sql: "INSERT INTO t VALUES (-3)")
            try #expect(count(db) == 1)
        }
    }

    /// SQLite reports that there is nothing to roll back, as it does without the library.
    @Test(arguments: ["ROLLBACK", "rollback transaction;"])
    func theRollbackMayBeSQL(rollback: String) throws {
        try dbQueue.inDatabase { db in
            try db.execute(sql: "BEGIN")
            try interruptInsertion(db)
            expectFailure(.SQLITE_ERROR, "cannot rollback - no transaction is active") { try db.execute(sql: rollback) }
            try db.execute(sql: "INSERT INTO t VALUES (-3)")
            try #expect(count(db) == 1)
        }
    }

    @Test func theEndOfTheAccessIsEnough() throws {
        try dbQueue.inDatabase { db in
            try db.beginTransaction()
            try interruptInsertion(db)
        }
        try dbQueue.inDatabase { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            try #expect(count(db) == 1)
        }
    }

    /// An interrupted statement outside of a transaction doesn't affect later statements.
    @Test func statementsOutsideOfTransactionsGoOn() throws {
        try dbQueue.inDatabase { db in
            try interruptInsertion(db)
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO t VALUES (2)")
                return .commit
            }
            try interruptInsertion(db)
            try #expect(count(db) == 2)
        }
    }

    /// An interrupted SELECT leaves the transaction unchanged.
    @Test func readsMayBeInterrupted() throws {
        try dbQueue.inDatabase { db in
            db.add(
                function: DatabaseFunction("interruptNow") { [weak dbQueue] _ in
                    dbQueue?.interrupt()
                    return nil
                })
            try db.beginTransaction()
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            expectFailure(.SQLITE_INTERRUPT) {
                try db.execute(
                    sql: """
                        WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n WHERE x < 1000000)
                        SELECT x FROM n WHERE x > 1 OR interruptNow() IS NULL
                        """)
            }
            try #expect(count(db) == 1)
            try db.commit()
        }
    }

    /// The application knows of other ends of a transaction, such as `ON CONFLICT ROLLBACK`, because it requested them.
    @Test func conflictsThatRollBack() throws {
        try dbQueue.inDatabase { db in
            try db.beginTransaction()
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            expectFailure(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)") }
            try #expect(count(db) == 0)
        }
    }
}
