import Amalgam
import Foundation
import Testing

private func makeMigrator() -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Create players") { db in
        try db.create(table: "player") { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("name", .text).notNull()
        }
    }
    migrator.registerMigration("Add scores") { db in
        try db.alter(table: "player") { t in t.add(column: "score", .integer) }
        try db.execute(sql: "UPDATE player SET score = ?", arguments: [10])
    }
    return migrator
}

@Suite("What migrations would do")
struct DryRunTests {
    @Test("the statements of each, and the difference of the schemas")
    func text() throws {
        let dbQueue = try DatabaseQueue()
        let run = try makeMigrator().dryRun(dbQueue)
        #expect(
            run.description == """
                -- Create players
                CREATE TABLE "player" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "name" TEXT NOT NULL);

                -- Add scores
                ALTER TABLE "player" ADD COLUMN "score" INTEGER;
                UPDATE player SET score = 10;

                -- Schema
                + CREATE TABLE "player" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "name" TEXT NOT NULL, "score" INTEGER)

                """)
        #expect(run.steps.map(\.migration) == ["Create players", "Add scores"])
        #expect(run.steps[0].schemaDifference.created.map(\.name) == ["player"])
        #expect(run.steps[1].schemaDifference.changed.map(\.after.name) == ["player"])
    }

    /// The connection to the copy has created the tables of the log in another encoding before it receives the copy.
    @Test("of an audited database in another encoding", arguments: ["UTF-16le", "UTF-16be"])
    func otherEncodings(encoding: String) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("db.sqlite").path
        let file = try DatabaseQueue(path: path)
        try file.writeWithoutTransaction { db in
            try db.execute(
                sql: "PRAGMA encoding = '\(encoding)'; CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
        }
        try file.close()
        var configuration = Configuration()
        configuration.audit("player")
        let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("Add scores") { db in
            try db.execute(sql: "ALTER TABLE player ADD COLUMN score INTEGER; INSERT INTO player VALUES (1, 'ä', 1)")
        }
        #expect(try migrator.dryRun(dbQueue).steps.map(\.migration) == ["Add scores"])
        #expect(try dbQueue.read { try String.fetchOne($0, sql: "PRAGMA encoding") } == encoding)
        var complete = DatabaseMigrator()
        complete.registerMigration("Create players") { db in
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS player (id INTEGER PRIMARY KEY, name TEXT)")
        }
        complete.registerMigration("Add scores") { db in
            try db.execute(sql: "ALTER TABLE player ADD COLUMN score INTEGER")
        }
        try complete.verify(dbQueue)
        try dbQueue.close()
    }

    @Test("the database is only read")
    func theDatabaseStays() throws {
        let dbQueue = try DatabaseQueue()
        _ = try makeMigrator().dryRun(dbQueue)
        try dbQueue.read { db in
            let objects = try db.schemaObjects()
            #expect(objects.isEmpty)
        }
    }

    @Test("it begins with what was applied")
    func afterMigrations() throws {
        let dbQueue = try DatabaseQueue()
        let migrator = makeMigrator()
        try migrator.migrate(dbQueue, upTo: "Create players")
        #expect(try migrator.dryRun(dbQueue).steps.map(\.migration) == ["Add scores"])
        try migrator.migrate(dbQueue)
        let run = try migrator.dryRun(dbQueue)
        #expect(run.steps.isEmpty && run.schemaDifference.isEmpty)
        #expect(run.description == "No migration would run.")
    }

    @Test("up to one of them")
    func upTo() throws {
        let run = try makeMigrator().dryRun(DatabaseQueue(), upTo: "Create players")
        #expect(run.steps.map(\.migration) == ["Create players"])
    }

    @Test("the content is there")
    func content() throws {
        let dbQueue = try DatabaseQueue()
        var migrator = makeMigrator()
        try migrator.migrate(dbQueue)
        try dbQueue.write { db in try db.execute(sql: "INSERT INTO player (name) VALUES ('Anna'), ('Bob')") }
        migrator.registerMigration("Shout") { db in
            for name in try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY id") {
                try db.execute(literal: "UPDATE player SET name = \(name.uppercased()) WHERE name = \(name)")
            }
        }
        let run = try migrator.dryRun(dbQueue)
        #expect(
            run.steps[0].sql == [
                "SELECT name FROM player ORDER BY id",
                "UPDATE player SET name = 'ANNA' WHERE name = 'Anna'",
                "UPDATE player SET name = 'BOB' WHERE name = 'Bob'",
            ])
        #expect(run.description.hasSuffix("-- Schema\n(no difference)\n"))
    }

    @Test("an error is that of migrating")
    func errors() throws {
        var migrator = makeMigrator()
        migrator.registerMigration("Broken") { db in try db.execute(sql: "DROP TABLE team") }
        let broken = migrator
        let error = #expect(throws: DatabaseError.self) { try broken.dryRun(DatabaseQueue()) }
        #expect(error?.message == "no such table: team")
    }

    @Test("virtual tables: what they run and keep by themselves is left out")
    func virtualTables() throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("Search") { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE search USING fts5(body)")
            try db.execute(sql: "INSERT INTO search VALUES ('some text')")
        }
        let run = try migrator.dryRun(DatabaseQueue())
        #expect(
            run.steps[0].sql == [
                "CREATE VIRTUAL TABLE search USING fts5(body)", "INSERT INTO search VALUES ('some text')",
            ])
        #expect(run.schemaDifference.description == "+ CREATE VIRTUAL TABLE search USING fts5(body)")
    }

    @Test("a read-only file can be asked, and a pool")
    func files() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("db.sqlite").path
        let dbPool = try DatabasePool(path: path)
        try makeMigrator().migrate(dbPool, upTo: "Create players")
        #expect(try makeMigrator().dryRun(dbPool).steps.count == 1)
        try dbPool.close()
        var configuration = Configuration()
        configuration.readonly = true
        let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
        #expect(try makeMigrator().dryRun(dbQueue).steps.count == 1)
    }
}
