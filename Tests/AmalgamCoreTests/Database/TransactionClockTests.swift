import Amalgam
import Foundation
import Synchronization
import TestSupport
import Testing

/// Returns 1, 2, 3 … seconds after 1970, and fails after the last allowed one.
private final class Ticks: Sendable {
    struct ClockIsExhausted: Error {}

    private let last = Mutex(0)
    private let limit: Int

    init(limit: Int = .max) { self.limit = limit }

    var count: Int { last.withLock { $0 } }

    func next() throws -> Date {
        try last.withLock { last in
            if last == limit { throw ClockIsExhausted() }
            last += 1
            return Date(timeIntervalSince1970: TimeInterval(last))
        }
    }
}

extension Database {
    fileprivate var second: Int { get throws { try Int(transactionDate.timeIntervalSince1970) } }
}

struct TransactionClockTests {
    private let ticks = Ticks()

    private func queue(_ ticks: Ticks) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.transactionClock = .custom { _ in try ticks.next() }
        return try makeQueue("CREATE TABLE t (v UNIQUE)", configuration: configuration)
    }

    @Test func theDefaultClockIsThatOfTheSystem() throws {
        let before = Date()
        let date = try DatabaseQueue().inDatabase { try $0.transactionDate }
        #expect(before...Date() ~= date)
        let other = try DatabaseQueue().inDatabase { try DefaultTransactionClock.default.now($0) }
        #expect(before...Date() ~= other)
    }

    @Test func outsideOfTransactionsTheClockIsAskedEachTime() throws {
        try queue(ticks).inDatabase { db in
            try #expect([db.second, db.second, db.second] == [1, 2, 3])
        }
    }

    @Test func inATransactionTheDateIsConstant() throws {
        try queue(ticks).inDatabase { db in
            try db.inTransaction {
                try #expect([db.second, db.second] == [1, 1])
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                try #expect(db.second == 1)
                return .commit
            }
            try #expect([db.second, db.second] == [2, 3])
            try db.inTransaction {
                try #expect([db.second, db.second] == [4, 4])
                return .rollback
            }
            try #expect(db.second == 5)
        }
    }

    @Test(arguments: ["COMMIT", "ROLLBACK"])
    func plainSQLEndsTheDate(end: String) throws {
        try queue(ticks).inDatabase { db in
            try db.execute(sql: "BEGIN")
            try #expect([db.second, db.second] == [1, 1])
            try db.execute(sql: end)
            try #expect([db.second, db.second] == [2, 3])
            try db.execute(sql: "BEGIN")
            try #expect([db.second, db.second] == [4, 4])
            try db.execute(sql: end)
        }
    }

    @Test func savepointsDoNotEndTheDate() throws {
        try queue(ticks).inDatabase { db in
            try db.execute(sql: "SAVEPOINT a; SAVEPOINT b")
            try #expect([db.second, db.second] == [1, 1])
            try db.execute(sql: "RELEASE b")
            try #expect(db.second == 1)
            try db.execute(sql: "ROLLBACK TO a")
            try #expect(db.second == 1)
            try db.execute(sql: "RELEASE a")
            try #expect([db.second, db.second] == [2, 3])
        }
    }

    @Test(arguments: [false, true])
    func aRollbackOfSQLiteEndsTheDate(isObserved: Bool) throws {
        try queue(ticks).inDatabase { db in
            let log = EventLog()
            if isObserved { db.add(transactionObserver: log) }
            try db.execute(sql: "BEGIN; INSERT INTO t VALUES (1)")
            try #expect([db.second, db.second] == [1, 1])
            #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)") }
            try #expect([db.second, db.second] == [2, 3])
        }
    }

    @Test func aFailingCommitKeepsTheDateOfItsTransaction() throws {
        var configuration = Configuration()
        let ticks = ticks
        configuration.transactionClock = .custom { _ in try ticks.next() }
        try makeQueue(TransactionTests.deferredForeignKey, configuration: configuration).inDatabase { db in
            try db.beginTransaction()
            try #expect(db.second == 1)
            try db.execute(sql: "INSERT INTO player VALUES (1)")
            #expect(throws: DatabaseError.self) { try db.commit() }
            try #expect(db.second == 1)
            try db.rollback()
            try #expect(db.second == 2)
        }
    }

    @Test func theClockIsAskedNoMoreThanNeeded() throws {
        let ticks = Ticks(limit: 2)
        let dbQueue = try queue(ticks)
        try dbQueue.write { _ in }
        #expect(ticks.count <= 1)
        let unneeded = ticks.count
        try dbQueue.write { db in _ = try [db.transactionDate, db.transactionDate] }
        #expect(ticks.count == unneeded + 1)
    }

    @Test func errorsOfTheClock() throws {
        let dbQueue = try queue(Ticks(limit: 0))
        #expect(throws: Ticks.ClockIsExhausted.self) { try dbQueue.inDatabase { _ = try $0.transactionDate } }
        #expect(throws: Ticks.ClockIsExhausted.self) { try dbQueue.write { _ = try $0.transactionDate } }
    }

    @Test func theClockMayReadTheDatabase() throws {
        var configuration = Configuration()
        configuration.transactionClock = .custom { db in
            try Date(timeIntervalSince1970: db.integer("SELECT 42").map(TimeInterval.init)!)
        }
        try makeQueue(playerSchema, configuration: configuration).write { db in
            try #expect(db.second == 42)
        }
    }

    @Test func observersSeeNoDateOfTheTransactionThatEnded() throws {
        let log = EventLog()
        nonisolated(unsafe) var seconds: [Int] = []
        log.onCommit = { _, db in seconds.append((try? db.second) ?? -1) }
        try queue(ticks).inDatabase { db in
            db.add(transactionObserver: log)
            try db.inTransaction {
                try #expect(db.second == 1)
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                return .commit
            }
            #expect(seconds == [2])
        }
    }
}
