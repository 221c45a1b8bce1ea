import Amalgam
import Foundation
import TestSupport
import Testing

@testable import AmalgamConcurrency

/// Barriers, and the operations built on them. The tests ask the pool which accesses wait, instead of sleeping.
@Suite(.watchdog)
struct BarrierOrderTests {
    /// Running reads of all kinds, which end when their signal fires.
    private final class Reads: Sendable {
        let log = Log<String>()
        private let ends: [(name: String, goOn: Signal)]

        init(_ pool: DatabasePool) async throws {
            ends = Self.names.map { ($0, Signal($0)) }
            let begun = Self.names.map { Signal("\($0) has begun") }
            let body: @Sendable (Int) -> Void = { [log, ends] index in
                begun[index].fire()
                try? ends[index].goOn.wait()
                log.append(ends[index].name)
            }
            _ = Worker { try pool.read { _ in body(0) } }
            pool.asyncRead { _ in body(1) }
            pool.asyncUnsafeRead { _ in body(2) }
            // A closure that isn't async calls the synchronous method.
            let beginConcurrentRead = {
                pool.writeWithoutTransaction { _ in pool.asyncConcurrentRead { _ in body(3) } }
            }
            beginConcurrentRead()
            for signal in begun { try await signal.value() }
        }

        /// Ends one read after the other, and waits for the end of each.
        func end() async throws {
            for (index, end) in ends.enumerated() {
                end.goOn.fire()
                try await waitUntil(end.name) { self.log.count > index }
            }
        }

        static let names = ["thread", "scheduled", "unsafe", "concurrent"]
    }

    enum Barrier: CaseIterable {
        case thread, scheduled, task

        func start(_ pool: DatabasePool, _ body: @escaping @Sendable () -> Void) {
            switch self {
            case .thread: _ = Worker { try pool.barrierWriteWithoutTransaction { _ in body() } }
            case .scheduled: pool.asyncBarrierWriteWithoutTransaction { _ in body() }
            case .task: Task { try await pool.barrierWriteWithoutTransaction { _ in body() } }
            }
        }
    }

    @Test(arguments: Barrier.allCases)
    func aBarrierWaitsForTheReads(barrier: Barrier) async throws {
        try await withPool { pool, _ in
            let reads = try await Reads(pool)
            let end = Signal("barrier")
            barrier.start(pool) {
                reads.log.append("barrier")
                end.fire()
            }
            try await waitUntil("a barrier that waits") { pool.readers.waiting.barriers == 1 || reads.log.count > 0 }
            try await reads.end()
            try await end.value()
            #expect(reads.log.elements == Reads.names + ["barrier"])
        }
    }

    @Test(arguments: Barrier.allCases)
    func aBarrierLetsNobodyIn(barrier: Barrier) async throws {
        try await withPool { pool, _ in
            let reads = try await Reads(pool)
            let (inside, goOn) = (Signal("inside"), Signal("goOn"))
            let log = reads.log
            barrier.start(pool) {
                inside.fire()
                try? goOn.wait()
                log.append("barrier")
            }
            try await waitUntil("a barrier that waits") { pool.readers.waiting.barriers == 1 || inside.hasFired }
            // A reader is available, but no access gets it.
            pool.asyncRead { _ in log.append("late") }
            #expect(pool.readers.waiting.accesses == 1)
            try await reads.end()
            try await inside.value()
            pool.asyncUnsafeRead { _ in log.append("late") }
            #expect(pool.readers.waiting.accesses == 2)
            let thread = Worker { try pool.read { _ in log.append("late") } }
            try await waitUntil("a thread that waits") {
                pool.readers.waiting.accesses == 3 || log.elements.contains("late")
            }
            goOn.fire()
            try await thread.value()
            try await waitUntil("late reads") { log.count == 8 }
            #expect(log.elements == Reads.names + ["barrier", "late", "late", "late"])
        }
    }

    @Test(arguments: Barrier.allCases)
    func asynchronousReadsThatABarrierAsksForBeginAfterIt(barrier: Barrier) async throws {
        try await withPool { pool, _ in
            let log = Log<String>()
            let reads = ["asyncRead", "asyncUnsafeRead", "task"].map { Signal($0) }
            barrier.start(pool) {
                pool.asyncRead { _ in
                    log.append("read")
                    reads[0].fire()
                }
                pool.asyncUnsafeRead { _ in
                    log.append("read")
                    reads[1].fire()
                }
                Task {
                    try await pool.read { _ in log.append("read") }
                    reads[2].fire()
                }
                do {
                    try waitUntil("reads that wait") { pool.readers.waiting.accesses == 3 || log.count > 0 }
                    // A synchronous read belongs to the barrier.
                    #expect(try pool.read { try $0.playerCount() } == 0)
                    #expect(try pool.unsafeRead { try $0.playerCount() } == 0)
                } catch {
                    Issue.record(error)
                }
                log.append("barrier ends")
            }
            for read in reads { try await read.value() }
            #expect(log.elements == ["barrier ends", "read", "read", "read"])
        }
    }

    @Test func observationsFetchAfterTheBarrierWhoseCommitTheyFollow() async throws {
        try await withPool { pool, _ in
            let log = Log<String>()
            let observation = ValueObservation.tracking { db in
                let count = try db.playerCount()
                log.append("fetch \(count)")
                return count
            }
            let cancellable = observation.start(in: pool, scheduling: .async(onQueue: .global())) { error in
                Issue.record(error)
            } onChange: { count in
                log.append("value \(count)")
            }
            try await waitUntil("the first value") { log.count == 2 }
            try await pool.barrierWriteWithoutTransaction { db in
                try db.addPlayer()
                Signal.giveOthersAChance()
                log.append("barrier ends")
            }
            try await waitUntil("the second value") { log.count == 5 }
            #expect(log.elements == ["fetch 0", "value 0", "barrier ends", "fetch 1", "value 1"])
            cancellable.cancel()
        }
    }

    /// A barrier refuses concurrent reads, because they would run next to the rest of the barrier.
    @Test func aBarrierRefusesConcurrentReads() throws {
        try withPool { pool, _ in
            let error = Box<(any Error)?>(nil)
            try pool.barrierWriteWithoutTransaction { _ in
                pool.asyncConcurrentRead { result in
                    if case .failure(let failure) = result { error.value = failure }
                }
            }
            let misuse = try #require(error.value as? DatabaseError)
            #expect(misuse.resultCode == .SQLITE_MISUSE)
            #expect(
                misuse.message == "A barrier lets no concurrent read begin. Read inside of the barrier, or after it.")
        }
    }

    /// If another thread releases the only reader, a barrier gets an additional one, and doesn't wait.
    @Test func aBarrierReadsWhileReadersAreReleased() async throws {
        let (isReleasing, hasRead) = (Signal("isReleasing"), Signal("hasRead"))
        let releasingThread = Box<ObjectIdentifier?>(nil)
        let configuration = Configuration.tested { configuration in
            configuration.maximumReaderCount = 1
            configuration.onConnectionWillClose { _ in
                if !hasRead.hasFired, releasingThread.value == ObjectIdentifier(Thread.current) {
                    isReleasing.fire()
                    try? hasRead.wait()
                }
            }
        }
        try await withPool(configuration) { pool, _ in
            try await pool.read { _ in }
            let (inside, goOn) = (Signal("inside"), Signal("goOn"))
            let barrier = Worker {
                try pool.barrierWriteWithoutTransaction { _ in
                    inside.fire()
                    try goOn.wait()
                    #expect(try pool.read { try $0.playerCount() } == 0)
                    hasRead.fire()
                }
            }
            try await inside.value()
            let release = Worker {
                releasingThread.value = ObjectIdentifier(Thread.current)
                pool.invalidateReadOnlyConnections()
            }
            try await isReleasing.value()
            goOn.fire()
            try await barrier.value()
            try await release.value()
        }
    }

    @Test func closingWaitsForTheReads() async throws {
        try await withPool { pool, _ in
            let reads = try await Reads(pool)
            let closer = Worker {
                try pool.close()
                reads.log.append("closed")
            }
            try await waitUntil("a close that waits") { pool.readers.waiting.barriers == 1 || reads.log.count > 0 }
            let refused = Signal("refused")
            pool.asyncRead { result in
                #expect(throws: DatabaseError.self) { try result.get() }
                refused.fire()
            }
            try await reads.end()
            try await closer.value()
            try await refused.value()
            #expect(reads.log.elements == Reads.names + ["closed"])
        }
    }

    /// An invalidated reader is closed before its permit is released. The writer is closed last: otherwise the WAL file
    /// would stay.
    @Test(arguments: [true, false])
    func closingWaitsForReadersThatAreBeingClosed(isInUse: Bool) async throws {
        let (isClosing, goOn) = (Signal("isClosing"), Signal("goOn"))
        let closingThread = Box<ObjectIdentifier?>(nil)
        let configuration = Configuration.tested { configuration in
            configuration.onConnectionWillClose { _ in
                guard closingThread.value == ObjectIdentifier(Thread.current), !isClosing.hasFired else { return }
                isClosing.fire()
                try? goOn.wait()
            }
        }
        try await withPool(configuration) { pool, folder in
            try await pool.read { _ in }
            let reader = Worker {
                closingThread.value = ObjectIdentifier(Thread.current)
                if isInUse {
                    try pool.read { _ in pool.invalidateReadOnlyConnections() }
                } else {
                    pool.invalidateReadOnlyConnections()
                }
            }
            try await isClosing.value()
            let closer = Worker { try pool.close() }
            try await waitUntil("a close that waits, or is over") {
                pool.readers.waiting.barriers == 1 || folder.size("db.sqlite-shm") == nil
            }
            goOn.fire()
            try await reader.value()
            try await closer.value()
            #expect(folder.size("db.sqlite-wal") == nil)
        }
    }

    @Test(arguments: [true, false])
    func releasingMemoryWaitsForTheReads(persistent: Bool) async throws {
        let closed = Log<String>()
        let configuration = Configuration.tested {
            $0.persistentReadOnlyConnections = persistent
            $0.onConnectionWillClose { _ in closed.append("closed") }
        }
        try await withPool(configuration) { pool, _ in
            let reads = try await Reads(pool)
            let worker = Worker {
                pool.releaseMemory()
                reads.log.append("released")
            }
            try await waitUntil("a release that waits") { pool.readers.waiting.barriers == 1 || reads.log.count > 0 }
            #expect(closed.count == 0)
            try await reads.end()
            try await worker.value()
            #expect(reads.log.elements == Reads.names + ["released"])
            #expect(closed.count == (persistent ? 0 : 4))
        }
    }

    // MARK: Reads that write

    /// A read waits for the writer, while a barrier holds the writer and waits for reads. Both end, in either order.
    @Test(arguments: Barrier.allCases, [true, false])
    func aReadThatWrites(barrier: Barrier, barrierIsFirst: Bool) async throws {
        try await withPool { pool, _ in
            let (reads, goOn, writerIsFree) = (Signal("reads"), Signal("goOn"), Signal("writerIsFree"))
            let order = Log<String>()
            let reader = Worker {
                try pool.read { db in
                    _ = try db.playerCount()
                    reads.fire()
                    try goOn.wait()
                    try pool.write { db in
                        try db.addPlayer()
                        order.append("write")
                    }
                    // The read still sees its snapshot.
                    #expect(try db.playerCount() == 0)
                    pool.writeWithoutTransaction { _ in }
                    try pool.writeInTransaction { _ in .commit }
                    pool.unsafeReentrantWrite { _ in order.append("end") }
                }
            }
            try await reads.value()
            if barrierIsFirst {
                barrier.start(pool) { order.append("barrier") }
                try await waitUntil("barrier") { pool.readers.waiting.barriers == 1 }
                goOn.fire()
            } else {
                // The read is enqueued for the writer, with the barrier before or behind it.
                pool.asyncWriteWithoutTransaction { _ in try? writerIsFree.wait() }
                try await waitUntil("writer") { pool.metrics.writer.running == 1 }
                goOn.fire()
                barrier.start(pool) { order.append("barrier") }
                try await waitUntil("both are in line") { pool.metrics.writer.waiting == 2 }
                writerIsFree.fire()
            }
            try await reader.value()
            try await waitUntil("barrier has run") { order.count == 3 }
            #expect(order.elements == ["write", "end", "barrier"])
            #expect(try await pool.read { try $0.playerCount() } == 1)
        }
    }

    /// With many reads that write and barriers, all accesses end, and no barrier runs concurrently with a read.
    @Test func manyReadsThatWrite() async throws {
        try await withPool(.readers(3)) { pool, _ in
            let (reading, alone) = (Box(0), Box(0))
            let threads = (0..<6).map { index in
                Worker {
                    for _ in 1...50 {
                        if index % 2 == 0 {
                            try pool.read { _ in
                                reading.increment()
                                defer { reading.withLock { $0 -= 1 } }
                                try pool.write { try $0.addPlayer() }
                            }
                        } else {
                            try pool.barrierWriteWithoutTransaction { _ in
                                #expect(reading.value == 0)
                                alone.increment()
                            }
                        }
                    }
                }
            }
            for thread in threads { try await thread.value() }
            #expect(alone.value == 150)
            #expect(try await pool.read { try $0.playerCount() } == 150)
        }
    }
}
