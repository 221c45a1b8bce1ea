import Amalgam
import TestSupport
import Testing

/// The events that observers receive, and their order.
struct TransactionObserverTests {
    let dbQueue: DatabaseQueue
    let log = EventLog()

    init() throws {
        dbQueue = try makeQueue(playerSchema)
        dbQueue.add(transactionObserver: log)
    }

    @Test func autocommit() throws {
        try dbQueue.inDatabase { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
            #expect(log.take() == ["insert player(1)", "willCommit", "didCommit"])
            try db.execute(sql: "UPDATE player SET name = 'Bo' WHERE id = 1")
            #expect(log.take() == ["update player(1)", "willCommit", "didCommit"])
            try db.execute(sql: "DELETE FROM player WHERE id = 1")
            #expect(log.take() == ["delete player(1)", "willCommit", "didCommit"])
        }
    }

    @Test func oneStatementManyRows() throws {
        try dbQueue.inDatabase { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna'), (2, 'Bo')")
            #expect(log.take() == ["insert player(1)", "insert player(2)", "willCommit", "didCommit"])
            try db.execute(sql: "UPDATE player SET name = 'x'")
            #expect(log.take() == ["update player(1)", "update player(2)", "willCommit", "didCommit"])
        }
    }

    @Test func commit() throws {
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
            try db.execute(sql: "DELETE FROM player")
            #expect(log.take() == ["insert player(1)", "delete player(1)"])
        }
        #expect(log.take() == ["willCommit", "didCommit"])
    }

    @Test func rollback() throws {
        try dbQueue.inTransaction { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
            return .rollback
        }
        #expect(log.take() == ["insert player(1)", "didRollback"])
        #expect(throws: Refusal()) {
            try dbQueue.write { db in
                try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
                throw Refusal()
            }
        }
        #expect(log.take() == ["insert player(1)", "didRollback"])
    }

    @Test func emptyTransactions() throws {
        for kind in [Database.TransactionKind.deferred, .immediate, .exclusive] {
            try dbQueue.inTransaction(kind) { _ in .commit }
            #expect(log.take() == ["willCommit", "didCommit"])
            try dbQueue.inTransaction(kind) { _ in .rollback }
            #expect(log.take() == ["didRollback"])
        }
    }

    @Test func readsTellNothing() throws {
        _ = try dbQueue.read { try $0.integer("SELECT COUNT(*) FROM player") }
        try dbQueue.inDatabase { db in
            _ = try db.integer("SELECT COUNT(*) FROM player")
            _ = try db.integer("PRAGMA user_version")
        }
        #expect(log.take() == [])
    }

    @Test func statementsThatChangeNoRowAreTransactionsToo() throws {
        try dbQueue.inDatabase { db in
            try db.execute(sql: "DELETE FROM player WHERE id = 666")
            #expect(log.take() == ["willCommit", "didCommit"])
            try db.execute(sql: "CREATE TABLE team (id INTEGER PRIMARY KEY)")
            #expect(log.take() == ["willCommit", "didCommit"])
            try db.execute(sql: "DROP TABLE team")
            #expect(log.take() == ["willCommit", "didCommit"])
        }
    }

    @Test func aStatementThatFailsInAutocommitModeRollsBack() throws {
        try dbQueue.inDatabase { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
            _ = log.take()
            expectFailure(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT INTO player VALUES (1, 'Bo')") }
            #expect(log.take() == ["didRollback"])
        }
    }

    @Test func aStatementThatFailsInATransactionEndsNothing() throws {
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
            expectFailure(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT INTO player VALUES (1, 'Bo')") }
            #expect(log.take() == ["insert player(1)"])
        }
        #expect(log.take() == ["willCommit", "didCommit"])
    }

    @Test func rollbacksOfSQLite() throws {
        dbQueue.inDatabase { db in
            try? db.inTransaction {
                try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
                try? db.execute(sql: "INSERT OR ROLLBACK INTO player VALUES (1, 'Bo')")
                #expect(log.take() == ["insert player(1)", "didRollback"])
                return .commit
            }
            #expect(log.take() == [])
        }
    }

    @Test func plainSQL() throws {
        try dbQueue.inDatabase { db in
            try db.execute(
                sql: """
                    BEGIN; INSERT INTO player VALUES (1, 'Anna'); COMMIT;
                    BEGIN; DELETE FROM player; ROLLBACK;
                    """)
        }
        #expect(
            log.take() == ["insert player(1)", "willCommit", "didCommit", "delete player(1)", "didRollback"])
    }

    @Test func aFailingCommitTellsNothingUntilTheTransactionEnds() throws {
        let dbQueue = try makeQueue(TransactionTests.deferredForeignKey)
        dbQueue.add(transactionObserver: log)
        try dbQueue.inDatabase { db in
            try db.beginTransaction()
            try db.execute(sql: "INSERT INTO player VALUES (1)")
            #expect(throws: DatabaseError.self) { try db.commit() }
            #expect(log.take() == ["insert player(1)"])
            try db.execute(sql: "INSERT INTO team VALUES (1)")
            try db.commit()
            #expect(log.take() == ["insert team(1)", "willCommit", "didCommit"])
            #expect(throws: DatabaseError.self) {
                try db.inTransaction {
                    try db.execute(sql: "INSERT INTO player VALUES (2)")
                    return .commit
                }
            }
            #expect(log.take() == ["insert player(2)", "didRollback"])
        }
    }

    @Test func severalObserversAreToldInTheOrderOfTheirArrival() throws {
        let lines = Lines()
        let observers = ["first", "second"].map { name in
            let log = EventLog()
            log.onChange = { _, event in lines.append("\(name): \(event.line)") }
            log.onCommit = { _, _ in lines.append("\(name): didCommit") }
            log.onRollback = { _, _ in lines.append("\(name): didRollback") }
            dbQueue.add(transactionObserver: log)
            return log
        }
        try dbQueue.inDatabase { try $0.execute(sql: "INSERT INTO player VALUES (1, 'Anna'), (2, 'Bo')") }
        #expect(
            lines.take() == [
                "first: insert player(1)", "second: insert player(1)",
                "first: insert player(2)", "second: insert player(2)",
                "first: didCommit", "second: didCommit",
            ])
        try dbQueue.inTransaction { _ in .rollback }
        #expect(lines.take() == ["first: didRollback", "second: didRollback"])
        withExtendedLifetime(observers) {}
    }
}
