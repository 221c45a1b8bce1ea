#if Replication && (os(Linux) || os(macOS))
import Amalgam
import Foundation
import TestSupport
import Testing

@testable import AmalgamReplication

/// Writing to the socket of an engine that has ended fails. The system must not send `SIGPIPE`, which would end this
/// process.
@Suite(.limited) struct LifelineTests {
    @Test func anEngineThatHasEndedDoesNotEndThisProcess() throws {
        let previous = signal(SIGPIPE, SIG_DFL)
        defer { signal(SIGPIPE, previous) }
        let lifeline = try Lifeline()
        close(lifeline.engineEnd)
        lifeline.processDidEnd()
        lifeline.processDidEnd()
    }

    /// A task that is cancelled at once ends its process in any state.
    @Test func cancelledTasksDoNotEndThisProcess() async throws {
        let world = World()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        let path = world.folder.path("restored.sqlite")
        let follower = Follower(world.replica, folder: world.folder.path("follower"), logger: .silent)
        let bodies: [@Sendable () async throws -> Void] = [
            { _ = try await world.replica.transactions() },
            { try await world.replica.restore(to: path) },
            { try await follower.run() },
            { _ = try await DatabasePool(path: path, restoringFrom: world.replica, configuration: .replicated) },
        ]
        for body in bodies {
            let task = Task { try await body() }
            task.cancel()
            _ = await task.result
        }
        #expect(try await world.restoredPlayers() == ["Anna"])
    }
}
#endif
