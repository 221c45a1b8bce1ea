import Amalgam
import Foundation
import TestSupport
import Testing

/// Versions of a database in WAL mode, and their order.
struct SnapshotVersionTests {
    let folder: Folder

    init() throws { folder = Folder() }

    func pool(_ name: String = "db.sqlite", _ configuration: Configuration = Configuration()) throws -> DatabasePool {
        try DatabasePool(path: folder.path(name), configuration: configuration)
    }

    /// Opens another connection to the file, as another application would.
    func queue(_ name: String = "db.sqlite", readonly: Bool = false) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = readonly
        return try DatabaseQueue(path: folder.path(name), configuration: configuration)
    }

    // MARK: Order

    @Test func commitsAreOrdered() throws {
        let pool = try pool()
        let versions = try (0..<4).map { number in
            try pool.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA user_version = \(number + 1)")
                return try db.snapshotVersion()
            }
        }
        for (left, a) in versions.enumerated() {
            for (right, b) in versions.enumerated() {
                expectEqual(a.order(relativeTo: b), left < right ? .older : left == right ? .same : .newer)
            }
        }
    }

    /// A connection knows exactly the version that it has committed, even if other connections have committed since.
    @Test func aConnectionKnowsTheVersionThatItHasCommitted() throws {
        let pool = try pool()
        let other = try queue()
        try pool.writeWithoutTransaction { db in
            try db.createTeams()
            let version = try db.snapshotVersion()
            expectEqual(db.committedVersionInWAL()?.order(relativeTo: version), .same)
            try other.inDatabase { try $0.execute(sql: "DELETE FROM player") }
            expectEqual(db.committedVersionInWAL()?.order(relativeTo: version), .same)
            expectEqual(try db.snapshotVersion().order(relativeTo: version), .newer)
        }
        try DatabaseQueue().inDatabase { db in
            try db.createTeams()
            #expect(db.committedVersionInWAL() == nil)
        }
    }

    @Test func whatCommitsNothingIsNoVersion() throws {
        let pool = try pool()
        try pool.writeWithoutTransaction { db in
            try db.createTeams()
            let version = try db.snapshotVersion()
            // BEGIN IMMEDIATE TRANSACTION; DELETE FROM player; ROLLBACK TRANSACTION
            try db.inTransaction {
                try db.execute(sql: "DELETE FROM player")
                return .rollback
            }
            // BEGIN IMMEDIATE TRANSACTION; COMMIT TRANSACTION
            try db.inTransaction { .commit }
            try db.execute(sql: "DELETE FROM player WHERE id = 666")
            let after = try db.snapshotVersion()
            #expect(after.order(relativeTo: version) == .same)
        }
    }

    /// The version is that of the main database: attached databases have separate commits.
    @Test func itIsTheVersionOfTheMainDatabase() throws {
        _ = try pool("other.sqlite")
        let pool = try pool()
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH '\(folder.path("other.sqlite"))' AS other")
            let version = try db.snapshotVersion()
            try db.execute(sql: "CREATE TABLE other.t(a)")
            let after = try db.snapshotVersion()
            #expect(after.order(relativeTo: version) == .same)
        }
    }

    @Test func theDescriptionTellsTheCommit() throws {
        let pool = try pool()
        try pool.write { try $0.createTeams() }
        let frames = try pool.writeWithoutTransaction { try $0.checkpoint(.noop).walFrameCount }
        let version = try pool.currentVersion()
        #expect(version.description.hasPrefix("commit "))
        #expect(version.description.hasSuffix(", frame \(frames)"))
    }

    // MARK: In accesses

    @Test func aReadHasOneVersion() throws {
        let pool = try pool()
        try pool.write { try $0.createTeams() }
        try pool.read { db in
            let version = try db.snapshotVersion()
            try pool.write { try $0.execute(sql: "DELETE FROM player") }
            let later = try db.snapshotVersion()
            #expect(later.order(relativeTo: version) == .same)
            expectEqual(try db.playerNames, ["Anna", "Bo", "Cleo"])
            let current = try pool.writeWithoutTransaction { try $0.snapshotVersion() }
            #expect(current.order(relativeTo: version) == .newer)
        }
    }

    /// Outside of a transaction, a cursor that isn't at its end pins its version.
    @Test func aCursorHasOneVersion() throws {
        let pool = try pool()
        try pool.write { try $0.createTeams() }
        try pool.unsafeRead { db in
            let cursor = try String.fetchCursor(db, sql: "SELECT name FROM player ORDER BY id")
            expectEqual(try cursor.next(), "Anna")
            let version = try db.snapshotVersion()
            try pool.write { try $0.execute(sql: "DELETE FROM player") }
            let later = try db.snapshotVersion()
            #expect(later.order(relativeTo: version) == .same)
            expectEqual(try cursor.next(), "Bo")
            while try cursor.next() != nil {}
            let last = try db.snapshotVersion()
            #expect(last.order(relativeTo: version) == .newer)
            #expect(!db.isInsideTransaction)
        }
    }

    @Test func aWriteHasTheVersionOfTheLastCommit() throws {
        let pool = try pool()
        try pool.writeWithoutTransaction { db in
            try db.createTeams()
            let version = try db.snapshotVersion()
            let read = try pool.read { try $0.snapshotVersion() }
            #expect(version.order(relativeTo: read) == .same)
            #expect(!db.isInsideTransaction)
            // A commit of another connection.
            try queue().write { try $0.execute(sql: "DELETE FROM player") }
            let later = try db.snapshotVersion()
            #expect(later.order(relativeTo: version) == .newer)
        }
    }

    @Test func aWriteTransactionHasNone() throws {
        let pool = try pool()
        let message = """
            A transaction that writes is of no version yet. Take the version before it writes, or after it is committed.
            """
        try pool.writeWithoutTransaction { db in
            try db.inTransaction(.immediate) {
                expectError(.SQLITE_ERROR, message) { _ = try db.snapshotVersion() }
                return .commit
            }
            try db.inTransaction(.deferred) {
                let version = try db.snapshotVersion()
                try db.createTeams()
                expectError(.SQLITE_ERROR, message) { _ = try db.snapshotVersion() }
                expectError(.SQLITE_ERROR, message) { _ = try DatabaseSnapshotPool(db) }
                try db.rollback()
                let after = try db.snapshotVersion()
                #expect(after.order(relativeTo: version) == .same)
                try db.beginTransaction()
                return .commit
            }
        }
    }

    @Test func onlyWALHasVersions() throws {
        let message = "The database is not in WAL mode: only then are there versions, and snapshots to read at."
        for queue in [try DatabaseQueue(), try queue("journal.sqlite")] {
            try queue.write { try $0.createTeams() }
            _ = try queue.read { db in expectError(.SQLITE_ERROR, message) { _ = try db.snapshotVersion() } }
            queue.inDatabase { db in
                expectError(.SQLITE_ERROR, message) { _ = try db.snapshotVersion() }
                #expect(!db.isInsideTransaction)
            }
            try queue.inDatabase { expectEqual(try $0.playerNames, ["Anna", "Bo", "Cleo"]) }
        }
    }

    @Test func itIsTakenInAccesses() throws {
        let pool = try pool()
        var leaked: Database?
        pool.unsafeReentrantWrite { leaked = $0 }
        expectCode(.SQLITE_MISUSE) { try #require(leaked).snapshotVersion() }
    }

    // MARK: Checkpoints

    @Test(arguments: CheckpointTests.modes)
    func checkpointsChangeNoVersion(mode: Database.CheckpointMode) throws {
        let pool = try pool()
        try pool.writeWithoutTransaction { db in
            try db.createTeams()
            let version = try db.snapshotVersion()
            for _ in 0..<2 {
                try db.checkpoint(mode)
                let checkpointed = try db.snapshotVersion()
                #expect(checkpointed.order(relativeTo: version) == .same)
                #expect(version.order(relativeTo: checkpointed) == .same)
            }
            // Restarts the WAL file, after some modes.
            try db.execute(sql: "DELETE FROM player")
            let after = try db.snapshotVersion()
            #expect(after.order(relativeTo: version) == .newer)
            #expect(version.order(relativeTo: after) == .older)
        }
    }

    /// A rolled back transaction may restart the WAL file as well.
    @Test func aRollbackAfterACheckpoint() throws {
        let pool = try pool()
        try pool.writeWithoutTransaction { db in
            try db.createTeams()
            let version = try db.snapshotVersion()
            try db.checkpoint(.restart)
            try db.inTransaction {
                try db.execute(sql: "DELETE FROM player")
                return .rollback
            }
            let after = try db.snapshotVersion()
            #expect(after.order(relativeTo: version) == .same)
        }
    }

    /// Versions stay ordered when a byte of the salts overflows, which `sqlite3_snapshot_cmp` takes for a step back.
    @Test func hundredsOfRestartsAreOrdered() throws {
        let pool = try pool()
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = OFF")
            try db.execute(sql: "PRAGMA user_version = 1")
            let first = try db.snapshotVersion()
            var last = first
            for number in 2...600 {
                try db.checkpoint(.restart)
                try db.execute(sql: "PRAGMA user_version = \(number)")
                let version = try db.snapshotVersion()
                try #require(version.order(relativeTo: last) == .newer, "\(number)")
                try #require(version.order(relativeTo: first) == .newer, "\(number)")
                last = version
            }
        }
    }

    // MARK: Versions that can't be compared

    @Test func otherFiles() throws {
        let pool = try pool()
        let other = try self.pool("other.sqlite")
        let (version, otherVersion) = (try pool.currentVersion(), try other.currentVersion())
        #expect(version.order(relativeTo: otherVersion) == nil)
        #expect(otherVersion.order(relativeTo: version) == nil)
    }

    /// A copy has the same WAL file and the same commits, but its versions aren't comparable.
    @Test func copiedFiles() throws {
        let pool = try pool()
        try pool.write { try $0.createTeams() }
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: folder.path("db.sqlite" + suffix), toPath: folder.path("copy.sqlite" + suffix))
        }
        let (version, copied) = (try pool.currentVersion(), try self.pool("copy.sqlite").currentVersion())
        #expect(version.order(relativeTo: copied) == nil)
    }

    /// When the last connection is closed, the WAL file is removed, and earlier versions are lost.
    @Test func databasesThatWereClosed() throws {
        let version: SnapshotVersion
        do {
            let pool = try pool()
            try pool.write { try $0.createTeams() }
            version = try pool.currentVersion()
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("db.sqlite-wal")))
        let reopened = try pool()
        let current = try reopened.currentVersion()
        #expect(current.order(relativeTo: version) == nil)
        expectCode(.SQLITE_ERROR) { try reopened.read(at: version) { _ in } }
    }

    /// With a persistent WAL file, versions keep their order when the database is closed.
    @Test func databasesWithAPersistentWALFile() throws {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.setPersistsWAL(true) }
        var versions: [SnapshotVersion] = []
        for number in 1...3 {
            let pool = try pool("db.sqlite", configuration)
            if number == 2 { versions.append(try pool.currentVersion()) }
            try pool.write { try $0.execute(sql: "PRAGMA user_version = \(number)") }
            versions.append(try pool.currentVersion())
            try pool.close()
        }
        // 1, 1 again, 2, 3
        #expect(versions[1].order(relativeTo: versions[0]) == .same)
        #expect(versions[2].order(relativeTo: versions[1]) == .newer)
        #expect(versions[3].order(relativeTo: versions[2]) == .newer)
    }

    /// If another connection empties the WAL file, and ours restarts it with its own salts without knowing that, the
    /// versions have no known order.
    @Test func aWALFileEmptiedByOthers() throws {
        let pool = try pool()
        try pool.write { try $0.createTeams() }
        let version = try pool.currentVersion()
        _ = try queue().inDatabase { try $0.checkpoint(.truncate) }
        let emptied = try pool.currentVersion()
        #expect(emptied.order(relativeTo: version) == .same)
        try pool.write { try $0.execute(sql: "DELETE FROM player") }
        let after = try pool.currentVersion()
        // Only by chance the salts would be close enough to be comparable.
        #expect(after.order(relativeTo: version) != .same)
        #expect(after.order(relativeTo: emptied) != .same)
    }

    @Test func otherJournalModesInBetween() throws {
        let queue = try queue()
        try queue.inDatabase { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA user_version = 1")
            let version = try db.snapshotVersion()
            try db.execute(sql: "PRAGMA journal_mode = DELETE; PRAGMA user_version = 2")
            expectCode(.SQLITE_ERROR) { try db.snapshotVersion() }
            try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA user_version = 1")
            let after = try db.snapshotVersion()
            #expect(after.order(relativeTo: version) != .same)
        }
    }

    /// Without a WAL file, this connection creates one that contains no commit, so its version is unknown.
    @Test func aMissingWALFile() throws {
        try pool().close()
        let reader = try queue(readonly: true)
        let (version, again) = try reader.inDatabase { db in try (db.snapshotVersion(), db.snapshotVersion()) }
        #expect(version.order(relativeTo: again) == nil)
        #expect(version.order(relativeTo: version) == nil)
        #expect(version.description == "unknown version")
        let readers = try pool("db.sqlite", reader.configuration)
        expectCode(.SQLITE_ERROR) { try readers.read(at: version) { _ in } }
        // After the first commit, versions are comparable.
        try queue().write { try $0.createTeams() }
        let known = try readers.currentVersion()
        #expect(known.order(relativeTo: version) == nil)
        let knownAgain = try reader.read { try $0.snapshotVersion() }
        #expect(known.order(relativeTo: knownAgain) == .same)
    }

    /// A new pool ensures that there is a commit, even if other connections have emptied the WAL file.
    @Test func aPoolBeginsWithAVersion() throws {
        let other = try pool()
        try other.write { try $0.createTeams() }
        try other.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        let path = folder.path("db.sqlite-wal")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).isEmpty)
        let pool = try pool()
        #expect(try !Data(contentsOf: URL(fileURLWithPath: path)).isEmpty)
        let (version, otherVersion) = (try pool.currentVersion(), try other.currentVersion())
        #expect(version.order(relativeTo: otherVersion) == .same)
    }

    // MARK: Reads

    /// Reads at a version see exactly this version: the last or an earlier one, in a transaction that pins it or
    /// doesn't, even if all frames are in the database file and the WAL file is restarted in between.
    @Test(arguments: [SnapshotVersion.Opening.held, .read], CheckpointTests.modes)
    func readsSeeExactlyTheirVersion(opening: SnapshotVersion.Opening, mode: Database.CheckpointMode) throws {
        let (pool, reader) = (try pool(), try queue(readonly: true))
        let versions = try (0..<3).map { number in
            try pool.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA user_version = \(number)")
                return try db.snapshotVersion()
            }
        }
        func read(_ number: Int, meanwhile: () throws -> Void = {}) throws {
            try reader.unsafeRead { db in
                try db.isolatedRead(at: versions[number], opening: opening) { db in
                    try meanwhile()
                    expectEqual(try Int.fetchOne(db, sql: "PRAGMA user_version"), number)
                    expectEqual(try db.snapshotVersion().order(relativeTo: versions[number]), .same)
                }
            }
        }
        for number in [2, 0, 1, 2] { try read(number) }
        try pool.writeWithoutTransaction { _ = try $0.checkpoint(mode) }
        try read(2) {
            try pool.write { try $0.execute(sql: "PRAGMA user_version = 3") }
        }
        // The checkpoint decides which versions are lost. A read never sees a different version.
        for number in 0..<3 {
            do { try read(number) } catch DatabaseError.SQLITE_ERROR_SNAPSHOT {}
        }
        try expectEqual(reader.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }, 3)
    }
}
