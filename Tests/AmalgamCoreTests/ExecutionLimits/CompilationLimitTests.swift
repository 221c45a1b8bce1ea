import Amalgam
import Foundation
import TestSupport
import Testing

/// SQL whose compilation takes hours is stopped by limits of time, by interruptions and by cancellations.
struct CompilationLimitTests {
    private static let bomb = MemoryLimitTests.bomb(levels: 60)

    /// Views that refer twice to the view before.
    private static func createViews(_ db: Database) throws {
        try db.execute(sql: "CREATE VIEW v0 AS SELECT 1 AS x")
        for level in 1...60 {
            try db.execute(sql: "CREATE VIEW v\(level) AS SELECT a.x FROM v\(level - 1) AS a, v\(level - 1) AS b")
        }
    }

    @Test(arguments: [bomb, "SELECT COUNT(*) FROM v60"])
    func aLimitOfTimeStopsTheCompilation(sql: String) throws {
        try DatabaseKind.memory.run { db in
            try Self.createViews(db)
            let time = threadTime {
                let error = expectCode(.SQLITE_INTERRUPT) {
                    try db.withLimits(.time(.milliseconds(100))) { _ = try db.makeStatement(sql: sql) }
                }
                #expect(error?.exceededLimit == .time)
                #expect(error?.sql == sql)
            }
            #expect(time < .seconds(2))
            expectEqual(try Int.fetchOne(db, sql: "SELECT x FROM v1"), 1)
        }
    }

    @Test func anInterruptionStopsTheCompilation() async throws {
        let queue = try DatabaseQueue()
        let didBegin = AsyncStream.makeStream(of: Void.self)
        let read = Task.detached {
            try queue.read { db in
                didBegin.continuation.yield()
                _ = try db.makeStatement(sql: Self.bomb)
            }
        }
        for await _ in didBegin.stream { break }
        // A thread, because other tests may keep all threads of tasks busy, and the compilation takes memory.
        let hasEnded = Box(0)
        Thread.detachNewThread {
            // SQLite forgets an interruption that comes before it begins to parse.
            while hasEnded.value == 0 {
                queue.interrupt()
                Thread.sleep(forTimeInterval: 0.01)
            }
        }
        let error = await #expect(throws: DatabaseError.self) { try await read.value }
        hasEnded.increment()
        #expect(error?.resultCode == .SQLITE_INTERRUPT)
        #expect(error?.message == "interrupted")
        #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
    }

    @Test func aCancelledTaskStopsTheCompilation() async throws {
        let queue = try DatabaseQueue()
        let didBegin = DispatchSemaphore(value: 0)
        let read = Task {
            try await queue.read { db in
                didBegin.signal()
                while true { _ = try db.makeStatement(sql: Self.bomb) }
            }
        }
        Thread.detachNewThread {
            didBegin.wait()
            read.cancel()
        }
        await #expect(throws: CancellationError.self) { try await read.value }
        #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
    }
}
