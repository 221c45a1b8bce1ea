#if Replication && (os(Linux) || os(macOS))
import Amalgam
import Foundation
import TestSupport
import Testing

/// A replica with two owners, one after the other.
struct OwnerTests {
    /// Copies the database and the files of the engine, as a snapshot of the machine would.
    private func copy(_ world: World) throws -> World {
        let copy = World(world.replica)
        for name in try FileManager.default.contentsOfDirectory(atPath: world.folder.url.path) where name != "replica" {
            try FileManager.default.copyItem(atPath: world.folder.path(name), toPath: copy.folder.path(name))
        }
        return copy
    }

    private func expectRefusal(_ world: World, _ reason: String) async throws {
        let pool = try world.open()
        let running = RunningService(try world.service(pool))
        let error = await expectReplicationError(.diverged) { try await running.wait() }
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("restore the replica to a new file") == true)
        #expect(error?.message.contains("replicate to a new path") == true)
        try pool.close()
    }

    @Test func aReplicaThatIsAheadIsRefused() async throws {
        let world = World()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        let old = try copy(world)
        try await world.replicating { pool, _ in try await pool.insertReplicated("Ben") }
        try await expectRefusal(old, "is ahead")
        #expect(try await world.restoredPlayers() == ["Anna", "Ben"])
    }

    @Test func aReplicaOfAnotherDatabaseIsRefused() async throws {
        let world = World()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        let other = World(world.replica)
        try await expectRefusal(other, "wasn't restored from")
    }

    @Test func aReplicaWithAnotherTransactionOfTheSameNumberIsRefused() async throws {
        let world = World()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        // The copy's engine runs without the store, and reads a transaction from its WAL file.
        let other = try copy(world)
        let elsewhere = World(Replica(folder: world.folder.path("elsewhere")))
        try FileManager.default.copyItem(
            atPath: world.folder.path("replica"), toPath: world.folder.path("elsewhere"))
        let pool = try other.open()
        let running = RunningService(
            try ReplicationService(pool, to: elsewhere.replica, logger: .silent))
        try await pool.insertReplicated(String(repeating: "another transaction", count: 20))
        try await running.stop()
        try pool.close()

        try await world.replicating { pool, _ in try await pool.insertReplicated("Ben") }
        let (own, others) = (try await world.replica.transactions(), try await elsewhere.replica.transactions())
        #expect(own.last?.number == others.last?.number)
        try await expectRefusal(other, "that differs")
    }

    @Test func aRestoredDatabaseContinuesTheReplica() async throws {
        let world = World()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        let next = World(world.replica)
        let pool = try await DatabasePool(path: next.path, restoringFrom: world.replica, configuration: .replicated)
        try pool.insert("Ben")
        try pool.close()
        try await next.replicating { pool, service in
            try await pool.insertReplicated("Cora")
            try await service.verify(pool)
        }
        #expect(try await world.restoredPlayers() == ["Anna", "Ben", "Cora"])
        // The first owner is behind now.
        try await expectRefusal(world, "is ahead")
    }
}
#endif
