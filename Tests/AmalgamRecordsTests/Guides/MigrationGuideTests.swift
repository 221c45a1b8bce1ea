import Amalgam
import Testing

@Suite("Guide: the schema evolves by migrations")
struct MigrationGuideTests {
    /// Authors, then books and years of birth.
    private func makeMigrator() -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("Create authors") { db in
            try db.create(table: "author") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("creationDate", .datetime)
                t.column("name", .text)
            }
        }
        migrator.registerMigration("Add books and author.birthYear") { db in
            try db.create(table: "book") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("author").notNull()
                t.column("title", .text).notNull()
            }
            try db.alter(table: "author") { t in t.add(column: "birthYear", .integer) }
        }
        return migrator
    }

    @Test("each runs once; versions can be asked for")
    func versions() throws {
        let dbQueue = try DatabaseQueue()
        let migrator = makeMigrator()
        try migrator.migrate(dbQueue, upTo: "Create authors")
        #expect(try dbQueue.read(migrator.hasCompletedMigrations) == false)
        try migrator.migrate(dbQueue)
        #expect(try dbQueue.read(migrator.hasCompletedMigrations))
        #expect(try dbQueue.read(migrator.hasBeenSuperseded) == false)
        expectDatabaseError(.SQLITE_MISUSE, "database is already migrated beyond migration \"Create authors\"") {
            try migrator.migrate(dbQueue, upTo: "Create authors")
        }
    }

    @Test("a foreign key is renamed while keys are checked")
    func renamedForeignKeys() throws {
        let dbQueue = try DatabaseQueue()
        var migrator = makeMigrator()
        try migrator.migrate(dbQueue)
        try dbQueue.write { db in
            try db.execute(
                sql: "INSERT INTO author (id, name) VALUES (1, 'Anna'); INSERT INTO book VALUES (1, 1, 'Emma')")
        }
        migrator.registerMigration("Writers", foreignKeyChecks: .immediate) { db in
            try db.rename(table: "author", to: "writer")
            try db.alter(table: "book") { t in t.rename(column: "authorId", to: "writerId") }
        }
        try migrator.migrate(dbQueue)
        try dbQueue.read { db in
            let key = try #require(try db.foreignKeys(on: "book").first)
            #expect(key.destinationTable == "writer" && key.originColumns == ["writerId"])
        }
    }

    @Test("a table is created anew, with its rows, while others refer to it")
    func recreatedTables() throws {
        let dbQueue = try DatabaseQueue()
        var migrator = makeMigrator()
        try migrator.migrate(dbQueue)
        try dbQueue.write { db in
            try db.execute(
                sql: "INSERT INTO author (id, name) VALUES (1, 'Anna'); INSERT INTO book VALUES (1, 1, 'Emma')")
        }
        migrator.registerMigration("Authors have names") { db in
            try db.create(table: "new_author") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("creationDate", .datetime)
                t.column("name", .text).notNull()
                t.column("birthYear", .integer)
            }
            try db.execute(sql: "INSERT INTO new_author SELECT * FROM author")
            try db.drop(table: "author")
            try db.rename(table: "new_author", to: "author")
        }
        try migrator.migrate(dbQueue)
        try dbQueue.read { db in
            let isNotNull = try db.columns(in: "author").first { $0.name == "name" }?.isNotNull
            #expect(isNotNull == true)
            let destination = try db.foreignKeys(on: "book").first?.destinationTable
            #expect(destination == "author")
            let title = try String.fetchOne(db, sql: "SELECT title FROM book JOIN author ON author.id = authorId")
            #expect(title == "Emma")
        }
        try migrator.verify()
    }

    @Test("checks of foreign keys are left out, or done for some tables")
    func checks() throws {
        let dbQueue = try DatabaseQueue()
        var migrator = makeMigrator()
        try migrator.migrate(dbQueue)
        migrator = migrator.disablingDeferredForeignKeyChecks()
        migrator.registerMigration("Partly checked") { db in
            try db.execute(sql: "INSERT INTO book VALUES (1, 2, 'Moby-Dick')")
            try db.checkForeignKeys(in: "author")
        }
        migrator.registerMigration("Checked") { db in try db.checkForeignKeys(in: "book") }
        let strict = migrator
        expectDatabaseError(
            .SQLITE_CONSTRAINT,
            """
            FOREIGN KEY constraint violation - from book(authorId) to author(id), in [id:1 authorId:2 title:"Moby-Dick"]
            """
        ) { try strict.migrate(dbQueue) }
        try dbQueue.read { db in
            let violations: RecordCursor<ForeignKeyViolation> = try db.foreignKeyViolations()
            var rows: [Int64?] = []
            while let violation = try violations.next() { rows.append(violation.originRowID) }
            #expect(rows == [1])
        }
    }
}
