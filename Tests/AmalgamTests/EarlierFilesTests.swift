import Amalgam
import Foundation
import Testing

/// Files whose schemas differ in their SQL from those of GRDB, created by earlier versions.
@Suite("Files of earlier versions, and of GRDB")
struct EarlierFilesTests {
    /// The first migration of an application, whose code hasn't changed since the file was made.
    private static func makeMigrator() -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.create(table: "country") { t in
                t.primaryKey("code", .text)
                t.column("name", .text).notNull(onConflict: .abort).unique(onConflict: .abort)
                t.column("flag", .blob).defaults(to: Data("foo".utf8))
            }
            try db.create(table: "citizen") { t in
                t.primaryKey {
                    t.column("countryCode", .text).references("country")
                    t.column("number", .integer)
                }
                t.column("name", .text)
            }
            try db.create(table: "passport") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("citizen").notNull()
                t.belongsTo("country")
                t.column("text", .text)
            }
            try db.create(virtualTable: "passportText", using: FTS5()) { t in
                t.synchronize(withTable: "passport")
                t.column("text")
            }
            try db.create(virtualTable: "note", using: FTS4()) { t in
                t.column("author").notIndexed()
                t.column("body")
                t.prefixes = [2, 4]
                t.matchinfo = "fts3"
            }
        }
        return migrator
    }

    /// `sqlite_master` of a file that an earlier version has created.
    private static let earlierSchema =
        tables(
            country: """
                "code" TEXT NOT NULL PRIMARY KEY, "name" TEXT NOT NULL ON CONFLICT ABORT UNIQUE ON CONFLICT ABORT, \
                "flag" BLOB DEFAULT x'666f6f'
                """,
            passportIndex: "passport_on_citizenCountryCode_citizenNumber",
            note: #"author, body, matchinfo="fts3", prefix="2,4", notindexed=author"#)

    /// `sqlite_master` of a file that GRDB 7 has created.
    private static let schemaOfGRDB =
        tables(
            country: """
                "code" TEXT PRIMARY KEY NOT NULL, "name" TEXT NOT NULL UNIQUE, "flag" BLOB DEFAULT X'666F6F'
                """,
            passportIndex: "index_passport_on_citizenCountryCode_citizenNumber",
            note: #"author, notindexed=author, body, matchinfo="fts3", prefix="2,4""#)

    private static func tables(country: String, passportIndex: String, note: String) -> [String] {
        [
            #"CREATE TABLE "country" (\#(country))"#,
            """
            CREATE TABLE "citizen" ("countryCode" TEXT NOT NULL REFERENCES "country"("code"), \
            "number" INTEGER NOT NULL, "name" TEXT, PRIMARY KEY ("countryCode", "number"))
            """,
            """
            CREATE TABLE "passport" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "citizenCountryCode" TEXT NOT NULL, \
            "citizenNumber" INTEGER NOT NULL, "countryCode" TEXT REFERENCES "country"("code"), "text" TEXT, \
            FOREIGN KEY ("citizenCountryCode", "citizenNumber") REFERENCES "citizen"("countryCode", "number"))
            """,
            #"CREATE INDEX "\#(passportIndex)" ON "passport"("citizenCountryCode", "citizenNumber")"#,
            #"CREATE INDEX "passport_on_countryCode" ON "passport"("countryCode")"#,
            #"CREATE VIRTUAL TABLE "passportText" USING fts5(text, content='passport', content_rowid='id')"#,
            """
            CREATE TRIGGER "__passportText_ai" AFTER INSERT ON "passport" BEGIN
                INSERT INTO "passportText"("rowid", "text") VALUES (new."id", new."text");
            END
            """,
            """
            CREATE TRIGGER "__passportText_ad" AFTER DELETE ON "passport" BEGIN
                INSERT INTO "passportText"("passportText", "rowid", "text") VALUES('delete', old."id", old."text");
            END
            """,
            """
            CREATE TRIGGER "__passportText_au" AFTER UPDATE ON "passport" BEGIN
                INSERT INTO "passportText"("passportText", "rowid", "text") VALUES('delete', old."id", old."text");
                INSERT INTO "passportText"("rowid", "text") VALUES (new."id", new."text");
            END
            """,
            #"CREATE VIRTUAL TABLE "note" USING fts4(\#(note))"#,
        ]
    }

    private static func schema(_ db: Database) throws -> [String] {
        try String.fetchAll(
            db,
            sql: """
                SELECT sql FROM sqlite_master
                WHERE sql NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                AND tbl_name NOT LIKE '%\\_%' ESCAPE '\\' ORDER BY rowid
                """)
    }

    /// Creates a queue with a schema and some rows, to which the first migration was applied.
    private static func makeFile(_ schema: [String]) throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            for sql in ["CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)"] + schema {
                try db.execute(sql: sql)
            }
            try db.execute(
                sql: """
                    INSERT INTO grdb_migrations VALUES ('v1');
                    INSERT INTO country (code, name) VALUES ('DE', 'Germany');
                    INSERT INTO citizen VALUES ('DE', 1, 'Anna');
                    INSERT INTO passport VALUES (7, 'DE', 1, 'DE', 'issued in Berlin');
                    INSERT INTO note VALUES ('Anna', 'a trip to Vienna');
                    """)
        }
        return queue
    }

    /// Checks that a file can be read, searched, changed and migrated.
    private func check(_ queue: DatabaseQueue) throws {
        var migrator = Self.makeMigrator()
        migrator.registerMigration("v2") { db in
            try db.alter(table: "passport") { t in t.add(column: "lost", .boolean).notNull().defaults(to: false) }
        }
        try migrator.migrate(queue)
        try queue.write { db in
            #expect(try migrator.appliedIdentifiers(db) == ["v1", "v2"])
            let passport = try Row.fetchOne(db, sql: "SELECT * FROM passport")
            #expect(
                passport == [
                    "id": 7, "citizenCountryCode": "DE", "citizenNumber": 1, "countryCode": "DE",
                    "text": "issued in Berlin", "lost": false,
                ])
            #expect(try Data.fetchOne(db, sql: "SELECT flag FROM country") == Data("foo".utf8))
            #expect(try db.foreignKeys(on: "passport").map(\.destinationTable).sorted() == ["citizen", "country"])
            #expect(try db.primaryKey("citizen").columns == ["countryCode", "number"])
            try db.execute(sql: "UPDATE passport SET text = 'issued in Munich'")
            let search = "SELECT rowid FROM passportText WHERE passportText MATCH ?"
            #expect(try Int.fetchAll(db, sql: search, arguments: ["munich"]) == [7])
            #expect(try Int.fetchAll(db, sql: search, arguments: ["berlin"]) == [])
            #expect(try String.fetchAll(db, sql: "SELECT author FROM note WHERE note MATCH 'vie*'") == ["Anna"])
            #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
        }
    }

    @Test("A file of an earlier version is read and migrated")
    func earlierFile() throws { try check(Self.makeFile(Self.earlierSchema)) }

    @Test("A file of GRDB is read and migrated")
    func fileOfGRDB() throws { try check(Self.makeFile(Self.schemaOfGRDB)) }

    @Test("Schemas are written as GRDB writes them")
    func texts() throws {
        let queue = try DatabaseQueue()
        try Self.makeMigrator().migrate(queue)
        let schema = try queue.read { try Self.schema($0) }
        #expect(schema == Self.schemaOfGRDB)
    }

    @Test("A file of GRDB is never erased for its schema")
    func keepingFilesOfGRDB() throws {
        var migrator = Self.makeMigrator()
        migrator.eraseDatabaseOnSchemaChange = true
        let queue = try Self.makeFile(Self.schemaOfGRDB)
        #expect(try !queue.read { try migrator.hasSchemaChanges($0) })
        try migrator.migrate(queue)
        #expect(try queue.read { try Table("passport").fetchCount($0) } == 1)
    }

    @Test("A file of an earlier version is erased once for its schema, by an application that asks for it")
    func erasingOnce() throws {
        var migrator = Self.makeMigrator()
        migrator.eraseDatabaseOnSchemaChange = true
        let queue = try Self.makeFile(Self.earlierSchema)
        try migrator.migrate(queue)
        #expect(try queue.read { try Table("country").fetchCount($0) } == 0)
        try queue.write { try $0.execute(sql: "INSERT INTO country (code, name) VALUES ('FR', 'France')") }
        try migrator.migrate(queue)
        #expect(try queue.read { try Table("country").fetchCount($0) } == 1)
    }
}
