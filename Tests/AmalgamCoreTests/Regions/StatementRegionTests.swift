import Amalgam
import AmalgamCore
import TestSupport
import Testing

/// The regions that statements read, and the kinds of change that they may cause.
struct StatementRegionTests {
    static let schema = """
        CREATE TABLE foo (id INTEGER PRIMARY KEY, name TEXT, a, b);
        CREATE TABLE bar (id INTEGER PRIMARY KEY, fooId INTEGER);
        CREATE TABLE textKey (id TEXT PRIMARY KEY, name TEXT);
        CREATE TABLE table1 (id INTEGER PRIMARY KEY, id3, id4, a, b);
        CREATE VIEW fooView AS SELECT name FROM foo WHERE a > 1;
        CREATE TABLE naturalKey (code TEXT PRIMARY KEY, v) WITHOUT ROWID;
        """

    @Test(arguments: [
        // Columns read anywhere, in the spelling of the schema
        ("SELECT name FROM foo", "foo(name)"),
        ("SELECT NAME FROM FOO", "foo(name)"),
        ("SELECT a FROM foo WHERE b = 1 ORDER BY name", "foo(a,b,name)"),
        ("SELECT foo.name FROM foo JOIN bar ON fooId = foo.id", "bar(fooId),foo(id,name)"),
        ("SELECT FOO.NAME FROM FOO JOIN BAR ON FOOID = FOO.ID", "bar(fooId),foo(id,name)"),
        ("SELECT name FROM foo WHERE a IN (SELECT fooId FROM bar)", "bar(fooId),foo(a,name)"),
        ("WITH x AS (SELECT a FROM foo) SELECT a FROM x", "foo(a)"),
        // The rowid alone is the presence of rows
        ("SELECT id FROM foo", "foo(*)"),
        ("SELECT id, name FROM foo", "foo(id,name)"),
        ("SELECT id FROM textKey", "textKey(id)"),
        ("SELECT COUNT(*) FROM foo", "foo(*)"),
        ("SELECT COUNT(*) FROM FOO", "FOO(*)"),
        ("SELECT COUNT(a) FROM foo", "foo(a)"),
        ("SELECT 1 FROM foo", "foo(*)"),
        ("SELECT code FROM naturalKey", "naturalKey(code)"),
        // All columns are listed
        ("SELECT * FROM table1", "table1(a,b,id,id3,id4)"),
        // No table
        ("SELECT 1", "empty"),
        ("SELECT 'a' || 'b'", "empty"),
        // Columns that changes read
        ("UPDATE foo SET a = 1 WHERE b = 2", "foo(b)"),
        ("UPDATE foo SET a = 1", "empty"),
        ("UPDATE foo SET a = b + 1", "foo(b)"),
        ("DELETE FROM foo WHERE name = 'x'", "foo(name)"),
        ("INSERT INTO bar SELECT NULL, a FROM foo", "foo(a)"),
        ("INSERT INTO bar VALUES (1, 2)", "empty"),
    ])
    func region(sql: String, region: String) throws {
        try makeQueue(Self.schema).read { db in
            try #expect(db.makeStatement(sql: sql).databaseRegion.description == region)
        }
    }

    @Test func aViewReadsItsTables() throws {
        try makeQueue(Self.schema).read { db in
            let region = try db.makeStatement(sql: "SELECT name FROM fooView").databaseRegion
            #expect(region.intersection(DatabaseRegion(table: "foo")).description == "foo(a,name)")
        }
    }

    @Test func countEqualsTheTableWhateverItsSpelling() throws {
        try makeQueue(Self.schema).read { db in
            try #expect(
                db.makeStatement(sql: "SELECT COUNT(*) FROM FOO").databaseRegion
                    == db.makeStatement(sql: "SELECT COUNT(*) FROM foo").databaseRegion)
        }
    }

    @Test(arguments: ["rowid", "_ROWID_", "oID"])
    func rowidAliases(alias: String) throws {
        try makeQueue(Self.schema).inDatabase { db in
            let update = try db.makeStatement(sql: "UPDATE foo SET a = 1 WHERE \(alias) = 1 AND b = 2")
            let region = update.databaseRegion.intersection(DatabaseRegion(table: "foo"))
            #expect(["foo(b,id)", "foo(ROWID,b)"].contains(region.description))
            // A table without an alias of its rowid
            try db.execute(sql: "CREATE TABLE plain (a)")
            let statement = try db.makeStatement(sql: "SELECT \(alias), a FROM plain")
            #expect(statement.databaseRegion.description == "plain(ROWID,a)")
        }
    }

    @Test func pragmasAndSchemaStatementsCompileToSomeRegion() throws {
        try makeQueue(Self.schema).read { db in
            try #expect(
                db.makeStatement(sql: "SELECT name FROM sqlite_master").databaseRegion.description
                    == "sqlite_master(name)")
            try #expect(db.makeStatement(sql: "PRAGMA user_version").databaseRegion.isEmpty)
        }
    }

    @Test func theRegionOfAMaximumOfTheRowIDIsTheTable() throws {
        try makeQueue(Self.schema).read { db in
            try #expect(db.makeStatement(sql: "SELECT MAX(id) FROM foo").databaseRegion.description == "foo(*)")
        }
    }

    @Test func cursorsKnowTheirRegion() throws {
        try makeQueue(Self.schema).read { db in
            try #expect(Row.fetchCursor(db, sql: "SELECT a FROM foo").databaseRegion.description == "foo(a)")
        }
    }

    // MARK: The kinds of change of a statement

    typealias Question = (sql: String, kinds: [DatabaseEventKind])

    static let questions: [Question] = [
        ("UPDATE foo SET a = 1", [.update(tableName: "foo", columnNames: ["a"])]),
        ("UPDATE FOO SET A = 1, B = A", [.update(tableName: "foo", columnNames: ["a", "b"])]),
        ("UPDATE foo SET id = id", [.update(tableName: "foo", columnNames: ["id"])]),
        ("UPDATE foo SET rowid = rowid", [.update(tableName: "foo", columnNames: ["ROWID"])]),
        ("UPDATE foo SET oID = 1 WHERE id = 1", [.update(tableName: "foo", columnNames: ["ROWID"])]),
        ("INSERT INTO FOO (a) VALUES (1)", [.insert(tableName: "foo")]),
        ("REPLACE INTO foo (a) VALUES (1)", [.insert(tableName: "foo")]),
        ("DELETE FROM Foo WHERE id = 1", [.delete(tableName: "foo")]),
        (
            "INSERT INTO foo (id, a) VALUES (1, 2) ON CONFLICT DO UPDATE SET b = 3",
            [.insert(tableName: "foo"), .update(tableName: "foo", columnNames: ["b"])]
        ),
        ("SELECT * FROM foo", []),
        ("CREATE TABLE other (a)", []),
        ("CREATE TABLE copied AS SELECT * FROM foo", []),
        ("ALTER TABLE foo ADD COLUMN c", []),
        ("CREATE INDEX onA ON foo(a)", []),
        ("DROP TABLE foo", []),
        ("PRAGMA user_version = 1", []),
    ]

    @Test(arguments: questions)
    func kinds(question: Question) throws {
        try makeQueue(Self.schema).inDatabase { db in
            let log = EventLog()
            db.add(transactionObserver: log)
            let statement = try db.makeStatement(sql: question.sql)
            _ = log.takeAsked()  // the deletions, when the statement was compiled
            try statement.execute()
            #expect(Set(log.takeAsked()) == Set(question.kinds))
        }
    }

    @Test func kindsOfTriggersAndForeignKeyActions() throws {
        let dbQueue = try makeQueue(
            """
            CREATE TABLE parent (id INTEGER PRIMARY KEY, v);
            CREATE TABLE child (id INTEGER PRIMARY KEY, parentId REFERENCES parent ON DELETE CASCADE ON UPDATE SET NULL);
            CREATE TABLE journal (line);
            CREATE TRIGGER parentGone AFTER DELETE ON parent BEGIN INSERT INTO journal VALUES (old.v); END;
            """)
        try dbQueue.inDatabase { db in
            let log = EventLog()
            db.add(transactionObserver: log)
            func kinds(_ sql: String) throws -> Set<DatabaseEventKind> {
                let statement = try db.makeStatement(sql: sql)
                _ = log.takeAsked()
                try statement.execute()
                return Set(log.takeAsked())
            }
            try #expect(
                kinds("DELETE FROM parent WHERE id = 1")
                    == [.delete(tableName: "parent"), .delete(tableName: "child"), .insert(tableName: "journal")])
            try #expect(
                kinds("UPDATE parent SET id = 2 WHERE id = 1")
                    == [
                        .update(tableName: "parent", columnNames: ["id"]),
                        .update(tableName: "child", columnNames: ["parentId"]),
                    ])
            // The foreign key doesn't refer to this column.
            try #expect(
                kinds("UPDATE parent SET v = 2 WHERE id = 1")
                    == [.update(tableName: "parent", columnNames: ["v"])])
        }
    }

    @Test func equivalentColumnsAreDifferentColumns() throws {
        // The letter é as one scalar, and as two. For Swift, both strings are equal.
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        let dbQueue = try makeQueue("CREATE TABLE word (\"\(composed)\", \"\(decomposed)\", other)")
        try dbQueue.read { db throws in
            func isRead(_ column: String, by columns: [String]) throws -> Bool {
                let list = columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
                let region = try db.makeStatement(sql: "SELECT \(list) FROM word").databaseRegion
                return region.isModified(byEventsOfKind: .update(tableName: "word", columnNames: [column]))
            }
            for column in [composed, decomposed] {
                #expect(try isRead(column, by: [composed, decomposed]))
                #expect(try isRead(column, by: [column]))
                #expect(try !isRead(column, by: ["other"]))
            }
            #expect(try !isRead(decomposed, by: [composed]))
            #expect(try !isRead(composed, by: [decomposed]))
        }
    }
}
