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
