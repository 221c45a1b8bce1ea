#if Replication && (os(Linux) || os(macOS))
import Amalgam
import Foundation
import Synchronization
import TestSupport
import Testing

/// Durable writes during the shutdown of a service, and after it.
@Suite(.limited) struct ShutdownTests {
    /// What became of the transactions of a writer.
    private struct Outcome {
        var replicated: [String] = []
        var committed: [String] = []
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .relaxed) }
        func set() { value.store(true, ordering: .relaxed) }
    }

    @Test func eachWriteDuringTheShutdownIsUploadedOrReported() async throws {
        let world = World()
        let pool = try world.open()
        let service = try world.service(pool)
        let running = RunningService(service)
        try await pool.insertReplicated("first")
        let (isDone, refusals) = (Flag(), Box(0))
        let writers = (0..<4).map { writer in
            Task {
                var outcome = Outcome()
                for number in 0... {
                    let name = "\(writer)-\(number)"
                    do {
                        try await pool.insertReplicated(name)
                        outcome.replicated.append(name)
                    } catch let error as ReplicationError where error.isCommitted {
                        outcome.committed.append(name)
                    } catch let error as ReplicationError where error.code == .unsuitableDatabase {
                        refusals.increment()
                        try await Task.sleep(for: .milliseconds(10))
                    }
                    if isDone.isSet { break }
                }
                return outcome
            }
        }
        try await wait("uploads") { try await pool.read(players).count > 50 }
        // Throws an error if the last transactions aren't known to be uploaded.
        try? await running.stop()
        try await wait("a write after the end") { refusals.value > 0 }
        isDone.set()
        var all = Outcome()
        for writer in writers {
            let outcome = try await writer.value
            all.replicated += outcome.replicated
            all.committed += outcome.committed
        }
        #expect(Set(try await pool.read(players)) == Set(all.replicated + all.committed + ["first"]))
        let restored = Set(try await world.restoredPlayers())
        #expect(restored.isSuperset(of: all.replicated), "\(Set(all.replicated).subtracting(restored))")
        withExtendedLifetime(service) {}
    }

    @Test func aWriteThatWaitsAtTheEndOfTheServiceIsReported() async throws {
        let world = World()
        let pool = try world.open()
        let service = try world.service(pool)
        let running = RunningService(service)
        try await pool.insertReplicated("Anna")
        let uploads = try world.stopUploads()
        let task = Task { try await pool.insertReplicated("Ben") }
        try await wait("a commit") { service.status(of: pool)?.pendingTransactionCount == 1 }
        let end = await expectReplicationError(.notReplicated) { try await running.stop() }
        #expect(end?.message.contains("1 transactions are committed") == true)
        let error = await expectReplicationError(.notReplicated) { try await task.value }
        #expect(error?.isCommitted == true && error?.message.contains("before the end of the service") == true)
        #expect(try await pool.read(players) == ["Anna", "Ben"])

        // After the end of the service, a durable write doesn't begin.
        let refused = await expectReplicationError(.unsuitableDatabase) { try await pool.insertReplicated("Cora") }
        #expect(refused?.message.contains("has ended") == true)
        #expect(try await pool.read(players) == ["Anna", "Ben"])
        try pool.close()

        // The next service uploads the transaction.
        try uploads.resume()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Dora") }
        #expect(try await world.restoredPlayers() == ["Anna", "Ben", "Dora"])
        withExtendedLifetime(service) {}
    }
}
#endif
