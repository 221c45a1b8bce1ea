import Amalgam
import AmalgamCore
import Foundation
import TestSupport
import Testing

/// Reads of a database at a `SnapshotVersion`.
@Suite(.watchdog)
struct DatabasePoolVersionsTests {
    // MARK: The current version

    @Test func theCurrentVersionIsThatOfTheLastCommit() async throws {
        try await withPool { pool, _ in
            let version = try await pool.currentVersion()
            try await pool.write { try $0.addPlayer() }
            let newer = try await pool.currentVersion()
            #expect(newer.order(relativeTo: version) == .newer)
            let written = try await pool.writeWithoutTransaction { try $0.snapshotVersion() }
            let read = try await pool.read { try $0.snapshotVersion() }
            #expect(newer.order(relativeTo: written) == .same)
            #expect(newer.order(relativeTo: read) == .same)
        }
    }

    @Test func itDoesNotWaitForWrites() throws {
        try withPool { pool, _ in
            let version = try pool.currentVersion()
            try pool.write { db in
                try db.addPlayer()
                let current = try pool.currentVersion()
                #expect(current.order(relativeTo: version) == .same)
            }
        }
    }

    @Test func itIsNotTakenInAReadOfThePool() throws {
        try withPool { pool, _ in
            try pool.read { db in
                let version = try db.snapshotVersion()
                try databaseError(.SQLITE_MISUSE) { try pool.currentVersion() }
                try databaseError(.SQLITE_MISUSE) { try pool.read(at: version) { _ in } }
            }
        }
    }

    @Test func aClosedPoolHasNone() async throws {
        let folder = Folder()
        let pool = try DatabasePool(path: folder.path("db.sqlite"))
        let version = try await pool.currentVersion()
        try pool.close()
        try databaseError(.SQLITE_MISUSE) { try pool.currentVersion() }
        try databaseError(.SQLITE_MISUSE) { try pool.read(at: version) { _ in } }
        await #expect(throws: DatabaseError.self) { try await pool.currentVersion() }
        await #expect(throws: DatabaseError.self) { try await pool.read(at: version) { _ in } }
    }

    @Test func aReadOnlyPoolMayHaveNone() throws {
        let folder = Folder()
        let queue = try DatabaseQueue(path: folder.path("db.sqlite"))
        try queue.write { try $0.createPlayers() }
        let pool = try DatabasePool(path: queue.path, configuration: .tested { $0.readonly = true })
        try databaseError(.SQLITE_ERROR) { try pool.currentVersion() }
        #expect(try pool.read { try $0.playerCount() } == 0)
    }

    // MARK: Reads at a version

    /// Reads at 20 versions, in random order, on few connections, see exactly their version.
    @Test func readsSeeExactlyTheirVersion() throws {
        try withPool(.readers(2)) { pool, _ in
            let snapshot = try pool.makeSnapshot()
            var versions = [try snapshot.version]
            for _ in 1..<20 {
                try pool.write { try $0.addPlayer() }
                versions.append(try pool.currentVersion())
            }
            for count in (0..<20).shuffled() {
                #expect(try pool.read(at: versions[count]) { try $0.playerCount() } == count)
                let seen = try pool.read(at: versions[count]) { try $0.snapshotVersion() }
                #expect(seen.order(relativeTo: versions[count]) == .same)
                #expect(try pool.read { try $0.playerCount() } == 19)
            }
            #expect(try snapshot.read { try $0.playerCount() } == 0)
        }
    }

    @Test func tasksReadAtAVersion() async throws {
        try await withPool(.readers(2)) { pool, _ in
            let snapshot = try pool.makeSnapshot()
            let version = try snapshot.version
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<50 {
                    group.addTask { try await pool.read(at: version) { try $0.playerCount() } }
                    group.addTask {
                        try await pool.write { try $0.addPlayer() }
                        return 0
                    }
                }
                for try await count in group { #expect(count == 0) }
            }
            #expect(try await pool.read { try $0.playerCount() } == 50)
            try snapshot.close()
        }
    }

    /// A reader whose cached statements and schema belong to another version uses the schema of the requested version.
    @Test func theSchemaIsThatOfTheVersion() throws {
        try withPool(.readers(1)) { pool, _ in
            try pool.write { try $0.addPlayer() }
            let snapshot = try pool.makeSnapshot()
            try pool.write { db in
                try db.execute(sql: "ALTER TABLE player ADD COLUMN score INTEGER DEFAULT 7; CREATE TABLE team(id)")
            }
            func columns(_ db: Database) throws -> [String] {
                let selected = try Row.fetchOne(db, sql: "SELECT * FROM player")!.columnNames
                let columns = try db.columns(in: "player").map(\.name)
                #expect(Array(selected) == columns)
                return columns
            }
            for _ in 0..<3 {
                #expect(try pool.read { try columns($0) } == ["id", "name", "score"])
                #expect(try pool.read { try $0.tableExists("team") })
                #expect(try pool.read(at: snapshot.version) { try columns($0) } == ["id", "name"])
                #expect(try !pool.read(at: snapshot.version) { try $0.tableExists("team") })
            }
        }
    }

    @Test func writingIsRefused() throws {
        try withPool { pool, _ in
            let version = try pool.currentVersion()
            try databaseError(.SQLITE_READONLY) { try pool.read(at: version) { try $0.addPlayer() } }
            #expect(throws: Oops()) { try pool.read(at: version) { _ in throw Oops() } }
            #expect(try pool.read { try $0.playerCount() } == 0)
        }
    }

    @Test func versionsOfOtherFilesAreRefused() throws {
        try withPool { pool, folder in
            let other = try DatabasePool(path: folder.path("other.sqlite"))
            let version = try other.currentVersion()
            try databaseError(.SQLITE_MISUSE) { try pool.read(at: version) { _ in } }
            #expect(try pool.read { try $0.playerCount() } == 0)
        }
    }

    @Test func cancellationEndsTheRead() async throws {
        try await withPool { pool, _ in
            let version = try await pool.currentVersion()
            let reading = Signal()
            let task = Task {
                try await pool.read(at: version) { db in
                    reading.fire()
                    try db.runForever()
                }
            }
            try await reading.value()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await pool.read(at: version) { try $0.playerCount() } == 0)
        }
    }

    // MARK: Lost versions

    /// After a commit and a checkpoint, the database file contains only the later content, so the version is lost.
    @Test(arguments: ["TRUNCATE", "RESTART", "FULL", "PASSIVE"])
    func aVersionThatNobodyHoldsIsLost(checkpoint: String) async throws {
        try await withPool(.readers(2)) { pool, _ in
            let version = try await pool.currentVersion()
            try await pool.write { try $0.addPlayer() }
            // Nothing has overwritten the version yet.
            #expect(try await pool.read(at: version) { try $0.playerCount() } == 0)
            try await pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(\(checkpoint))") }
            for _ in 0..<5 {
                let error = try databaseError { try pool.read(at: version) { _ in Issue.record("this is not read") } }
                #expect(error.extendedResultCode == .SQLITE_ERROR_SNAPSHOT)
                #expect(error.message == "Snapshot is lost. A checkpoint has overwritten it: take another one.")
                await #expect(throws: DatabaseError.self) { try await pool.read(at: version) { _ in } }
                // The readers are usable.
                #expect(try pool.unsafeReentrantRead { $0.isInsideTransaction } == false)
                #expect(try await pool.read { try $0.playerCount() } == 1)
            }
            // A read at another version succeeds.
            let again = try await pool.currentVersion()
            #expect(try await pool.read(at: again) { try $0.playerCount() } == 1)
        }
    }

    /// If nothing was written since, a checkpoint loses no version.
    @Test(arguments: ["TRUNCATE", "RESTART", "FULL", "PASSIVE"])
    func checkpointsAloneLoseNothing(checkpoint: String) throws {
        try withPool { pool, _ in
            try pool.write { try $0.addPlayer() }
            let version = try pool.currentVersion()
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(\(checkpoint))") }
            #expect(try pool.read(at: version) { try $0.playerCount() } == 1)
        }
    }

    /// An object that pins a version of a pool.
    enum Holder: CaseIterable {
        case snapshot, snapshotPool, read, concurrentRead

        /// Runs a closure while a version is pinned.
        func hold(_ pool: DatabasePool, _ body: (SnapshotVersion) throws -> Void) throws {
            switch self {
            case .snapshot:
                let snapshot = try pool.makeSnapshot()
                try body(snapshot.version)
            case .snapshotPool:
                let snapshot = try pool.makeSnapshotPool()
                try body(snapshot.version)
            case .read:
                let (version, done) = (Box<SnapshotVersion?>(nil), Signal())
                let taken = Signal()
                let worker = Worker {
                    try pool.read { db in
                        version.value = try db.snapshotVersion()
                        taken.fire()
                        try done.wait()
                    }
                }
                try taken.wait()
                try body(version.value!)
                done.fire()
                try worker.join()
            case .concurrentRead:
                let (version, taken, done) = (Box<SnapshotVersion?>(nil), Signal(), Signal())
                pool.writeWithoutTransaction { _ in
                    pool.asyncConcurrentRead { db in
                        version.value = try? db.get().snapshotVersion()
                        taken.fire()
                        try? done.wait()
                    }
                }
                try taken.wait()
                try body(version.value!)
                done.fire()
            }
        }
    }

    /// A pinned version isn't lost, even if all frames were in the database file when it was taken. Without the pin,
    /// SQLite could restart the WAL file.
    @Test(arguments: Holder.allCases, ["PASSIVE", "FULL", "RESTART", "TRUNCATE"])
    func aVersionThatIsHeldIsNotLost(holder: Holder, checkpoint: String) throws {
        try withPool { pool, _ in
            func runCheckpoint() {
                pool.writeWithoutTransaction { try? $0.execute(sql: "PRAGMA wal_checkpoint(\(checkpoint))") }
            }
            try pool.write { try $0.addPlayer() }
            runCheckpoint()
            try holder.hold(pool) { version in
                for count in 2...5 {
                    try pool.write { try $0.addPlayer() }
                    runCheckpoint()
                    #expect(try pool.read(at: version) { try $0.playerCount() } == 1)
                    #expect(try pool.read { try $0.playerCount() } == count)
                }
            }
        }
    }

    /// A read at an earlier version waits for a checkpoint, which waits for a writer and holds a lock that the read
    /// needs.
    @Test func aReadWaitsForACheckpoint() throws {
        let folder = Folder()
        let (waiting, goOn) = (Signal("checkpoint"), Signal("go on"))
        let tries = Box(0)
        let pool = try DatabasePool(
            path: folder.path("db.sqlite"),
            configuration: .tested {
                $0.busyMode = .callback { _ in
                    tries.increment()
                    return tries.value < 5
                }
            })
        try pool.write { try $0.createPlayers() }
        let snapshot = try pool.makeSnapshot()
        try pool.write { try $0.addPlayer() }
        let other = try DatabaseQueue(
            path: pool.path,
            configuration: .tested {
                $0.busyMode = .callback { _ in
                    waiting.fire()
                    try? goOn.wait()
                    return true
                }
            })
        try pool.writeWithoutTransaction { db in
            try db.beginTransaction(.immediate)
            let worker = Worker { try other.inDatabase { _ = try $0.checkpoint(.full) } }
            try waiting.wait()
            let current = try pool.currentVersion()
            #expect(try pool.read(at: current) { try $0.playerCount() } == 1)
            try databaseError(.SQLITE_BUSY) { try pool.read(at: snapshot.version) { _ in } }
            #expect(tries.value == 5)
            try db.rollback()
            try snapshot.close()
            goOn.fire()
            try worker.join()
        }
        #expect(try pool.read { try $0.playerCount() } == 1)
    }

    // MARK: Observations

    /// If a value is read by a reader and a setup follows on the writer, comparing versions tells exactly whether a
    /// commit came in between: no commit is missed, and no fetch is repeated without one.
    @Test func nothingIsMissedBetweenAReadAndAWrite() throws {
        try withPool { pool, _ in
            let (isDone, refetches, spared) = (Box(false), Box(0), Box(0))
            let writer = Worker {
                while !isDone.value {
                    try pool.write { try $0.addPlayer() }
                    if Int.random(in: 0..<4) == 0 {
                        pool.writeWithoutTransaction { _ = try? $0.checkpoint(.truncate) }
                    }
                }
            }
            for _ in 0..<300 {
                let (version, fetched) = try pool.read { try ($0.snapshotVersion(), $0.playerCount()) }
                try pool.writeWithoutTransaction { db in
                    let count = try db.playerCount()
                    let current = try db.snapshotVersion()
                    if current.order(relativeTo: version) == .same {
                        spared.increment()
                        #expect(fetched == count)
                    } else {
                        refetches.increment()
                        #expect(current.order(relativeTo: version) == .newer)
                        #expect(fetched < count)
                    }
                    let exact = try pool.read(at: current) { try $0.playerCount() }
                    #expect(exact == count)
                }
            }
            isDone.value = true
            try writer.join()
            #expect(refetches.value + spared.value == 300)
        }
    }
}
