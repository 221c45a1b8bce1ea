import Amalgam
import AmalgamTesting
import Foundation
import Testing

private func makeMigrator(_ definitions: (String, String)...) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for (name, sql) in definitions { migrator.registerMigration(name) { db in try db.execute(sql: sql) } }
    return migrator
}

private let first = ("v1", "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
private let second = ("v2", "ALTER TABLE player ADD COLUMN score INTEGER NOT NULL DEFAULT 0")
private let third = ("v3", "CREATE INDEX player_on_name ON player(name)")

private let anna = EarlierDatabase.version("v1") { db in
    try db.execute(sql: "INSERT INTO player (name) VALUES ('Anna'), ('Bo')")
}

private func names(_ db: Database) throws -> [String] {
    try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY id")
}

struct MigrationTesterTests {
    private let tester = MigrationTester(makeMigrator(first, second, third))

    // MARK: Versions

    @Test func rowsOfAnEarlierVersionAreKept() throws {
        var scores: [Int] = []
        try tester.expectMigration(from: anna, keeping: names) { db in
            scores = try Int.fetchAll(db, sql: "SELECT score FROM player")
        }
        #expect(scores == [0, 0])
    }

    @Test func rowsThatAMigrationLoses() throws {
        let tester = MigrationTester(makeMigrator(first, ("v2", "DELETE FROM player WHERE name = 'Bo'")))
        let failure = try failure { try tester.expectMigration(from: anna, keeping: names) }
        #expect(
            failure?.message == """
                Migrating from version "v1": the content has changed
                before: ["Anna", "Bo"]
                after:  ["Anna"]
                """)
    }

    @Test func aMigrationThatFailsWithRows() throws {
        let tester = MigrationTester(makeMigrator(first, ("v2", "CREATE UNIQUE INDEX i ON player(length(name) > 0)")))
        let failure = try failure { try tester.expectMigration(from: anna, keeping: names) }
        #expect(failure?.message.hasPrefix("Migrating from version \"v1\": SQLite error 19: UNIQUE constraint") == true)
        #expect(failure?.message.hasSuffix("in migration \"v2\"") == true)
    }

    @Test func theMigratorOfAnEarlierRelease() throws {
        var merged = DatabaseMigrator()
        merged.registerMigration("v2", merging: ["v1"]) { db, applied in
            if !applied.contains("v1") { try db.execute(sql: first.1) }
            try db.execute(sql: second.1)
        }
        let start = EarlierDatabase.version("v1", of: makeMigrator(first)) { db in
            try db.execute(sql: "INSERT INTO player (name) VALUES ('Anna')")
        }
        try MigrationTester(merged).expectMigration(from: start, keeping: names)
    }

    @Test func theErrorOfACheckIsThrown() throws {
        struct Refusal: Error {}
        #expect(throws: Refusal.self) {
            try tester.expectMigration(from: anna, keeping: names) { _ in throw Refusal() }
        }
    }

    @Test func theMigratorDoesNotEraseTheDatabase() throws {
        var migrator = makeMigrator(("v1", "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)"), second)
        migrator.eraseDatabaseOnSchemaChange = true
        let start = EarlierDatabase.version("v1", of: makeMigrator(first)) { db in
            try db.execute(sql: "INSERT INTO player (name) VALUES ('Anna')")
        }
        let failure = try failure { try MigrationTester(migrator).expectMigration(from: start, keeping: names) }
        #expect(failure?.message.contains("the schema is not that of a new database") == true)
    }

    // MARK: Files

    @Test func filesOfEarlierVersions() throws {
        let folder = try Folder()
        let path = folder.path("v1.sqlite")
        try tester.makeFile(at: path, version: "v1") { db in
            try db.execute(sql: "INSERT INTO player (name) VALUES ('Anna')")
        }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        try tester.expectMigration(from: .file(path), keeping: names)
        #expect(try tester.expectInterruptions(from: .file(path), keeping: names) > 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
        #expect(throws: DatabaseError.self) { try tester.makeFile(at: path, version: "v1") { _ in } }
        #expect(throws: DatabaseError.self) {
            try tester.expectMigration(from: .file(folder.path("missing.sqlite")), keeping: names)
        }
    }

    /// A pool of the earlier release has left the file in WAL mode, next to a WAL file with frames.
    @Test func aFileInWALModeIsOnlyRead() throws {
        let (release, folder) = (try Folder(), try Folder())
        let path = folder.path("v1.sqlite")
        let dbPool = try DatabasePool(path: release.path("v1.sqlite"))
        try makeMigrator(first).migrate(dbPool)
        try dbPool.write { db in try db.execute(sql: "INSERT INTO player (name) VALUES ('Anna')") }
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: release.path("v1.sqlite" + suffix), toPath: path + suffix)
        }
        try dbPool.close()
        var found: [String] = []
        try tester.expectMigration(from: .file(path), keeping: names) { db in found = try names(db) }
        #expect(found == ["Anna"])
        #expect(try folder.names() == ["v1.sqlite", "v1.sqlite-wal"])
    }

    @Test func aFileThatCannotBeMadeDoesNotRemain() throws {
        struct Refusal: Error {}
        let folder = try Folder()
        let path = folder.path("v1.sqlite")
        #expect(throws: Refusal.self) { try tester.makeFile(at: path, version: "v1") { _ in throw Refusal() } }
        #expect(try folder.names() == [])
        try tester.makeFile(at: path, version: "v1") { _ in }
        #expect(try folder.names() == ["v1.sqlite"])
    }

    @Test func aFileWhoseSchemaIsNotThatOfItsMigrations() throws {
        let folder = try Folder()
        let path = folder.path("other.sqlite")
        let other = MigrationTester(makeMigrator(("v1", "CREATE TABLE player (id INTEGER PRIMARY KEY, name)")))
        try other.makeFile(at: path, version: "v1") { _ in }
        let failure = try failure { try tester.expectMigration(from: .file(path), keeping: names) }
        #expect(failure?.message.hasPrefix("Migrating from \(path): ") == true)
        #expect(failure?.message.contains("the schema is not that of a new database") == true)
    }

    @Test func aFileThatDiffersInSpacesHasSchemaChanges() throws {
        let folder = try Folder()
        let path = folder.path("spaces.sqlite")
        let other = MigrationTester(
            makeMigrator(("v1", "CREATE TABLE player (id  INTEGER PRIMARY KEY, name TEXT)"), second, third))
        try other.makeFile(at: path, version: "v3") { _ in }
        let failure = try failure { try tester.expectMigration(from: .file(path), keeping: names) }
        #expect(failure?.message.contains("hasSchemaChanges") == true)
    }

    @Test func databasesHaveTheConfiguration() throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in try db.execute(sql: first.1) }
        migrator.registerMigration("v2") { db in try db.execute(sql: "UPDATE player SET name = upperCase(name)") }
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.add(
                function: DatabaseFunction("upperCase", argumentCount: 1, pure: true) { values in
                    String.fromDatabaseValue(values[0])?.uppercased()
                })
        }
        try MigrationTester(migrator, configuration: configuration).expectMigration(
            from: anna, keeping: { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") },
            then: { db in
                let found = try names(db)
                #expect(found == ["ANNA", "BO"])
            })
    }

    // MARK: Interruptions

    @Test func migrationsAreInterruptedAtEveryReport() throws {
        // Two migrations, each of which begins, checks its foreign keys, and ends.
        #expect(try tester.expectInterruptions(from: anna, keeping: names) == 6)
        #expect(try tester.expectInterruptions(from: anna, limit: 2, keeping: names) == 2)
        #expect(try tester.expectInterruptions(from: .version("v3"), keeping: names) == 0)
    }

    @Test func statementsAreInterrupted() throws {
        let long = """
            INSERT INTO player (name)
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8000) SELECT i FROM n;
            DELETE FROM player WHERE name NOT IN ('Anna', 'Bo')
            """
        let tester = MigrationTester(makeMigrator(first, ("v2", long)))
        #expect(try tester.expectInterruptions(from: anna, limit: 1_000, keeping: names) > 3)
        #expect(try tester.expectInterruptions(from: anna, limit: 5, keeping: names) <= 5)
    }

    @Test func aMigrationThatCannotBeRepeated() throws {
        let folder = try Folder()
        let path = folder.path("imported.txt")
        var migrator = makeMigrator(first)
        migrator.registerMigration("v2") { db in
            // Not undone by a rollback: the second run imports nothing.
            let isImported = FileManager.default.fileExists(atPath: path)
            try Data().write(to: URL(fileURLWithPath: path))
            try db.execute(sql: isImported ? "DELETE FROM player" : "SELECT 1")
        }
        let tester = MigrationTester(migrator)
        let failure = try failure { try tester.expectInterruptions(from: anna, keeping: names) }
        #expect(failure?.message.contains("version \"v1\", interrupted in \"v2\" (report 1): the content has") == true)
    }
}
