import Amalgam
import AmalgamCore
import AmalgamSessions
import Foundation
import TestSupport
import Testing

/// A suspended connection refuses SQLite calls that lock files without a statement, as it refuses statements.
struct SuspensionOfCallsTests {
    typealias Mode = SuspensionTests.Mode

    func expectSuspended(
        sql: String? = nil, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    ) {
        expectError(.SQLITE_ABORT, "Database is suspended", sql: sql, sourceLocation: sourceLocation, body)
    }

    /// Expects that a call that reads works in WAL mode only.
    func expectRead(
        _ mode: Mode, sql: String? = nil, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    ) throws {
        if mode == .wal { try body() } else { expectSuspended(sql: sql, sourceLocation: sourceLocation, body) }
    }

    // MARK: Blobs

    @Test(arguments: Mode.allCases)
    func opening(mode: Mode) throws {
        try mode.run { db in
            db.access.interrupter.suspend()
            try expectRead(mode) {
                try db.withBlob(table: "player", column: "name", rowID: 1) { blob in
                    expectEqual(try blob.readAll(), Data("Anna".utf8))
                }
            }
            expectSuspended { _ = try db.openBlob(table: "player", column: "name", rowID: 1, access: .readWrite) }
            expectSuspended(sql: "BEGIN IMMEDIATE TRANSACTION") {
                try db.withBlob(table: "player", column: "name", rowID: 1, access: .readWrite) { _ in }
            }
        }
    }

    @Test(arguments: Mode.allCases)
    func aBlobThatIsOpenIsRead(mode: Mode) throws {
        try mode.run { db in
            let blob = try db.openBlob(table: "player", column: "name", rowID: 1)
            db.access.interrupter.suspend()
            #expect(try blob.readAll() == Data("Anna".utf8))
            try blob.close()
        }
    }

    @Test(arguments: Mode.allCases)
    func writing(mode: Mode) throws {
        try mode.run { db in
            expectSuspended {
                try db.withBlob(table: "player", column: "name", rowID: 1, access: .readWrite) { blob in
                    try blob.write(Data("E".utf8))
                    db.access.interrupter.suspend()
                    expectSuspended { try blob.write(Data("F".utf8)) }
                    #expect(!db.isInsideTransaction)
                    // The transaction was rolled back, and the blob was closed.
                    expectCode(.SQLITE_ABORT) { try blob.readAll() }
                    throw DatabaseError(resultCode: .SQLITE_ABORT, message: "Database is suspended")
                }
            }
            db.access.interrupter.resume()
            expectEqual(try db.playerNames.first, "Anna")
        }
    }

    /// Outside of a transaction, closing the blob is the commit.
    @Test(arguments: Mode.allCases)
    func writingOutsideOfATransaction(mode: Mode) throws {
        try mode.run { db in
            let blob = try db.openBlob(table: "player", column: "name", rowID: 1, access: .readWrite)
            try blob.write(Data("E".utf8))
            db.access.interrupter.suspend()
            expectSuspended { try blob.write(Data("F".utf8), at: 1) }
            try blob.close()
            db.access.interrupter.resume()
            expectEqual(try db.playerNames.first, "Enna")
        }
    }

    // MARK: Files

    @Test(arguments: Mode.allCases)
    func checkpoints(mode: Mode) throws {
        try mode.run { db in
            db.access.interrupter.suspend()
            for kind in [Database.CheckpointMode.passive, .full, .restart, .truncate] {
                expectSuspended { try db.checkpoint(kind) }
            }
            try expectRead(mode) {
                let frames = try db.checkpoint(.noop)
                #expect(frames.walFrameCount > 0)
            }
            db.access.interrupter.resume()
            try db.checkpoint(.truncate)
        }
    }

    @Test(arguments: Mode.allCases)
    func versions(mode: Mode) throws {
        try mode.run { db in
            db.access.interrupter.suspend()
            try expectRead(mode) { _ = try db.snapshotVersion() }
        }
    }

    /// Checkpoints of a policy don't belong to a commit.
    @Test(arguments: Mode.allCases)
    func checkpointsThatWaitForNobody(mode: Mode) throws {
        try mode.run { db in
            db.access.interrupter.suspend()
            expectSuspended { _ = try db.checkpointNow(.passive) }
            db.access.interrupter.resume()
            let frames = try db.checkpointNow(.passive)
            #expect(frames.frameCount == frames.checkpointedFrameCount)
        }
    }

    /// A commit is allowed, but runs no checkpoint.
    @Test func automaticCheckpoints() throws {
        try Mode.wal.run { db in
            try db.setAutomaticCheckpoint(.frames(1))
            try db.inTransaction {
                try db.execute(sql: SuspensionTests.insertion)
                db.access.interrupter.suspend()
                return .commit
            }
            let frames = try db.checkpoint(.noop)
            #expect(frames.checkpointedFrameCount < frames.walFrameCount)
            db.access.interrupter.resume()
            // A checkpoint by a closure is refused.
            try db.onWALCommit { db, _ in try db.checkpoint() }
            try db.beginTransaction()
            try db.execute(sql: SuspensionTests.insertion)
            db.access.interrupter.suspend()
            expectSuspended { try db.commit() }
            #expect(!db.isInsideTransaction)
            expectEqual(try db.playerNames.count, 5)
        }
    }

    @Test(arguments: Mode.allCases)
    func flushingTheCache(mode: Mode) throws {
        try mode.run { db in
            try db.execute(sql: "BEGIN; \(SuspensionTests.insertion)")
            db.access.interrupter.suspend()
            expectSuspended { try db.flushCache() }
            #expect(!db.isInsideTransaction)
        }
    }

    @Test(arguments: Mode.allCases)
    func erasing(mode: Mode) throws {
        try mode.withQueue { dbQueue in
            dbQueue.suspend()
            expectSuspended { try dbQueue.erase() }
            expectSuspended(sql: "VACUUM") { try dbQueue.vacuum() }
            dbQueue.resume()
            expectEqual(try dbQueue.read { try $0.playerNames.count }, 3)
        }
    }

    @Test(arguments: Mode.allCases)
    func bytes(mode: Mode) throws {
        try mode.run { db in
            let bytes = try db.serialize()
            db.access.interrupter.suspend()
            try expectRead(mode, sql: #"PRAGMA "main".page_count"#) { expectEqual(try db.serialize(), bytes) }
            try expectRead(mode) { try db.withSerializedBytes { expectEqual($0.count, bytes.count) } }
            if mode == .memory { expectSuspended { try db.deserialize(bytes) } }
            db.access.interrupter.resume()
            expectEqual(try db.playerNames.count, 3)
        }
    }

    // MARK: Look-ups of the schema

    @Test(arguments: Mode.allCases)
    func schema(mode: Mode) throws {
        try mode.run { db in
            db.access.interrupter.suspend()
            try expectRead(mode) { expectEqual(try db.tableExists("player"), true) }
            try expectRead(mode) { expectEqual(try db.primaryKey("player").columns, ["id"]) }
            try expectRead(mode) { expectEqual(try db.columns(in: "team").count, 2) }
            db.access.interrupter.resume()
            expectEqual(try db.tableExists("player"), true)
        }
    }

    // MARK: Backups

    /// The backup reads the source, and writes the destination.
    @Test(arguments: Mode.allCases, Mode.allCases)
    func beginningABackup(from sourceMode: Mode, to destinationMode: Mode) throws {
        try sourceMode.run { source in
            try destinationMode.run { destination in
                try destination.execute(sql: "DELETE FROM player")
                destination.access.interrupter.suspend()
                expectSuspended { try source.backup(to: destination) }
                destination.access.interrupter.resume()
                expectEqual(try destination.playerNames, [])
                source.access.interrupter.suspend()
                try expectRead(sourceMode) { try source.backup(to: destination) }
                source.access.interrupter.resume()
                expectEqual(try destination.playerNames.count, sourceMode == .wal ? 3 : 0)
            }
        }
    }

    @Test(arguments: [true, false])
    func aBackupUnderWay(suspendsSource: Bool) throws {
        try Mode.delete.run { source in
            try Mode.delete.run { destination in
                try destination.execute(sql: "DELETE FROM player")
                let interrupter = suspendsSource ? source.access.interrupter : destination.access.interrupter
                try source.withBackup(to: destination) { backup in
                    try backup.step(pages: 1)
                    interrupter.suspend()
                    expectCode(.SQLITE_INTERRUPT) { try backup.step() }
                    expectSuspended { try backup.step() }
                    interrupter.resume()
                    try backup.step()
                }
                expectEqual(try destination.playerNames.count, 3)
                try source.execute(sql: "DELETE FROM player")
                expectSuspended {
                    try source.withBackup(to: destination) { backup in
                        try backup.step(pages: 1)
                        interrupter.suspend()
                        expectCode(.SQLITE_INTERRUPT) { try backup.step() }
                        try backup.step()
                    }
                }
                interrupter.resume()
                expectEqual(try destination.playerNames.count, 3)
            }
        }
    }

    // MARK: Sessions

    @Test(arguments: Mode.allCases)
    func changesets(mode: Mode) throws {
        try mode.run { db in
            let session = try db.makeSession()
            try db.execute(sql: "DELETE FROM player WHERE id = 1")
            let changeset = try session.changeset()
            db.access.interrupter.suspend()
            try expectRead(mode) { try expectEqual(session.changeset().lines, changeset.lines) }
            try expectRead(mode) { try expectEqual(session.patchset().count, 1) }
            expectSuspended { try db.apply(changeset.inverted()) }
            db.access.interrupter.resume()
            try db.apply(changeset.inverted())
            expectEqual(try db.playerNames.count, 3)
            try db.execute(sql: "BEGIN IMMEDIATE")
            db.access.interrupter.suspend()
            expectSuspended { try db.apply(changeset) }
            #expect(!db.isInsideTransaction)
        }
    }

    @Test(arguments: Mode.allCases)
    func differences(mode: Mode) throws {
        try mode.run { db in
            try db.execute(
                sql: """
                    ATTACH DATABASE ':memory:' AS other;
                    CREATE TABLE other.team (id INTEGER PRIMARY KEY, name TEXT NOT NULL)
                    """)
            let session = try Session(db)
            try session.attach()
            db.access.interrupter.suspend()
            try expectRead(mode) { try session.recordDifference(from: "other", table: "team") }
        }
    }

    /// The application's transaction stays open until its end, which undoes its changes.
    @Test(arguments: Mode.allCases)
    func whileChangesAreApplied(mode: Mode) throws {
        try mode.run { db in
            let changeset = try db.recordChanges {
                try db.execute(sql: "UPDATE player SET score = 11; DELETE FROM team WHERE id = 99")
            }
            try db.execute(sql: "UPDATE player SET score = 12 WHERE id = 2")
            let before = try db.rows(of: "player")
            let insertion = try db.makeStatement(sql: SuspensionTests.insertion)
            expectSuspended(sql: SuspensionTests.insertion) {
                try db.apply(changeset) { _ in
                    db.access.interrupter.suspend()
                    try insertion.execute()
                    return .omit
                }
            }
            #expect(!db.isInsideTransaction)
            db.access.interrupter.resume()
            expectEqual(try db.rows(of: "player"), before)
        }
    }
}
