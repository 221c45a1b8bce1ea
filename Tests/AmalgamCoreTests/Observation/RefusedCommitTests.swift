import Amalgam
import TestSupport
import Testing

/// Observers that throw from `databaseWillCommit`.
struct RefusedCommitTests {
    let dbQueue: DatabaseQueue
    let log = EventLog()

    init() throws {
        dbQueue = try makeQueue(playerSchema)
        dbQueue.add(transactionObserver: log)
    }

    @Test func aRefusedCommitIsRolledBack() throws {
        log.refusal = Refusal()
        #expect(throws: Refusal()) {
            try dbQueue.write { try $0.execute(sql: "INSERT INTO player VALUES (1, 'Anna')") }
        }
        #expect(log.take() == ["insert player(1)", "willCommit", "didRollback"])
        try dbQueue.inDatabase { db in
            #expect(!db.isInsideTransaction)
            try #expect(db.integer("SELECT COUNT(*) FROM player") == 0)
        }
        // The next transaction succeeds.
        try dbQueue.write { try $0.execute(sql: "INSERT INTO player VALUES (1, 'Anna')") }
        #expect(log.take() == ["insert player(1)", "willCommit", "didCommit"])
    }

    @Test func aRefusedAutocommitIsRolledBack() throws {
        try dbQueue.inDatabase { db in
            log.refusal = Refusal()
            #expect(throws: Refusal()) { try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')") }
            #expect(log.take() == ["insert player(1)", "willCommit", "didRollback"])
            try #expect(db.integer("SELECT COUNT(*) FROM player") == 0)
        }
    }

    @Test(arguments: ["COMMIT", "END TRANSACTION", "RELEASE s"])
    func commitsOfAllKindsCanBeRefused(end: String) throws {
        try dbQueue.inDatabase { db in
            try db.execute(sql: end.hasPrefix("RELEASE") ? "SAVEPOINT s" : "BEGIN")
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
            log.refusal = Refusal()
            #expect(throws: Refusal()) { try db.execute(sql: end) }
            #expect(log.take() == ["insert player(1)", "willCommit", "didRollback"])
            #expect(!db.isInsideTransaction)
            try #expect(db.integer("SELECT COUNT(*) FROM player") == 0)
        }
    }

    @Test(arguments: [Database.TransactionKind.deferred, .immediate, .exclusive])
    func emptyTransactionsCanBeRefused(kind: Database.TransactionKind) throws {
        log.refusal = Refusal()
        #expect(throws: Refusal()) { try dbQueue.inTransaction(kind) { _ in .commit } }
        #expect(log.take() == ["willCommit", "didRollback"])
        log.refusal = Refusal()
        #expect(throws: Refusal()) {
            try dbQueue.inDatabase { db in
                try db.beginTransaction(kind)
                try db.commit()
            }
        }
        dbQueue.inDatabase { #expect(!$0.isInsideTransaction) }
        #expect(log.take() == ["willCommit", "didRollback"])
    }

    @Test func emptySavepointTransactionsAreAnnouncedAndCanBeRefused() throws {
        try dbQueue.inDatabase { db in
            try db.execute(sql: "SAVEPOINT s; RELEASE s")
            #expect(log.take() == ["willCommit", "didCommit"])
            log.refusal = Refusal()
            try db.execute(sql: "SAVEPOINT s")
            #expect(throws: Refusal()) { try db.execute(sql: "RELEASE s") }
            try db.rollback()
        }
    }

    @Test func theFirstRefusalIsThrownAndAllObserversAreTold() throws {
        let second = EventLog()
        dbQueue.add(transactionObserver: second)
        log.refusal = Refusal()
        #expect(throws: Refusal()) {
            try dbQueue.write { try $0.execute(sql: "INSERT INTO player VALUES (1, 'Anna')") }
        }
        #expect(log.take() == ["insert player(1)", "willCommit", "didRollback"])
        #expect(second.take() == ["insert player(1)", "didRollback"])
    }
}
