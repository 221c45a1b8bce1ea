import Amalgam
import Foundation
import TestSupport
import Testing

/// All connections of a pool use one file: the one that the writer has opened, whatever the path leads to later.
@Suite(.watchdog)
struct DatabasePoolFileTests {
    private let folder = Folder()

    /// Creates a database with one row.
    private func create(_ name: String, _ value: String) throws -> String {
        let path = folder.path(name)
        try FileManager.default.createDirectory(
            at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE file (name TEXT); INSERT INTO file VALUES (?)", arguments: [value])
        }
        try queue.close()
        return path
    }

    private func move(_ name: String, to newName: String) throws {
        try FileManager.default.moveItem(atPath: folder.path(name), toPath: folder.path(newName))
    }

    /// What each kind of read, and a write, returns.
    private func names(_ pool: DatabasePool) throws -> [String] {
        let copy = try DatabaseQueue()
        try pool.backup(to: copy)
        let readers: [any DatabaseReader] = [
            pool, try pool.makeSnapshot(), try pool.makeSnapshotPool(),
            try pool.writeWithoutTransaction { try DatabaseSnapshotPool($0) }, copy,
        ]
        return try readers.map { try $0.read(name) } + [pool.write(name)]
    }

    @Test func aSymbolicLinkInThePathIsPointedElsewhere() throws {
        _ = try create("first/db.sqlite", "first")
        _ = try create("second/db.sqlite", "second")
        let link = folder.path("current")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path("first"))
        let pool = try DatabasePool(path: link + "/db.sqlite")
        // The WAL file has a frame: a pool of snapshots needs one.
        try pool.write { try $0.execute(sql: "CREATE TABLE other (a)") }
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path("second"))

        #expect(try names(pool) == Array(repeating: "first", count: 6))
        #expect(pool.path == link + "/db.sqlite")
        try pool.close()
    }

    /// The working folder belongs to the whole process, so this test starts a child process.
    @Test func theWorkingFolderChanges() async {
        await #expect(processExitsWith: .success) {
            let test = DatabasePoolFileTests()
            _ = try test.create("first/db.sqlite", "first")
            _ = try test.create("second/db.sqlite", "second")
            try #require(FileManager.default.changeCurrentDirectoryPath(test.folder.path("first")))
            let pool = try DatabasePool(path: "db.sqlite")
            try await pool.write { try $0.execute(sql: "CREATE TABLE other (a)") }
            try #require(FileManager.default.changeCurrentDirectoryPath(test.folder.path("second")))

            #expect(try test.names(pool) == Array(repeating: "first", count: 6))
            try pool.close()
        }
    }

    @Test(arguments: ["file", "folder"])
    func anotherFileTakesThePathOfTheDatabase(moved: String) throws {
        let path = try create("data/db.sqlite", "first")
        let pool = try DatabasePool(path: path)
        try pool.write { try $0.execute(sql: "CREATE TABLE other (a)") }
        if moved == "folder" {
            try move("data", to: "moved")
        } else {
            for suffix in ["", "-wal", "-shm"] { try move("data/db.sqlite" + suffix, to: "moved.sqlite" + suffix) }
        }
        _ = try create("data/db.sqlite", "second")

        let message = "the file \(try real(path)) was moved or replaced while a connection had it open"
        let reads: [() throws -> Void] = [
            { _ = try pool.read(name) }, { _ = try pool.makeSnapshot() }, { _ = try pool.makeSnapshotPool() },
            { _ = try pool.writeWithoutTransaction { try DatabaseSnapshotPool($0) } },
            { try pool.backup(to: DatabaseQueue()) },
        ]
        for read in reads {
            let error = expectFailure(.SQLITE_READONLY, message, read)
            #expect(error?.extendedResultCode == .SQLITE_READONLY_DBMOVED)
        }
        #expect(try pool.write(name) == "first")
        try pool.close()
    }

    /// Open readers continue to read their file.
    @Test func anIdleReaderOfAMovedFile() throws {
        let path = try create("data/db.sqlite", "first")
        let pool = try DatabasePool(path: path)
        #expect(try pool.read(name) == "first")
        try move("data", to: "moved")
        _ = try create("data/db.sqlite", "second")

        #expect(try pool.read(name) == "first")
        pool.invalidateReadOnlyConnections()
        expectCode(.SQLITE_READONLY) { try pool.read(name) }
        try pool.close()
    }

    private func real(_ path: String) throws -> String {
        try #require(DatabaseQueue(path: path).read { $0.filePath() })
    }
}

private func name(_ db: Database) throws -> String {
    try #require(try String.fetchOne(db, sql: "SELECT name FROM file"))
}
