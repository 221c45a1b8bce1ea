import Amalgam
import AmalgamCore
import Dispatch
import Foundation
import TestSupport
import Testing

@testable import AmalgamConcurrency

/// Tasks that prefer the executor of a database access it without changing threads.
@Suite(.watchdog)
struct AccessExecutorTests {
    private typealias Access = CancellationTests.Access

    /// Returns the threads before, in and after an access of the current task.
    private func threads(
        _ access: (@Sendable (Database) throws -> ThreadID) async throws -> ThreadID
    ) async throws -> [ThreadID] {
        let before = ThreadID.current
        let inside = try await access { _ in ThreadID.current }
        return [before, inside, ThreadID.current]
    }

    private func expectOneThread(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ access: (@Sendable (Database) throws -> ThreadID) async throws -> ThreadID
    ) async throws {
        let threads = try await threads(access)
        #expect(threads == [threads[0], threads[0], threads[0]], sourceLocation: sourceLocation)
        #expect(AccessExecutor.ownsCurrentThread, sourceLocation: sourceLocation)
    }

    // MARK: Where accesses run

    @Test(arguments: Store.allCases)
    func accessesStayOnTheThreadOfTheTask(store: Store) async throws {
        try await store.withWriter { writer in
            try await withTaskExecutorPreference(writer.taskExecutor) {
                try await expectOneThread { try await writer.read($0) }
                try await expectOneThread { try await writer.unsafeRead($0) }
                try await expectOneThread { try await writer.write($0) }
                try await expectOneThread { try await writer.writeWithoutTransaction($0) }
                // Accesses have their usual effect.
                try await writer.write { try $0.addPlayer() }
                #expect(try await writer.read { try $0.playerCount() } == 1)
                await #expect(throws: DatabaseError.self) { try await writer.read { try $0.addPlayer() } }
                await #expect(throws: Oops(number: 1)) {
                    try await writer.write { db in
                        try db.addPlayer()
                        throw Oops(number: 1)
                    }
                }
                #expect(try await writer.read { try $0.playerCount() } == 1)
            }
            #expect(!AccessExecutor.ownsCurrentThread)
        }
    }

    @Test func snapshotsAndVersions() async throws {
        try await withPool { pool, _ in
            let (snapshot, snapshotPool) = try (pool.makeSnapshot(), pool.makeSnapshotPool())
            let version = try await pool.currentVersion()
            let erased = AnyDatabaseReader(snapshotPool)
            for executor in [snapshot.taskExecutor, snapshotPool.taskExecutor, erased.taskExecutor] {
                try await withTaskExecutorPreference(executor) {
                    // One executor serves all connections of a database.
                    try await expectOneThread { try await snapshot.read($0) }
                    try await expectOneThread { try await snapshotPool.read($0) }
                    try await expectOneThread { try await erased.unsafeRead($0) }
                    try await expectOneThread { try await pool.read(at: version, $0) }
                    try await expectOneThread { try await pool.write($0) }
                }
            }
        }
    }

    private actor Reader {
        func read(_ pool: DatabasePool) async throws -> Int { try await pool.read { try $0.playerCount() } }
    }

    @Test func childTasksPreferTheSameThreads() async throws {
        try await withPool(.readers(2)) { pool, _ in
            try await withTaskExecutorPreference(pool.taskExecutor) {
                async let first = pool.read { _ in AccessExecutor.ownsCurrentThread }
                #expect(try await first)
                let counts = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 1...100 { group.addTask { try await pool.read { try $0.playerCount() } } }
                    for _ in 1...100 { group.addTask { try await Reader().read(pool) } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(counts == Array(repeating: 0, count: 200))
            }
            let task = Task(executorPreference: pool.taskExecutor) {
                try await pool.write { _ in AccessExecutor.ownsCurrentThread }
            }
            #expect(try await task.value)
        }
    }

    /// Accesses never block the threads of the global executor.
    @Test(arguments: Store.allCases)
    func otherTasksLeaveTheirThread(store: Store) async throws {
        try await store.withWriter { writer in
            for access in Access.allCases {
                let isHere = try await access.run(writer) { _ in AccessExecutor.ownsCurrentThread }
                #expect(!isHere)
            }
        }
    }

    /// A barrier waits for reads, which a thread of the executor must not do.
    @Test func barriersRunElsewhere() async throws {
        try await withPool { pool, _ in
            try await withTaskExecutorPreference(pool.taskExecutor) {
                let isHere = try await pool.barrierWriteWithoutTransaction { db in
                    try db.addPlayer()
                    return AccessExecutor.ownsCurrentThread
                }
                #expect(!isHere)
                #expect(try await pool.read { try $0.playerCount() } == 1)
            }
        }
    }

    @Test(arguments: [Store.fileQueue, .pool])
    func aTargetQueueIsRespected(store: Store) async throws {
        let key = DispatchSpecificKey<String>()
        let target = DispatchQueue(label: "target", attributes: store == .pool ? .concurrent : [])
        target.setSpecific(key: key, value: "target")
        try await store.withWriter(.tested { $0.targetQueue = target }) { writer in
            try await withTaskExecutorPreference(writer.taskExecutor) {
                for access in Access.allCases {
                    let name = try await access.run(writer) { _ in DispatchQueue.getSpecific(key: key) }
                    #expect(name == "target")
                }
            }
        }
    }

    @Test(arguments: Store.allCases)
    func closedDatabases(store: Store) async throws {
        try await store.withWriter { writer in
            try writer.close()
            await withTaskExecutorPreference(writer.taskExecutor) {
                for access in Access.allCases {
                    await #expect(throws: DatabaseError.self) {
                        try await access.run(writer) { db in _ = try db.playerCount() }
                    }
                }
            }
        }
    }

    // MARK: When no connection is free

    // Nothing below needs a thread of the global executor, which other tests may block.

    /// A task that prefers an executor. A thread may wait for its end.
    private final class PreferringTask<T: Sendable>: Sendable {
        private let end = Signal("end of task")
        private let result = Box<Result<T, any Error>?>(nil)

        init(
            _ executor: any TaskExecutor, priority: TaskPriority? = nil,
            _ body: @escaping @Sendable () async throws -> T
        ) {
            Task(executorPreference: executor, priority: priority) { [self] in
                do {
                    result.value = .success(try await body())
                } catch {
                    result.value = .failure(error)
                }
                end.fire()
            }
        }

        func value() throws -> T {
            try end.wait()
            return try result.value!.get()
        }
    }

    /// Reads that hold connections until `end()`.
    private final class LongReads {
        private let goOn = Signal("goOn")
        private var threads: [Worker] = []

        init(_ count: Int, of pool: DatabasePool) throws {
            for _ in 0..<count {
                let reads = Signal("reads")
                threads.append(
                    Worker { [goOn] in
                        try pool.read { _ in
                            reads.fire()
                            try goOn.wait()
                        }
                    })
                try reads.wait()
            }
        }

        func end() throws {
            goOn.fire()
            for thread in threads { try thread.join() }
        }
    }

    /// Blocks all threads of an executor until a signal fires.
    private func blocking(_ executor: any TaskExecutor, _ count: Int, until signal: Signal) throws -> [PreferringTask<
        Void
    >] {
        let blockedCount = Box(0)
        let tasks = (0..<count).map { _ in
            PreferringTask(executor) {
                blockedCount.increment()
                try signal.wait()
            }
        }
        try eventually("all threads are blocked") { blockedCount.value == count }
        return tasks
    }

    /// The number of threads of an executor.
    private func threadCount(accessCount: Int) -> Int { max(accessCount, ProcessInfo.processInfo.activeProcessorCount) }

    /// Tasks that wait for a reader don't block threads of the executor, which run other tasks.
    @Test func tasksThatWaitTakeNoThread() throws {
        try withPool(.readers(2)) { pool, _ in
            let longReads = try LongReads(2, of: pool)
            let executor = pool.taskExecutor
            let reads = (1...50).map { _ in
                PreferringTask(executor) { try await pool.read { try $0.playerCount() } }
            }
            try eventually("line") { pool.metrics.readers.waiting == 50 }
            // These run on the same threads.
            #expect(try PreferringTask(executor) { AccessExecutor.ownsCurrentThread }.value())
            try PreferringTask(executor) { try await pool.write { try $0.addPlayer() } }.value()
            try longReads.end()
            for read in reads { #expect(try read.value() == 1) }
        }
    }

    /// A waiting read completes while all threads of the executor are blocked until it ends.
    @Test func aReadThatWaitedNeedsNoThreadOfTheExecutor() throws {
        try withPool(.readers(1)) { pool, _ in
            let longRead = try LongReads(1, of: pool)
            let (executor, isRead) = (pool.taskExecutor, Signal("isRead"))
            let read = PreferringTask(executor) {
                try await pool.read { _ in
                    isRead.fire()
                    return AccessExecutor.ownsCurrentThread
                }
            }
            try eventually("line") { pool.metrics.readers.waiting == 1 }
            let others = try blocking(executor, threadCount(accessCount: 2), until: isRead)
            try longRead.end()
            #expect(try read.value() == false)
            for other in others { try other.value() }
        }
    }

    /// A waiting write completes while all threads of the executor are blocked until it ends.
    @Test(arguments: [Store.fileQueue, .walQueue, .pool])
    func aWriteThatWaitedNeedsNoThreadOfTheExecutor(store: Store) throws {
        try store.withWriter { writer in
            let (goOn, writes, hasWritten) = (Signal("goOn"), Signal("writes"), Signal("hasWritten"))
            let order = Log<Int>()
            writer.asyncWriteWithoutTransaction { _ in
                writes.fire()
                try? goOn.wait()
                order.append(1)
            }
            try writes.wait()
            writer.asyncWriteWithoutTransaction { _ in order.append(2) }
            let executor = writer.taskExecutor
            let write = PreferringTask(executor) {
                try await writer.write { _ in
                    order.append(3)
                    hasWritten.fire()
                }
            }
            let waiting = {
                (writer as? DatabasePool)?.metrics.writer.waiting ?? (writer as? DatabaseQueue)?.metrics.writer.waiting
            }
            try eventually("line") { waiting() == 2 }
            let others = try blocking(executor, threadCount(accessCount: store == .pool ? 6 : 1), until: hasWritten)
            goOn.fire()
            try write.value()
            for other in others { try other.value() }
            // In the order of the requests.
            #expect(order.elements == [1, 2, 3])
        }
    }

    @Test func aBarrierLetsNobodyIn() throws {
        try withPool { pool, _ in
            let (goOn, isAlone) = (Signal("goOn"), Signal("isAlone"))
            let order = Log<String>()
            pool.asyncBarrierWriteWithoutTransaction { _ in
                isAlone.fire()
                try? goOn.wait()
                order.append("barrier")
            }
            try isAlone.wait()
            let read = PreferringTask(pool.taskExecutor) { try await pool.read { _ in order.append("read") } }
            try eventually("line") { pool.metrics.readers.waiting == 1 }
            goOn.fire()
            try read.value()
            #expect(order.elements == ["barrier", "read"])
        }
    }

    // MARK: Cancellation

    @Test(arguments: [Store.memoryQueue, .fileQueue, .pool], CancellationTests.Access.allCases)
    func cancellation(store: Store, access: CancellationTests.Access) async throws {
        try await store.withWriter { writer in
            let runs = Signal("runs")
            let task = Task(executorPreference: writer.taskExecutor) {
                try await access.run(writer) { db in
                    if access.writes { try db.addPlayer() }
                    runs.fire()
                    try db.runForever()
                }
            }
            try await runs.value()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            // Outside of a transaction, the change of a completed statement stays.
            let isUndone = access == .write || !access.writes
            #expect(try await writer.read { try $0.playerCount() } == (isUndone ? 0 : 1))
        }
    }

    // MARK: The executor

    @Test func urgentTasksComeFirst() throws {
        let executor = AccessExecutor(label: "test", capacity: 1)
        let goOn = Signal("goOn")
        let blockers = try blocking(executor, 1, until: goOn)
        let order = Log<Int>()
        let priorities: [(Int, TaskPriority)] = [
            (4, .background), (2, .medium), (5, .utility), (1, .high), (3, .medium),
        ]
        let tasks = priorities.map { number, priority in
            PreferringTask(executor, priority: priority) { order.append(number) }
        }
        goOn.fire()
        for task in blockers + tasks { try task.value() }
        #expect(order.elements == [1, 2, 3, 4, 5])
    }

    @Test func aThreadIsUsedAgain() async throws {
        let executor = AccessExecutor(label: "test", capacity: 2)
        for number in 1...1000 {
            let result = await Task(executorPreference: executor) { () -> Int? in
                await Task.yield()
                return AccessExecutor.ownsCurrentThread ? number : nil
            }.value
            #expect(result == number)
        }
    }

    /// With accesses of all kinds on few threads, no read sees half of a transfer, and all tasks end.
    @Test(arguments: [Store.fileQueue, .walQueue, .pool])
    func manyTasks(store: Store) async throws {
        try await store.withWriter(.readers(2)) { writer in
            try await writer.write { try $0.execute(sql: "INSERT INTO player (id, name) VALUES (1, 0), (2, 0)") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...40 {
                    let executor: (any TaskExecutor)? = number % 4 == 0 ? nil : writer.taskExecutor
                    group.addTask(executorPreference: executor) {
                        for _ in 1...5 {
                            try await writer.write { db in
                                try db.execute(sql: "UPDATE player SET name = name + 1 WHERE id = 1")
                                try db.execute(sql: "UPDATE player SET name = name + 1 WHERE id = 2")
                            }
                            let names = try await writer.read { try Int.fetchAll($0, sql: "SELECT name FROM player") }
                            #expect(names[0] == names[1])
                            if number % 10 == 0 { try await writer.barrierWriteWithoutTransaction { _ in } }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await writer.read { try Int.fetchOne($0, sql: "SELECT name FROM player") } == 200)
        }
    }
}
