#if Replication && (os(Linux) || os(macOS))
import Amalgam
import Foundation
import TestSupport
import Testing

@testable import AmalgamReplication

/// A database that was replaced, or has lost transactions, while no service ran. Litestream's local files are unchanged.
@Suite(.limited) struct OwnerRowTests {
    private func removeDatabase(_ world: World) throws {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: world.path + suffix) }
    }

    private func expectRefusal(_ world: World) async throws {
        let pool = try world.open()
        let running = RunningService(try world.service(pool))
        let error = await expectReplicationError(.diverged) { try await running.wait() }
        #expect(error?.message.contains("has transactions that \(world.path) doesn't have") == true)
        #expect(error?.message.contains("takeOver(by:)") == true)
        try pool.close()
        #expect(try await world.restoredPlayers() == ["Anna", "Ben"])
    }

    enum Replacement: String, CaseIterable {
        case newDatabase, earlierCopy, backup

        func apply(_ world: World, _ remove: (World) throws -> Void) throws {
            let copy = world.folder.path("copy.sqlite")
            switch self {
            case .newDatabase: try remove(world)
            case .earlierCopy:
                try remove(world)
                try FileManager.default.moveItem(atPath: copy, toPath: world.path)
            case .backup:
                let (source, target) = (try DatabaseQueue(), try DatabaseQueue(path: world.path))
                try source.write { db in
                    try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
                }
                try source.backup(to: target)
                try target.close()
            }
        }
    }

    @Test(arguments: Replacement.allCases)
    func aDatabaseThatWasReplacedIsRefused(replacement: Replacement) async throws {
        let world = World()
        try await world.replicating { pool, _ in
            try await pool.insertReplicated("Anna")
            try await pool.vacuum(into: world.folder.path("copy.sqlite"))
            try await pool.insertReplicated("Ben")
        }
        try replacement.apply(world, removeDatabase)
        try await expectRefusal(world)
        try await expectRefusal(world)

        // The way out.
        let pool = try world.open()
        try await world.replica.takeOver(by: pool)
        try pool.close()
        try await world.replicating { pool, service in
            try await pool.insertReplicated("Cora")
            try await service.verify(pool)
        }
        #expect(try await world.restoredPlayers() == (replacement == .earlierCopy ? ["Anna", "Cora"] : ["Cora"]))
    }

    /// A crash of the machine loses the frames that weren't synced, which are in the replica.
    @Test(arguments: [true, false])
    func aDatabaseThatLostFramesIsRefused(losesAll: Bool) async throws {
        let world = World()
        try await world.replicating { pool, _ in
            for name in ["Anna", "Ben"] { try await pool.insertReplicated(name) }
        }
        let file = URL(fileURLWithPath: world.path + "-wal")
        let content = try Data(contentsOf: file)
        let lost = losesAll ? content.count - 32 : 4096
        try (content.dropLast(lost) + Data(count: lost)).write(to: file)
        try FileManager.default.removeItem(atPath: world.path + "-shm")
        let pool = try DatabasePool(path: world.path, configuration: .replicated)
        let running = RunningService(try world.service(pool))
        await expectReplicationError(.diverged) { try await running.wait() }
        try pool.close()
        #expect(try await world.restoredPlayers() == ["Anna", "Ben"])
    }

    @Test func aDatabaseThatIsRestoredToTheSamePathContinuesTheReplica() async throws {
        let world = World()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        try removeDatabase(world)
        try await world.replica.restore(to: world.path)
        for name in ["Ben", "Cora"] {
            try await world.replicating { pool, _ in try await pool.insertReplicated(name) }
        }
        #expect(try await world.restoredPlayers() == ["Anna", "Ben", "Cora"])
    }

    @Test func aDatabaseThatIsReplacedDuringTheReplicationIsAccepted() async throws {
        let world = World()
        try await world.replicating { pool, _ in
            try await pool.insertReplicated("Anna")
            try await pool.erase()
        }
        try await world.replicating { pool, _ in try await pool.insertReplicated("Ben") }
        #expect(try await world.restoredPlayers() == ["Ben"])
    }

    @Test func copiesFromBeforeTheLastCheckAreRefused() async throws {
        let world = World()
        let pool = try world.open()
        let running = RunningService(try world.service(pool, ownerCheckInterval: .milliseconds(100)))
        try await pool.insertReplicated("Anna")
        try await pool.vacuum(into: world.folder.path("copy.sqlite"))
        let before = try await pool.read(owner)
        try await pool.insertReplicated("Ben")
        try await wait("a replacement of the row") { try await pool.read(owner) != before }
        try await running.stop()
        try pool.close()
        try Replacement.earlierCopy.apply(world, removeDatabase)
        try await expectRefusal(world)
    }

    /// The listing of a store has sizes only. SQLite leaves deleted content on a page, which is packed as a whole: the rests
    /// of earlier values must not have a part in the sizes.
    @Test func copiesOfAMachineWriteTransactionsOfDifferentSizes() async throws {
        let world = World()
        try await world.replaceOwnerRow()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        let copies = try (0..<2).map { _ in
            let copy = World()
            for name in try FileManager.default.contentsOfDirectory(atPath: world.folder.url.path) {
                try FileManager.default.copyItem(atPath: world.folder.path(name), toPath: copy.folder.path(name))
            }
            return copy
        }
        for copy in copies { try await copy.replicateOwnerRow() }
        copies[0].expectDifference(from: try await copies[1].replica.files(), Replica(url: "s3://bucket/path"))
    }

    @Sendable private func owner(_ db: Database) throws -> Data? {
        try Data.fetchOne(db, sql: "SELECT owner FROM _amalgam_replication")
    }
}
#endif
