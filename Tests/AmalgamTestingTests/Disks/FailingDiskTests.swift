import Amalgam
import AmalgamTesting
import Foundation
import Testing

struct FailingDiskTests {
    private let folder: Folder
    private let disk: FailingDisk

    init() throws {
        folder = try Folder()
        disk = try FailingDisk()
    }

    private func configuration(_ journalMode: Configuration.JournalModeConfiguration = .default) -> Configuration {
        var configuration = Configuration()
        configuration.journalMode = journalMode
        configuration.disk = disk
        return configuration
    }

    private func makeQueue() throws -> DatabaseQueue {
        let dbQueue = try DatabaseQueue(path: folder.path("db.sqlite"), configuration: configuration())
        try dbQueue.write { db in try db.createTeams() }
        return dbQueue
    }

    private func count(_ reader: any DatabaseReader) throws -> Int? {
        try reader.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") }
    }

    private func insert(_ writer: any DatabaseWriter) throws {
        try writer.write { db in try db.execute(sql: "INSERT INTO player (name, teamId) VALUES ('Dora', 2)") }
    }

    // MARK: Failures

    @Test func theDatabaseIsOpenedThroughTheDisk() throws {
        let dbQueue = try makeQueue()
        let name = try dbQueue.read { db in try db.vfsName() }
        #expect(name?.hasPrefix(disk.vfsName + "/") == true)
        #expect(try FailingDisk().vfsName != disk.vfsName)
        #expect(try count(dbQueue) == 3)
        #expect(disk.failureCount == 0)
    }

    @Test func aFailureOccursOnce() throws {
        let dbQueue = try makeQueue()
        disk.fail(DiskFailure(.write))
        let error = #expect(throws: DatabaseError.self) { try insert(dbQueue) }
        #expect(error?.extendedResultCode == .SQLITE_IOERR_WRITE)
        #expect(disk.failureCount == 1)
        try insert(dbQueue)
        #expect(try count(dbQueue) == 4)
        #expect(disk.operationCount > 1)
    }

    @Test func aFailureFollowsSuccesses() throws {
        let dbQueue = try makeQueue()
        disk.fail(DiskFailure(.sync), after: 1_000)
        try insert(dbQueue)
        let syncs = disk.operationCount
        #expect(syncs > 1)
        disk.fail(DiskFailure(.sync), after: syncs - 1)
        #expect(throws: DatabaseError.self) { try insert(dbQueue) }
        disk.fail(DiskFailure(.sync), after: syncs)
        try insert(dbQueue)
        #expect(try count(dbQueue) == 5)
    }

    @Test func aDiskThatIsGoneComesBack() throws {
        let dbQueue = try makeQueue()
        disk.fail(.io.persisting)
        for _ in 0..<3 {
            #expect(throws: DatabaseError.self) { try insert(dbQueue) }
        }
        disk.recover()
        #expect(disk.failureCount == 0)
        try insert(dbQueue)
        #expect(try count(dbQueue) == 4)
        #expect(try dbQueue.read { db in try db.integrityCheck() } == [])
    }

    @Test func codesOfFailures() throws {
        let dbQueue = try makeQueue()
        let codes: [(DiskFailure, ResultCode)] = [
            (.full, .SQLITE_FULL), (.busy, .SQLITE_BUSY), (.tornWrite, .SQLITE_IOERR_WRITE),
            (DiskFailure(.sync), .SQLITE_IOERR_FSYNC), (DiskFailure(.open, of: .journal), .SQLITE_CANTOPEN),
            (DiskFailure(.delete, of: .journal), .SQLITE_IOERR_DELETE),
            (DiskFailure(.write, of: .journal, code: .SQLITE_IOERR_BLOCKED), .SQLITE_IOERR_BLOCKED),
        ]
        for (failure, code) in codes {
            disk.fail(failure)
            let error = #expect(throws: DatabaseError.self) { try insert(dbQueue) }
            #expect(error?.extendedResultCode == code)
            disk.recover()
            #expect(try count(dbQueue) == 3)
        }
    }

    @Test func onlyTheNamedFilesFail() throws {
        let dbPool = try DatabasePool(path: folder.path("pool.sqlite"), configuration: configuration(.wal))
        try dbPool.write { db in try db.createTeams() }
        disk.fail(DiskFailure(.write, of: .database))
        try insert(dbPool)
        #expect(disk.failureCount == 0)
        disk.fail(DiskFailure(.write, of: .wal))
        #expect(throws: DatabaseError.self) { try insert(dbPool) }
        #expect(try count(dbPool) == 4)
        try dbPool.close()
    }

    /// Whether a WAL file is new is known for files of the system only.
    @Test func aPoolSyncsTheFirstFrameOnADisk() throws {
        disk.fail(DiskFailure(.sync, of: .wal), after: 1_000)
        let dbPool = try DatabasePool(path: folder.path("pool.sqlite"), configuration: configuration())
        #expect(disk.operationCount > 0)
        try dbPool.close()
    }

    @Test func readersOfAPoolFailToo() throws {
        let dbPool = try DatabasePool(path: folder.path("pool.sqlite"), configuration: configuration(.wal))
        try dbPool.write { db in try db.createTeams() }
        disk.fail(DiskFailure(.read).persisting)
        #expect(throws: DatabaseError.self) { try count(dbPool) }
        disk.recover()
        #expect(try count(dbPool) == 3)
        try dbPool.close()
    }

    @Test func otherDatabasesDoNotFail() throws {
        let dbQueue = try makeQueue()
        let other = try FailingDisk()
        other.fail(.io.persisting)
        try insert(dbQueue)
        disk.fail(.io.persisting)
        let plain = try DatabaseQueue(path: folder.path("plain.sqlite"))
        try plain.write { db in try db.createTeams() }
        #expect(try count(plain) == 3)
    }

    @Test func attachedDatabasesAreOnTheDisk() throws {
        let dbQueue = try makeQueue()
        let path = folder.path("attached.sqlite")
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH DATABASE ? AS other", arguments: [path])
            try db.execute(sql: "CREATE TABLE other.note (text)")
            disk.fail(DiskFailure(.write))
            #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO other.note VALUES ('a')") }
            try db.execute(sql: "INSERT INTO other.note VALUES ('a')")
        }
    }

    @Test func copiesOfAFileAreReadThroughTheDisk() throws {
        try makeQueue().close()
        let path = folder.path("db.sqlite")
        disk.fail(DiskFailure(.read).persisting)
        #expect(throws: DatabaseError.self) {
            try DatabaseQueue.inMemoryCopy(fromPath: path, configuration: configuration())
        }
        disk.recover()
        #expect(try count(DatabaseQueue.inMemoryCopy(fromPath: path, configuration: configuration())) == 3)
    }

    @Test func connectionsRetainTheDisk() throws {
        weak var released: FailingDisk?
        var dbQueue: DatabaseQueue?
        do {
            let disk = try FailingDisk()
            var configuration = Configuration()
            configuration.disk = disk
            released = disk
            dbQueue = try DatabaseQueue(path: folder.path("retained.sqlite"), configuration: configuration)
        }
        try dbQueue?.write { db in try db.createTeams() }
        #expect(released != nil)
        try dbQueue?.close()
        dbQueue = nil
        #expect(released == nil)
    }

    // MARK: Full disks

    @Test func aFullDisk() throws {
        let dbQueue = try makeQueue()
        try dbQueue.write { db in try db.execute(sql: "CREATE TABLE page (bytes)") }
        disk.freeBytes = 100_000
        let error = #expect(throws: DatabaseError.self) { try fill(dbQueue, bytes: 1_000_000) }
        #expect(error?.resultCode == .SQLITE_FULL)
        #expect(disk.failureCount > 0)
        #expect(try dbQueue.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM page") } == 0)
        // The rollback has released the space.
        try fill(dbQueue, bytes: 20_000)
        disk.freeBytes = nil
        try fill(dbQueue, bytes: 1_000_000)
        #expect(try dbQueue.read { db in try db.integrityCheck() } == [])
    }

    private func fill(_ writer: any DatabaseWriter, bytes: Int) throws {
        try writer.write { db in try db.execute(sql: "INSERT INTO page VALUES (zeroblob(?))", arguments: [bytes]) }
    }

    @Test func overwritingNeedsNoSpace() throws {
        let dbPool = try DatabasePool(path: folder.path("pool.sqlite"), configuration: configuration(.wal))
        try dbPool.write { db in try db.createTeams() }
        try dbPool.writeWithoutTransaction { db in _ = try db.checkpoint(.restart) }
        disk.freeBytes = 0
        // The WAL file is written from its start again.
        try insert(dbPool)
        #expect(try count(dbPool) == 4)
        #expect(disk.freeBytes == 0)
        try dbPool.close()
    }

    @Test func spaceIsUsedAndReleased() throws {
        let path = folder.path("db.sqlite")
        let dbQueue = try makeQueue()
        try dbQueue.write { db in try db.execute(sql: "CREATE TABLE page (bytes)") }
        let before = try size(path)
        disk.freeBytes = 10_000_000
        try fill(dbQueue, bytes: 500_000)
        #expect(try disk.freeBytes == 10_000_000 - (size(path) - before))
        try dbQueue.write { db in try db.execute(sql: "DELETE FROM page") }
        try dbQueue.vacuum()
        #expect(try disk.freeBytes == 10_000_000 - (size(path) - before))
        #expect(try size(path) <= before + 4096)
        try dbQueue.close()
    }

    private func size(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber).intValue
    }
}
