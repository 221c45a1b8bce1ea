import Amalgam
import Foundation
import Synchronization
import Testing

@Suite("Guide: Reading and writing")
struct ReadingAndWriting {
    let dbQueue: DatabaseQueue

    init() throws {
        // guide: table
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE account (name TEXT PRIMARY KEY, balance INTEGER NOT NULL CHECK (balance >= 0));
                    INSERT INTO account VALUES ('Anna', 100), ('Bo', 0);
                    CREATE TABLE log (message TEXT);
                    """)
        }
        // end
        self.dbQueue = dbQueue
    }

    private func balances() throws -> [Int] {
        try dbQueue.read { try Int.fetchAll($0, sql: "SELECT balance FROM account ORDER BY name") }
    }

    @Test("A write is a transaction: all of its changes are committed, or none")
    func transaction() throws {
        // guide: write
        try dbQueue.write { db in
            try db.execute(sql: "UPDATE account SET balance = balance - 10 WHERE name = 'Anna'")
            try db.execute(sql: "UPDATE account SET balance = balance + 10 WHERE name = 'Bo'")
        }
        // end
        #expect(try balances() == [90, 10])
        // guide: rollback
        do {
            try dbQueue.write { db in
                try db.execute(sql: "UPDATE account SET balance = balance + 1000 WHERE name = 'Bo'")
                try db.execute(sql: "UPDATE account SET balance = balance - 1000 WHERE name = 'Anna'")
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            print(error.message!)  // CHECK constraint failed: balance >= 0
        }
        // Bo's balance is unchanged.
        // end
        #expect(try balances() == [90, 10])
    }

    @Test("A read refuses to write, and returns values")
    func reading() throws {
        // guide: read
        let names = try dbQueue.read { db in
            try String.fetchAll(db, sql: "SELECT name FROM account WHERE balance > ?", arguments: [50])
        }
        // end
        #expect(names == ["Anna"])
        let error = #expect(throws: DatabaseError.self) {
            try dbQueue.read { try $0.execute(sql: "DELETE FROM account") }
        }
        #expect(error?.resultCode == .SQLITE_READONLY)
    }

    @Test("Accesses with await don't block the thread, and are cancelled with their task")
    func awaiting() async throws {
        // guide: await
        let total = try await dbQueue.read { db in
            try Int.fetchOne(db, sql: "SELECT SUM(balance) FROM account")
        }
        try await dbQueue.write { db in
            try db.execute(sql: "INSERT INTO log VALUES ('counted')")
        }
        // end
        #expect(total == 100)
        let dbQueue = dbQueue
        // guide: cancel
        let task = Task {
            try await dbQueue.write { db in
                try db.execute(sql: "UPDATE account SET balance = 0")
                while true { try Task.checkCancellation() }
            }
        }
        task.cancel()
        // The write is rolled back, and `try await task.value` throws CancellationError.
        // end
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try balances() == [100, 0])
    }

    @Test("An error thrown in a savepoint undoes the savepoint, and leaves the transaction")
    func savepoint() throws {
        // guide: savepoint
        struct Refused: Error {}

        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO log VALUES ('begin')")
            do {
                try db.inSavepoint {
                    try db.execute(sql: "UPDATE account SET balance = 0")
                    throw Refused()
                }
            } catch is Refused {
                // ROLLBACK TO SAVEPOINT was run: the balances are unchanged, the log has its row.
            }
            try db.execute(sql: "INSERT INTO log VALUES ('end')")
        }
        // end
        #expect(try balances() == [100, 0])
        #expect(try dbQueue.read { try String.fetchAll($0, sql: "SELECT message FROM log") } == ["begin", "end"])
    }

    @Test("A savepoint that isn't wanted")
    func completion() throws {
        // guide: completion
        try dbQueue.write { db in
            try db.inSavepoint {
                try db.execute(sql: "UPDATE account SET balance = balance * 2")
                let total = try Int.fetchOne(db, sql: "SELECT SUM(balance) FROM account")!
                return total > 100 ? .rollback : .commit
            }
        }
        // end
        #expect(try balances() == [100, 0])
    }

    @Test("Transactions by hand")
    func byHand() throws {
        // guide: hand
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA foreign_keys = OFF")
            try db.inTransaction(.immediate) {
                try db.execute(sql: "DELETE FROM account WHERE balance = 0")
                return .commit
            }
            try db.execute(sql: "PRAGMA foreign_keys = ON")
        }
        // end
        #expect(try balances() == [100])
    }

    @Test("A limit of time")
    func deadline() throws {
        // guide: limits
        let slow = """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT SUM(i) FROM n
            """
        // end
        var isStopped = false
        // guide: limits
        do {
            _ = try dbQueue.read { db in
                try db.withLimits(.time(.milliseconds(50))) {
                    try Int.fetchOne(db, sql: slow)
                }
            }
        } catch let error as DatabaseError where error.exceededLimit == .time {
            print("The query was stopped after 50 milliseconds.")
            // end
            isStopped = true
            // guide: limits
        }
        // end
        #expect(isStopped)
        #expect(try balances() == [100, 0])
    }

    @Test("What runs once the transaction is committed")
    func afterCommit() throws {
        let removals = Mutex(0)
        let removeOldFiles: @Sendable () -> Void = { removals.withLock { $0 += 1 } }
        // guide: after
        try dbQueue.write { db in
            try db.execute(sql: "DELETE FROM account WHERE name = 'Bo'")
            db.afterNextTransaction(onCommit: { _ in
                print("Bo's account was deleted.")  // or remove its files, send a message
                // end
                removeOldFiles()
                // guide: after
            })
        }
        // end
        #expect(removals.withLock { $0 } == 1)
    }
}
