import Amalgam
import Foundation
import TestSupport
import Testing

/// Misuse that ends the process, and bugs that would: each test runs in a separate process.
@Suite(.watchdog, .serialized)
struct MisuseTests {
    // MARK: Traps

    @Test func writesWithoutTransactionAreNotReentrant() async {
        expectText(
            "Database methods are not reentrant.",
            of: await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let queue = try DatabaseQueue()
                queue.inDatabase { _ in queue.inDatabase { _ in } }
            })
        expectText(
            "Database methods are not reentrant.",
            of: await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let pool = try DatabasePool(path: temporaryPath())
                pool.writeWithoutTransaction { _ in pool.writeWithoutTransaction { _ in } }
            })
    }

    @Test func transactionsMustNotOutliveTheirAccess() async {
        expectText(
            "A transaction has been left opened at the end of a database access",
            of: await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let queue = try DatabaseQueue()
                try queue.inDatabase { try $0.beginTransaction() }
            })
        expectText(
            "A transaction has been left opened at the end of a database access",
            of: await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let pool = try DatabasePool(path: temporaryPath())
                try pool.writeWithoutTransaction { try $0.beginTransaction() }
            })
    }

    /// If an access can throw, an open transaction is rolled back, and the access throws.
    @Test func transactionsLeftOpenInAccessesThatThrow() async throws {
        let queue = try DatabaseQueue()
        let folder = Folder()
        let pool = try DatabasePool(path: folder.path("db.sqlite"))
        // The synchronous method of a queue can't throw by itself: it traps.
        let error = try databaseError(.SQLITE_MISUSE) { try pool.unsafeRead { try $0.beginTransaction() } }
        #expect(error.message == "A transaction has been left opened at the end of a database access")
        let readers: [any DatabaseReader] = [queue, pool]
        for reader in readers {
            let thrown = await #expect(throws: DatabaseError.self) {
                try await reader.unsafeRead { try $0.beginTransaction() }
            }
            #expect(thrown?.message == "A transaction has been left opened at the end of a database access")
            let isInside = try await reader.unsafeRead { $0.isInsideTransaction }
            #expect(!isInside)
        }
    }

    @Test("an observer that always begins a transaction doesn't stop later accesses", arguments: Store.allCases)
    func observersThatBeginTransactions(store: Store) throws {
        try store.withWriter { writer in
            let observer = RestlessObserver()
            writer.add(transactionObserver: observer)
            #expect(throws: Oops()) {
                try writer.write { db in
                    try db.addPlayer()
                    throw Oops()
                }
            }
            #expect(observer.beginCount == 2)
            #expect(observer.error?.resultCode == .SQLITE_MISUSE)
            for _ in 1...3 {
                #expect(try writer.write { try $0.playerCount() } == 0)
                #expect(try writer.read { try $0.playerCount() } == 0)
            }
            observer.isRestless = false
            try writer.write { try $0.addPlayer() }
            #expect(try writer.read { try $0.playerCount() } == 1)
        }
    }

    @Test(
        "an asynchronous write fails if an observer leaves a transaction open", arguments: Store.allCases,
        [true, false])
    func asynchronousWrites(store: Store, isRolledBack: Bool) throws {
        try store.withWriter { writer in
            let observer = BeginningObserver()
            writer.add(transactionObserver: observer)
            let (ended, results) = (Signal("end of the write"), Log<Result<Int, any Error>>())
            writer.asyncWrite { db in
                try db.addPlayer()
                if isRolledBack { throw Oops() }
                return 1
            } completion: { db, result in
                #expect(!db.isInsideTransaction)
                results.append(result)
                ended.fire()
            }
            try ended.wait()
            let error = #expect(throws: (any Error).self) { try results.elements[0].get() }
            #expect(isRolledBack ? error is Oops : (error as? DatabaseError)?.resultCode == .SQLITE_MISUSE)
            writer.remove(transactionObserver: observer)
            #expect(try writer.write { try $0.playerCount() } == (isRolledBack ? 0 : 1))
        }
    }

    @Test func concurrentReadsAreAskedForOutsideOfTransactions() async {
        expectText(
            "asyncConcurrentRead must be called from a write access",
            of: await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let pool = try DatabasePool(path: temporaryPath())
                pool.asyncConcurrentRead { _ in }
            })
        expectText(
            "must not be called from inside a transaction.",
            of: await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let pool = try DatabasePool(path: temporaryPath())
                try pool.write { _ in pool.asyncConcurrentRead { _ in } }
            })
        expectText(
            "must not be called from inside a transaction.",
            of: await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let queue = try DatabaseQueue()
                try queue.write { _ in queue.spawnConcurrentRead { _ in } }
            })
    }

    @Test(arguments: [0, -1, .min])
    func aPoolHasAReader(count: Int) throws {
        let folder = Folder()
        let error = try databaseError(.SQLITE_MISUSE) {
            try DatabasePool(path: folder.path("db.sqlite"), configuration: .readers(count))
        }
        #expect(error.message == "configuration.maximumReaderCount must be at least 1")
        #expect(folder.size("db.sqlite") == nil)
    }

    // MARK: The error log

    @Test func unfinalizedStatementsAreLogged() async {
        await #expect(processExitsWith: .success) {
            // SQLite requires this to be set before the first connection.
            let log = Log<String>()
            Database.logError = { _, message in log.append(message) }
            let folder = Folder()
            let pool = try DatabasePool(path: folder.path("db.sqlite"))
            try pool.writeWithoutTransaction { db in
                let statement = try db.makeStatement(sql: "SELECT * FROM sqlite_master")
                #expect(throws: DatabaseError.self) { try pool.close() }
                withExtendedLifetime(statement) {}
            }
            #expect(log.take().contains { $0.contains("unfinalized statement: SELECT * FROM sqlite_master") })
            let statement = try pool.read { try $0.makeStatement(sql: "SELECT 1") }
            #expect(throws: DatabaseError.self) { try pool.close() }
            #expect(log.take().contains { $0.contains("unfinalized statement") })
            withExtendedLifetime(statement) {}
        }
    }

    // MARK: Calls that neither trap nor block

    @Test func aWriteInsideAWriteThrows() async {
        await #expect(processExitsWith: .success) {
            let queue = try DatabaseQueue()
            try queue.write { _ in _ = try databaseError(.SQLITE_MISUSE) { try queue.write { _ in } } }
        }
    }

    @Test func anInterruptedReadWithALiveCursorEnds() async {
        await #expect(processExitsWith: .success) {
            let queue = try DatabaseQueue()
            try queue.write { db in
                try db.createPlayers()
                for _ in 0..<10 { try db.addPlayer() }
            }
            var kept: RowCursor?
            try databaseError(.SQLITE_INTERRUPT) {
                try queue.read { db in
                    kept = try Row.fetchCursor(db, sql: "SELECT * FROM player")
                    _ = try kept?.next()
                    queue.interrupt()
                    _ = try db.playerCount()
                }
            }
            withExtendedLifetime(kept) {}
            kept = nil
            #expect(try queue.read { try $0.playerCount() } == 10)
        }
    }

    @Test func aCancelledReadWithALiveCursorEnds() async {
        await #expect(processExitsWith: .success) {
            let queue = try DatabaseQueue()
            try await queue.write { db in
                try db.createPlayers()
                for _ in 0..<10 { try db.addPlayer() }
            }
            let (started, cancelled) = (Signal(), Signal())
            let task = Task {
                try await queue.read { db in
                    let kept = try Row.fetchCursor(db, sql: "SELECT * FROM player")
                    _ = try kept.next()
                    db.keep(kept)
                    started.fire()
                    try cancelled.wait()
                    _ = try db.playerCount()
                }
            }
            try await started.value()
            task.cancel()
            cancelled.fire()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test func aCancelledTransactionMadeByHandIsRolledBack() async {
        await #expect(processExitsWith: .success) {
            let queue = try DatabaseQueue()
            try await queue.write { try $0.createPlayers() }
            let (started, cancelled) = (Signal(), Signal())
            let task = Task {
                try await queue.writeWithoutTransaction { db in
                    try db.beginTransaction()
                    try db.addPlayer()
                    started.fire()
                    try cancelled.wait()
                    try db.commit()
                }
            }
            try await started.value()
            task.cancel()
            cancelled.fire()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await queue.read { try $0.playerCount() } == 0)
        }
    }

    @Test func aRollbackSurvivesACancellationAtAnyMoment() async {
        await #expect(processExitsWith: .success) {
            let queue = try DatabaseQueue()
            try await queue.write { try $0.createPlayers() }
            let end = ContinuousClock.now + .seconds(5)
            while ContinuousClock.now < end {
                let started = Box(false)
                let task = Task {
                    try await queue.write { db in
                        try db.addPlayer()
                        started.value = true
                        throw Oops()
                    }
                }
                while !started.value {}
                for _ in 0..<Int.random(in: 0...200) { _ = started.value }
                task.cancel()
                _ = await task.result
            }
        }
    }

    #if os(Linux)
    @Test func manyScheduledReadsNeedFewThreads() async {
        await #expect(processExitsWith: .success) {
            @Sendable func threadCount() -> Int {
                (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
            }
            let pool = try DatabasePool(path: temporaryPath())
            try pool.write { try $0.createPlayers() }
            let (reads, most) = (Box(0), Box(0))
            let done = Signal("all reads")
            let one: @Sendable (Result<Database, any Error>) -> Void = { result in
                #expect((try? result.get().playerCount()) == 0)
                let count = reads.increment()
                if count.isMultiple(of: 100) { most.raise(to: threadCount()) }
                if count == 20_000 { done.fire() }
            }
            for _ in 0..<10_000 {
                pool.asyncRead(one)
                pool.asyncUnsafeRead(one)
            }
            try done.wait()
            #expect(most.value < 50)
        }
    }
    #endif

    @Test func scheduledReadsRunAfterThePoolIsReleased() async {
        await #expect(processExitsWith: .success) {
            try endingDeadlocks {
                let (goOn, done) = (Signal(), Signal())
                let counts = Log<Int>()
                var pool: DatabasePool? = try DatabasePool(
                    path: temporaryPath(), configuration: .readers(1))
                try pool!.write { try $0.createPlayers() }
                pool!.asyncRead { _ in try? goOn.wait() }
                for _ in 0..<10 {
                    pool!.asyncRead { result in
                        counts.append((try? result.get().playerCount()) ?? -1)
                        if counts.count == 10 { done.fire() }
                    }
                }
                let releaser = Worker {
                    Signal.giveOthersAChance(); goOn.fire()
                }
                pool = nil
                try releaser.join()
                try done.wait()
                #expect(counts.elements == Array(repeating: 0, count: 10))
            }
        }
    }

    @Test func aPoolMayBeReleasedInsideARead() async {
        await #expect(processExitsWith: .success) {
            try endingDeadlocks {
                let done = Signal()
                let holder = Box<DatabasePool?>(try DatabasePool(path: temporaryPath()))
                holder.value!.asyncRead { _ in
                    holder.value = nil
                    done.fire()
                }
                try done.wait()
            }
        }
    }

    @Test func aSnapshotPoolMayBeReleasedInsideARead() async {
        await #expect(processExitsWith: .success) {
            try endingDeadlocks {
                let done = Signal()
                let pool = try DatabasePool(path: temporaryPath())
                let holder = Box<DatabaseSnapshotPool?>(try pool.makeSnapshotPool())
                holder.value!.asyncRead { _ in
                    holder.value = nil
                    done.fire()
                }
                try done.wait()
            }
        }
    }

    @Test func aReadInsideABarrierEnds() async {
        await #expect(processExitsWith: .success) {
            try endingDeadlocks {
                let pool = try DatabasePool(path: temporaryPath())
                try pool.barrierWriteWithoutTransaction { db in
                    try db.createPlayers()
                    // Either a result or an error.
                    _ = try? pool.read { try $0.playerCount() }
                }
                try pool.barrierWriteWithoutTransaction { db in
                    pool.asyncConcurrentRead { _ = try? $0.get().playerCount() }
                }
                #expect(try pool.read { try $0.playerCount() } == 0)
            }
        }
    }

    @Test func aReadAfterABarrierInsideABarrierEnds() async {
        await #expect(processExitsWith: .success) {
            try endingDeadlocks {
                let pool = try DatabasePool(path: temporaryPath())
                try pool.write { try $0.createPlayers() }
                try pool.barrierWriteWithoutTransaction { _ in
                    pool.releaseMemory()
                    let count = try pool.read { try $0.playerCount() }
                    #expect(count == 0)
                }
            }
        }
    }

    @Test(arguments: 0..<4)
    func anyTimeoutIsAccepted(index: Int) async {
        await #expect(processExitsWith: .success) { [index] in
            let seconds = [Double.infinity, .greatestFiniteMagnitude, .nan, -1][index]
            let folder = Folder()
            let first = try DatabaseQueue(path: folder.path("db.sqlite"))
            try first.write { try $0.createPlayers() }
            let second = try DatabaseQueue(
                path: folder.path("db.sqlite"), configuration: .tested { $0.busyMode = .timeout(seconds) })
            let (locked, goOn) = (Signal(), Signal())
            let holder = Worker {
                try first.inTransaction { _ in
                    locked.fire()
                    try goOn.wait()
                    return .commit
                }
            }
            try locked.wait()
            let releaser = Worker {
                Signal.giveOthersAChance()
                goOn.fire()
            }
            if seconds > 0 {
                try second.write { try $0.addPlayer() }
            } else {
                try databaseError(.SQLITE_BUSY) { try second.write { try $0.addPlayer() } }
            }
            try releaser.join()
            try holder.join()
        }
    }

    @Test func closingInsideAReadThrows() async {
        await #expect(processExitsWith: .success) {
            try endingDeadlocks {
                let pool = try DatabasePool(path: temporaryPath())
                let snapshot = try pool.makeSnapshotPool()
                try snapshot.read { _ in _ = try databaseError(.SQLITE_MISUSE) { try snapshot.close() } }
                try pool.read { _ in _ = try databaseError(.SQLITE_MISUSE) { try pool.close() } }
                try pool.close()
            }
        }
    }

    @Test(arguments: Store.allCases)
    func aScheduledReadIsToldOnce(store: Store) async throws {
        try await store.withWriter { writer in
            let calls = Box(0)
            writer.asyncRead { result in
                calls.increment()
                try? result.get().execute(sql: "ROLLBACK")
            }
            // Afterwards, on the connections that it may use.
            try await writer.barrierWriteWithoutTransaction { _ in }
            #expect(calls.value == 1)
        }
    }

    @Test func aTransactionLeftOpenOnAReaderEnds() throws {
        try withPool(.readers(1)) { pool, _ in
            let error = try databaseError(.SQLITE_MISUSE) { try pool.unsafeRead { try $0.beginTransaction() } }
            #expect(error.message == "A transaction has been left opened at the end of a database access")
            let count = try pool.read { try $0.playerCount() }
            #expect(count == 0)
            pool.invalidateReadOnlyConnections()
        }
    }
}

/// Begins a transaction when one has ended.
private final class BeginningObserver: TransactionObserver {
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) { try? db.beginTransaction() }
    func databaseDidRollback(_ db: Database) { try? db.beginTransaction() }
}

/// Begins a transaction whenever one is rolled back.
private final class RestlessObserver: TransactionObserver {
    var isRestless = true
    var beginCount = 0
    var error: DatabaseError?

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) {}

    func databaseDidRollback(_ db: Database) {
        guard isRestless else { return }
        do {
            try db.beginTransaction()
            try db.addPlayer()
            beginCount += 1
        } catch {
            self.error = error as? DatabaseError
        }
    }
}

extension Database {
    nonisolated(unsafe) private static var kept: RowCursor?

    /// Retains a cursor until the end of the process.
    fileprivate func keep(_ cursor: RowCursor) {
        Self.kept = cursor
    }
}
