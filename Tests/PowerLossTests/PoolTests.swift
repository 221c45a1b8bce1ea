import Amalgam
import Foundation
import PowerPrograms
import TestSupport
import Testing

/// What a pool does with its WAL file by itself.
@Suite struct PoolPowerLossTests {
    private let folder = Folder()

    private func open(
        _ disk: Disk, synchronous: String, policy: WALPolicy? = nil, checkpoint: Database.AutomaticCheckpoint? = nil
    ) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.walPolicy = policy
        configuration.automaticCheckpoint = checkpoint
        configuration.prepareDatabase { db in
            if !db.configuration.readonly { try db.execute(sql: "PRAGMA synchronous = \(synchronous)") }
        }
        let path = disk.folder.appendingPathComponent("db.sqlite").path
        return try DatabasePool(path: path, configuration: configuration)
    }

    private func makeDisk() throws -> Disk {
        let setUp = Disk(folder.url)
        let pool = try open(setUp, synchronous: "FULL")
        try pool.write { try $0.execute(sql: "CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (0)") }
        try pool.close()
        return Disk(folder.url)
    }

    private func increment(_ pool: DatabasePool) throws {
        try pool.write { db in try db.execute(sql: "UPDATE t SET a = a + 1") }
    }

    /// The value after a crash.
    private func value(on disk: Disk, after crash: Crash) throws -> Int {
        try disk.crash(crash)
        let recovery = Disk(disk.folder)
        return try withExtendedLifetime(recovery) {
            let queue = try DatabaseQueue(path: disk.folder.appendingPathComponent("db.sqlite").path)
            defer { try? queue.close() }
            return try queue.read { db in
                #expect(try db.integrityCheck() == [])
                return try Int.fetchOne(db, sql: "SELECT a FROM t")!
            }
        }
    }

    /// A checkpoint has truncated the WAL file, and the disk doesn't know it yet: the old frames must not be valid when
    /// the next pool has written its first ones.
    @Test func aPoolThatOpensATruncatedWALFileLosesNoCommit() throws {
        let disk = try makeDisk()
        let first = try open(disk, synchronous: "FULL")
        for _ in 1...5 { try increment(first) }
        try first.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        let start = disk.count
        let second = try open(disk, synchronous: "FULL")
        // Several frames, of which a crash may keep the last ones only.
        try second.write { db in try db.execute(sql: "CREATE TABLE u (a); INSERT INTO u VALUES (zeroblob(20000))") }
        let end = disk.count
        try second.close()
        try first.close()
        for position in start...end {
            for behavior in [Crash.Behavior.losesAll, .choosesOne] {
                for seed: UInt64 in 1...10 {
                    let crash = Crash(position: position, behavior: behavior, seed: seed)
                    #expect(try value(on: disk, after: crash) >= 5, "\(crash)")
                }
            }
        }
    }

    /// The last connection has removed the WAL file, so that no frame of it can become valid again.
    @Test func openingAPoolWithoutAWALFileWaitsForNoSync() throws {
        let disk = try makeDisk()
        let pool = try open(disk, synchronous: "FULL")
        #expect(disk.syncCount == 0)
        try increment(pool)
        #expect(disk.syncCount > 0)
        try pool.close()
    }

    /// The commits before a complete checkpoint of the policy are on the disk.
    @Test(arguments: ["NORMAL", "FULL"])
    func theCommitsBeforeAReportAreOnTheDisk(synchronous: String) async throws {
        let disk = try makeDisk()
        let pool = try open(disk, synchronous: synchronous, policy: WALPolicy(maximumSize: 1, maximumAge: nil))
        var reports = pool.walReports().makeAsyncIterator()
        try increment(pool)
        let report = try #require(await reports.next())
        #expect(report.isComplete)
        let crash = Crash(position: disk.count, behavior: .losesAll, seed: 1)
        try pool.close()
        #expect(try value(on: disk, after: crash) == 1)
    }

    /// The engine of replication runs the checkpoints. Without it, NORMAL keeps no commit, and FULL keeps each.
    @Test(arguments: [("NORMAL", 0), ("FULL", 3)])
    func aReplicatedPolicyRunsNoCheckpoint(synchronous: String, value: Int) throws {
        let disk = try makeDisk()
        let pool = try open(disk, synchronous: synchronous, policy: .replicated)
        for _ in 1...3 { try increment(pool) }
        let crash = Crash(position: disk.count, behavior: .losesAll, seed: 1)
        try pool.close()
        #expect(try self.value(on: disk, after: crash) == value)
    }

    /// A checkpoint puts the commits of a pool on the disk, also without a sync in each commit.
    @Test func theCommitsBeforeACheckpointAreOnTheDisk() throws {
        let disk = try makeDisk()
        let pool = try open(disk, synchronous: "NORMAL")
        try increment(pool)
        try pool.writeWithoutTransaction { db in _ = try db.checkpoint(.passive) }
        let position = disk.count
        try increment(pool)
        let end = disk.count
        try pool.close()
        #expect(try value(on: disk, after: Crash(position: position, behavior: .losesAll, seed: 1)) == 1)
        #expect(try value(on: disk, after: Crash(position: end, behavior: .losesAll, seed: 1)) == 1)
        #expect(try value(on: disk, after: Crash(position: end, behavior: .keepsAll, seed: 1)) == 2)
    }

    /// Without a policy, SQLite runs a checkpoint after a commit that leaves so many frames in the WAL file.
    @Test(arguments: [(1, 3), (1000, 0)])
    func theCommitsBeforeAnAutomaticCheckpointAreOnTheDisk(frames: Int, value: Int) throws {
        let disk = try makeDisk()
        let pool = try open(disk, synchronous: "NORMAL", checkpoint: .frames(frames))
        for _ in 1...3 { try increment(pool) }
        let crash = Crash(position: disk.count, behavior: .losesAll, seed: 1)
        try pool.close()
        #expect(try self.value(on: disk, after: crash) == value)
    }

    /// An attached database has its own setting.
    @Test(arguments: [(true, 1), (false, 0)])
    func anAttachedDatabaseHasItsOwnSetting(isSet: Bool, count: Int) throws {
        let setUp = Disk(folder.url)
        let other = setUp.folder.appendingPathComponent("other.sqlite").path
        let otherPool = try DatabasePool(path: other)
        try otherPool.write { db in try db.execute(sql: "CREATE TABLE u (a INTEGER)") }
        try otherPool.close()
        let disk = try makeDisk()
        let pool = try open(disk, synchronous: "FULL")
        let end = try pool.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH ? AS other", arguments: [other])
            if isSet { try db.execute(sql: "PRAGMA other.synchronous = FULL") }
            try db.execute(sql: "INSERT INTO other.u VALUES (1)")
            let end = disk.count
            try db.execute(sql: "DETACH other")
            return end
        }
        try pool.close()
        try disk.crash(Crash(position: end, behavior: .losesAll, seed: 1))
        let recovery = Disk(disk.folder)
        try withExtendedLifetime(recovery) {
            let queue = try DatabaseQueue(path: other)
            defer { try? queue.close() }
            #expect(try queue.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM u") } == count)
        }
    }
}
