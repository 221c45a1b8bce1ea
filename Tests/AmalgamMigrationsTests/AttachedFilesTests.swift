import Amalgam
import Foundation
import TestSupport
import Testing

@Suite("Rehearsals don't change attached files")
struct AttachedFilesTests {
    private let folder = Folder()
    private var side: String { folder.path("side.sqlite") }

    /// Creates the attached file, with two rows.
    private func createSide() throws {
        let queue = try DatabaseQueue(path: side)
        try queue.write { db in try db.execute(sql: "CREATE TABLE team (name); INSERT INTO team VALUES ('a'), ('b')") }
        try queue.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA journal_mode = WAL") }
        try queue.close()
    }

    private var attaching: Configuration {
        var configuration = Configuration()
        configuration.prepareDatabase { [side] db in
            try db.execute(sql: "ATTACH DATABASE ? AS side", arguments: [side])
        }
        return configuration
    }

    private func makeMigrator() -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("teams") { db in
            try db.execute(sql: "CREATE TABLE player (id); INSERT INTO player SELECT rowid FROM side.team")
            try db.execute(sql: "DELETE FROM side.team WHERE name = 'a'; CREATE TABLE IF NOT EXISTS side.other (a)")
        }
        return migrator
    }

    /// The tables and the number of teams of the attached file, and its journal mode.
    private func content() throws -> [String] {
        try DatabaseQueue(path: side).writeWithoutTransaction { db in
            try String.fetchAll(db, sql: "SELECT name FROM sqlite_master")
                + String.fetchAll(db, sql: "SELECT COUNT(*) FROM team")
                + String.fetchAll(db, sql: "PRAGMA journal_mode")
        }
    }

    @Test("a dry run changes a copy")
    func dryRun() throws {
        try createSide()
        let dbQueue = try DatabaseQueue(path: folder.path("db.sqlite"), configuration: attaching)
        #expect(try makeMigrator().dryRun(dbQueue).steps.count == 1)
        #expect(try content() == ["team", "2", "wal"])
    }

    @Test("neither does the comparison of schemas, in a read")
    func schemaChanges() throws {
        try createSide()
        let dbQueue = try DatabaseQueue(path: folder.path("db.sqlite"), configuration: attaching)
        let migrator = makeMigrator()
        try migrator.migrate(dbQueue)
        try dbQueue.write { db in try db.execute(sql: "INSERT INTO side.team VALUES ('a')") }
        #expect(try dbQueue.read(migrator.hasSchemaChanges) == false)
        #expect(try content() == ["team", "other", "2", "wal"])
    }

    @Test("nor does a verification")
    func verification() throws {
        try createSide()
        try makeMigrator().verify(configuration: attaching)
        try makeMigrator().verify(DatabaseQueue(path: folder.path("db.sqlite"), configuration: attaching))
        #expect(try content() == ["team", "2", "wal"])
    }

    @Test("attached databases in memory stay")
    func otherSchemas() throws {
        try createSide()
        var configuration = attaching
        configuration.prepareDatabase { db in
            try db.execute(sql: "ATTACH DATABASE ':memory:' AS cache; CREATE TABLE cache.entry (a)")
        }
        var migrator = DatabaseMigrator()
        migrator.registerMigration("all") { db in
            let names = try Row.fetchAll(db, sql: "PRAGMA database_list").map { $0["name"] as String }
            #expect(Set(names) == ["main", "side", "cache"])
            try db.execute(sql: "INSERT INTO cache.entry SELECT name FROM side.team")
        }
        _ = try migrator.dryRun(DatabaseQueue(configuration: configuration))
    }

    @Test("a migration may read a file that it attaches, and not write to it")
    func attachedByAMigration() throws {
        try createSide()
        let dbQueue = try DatabaseQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("import") { [side] db in
            try db.execute(sql: "ATTACH DATABASE ? AS side", arguments: [side])
            try db.execute(sql: "CREATE TABLE team AS SELECT * FROM side.team")
        }
        #expect(try migrator.dryRun(dbQueue).steps.count == 1)
        migrator.registerMigration("clear") { db in try db.execute(sql: "DELETE FROM side.team") }
        expectCode(.SQLITE_READONLY) { try migrator.dryRun(dbQueue) }
        #expect(try content() == ["team", "2", "wal"])
    }

    @Test("only the user of the process can read the copies")
    func permissions() throws {
        try createSide()
        let permissions = Log<Int>()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("permissions") { db in
            let path = try #require(db.filePath())
            for path in [path, URL(fileURLWithPath: path).deletingLastPathComponent().path] {
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                permissions.append((attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0)
            }
        }
        _ = try migrator.dryRun(DatabaseQueue(path: folder.path("db.sqlite"), configuration: attaching))
        #expect(permissions.elements == [0o600, 0o700])
    }
}
