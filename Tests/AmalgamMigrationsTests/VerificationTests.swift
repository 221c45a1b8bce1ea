import Amalgam
import AmalgamCore
import AmalgamMigrations
import CAmalgam
import Testing

private func makeMigrator(_ definitions: [(String, String)]) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for (name, sql) in definitions { migrator.registerMigration(name) { db in try db.execute(sql: sql) } }
    return migrator
}

private let first = ("v1", "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
private let second = ("v2", "ALTER TABLE player ADD COLUMN score INTEGER")

/// Returns the problems of the migrations.
private func failures(_ verify: () throws -> Void) throws -> [String] {
    do {
        try verify()
        return []
    } catch let error as MigrationVerificationError {
        #expect(error.description.split(separator: "\n").count >= error.failures.count)
        return error.failures.map { "\($0.start): \($0.reason)" }
    }
}

@Suite("Every version comes to the same schema")
struct VerificationTests {
    @Test("when it does, nothing is thrown, and each version is filled once")
    func success() throws {
        var versions: [String] = []
        try makeMigrator([first, second]).verify { db, version in
            versions.append(version)
            try db.execute(sql: "INSERT INTO player (name) VALUES ('Anna')")
        }
        #expect(versions == ["v1", "v2"])
        try DatabaseMigrator().verify()
    }

    @Test("a migration that only works on an empty database is found")
    func content() throws {
        let strict = (
            "v2",
            """
            CREATE TABLE new (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            INSERT INTO new SELECT * FROM player; DROP TABLE player; ALTER TABLE new RENAME TO player;
            """
        )
        let migrator = makeMigrator([first, strict])
        try migrator.verify()
        let failures = try failures {
            try migrator.verify { db, version in
                if version == "v1" { try db.execute(sql: "INSERT INTO player (name) VALUES (NULL)") }
            }
        }
        #expect(failures.count == 1)
        #expect(failures[0].hasPrefix("version \"v1\": SQLite error 19: NOT NULL constraint failed: new.name"))
    }

    @Test("a migration that breaks foreign keys is found, even if it does not check them")
    func foreignKeys() throws {
        var migrator = makeMigrator([
            ("v1", "CREATE TABLE team (id INTEGER PRIMARY KEY); CREATE TABLE player (teamId REFERENCES team)")
        ]).disablingDeferredForeignKeyChecks()
        migrator.registerMigration("v2") { db in try db.execute(sql: "DELETE FROM team") }
        let unchecked = migrator
        let failures = try failures {
            try unchecked.verify { db, version in
                if version == "v1" { try db.execute(sql: "INSERT INTO team VALUES (1); INSERT INTO player VALUES (1)") }
            }
        }
        #expect(failures.count == 1)
        #expect(failures[0].contains("FOREIGN KEY constraint violation - from player(teamId) to team(id)"))
    }

    @Test("merged migrations come to what the old ones did")
    func mergedMigrations() throws {
        let old = makeMigrator([first, second])
        var merged = DatabaseMigrator()
        merged.registerMigration("v2", merging: ["v1"]) { db, applied in
            if applied.contains("v1") {
                try db.execute(sql: second.1)
            } else {
                try db.execute(sql: "create table \"player\" (\n  id integer primary key, name text, score integer)")
            }
        }
        try merged.verify(from: [old])
        var forgetful = DatabaseMigrator()
        forgetful.registerMigration("v2", merging: ["v1"]) { db, applied in
            if applied.isEmpty { try db.execute(sql: first.1 + ";" + second.1) }
        }
        let wrong = forgetful
        let failures = try failures { try wrong.verify(from: [old]) }
        #expect(
            failures == [
                """
                version "v1" of migrator 1: the schema is not that of a new database
                - CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER)
                + CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)
                """
            ])
    }

    @Test("a migration that was rewritten, and one that was forgotten, are found")
    func rewrittenMigrations() throws {
        let old = makeMigrator([first, second])
        let rewritten = makeMigrator([("v1", "CREATE TABLE player (id INTEGER PRIMARY KEY, name)"), second])
        #expect(try failures { try rewritten.verify(from: [old]) }.count == 2)
        let forgotten = makeMigrator([("v1", first.1 + ";" + second.1)])
        let failures = try failures { try forgotten.verify(from: [old]) }
        #expect(failures.count == 2)
        #expect(failures[1].hasSuffix("migrations are not registered any more: v2"))
    }

    @Test("migrations that fail on an empty database are wrong from the start")
    func brokenMigrations() throws {
        let broken = makeMigrator([first, ("v2", "DROP TABLE team")])
        let failures = try failures { try broken.verify() }
        #expect(failures.count == 1)
        #expect(failures[0].hasPrefix("an empty database: SQLite error 1: no such table: team"))
    }

    @Test("a database of an earlier version is copied, and stays")
    func shippedDatabases() throws {
        let shipped = try DatabaseQueue()
        try makeMigrator([first]).migrate(shipped)
        try makeMigrator([first, second]).verify(shipped)
        let columns = try shipped.read { db in try db.columns(in: "player").map(\.name) }
        #expect(columns == ["id", "name"])
        try shipped.write { db in try db.execute(sql: "CREATE INDEX byName ON player(name)") }
        let failures = try failures { try makeMigrator([first, second]).verify(shipped) }
        #expect(
            failures == [
                "the database: the schema is not that of a new database\n+ CREATE INDEX byName ON player(name)"
            ])
    }
}

@Suite("The difference of two schemas")
struct SchemaDifferenceTests {
    private func difference(_ before: String, _ after: String) throws -> SchemaDifference {
        let schemas = try [before, after].map { sql in
            try DatabaseQueue().write { db in
                try db.execute(sql: sql)
                return try db.schemaObjects(in: "main")
            }
        }
        return SchemaDifference(from: schemas[0], to: schemas[1])
    }

    @Test(
        "blanks, comments, quotes around names, and case do not count",
        arguments: [
            ("CREATE TABLE t (a TEXT, b)", "create  table T(A text,\n b)"),
            ("CREATE TABLE t (a, b)", "CREATE TABLE \"t\" ([a], `b`)"),
            ("CREATE TABLE t (a, b)", "CREATE TABLE t (a, -- the first\n b /* the second */)"),
            ("CREATE TABLE \"a\"\"b\" (x)", "CREATE TABLE [a\"b] (x)"),
            ("CREATE TABLE t (a); ALTER TABLE t ADD COLUMN b TEXT", "CREATE TABLE t (a, b TEXT)"),
            ("CREATE TABLE u (a); ALTER TABLE u RENAME TO t", "CREATE TABLE t (a)"),
            ("CREATE TABLE grdb_migrations (x)", ""),
            ("CREATE TABLE t (a UNIQUE)", "CREATE TABLE t (a unique)"),
            ("CREATE TABLE t (key, action)", "CREATE TABLE t (\"key\", [action])"),
            ("CREATE TABLE t (a DEFAULT x'AB')", "CREATE TABLE t (a DEFAULT X'ab')"),
            ("CREATE TABLE t (a DEFAULT 1.5E+3)", "CREATE TABLE t (a DEFAULT 1.5e+3)"),
            ("CREATE TABLE t (a, \u{FEFF} b)", "CREATE TABLE t (a, b)"),
            (
                "CREATE TABLE t (a); CREATE VIEW v AS SELECT t.a FROM t",
                "CREATE TABLE t (a); CREATE VIEW v AS SELECT \"t\".[a] FROM t"
            ),
            (
                "CREATE TABLE u (a); CREATE VIEW v AS SELECT u.a FROM u; ALTER TABLE u RENAME TO t",
                "CREATE TABLE t (a); CREATE VIEW v AS SELECT t.a FROM t"
            ),
        ])
    func same(_ before: String, _ after: String) throws {
        let difference = try difference(before, after)
        #expect(difference.isEmpty, "\(difference)")
        #expect(difference.description.isEmpty)
    }

    @Test(
        "what counts",
        arguments: [
            ("CREATE TABLE t (a DEFAULT 'x')", "CREATE TABLE t (a DEFAULT 'X')"),
            ("CREATE TABLE t (a DEFAULT 'a b')", "CREATE TABLE t (a DEFAULT 'ab')"),
            ("CREATE TABLE t (a, b)", "CREATE TABLE t (b, a)"),
            ("CREATE TABLE t (ab)", "CREATE TABLE t (a b)"),
            ("CREATE TABLE t (a)", "CREATE VIEW t AS SELECT 1 AS a"),
            ("CREATE TABLE t (a CHECK (a > 1))", "CREATE TABLE t (a CHECK (a < 1))"),
            // Keywords are not names.
            ("CREATE TABLE t (a UNIQUE)", "CREATE TABLE t (a \"UNIQUE\")"),
            ("CREATE TABLE t (a INTEGER NOT NULL)", "CREATE TABLE t (a INTEGER \"NOT\" \"NULL\")"),
            ("CREATE TABLE t (a DEFAULT TRUE)", "CREATE TABLE t (a DEFAULT \"true\")"),
            ("CREATE TABLE t (a DEFAULT CURRENT_DATE)", "CREATE TABLE t (a DEFAULT [current_date])"),
            (
                "CREATE TABLE t (a); CREATE VIEW v AS SELECT 1 FROM t LEFT JOIN t AS u",
                "CREATE TABLE t (a); CREATE VIEW v AS SELECT 1 FROM t \"LEFT\" JOIN t AS u"
            ),
            // Numbers are not names, and blobs are not strings after a name.
            ("CREATE TABLE t (a DEFAULT 1)", "CREATE TABLE t (a DEFAULT \"1\")"),
            (
                "CREATE TABLE t (x); CREATE VIEW v AS SELECT x'ab' FROM t",
                "CREATE TABLE t (x); CREATE VIEW v AS SELECT x 'ab' FROM t"
            ),
            // É, é, and é as two scalars
            ("CREATE TABLE t (\u{C9})", "CREATE TABLE t (\u{E9})"),
            ("CREATE TABLE t (\u{E9})", "CREATE TABLE t (e\u{301})"),
            ("CREATE TABLE t (\"\u{E9}\")", "CREATE TABLE t (\"e\u{301}\")"),
            ("CREATE TABLE t (a DEFAULT '\u{E9}')", "CREATE TABLE t (a DEFAULT 'e\u{301}')"),
        ])
    func different(_ before: String, _ after: String) throws {
        let difference = try difference(before, after)
        #expect(!difference.isEmpty)
    }

    /// A keyword in quotes is a name, so a statement with quotes differs. Other words mean the same with and without.
    @Test("each keyword that SQLite doesn't accept as a name differs from the name")
    func keywords() throws {
        try DatabaseQueue().write { db in
            for index in 0..<sqlite3_keyword_count() {
                var start: UnsafePointer<CChar>?
                var count: CInt = 0
                #expect(sqlite3_keyword_name(index, &start, &count) == SQLITE_OK)
                let bytes = UnsafeRawBufferPointer(start: start, count: Int(count))
                let word = String(decoding: bytes, as: UTF8.self)
                let isName = (try? db.makeStatement(sql: "CREATE TABLE words (\(word))")) != nil
                if !isName { #expect(SQLTokens.keywords.contains(TableName(word)), "\(word)") }
                #expect((SQLTokens(word) == SQLTokens("\"\(word)\"")) == !SQLTokens.keywords.contains(TableName(word)))
            }
        }
    }

    @Test("what has gone, what has come, what has changed")
    func text() throws {
        let difference = try difference(
            "CREATE TABLE gone (a); CREATE TABLE t (a); CREATE INDEX i ON t(a)",
            "CREATE TABLE t (a, b); CREATE INDEX i ON t(a); CREATE VIEW v AS SELECT 1")
        #expect(difference.dropped.map(\.name) == ["gone"])
        #expect(difference.created.map(\.name) == ["v"])
        #expect(difference.changed.map(\.before.sql) == ["CREATE TABLE t (a)"])
        #expect(
            difference.description == """
                - CREATE TABLE gone (a)
                + CREATE VIEW v AS SELECT 1
                - CREATE TABLE t (a)
                + CREATE TABLE t (a, b)
                """)
    }
}
