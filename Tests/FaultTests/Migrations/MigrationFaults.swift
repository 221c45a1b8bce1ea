import Amalgam
import AmalgamCore
import Testing

private let migrator = {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("awards") { db in
        try db.create(table: "award") { t in
            t.autoIncrementedPrimaryKey("id")
            t.belongsTo("player", onDelete: .cascade)
        }
        try db.execute(sql: "INSERT INTO award (playerId) SELECT id FROM player")
    }
    migrator.registerMigration("teams anew") { db in
        try db.execute(
            sql: """
                CREATE TABLE new_team (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
                INSERT INTO new_team SELECT * FROM team;
                DROP TABLE team;
                ALTER TABLE new_team RENAME TO team;
                """)
    }
    return migrator
}()

/// A failed migration leaves the database unchanged, and foreign keys enabled.
@Suite struct MigrationFaults {
    @Test(arguments: Weather.all)
    func migrations(weather: Weather) throws {
        let setUp = { (db: Database) in
            try db.createTeams()
            try db.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
        }
        try everyFault(of: weather, stride: weather.fault.isMemory ? 9 : 2, setUp: setUp) { attempt in
            let writer = try attempt.connect()
            do {
                try attempt.step { try migrator.migrate(writer, upTo: "awards") }
                try attempt.step { try migrator.migrate(writer) }
            } catch {
                try attempt.expectForeignKeys(writer)
                throw error
            }
            try attempt.expectForeignKeys(writer)
        }
    }

    /// The database is only read: the answers are correct, or an error is thrown.
    @Test(arguments: Weather.allocations([.memory, .journal]))
    func rehearsals(weather: Weather) throws {
        try everyFault(of: weather, stride: 19, setUp: { try $0.createTeams() }) { attempt in
            let writer = try attempt.connect()
            try attempt.step { attempt.note(try migrator.dryRun(writer)) }
        }
    }

    @Test(arguments: Weather.allocations([.memory, .journal]))
    func schemaChanges(weather: Weather) throws {
        let setUp = { (db: Database) in
            try db.createTeams()
            try db.execute(
                sql: """
                    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                    INSERT INTO grdb_migrations VALUES ('awards');
                    """)
        }
        var own = DatabaseMigrator()
        own.registerMigration("awards") { db in try db.createTeams() }
        let migrator = own
        try everyFault(of: weather, stride: 9, setUp: setUp) { attempt in
            try attempt.connect()
            try attempt.read { db in attempt.note(try migrator.hasSchemaChanges(db)) }
        }
    }
}

extension Attempt {
    /// Expects that foreign keys are enforced after any failure.
    fileprivate func expectForeignKeys(_ writer: any DatabaseWriter) throws {
        try calmly {
            let isOn = try writer.writeWithoutTransaction { db in try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") }
            if isOn != true { throw DatabaseError(message: "foreign keys are off") }
        }
    }
}
