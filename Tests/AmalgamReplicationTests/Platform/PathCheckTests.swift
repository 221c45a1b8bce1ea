#if Replication && (os(Linux) || os(macOS))
import Amalgam
import Foundation
import TestSupport
import Testing

/// The system ends a path at a NUL character: another file would be written than the one that was named.
@Suite(.limited) struct PathCheckTests {
    @Test func pathsWithNULCharactersAreRefused() async throws {
        let world = World()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        let folder = Folder()
        let path = folder.path("db") + "\0.sqlite"
        var engine = ReplicationEngine(path: Tools.litestream + "\0")
        let address = world.replica.url
        let actions: [@Sendable () async throws -> Void] = [
            { try await world.replica.restore(to: path) },
            { _ = try await DatabasePool(path: path, restoringFrom: world.replica, configuration: .replicated) },
            { try await Follower(world.replica, folder: path, logger: .silent).run() },
            { _ = try await Replica(url: address + "\0x", engine: Tools.engine).transactions() },
            { [engine] in try await engine.version() },
        ]
        for action in actions { await expectReplicationError(.invalidConfiguration) { try await action() } }
        engine = ReplicationEngine(path: Tools.litestream, environment: ["NAME": "a\0b"])
        let replica = Replica(url: address, engine: engine)
        await expectReplicationError(.invalidConfiguration) { _ = try await replica.transactions() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    }
}
#endif
