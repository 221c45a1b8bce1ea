#if Encryption
import Amalgam
import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

@Suite("Copies of encrypted databases")
struct CopyTests {
    private let folder = Folder()
    private var path: String { folder.path("secret.sqlite") }

    // MARK: Backups

    @Test func aBackupBetweenFilesKeepsTheKeyOfTheDestination() throws {
        let source = try folder.makeEncrypted()
        let destination = try DatabaseQueue(path: folder.path("copy.sqlite"), configuration: keyed("other"))
        try source.backup(to: destination, pagesPerStep: 1)
        try destination.close()
        #expect(try DatabaseQueue(path: folder.path("copy.sqlite"), configuration: keyed("other")).noteCount() == 100)
    }

    @Test(arguments: [-1, 1] as [CInt])
    func aBackupToMemoryIsClearAndComesBack(pagesPerStep: CInt) throws {
        let source = try folder.makeEncrypted(rowCount: 2000)
        let memory = try DatabaseQueue()
        try memory.write { db in try db.execute(sql: "CREATE TABLE old(a)") }
        try source.backup(to: memory, pagesPerStep: pagesPerStep)
        #expect(try memory.noteCount() == 2000)
        try memory.write { db in try db.execute(sql: "INSERT INTO note (content) VALUES ('in memory')") }
        #expect(try memory.read { db in try db.integrityCheck() } == [])
        try memory.vacuum()
        try memory.inDatabase { db in
            for path in [":memory:", folder.path("clear.sqlite")] {
                try db.execute(sql: "ATTACH DATABASE ? AS other", arguments: [path])
                try db.execute(sql: "CREATE TABLE other.t(a); DETACH DATABASE other")
            }
        }

        let restored = try DatabaseQueue(path: folder.path("restored.sqlite"), configuration: keyed("other"))
        try memory.backup(to: restored, pagesPerStep: pagesPerStep)
        #expect(try restored.noteCount() == 2001)
        #expect(try restored.read { db in try db.integrityCheck() } == [])
        try restored.close()
        #expect(!folder.contains(needle, in: "restored.sqlite"))
        let reopened = try DatabaseQueue(path: folder.path("restored.sqlite"), configuration: keyed("other"))
        #expect(try reopened.noteCount() == 2001)
    }

    /// The pages of this database have no room for what the codec adds to each page.
    @Test func aDatabaseThatWasNeverEncryptedIsBackedUpFromMemory() throws {
        let memory = try DatabaseQueue()
        try memory.write { db in
            try db.fill(rowCount: 2000)
            try db.execute(sql: "PRAGMA user_version = 3")
        }
        for configuration in [keyed(), keyed()] {
            let destination = try DatabaseQueue(path: path, configuration: configuration)
            try memory.backup(to: destination)
            #expect(try destination.noteCount() == 2000)
            #expect(try destination.read { db in try db.integrityCheck() } == [])
            try destination.close()
        }
        let queue = try DatabaseQueue(path: path, configuration: keyed())
        #expect(try queue.noteCount() == 2000)
        #expect(try queue.read { db in try Int.fetchOne(db, sql: "PRAGMA user_version") } == 3)
        #expect(try queue.read { db in try db.checkCipherIntegrity() } == [])
    }

    /// The codec would overwrite the end of each page. `backup(to:)` makes the room first.
    @Test func sqliteRefusesToCopyPagesWithoutRoomForTheCodec() throws {
        let memory = try DatabaseQueue().filled()
        let destination = try folder.makeEncrypted(rowCount: 3)
        memory.inDatabase { source in
            destination.inDatabase { target in
                #expect(sqlite3_backup_init(target.sqliteConnection, "main", source.sqliteConnection, "main") == nil)
            }
        }
        #expect(try destination.noteCount() == 3)
    }

    @Test func aBackupDoesNotDecryptToAFile() throws {
        let source = try folder.makeEncrypted()
        let clear = try DatabaseQueue(path: folder.path("clear.sqlite"))
        let clearPath = folder.path("clear.sqlite")
        expectError(
            .SQLITE_MISUSE,
            "The database is encrypted, and the file \(clearPath) isn't: export(to:passphrase:) writes a decrypted copy."
        ) { try source.backup(to: clear) }
        expectError(
            .SQLITE_MISUSE,
            "The file \(path) is encrypted, and the database isn't: export(to:passphrase:) writes an encrypted copy."
        ) { try clear.backup(to: source) }
        #expect(try source.noteCount() == 100)
    }

    // MARK: Copies

    @Test func copiesInMemoryAreOpenedWithTheConfigurationOfTheFile() throws {
        try folder.makeEncrypted().close()
        let copies = [
            try DatabaseQueue.inMemoryCopy(fromPath: path, configuration: keyed()),
            try DatabaseQueue.temporaryCopy(fromPath: path, configuration: keyed()),
        ]
        for copy in copies {
            #expect(try copy.noteCount() == 100)
            try copy.write { db in try db.execute(sql: "DELETE FROM note") }
            #expect(try copy.noteCount() == 0)
        }
        expectCode(.SQLITE_NOTADB) { try DatabaseQueue.inMemoryCopy(fromPath: path) }
        expectCode(.SQLITE_NOTADB) { try DatabaseQueue.temporaryCopy(fromPath: path, configuration: keyed("wrong")) }
    }

    @Test func aClearFileIsCopiedWithoutItsPassphrase() throws {
        let clear = folder.path("clear.sqlite")
        try DatabaseQueue(path: clear).write { db in try db.fill() }
        #expect(try DatabaseQueue.inMemoryCopy(fromPath: clear, configuration: keyed()).noteCount() == 100)
    }

    @Test func serializedBytesAreClear() throws {
        let queue = try folder.makeEncrypted()
        let bytes = try queue.serialize()
        #expect(bytes.range(of: Data(needle.utf8)) != nil)
        #expect(try DatabaseQueue(deserializing: bytes).noteCount() == 100)
        #expect(try DatabaseQueue(deserializing: bytes, configuration: keyed()).noteCount() == 100)
    }

    @Test func serializedBytesAreAttachedNextToAnEncryptedDatabase() throws {
        let bytes = try DatabaseQueue(path: folder.path("clear.sqlite")).filled().serialize()
        let queue = try folder.makeEncrypted(rowCount: 3)
        try queue.inDatabase { db in
            try db.execute(sql: "ATTACH DATABASE ':memory:' AS received")
            try db.deserialize(bytes, schema: "received")
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM received.note"), 100)
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM main.note"), 3)
        }
    }

    @Test func vacuumIntoKeepsTheKey() throws {
        let queue = try folder.makeEncrypted()
        let copy = folder.path("copy.sqlite")
        try queue.writeWithoutTransaction { db in try db.execute(sql: "VACUUM INTO ?", arguments: [copy]) }
        #expect(!folder.contains(needle, in: "copy.sqlite"))
        #expect(try DatabaseQueue(path: copy, configuration: keyed()).noteCount() == 100)
    }

    @Test func anErasedDatabaseKeepsTheKey() throws {
        let queue = try folder.makeEncrypted()
        try queue.erase()
        try queue.write { db in try db.fill(rowCount: 5) }
        try queue.vacuum()
        try queue.close()
        #expect(try DatabaseQueue(path: path, configuration: keyed()).noteCount() == 5)
    }

    // MARK: Migrations

    @Test func migrationsLeaveNoOtherFileNextToTheDatabase() throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("notes") { db in try db.fill() }
        let queue = try DatabaseQueue(path: path, configuration: keyed())
        try migrator.migrate(queue)
        #expect(try queue.read { db in try migrator.hasSchemaChanges(db) } == false)
        migrator = DatabaseMigrator()
        migrator.eraseDatabaseOnSchemaChange = true
        migrator.registerMigration("notes") { db in
            try db.fill(rowCount: 7)
            try db.execute(sql: "ALTER TABLE note ADD COLUMN title TEXT")
        }
        #expect(try queue.read { db in try migrator.hasSchemaChanges(db) })
        try migrator.migrate(queue)
        #expect(try queue.noteCount() == 7)
        try queue.close()
        #expect(try DatabaseQueue(path: path, configuration: keyed()).noteCount() == 7)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["secret.sqlite"])
    }

    // MARK: Temporary files

    #if os(Linux)
    /// The temporary files that are open, which SQLite deletes at once.
    private func openTemporaryFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { descriptor in
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
        }.filter { $0.contains("etilqs") }
    }

    @Test(arguments: ["DEFAULT", "FILE"])
    func noTemporaryFileIsOpen(temporaryStore: String) throws {
        let queue = try folder.makeEncrypted(rowCount: 20_000)
        try queue.inDatabase { db in
            try db.execute(sql: "PRAGMA temp_store = \(temporaryStore); PRAGMA cache_size = 10")
            // A sorter, a temporary table, an index that a query builds, a materialised view, and a statement journal.
            let sorter = try Row.fetchCursor(db, sql: "SELECT content FROM note ORDER BY substr(content, 22)")
            _ = try sorter.next()
            try expectEqual(openTemporaryFiles(), [])
            try db.execute(sql: "CREATE TEMP TABLE copy AS SELECT * FROM note")
            try expectEqual(openTemporaryFiles(), [])
            let join = try Row.fetchCursor(
                db, sql: "SELECT a.id FROM note a JOIN copy b ON a.content = b.content || '' GROUP BY b.content")
            _ = try join.next()
            try expectEqual(openTemporaryFiles(), [])
            try db.inTransaction {
                try db.execute(sql: "UPDATE note SET content = content || id")
                try db.execute(sql: "INSERT INTO note SELECT id + 100000, content FROM note")
                try expectEqual(openTemporaryFiles(), [])
                return .commit
            }
        }
        let hasEnded = Signal("end of VACUUM")
        let vacuum = Worker {
            defer { hasEnded.fire() }
            try queue.vacuum()
        }
        while !hasEnded.hasFired { try expectEqual(openTemporaryFiles(), []) }
        try vacuum.join()
    }
    #endif
}
#endif
