#if Replication && (os(Linux) || os(macOS))
import Amalgam
import Foundation
import TestSupport
import Testing

@testable import AmalgamReplication

/// Replicas in an S3 store. There are few tests, because each starts a store, which takes seconds.
@Suite(.limited) struct ObjectStoreTests {
    @Test func aReplicaInAStoreThatRefusesStopsAndComesBack() async throws {
        let store = try await ObjectStore()
        // A path has any characters.
        let path = "play ers?1#2%3+4&5ä"
        let world = World(store.replica(path))

        // Wrong credentials: the error says so, without them.
        let wrong = store.replica(path, secretKey: "wrong-secret-key")
        let error = await expectReplicationError(.engineFailed) { _ = try await wrong.transactions() }
        #expect(error?.message.contains("SignatureDoesNotMatch") == true)
        #expect(error?.message.contains("wrong-secret-key") == false)

        try await world.replicating { pool, service in
            try await pool.insertReplicated("Anna")

            store.stop()
            let error = await expectReplicationError(.notReplicated) {
                try await pool.insertReplicated("Ben", timeout: .seconds(1))
            }
            #expect(error?.isCommitted == true)
            let status = try #require(service.status(of: pool))
            #expect(status.pendingTransactionCount == 1 && status.delay > .milliseconds(500))
            try await wait("an error") { service.status(of: pool)?.lastError != nil }
            #expect(service.status(of: pool)?.lastError?.hasPrefix("An upload takes longer than 5 seconds") == true)

            // Writes don't wait for a verification that waits for the store. The engine has a request of the service, too.
            let requests = try world.engineRequestCount()
            let verification = Task { try await service.verify(pool) }
            if let requests {
                try await wait("a verification") { try world.engineRequestCount() ?? 0 > requests }
            }
            for _ in 0..<20 { try pool.insert("during the verification") }
            store.resume()
            _ = try await verification.value
            try await pool.write { try $0.execute(sql: "DELETE FROM player WHERE name LIKE 'during%'") }

            try await pool.insertReplicated("Cora")
            #expect(service.status(of: pool)?.pendingTransactionCount == 0)
            try await service.verify(pool)
        }
        #expect(try await world.restoredPlayers() == ["Anna", "Ben", "Cora"])

        // A shutdown while the store is away says what isn't uploaded.
        let late = await expectReplicationError(.notReplicated) {
            try await world.replicating(shutdownTimeout: .seconds(5)) { pool, service in
                try await pool.insertReplicated("Dora")
                store.stop()
                try pool.insert("Emil")
            }
        }
        #expect(late?.message.contains("1 transactions are committed") == true)
        store.resume()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Fred") }
        #expect(try await world.restoredPlayers().suffix(2) == ["Emil", "Fred"])
    }

    @Test func aServiceThatStartsWhileTheStoreIsAwaySaysSoAndStartsLater() async throws {
        let store = try await ObjectStore()
        let world = World(store.replica("players"))
        let message = "The store of s3://tests/players doesn't answer"

        // A shutdown ends the wait for the store.
        store.stop()
        let late = await expectReplicationError(.notReplicated) {
            try await world.replicating(shutdownTimeout: .seconds(5)) { pool, service in
                try await wait("an error") { service.status(of: pool)?.lastError != nil }
            }
        }
        #expect(late?.message.contains("isn't known to be in the replica") == true)
        #expect(late?.message.contains(message) == true, "\(late?.message ?? "")")

        try await world.replicating { pool, service in
            try await wait("an error") { service.status(of: pool)?.lastError != nil }
            let status = try #require(service.status(of: pool))
            #expect(status.lastError?.contains(message) == true, "\(status.lastError ?? "")")
            #expect(!status.isEngineRunning && status.restartCount == 0 && status.lastUpload == nil)
            try pool.insert("Anna")
            let error = await expectReplicationError(.notReplicated) {
                try await pool.insertReplicated("Ben", timeout: .seconds(1))
            }
            #expect(error?.isCommitted == true && error?.message.contains(message) == true)

            store.resume()
            try await pool.insertReplicated("Cora")
            #expect(service.status(of: pool)?.lastError == nil)
        }
        #expect(try await world.restoredPlayers() == ["Anna", "Ben", "Cora"])
    }

    /// The listing of a store has sizes, and no checksums. Each copy uploads the transactions of its row only.
    @Test func copiesOfAMachineAreToldApart() async throws {
        let store = try await ObjectStore()
        let world = World(store.replica("players"))
        try await world.replaceOwnerRow()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        // The second path keeps what the copy would upload to the first one at the same time.
        let copy = World(store.replica("copy"))
        for name in try FileManager.default.contentsOfDirectory(atPath: world.folder.url.path) {
            try FileManager.default.copyItem(atPath: world.folder.path(name), toPath: copy.folder.path(name))
        }
        for world in [world, copy] { try await world.replicateOwnerRow() }
        copy.expectDifference(from: try await world.replica.files(), world.replica)
    }
}
#endif
