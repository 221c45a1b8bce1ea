import Amalgam
import Foundation
import Synchronization
import Testing

/// Two migrations of an application: players, then their scores.
private func makeMigrator() -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("players") { db in
        try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    }
    migrator.registerMigration("scores") { db in
        try db.execute(sql: "ALTER TABLE player ADD COLUMN score INTEGER NOT NULL DEFAULT 0")
    }
    return migrator
}

private func columns(_ db: Database) throws -> [String] { try db.columns(in: "player").map(\.name) }

@Suite("Migrations run once, in their order")
struct MigratingTests {
    @Test("each one in its transaction, remembered by its name")
    func migrates() throws {
        let dbQueue = try DatabaseQueue()
        let migrator = makeMigrator()
        #expect(migrator.migrations == ["players", "scores"])
        try migrator.migrate(dbQueue)
        try migrator.migrate(dbQueue)
        try dbQueue.read { db in
            let names = try columns(db)
            #expect(names == ["id", "name", "score"])
            let applied = try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations ORDER BY rowid")
            #expect(applied == ["players", "scores"])
        }
    }

    @Test("the table of the names is that of existing files")
    func theTableOfNames() throws {
        let dbQueue = try DatabaseQueue()
        try DatabaseMigrator().migrate(dbQueue)
        let sql = try dbQueue.read { db in
            try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = 'grdb_migrations'")
        }
        #expect(sql == "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
    }

    @Test("up to one of them")
    func migratesUpTo() throws {
        let dbQueue = try DatabaseQueue()
        let migrator = makeMigrator()
        try migrator.migrate(dbQueue, upTo: "players")
        let before = try dbQueue.read(columns)
        #expect(before == ["id", "name"])
        try migrator.migrate(dbQueue, upTo: "scores")
        let after = try dbQueue.read(columns)
        #expect(after == ["id", "name", "score"])
    }

    @Test("there is no way back, and no unknown goal")
    func goalsThatCannotBeReached() throws {
        let dbQueue = try DatabaseQueue()
        let migrator = makeMigrator()
        let unknown = #expect(throws: DatabaseError.self) { try migrator.migrate(dbQueue, upTo: "teams") }
        #expect(unknown?.message == "undefined migration: \"teams\"")
        try migrator.migrate(dbQueue)
        let back = #expect(throws: DatabaseError.self) { try migrator.migrate(dbQueue, upTo: "players") }
        #expect(back?.message == "database is already migrated beyond migration \"players\"")
        #expect(back?.resultCode == .SQLITE_MISUSE)
    }

    @Test("an identifier is registered once")
    func repeatedIdentifiers() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var migrator = DatabaseMigrator()
            migrator.registerMigration("v1") { _ in }
            migrator.registerMigration("v1") { _ in }
        }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains(#"Fatal error: already registered migration: "v1""#), "\(output)")
    }

    @Test("one that fails changes nothing, and stops those after it")
    func aMigrationThatFails() throws {
        var migrator = makeMigrator()
        migrator.registerMigration("broken") { db in
            try db.execute(sql: "CREATE TABLE team (id INTEGER PRIMARY KEY)")
            try db.execute(sql: "INSERT INTO nowhere VALUES (1)")
        }
        migrator.registerMigration("never") { _ in Issue.record("ran after a failure") }
        let dbQueue = try DatabaseQueue()
        let failing = migrator
        let error = #expect(throws: DatabaseError.self) { try failing.migrate(dbQueue) }
        #expect(error?.message == "no such table: nowhere")
        try dbQueue.read { db in
            let applied = try failing.appliedMigrations(db)
            #expect(applied == ["players", "scores"])
            let exists = try db.tableExists("team")
            #expect(!exists)
        }
    }

    @Test("one that comes late runs as well, even before others")
    func outOfOrder() throws {
        let dbQueue = try DatabaseQueue()
        var old = DatabaseMigrator()
        old.registerMigration("1") { _ in }
        old.registerMigration("3") { _ in }
        try old.migrate(dbQueue)
        var new = DatabaseMigrator()
        for name in ["1", "2", "3"] { new.registerMigration(name) { _ in } }
        try dbQueue.read { db in
            let applied = try new.appliedMigrations(db)
            #expect(applied == ["1", "3"])
            let completed = try new.completedMigrations(db)
            #expect(completed == ["1"])
            let isComplete = try new.hasCompletedMigrations(db)
            #expect(!isComplete)
        }
        try new.migrate(dbQueue)
        let isComplete = try dbQueue.read(new.hasCompletedMigrations)
        #expect(isComplete)
    }

    @Test("without waiting, with the database for the completion")
    func asynchronously() async throws {
        let dbQueue = try DatabaseQueue()
        let count = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int, any Error>) in
            makeMigrator().asyncMigrate(dbQueue) { result in
                continuation.resume(
                    with: result.flatMap { db in
                        Result {
                            try db.execute(sql: "INSERT INTO player (name) VALUES ('Anna')")
                            return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? 0
                        }
                    })
            }
        }
        #expect(count == 1)
    }

    @Test("on a pool, whose readers see the new schema")
    func onAPool() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let dbPool = try DatabasePool(path: folder.appendingPathComponent("db.sqlite").path)
        try makeMigrator().migrate(dbPool, upTo: "players")
        let before = try dbPool.read(columns)
        #expect(before == ["id", "name"])
        try makeMigrator().migrate(dbPool)
        let after = try dbPool.read(columns)
        #expect(after == ["id", "name", "score"])
        try dbPool.close()
    }

    @Test("a migrator is a value")
    func aMigratorIsAValue() {
        let migrator = makeMigrator()
        var other = migrator
        other.registerMigration("teams") { _ in }
        #expect(migrator.migrations == ["players", "scores"])
        #expect(other.migrations == ["players", "scores", "teams"])
    }

    @Test("the schema source of the configuration keeps out of them")
    func withoutSchemaSource() throws {
        struct NoKeys: DatabaseSchemaSource {
            func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) -> [String]? { ["id"] }
        }
        var configuration = Configuration()
        configuration.schemaSource = NoKeys()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("view") { db in
            try db.execute(sql: "CREATE VIEW v AS SELECT 1 AS id")
            let error = #expect(throws: DatabaseError.self) { _ = try db.primaryKey("v") }
            #expect(error?.message == "database view v has no primary key")
        }
        let dbQueue = try DatabaseQueue(configuration: configuration)
        try migrator.migrate(dbQueue)
        let columns = try dbQueue.read { db in try db.primaryKey("v").columns }
        #expect(columns == ["id"])
    }
}

@Suite("What is known of the migrations of a database")
struct MigrationStateTests {
    @Test("a database that was never migrated has none")
    func neverMigrated() throws {
        let dbQueue = try DatabaseQueue()
        let migrator = makeMigrator()
        try dbQueue.read { db in
            let applied = try migrator.appliedIdentifiers(db)
            #expect(applied.isEmpty)
            let isComplete = try migrator.hasCompletedMigrations(db)
            #expect(!isComplete)
            let isCompleteWithoutAny = try DatabaseMigrator().hasCompletedMigrations(db)
            #expect(isCompleteWithoutAny)
        }
    }

    @Test("a later version of the app has left a name that this one does not know")
    func superseded() throws {
        let dbQueue = try DatabaseQueue()
        let migrator = makeMigrator()
        var later = migrator
        later.registerMigration("teams") { _ in }
        try migrator.migrate(dbQueue)
        let before = try dbQueue.read(migrator.hasBeenSuperseded)
        #expect(!before)
        try later.migrate(dbQueue)
        let after = try dbQueue.read(migrator.hasBeenSuperseded)
        #expect(after)
        let names = try dbQueue.read(migrator.appliedIdentifiers)
        #expect(names == ["players", "scores", "teams"])
    }
}

@Suite("Migrations and foreign keys")
struct MigrationForeignKeyTests {
    private func makeDatabase() throws -> DatabaseQueue {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE team (id INTEGER PRIMARY KEY);
                    CREATE TABLE player (id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team);
                    INSERT INTO team VALUES (1);
                    INSERT INTO player VALUES (1, 1);
                    """)
        }
        return dbQueue
    }

    @Test("a table is created anew while keys refer to it")
    func aTableIsCreatedAnew() throws {
        let dbQueue = try makeDatabase()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("strict") { db in
            try db.execute(
                sql: """
                    CREATE TABLE newTeam (id INTEGER PRIMARY KEY) STRICT;
                    INSERT INTO newTeam SELECT * FROM team;
                    DROP TABLE team;
                    ALTER TABLE newTeam RENAME TO team;
                    """)
        }
        try migrator.migrate(dbQueue)
        try dbQueue.read { db in
            try db.checkForeignKeys()
            let isEnforced = try Bool.fetchOne(db, sql: "PRAGMA foreign_keys")
            #expect(isEnforced == true)
        }
    }

    @Test("what breaks a key fails at the end, and is undone")
    func aViolation() throws {
        let dbQueue = try makeDatabase()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("broken") { db in try db.execute(sql: "DELETE FROM team") }
        let failing = migrator
        let error = #expect(throws: DatabaseError.self) { try failing.migrate(dbQueue) }
        #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
        #expect(
            error?.message
                == "FOREIGN KEY constraint violation - from player(teamId) to team(id), in [id:1 teamId:1]")
        try dbQueue.read { db in
            let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM team")
            #expect(count == 1)
            let isEnforced = try Bool.fetchOne(db, sql: "PRAGMA foreign_keys")
            #expect(isEnforced == true)
        }
    }

    @Test("keys of temporary and attached databases are checked, too", arguments: ["temp", "side"])
    func otherDatabases(schema: String) throws {
        let dbQueue = try makeDatabase()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    ATTACH DATABASE ':memory:' AS side;
                    CREATE TABLE \(schema).city (id INTEGER PRIMARY KEY);
                    CREATE TABLE \(schema).street (id INTEGER PRIMARY KEY, cityId INTEGER REFERENCES city);
                    INSERT INTO \(schema).city VALUES (1);
                    INSERT INTO \(schema).street VALUES (1, 1);
                    """)
        }
        var migrator = DatabaseMigrator()
        migrator.registerMigration("good") { db in try db.execute(sql: "INSERT INTO \(schema).city VALUES (2)") }
        try migrator.migrate(dbQueue)
        migrator.registerMigration("broken") { db in try db.execute(sql: "DELETE FROM \(schema).city") }
        let failing = migrator
        let error = #expect(throws: DatabaseError.self) { try failing.migrate(dbQueue) }
        #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
        #expect(
            error?.message
                == "FOREIGN KEY constraint violation - from street(cityId) to city(id), in [id:1 cityId:1]")
        let count = try dbQueue.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(schema).city") }
        #expect(count == 2)
    }

    @Test("immediate checks refuse what a deferred one would accept")
    func immediateChecks() throws {
        let dbQueue = try makeDatabase()
        let swap: @Sendable (Database) throws -> Void = { db in
            try db.execute(sql: "DELETE FROM team; INSERT INTO team VALUES (1)")
        }
        var immediate = DatabaseMigrator()
        immediate.registerMigration("swap", foreignKeyChecks: .immediate, migrate: swap)
        let failing = immediate
        let error = #expect(throws: DatabaseError.self) { try failing.migrate(dbQueue) }
        #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
        var deferred = DatabaseMigrator()
        deferred.registerMigration("swap", migrate: swap)
        try deferred.migrate(dbQueue)
    }

    @Test("checks can be left out, from one migration on")
    func withoutChecks() throws {
        let dbQueue = try makeDatabase()
        var migrator = DatabaseMigrator().disablingDeferredForeignKeyChecks()
        migrator.registerMigration("unchecked") { db in try db.execute(sql: "DELETE FROM team") }
        try migrator.migrate(dbQueue)
        let error = #expect(throws: DatabaseError.self) { try dbQueue.read { db in try db.checkForeignKeys() } }
        #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
    }

    @Test("those registered before are still checked")
    func checksOfEarlierMigrations() throws {
        let dbQueue = try makeDatabase()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("broken") { db in try db.execute(sql: "DELETE FROM team") }
        let failing = migrator.disablingDeferredForeignKeyChecks()
        #expect(throws: DatabaseError.self) { try failing.migrate(dbQueue) }
    }
}

@Suite("A migration that takes the place of others")
struct MergedMigrationTests {
    /// The arguments of the merged migration.
    private final class Log: Sendable {
        let calls = Mutex<[Set<String>]>([])
    }

    private func makeMigrator(_ identifier: String, _ log: Log) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { _ in }
        migrator.registerMigration(identifier, merging: ["v2", "v3", "v4"]) { _, applied in
            log.calls.withLock { $0.append(applied) }
        }
        migrator.registerMigration("v5") { _ in }
        return migrator
    }

    @Test(
        "it is told what was applied, and only its name is left",
        arguments: [
            ([], "v4", [[]]),
            (["v1"], "v4", [[]]),
            (["v1", "v2"], "v4", [["v2"]]),
            (["v1", "v2", "v3"], "v4", [["v2", "v3"]]),
            (["v1", "v2", "v3", "v4"], "v4", []),
            (["v1", "v4"], "v4", []),
            (["v1", "v2", "v3", "v4"], "v4bis", [["v2", "v3", "v4"]]),
            (["v1", "v4bis"], "v4bis", []),
        ] as [([String], String, [Set<String>])])
    func merging(_ applied: [String], _ identifier: String, _ calls: [Set<String>]) throws {
        let dbQueue = try DatabaseQueue()
        var old = DatabaseMigrator()
        for name in applied { old.registerMigration(name) { _ in } }
        try old.migrate(dbQueue)
        let log = Log()
        let migrator = makeMigrator(identifier, log)
        try migrator.migrate(dbQueue)
        #expect(log.calls.withLock { $0 } == calls)
        let names = try dbQueue.read(migrator.appliedIdentifiers)
        #expect(names == ["v1", identifier, "v5"])
        try migrator.migrate(dbQueue)
        #expect(log.calls.withLock { $0 } == calls)
    }
}

@Suite("A database whose schema the migrations do not make any more")
struct SchemaChangeTests {
    private func makeMigrator(_ definitions: [(String, String)]) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for (name, sql) in definitions { migrator.registerMigration(name) { db in try db.execute(sql: sql) } }
        return migrator
    }

    private let first = ("first", "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")

    private func migratedDatabase(_ configuration: Configuration = Configuration()) throws -> DatabaseQueue {
        let dbQueue = try DatabaseQueue(configuration: configuration)
        try makeMigrator([first]).migrate(dbQueue)
        try dbQueue.write { db in try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')") }
        return dbQueue
    }

    @Test("a changed, renamed, or removed migration is a change")
    func changes() throws {
        let dbQueue = try migratedDatabase()
        let variants: [(DatabaseMigrator, Bool)] = [
            (makeMigrator([first]), false),
            (makeMigrator([first, ("second", "CREATE TABLE team (id)")]), false),
            (makeMigrator([("first", "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score)")]), true),
            (makeMigrator([("renamed", first.1)]), true),
            (makeMigrator([]), true),
        ]
        for (migrator, isChange) in variants {
            let answer = try dbQueue.read(migrator.hasSchemaChanges)
            #expect(answer == isChange, "\(migrator.migrations)")
        }
    }

    @Test("an empty database has none")
    func anEmptyDatabase() throws {
        let answer = try DatabaseQueue().read(makeMigrator([first]).hasSchemaChanges)
        #expect(!answer)
    }

    @Test("the database is erased, and migrated anew")
    func erases() throws {
        let dbQueue = try migratedDatabase()
        var migrator = makeMigrator([("first", "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score)")])
        migrator.eraseDatabaseOnSchemaChange = true
        try migrator.migrate(dbQueue)
        let (count, names) = try dbQueue.read { db in
            (try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player"), try db.columns(in: "player").map(\.name))
        }
        #expect(count == 0)
        #expect(names == ["id", "name", "score"])
    }

    @Test("content stays when migrations were added")
    func keeps() throws {
        let dbQueue = try migratedDatabase()
        try dbQueue.write { db in try db.execute(sql: "ANALYZE") }
        var migrator = makeMigrator([first, ("second", "ALTER TABLE player ADD COLUMN score")])
        migrator.eraseDatabaseOnSchemaChange = true
        try migrator.migrate(dbQueue)
        let count = try dbQueue.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") }
        #expect(count == 1)
    }

    @Test(
        "content stays when the library, or Litestream, has added its tables",
        arguments: [
            "_amalgam_replication", "_litestream_seq", "_litestream_lock", "amalgam_audit_change", "grdb_other",
        ])
    func tablesOfTheLibrary(table: String) throws {
        let dbQueue = try migratedDatabase()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE \(table) (id INTEGER PRIMARY KEY, value UNIQUE)")
        }
        var migrator = makeMigrator([first, ("second", "ALTER TABLE player ADD COLUMN score")])
        migrator.eraseDatabaseOnSchemaChange = true
        let hasChanged = try dbQueue.read(migrator.hasSchemaChanges)
        #expect(!hasChanged)
        try migrator.migrate(dbQueue)
        let count = try dbQueue.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") }
        #expect(count == 1)
    }

    @Test("functions of the configuration are there, and queues do not wait for themselves")
    func theSameConfiguration() throws {
        var configuration = Configuration()
        let queue = DispatchQueue(label: "migrations")
        configuration.targetQueue = queue
        configuration.writeTargetQueue = queue
        configuration.prepareDatabase { db in
            db.add(function: DatabaseFunction("answer", argumentCount: 0, pure: true) { _ in 42 })
        }
        let dbQueue = try DatabaseQueue(configuration: configuration)
        var migrator = makeMigrator([("function", "CREATE TABLE t AS SELECT answer() AS a")])
        migrator.eraseDatabaseOnSchemaChange = true
        try migrator.migrate(dbQueue)
        try migrator.migrate(dbQueue)
        let answer = try dbQueue.read { db in try Int.fetchOne(db, sql: "SELECT a FROM t") }
        #expect(answer == 42)
    }

    @Test("a read-only connection can be asked")
    func aReadOnlyConnection() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sqlite").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let migrator = makeMigrator([first])
        try migrator.migrate(DatabaseQueue(path: path))
        var configuration = Configuration()
        configuration.readonly = true
        let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
        let same = try dbQueue.read(migrator.hasSchemaChanges)
        #expect(!same)
        let other = try dbQueue.read(makeMigrator([("first", "CREATE TABLE team (id)")]).hasSchemaChanges)
        #expect(other)
    }
}
