import Amalgam
import Testing

/// Expects the SQL in the schema after a closure: tables, indexes and views, in order.
private func expectSchema(
    after existing: String = "", _ statements: [String], sourceLocation: SourceLocation = #_sourceLocation,
    _ define: (Database) throws -> Void
) throws {
    try DatabaseQueue().write { db in
        try db.execute(sql: existing)
        let before = try Int.fetchOne(db, sql: "SELECT MAX(rowid) FROM sqlite_master") ?? 0
        try define(db)
        let sql = try String.fetchAll(
            db,
            sql:
                "SELECT sql FROM sqlite_master WHERE rowid > ? AND sql NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
            arguments: [before])
        #expect(sql == statements, sourceLocation: sourceLocation)
    }
}

@Suite("Guide: how the schema is defined")
struct SchemaGuideTests {
    @Test("a table, its columns, their types and constraints")
    func aTable() throws {
        try expectSchema([
            """
            CREATE TABLE "garden" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "title" TEXT, \
            "isOpen" BOOLEAN NOT NULL DEFAULT 0, "longitude" DOUBLE NOT NULL, "latitude" DOUBLE NOT NULL)
            """
        ]) { db in
            try db.create(table: "garden") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("title", .text)
                t.column("isOpen", .boolean).notNull().defaults(to: false)
                t.column("longitude", .double).notNull()
                t.column("latitude", .double).notNull()
            }
        }
    }

    @Test("columns of all types, and without one")
    func types() throws {
        try expectSchema([
            """
            CREATE TABLE "t" ("a", "b" TEXT, "c" INTEGER, "d" DOUBLE, "e" REAL, "f" NUMERIC, "g" BOOLEAN, "h" BLOB, \
            "i" DATE, "j" DATETIME, "k" ANY, "l" TEXT, "m" VARCHAR(10))
            """
        ]) { db in
            try db.create(table: "t") { t in
                t.column("a")
                t.column("b", .text)
                t.column("c", .integer)
                t.column("d", .double)
                t.column("e", .real)
                t.column("f", .numeric)
                t.column("g", .boolean)
                t.column("h", .blob)
                t.column("i", .date)
                t.column("j", .datetime)
                t.column("k", .any)
                t.column("l", .jsonText)
                t.column("m", Database.ColumnType(rawValue: "VARCHAR(10)"))
            }
        }
    }

    @Test("options of tables")
    func options() throws {
        try DatabaseQueue().write { db in
            try db.create(table: "seed", options: [.temporary, .ifNotExists]) { t in t.column("name") }
            try db.create(table: "seed", options: [.temporary, .ifNotExists]) { t in t.column("name") }
            try db.create(table: "bed", options: [.strict, .withoutRowID]) { t in t.primaryKey("id", .text) }
            let isTemporary = try db.tableExists("seed", in: "temp")
            #expect(isTemporary)
            let bed = try db.table("bed")
            #expect(bed.isStrict && bed.isWithoutRowID)
        }
    }

    @Test("keys: primary, unique, foreign")
    func keys() throws {
        let existing = """
            CREATE TABLE team (id INTEGER PRIMARY KEY); CREATE TABLE country (code TEXT PRIMARY KEY);
            CREATE TABLE parents (c, d, PRIMARY KEY (c, d));
            """
        try expectSchema(
            after: existing,
            [
                """
                CREATE TABLE "position" ("teamName" TEXT NOT NULL, "number" INTEGER NOT NULL, \
                "email" TEXT NOT NULL UNIQUE, "teamId" INTEGER REFERENCES "team"("id") ON DELETE CASCADE, \
                "countryCode" TEXT NOT NULL REFERENCES "country"("code"), PRIMARY KEY ("teamName", "number"))
                """,
                #"CREATE INDEX "position_on_teamId" ON "position"("teamId")"#,
                #"CREATE INDEX "position_on_countryCode" ON "position"("countryCode")"#,
            ]
        ) { db in
            try db.create(table: "position") { t in
                t.primaryKey {
                    t.column("teamName", .text)
                    t.column("number", .integer)
                }
                t.column("email", .text).notNull().unique()
                t.belongsTo("team", onDelete: .cascade)
                t.belongsTo("country").notNull()
            }
        }
        try expectSchema([#"CREATE TABLE "t" ("uuid" TEXT PRIMARY KEY NOT NULL)"#]) { db in
            try db.create(table: "t") { t in t.primaryKey("uuid", .text) }
        }
    }

    @Test("checks, defaults, and SQL where Swift has no word")
    func checks() throws {
        let name = "O'Neil"
        try expectSchema([
            """
            CREATE TABLE "t" ("name" TEXT CHECK (LENGTH("name") > 0), "score" INTEGER CHECK (score > 0), \
            "email" TEXT NOT NULL DEFAULT 'unknown', a TEXT, b TEXT DEFAULT 'O''Neil')
            """
        ]) { db in
            try db.create(table: "t") { t in
                t.column("name", .text).check { length($0) > 0 }
                t.column("score", .integer).check(sql: "score > 0")
                t.column("email", .text).notNull().defaults(to: "unknown")
                t.column(sql: "a TEXT")
                t.column(literal: "b TEXT DEFAULT \(name)")
            }
        }
    }

    @Test("constraints of several columns")
    func tableConstraints() throws {
        try expectSchema(
            after: "CREATE TABLE parents (c, d, PRIMARY KEY (c, d))",
            [
                """
                CREATE TABLE "t" ("a" INTEGER NOT NULL, "b" INTEGER NOT NULL, PRIMARY KEY ("a", "b"), \
                UNIQUE ("a", "b") ON CONFLICT REPLACE, FOREIGN KEY ("a", "b") REFERENCES "parents"("c", "d"), \
                CHECK (("a" + "b") < 10), CHECK (a + b < 11), CHECK (a + b < 12), CHECK (a + b < 13))
                """
            ]
        ) { db in
            try db.create(table: "t") { t in
                t.column("a", .integer).notNull()
                t.column("b", .integer).notNull()
                t.primaryKey(["a", "b"])
                t.uniqueKey(["a", "b"], onConflict: .replace)
                t.foreignKey(["a", "b"], references: "parents")
                t.check(Column("a") + Column("b") < 10)
                t.check(sql: "a + b < 11")
                t.constraint(sql: "CHECK (a + b < 12)")
                t.constraint(literal: "CHECK (a + b < \(13))")
            }
        }
    }

    @Test("generated columns")
    func generatedColumns() throws {
        try expectSchema([
            """
            CREATE TABLE "t" ("score" INTEGER, "bonus" INTEGER, \
            "total1" INTEGER GENERATED ALWAYS AS (score + bonus) VIRTUAL, \
            "total2" INTEGER GENERATED ALWAYS AS ("score" + "bonus") STORED)
            """
        ]) { db in
            try db.create(table: "t") { t in
                t.column("score", .integer)
                t.column("bonus", .integer)
                t.column("total1", .integer).generatedAs(sql: "score + bonus")
                t.column("total2", .integer).generatedAs(Column("score") + Column("bonus"), .stored)
            }
        }
    }

    @Test("tables are renamed, altered, dropped")
    func alterations() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: "CREATE TABLE referer (url TEXT, score INTEGER); CREATE TABLE obsolete (x)")
            try db.rename(table: "referer", to: "referrer")
            try db.alter(table: "referrer") { t in
                t.add(column: "hasBonus", .boolean)
                t.rename(column: "url", to: "homeURL")
                t.drop(column: "score")
            }
            try db.drop(table: "obsolete")
            let columns = try db.columns(in: "referrer").map(\.name)
            #expect(columns == ["homeURL", "hasBonus"])
            let exists = try db.tableExists("obsolete")
            #expect(!exists)
        }
    }

    @Test("indexes on columns, with a collation, on expressions, unique and partial ones")
    func indexes() throws {
        try expectSchema(
            after: "CREATE TABLE player (email TEXT, score INTEGER, bonus INTEGER)",
            [
                #"CREATE INDEX "index_player_on_email" ON "player"("email")"#,
                #"CREATE UNIQUE INDEX "unique_email" ON "player"("email")"#,
                #"CREATE INDEX "by_email" ON "player"("email" COLLATE NOCASE)"#,
                #"CREATE INDEX "by_total" ON "player"("score" + "bonus")"#,
                #"CREATE INDEX "by_score" ON "player"("score") WHERE "score" > 0"#,
            ]
        ) { db in
            try db.create(indexOn: "player", columns: ["email"])
            try db.create(index: "unique_email", on: "player", columns: ["email"], options: .unique)
            try db.create(index: "by_email", on: "player", expressions: [Column("email").collating(.nocase)])
            try db.create(index: "by_total", on: "player", expressions: [Column("score") + Column("bonus")])
            try db.create(index: "by_score", on: "player", columns: ["score"], condition: Column("score") > 0)
        }
        try DatabaseQueue().write { db in
            try db.create(table: "player") { t in
                t.column("email", .text).unique()
                t.column("score", .integer).indexed()
            }
            let names = try db.indexes(on: "player").map(\.name).sorted()
            #expect(names == ["player_on_score", "sqlite_autoindex_player_1"])
            try db.drop(indexOn: "player", columns: ["score"])
            let count = try db.indexes(on: "player").count
            #expect(count == 1)
        }
    }

    @Test("views, of requests and of SQL")
    func views() throws {
        try expectSchema(
            after: "CREATE TABLE player (id INTEGER PRIMARY KEY, score INTEGER)",
            [
                #"CREATE VIEW "hero" AS SELECT * FROM "player" WHERE "score" > 1000"#,
                #"CREATE VIEW "zero" ("number") AS SELECT id FROM player WHERE score = 0"#,
            ]
        ) { db in
            try db.create(view: "hero", as: Table("player").filter(Column("score") > 1000))
            try db.create(
                view: "zero", columns: ["number"], asLiteral: "SELECT id FROM player WHERE score = \(0)")
        }
    }
}

@Suite("Guide: names and keys that records like")
struct SchemaRecommendationTests {
    private struct PostalAddress: TableRecord {
        static let databaseTableName = "postal_address"
    }

    private struct Prize: TableRecord {
        static let databaseTableName = "Auszeichnung"
    }

    private struct Person: TableRecord {
        static let postalAddress = belongsTo(PostalAddress.self, key: "postalAddress")
        static let prizes = hasMany(Prize.self, key: "prizes")
    }

    @Test("tables with other names need a name, and associations a key")
    func tableNames() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE postal_address (id INTEGER PRIMARY KEY, city TEXT);
                    CREATE TABLE person (
                      id INTEGER PRIMARY KEY, postalAddressId INTEGER REFERENCES postal_address(id));
                    CREATE TABLE "Auszeichnung" (personId INTEGER REFERENCES person(id), title TEXT);
                    INSERT INTO postal_address VALUES (1, 'Paris');
                    INSERT INTO person VALUES (1, 1);
                    INSERT INTO "Auszeichnung" VALUES (1, 'Nobel');
                    """)
            let request = Person.including(required: Person.postalAddress).including(all: Person.prizes)
            let row = try #require(try Row.fetchOne(db, request))
            #expect(row.scopes["postalAddress"]?["city"] == "Paris")
            #expect(row.prefetchedRows["prizes"]?.map { $0["title"] as String } == ["Nobel"])
        }
    }

    private struct Runner: Codable, FetchableRecord, PersistableRecord, Equatable {
        static let databaseTableName = "runner"
        var id: Int64
        var fullName: String
        var isFast: Bool

        enum CodingKeys: String, CodingKey {
            case id, fullName = "full_name", isFast = "is_fast"
        }
    }

    @Test("coding keys name columns")
    func columnNames() throws {
        try DatabaseQueue().write { db in
            try db.create(table: "runner") { t in
                t.primaryKey("id", .integer)
                t.column("full_name", .text).notNull()
                t.column("is_fast", .boolean).notNull()
            }
            let runner = Runner(id: 1, fullName: "Anna Karenina", isFast: true)
            try runner.insert(db)
            let fetched = try Runner.find(db, key: 1)
            #expect(fetched == runner)
        }
    }

    private struct Membership: Codable, FetchableRecord, PersistableRecord, Equatable {
        var personId: Int64
        var clubId: Int64
        var role: String
    }

    @Test("a primary key of several columns")
    func compositeKeys() throws {
        try DatabaseQueue().write { db in
            try db.create(table: "person") { t in t.autoIncrementedPrimaryKey("id") }
            try db.create(table: "club") { t in t.autoIncrementedPrimaryKey("id") }
            try db.create(table: "membership") { t in
                t.primaryKey {
                    t.belongsTo("person")
                    t.belongsTo("club")
                }
                t.column("role", .text).notNull()
            }
            try db.execute(sql: "INSERT INTO person VALUES (1); INSERT INTO club VALUES (2)")
            var membership = Membership(personId: 1, clubId: 2, role: "captain")
            try membership.insert(db)
            membership.role = "coach"
            try membership.update(db)
            let fetched = try Membership.fetchOne(db, key: ["personId": 1, "clubId": 2])
            #expect(fetched == membership)
            let key = try db.primaryKey("membership").columns
            #expect(key == ["personId", "clubId"])
        }
    }

    private struct Note: Codable, FetchableRecord, MutablePersistableRecord, Identifiable {
        var rowid: Int64?
        var text: String

        var id: Int64? { rowid }

        enum CodingKeys: String, CodingKey {
            case rowid, text
        }

        static var databaseSelection: [any SQLSelectable] { [.allColumns, .rowID] }

        mutating func didInsert(_ inserted: InsertionSuccess) { rowid = inserted.rowID }
    }

    @Test("a table without a primary key has its rowid")
    func hiddenKeys() throws {
        try DatabaseQueue().write { db in
            try db.create(table: "note") { t in t.column("text", .text).notNull() }
            var note = Note(text: "milk")
            try note.insert(db)
            #expect(note.rowid == 1)
            try expectSQL(
                db,
                [
                    #"SELECT *, "rowid" FROM "note" WHERE "rowid" = 1"#,
                    #"UPDATE "note" SET "text"='bread' WHERE "rowid"=1"#,
                    #"DELETE FROM "note" WHERE "rowid"=1"#,
                ]
            ) {
                var fetched = try #require(try Note.fetchOne(db, key: 1))
                fetched.text = "bread"
                try fetched.update(db)
                let deleted = try fetched.delete(db)
                #expect(deleted)
            }
        }
    }

    private struct Device: Codable, FetchableRecord, PersistableRecord, Identifiable {
        var id: String
        var name: String

        enum CodingKeys: String, CodingKey {
            case id = "serialNumber", name
        }
    }

    private struct Machine: FetchableRecord, PersistableRecord, Identifiable, Codable {
        static let databaseTableName = "device"
        var serialNumber: String
        var name: String
        var id: String { serialNumber }
    }

    @Test("an identifier that has another name in the table")
    func identifiers() throws {
        try DatabaseQueue().write { db in
            try db.create(table: "device") { t in
                t.primaryKey("serialNumber", .text)
                t.column("name", .text).notNull()
            }
            try Device(id: "X1", name: "lamp").insert(db)
            try Machine(serialNumber: "X2", name: "oven").insert(db)
            let names = [try Device.find(db, id: "X2").name, try Machine.find(db, id: "X1").name]
            #expect(names == ["oven", "lamp"])
            let deleted = try Machine.deleteAll(db, ids: ["X1", "X2", "X3"])
            #expect(deleted == 2)
        }
    }

    private struct Seat: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var row: Int
        var number: Int
        var isTaken: Bool
    }

    @Test("keys are those of unique indexes; others are refused")
    func uniqueKeys() throws {
        try DatabaseQueue().write { db in
            try db.create(table: "seat") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("row", .integer).notNull()
                t.column("number", .integer).notNull()
                t.column("isTaken", .boolean).notNull()
            }
            try Seat(id: 1, row: 3, number: 7, isTaken: true).insert(db)
            expectDatabaseError(.SQLITE_MISUSE, "table seat has no unique key on column(s) number, row") {
                _ = try Seat.fetchOne(db, key: ["row": 3, "number": 7])
            }
            try db.create(indexOn: "seat", columns: ["row", "number"], options: .unique)
            let seat = try Seat.fetchOne(db, key: ["row": 3, "number": 7])
            #expect(seat?.id == 1)
            let deleted = try Seat.deleteOne(db, key: ["number": 7, "row": 3])
            #expect(deleted)
        }
    }

    private struct Band: TableRecord {
        static let musicians = hasMany(Musician.self, using: Musician.bandForeignKey)
    }

    private struct Musician: TableRecord {
        static let bandForeignKey = ForeignKey(["bandId"])
        static let band = belongsTo(Band.self, using: bandForeignKey)
    }

    @Test("a foreign key that the schema does not know")
    func undeclaredForeignKeys() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE band (id INTEGER PRIMARY KEY, name TEXT);
                    CREATE TABLE musician (id INTEGER PRIMARY KEY, bandId INTEGER, name TEXT);
                    INSERT INTO band VALUES (1, 'Can'); INSERT INTO musician VALUES (1, 1, 'Jaki'), (2, NULL, 'Nina');
                    """)
            let count = try Musician.joining(required: Musician.band).fetchCount(db)
            #expect(count == 1)
            let row = try Row.fetchOne(db, Band.including(all: Band.musicians))
            #expect(row?.prefetchedRows["musicians"]?.count == 1)
        }
    }
}
