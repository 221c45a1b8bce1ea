import Amalgam
import AmalgamCore
import Foundation
import Synchronization
import TestSupport
import Testing

/// The state of the WAL file that a pool reads from its connections for a `WALPolicy`.
struct WALStateTests {
    let folder: Folder

    init() throws { folder = Folder() }

    private func connect(_ change: (inout Configuration) -> Void = { _ in }) throws -> Database {
        var configuration = Configuration()
        change(&configuration)
        return try Database(path: folder.path("db.sqlite"), description: "test", configuration: configuration)
    }

    @Test func frames() throws {
        let db = try connect()
        #expect(db.walState == nil)
        #expect(db.walFileSize == 0)
        #expect(db.walHolders.isEmpty)
        try db.activateWAL()
        try db.execute(sql: "CREATE TABLE t (a)")
        let state = try #require(db.walState)
        let counts = try db.checkpoint(.noop)
        #expect(state.frameCount == counts.walFrameCount)
        #expect(state.checkpointedFrameCount == 0)
        #expect(!state.isCheckpointed)
        #expect(state.size == db.walFileSize)
        try db.checkpoint()
        #expect(db.walState?.isCheckpointed == true)
        // Another connection writes.
        let other = try connect()
        try other.execute(sql: "INSERT INTO t VALUES (1)")
        #expect(db.walState?.isCheckpointed == false)
        try db.checkpoint(.truncate)
        #expect(db.walState?.size == 0)
        #expect(db.walFileSize == 0)
        db.close()
        #expect(db.walState == nil)
        #expect(db.walFileSize == 0)
        #expect(db.walHolders.isEmpty)
    }

    @Test func inMemory() throws {
        let db = try Database(path: ":memory:", description: "test", configuration: Configuration())
        #expect(db.walState == nil)
        #expect(db.walHolders.isEmpty)
        #expect(db.walFileSize == 0)
    }

    @Test func readsOfThisProcess() throws {
        let (db, other) = try (connect(), connect())
        defer {
            db.close()
            other.close()
        }
        try db.activateWAL()
        try db.execute(sql: "CREATE TABLE t (a)")
        #expect(db.walHolders.isEmpty)
        try other.execute(sql: "BEGIN")
        _ = try Int.fetchOne(other, sql: "SELECT COUNT(*) FROM t")
        #expect(db.walHolders.map(\.connection) == [other.walConnection])
        #expect(db.walHolders.map(\.processID) == [0])
        // The connection sees the last commit, so all frames can be copied.
        #expect(db.walHolders.map(\.isInTheWay) == [false])
        try db.execute(sql: "INSERT INTO t VALUES (1); BEGIN")
        _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
        let holders = db.walHolders.sorted { $0.mark < $1.mark }
        #expect(holders.map(\.connection) == [other.walConnection, db.walConnection])
        #expect(holders.map(\.isInTheWay) == [true, false])
        try db.execute(sql: "COMMIT")
        try other.execute(sql: "COMMIT")
        #expect(db.walHolders.isEmpty)
        // After all frames are copied, a connection that reads one of them prevents a restart of the file.
        try other.execute(sql: "BEGIN")
        _ = try Int.fetchOne(other, sql: "SELECT COUNT(*) FROM t")
        try db.checkpoint()
        #expect(db.walHolders.map(\.isInTheWay) == [true])
        try other.execute(sql: "COMMIT")
        #expect(Set([db.walConnection, other.walConnection, 0]).count == 3)
    }

    /// A checkpoint that doesn't wait disables the busy handler, and restores it.
    @Test func aCheckpointThatDoesNotWait() throws {
        let tries = Tries()
        let db = try connect { configuration in
            configuration.busyMode = .callback { _ in tries.add() < 3 }
        }
        try db.activateWAL()
        try db.execute(sql: "CREATE TABLE t (a)")
        let reader = try connect()
        try reader.execute(sql: "BEGIN")
        _ = try Int.fetchOne(reader, sql: "SELECT COUNT(*) FROM t")
        try db.execute(sql: "INSERT INTO t VALUES (1)")
        _ = expectFailure(.SQLITE_BUSY) { _ = try db.checkpointNow(.truncate) }
        #expect(tries.count == 0)
        let frames = try db.checkpointNow(.passive)
        #expect(frames.checkpointedFrameCount < frames.frameCount)
        #expect(tries.count == 0)
        _ = expectFailure(.SQLITE_BUSY) { _ = try db.checkpoint(.truncate) }
        #expect(tries.count > 0)
        try reader.execute(sql: "COMMIT")
        #expect(try db.checkpointNow(.truncate) == (0, 0))
    }

    private final class Tries: Sendable {
        private let number = Atomic<Int>(0)
        var count: Int { number.load(ordering: .relaxed) }
        func add() -> Int { number.add(1, ordering: .relaxed).newValue }
    }
}
