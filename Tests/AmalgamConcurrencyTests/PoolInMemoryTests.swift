import Amalgam
import Foundation
import TestSupport
import Testing

/// The examples of docs/in-memory-pool.md: pools whose files need no disk.
@Suite(.watchdog)
struct PoolInMemoryTests {
    #if os(Linux)
    /// Closing and deleting the file releases the memory.
    @Test func aFileInSharedMemory() throws {
        let path = "/dev/shm/\(UUID().uuidString).sqlite"
        do {
            let dbPool = try DatabasePool(path: path)
            defer {
                try? dbPool.close()
                try? FileManager.default.removeItem(atPath: path)
            }
            try expectPool(dbPool)
        }
        for suffix in ["", "-wal", "-shm"] { #expect(!FileManager.default.fileExists(atPath: path + suffix)) }
    }
    #endif

    @Test func aTemporaryFileThatIsNeverSynchronised() throws {
        var config = Configuration()
        config.prepareDatabase { db in try db.execute(sql: "PRAGMA synchronous = OFF") }
        let folder = FileManager.default.temporaryDirectory
        let dbPool = try DatabasePool(
            path: folder.appendingPathComponent(UUID().uuidString).path, configuration: config)
        defer { try? FileManager.default.removeItem(atPath: dbPool.path) }
        try expectPool(dbPool)
        #expect(try dbPool.read { try Int.fetchOne($0, sql: "PRAGMA synchronous") } == 0)
        #expect(try dbPool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") } == 0)
        try dbPool.close()
    }

    /// Expects that a read concurrent with a write sees the last commit, which neither a queue in memory nor SQLite's
    /// `memdb` offers.
    private func expectPool(_ dbPool: DatabasePool) throws {
        try dbPool.write { try $0.createPlayers() }
        let snapshot = try dbPool.makeSnapshotPool()
        try dbPool.write { db in
            try db.addPlayer()
            let count = try dbPool.read { try $0.playerCount() }
            #expect(count == 0)
        }
        #expect(try dbPool.read { try $0.playerCount() } == 1)
        #expect(try snapshot.read { try $0.playerCount() } == 0)
        try snapshot.close()
    }
}
