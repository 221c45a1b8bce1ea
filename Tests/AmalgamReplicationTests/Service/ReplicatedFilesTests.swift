#if Replication && (os(Linux) || os(macOS))
import Amalgam
import Foundation
import TestSupport
import Testing

/// What checkpoints and other changes of the files mean for the replica.
@Suite(.limited) struct ReplicatedFilesTests {
    @Test func theWALFileRemainsAtTheClose() throws {
        let world = World()
        let pool = try world.open()
        try pool.insert("Anna")
        try pool.close()
        #expect(try #require(world.folder.size("db.sqlite-wal")) > 0)
        #expect(world.folder.size("db.sqlite") == 4096)
        let queue = try DatabaseQueue(path: world.path, configuration: .replicated)
        #expect(try queue.read(players) == ["Anna"])
        try queue.close()
        #expect(try #require(world.folder.size("db.sqlite-wal")) > 0)
    }

    @Test func writesWaitForTheLockOfTheEngine() async throws {
        let world = World()
        try await world.replicating { pool, _ in
            try await pool.insertReplicated("Anna")
            var configuration = Configuration()
            configuration.busyMode = .timeout(300)
            let other = try DatabaseQueue(path: world.path, configuration: configuration)
            let task = Task {
                try await other.write { db in
                    try db.execute(sql: "INSERT INTO player (name) VALUES ('Ben')")
                    usleep(200_000)
                }
            }
            for _ in 0..<20 {
                try await pool.insertReplicated("Cora")
                try await Task.sleep(for: .milliseconds(20))
            }
            try await task.value
            #expect(try await pool.read(players).count == 22)
        }
    }

    /// The number of bytes that are uploaded after the database was closed and written without the engine.
    private func uploadedByteCount(_ configuration: Configuration) async throws -> Int {
        let world = World()
        try await world.replicating { pool, _ in
            try await pool.write(durability: .replicated(timeout: .seconds(300))) { db in
                // 2 MB that can't be compressed.
                for _ in 0..<200 { try db.execute(sql: "INSERT INTO player (name) VALUES (randomblob(10000))") }
            }
        }
        let last = try #require(try await world.replica.transactions().last)
        let pool = try world.open(configuration)
        try pool.insert("Anna")
        try pool.close()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Ben") }
        #expect(try await world.restoredPlayers().suffix(2) == ["Anna", "Ben"])
        let files = try FileManager.default.contentsOfDirectory(atPath: world.folder.path("replica/ltx/0"))
        let later = files.filter { UInt64($0.prefix(16), radix: 16)! > last.number }
        return later.compactMap { world.folder.size("replica/ltx/0/" + $0) }.reduce(0, +)
    }

    @Test func withoutThePolicyTheWholeDatabaseIsUploadedAgain() async throws {
        #expect(try await uploadedByteCount(Configuration()) > 2_000_000)
    }

    @Test func withThePolicyOnlyTheChangesAreUploaded() async throws {
        #expect(try await uploadedByteCount(.replicated) < 100_000)
    }

    @Test func writesWaitForAnEngineThatIsAway() throws {
        let world = World()
        var configuration = Configuration()
        configuration.walPolicy = .replicated(limit: .writesWait(beyond: 100_000, atMost: .milliseconds(100)))
        let pool = try world.open(configuration)
        try pool.write { db in try db.execute(sql: "INSERT INTO player (name) VALUES (randomblob(200000))") }
        let start = ContinuousClock.now
        for _ in 0..<3 { try pool.insert("Anna") }
        #expect(ContinuousClock.now - start >= .milliseconds(300))
        let size = try #require(world.folder.size("db.sqlite-wal"))
        #expect(size > 200_000)
    }

    private func fill(_ pool: DatabasePool) throws {
        for _ in 0..<100 {
            try pool.write { try $0.execute(sql: "INSERT INTO player (name) VALUES (hex(randomblob(20000)))") }
        }
    }

    @Test func replicationStartsOverWhenTheEngineIsAwayForLong() async throws {
        let world = World()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        var configuration = Configuration()
        configuration.walPolicy = .replicated(limit: .replicationStartsOver(beyond: 100_000))
        let pool = try world.open(configuration)
        try fill(pool)
        let size = try #require(world.folder.size("db.sqlite-wal"))
        #expect(size < 2_000_000)
        try pool.close()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Ben") }
        #expect(try await world.restoredPlayers().count == 102)
    }

    @Test func theFileGrowsWithoutLimitIfTheApplicationChoosesSo() throws {
        let world = World()
        let pool = try world.open()
        try fill(pool)
        let size = try #require(world.folder.size("db.sqlite-wal"))
        #expect(size > 4_000_000)
    }

    /// Changes that rewrite the database, while the engine runs.
    enum Change: String, CaseIterable {
        case erase, vacuum, pageSize, backup, checkpoint, truncation

        func apply(_ pool: DatabasePool, _ world: World) throws {
            switch self {
            case .erase: try pool.erase()
            case .vacuum: try pool.vacuum()
            case .pageSize:
                try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA page_size = 8192; VACUUM") }
            case .backup:
                let source = try DatabaseQueue()
                try source.write { db in
                    try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
                    try db.execute(sql: "INSERT INTO player (name) VALUES ('from a backup')")
                }
                try source.backup(to: pool)
            case .checkpoint: _ = try pool.writeWithoutTransaction { try $0.checkpoint(.passive) }
            case .truncation: _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
            }
        }
    }

    @Test(arguments: Change.allCases)
    func theReplicaHasTheDatabaseAfterAChangeOfAllPages(change: Change) async throws {
        let world = World()
        try await world.replicating { pool, service in
            for number in 0..<100 { try pool.insert("\(number)") }
            try await pool.insertReplicated("Anna")
            try change.apply(pool, world)
            try await pool.write { db in
                try db.execute(sql: "CREATE TABLE IF NOT EXISTS player (id INTEGER PRIMARY KEY, name TEXT)")
            }
            try await pool.insertReplicated("Ben")
            try await service.verify(pool)
        }
        let players = try await world.restoredPlayers()
        switch change {
        case .erase: #expect(players == ["Ben"])
        case .backup: #expect(players == ["from a backup", "Ben"])
        default: #expect(players.count == 102)
        }
    }

    private func writeAndCheckpoint(_ path: String) throws {
        let other = try DatabaseQueue(path: path)
        try other.insert("Ben")
        _ = try? other.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try other.insert("Cora")
        try other.close()
    }

    @Test func anotherConnectionMayWriteAndCheckpoint() async throws {
        let world = World()
        try await world.replicating { pool, service in
            try await pool.insertReplicated("Anna")
            try writeAndCheckpoint(world.path)
            try await pool.insertReplicated("Dora")
            try await service.verify(pool)
        }
        #expect(try await world.restoredPlayers() == ["Anna", "Ben", "Cora", "Dora"])
    }

    @Test func aDatabaseThatIsDeletedAndCreatedAgainIsRefused() async throws {
        let world = World()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        for name in try FileManager.default.contentsOfDirectory(atPath: world.folder.url.path) where name != "replica" {
            try FileManager.default.removeItem(atPath: world.folder.path(name))
        }
        let pool = try world.open()
        let running = RunningService(try world.service(pool))
        await expectReplicationError(.diverged) { try await running.wait() }
        #expect(try await world.restoredPlayers() == ["Anna"])
    }
}
#endif
