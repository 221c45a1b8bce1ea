import Amalgam
import Foundation
import TestSupport
import Testing

/// The metrics of queues and pools, which a server exports.
@Suite(.watchdog)
struct DatabaseMetricsTests {
    @Test func aNewPool() throws {
        let folder = Folder()
        let pool = try DatabasePool(path: folder.path("db.sqlite"), configuration: .tested)
        let metrics = pool.metrics
        #expect(metrics.readers == DatabaseMetrics.Accesses())
        #expect(metrics.writer == DatabaseMetrics.Accesses())
        #expect(metrics.connectionCount == 1)
        #expect(metrics.wal != nil)
        try pool.close()
        #expect(pool.metrics.connectionCount == 0)
    }

    @Test(arguments: [(1, 0), (2, 3), (4, 1)])
    func readsThatRunAndWait(running: Int, waiting: Int) throws {
        try withPool(.readers(running)) { pool, _ in
            let goOn = Signal("goOn")
            let before = pool.metrics.readers.done
            let readers = (0..<running).map { _ in Worker { try pool.read { _ in try goOn.wait() } } }
            try eventually("running") { pool.metrics.connectionCount == 1 + running }
            #expect(pool.metrics.readers.waiting == 0)
            let done = (0..<waiting).map { Signal("\($0)") }
            for index in 0..<waiting { pool.asyncRead { _ in done[index].fire() } }
            let metrics = pool.metrics
            #expect(metrics.readers.running == running)
            #expect(metrics.readers.waiting == waiting)
            #expect(metrics.readers.done == before)
            #expect((metrics.readers.currentWait > .zero) == (waiting > 0))
            #expect(metrics.connectionCount == 1 + running)
            goOn.fire()
            for reader in readers { try reader.join() }
            for signal in done { try signal.wait() }
            try eventually("the end") { pool.metrics.readers.done == before + running + waiting }
            let end = pool.metrics.readers
            #expect(end.running == 0)
            #expect(end.waiting == 0)
            #expect(end.currentWait == .zero)
            #expect((end.longestWait > .zero) == (waiting > 0))
            #expect(end.longestWait >= metrics.readers.currentWait)
        }
    }

    @Test(arguments: [Store.pool, .fileQueue, .memoryQueue], [1, 5])
    func theLengthOfTheWritersQueue(store: Store, count: Int) throws {
        try store.withWriter { writer in
            let (holds, goOn) = (Signal("holds"), Signal("goOn"))
            let before = try metrics(of: writer).writer
            let holder = Worker {
                try writer.writeWithoutTransaction { _ in
                    holds.fire()
                    try goOn.wait()
                }
            }
            try holds.wait()
            let threads = (0..<count).map { _ in Worker { try writer.write { try $0.addPlayer() } } }
            for _ in 0..<count { writer.asyncWriteWithoutTransaction { _ in } }
            try eventually("in line") { try metrics(of: writer).writer.waiting == 2 * count }
            let line = try metrics(of: writer).writer
            #expect(line.running == 1)
            #expect(line.done == before.done)
            #expect(line.currentWait > .zero)
            goOn.fire()
            for worker in threads + [holder] { try worker.join() }
            try eventually("the end") { try metrics(of: writer).writer.done == before.done + 2 * count + 1 }
            let end = try metrics(of: writer).writer
            #expect(end.running == 0 && end.waiting == 0)
            #expect(end.currentWait == .zero)
            #expect(end.longestWait >= line.currentWait)
        }
    }

    private func metrics(of writer: any DatabaseWriter) throws -> DatabaseMetrics {
        if let pool = writer as? DatabasePool { return pool.metrics }
        return try #require(writer as? DatabaseQueue).metrics
    }

    @Test func tasksCount() async throws {
        try await withPool { pool, _ in
            let before = pool.metrics
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...20 {
                    group.addTask { try await pool.write { try $0.addPlayer() } }
                    group.addTask { _ = try await pool.read { try $0.playerCount() } }
                }
                try await group.waitForAll()
            }
            let after = pool.metrics
            #expect(after.writer.done == before.writer.done + 20)
            #expect(after.readers.done == before.readers.done + 20)
            #expect(after.writer.running + after.writer.waiting + after.readers.running + after.readers.waiting == 0)
        }
    }

    @Test func accessesThatFailCount() throws {
        try withPool { pool, _ in
            let before = pool.metrics
            #expect(throws: Oops()) { try pool.read { _ in throw Oops() } }
            #expect(throws: Oops()) { try pool.write { _ in throw Oops() } }
            #expect(pool.metrics.readers.done == before.readers.done + 1)
            #expect(pool.metrics.writer.done == before.writer.done + 1)
            // Work that the pool does for itself isn't counted.
            pool.invalidateReadOnlyConnections()
            #expect(pool.metrics.readers.done == before.readers.done + 1)
        }
    }

    @Test func manyThreads() throws {
        try withPool(.readers(3)) { pool, _ in
            let before = pool.metrics
            let ends = Box(false)
            let watcher = Worker {
                while !ends.value {
                    let metrics = pool.metrics
                    #expect((0...3).contains(metrics.readers.running))
                    #expect((0...8).contains(metrics.readers.waiting))
                    #expect((0...1).contains(metrics.writer.running))
                    #expect((0...8).contains(metrics.writer.waiting))
                }
            }
            try onThreads(8) { _ in
                for _ in 1...50 {
                    try pool.write { try $0.addPlayer() }
                    _ = try pool.read { try $0.playerCount() }
                }
            }
            ends.value = true
            try watcher.join()
            let after = pool.metrics
            #expect(after.readers.done == before.readers.done + 400)
            #expect(after.writer.done == before.writer.done + 400)
        }
    }

    // MARK: Pages

    /// Reads the page cache of the writer during an access.
    private func cache(_ pool: DatabasePool) -> DatabaseMetrics.Cache {
        pool.writeWithoutTransaction { _ in pool.metrics.cache }
    }

    @Test func cacheHits() throws {
        try withPool { pool, _ in
            for _ in 1...20 { try pool.fillWAL(3000) }
            let select = "SELECT SUM(LENGTH(name)) FROM player"
            let sum = try pool.read { try Int.fetchOne($0, sql: select) }
            #expect(sum == 60_000)
            let first = cache(pool)
            #expect(first.misses > 0)
            // The pages are already in the cache.
            for _ in 1...10 { _ = try pool.read { try Int.fetchOne($0, sql: select) } }
            let second = cache(pool)
            #expect(second.hits >= first.hits + 10 * 15)
            #expect(second.misses == first.misses)
            let rate = try #require(second.hitRate)
            #expect(rate > first.hitRate! && rate <= 1)
            // Closed connections stay in the counts.
            pool.invalidateReadOnlyConnections()
            #expect(pool.metrics.connectionCount == 1)
            #expect(cache(pool) == second)
            // New connections have empty caches.
            _ = try pool.read { try Int.fetchOne($0, sql: select) }
            let third = cache(pool)
            #expect(third.misses > second.misses + 15)
            #expect(third.hits >= second.hits)
        }
    }

    @Test func connectionsInUseAreLookedAtLater() throws {
        try withPool { pool, _ in
            let (holds, goOn) = (Signal("holds"), Signal("goOn"))
            let before = pool.writeWithoutTransaction { _ in pool.metrics }
            let worker = Worker {
                try pool.writeWithoutTransaction { db in
                    try db.execute(sql: "INSERT INTO player (name) VALUES (zeroblob(100000))")
                    holds.fire()
                    try goOn.wait()
                }
            }
            try holds.wait()
            // The call doesn't wait, and returns the previous numbers.
            #expect(pool.metrics.wal == before.wal)
            goOn.fire()
            try worker.join()
            let frameCount = try #require(pool.metrics.wal).frameCount
            #expect(frameCount >= before.wal!.frameCount + 100_000 / 4096)
        }
    }

    @Test func insideAnAccess() throws {
        try withPool { pool, _ in
            try pool.writeWithoutTransaction { db in
                let before = pool.metrics
                try db.addPlayer()
                let after = pool.metrics
                #expect(after.wal!.frameCount > before.wal!.frameCount)
                #expect(after.writer.running == 1)
            }
            try pool.read { _ in #expect(pool.metrics.readers.running == 1) }
        }
    }

    @Test func theWALFile() throws {
        try withPool { pool, folder in
            try pool.fillWAL(50_000)
            try eventually("frames") { pool.metrics.wal!.frameCount >= 12 }
            #expect(pool.metrics.wal!.fileSize == folder.size("db.sqlite-wal"))
            _ = try pool.writeWithoutTransaction { try $0.checkpoint(.passive) }
            try eventually("checkpoint") { pool.metrics.wal!.checkpointedFrameCount == pool.metrics.wal!.frameCount }
            _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
            let empty = DatabaseMetrics.WAL(frameCount: 0, checkpointedFrameCount: 0, fileSize: 0)
            try eventually("truncation") { pool.metrics.wal == empty }
        }
        #expect(try DatabaseQueue().metrics.wal == nil)
    }

    @Test func aQueue() throws {
        let queue = try DatabaseQueue()
        #expect(queue.metrics.writer.done == 0)
        try queue.write { try $0.createPlayers() }
        _ = try queue.read { try $0.playerCount() }
        let metrics = queue.metrics
        #expect(metrics.writer.done == 2)
        #expect(metrics.readers == DatabaseMetrics.Accesses())
        #expect(metrics.connectionCount == 1)
        try eventually("hits") { queue.metrics.cache.hits > 0 }
        try queue.close()
        #expect(queue.metrics.connectionCount == 0)
        #expect(queue.metrics.cache.hits >= metrics.cache.hits)
    }
}
