#if Replication && os(Linux)
import Amalgam
import Foundation
import TestSupport
import Testing

/// Replication leaves the locks of the pool alone. Without them, another process that closes the database deletes the WAL
/// file under the pool, with all commits since then.
@Suite(.limited) struct ReplicationFileLocksTests {
    @Test func aServiceReleasesNoLock() async throws {
        let world = World()
        let pool = try world.open()
        try await expectLocksOfAPool(world.path, "before")
        let service = try world.service(pool)
        try await expectLocksOfAPool(world.path, "after the initializer")
        let running = RunningService(service)
        try await pool.insertReplicated("Anna")
        try await expectLocksOfAPool(world.path, "while the service runs")
        try await service.verify(pool)
        try await expectLocksOfAPool(world.path, "after a verification")
        await expectReplicationError(.fileExists) { try await world.replica.restore(to: world.path) }
        try await world.replica.restore(to: world.folder.path("restored.sqlite"))
        try await expectLocksOfAPool(world.path, "after restores")
        await expectReplicationError(.inUse) { try await world.replica.takeOver(by: pool) }
        try await running.stop()
        try await expectLocksOfAPool(world.path, "after the service")
        try await world.replica.takeOver(by: pool)
        _ = try await DatabasePool(path: world.path, restoringFrom: world.replica, configuration: .replicated)
        try await expectLocksOfAPool(world.path, "after a second pool")
        try pool.close()
    }

    @Test func aFollowerReleasesNoLock() async throws {
        let world = World()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        let follower = Follower(world.replica, folder: world.folder.path("follower"), logger: .silent)
        let running = RunningService(follower)
        try await wait("a copy") { follower.path != nil }
        // A read of a file that isn't in WAL mode holds the lock until its end.
        try await follower.read { db in
            _ = try players(db)
            let path = try #require(db.filePath())
            _ = follower.transaction
            // The list may lack lines while other locks change.
            try waitUntil("the lock") { try fileLocks(path) == ["READ 1073741826 1073742335"] }
        }
        try await running.stop()
    }
}
#endif
