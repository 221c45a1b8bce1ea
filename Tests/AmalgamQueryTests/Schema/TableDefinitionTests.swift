import Amalgam
import Testing

@Suite("Tables, indexes, views and triggers")
struct TableDefinitionTests {
    /// The statements that define a schema.
    private func statements(_ define: (Database) throws -> Void) throws -> [String] {
        try DatabaseQueue().write { db in try tracedSQL(db) { try define(db) } }
    }

    private func expectTable(
        _ sql: String, options: TableOptions = [], sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (TableDefinition) -> Void
    ) throws {
        let all = try statements { db in try db.create(table: "t", options: options, body: body) }
        #expect(all.joined(separator: "; ") == sql, sourceLocation: sourceLocation)
    }

    @Test("columns")
    func columns() throws {
        try expectTable(#"CREATE TABLE "t" ("a", "b" TEXT)"#) { t in
            t.column("a")
            t.column("b", .text)
        }
        try expectTable(#"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY AUTOINCREMENT)"#) { t in
            t.autoIncrementedPrimaryKey("id")
        }
        try expectTable(#"CREATE TABLE "t" ("code" TEXT NOT NULL PRIMARY KEY)"#) { t in t.primaryKey("code", .text) }
        try expectTable(#"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY)"#) { t in t.primaryKey("id", .integer) }
        try expectTable(
            #"CREATE TABLE "t" ("a" TEXT NOT NULL ON CONFLICT IGNORE UNIQUE ON CONFLICT REPLACE COLLATE NOCASE)"#
        ) { t in
            t.column("a", .text).notNull(onConflict: .ignore).unique(onConflict: .replace).collate(.nocase)
        }
        try expectTable(#"CREATE TABLE "t" ("a" TEXT CHECK (LENGTH("a") > 0) DEFAULT 'O''Reilly')"#) { t in
            t.column("a", .text).check { length($0) > 0 }.defaults(to: "O'Reilly")
        }
        try expectTable(#"CREATE TABLE "t" ("a" DATETIME DEFAULT CURRENT_TIMESTAMP, "b" BOOLEAN DEFAULT 0)"#) { t in
            t.column("a", .datetime).defaults(sql: "CURRENT_TIMESTAMP")
            t.column("b", .boolean).defaults(to: false)
        }
        try expectTable(
            #"CREATE TABLE "t" ("a" INTEGER, "b" INTEGER GENERATED ALWAYS AS (a + 1) VIRTUAL, "c" INTEGER GENERATED ALWAYS AS ("a" * 2) STORED)"#
        ) { t in
            t.column("a", .integer)
            t.column("b", .integer).generatedAs(sql: "a + 1")
            t.column("c", .integer).generatedAs(Column("a") * 2, .stored)
        }
        try expectTable(#"CREATE TABLE "t" ("a" TEXT); CREATE INDEX "t_on_a" ON "t"("a")"#) { t in
            t.column("a", .text).indexed()
        }
        try expectTable(#"CREATE TABLE "t" (a TEXT, b TEXT DEFAULT 'x')"#) { t in
            t.column(sql: "a TEXT")
            t.column(literal: "b TEXT DEFAULT \("x")")
        }
    }

    @Test("options")
    func options() throws {
        try expectTable(#"CREATE TEMPORARY TABLE IF NOT EXISTS "t" ("a")"#, options: [.temporary, .ifNotExists]) { t in
            t.column("a")
        }
        try expectTable(
            #"CREATE TABLE "t" ("a" TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID, STRICT"#,
            options: [.withoutRowID, .strict]
        ) { t in
            t.primaryKey("a", .text)
        }
    }

    @Test("constraints")
    func constraints() throws {
        try expectTable(
            #"CREATE TABLE "t" ("a", "b", PRIMARY KEY ("a", "b") ON CONFLICT REPLACE, UNIQUE ("b"), CHECK ("a" < "b"), CHECK (a > 0))"#
        ) { t in
            t.column("a")
            t.column("b")
            t.primaryKey(["a", "b"], onConflict: .replace)
            t.uniqueKey(["b"])
            t.check(Column("a") < Column("b"))
            t.constraint(sql: "CHECK (a > 0)")
        }
        try expectTable(
            #"CREATE TABLE "t" ("a" INTEGER NOT NULL, "b" TEXT NOT NULL, "c", PRIMARY KEY ("a", "b"))"#
        ) { t in
            t.primaryKey {
                t.column("a", .integer)
                t.column("b", .text)
            }
            t.column("c")
        }
    }

    @Test("foreign keys")
    func foreignKeys() throws {
        let sql = try statements { db in
            try db.create(table: "team") { t in t.autoIncrementedPrimaryKey("id") }
            try db.create(table: "country") { t in t.primaryKey("code", .text) }
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("team", onDelete: .cascade).notNull()
                t.belongsTo("captain", inTable: "player")
                t.column("countryCode", .text).references("country", onUpdate: .setNull, deferred: true)
            }
            try db.create(table: "citizenship") { t in
                t.primaryKey {
                    t.belongsTo("player")
                    t.belongsTo("country")
                }
            }
            try db.create(table: "passport") { t in
                t.belongsTo("citizenship").unique()
            }
        }
        #expect(
            sql.dropFirst(2) == [
                """
                CREATE TABLE "player" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, \
                "teamId" INTEGER NOT NULL REFERENCES "team"("id") ON DELETE CASCADE, \
                "captainId" INTEGER REFERENCES "player"("id"), \
                "countryCode" TEXT REFERENCES "country"("code") ON UPDATE SET NULL DEFERRABLE INITIALLY DEFERRED)
                """,
                #"CREATE INDEX "player_on_teamId" ON "player"("teamId")"#,
                #"CREATE INDEX "player_on_captainId" ON "player"("captainId")"#,
                """
                CREATE TABLE "citizenship" ("playerId" INTEGER NOT NULL REFERENCES "player"("id"), \
                "countryCode" TEXT NOT NULL REFERENCES "country"("code"), PRIMARY KEY ("playerId", "countryCode"))
                """,
                #"CREATE INDEX "citizenship_on_playerId" ON "citizenship"("playerId")"#,
                #"CREATE INDEX "citizenship_on_countryCode" ON "citizenship"("countryCode")"#,
                """
                CREATE TABLE "passport" ("citizenshipPlayerId" INTEGER, "citizenshipCountryCode" TEXT, \
                UNIQUE ("citizenshipPlayerId", "citizenshipCountryCode"), \
                FOREIGN KEY ("citizenshipPlayerId", "citizenshipCountryCode") \
                REFERENCES "citizenship"("playerId", "countryCode"))
                """,
            ])
    }

    @Test("the plural of a name is a table as well")
    func plural() throws {
        let sql = try statements { db in
            try db.create(table: "teams") { t in t.autoIncrementedPrimaryKey("id") }
            try db.create(table: "players") { t in t.belongsTo("team", indexed: false) }
        }
        #expect(sql.last == #"CREATE TABLE "players" ("teamId" INTEGER REFERENCES "teams"("id"))"#)
    }

    @Test("mistakes are errors")
    func mistakes() throws {
        try DatabaseQueue().write { db in
            let keys = #expect(throws: DatabaseError.self) {
                try db.create(table: "t") { t in
                    t.column("a")
                    t.primaryKey(["a"])
                    t.primaryKey(["a"])
                }
            }
            #expect(keys?.message == "can't define several primary keys")
            let raw = #expect(throws: DatabaseError.self) {
                try db.create(table: "t") { t in t.primaryKey { t.column(sql: "a") } }
            }
            #expect(raw?.message == "Primary key columns can not be defined with raw SQL")
            #expect(throws: DatabaseError.self) { try db.create(table: "t") { t in t.belongsTo("nobody") } }
            let exists = try db.tableExists("t")
            #expect(!exists)
        }
    }

    @Test("changes of tables")
    func alterations() throws {
        let sql = try statements { db in
            try db.create(table: "t") { t in
                t.column("a")
                t.column("b")
            }
            try db.alter(table: "t") { t in
                t.add(column: "c", .integer).notNull().defaults(to: 0).indexed()
                t.addColumn(sql: "d TEXT")
                t.rename(column: "a", to: "e")
                t.drop(column: "b")
            }
            try db.rename(table: "t", to: "u")
            try db.drop(table: "u")
        }
        #expect(
            sql.dropFirst() == [
                #"ALTER TABLE "t" ADD COLUMN "c" INTEGER NOT NULL DEFAULT 0"#,
                #"CREATE INDEX "t_on_c" ON "t"("c")"#,
                #"ALTER TABLE "t" ADD COLUMN d TEXT"#,
                #"ALTER TABLE "t" RENAME COLUMN "a" TO "e""#,
                #"ALTER TABLE "t" DROP COLUMN "b""#,
                #"ALTER TABLE "t" RENAME TO "u""#,
                #"DROP TABLE "u""#,
            ])
    }

    @Test("indexes")
    func indexes() throws {
        let sql = try statements { db in
            try db.execute(sql: "CREATE TABLE t (a, b, c)")
            try db.create(indexOn: "t", columns: ["a", "b"], options: .unique, condition: Column("c") != nil)
            try db.create(index: "i", on: "t", columns: ["a"], options: .ifNotExists)
            try db.create(
                index: "j", on: "t", expressions: [Column("a").collating(.nocase), Column("b") + Column("c")])
            try db.create(index: "k", on: "t", columns: ["c"], unique: true)
            try db.drop(indexOn: "t", columns: ["a", "b"])
            try db.drop(index: "i")
            try db.reindex(collation: .nocase)
        }
        #expect(
            sql.dropFirst() == [
                #"CREATE UNIQUE INDEX "index_t_on_a_b" ON "t"("a", "b") WHERE "c" IS NOT NULL"#,
                #"CREATE INDEX IF NOT EXISTS "i" ON "t"("a")"#,
                #"CREATE INDEX "j" ON "t"("a" COLLATE NOCASE, "b" + "c")"#,
                #"CREATE UNIQUE INDEX "k" ON "t"("c")"#,
                #"DROP INDEX "index_t_on_a_b""#,
                #"DROP INDEX "i""#,
                "REINDEX NOCASE",
            ])
    }

    @Test("indexes of a collation that no statement has used yet")
    func defaultCollation() throws {
        let sql = try statements { db in
            try db.reindex(collation: .localizedCompare)
            let error = #expect(throws: DatabaseError.self) {
                try db.reindex(collation: Database.CollationName(rawValue: "missing"))
            }
            #expect(error?.message == "no such collation sequence: missing")
        }
        #expect(sql == ["REINDEX swiftLocalizedCompare"])
    }

    @Test("views")
    func views() throws {
        let sql = try statements { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name, score)")
            try db.create(view: "v", as: Table("player").filter(Column("score") > 10))
            try db.create(view: "w", options: [.temporary, .ifNotExists], columns: ["n"], asLiteral: "SELECT \("x")")
            try db.drop(view: "v")
        }
        #expect(
            sql.dropFirst() == [
                #"CREATE VIEW "v" AS SELECT * FROM "player" WHERE "score" > 10"#,
                #"CREATE TEMPORARY VIEW IF NOT EXISTS "w" ("n") AS SELECT 'x'"#,
                #"DROP VIEW "v""#,
            ])
    }

    @Test("triggers")
    func triggers() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, score); CREATE TABLE log (id, text)")
            let sql = try tracedSQL(db) {
                try db.create(
                    trigger: "logScore", .after, .update(of: ["score"]), on: "player",
                    when: { old, new in old["score"] != new["score"] }
                ) { old, new in
                    ["INSERT INTO log VALUES (\(new["id"]), \("it's ") || \(old["score"]))"]
                }
            }
            #expect(
                sql == [
                    """
                    CREATE TRIGGER "logScore" AFTER UPDATE OF "score" ON "player" \
                    WHEN "old"."score" <> "new"."score" BEGIN
                        INSERT INTO log VALUES ("new"."id", 'it''s ' || "old"."score");
                    END
                    """
                ])
            try db.execute(
                sql: "INSERT INTO player VALUES (1, 5); UPDATE player SET score = 6; UPDATE player SET score = 6")
            let texts = try String.fetchAll(db, sql: "SELECT text FROM log")
            #expect(texts == ["it's 5"])
            try db.drop(trigger: "logScore")
        }
    }

    @Test("virtual tables")
    func virtualTables() throws {
        struct Tree: VirtualTableModule {
            let moduleName = "rtree"
            func makeTableDefinition(configuration: VirtualTableConfiguration) -> Box { Box() }
            func moduleArguments(for definition: Box, in db: Database) -> [String] { definition.columns }
            func database(_ db: Database, didCreate tableName: String, using definition: Box) throws {
                if definition.fails { throw DatabaseError(message: "no") }
            }
            final class Box {
                var columns = ["id"]
                var fails = false
            }
        }
        try DatabaseQueue().write { db in
            let sql = try tracedSQL(db) {
                try db.create(virtualTable: "area", options: .ifNotExists, using: Tree()) { t in
                    t.columns += ["minX", "maxX"]
                }
            }
            #expect(sql.contains(#"CREATE VIRTUAL TABLE IF NOT EXISTS "area" USING rtree(id, minX, maxX)"#))
            #expect(throws: DatabaseError.self) {
                try db.create(virtualTable: "other", using: Tree()) { t in
                    t.columns += ["minX", "maxX"]
                    t.fails = true
                }
            }
            let exists = (try db.tableExists("area"), try db.tableExists("other"))
            #expect(exists == (true, false))
        }
    }
}
