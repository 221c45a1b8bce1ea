import Amalgam
import TestSupport
import Testing

@Suite("Full-text tables that are synchronized, with locales")
struct LocalizedSynchronizationTests {
    private func withBooks(_ test: (Database) throws -> Void) throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE book (id INTEGER PRIMARY KEY, language TEXT, title TEXT, body TEXT);
                    INSERT INTO book VALUES
                        (1, 'en', 'The nationalities', 'houses'), (2, 'fr_CA', 'Les nationalités', 'maisons'),
                        (3, NULL, 'Running', 'walks'), (4, 'ja', 'Running', 'walks');
                    """)
            try test(db)
        }
    }

    private func found(_ db: Database, _ query: String) throws -> [Int] {
        try Int.fetchAll(db, sql: "SELECT rowid FROM bookSearch WHERE bookSearch MATCH \(query) ORDER BY rowid")
    }

    @Test("the statements that make a table with a locale column")
    func statements() throws {
        try withBooks { db in
            let statements = try db.tracing {
                try db.create(virtualTable: "bookSearch", using: FTS5()) { t in
                    t.synchronize(withTable: "book", localeColumn: "language")
                    t.column("title")
                    t.column("body").locale("fr")
                }
            }
            for sql in [
                """
                CREATE VIRTUAL TABLE "bookSearch" USING fts5(title, body, content='__bookSearch_localized', content_rowid='id', locale=1)
                """,
                """
                CREATE VIEW "__bookSearch_localized" AS SELECT "book"."id", fts5_locale("book"."language", "book"."title") AS "title", fts5_locale('fr', "book"."body") AS "body" FROM "book"
                """,
                """
                CREATE TRIGGER "__bookSearch_ad" AFTER DELETE ON "book" BEGIN
                    INSERT INTO "bookSearch"("bookSearch", "rowid", "title", "body") VALUES('delete', old."id", fts5_locale(old."language", old."title"), fts5_locale('fr', old."body"));
                END
                """,
            ] { #expect(statements.contains(sql), "\(statements)") }
        }
    }

    @Test("each row is stemmed in its language, and found by a query without a language")
    func rows() throws {
        try withBooks { db in
            try db.create(virtualTable: "bookSearch", using: FTS5()) { t in
                t.tokenizer = .snowball(languages: [.english, .french], stopWords: true)
                t.synchronize(withTable: "book", localeColumn: "language")
                t.column("title")
                t.column("body")
            }
            expectEqual(try found(db, "'nationality'"), [1])
            expectEqual(try found(db, "'nationalité'"), [2])
            expectEqual(try found(db, "'maison'"), [2])
            expectEqual(try found(db, "'walking'"), [3])
            expectEqual(try found(db, "'walks'"), [3, 4])
            expectEqual(try found(db, "fts5_locale('fr', 'maison')"), [2])
            let highlights = "SELECT highlight(bookSearch, 0, '[', ']') FROM bookSearch"
            expectEqual(try String.fetchAll(db, sql: "\(highlights)('nationalité')"), ["Les [nationalités]"])
            try db.execute(
                sql: """
                    UPDATE book SET language = 'en' WHERE id = 4;
                    INSERT INTO book VALUES (5, 'fr', 'Un chat', 'des chats'); DELETE FROM book WHERE id = 3;
                    """)
            expectEqual(try found(db, "'walking'"), [4])
            expectEqual(try found(db, "'chat'"), [5])
            try FTS5Index("bookSearch").checkIntegrity(db)
            try FTS5Index("bookSearch").rebuild(db)
            expectEqual(try found(db, "'walking'"), [4])
            try FTS5Index("bookSearch").checkIntegrity(db)
        }
    }

    @Test("columns have their own languages")
    func columns() throws {
        try withBooks { db in
            try db.create(virtualTable: "bookSearch", using: FTS5()) { t in
                t.tokenizer = .snowball(languages: [.english, .french])
                t.synchronize(withTable: "book")
                t.column("title").locale("en")
                t.column("body").locale("fr")
            }
            expectEqual(try found(db, "'title : run'"), [3, 4])
            expectEqual(try found(db, "'body : maison'"), [2])
            // The English stem is "walk", and the French one of "walks" as well.
            expectEqual(try found(db, "'body : walking'"), [3, 4])
            expectEqual(try found(db, "'body : houses'"), [1])
            expectEqual(try found(db, "'title : maisons'"), [])
            try FTS5Index("bookSearch").checkIntegrity(db)
        }
    }

    @Test("the view is dropped with the triggers")
    func dropping() throws {
        try withBooks { db in
            try db.create(virtualTable: "bookSearch", using: FTS5()) { t in
                t.synchronize(withTable: "book", localeColumn: "language")
                t.column("title")
            }
            try db.drop(table: "bookSearch")
            try db.dropFTS5SynchronizationTriggers(forTable: "bookSearch")
            expectEqual(
                try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE name LIKE '%bookSearch%'"), [])
        }
    }

    @Test("a column of a table that isn't synchronized has no locale")
    func misuse() throws {
        try withBooks { db in
            expectCode(.SQLITE_MISUSE) {
                try db.create(virtualTable: "note", using: FTS5()) { t in t.column("title").locale("fr") }
            }
            expectCode(.SQLITE_MISUSE) {
                try db.create(virtualTable: "note", using: FTS5()) { t in
                    t.column("title").locale("fr")
                    t.content = "book"
                }
            }
            expectEqual(try db.tableExists("note"), false)
        }
    }
}
