import Amalgam
import Foundation
import TestSupport
import Testing

/// Checkpoints copy the WAL file to the database file.
struct CheckpointTests {
    let folder: Folder

    init() throws { folder = Folder() }

    func pool(_ configuration: Configuration = Configuration()) throws -> DatabasePool {
        try DatabasePool(path: folder.path("db.sqlite"), configuration: configuration)
    }

    func walSize() throws -> Int {
        try Data(contentsOf: URL(fileURLWithPath: folder.path("db.sqlite-wal"))).count
    }

    static let modes: [Database.CheckpointMode] = [.noop, .passive, .full, .restart, .truncate]

    @Test func rawValuesAreThoseOfSQLite() {
        #expect(Self.modes.map(\.rawValue) == [-1, 0, 1, 2, 3])
        #expect(Database.CheckpointMode(rawValue: 4) == nil)
    }

    @Test(arguments: [DatabaseKind.memory, .file], modes)
    func notInWALMode(kind: DatabaseKind, mode: Database.CheckpointMode) throws {
        try kind.run { db in
            try db.createTeams()
            let frames = try db.checkpoint(mode)
            #expect(frames == (walFrameCount: -1, checkpointedFrameCount: -1))
        }
    }

    @Test(arguments: modes)
    func allModes(mode: Database.CheckpointMode) throws {
        let pool = try pool()
        try pool.writeWithoutTransaction { db in
            try db.createTeams()
            let before = try db.checkpoint(.noop)
            #expect(before.walFrameCount > 0)
            #expect(before.checkpointedFrameCount == 0)
            let frames = try db.checkpoint(mode)
            switch mode {
            case .noop: #expect(frames == before)
            case .truncate: #expect(frames == (0, 0))
            default: #expect(frames == (before.walFrameCount, before.walFrameCount))
            }
        }
        #expect(try (walSize() == 0) == (mode == .truncate))
    }

    @Test func aFreshPool() throws {
        let pool = try pool()
        let passive = try pool.writeWithoutTransaction { try $0.checkpoint() }
        #expect(passive.walFrameCount >= 0 && passive.checkpointedFrameCount >= 0)
        let truncated = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        #expect(truncated == (0, 0))
    }

    @Test func schemas() throws {
        let other = folder.path("other.sqlite")
        try pool().writeWithoutTransaction { db in
            try db.createTeams()
            try db.execute(sql: "ATTACH DATABASE ? AS other", arguments: [other])
            try db.execute(sql: "PRAGMA other.journal_mode = WAL; CREATE TABLE other.t (a)")
            #expect(try db.checkpoint(on: "other").checkpointedFrameCount == 2)
            #expect(try db.checkpoint(.noop, on: "main").checkpointedFrameCount == 0)
            // All databases are checkpointed, and the numbers are those of main.
            #expect(try db.checkpoint(on: nil).checkpointedFrameCount > 2)
            #expect(try db.checkpoint(on: "temp") == (-1, -1))
            _ = expectFailure(.SQLITE_ERROR, "unknown database: nope") { try db.checkpoint(on: "nope") }
            expectError(.SQLITE_MISUSE, "A name must not contain a NUL character.") {
                try db.checkpoint(on: "main\0")
            }
        }
    }

    // MARK: Locks

    @Test func aReaderKeepsSomeFrames() throws {
        let pool = try pool()
        try pool.write { try $0.createTeams() }
        try pool.read { reader in
            _ = try reader.playerNames
            try pool.writeWithoutTransaction { db in
                try db.execute(sql: "DELETE FROM player")
                let frames = try db.checkpoint(.passive)
                #expect(frames.checkpointedFrameCount > 0)
                #expect(frames.checkpointedFrameCount < frames.walFrameCount)
            }
        }
        let frames = try pool.writeWithoutTransaction { try $0.checkpoint(.full) }
        #expect(frames.walFrameCount == frames.checkpointedFrameCount)
    }

    @Test(arguments: [Database.CheckpointMode.full, .restart, .truncate])
    func busy(mode: Database.CheckpointMode) throws {
        let pool = try pool()
        try pool.write { try $0.createTeams() }
        let other = try DatabaseQueue(path: folder.path("db.sqlite"))
        try other.inTransaction(.deferred) { reader in
            _ = try reader.playerNames
            try pool.writeWithoutTransaction { db in
                try db.execute(sql: "DELETE FROM player")
                _ = expectFailure(.SQLITE_BUSY) { try db.checkpoint(mode) }
                // All frames that no reader needs were copied.
                #expect(try db.checkpoint(.noop).checkpointedFrameCount > 0)
            }
            return .commit
        }
    }

    @Test(arguments: modes.filter { $0 != .noop })
    func insideATransaction(mode: Database.CheckpointMode) throws {
        let pool = try pool()
        try pool.write { try $0.createTeams() }
        try pool.write { db in
            expectError(
                .SQLITE_LOCKED, "A checkpoint cannot run while its connection is in a transaction, or reads."
            ) { try db.checkpoint(mode) }
            try db.execute(sql: "DELETE FROM player")
        }
        #expect(try pool.read { try $0.playerNames } == [])
    }

    @Test func outsideOfAnAccess() throws {
        let leaked = try pool().writeWithoutTransaction { $0 }
        _ = expectFailure(.SQLITE_MISUSE) { try leaked.checkpoint() }
    }

    @Test func aCancelledAccess() async throws {
        let pool = try pool()
        try await pool.write { try $0.createTeams() }
        let task = Task {
            try await pool.writeWithoutTransaction { db in
                withUnsafeCurrentTask { $0?.cancel() }
                while true { _ = try db.checkpoint() }
            }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
