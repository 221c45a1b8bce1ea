#if Replication && (os(Linux) || os(macOS))
import Amalgam
import Foundation
import TestSupport
import Testing

/// Durations that Litestream, timers, or 64-bit numbers can't represent.
@Suite(.limited) struct DurationTests {
    static let durations = [Duration.seconds(Int64.max), .seconds(400 * 365 * 86_400)]

    @Test(arguments: durations)
    func aServiceAcceptsLongDurations(duration: Duration) async throws {
        let world = World()
        let pool = try world.open()
        let service = try world.service(pool, ownerCheckInterval: duration) { options in
            options.uploadInterval = duration
            options.snapshotInterval = duration
            options.snapshotRetention = duration
            options.shutdownTimeout = duration
        }
        let running = RunningService(service)
        try await pool.insertReplicated("Anna", timeout: duration)
        try await service.verify(pool)
        try await running.stop()
        #expect(service.status(of: pool)?.restartCount == 0)
        try pool.close()
        #expect(try await world.restoredPlayers() == ["Anna"])
    }

    @Test(arguments: durations)
    func aFollowerAcceptsLongIntervals(duration: Duration) async throws {
        let world = World()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        var options = Follower.Configuration()
        options.pollInterval = duration
        options.checkInterval = duration
        let follower = Follower(
            world.replica, folder: world.folder.path("follower"), configuration: options, logger: .silent)
        let running = RunningService(follower)
        try await wait("a copy") { follower.path != nil }
        #expect(try await follower.read(players) == ["Anna"])
        try await running.stop()
    }

    @Test func aWriteAcceptsANegativeTimeout() async throws {
        let world = World()
        try await world.replicating { pool, _ in
            try await pool.insertReplicated("Anna")
            let uploads = try world.stopUploads()
            // Many, because the time may end while the write begins to wait.
            for timeout in [Duration.seconds(Int64.min), .seconds(-1)] + Array(repeating: .zero, count: 50) {
                await expectReplicationError(.notReplicated) {
                    try await pool.insertReplicated("Ben", timeout: timeout)
                }
            }
            try uploads.resume()
            try await pool.insertReplicated("Cora")
        }
        #expect(try await world.restoredPlayers() == ["Anna"] + Array(repeating: "Ben", count: 52) + ["Cora"])
    }
}
#endif
