import Amalgam
@testable import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

/// A query that never ends.
let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT MAX(i) FROM n"

struct ExecutionLimitsTests {
    private func run(_ kind: DatabaseKind = .memory, _ test: (Database) throws -> Void) throws {
        try kind.run { db in
            try db.createTeams()
            try test(db)
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func aStatementThatTakesTooLongIsStopped(_ kind: DatabaseKind) throws {
        try run(kind) { db in
            let start = ContinuousClock.now
            let error = expectError(
                .SQLITE_INTERRUPT, "interrupted: the limit of 0.02 seconds is exceeded", sql: endless
            ) {
                try db.withLimits(.time(.milliseconds(20))) { try db.execute(sql: endless) }
            }
            #expect(error?.exceededLimit == .time)
            #expect(error?.isInterruptionError == true)
            #expect(.now - start >= .milliseconds(20))
            try expectEqual(db.playerNames.count, 3)
        }
    }

    @Test func argumentsStayPrivate() throws {
        try run { db in
            let error = #expect(throws: DatabaseError.self) {
                try db.withLimits(.instructions(1000)) {
                    try db.execute(sql: endless + " WHERE ? > 1", arguments: ["secret"])
                }
            }
            #expect(error?.arguments == ["secret"])
            #expect(error?.description.contains("secret") == false)
        }
    }

    @Test func instructionsAreCountedTheSameEachTime() throws {
        try run { db in
            let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) SELECT MAX(i) FROM n"
            func suffices(_ limit: Int) throws -> Bool {
                do {
                    try db.withLimits(.instructions(limit)) { try db.execute(sql: sql) }
                    return true
                } catch let error as DatabaseError where error.exceededLimit == .instructions {
                    return false
                }
            }
            #expect(try suffices(0) == false)
            #expect(try suffices(-5) == false)
            #expect(try suffices(100) == false)
            #expect(try suffices(5000) == false)
            #expect(try suffices(100_000))
            #expect(try suffices(.max))
            let threshold = try #require(try (1...200).map { $0 * 500 }.first(where: suffices))
            for _ in 1...3 {
                #expect(try suffices(threshold))
                #expect(try suffices(threshold - 500) == false)
            }
        }
    }

    @Test func furtherStatementsAreRefused() throws {
        try run { db in
            try db.withLimits(.time(.zero)) {
                let error = expectError(
                    .SQLITE_INTERRUPT, "interrupted: the limit of 0.0 seconds is exceeded", sql: "SELECT 1"
                ) { try db.execute(sql: "SELECT 1") }
                #expect(error?.exceededLimit == .time)
            }
            _ = try db.withLimits(.time(.seconds(-3))) {
                expectCode(.SQLITE_INTERRUPT) { try db.execute(sql: "SELECT 1") }
            }
            try db.withLimits(.time(.seconds(Int64.max))) { try expectEqual(db.playerNames.count, 3) }
            try db.withLimits(.none) { try expectEqual(db.playerNames.count, 3) }
        }
    }

    @Test func neighboursGoOn() throws {
        try run { db in
            let cursor = try String.fetchCursor(db, sql: "SELECT name FROM player ORDER BY id")
            #expect(try cursor.next() == "Anna")
            expectCode(.SQLITE_INTERRUPT) {
                try db.withLimits(.instructions(1000)) { try db.execute(sql: endless) }
            }
            #expect(try cursor.next() == "Bo")
            #expect(try cursor.next() == "Cleo")
            #expect(try cursor.next() == nil)
        }
    }

    @Test func nestedLimitsAllHold() throws {
        try run { db in
            // The outer limit is shorter.
            let outer = #expect(throws: DatabaseError.self) {
                try db.withLimits(.instructions(1000)) {
                    try db.withLimits(.time(.seconds(60))) { try db.execute(sql: endless) }
                }
            }
            #expect(outer?.message == "interrupted: the limit of 1000 instructions is exceeded")
            let outerTime = #expect(throws: DatabaseError.self) {
                try db.withLimits(.time(.milliseconds(10))) {
                    try db.withLimits(.time(.seconds(60))) { try db.execute(sql: endless) }
                }
            }
            #expect(outerTime?.message == "interrupted: the limit of 0.01 seconds is exceeded")
            // The inner limit is shorter.
            try db.withLimits(ExecutionLimits(time: .seconds(60), instructions: 10_000_000)) {
                let inner = #expect(throws: DatabaseError.self) {
                    try db.withLimits(.time(.milliseconds(10))) { try db.execute(sql: endless) }
                }
                #expect(inner?.message == "interrupted: the limit of 0.01 seconds is exceeded")
                try expectEqual(db.playerNames.count, 3)
            }
        }
    }

    // MARK: Transactions

    @Test(arguments: DatabaseKind.allCases)
    func aReadLeavesTheTransactionAsItWas(_ kind: DatabaseKind) throws {
        try run(kind) { db in
            try db.inTransaction {
                try db.execute(sql: "DELETE FROM player WHERE id = 1")
                expectCode(.SQLITE_INTERRUPT) {
                    try db.withLimits(.instructions(1000)) { try db.execute(sql: endless) }
                }
                #expect(db.isInsideTransaction)
                return .commit
            }
            #expect(try db.playerNames == ["Bo", "Cleo"])
        }
    }

    private static let longInsert = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) INSERT INTO team (name) SELECT i FROM n
        """

    @Test(arguments: DatabaseKind.allCases)
    func aWriteIsUndone(_ kind: DatabaseKind) throws {
        try run(kind) { db in
            let error = #expect(throws: DatabaseError.self) {
                try db.withLimits(.instructions(20_000)) { try db.execute(sql: Self.longInsert) }
            }
            #expect(error?.exceededLimit == .instructions)
            #expect(!db.isInsideTransaction)
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM team"), 2)
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func aWriteUndoesItsTransaction(_ kind: DatabaseKind) throws {
        try run(kind) { db in
            let log = EventLog(observes: { _ in false })
            db.add(transactionObserver: log)
            let error = #expect(throws: DatabaseError.self) {
                try db.inTransaction {
                    try db.execute(sql: "DELETE FROM player")
                    expectCode(.SQLITE_INTERRUPT) {
                        try db.withLimits(.instructions(20_000)) { try db.execute(sql: Self.longInsert) }
                    }
                    #expect(!db.isInsideTransaction)
                    try db.execute(sql: "SELECT 1")
                    return .commit
                }
            }
            #expect(error?.message == "Transaction was aborted")
            #expect(log.take() == ["didRollback"])
            try expectEqual(db.playerNames.count, 3)
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM team"), 2)
            db.remove(transactionObserver: log)
        }
    }

    @Test func theEndOfATransactionIsRefusedOrSpared() throws {
        try run { db in
            expectCode(.SQLITE_INTERRUPT) {
                try db.withLimits(.time(.milliseconds(30))) {
                    try db.inTransaction {
                        try db.execute(sql: "DELETE FROM player")
                        try? db.execute(sql: endless)
                        return .commit
                    }
                }
            }
            #expect(!db.isInsideTransaction)
            try expectEqual(db.playerNames.count, 3)
        }
    }

    // MARK: Locks

    @Test(
        "limits that an observer sets after a transaction apply there, and outer limits don't",
        arguments: [
            ExecutionLimits.time(.milliseconds(20)), .instructions(10_000), .memory(8_000_000),
        ], [false, true])
    func limitsOfObservers(limits: ExecutionLimits, isLimited: Bool) throws {
        // Without limits, the statement ends after a second or so, and the test fails.
        let long = """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000000)
            SELECT COUNT(DISTINCT printf('%d and more', i)) FROM n
            """
        let short = """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000) SELECT COUNT(DISTINCT i) FROM n
            """
        let outer = isLimited ? ExecutionLimits(instructions: 5000) : .none
        try run { db in
            for end in ["COMMIT", "ROLLBACK"] {
                let exceeded = Log<ExceededLimit?>()
                let observe: @Sendable (Database) -> Void = { db in
                    let error = #expect(throws: DatabaseError.self) {
                        try db.withLimits(limits) { try db.execute(sql: long) }
                    }
                    exceeded.append(error?.exceededLimit)
                    // The transaction is rolled back nevertheless.
                    let secondError = #expect(throws: DatabaseError.self) {
                        try db.withLimits(limits) {
                            try db.inTransaction {
                                try db.execute(sql: "UPDATE player SET name = 'Dora'")
                                try db.execute(sql: long)
                                return .commit
                            }
                        }
                    }
                    exceeded.append(secondError?.exceededLimit)
                    // The limits of the access don't hold here.
                    #expect(throws: Never.self) { try db.execute(sql: short) }
                }
                try db.withLimits(outer) {
                    try db.beginTransaction()
                    db.afterNextTransaction(onCommit: observe, onRollback: observe)
                    try db.execute(sql: "UPDATE player SET score = 1")
                    // The observer has spent the instructions of the access.
                    try? db.execute(sql: end)
                }
                #expect(exceeded.elements.count == 2)
                #expect(!exceeded.elements.contains(nil))
                #expect(!db.isInsideTransaction)
                try expectEqual(db.playerNames, ["Anna", "Bo", "Cleo"])
            }
        }
    }

    @Test("limits hold again after an observer has had its own")
    func limitsAroundObservers() throws {
        try run { db in
            try db.withLimits(.instructions(20_000)) {
                db.afterNextTransaction { db in
                    #expect(throws: Never.self) {
                        try db.withLimits(.time(.seconds(60))) { try db.execute(sql: "SELECT 1") }
                    }
                }
                try db.execute(sql: "UPDATE player SET score = 1")
                let error = #expect(throws: DatabaseError.self) { try db.execute(sql: endless) }
                #expect(error?.exceededLimit == .instructions)
            }
        }
    }

    @Test func waitingForALockEndsAtTheDeadline() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("teams.sqlite").path
            var configuration = Configuration()
            configuration.busyMode = .timeout(3600)
            let holder = try DatabaseQueue(path: path)
            let waiter = try DatabaseQueue(path: path, configuration: configuration)
            try holder.write { db in
                try db.createTeams()
                let start = ContinuousClock.now
                let error = #expect(throws: DatabaseError.self) {
                    try waiter.inDatabase { db in
                        try db.withLimits(.time(.milliseconds(50))) { try db.execute(sql: "CREATE TABLE t (a)") }
                    }
                }
                #expect(error?.exceededLimit == .time)
                #expect(error?.resultCode == .SQLITE_INTERRUPT)
                let elapsed = ContinuousClock.now - start
                #expect(elapsed >= .milliseconds(50))
                #expect(elapsed < .seconds(600))
            }
            try waiter.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
        }
    }

    @Test func aLockThatNobodyWaitsForIsStillBusy() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("teams.sqlite").path
            let holder = try DatabaseQueue(path: path)
            let other = try DatabaseQueue(path: path)
            try holder.write { db in
                try db.createTeams()
                expectCode(.SQLITE_BUSY) {
                    try other.inDatabase { db in
                        try db.withLimits(.time(.seconds(60))) { try db.execute(sql: "CREATE TABLE t (a)") }
                    }
                }
            }
        }
    }

    // MARK: Interruptions and handlers

    @Test func interruptionsAreTheirOwn() throws {
        try run { db in
            let connection = db.sqliteConnection
            var calls = 0
            db.setProgressHandler {
                calls += 1
                if calls == 3 { sqlite3_interrupt(connection) }
                return true
            }
            let error = #expect(throws: DatabaseError.self) {
                try db.withLimits(.time(.seconds(60))) { try db.execute(sql: endless) }
            }
            db.setProgressHandler(nil)
            #expect(error?.resultCode == .SQLITE_INTERRUPT)
            #expect(error?.message == "interrupted")
            #expect(error?.exceededLimit == nil)
        }
    }

    @Test func closingInside() throws {
        let queue = try DatabaseQueue()
        expectCode(.SQLITE_MISUSE) {
            try queue.inDatabase { db in
                try db.withLimits(.time(.seconds(60))) {
                    try queue.close()
                    try db.execute(sql: "SELECT 1")
                }
            }
        }
    }

    @Test func asynchronousAccesses() async throws {
        let queue = try DatabaseQueue()
        let error = await #expect(throws: DatabaseError.self) {
            try await queue.read { db in
                try db.withLimits(.instructions(10_000)) { _ = try Row.fetchAll(db, sql: endless) }
            }
        }
        #expect(error?.exceededLimit == .instructions)
        let task = Task {
            try await queue.read { db in
                try db.withLimits(.time(.seconds(600))) { _ = try Row.fetchAll(db, sql: endless) }
            }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

struct ProgressHandlerTests {
    @Test func aHandlerIsCalledAgainAndAgain() throws {
        try DatabaseKind.memory.run { db in
            let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) SELECT MAX(i) FROM n"
            func calls(every interval: Int) throws -> Int {
                var calls = 0
                db.setProgressHandler(every: interval) {
                    calls += 1
                    return true
                }
                try db.execute(sql: sql)
                return calls
            }
            let often = try calls(every: 100)
            let seldom = try calls(every: 1000)
            #expect(often > 50)
            #expect(abs(often - 10 * seldom) <= 20)
            let beside = try db.withLimits(.instructions(1000_000)) { try calls(every: 1000) }
            #expect(abs(beside - seldom) <= 1)
            #expect(try calls(every: 0) > often)
            #expect(try calls(every: .max) == 0)
            db.setProgressHandler(nil)
        }
    }

    @Test func aHandlerStopsAStatement() throws {
        try DatabaseKind.memory.run { db in
            db.setProgressHandler { false }
            let error = expectError(.SQLITE_INTERRUPT, "interrupted", sql: endless) { try db.execute(sql: endless) }
            #expect(error?.exceededLimit == nil)
            db.setProgressHandler { throw Failure(number: 5) }
            #expect(throws: Failure(number: 5)) { try db.execute(sql: endless) }
            db.setProgressHandler(nil)
            try expectEqual(Int.fetchOne(db, sql: "SELECT 1"), 1)
        }
    }

    @Test func aHandlerCannotUseTheConnection() throws {
        try DatabaseKind.memory.run { db in
            db.setProgressHandler {
                try db.execute(sql: "SELECT 1")
                return true
            }
            expectCode(.SQLITE_MISUSE) { try db.execute(sql: endless) }
            db.setProgressHandler(nil)
        }
    }

    @Test("a handler that an observer sets stops the statements of the observer")
    func handlersOfObservers() throws {
        try makeQueue(playerSchema).inDatabase { db in
            let codes = Log<ResultCode?>()
            db.afterNextTransaction { db in
                db.setProgressHandler(every: 100) { false }
                let error = #expect(throws: DatabaseError.self) { try db.execute(sql: endless) }
                codes.append(error?.resultCode)
                db.setProgressHandler(nil)
            }
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
            #expect(codes.elements == [.SQLITE_INTERRUPT])
        }
    }

    @Test func rollbacksAreSpared() throws {
        try DatabaseKind.memory.run { db in
            try db.createTeams()
            expectCode(.SQLITE_INTERRUPT) {
                try db.inTransaction {
                    try db.execute(sql: "DELETE FROM player")
                    db.setProgressHandler(every: 1) { false }
                    try db.execute(sql: endless)
                    return .commit
                }
            }
            db.setProgressHandler(nil)
            #expect(try db.playerNames.count == 3)
        }
    }
}
