import Amalgam
import Foundation
import TestSupport
import Testing

@testable import AmalgamConcurrency
@testable import AmalgamCore

@Suite(.watchdog)
struct CancellationTests {
    /// The asynchronous methods.
    enum Access: String, CaseIterable, Sendable {
        case read, unsafeRead, write, writeWithoutTransaction, barrierWriteWithoutTransaction

        var writes: Bool { self != .read && self != .unsafeRead }

        func run<T: Sendable>(
            _ writer: any DatabaseWriter, _ body: @Sendable (Database) throws -> T
        ) async throws -> T {
            switch self {
            case .read: try await writer.read(body)
            case .unsafeRead: try await writer.unsafeRead(body)
            case .write: try await writer.write(body)
            case .writeWithoutTransaction: try await writer.writeWithoutTransaction(body)
            case .barrierWriteWithoutTransaction: try await writer.barrierWriteWithoutTransaction(body)
            }
        }
    }

    static let stores: [Store] = [.memoryQueue, .fileQueue, .pool, .erasedPool]

    /// A configuration whose pool has a single reader.
    private static var oneReader: Configuration {
        var configuration = Configuration.tested
        configuration.maximumReaderCount = 1
        return configuration
    }

    /// Expects that all kinds of accesses work after a cancellation.
    private func checkWorks(_ writer: any DatabaseWriter) async throws {
        let count = try await writer.read { try $0.playerCount() }
        try await writer.write { try $0.addPlayer() }
        try await writer.write { try $0.execute(sql: "DELETE FROM player WHERE id = (SELECT MAX(id) FROM player)") }
        #expect(try await writer.read { try $0.playerCount() } == count)
    }

    // MARK: The time of the cancellation

    @Test(arguments: stores, Access.allCases)
    func before(store: Store, access: Access) async throws {
        try await store.withWriter { writer in
            let hasRun = Box(false)
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await access.run(writer) { _ in hasRun.value = true }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(!hasRun.value)
            try await checkWorks(writer)
        }
    }

    @Test(arguments: stores, Access.allCases)
    func whileItWaits(store: Store, access: Access) async throws {
        try await store.withWriter(Self.oneReader) { writer in
            let goOn = try await takeConnections(of: writer)
            let hasRun = Box(false)
            let asking = Signal("asking")
            let task = Task {
                asking.fire()
                try await access.run(writer) { _ in hasRun.value = true }
            }
            try await asking.value()
            task.cancel()
            goOn.fire()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(!hasRun.value)
            try await checkWorks(writer)
        }
    }

    /// A cancelled access leaves the queue without waiting for the accesses before it.
    @Test(arguments: stores, Access.allCases)
    func atOnceWhileItWaits(store: Store, access: Access) async throws {
        try await store.withWriter(Self.oneReader) { writer in
            let goOn = try await takeConnections(of: writer)
            let tasks = (1...20).map { _ in
                Task { try await access.run(writer) { _ in _ = Issue.record("has run") } }
            }
            try await waitUntil("the tasks are in line") { waiting(writer) == tasks.count }
            for task in tasks { task.cancel() }
            for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
            #expect(waiting(writer) == 0)
            goOn.fire()
            try await checkWorks(writer)
        }
    }

    /// The accesses behind a cancelled one keep their order.
    @Test(arguments: stores, Access.allCases)
    func othersKeepTheirPlaces(store: Store, access: Access) async throws {
        try await store.withWriter(Self.oneReader) { writer in
            let goOn = try await takeConnections(of: writer)
            let log = Log<Int>()
            var tasks: [Task<Void, any Error>] = []
            for number in 1...30 {
                tasks.append(Task { try await access.run(writer) { _ in log.append(number) } })
                try await waitUntil("the task is in line") { waiting(writer) == number }
            }
            for number in 1...30 where number % 3 != 0 {
                tasks[number - 1].cancel()
                await #expect(throws: CancellationError.self) { try await tasks[number - 1].value }
            }
            #expect(waiting(writer) == 10)
            goOn.fire()
            for number in 1...30 where number % 3 == 0 { try await tasks[number - 1].value }
            #expect(log.elements == Array(stride(from: 3, through: 30, by: 3)))
            try await checkWorks(writer)
        }
    }

    /// A task that is cancelled before its request isn't enqueued.
    @Test(arguments: stores, Access.allCases)
    func atOnceBefore(store: Store, access: Access) async throws {
        try await store.withWriter(Self.oneReader) { writer in
            let goOn = try await takeConnections(of: writer)
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await access.run(writer) { _ in _ = Issue.record("has run") }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            goOn.fire()
            try await checkWorks(writer)
        }
    }

    /// If a cancellation competes with the turn of an access, one of them wins, and the connection is free afterwards.
    @Test(arguments: stores, Access.allCases)
    func whenItsTurnComes(store: Store, access: Access) async throws {
        try await store.withWriter(Self.oneReader) { writer in
            for _ in 1...100 {
                let goOn = try await takeConnections(of: writer)
                let tasks = (1...4).map { _ in Task { try await access.run(writer) { _ in } } }
                let canceller = Task.detached { for task in tasks { task.cancel() } }
                goOn.fire()
                for task in tasks {
                    if case .failure(let error) = await task.result { #expect(error is CancellationError) }
                }
                await canceller.value
                try await writer.read { _ in }
                try await writer.write { _ in }
            }
            try await waitUntil("all lines are empty") { waiting(writer) == 0 && running(writer) == 0 }
            try await checkWorks(writer)
        }
    }

    /// A cancelled barrier that waits for a read releases the writing connection.
    @Test func aBarrierThatWaitsForReads() async throws {
        let folder = Folder()
        let dbPool = try DatabasePool(path: folder.path("db.sqlite"), configuration: .tested)
        let (reading, goOn) = (Signal("reading"), Signal("goOn"))
        dbPool.asyncRead { _ in
            reading.fire()
            try? goOn.wait()
        }
        try await reading.value()
        let task = Task { try await dbPool.barrierWriteWithoutTransaction { _ in _ = Issue.record("has run") } }
        try await waitUntil("the barrier waits") { dbPool.readers.waiting.barriers == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        // Concurrently with the read, which still runs:
        try await dbPool.write { try $0.createPlayers() }
        #expect(try await dbPool.read { try $0.playerCount() } == 0)
        goOn.fire()
        try await dbPool.barrierWriteWithoutTransaction { try $0.addPlayer() }
    }

    /// Holds all connections until the signal fires.
    private func takeConnections(of writer: any DatabaseWriter) async throws -> Signal {
        let (goOn, writing, reading) = (Signal("goOn"), Signal("writing"), Signal("reading"))
        writer.asyncWriteWithoutTransaction { _ in
            writing.fire()
            try? goOn.wait()
        }
        try await writing.value()
        guard writer.unerased is DatabasePool else { return goOn }
        writer.asyncRead { _ in
            reading.fire()
            try? goOn.wait()
        }
        try await reading.value()
        return goOn
    }

    private func waiting(_ writer: any DatabaseWriter) -> Int { lines(of: writer).map(\.waiting).reduce(0, +) }

    private func running(_ writer: any DatabaseWriter) -> Int { lines(of: writer).map(\.running).reduce(0, +) }

    private func lines(of writer: any DatabaseWriter) -> [DatabaseMetrics.Accesses] {
        switch writer.unerased {
        case let dbPool as DatabasePool: [dbPool.metrics.readers, dbPool.metrics.writer]
        case let dbQueue as DatabaseQueue: [dbQueue.metrics.writer]
        default: []
        }
    }

    @Test(arguments: stores, Access.allCases)
    func whileAStatementRuns(store: Store, access: Access) async throws {
        try await store.withWriter { writer in
            let started = Signal("started")
            let task = Task {
                try await access.run(writer) { db in
                    if access == .write { try db.addPlayer() }
                    started.fire()
                    try db.runForever()
                }
            }
            try await started.value()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await writer.read { try $0.playerCount() } == 0)
            try await checkWorks(writer)
        }
    }

    /// A cancellation isn't lost if it comes between its last check and the beginning of a statement, when SQLite
    /// clears interruptions. The test extends this moment.
    @Test(arguments: stores, Access.allCases)
    func whenAStatementBegins(store: Store, access: Access) async throws {
        try await store.withWriter { writer in
            let (started, cancelled) = (Signal("started"), Signal("cancelled"))
            let task = Task {
                try await access.run(writer) { db in
                    let interrupter = db.access.interrupter
                    db.add(
                        function: DatabaseFunction("forget_interruption", argumentCount: 0) { _ in
                            started.fire()
                            try cancelled.wait()
                            interrupter.withoutInterruption {}
                            return 1
                        })
                    _ = try Int.fetchOne(
                        db,
                        sql: """
                            WITH RECURSIVE n(x) AS (SELECT forget_interruption() UNION ALL SELECT x + 1 FROM n)
                            SELECT COUNT(*) FROM n
                            """)
                }
            }
            try await started.value()
            task.cancel()
            cancelled.fire()
            await #expect(throws: CancellationError.self) { try await task.value }
            try await checkWorks(writer)
        }
    }

    @Test(arguments: stores, Access.allCases)
    func betweenStatements(store: Store, access: Access) async throws {
        try await store.withWriter { writer in
            let (started, cancelled) = (Signal("started"), Signal("cancelled"))
            let task = Task {
                try await access.run(writer) { db in
                    _ = try db.playerCount()
                    if access == .write { try db.addPlayer() }
                    started.fire()
                    try cancelled.wait()
                    #expect(throws: CancellationError.self) { try db.makeStatement(sql: "SELECT 1") }
                    #expect(throws: CancellationError.self) { try db.execute(sql: "COMMIT") }
                    _ = try db.playerCount()
                }
            }
            try await started.value()
            task.cancel()
            cancelled.fire()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await writer.read { try $0.playerCount() } == 0)
            try await checkWorks(writer)
        }
    }

    @Test(arguments: stores)
    func aSwallowedCancellationDoesNotCommit(store: Store) async throws {
        try await store.withWriter { writer in
            let (started, cancelled) = (Signal("started"), Signal("cancelled"))
            let task = Task {
                try await writer.write { db in
                    try db.addPlayer()
                    started.fire()
                    try cancelled.wait()
                    try? db.addPlayer()
                }
            }
            try await started.value()
            task.cancel()
            cancelled.fire()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await writer.read { try $0.playerCount() } == 0)
        }
    }

    @Test(arguments: stores)
    func errorsOfTheAccessComeFirst(store: Store) async throws {
        try await store.withWriter { writer in
            let (started, cancelled) = (Signal("started"), Signal("cancelled"))
            let task = Task {
                try await writer.write { db in
                    try db.addPlayer()
                    started.fire()
                    try cancelled.wait()
                    throw Oops()
                }
            }
            try await started.value()
            task.cancel()
            cancelled.fire()
            await #expect(throws: Oops()) { try await task.value }
            #expect(try await writer.read { try $0.playerCount() } == 0)
            try await checkWorks(writer)
        }
    }

    @Test(arguments: stores)
    func savepointsAreUndone(store: Store) async throws {
        try await store.withWriter { writer in
            let (started, cancelled) = (Signal("started"), Signal("cancelled"))
            let task = Task {
                try await writer.write { db in
                    try db.addPlayer()
                    try db.inSavepoint {
                        try db.addPlayer()
                        started.fire()
                        try cancelled.wait()
                        try db.addPlayer()
                        return .commit
                    }
                }
            }
            try await started.value()
            task.cancel()
            cancelled.fire()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await writer.read { try $0.playerCount() } == 0)
            try await checkWorks(writer)
        }
    }

    @Test(arguments: stores, Access.allCases)
    func after(store: Store, access: Access) async throws {
        try await store.withWriter { writer in
            for _ in 0..<20 {
                let task = Task { try await access.run(writer) { try $0.playerCount() } }
                #expect(try await task.value == 0)
                task.cancel()
                try await checkWorks(writer)
            }
        }
    }

    /// A cancelled read that already has its value returns it: there is nothing to undo.
    @Test(arguments: stores)
    func aReadThatHasItsValueReturnsIt(store: Store) async throws {
        try await store.withWriter { writer in
            let task = Task {
                try await writer.read { db in
                    let count = try db.playerCount()
                    withUnsafeCurrentTask { $0?.cancel() }
                    return count
                }
            }
            #expect(try await task.value == 0)
            try await checkWorks(writer)
        }
    }

    @Test(arguments: stores)
    func aTaskMayCancelItselfInsideTheAccess(store: Store) async throws {
        try await store.withWriter { writer in
            let task = Box<Task<Void, any Error>?>(nil)
            let isSet = Signal("task is set")
            task.value = Task {
                try await writer.write { db in
                    try isSet.wait()
                    try db.addPlayer()
                    task.value?.cancel()
                    try db.addPlayer()
                }
            }
            isSet.fire()
            await #expect(throws: CancellationError.self) { try await task.value?.value }
            let count = try await writer.read { try $0.playerCount() }
            #expect(count == 0)
        }
    }

    // MARK: Random moments

    @Test(arguments: stores)
    func theNextAccessIsSpared(store: Store) async throws {
        try await store.withWriter { writer in
            var random = SystemRandomNumberGenerator()
            var completed = 0
            for id in 1...300 {
                let access = Access.allCases.filter(\.writes).randomElement(using: &random)!
                let task = Task {
                    try await access.run(writer) { db in
                        try db.execute(sql: "INSERT INTO player (id, name) VALUES (?, 'Anna')", arguments: [id])
                        _ = try Row.fetchAll(db, sql: "SELECT * FROM player")
                    }
                }
                let delay = UInt64.random(in: 0...300, using: &random)
                let canceller = Task.detached {
                    try? await Task.sleep(nanoseconds: delay * 1000)
                    task.cancel()
                }
                var isDone = false
                do {
                    try await task.value
                    isDone = true
                } catch is CancellationError {
                } catch {
                    Issue.record(error)
                }
                // An ordinary access, which a late cancellation must not affect.
                let isThere = try await writer.read { db in
                    try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM player WHERE id = ?)", arguments: [id])!
                }
                if access == .write {
                    #expect(isThere == isDone)
                } else if isDone {
                    #expect(isThere)
                }
                if isDone { completed += 1 }
                await canceller.value
            }
            try await checkWorks(writer)
        }
    }

    // MARK: Observers

    final class Observer: TransactionObserver {
        let log: Log<String>
        let onEnd: @Sendable () -> Void

        init(_ log: Log<String>, onEnd: @escaping @Sendable () -> Void) {
            self.log = log
            self.onEnd = onEnd
        }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) {}

        func databaseDidCommit(_ db: Database) {
            onEnd()
            log.append("commit \(Result { try db.playerCount() })")
        }

        func databaseDidRollback(_ db: Database) {
            onEnd()
            log.append("rollback \(Result { try db.playerCount() })")
        }
    }

    @Test(arguments: stores)
    func aCommittedWriteSucceedsAndItsObserversWork(store: Store) async throws {
        try await store.withWriter { writer in
            let log = Log<String>()
            let task = Box<Task<Void, any Error>?>(nil)
            let isSet = Signal("task is set")
            let observer = Observer(log) { task.value?.cancel() }
            writer.add(transactionObserver: observer)
            task.value = Task {
                try await writer.write { db in
                    try isSet.wait()
                    try db.addPlayer()
                }
            }
            isSet.fire()
            try await task.value?.value
            #expect(log.elements == ["commit success(1)"])
            #expect(try await writer.read { try $0.playerCount() } == 1)
        }
    }

    @Test(arguments: stores)
    func observersOfARollbackWork(store: Store) async throws {
        try await store.withWriter { writer in
            let log = Log<String>()
            let (started, cancelled) = (Signal("started"), Signal("cancelled"))
            let observer = Observer(log) {}
            writer.add(transactionObserver: observer)
            let task = Task {
                try await writer.write { db in
                    try db.addPlayer()
                    started.fire()
                    try cancelled.wait()
                    try db.addPlayer()
                }
            }
            try await started.value()
            task.cancel()
            cancelled.fire()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(log.elements == ["rollback success(0)"])
        }
    }

    // MARK: Locks

    @Test func waitingForALockIsCancelled() async throws {
        let folder = Folder()
        let first = try DatabaseQueue(path: folder.path("db.sqlite"), configuration: .tested)
        try await first.write { try $0.createPlayers() }
        let second = try DatabaseQueue(
            path: folder.path("db.sqlite"), configuration: .tested { $0.busyMode = .timeout(600) })
        try await first.writeWithoutTransaction { db in
            try db.inTransaction(.immediate) {
                let started = Signal("started")
                let task = Task {
                    started.fire()
                    try await second.write { try $0.addPlayer() }
                }
                let (error, ended) = (Box<(any Error)?>(nil), Signal("ended"))
                Task {
                    do {
                        try await task.value
                    } catch let taskError {
                        error.value = taskError
                    }
                    ended.fire()
                }
                try started.wait()
                Signal.giveOthersAChance()
                task.cancel()
                try ended.wait()
                #expect(error.value is CancellationError, "\(String(describing: error.value))")
                return .rollback
            }
        }
    }

    // MARK: Tasks

    @TaskLocal static var local = "nothing"

    @Test(arguments: stores, Access.allCases)
    func taskLocalValuesAreVisible(store: Store, access: Access) async throws {
        try await store.withWriter { writer in
            try await Self.$local.withValue("something") {
                let value = try await access.run(writer) { _ in Self.local }
                #expect(value == "something")
            }
        }
    }

    @Test(arguments: stores, Access.allCases)
    func theCodeAfterAnAccessIsOutsideOfIt(store: Store, access: Access) async throws {
        try await store.withWriter { writer in
            // On the queue of the connection, these accesses would deadlock.
            for _ in 1...10 {
                let count = try await access.run(writer) { try $0.playerCount() }
                #expect(try syncRead(writer) == count)
                try syncWrite(writer)
                #expect(try await access.run(writer) { try $0.playerCount() } == count + 1)
            }
        }
    }

    @Test(arguments: stores, Access.allCases)
    func accessesFromAnActor(store: Store, access: Access) async throws {
        try await store.withWriter { writer in
            let (count, later) = try await countTwice(writer, access)
            #expect(count == later)
        }
    }

    @MainActor
    private func countTwice(_ writer: any DatabaseWriter, _ access: Access) async throws -> (Int, Int) {
        let count = try await access.run(writer) { try $0.playerCount() }
        MainActor.assertIsolated()
        return (count, try syncRead(writer))
    }

    @Test(arguments: stores, Access.allCases)
    func tasksOfATaskGroup(store: Store, access: Access) async throws {
        try await store.withWriter { writer in
            let total = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 1...50 {
                    group.addTask { try await access.run(writer) { _ in number } }
                }
                return try await group.reduce(0, +)
            }
            #expect(total == 1275)
        }
    }

    @Test(arguments: stores, Access.allCases)
    func thePriorityOfTheTask(store: Store, access: Access) async throws {
        try await store.withWriter { writer in
            let priority = try await Task(priority: .low) {
                try await access.run(writer) { _ in Task.currentPriority }
            }.value
            #expect(priority >= .low)
        }
    }

    @Test(arguments: stores, Access.allCases)
    func aTaskThatIsCancelledInsideItsAccessIsKnownThere(store: Store, access: Access) async throws {
        try await store.withWriter { writer in
            let (started, goOn, isCancelled) = (Signal("started"), Signal("goOn"), Box(false))
            let task = Task {
                try await access.run(writer) { _ in
                    started.fire()
                    try goOn.wait()
                    isCancelled.value = Task.isCancelled
                }
            }
            try await started.value()
            task.cancel()
            goOn.fire()
            // The transaction isn't committed.
            _ = await task.result
            #expect(isCancelled.value)
        }
    }

    private nonisolated func syncRead(_ writer: any DatabaseWriter) throws -> Int {
        try writer.read { try $0.playerCount() }
    }
    private func syncWrite(_ writer: any DatabaseWriter) throws { try writer.write { try $0.addPlayer() } }

    /// An access that never begins releases its cancellation handler.
    @Test func anAccessThatNeverBeginsRetainsNothing() async throws {
        final class Probe: Sendable {
            weak let readers: ReaderPool?
            init(_ pool: DatabasePool) { readers = pool.readers }
        }
        var probe: Probe?
        try await withPool { pool, _ in
            try pool.close()
            await #expect(throws: DatabaseError.self) { try await pool.read { _ in } }
            probe = Probe(pool)
        }
        // The thread of the access may not have left it yet.
        try await waitUntil("the release of the readers") { [probe] in probe!.readers == nil }
    }

    // MARK: The state machine

    @Test func aCancellationServesOneAccess() throws {
        let queue = try DatabaseQueue()
        try queue.inDatabase { db in
            let early = AccessCancellation()
            early.cancel()
            #expect(throws: CancellationError.self) { try early.run(db) { _ in _ = Issue.record("has run") } }
            #expect(!db.access.interrupter.isCancelled)

            let during = AccessCancellation()
            #expect(throws: CancellationError.self) {
                try during.run(db) { db in
                    during.cancel()
                    during.cancel()
                    #expect(db.access.interrupter.isCancelled)
                    try db.execute(sql: "SELECT 1")
                }
            }
            #expect(!db.access.interrupter.isCancelled)

            let late = AccessCancellation()
            try late.run(db) { try $0.execute(sql: "SELECT 1") }
            late.cancel()
            try db.execute(sql: "SELECT 1")
        }
    }
}
