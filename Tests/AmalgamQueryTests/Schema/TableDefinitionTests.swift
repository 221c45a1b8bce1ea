import Amalgam
import Foundation
import TestSupport
import Testing

@Suite("Tables, indexes, views and triggers")
struct TableDefinitionTests {
    /// Returns the statements that define a schema.
    private func statements(_ define: (Database) throws -> Void) throws -> [String] {
        try DatabaseQueue().write { db in try db.tracing { try define(db) } }
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
        try expectTable(#"CREATE TABLE "t" ("code" TEXT PRIMARY KEY NOT NULL)"#) { t in t.primaryKey("code", .text) }
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

    /// The key of a deleted row isn't assigned again. That of a plain INTEGER PRIMARY KEY is.
    @Test("keys that aren't assigned again")
    func autoIncrementedKeys() throws {
        try DatabaseQueue().write { db in
            try db.create(table: "unique") { $0.autoIncrementedPrimaryKey("id") }
            try db.create(table: "plain") { $0.primaryKey("id", .integer) }
            for (table, keys) in [("unique", [3, 4]), ("plain", [2, 3])] {
                let name = table.quotedDatabaseIdentifier
                for _ in 1...2 { try db.execute(sql: "INSERT INTO \(name) DEFAULT VALUES") }
                try db.execute(sql: "DELETE FROM \(name) WHERE id = 2")
                for _ in 1...2 { try db.execute(sql: "INSERT INTO \(name) DEFAULT VALUES") }
                #expect(try Int.fetchAll(db, sql: "SELECT id FROM \(name) ORDER BY id") == [1] + keys)
            }
        }
    }

    @Test("options")
    func options() throws {
        try expectTable(#"CREATE TEMPORARY TABLE IF NOT EXISTS "t" ("a")"#, options: [.temporary, .ifNotExists]) { t in
            t.column("a")
        }
        try expectTable(
            #"CREATE TABLE "t" ("a" TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID, STRICT"#,
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
                """
                CREATE TABLE "passport" ("citizenshipPlayerId" INTEGER, "citizenshipCountryCode" TEXT, \
                FOREIGN KEY ("citizenshipPlayerId", "citizenshipCountryCode") \
                REFERENCES "citizenship"("playerId", "countryCode"))
                """,
                """
                CREATE UNIQUE INDEX "index_passport_on_citizenshipPlayerId_citizenshipCountryCode" \
                ON "passport"("citizenshipPlayerId", "citizenshipCountryCode")
                """,
            ])
    }

    @Test("a foreign key of several columns has one index, and none in a primary key")
    func compositeForeignKeys() throws {
        let sql = try statements { db in
            try db.execute(sql: "CREATE TABLE parent (a INTEGER, b TEXT, PRIMARY KEY (a, b))")
            try db.create(table: "child", options: .ifNotExists) { t in
                t.belongsTo("parent", onDelete: .cascade).notNull()
            }
            try db.create(table: "lonely") { t in t.belongsTo("parent", indexed: false) }
            try db.create(table: "twin") { t in t.primaryKey { t.belongsTo("parent") } }
        }
        #expect(
            sql.dropFirst() == [
                """
                CREATE TABLE IF NOT EXISTS "child" ("parentA" INTEGER NOT NULL, "parentB" TEXT NOT NULL, \
                FOREIGN KEY ("parentA", "parentB") REFERENCES "parent"("a", "b") ON DELETE CASCADE)
                """,
                #"CREATE INDEX IF NOT EXISTS "index_child_on_parentA_parentB" ON "child"("parentA", "parentB")"#,
                """
                CREATE TABLE "lonely" ("parentA" INTEGER, "parentB" TEXT, \
                FOREIGN KEY ("parentA", "parentB") REFERENCES "parent"("a", "b"))
                """,
                """
                CREATE TABLE "twin" ("parentA" INTEGER NOT NULL, "parentB" TEXT NOT NULL, \
                PRIMARY KEY ("parentA", "parentB"), FOREIGN KEY ("parentA", "parentB") REFERENCES "parent"("a", "b"))
                """,
            ])
    }

    @Test("a table refers to itself by its whole primary key")
    func references() throws {
        try expectTable(
            #"CREATE TABLE "t" ("a" INTEGER REFERENCES "t"("a") ON DELETE CASCADE REFERENCES "t"("b"), "b" UNIQUE, PRIMARY KEY ("a"))"#
        ) { t in
            t.column("a", .integer).references("t", onDelete: .cascade).references("t", column: "b")
            t.column("b").unique()
            t.primaryKey(["a"])
        }
        let sql = try statements { db in
            try db.create(table: "team") { t in t.autoIncrementedPrimaryKey("id") }
            try db.create(table: "step") { t in
                t.primaryKey {
                    t.belongsTo("team")
                    t.column("number", .integer)
                }
                t.belongsTo("next", inTable: "step", indexed: false)
            }
        }
        #expect(
            sql.last == """
                CREATE TABLE "step" ("teamId" INTEGER NOT NULL REFERENCES "team"("id"), "number" INTEGER NOT NULL, \
                "nextTeamId" INTEGER, "nextNumber" INTEGER, PRIMARY KEY ("teamId", "number"), \
                FOREIGN KEY ("nextTeamId", "nextNumber") REFERENCES "step"("teamId", "number"))
                """)
    }

    @Test("a primary key can't be a reference to its own table")
    func primaryKeyOfItself() throws {
        try DatabaseQueue().write { db in
            for key in [["node"], ["a", "node"]] {
                expectError(
                    .SQLITE_MISUSE,
                    """
                    The primary key of the table "node" can't be computed: one of its columns belongs to the table itself. \
                    Define this column with column(_:_:) and references(_:).
                    """
                ) {
                    try db.create(table: "node") { t in
                        t.primaryKey {
                            for name in key { _ = name == "node" ? t.belongsTo(name) as Any : t.column(name) }
                        }
                    }
                }
            }
        }
    }

    @Test("ABORT is the default, and is not written")
    func abort() throws {
        try expectTable(
            #"CREATE TABLE "t" ("a" TEXT PRIMARY KEY NOT NULL, "b" TEXT NOT NULL UNIQUE, UNIQUE ("a", "b"))"#
        ) { t in
            t.primaryKey("a", .text, onConflict: .abort)
            t.column("b", .text).notNull(onConflict: .abort).unique(onConflict: .abort)
            t.uniqueKey(["a", "b"], onConflict: .abort)
        }
    }

    @Test("default values of any kind are those of a row that gives none")
    func defaultValues() throws {
        try expectTable(#"CREATE TABLE "t" ("a" BLOB DEFAULT X'666F6FFF', "b" TEXT DEFAULT (CAST(X'610062' AS TEXT)))"#)
        { t in
            t.column("a", .blob).defaults(to: Data([0x66, 0x6f, 0x6f, 0xff]))
            t.column("b", .text).defaults(to: "a\0b")
        }
        try DatabaseQueue().write { db in
            let values: [DatabaseValue] = [
                "a\0b".databaseValue, "it's".databaseValue, Data([1, 2]).databaseValue, Data().databaseValue,
                (-Double.infinity).databaseValue, Int64.min.databaseValue, (-1.5).databaseValue, .null,
            ]
            try db.create(table: "t") { t in
                t.column("id", .integer)
                for (index, value) in values.enumerated() { t.column("c\(index)").defaults(to: value) }
            }
            try db.execute(sql: "INSERT INTO t (id) VALUES (1)")
            let row = try Row.fetchOne(db, sql: "SELECT * FROM t")
            #expect(row.map { Array($0.databaseValues.dropFirst()) } == values)
        }
    }

    @Test("an autoincremented key is never used again")
    func autoincrement() throws {
        try DatabaseQueue().write { db in
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text)
            }
            try db.create(table: "other") { t in t.primaryKey("id", .integer) }
            try db.execute(
                sql: """
                    INSERT INTO player (name) VALUES ('Anna'), ('Bob'), ('Cleo');
                    DELETE FROM player WHERE id > 1;
                    INSERT INTO player (name) VALUES ('Dan');
                    INSERT INTO other VALUES (1), (2), (3);
                    DELETE FROM other WHERE id > 1;
                    INSERT INTO other DEFAULT VALUES;
                    """)
            let ids = try Int.fetchAll(db, sql: "SELECT id FROM player")
            #expect(ids == [1, 4])
            let others = try Int.fetchAll(db, sql: "SELECT id FROM other")
            #expect(others == [1, 2])
        }
    }

    @Test("SQLite refuses rows that break a constraint, and computes generated columns")
    func enforcedConstraints() throws {
        try DatabaseQueue().write { db in
            try db.create(table: "player") { t in
                t.column("email", .text).unique()
                t.column("score", .integer).check { $0 >= 0 }
                t.column("name", .text).indexed()
                t.column("bonus", .integer).notNull().defaults(to: 0)
                t.column("total", .integer).generatedAs(Column("score") + Column("bonus"))
                t.column("double", .integer).generatedAs(sql: "score * 2", .stored)
                t.uniqueKey(["name", "score"])
                t.check(Column("bonus") < 100)
            }
            try db.execute(sql: "INSERT INTO player (email, score, name, bonus) VALUES ('a', 1, 'Anna', 2)")
            let failures = [
                ("('a', 2, 'Bob', 0)", ResultCode.SQLITE_CONSTRAINT_UNIQUE),
                ("('b', 1, 'Anna', 0)", .SQLITE_CONSTRAINT_UNIQUE),
                ("('b', -1, 'Bob', 0)", .SQLITE_CONSTRAINT_CHECK), ("('b', 2, 'Bob', 100)", .SQLITE_CONSTRAINT_CHECK),
                ("('b', 2, 'Bob', NULL)", .SQLITE_CONSTRAINT_NOTNULL),
            ]
            for (values, code) in failures {
                let error = #expect(throws: DatabaseError.self) {
                    try db.execute(sql: "INSERT INTO player (email, score, name, bonus) VALUES \(values)")
                }
                #expect(error?.resultCode == .SQLITE_CONSTRAINT)
                #expect(error?.extendedResultCode == code, "\(values)")
            }
            try db.execute(sql: "UPDATE player SET score = 5")
            let row = try Row.fetchOne(db, sql: "SELECT total, double FROM player")
            #expect(row == ["total": 7, "double": 10])
            let indexes = try db.indexes(on: "player").map(\.columns)
            #expect(Set(indexes) == [["email"], ["name"], ["name", "score"]])
        }
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
            let sql = try db.tracing {
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
            let sql = try db.tracing {
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
