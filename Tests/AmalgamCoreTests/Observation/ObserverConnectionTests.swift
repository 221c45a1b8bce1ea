import Amalgam
import TestSupport
import Testing

/// Observers that use the connection when a transaction has ended.
struct ObserverConnectionTests {
    let dbQueue: DatabaseQueue
    let log = EventLog()

    init() throws {
        dbQueue = try makeQueue(playerSchema)
        dbQueue.add(transactionObserver: log)
    }

    @Test func anObserverMayReadAfterACommit() throws {
        let lines = Lines()
        log.onCommit = { _, db in
            lines.append("\(db.isInsideTransaction) \((try? db.integer("SELECT COUNT(*) FROM player")) ?? -1)")
        }
        try dbQueue.write { try $0.execute(sql: "INSERT INTO player VALUES (1, 'Anna')") }
        try dbQueue.inDatabase { try $0.execute(sql: "INSERT INTO player VALUES (2, 'Bo')") }
        #expect(lines.take() == ["false 1", "false 2"])
    }

    @Test func anObserverMayWriteAfterACommit() throws {
        try dbQueue.inDatabase { try $0.execute(sql: "CREATE TABLE journal (id INTEGER PRIMARY KEY)") }
        _ = log.take()
        log.onCommit = { log, db in
            guard (try? db.integer("SELECT COUNT(*) FROM journal")) == 0 else { return }
            #expect(throws: Never.self) { try db.execute(sql: "INSERT INTO journal VALUES (7)") }
        }
        try dbQueue.write { try $0.execute(sql: "INSERT INTO player VALUES (1, 'Anna')") }
        #expect(
            log.take() == [
                "insert player(1)", "willCommit", "didCommit",
                "insert journal(7)", "willCommit", "didCommit",
            ])
    }

    @Test func anObserverMayWriteInATransactionAfterARollback() throws {
        try dbQueue.inDatabase { try $0.execute(sql: "CREATE TABLE journal (id INTEGER PRIMARY KEY)") }
        log.onRollback = { _, db in
            #expect(throws: Never.self) { try db.write { try $0.execute(sql: "INSERT INTO journal VALUES (7)") } }
        }
        try dbQueue.inTransaction { _ in .rollback }
        try #expect(dbQueue.read { try $0.integer("SELECT id FROM journal") } == 7)
    }

    @Test func anObserverMayReadAfterARollbackOfSQLite() throws {
        nonisolated(unsafe) var failure: (any Error)?
        log.onRollback = { _, db in
            do { _ = try db.integer("SELECT 1") } catch { failure = error }
        }
        try? dbQueue.write { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
            try db.execute(sql: "INSERT OR ROLLBACK INTO player VALUES (1, 'Bo')")
        }
        #expect(failure == nil)
    }

    @Test func aTransactionOfAnObserverDoesNotReviveAnAbortedOne() throws {
        try dbQueue.inDatabase { try $0.execute(sql: "CREATE TABLE journal (id INTEGER PRIMARY KEY)") }
        log.onRollback = { log, db in
            log.onRollback = { _, _ in }
            #expect(throws: Never.self) { try db.write { try $0.execute(sql: "INSERT INTO journal VALUES (7)") } }
        }
        expectFailure(.SQLITE_ABORT, "Transaction was aborted") {
            try dbQueue.write { db in
                try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
                try? db.execute(sql: "INSERT OR ROLLBACK INTO player VALUES (1, 'Bo')")
                expectFailure(.SQLITE_ABORT, "Transaction was aborted") {
                    try db.execute(sql: "INSERT INTO player VALUES (2, 'Cleo')")
                }
            }
        }
        try dbQueue.read { db in
            try #expect(db.integer("SELECT COUNT(*) FROM player") == 0)
            try #expect(db.integer("SELECT id FROM journal") == 7)
        }
    }

    @Test func changesOfTheSchemaAfterACommit() throws {
        log.onCommit = { log, db in
            log.onCommit = { _, _ in }
            #expect(throws: Never.self) { try db.execute(sql: "CREATE TABLE later (a)") }
        }
        try dbQueue.write { try $0.execute(sql: "INSERT INTO player VALUES (1, 'Anna')") }
        try #expect(dbQueue.read { try $0.integer("SELECT COUNT(*) FROM later") } == 0)
    }
}
