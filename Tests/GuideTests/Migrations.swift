import Amalgam
import Foundation
import Testing

@Suite("Guide: Migrations")
struct Migrations {
    let migrator: DatabaseMigrator

    init() {
        // guide: migrator
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1 players") { db in
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull()
            }
        }
        migrator.registerMigration("v2 scores") { db in
            try db.alter(table: "player") { t in
                t.add(column: "score", .integer).notNull().defaults(to: 0)
            }
        }
        // end
        self.migrator = migrator
    }

    @Test("Each migration runs once")
    func migrating() throws {
        // guide: migrate
        let dbQueue = try DatabaseQueue()
        try migrator.migrate(dbQueue)
        // end
        try migrator.migrate(dbQueue)
        #expect(try dbQueue.read { try $0.columns(in: "player").map(\.name) } == ["id", "name", "score"])
        // guide: ask
        let isUpToDate = try dbQueue.read { try migrator.hasCompletedMigrations($0) }
        let applied = try dbQueue.read { try migrator.appliedMigrations($0) }
        let isTooNew = try dbQueue.read { try migrator.hasBeenSuperseded($0) }
        // end
        #expect(isUpToDate && !isTooNew)
        #expect(applied == ["v1 players", "v2 scores"])
    }

    @Test("A table that is made again")
    func recreation() throws {
        let dbQueue = try DatabaseQueue()
        var migrator = migrator
        // guide: recreate
        migrator.registerMigration("v3 name is unique", foreignKeyChecks: .deferred) { db in
            try db.create(table: "newPlayer") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull().unique()
                t.column("score", .integer).notNull().defaults(to: 0)
            }
            try db.execute(sql: "INSERT OR IGNORE INTO newPlayer (id, name, score) SELECT id, name, score FROM player")
            try db.drop(table: "player")
            try db.rename(table: "newPlayer", to: "player")
        }
        // end
        try migrator.migrate(dbQueue, upTo: "v2 scores")
        try dbQueue.write { try $0.execute(sql: "INSERT INTO player (name) VALUES ('Anna'), ('Anna')") }
        try migrator.migrate(dbQueue)
        #expect(try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player") } == 1)
    }

    @Test("A migration that fails changes nothing")
    func failure() throws {
        let dbQueue = try DatabaseQueue()
        var migrator = migrator
        migrator.registerMigration("v3 bad") { db in
            try db.execute(sql: "INSERT INTO player (name) VALUES ('Anna'); INSERT INTO nonexistent VALUES (1)")
        }
        // guide: failure
        do {
            try migrator.migrate(dbQueue)
        } catch let error as DatabaseError {
            print(error)  // names the migration, the SQL and SQLite's message
            // end
            #expect(error.description.contains("v3 bad"))
            // guide: failure
        }
        // The migrations before it are applied, and its own changes are rolled back.
        // end
        #expect(try dbQueue.read { try migrator.appliedMigrations($0) } == ["v1 players", "v2 scores"])
        #expect(try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player") } == 0)
    }
}
