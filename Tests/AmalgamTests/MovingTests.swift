import Amalgam
import CAmalgam
import Testing

/// The statements of the page "Moving from GRDB" about applications that move from GRDB.
@Suite struct MovingTests {
    struct Player: Amalgam.FetchableRecord, Amalgam.PersistableRecord, Codable {
        var id: Int64
        var name: String
    }

    /// Names that other modules also have can be qualified with `Amalgam`, whichever of its modules declares them.
    @Test func qualifiedNames() throws {
        let dbQueue: Amalgam.DatabaseQueue = try DatabaseQueue()
        try dbQueue.write { (db: Amalgam.Database) in
            try db.create(table: "player") { t in
                t.primaryKey("id", Amalgam.Database.ColumnType.integer)
                t.column("name", .text)
            }
            try Player(id: 1, name: "Anna").insert(db)
        }
        let name: String? = try dbQueue.read { db in
            try Player.filter(Amalgam.Column("id") == 1).fetchOne(db)?.name
        }
        #expect(name == "Anna")
    }

    @Test func theInterfaceOfCIsAModuleOfItsOwn() throws {
        let dbQueue = try DatabaseQueue()
        let isAutocommit = dbQueue.inDatabase { db in sqlite3_get_autocommit(db.sqliteConnection) }
        #expect(isAutocommit == 1)
    }

    /// Migrations that ran before the move don't run again.
    @Test func migrationsAreKnown() throws {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                    INSERT INTO grdb_migrations VALUES ('v1');
                    CREATE TABLE player (id INTEGER PRIMARY KEY);
                    """)
        }
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY)") }
        migrator.registerMigration("v2") { db in try db.execute(sql: "ALTER TABLE player ADD COLUMN name TEXT") }
        try migrator.migrate(dbQueue)
        let columns = try dbQueue.read { db in try db.columns(in: "player").map(\.name) }
        #expect(columns == ["id", "name"])
    }
}
