import Amalgam
import Foundation
import TestSupport
import Testing

/// Hidden and denied columns of tables that a full-text table shows through a view, and columns of views.
struct ViewSourcesTests {
    /// A full-text table over a view, whose column `secret` is hidden.
    struct Content: CustomTestStringConvertible {
        var name: String
        /// Creates the view `shown` of `id`, `title` and `word`, with the hidden word. `document` is the full-text table.
        var view: String
        var module = "fts5(title, word, content='shown', content_rowid='id')"
        /// Whether the titles can be read and searched.
        var showsTitles = true
        var testDescription: String { name }
    }

    private static let contents = [
        Content(name: "the same name", view: "CREATE VIEW shown AS SELECT id, title, secret AS word FROM book"),
        Content(
            name: "a list of names", view: "CREATE VIEW shown(id, title, word) AS SELECT id, title, secret FROM book"),
        Content(
            name: "an expression", view: "CREATE VIEW shown AS SELECT id, title, 'w' || book.secret AS word FROM book"),
        Content(name: "a generated column", view: "CREATE VIEW shown AS SELECT id, title, loud AS word FROM main.book"),
        Content(
            name: "a view of a view",
            view: """
                CREATE VIEW inner AS SELECT id, title AS t, "SECRET" AS s FROM book;
                CREATE VIEW shown AS SELECT id, t AS title, s AS word FROM inner
                """),
        Content(
            name: "a star",
            view: """
                CREATE VIEW inner AS SELECT id, title, secret AS word FROM book;
                CREATE VIEW shown AS SELECT * FROM inner
                """),
        Content(
            name: "a join",
            view: """
                CREATE VIEW shown AS
                SELECT b.id, b.title, c.secret AS word FROM book AS b JOIN book AS c ON c.id = b.id
                """),
        Content(
            name: "WHERE", view: "CREATE VIEW shown AS SELECT id, title, '' AS word FROM book WHERE secret = 'whale'",
            showsTitles: false),
        Content(
            name: "an alias in WHERE",
            view: "CREATE VIEW shown AS SELECT id, title, secret AS word FROM book WHERE word <> ''", showsTitles: false
        ),
        Content(
            name: "a subquery",
            view: """
                CREATE VIEW shown AS
                SELECT id, title, (SELECT secret FROM book AS b WHERE b.id = book.id) AS word FROM book
                """, showsTitles: false),
        Content(
            name: "a subquery in FROM",
            view: "CREATE VIEW shown AS SELECT id, title, word FROM (SELECT id, title, secret AS word FROM book)",
            showsTitles: false),
        Content(
            name: "a common table expression",
            view: """
                CREATE VIEW shown AS
                WITH b(id, title, word) AS (SELECT id, title, secret FROM book) SELECT id, title, word FROM b
                """, showsTitles: false),
        Content(
            name: "UNION",
            view: """
                CREATE VIEW shown AS
                SELECT 0 AS id, '' AS title, '' AS word WHERE 0 UNION ALL SELECT id, title, secret FROM book
                """, showsTitles: false),
        Content(
            name: "an aggregate",
            view: "CREATE VIEW shown AS SELECT id, title, max(secret) AS word FROM book GROUP BY id", showsTitles: false
        ),
        Content(
            name: "NATURAL",
            view: "CREATE VIEW shown AS SELECT id, title, secret AS word FROM book NATURAL JOIN (SELECT 1 AS id)",
            showsTitles: false),
        Content(
            name: "two columns with one name",
            view: "CREATE VIEW shown AS SELECT id, title, title AS word, secret AS word, title AS 'word:1' FROM book",
            module: "fts5(title, 'word:1', content='shown', content_rowid='id')"),
        Content(
            name: "FTS4", view: "CREATE VIEW shown AS SELECT id AS rowid, title, secret AS word FROM book",
            module: "fts4(title, word, content='shown')"),
    ]

    private func run(_ content: Content, _ test: (Database) throws -> Void) throws {
        try withTemporaryDirectory { directory in
            let path = directory.appending(path: "books.sqlite").path
            try Self.open(path) { db in
                try db.execute(
                    sql: """
                        CREATE TABLE book (
                            id INTEGER PRIMARY KEY, title TEXT, secret TEXT,
                            loud TEXT GENERATED ALWAYS AS (lower(secret)) VIRTUAL);
                        INSERT INTO book VALUES (1, 'Moby', 'whale'), (2, 'Emma', 'whale');
                        \(content.view);
                        CREATE VIRTUAL TABLE document USING \(content.module);
                        INSERT INTO document(document) VALUES ('rebuild');
                        """)
                try test(db)
            }
            // A new connection, which doesn't know the columns of the view.
            try Self.open(path, test)
        }
    }

    private static func open(_ path: String, _ body: (Database) throws -> Void) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction(body)
        try queue.close()
    }

    /// The rows of a query; empty if it is denied, or if it searches a column that reads as NULL.
    private func rows(_ db: Database, _ sandbox: Sandbox, _ sql: String) throws -> [Row] {
        do {
            return try db.sandboxed(sandbox) { try Row.fetchAll(db, sql: sql) }
        } catch let error as DatabaseError where [.SQLITE_AUTH, .SQLITE_ERROR].contains(error.resultCode) {
            return []
        }
    }

    @Test("a full-text table doesn't show what its view shows of a hidden column", arguments: contents, [false, true])
    func contentViews(_ content: Content, isDenied: Bool) throws {
        try run(content) { db in
            for tables: Set<String>? in [nil, ["document"]] {
                var sandbox = Sandbox(readableTables: tables)
                if isDenied {
                    sandbox.denyColumns(["secret"], of: "book")
                } else {
                    sandbox.hideColumns(["secret"], of: "book")
                }
                let values = try rows(db, sandbox, "SELECT * FROM document").flatMap { Array($0.databaseValues) }
                #expect(!values.contains { "\($0)".contains("whale") }, "\(values)")
                for sql in [
                    "SELECT 1 FROM document WHERE document MATCH 'whale'", "SELECT 1 FROM document('whale')",
                    "SELECT highlight(document, 1, '', '') FROM document WHERE title MATCH 'moby'",
                    "SELECT rank FROM document WHERE title MATCH 'moby'", "SELECT * FROM document_data",
                    "SELECT offsets(document) FROM document", "SELECT block FROM document_segments",
                ] {
                    expectEqual(try rows(db, sandbox, sql), [])
                }
                let titles = try rows(db, sandbox, "SELECT title FROM document ORDER BY rowid").map { $0[0] as String? }
                expectEqual(titles.contains("Emma"), content.showsTitles)
            }
        }
    }

    @Test("a search in a synchronized table with a locale may name the columns that show no hidden column")
    func localizedTables() throws {
        let content = Content(
            name: "",
            view: "CREATE VIEW shown AS SELECT id, fts5_locale(loud, title) AS title, secret AS word FROM book")
        try run(content) { db in
            var sandbox = Sandbox.readOnly(tables: ["document"])
            sandbox.hideColumns(["secret"], of: "book")
            // The locale is computed from the hidden column.
            expectEqual(try rows(db, sandbox, "SELECT 1 FROM document WHERE title MATCH 'moby'"), [])
        }
        try DatabaseQueue().inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, secret TEXT, language TEXT);
                    INSERT INTO book VALUES (1, 'Moby', 'whale', 'en_US');
                    """)
            try db.create(virtualTable: "bookSearch", using: FTS5()) { t in
                t.synchronize(withTable: "book", localeColumn: "language")
                t.column("title")
                t.column("secret")
            }
            var sandbox = Sandbox.readOnly
            sandbox.hideColumns(["secret"], of: "book")
            try db.sandboxed(sandbox) {
                let sql = "SELECT rowid, title, secret FROM bookSearch WHERE title MATCH 'moby'"
                try expectEqual(Row.fetchAll(db, sql: sql), [["rowid": 1, "title": "Moby", "secret": nil]])
                try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM bookSearch"), 1)
            }
            expectEqual(try rows(db, sandbox, "SELECT 1 FROM bookSearch WHERE secret MATCH 'whale'"), [])
        }
    }

    @Test("the rowid of a full-text table doesn't show a hidden column", arguments: ["book", "shown"])
    func rowids(of content: String) throws {
        try DatabaseQueue().inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE book (title TEXT, number INTEGER);
                    INSERT INTO book VALUES ('Moby', 1851);
                    CREATE VIEW shown AS SELECT title, number FROM book;
                    CREATE VIRTUAL TABLE document USING fts5(title, content='\(content)', content_rowid='number');
                    INSERT INTO document(document) VALUES ('rebuild');
                    """)
            var sandbox = Sandbox.readOnly
            sandbox.hideColumns(["number"], of: "book")
            try db.sandboxed(sandbox) {
                let sql = "SELECT rowid, title FROM document"
                try expectEqual(Row.fetchAll(db, sql: sql), [["rowid": nil, "title": "Moby"]])
            }
        }
    }

    @Test("a full-text table doesn't show tables that store values of all others")
    func storedCopies() throws {
        try DatabaseQueue().inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY AUTOINCREMENT, email);
                    INSERT INTO player VALUES (17, 'anna');
                    CREATE VIEW counters AS SELECT 1 AS id, seq FROM sqlite_sequence;
                    CREATE VIRTUAL TABLE document USING fts5(seq, content='counters', content_rowid='id');
                    """)
            let sql = "SELECT seq FROM document"
            expectEqual(try db.sandboxed(.readOnly) { try Int.fetchAll(db, sql: sql) }, [17])
            var sandbox = Sandbox.readOnly(tables: ["player", "document"])
            sandbox.hideColumns(["email"], of: "player")
            try expectDenied(db, sandbox, sql)
            sandbox.readableTables?.insert("sqlite_sequence")
            expectEqual(try db.sandboxed(sandbox) { try Int.fetchAll(db, sql: sql) }, [17])
        }
    }

    @Test("a column of a view can be hidden before a statement has used the view", arguments: [false, true])
    func unusedViews(isDenied: Bool) throws {
        try withTemporaryDirectory { directory in
            let path = directory.appending(path: "players.sqlite").path
            try Self.open(path) { db in
                try db.execute(
                    sql: """
                        CREATE TABLE player (id INTEGER PRIMARY KEY, name, email);
                        INSERT INTO player VALUES (1, 'Anna', 'anna@example.com');
                        CREATE VIEW card AS SELECT id, name, email FROM player;
                        """)
            }
            try Self.open(path) { db in
                var sandbox = Sandbox.readOnly(tables: ["card"])
                if isDenied {
                    sandbox.denyColumns(["email"], of: "card")
                } else {
                    sandbox.hideColumns(["email"], of: "card")
                }
                try db.sandboxed(sandbox) {
                    try expectEqual(Int.fetchOne(db, sql: "SELECT last_insert_rowid()"), 0)
                    try expectEqual(String.fetchOne(db, sql: "SELECT name FROM card"), "Anna")
                    if !isDenied {
                        try expectEqual(
                            Row.fetchOne(db, sql: "SELECT name, email FROM card"), ["name": "Anna", "email": nil])
                    }
                }
                // SQLite reports the table, but not the view, if a query reads no column of the view.
                let action = try expectDenied(db, sandbox, "SELECT email FROM card")
                expectEqual(action?.tableName, isDenied ? "card" : "player")
                sandbox.readableTables = ["card", "player"]
                if !isDenied {
                    let emails = try db.sandboxed(sandbox) { try String?.fetchAll(db, sql: "SELECT email FROM card") }
                    expectEqual(emails, [nil])
                }
            }
        }
    }
}
