import Amalgam
import Foundation
import TestSupport
import Testing

@testable import AmalgamConcurrency

@Suite(.watchdog)
struct ReadOrderTests {
    /// Accesses that must not wait for a write of a pool.
    enum Access: String, CaseIterable {
        case read, unsafeRead, unsafeReentrantRead, asyncRead, asyncUnsafeRead, makeSnapshot, makeSnapshotPool
        case releaseMemoryEventually

        /// The number of players that the access sees.
        func count(_ pool: DatabasePool) throws -> Int {
            switch self {
            case .read: return try pool.read { try $0.playerCount() }
            case .unsafeRead: return try pool.unsafeRead { try $0.playerCount() }
            case .unsafeReentrantRead: return try pool.unsafeReentrantRead { try $0.playerCount() }
            case .asyncRead: return try Self.wait { pool.asyncRead($0) }
            case .asyncUnsafeRead: return try Self.wait { pool.asyncUnsafeRead($0) }
            case .makeSnapshot: return try pool.makeSnapshot().read { try $0.playerCount() }
            case .makeSnapshotPool: return try pool.makeSnapshotPool().read { try $0.playerCount() }
            case .releaseMemoryEventually:
                pool.releaseMemoryEventually()
                return 0
            }
        }

        private static func wait(
            _ schedule: (@escaping @Sendable (Result<Database, any Error>) -> Void) -> Void
        ) throws -> Int {
            let (count, end) = (Box(-1), Signal("scheduled read"))
            schedule { result in
                count.value = (try? result.get().playerCount()) ?? -1
                end.fire()
            }
            try end.wait()
            return count.value
        }
    }

    @Test(arguments: Access.allCases)
    func readsOfAPoolWaitForNoWrite(access: Access) throws {
        try withPool { pool, _ in
            let (inside, goOn) = (Signal("inside"), Signal("goOn"))
            let write = Worker {
                try pool.write { db in
                    try db.addPlayer()
                    inside.fire()
                    try goOn.wait()
                }
            }
            try inside.wait()
            // These wait for the write.
            pool.asyncWrite {
                try $0.addPlayer()
            } completion: { _, _ in
            }
            pool.asyncBarrierWriteWithoutTransaction { _ in }
            let count = Box(-1)
            let read = Worker { count.value = try access.count(pool) }
            try read.join()
            #expect(count.value == 0)
            goOn.fire()
            try write.join()
        }
    }

    @Test func aTasksReadOfAPoolWaitsForNoWrite() async throws {
        try await withPool { pool, _ in
            let (inside, goOn) = (Signal("inside"), Signal("goOn"))
            pool.asyncWrite { db in
                try db.addPlayer()
                inside.fire()
                try goOn.wait()
            } completion: { _, _ in
            }
            try await inside.value()
            pool.asyncBarrierWriteWithoutTransaction { _ in }
            let counts = [
                try await pool.read { try $0.playerCount() }, try await pool.unsafeRead { try $0.playerCount() },
            ]
            #expect(counts == [0, 0])
            goOn.fire()
            try await pool.write { _ in }
        }
    }

    @Test(arguments: [Store.memoryQueue, .fileQueue, .walQueue])
    func readsOfAQueueAreInTheLineOfTheWrites(store: Store) async throws {
        try await store.withWriter { writer in
            let log = Log<Int>()
            let goOn = Signal("goOn")
            writer.asyncWriteWithoutTransaction { _ in try? goOn.wait() }
            for _ in 0..<10 {
                writer.asyncWrite {
                    try $0.addPlayer()
                } completion: { _, _ in
                }
                writer.asyncRead { log.append((try? $0.get().playerCount()) ?? -1) }
                writer.asyncWriteWithoutTransaction { try? $0.addPlayer() }
                writer.asyncUnsafeRead { log.append((try? $0.get().playerCount()) ?? -1) }
            }
            goOn.fire()
            let count = try await writer.read { try $0.playerCount() }
            #expect(count == 20)
            #expect(log.elements == Array(1...20))
        }
    }

    @Test func readsOfAllKindsWaitInOneLine() async throws {
        try await withPool(.readers(1)) { pool, _ in
            let log = Log<String>()
            let (inside, goOn) = (Signal("inside"), Signal("goOn"))
            pool.asyncRead { _ in
                inside.fire()
                try? goOn.wait()
            }
            try await inside.value()
            var threads: [Worker] = []
            var tasks: [Task<Void, any Error>] = []
            for round in 0..<3 {
                pool.asyncRead { _ in log.append("scheduled \(round)") }
                threads.append(Worker { try pool.read { _ in log.append("thread \(round)") } })
                try await waitUntil("a thread in the line") { pool.readers.waiting.accesses == 4 * round + 2 }
                pool.asyncUnsafeRead { _ in log.append("unsafe \(round)") }
                tasks.append(Task { try await pool.read { _ in log.append("task \(round)") } })
                try await waitUntil("a task in the line") { pool.readers.waiting.accesses == 4 * round + 4 }
            }
            goOn.fire()
            for task in tasks { try await task.value }
            for thread in threads { try await thread.value() }
            #expect(
                log.elements
                    == (0..<3).flatMap { ["scheduled \($0)", "thread \($0)", "unsafe \($0)", "task \($0)"] })
        }
    }

    @Test func eachConcurrentReadSeesItsOwnState() throws {
        try withPool(.readers(3)) { pool, _ in
            let counts = Log<[Int]>()
            let end = Signal("concurrent reads")
            try pool.writeWithoutTransaction { db in
                for expected in 1...50 {
                    try db.addPlayer()
                    pool.asyncConcurrentRead { result in
                        counts.append([expected, (try? result.get().playerCount()) ?? -1])
                        if counts.count == 50 { end.fire() }
                    }
                }
            }
            try end.wait()
            #expect(counts.elements.sorted { $0[0] < $1[0] } == (1...50).map { [$0, $0] })
        }
    }
}
