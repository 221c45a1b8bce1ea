import Amalgam
import TestSupport
import Testing

@Suite("Full-text tables that are synchronized")
struct SynchronizationTests {
    private func triggers(_ db: Database) throws -> [String] {
        try String.fetchAll(db, sql: "SELECT sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid")
    }

    @Test("the triggers of FTS5")
    func fts5Triggers() throws {
        try withLibrary { db in
            expectEqual(
                try triggers(db),
                [
                    """
                    CREATE TRIGGER "__bookSearch_ai" AFTER INSERT ON "book" BEGIN
                        INSERT INTO "bookSearch"("rowid", "title", "body") VALUES (new."id", new."title", new."body");
                    END
                    """,
                    """
                    CREATE TRIGGER "__bookSearch_ad" AFTER DELETE ON "book" BEGIN
                        INSERT INTO "bookSearch"("bookSearch", "rowid", "title", "body") VALUES('delete', old."id", old."title", old."body");
                    END
                    """,
                    """
                    CREATE TRIGGER "__bookSearch_au" AFTER UPDATE ON "book" BEGIN
                        INSERT INTO "bookSearch"("bookSearch", "rowid", "title", "body") VALUES('delete', old."id", old."title", old."body");
                        INSERT INTO "bookSearch"("rowid", "title", "body") VALUES (new."id", new."title", new."body");
                    END
                    """,
                ])
        }
    }

    @Test("the statements that make a synchronized table of FTS5")
    func fts5Statements() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE book (title TEXT)")
            let statements = try db.tracing {
                try db.create(virtualTable: "ft_book", options: .ifNotExists, using: FTS5()) { t in
                    t.synchronize(withTable: "book")
                    t.column("title")
                }
            }
            #expect(
                statements.contains(
                    #"CREATE VIRTUAL TABLE IF NOT EXISTS "ft_book" USING fts5(title, content='book', content_rowid='rowid')"#
                ))
            #expect(
                statements.contains(
                    """
                    CREATE TRIGGER IF NOT EXISTS "__ft_book_ai" AFTER INSERT ON "book" BEGIN
                        INSERT INTO "ft_book"("rowid", "title") VALUES (new."rowid", new."title");
                    END
                    """))
            #expect(statements.contains(#"INSERT INTO "ft_book"("ft_book") VALUES('rebuild')"#))
        }
    }

    @Test("an ordinary column called rowid is not the rowid of the content table")
    func aColumnCalledRowid() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: "CREATE TABLE book (rowid TEXT, title TEXT); INSERT INTO book VALUES ('x', 'Moby-Dick')")
            try db.create(virtualTable: "ft_book", using: FTS5()) { t in
                t.synchronize(withTable: "book")
                t.column("title")
            }
            try db.execute(
                sql: """
                    INSERT INTO book VALUES ('x', 'Dune');
                    UPDATE book SET title = 'Dune Messiah' WHERE title = 'Dune';
                    """)
            let sql = "SELECT title FROM ft_book WHERE ft_book MATCH ?"
            #expect(try String.fetchAll(db, sql: sql, arguments: ["dune"]) == ["Dune Messiah"])
            #expect(try String.fetchAll(db, sql: sql, arguments: ["moby"]) == ["Moby-Dick"])
        }
    }

    @Test("the triggers of FTS4")
    func fts4Triggers() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE doc (id INTEGER PRIMARY KEY, a TEXT, b TEXT)")
            try db.create(virtualTable: "ft", using: FTS4()) { t in
                t.synchronize(withTable: "doc")
                t.column("a")
                t.column("b")
            }
            expectEqual(
                try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = 'ft'"),
                #"CREATE VIRTUAL TABLE "ft" USING fts4(a, b, content="doc")"#)
            let delete = #"    DELETE FROM "ft" WHERE docid=old."id";"#
            let insert = #"    INSERT INTO "ft"("docid", "a", "b") VALUES(new."id", new."a", new."b");"#
            expectEqual(
                try triggers(db),
                [
                    "CREATE TRIGGER \"__ft_bu\" BEFORE UPDATE ON \"doc\" BEGIN\n\(delete)\nEND",
                    "CREATE TRIGGER \"__ft_bd\" BEFORE DELETE ON \"doc\" BEGIN\n\(delete)\nEND",
                    "CREATE TRIGGER \"__ft_au\" AFTER UPDATE ON \"doc\" BEGIN\n\(insert)\nEND",
                    "CREATE TRIGGER \"__ft_ai\" AFTER INSERT ON \"doc\" BEGIN\n\(insert)\nEND",
                ])
        }
    }

    /// Inserts, updates and deletes rows of the content table, and checks the search results.
    private func check<Module: VirtualTableModule>(
        _ module: Module, _ define: @escaping (Module.TableDefinition) -> Void
    ) throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE doc (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO doc VALUES (7, 'foo')")
            try db.create(virtualTable: "ft", using: module) { t in define(t) }
            func found(_ word: String) throws -> [Int64] { try db.rowIDs(matching: word, in: "ft") }

            expectEqual(try found("foo"), [7])
            try db.execute(sql: "INSERT INTO doc VALUES (8, 'bar')")
            expectEqual(try found("bar"), [8])
            try db.execute(sql: "UPDATE doc SET a = 'baz' WHERE id = 7")
            expectEqual(try found("foo"), [])
            expectEqual(try found("baz"), [7])
            try db.execute(sql: "DELETE FROM doc WHERE id = 8")
            expectEqual(try found("bar"), [])
        }
    }

    @Test("rows that are there, and all changes, are indexed")
    func changes() throws {
        try check(FTS4()) { t in
            t.synchronize(withTable: "doc")
            t.column("a")
        }
        try check(FTS5()) { t in
            t.synchronize(withTable: "doc")
            t.column("a")
        }
    }

    @Test("a table can be dropped, and made again, once its triggers are dropped")
    func dropping() throws {
        try withLibrary { db in
            try db.drop(table: "bookSearch")
            expectError(.SQLITE_ERROR, "no such table: main.bookSearch") {
                try db.execute(sql: "DELETE FROM book")
            }
            try db.dropFTS5SynchronizationTriggers(forTable: "other")
            try db.dropFTS5SynchronizationTriggers(forTable: "bookSearch")
            try db.dropFTS5SynchronizationTriggers(forTable: "bookSearch")
            try db.execute(sql: "DELETE FROM book WHERE id = 1")
            try db.create(virtualTable: "bookSearch", using: FTS5()) { t in
                t.synchronize(withTable: "book")
                t.column("title")
            }
            expectEqual(try db.rowIDs(matching: "database", in: "bookSearch"), [2])
        }
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE doc (a TEXT)")
            try db.create(virtualTable: "ft", using: FTS4()) { t in
                t.synchronize(withTable: "doc")
                t.column("a")
            }
            try db.drop(table: "ft")
            try db.dropFTS4SynchronizationTriggers(forTable: "ft")
            expectEqual(try triggers(db), [])
            try db.execute(sql: "INSERT INTO doc VALUES ('x')")
        }
    }

    @Test("a content table that does not exist, and a temporary table, leave nothing behind")
    func refusals() throws {
        try DatabaseQueue().write { db in
            expectError(.SQLITE_ERROR, "no such table: missing") {
                try db.create(virtualTable: "ft", using: FTS5()) { t in
                    t.synchronize(withTable: "missing")
                    t.column("a")
                }
            }
            expectError(.SQLITE_ERROR, "no such table: missing") {
                try db.create(virtualTable: "ft", using: FTS4()) { t in
                    t.synchronize(withTable: "missing")
                    t.column("a")
                }
            }
            try db.execute(sql: "CREATE TABLE doc (a TEXT)")
            let message = "a temporary full-text table cannot be synchronized: create ft without .temporary"
            expectError(.SQLITE_MISUSE, message) {
                try db.create(virtualTable: "ft", options: .temporary, using: FTS5()) { t in
                    t.synchronize(withTable: "doc")
                    t.column("a")
                }
            }
            expectError(.SQLITE_MISUSE, message) {
                try db.create(virtualTable: "ft", options: .temporary, using: FTS4()) { t in
                    t.synchronize(withTable: "doc")
                    t.column("a")
                }
            }
            expectEqual(try db.tableExists("ft"), false)
            expectEqual(try triggers(db), [])
        }
    }

    @Test("setting the content by hand undoes the synchronization")
    func content() throws {
        let fts5 = FTS5().makeTableDefinition(configuration: try configuration())
        fts5.synchronize(withTable: "doc")
        #expect(fts5.content == "doc")
        fts5.contentRowID = "id"
        #expect((fts5.content, fts5.contentRowID) == ("doc", "id"))
        fts5.content = nil
        #expect(fts5.content == nil)
        let fts4 = FTS4().makeTableDefinition(configuration: try configuration())
        fts4.synchronize(withTable: "doc")
        #expect(fts4.content == "doc")
        fts4.content = ""
        #expect(fts4.content == "")
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE doc (id INTEGER PRIMARY KEY, a TEXT)")
            try db.create(virtualTable: "ft", using: FTS5()) { t in
                t.synchronize(withTable: "doc")
                t.contentRowID = "id"
                t.column("a")
            }
            expectEqual(try triggers(db), [])
        }
    }

    /// Returns a configuration as SQLite passes it to a module.
    private func configuration() throws -> VirtualTableConfiguration {
        final class Spy: VirtualTableModule {
            let moduleName = "fts5"
            var configuration: VirtualTableConfiguration?
            func makeTableDefinition(configuration: VirtualTableConfiguration) { self.configuration = configuration }
            func moduleArguments(for definition: Void, in db: Database) -> [String] { ["a"] }
            func database(_ db: Database, didCreate tableName: String, using definition: Void) {}
        }
        let spy = Spy()
        try DatabaseQueue().write { db in try db.create(virtualTable: "ft", using: spy) }
        return try #require(spy.configuration)
    }

    @Test("MATCH on the content table is an error")
    func matchOfContentTable() throws {
        try withLibrary { db in
            expectError(.SQLITE_ERROR, "unable to use function MATCH in the requested context") {
                _ = try Book.matching(FTS5Pattern(matchingPhrase: "moby")).fetchAll(db)
            }
        }
    }

    @Test("a record is upserted while triggers index it")
    func upsert() throws {
        try withLibrary { db in
            let book = Book(id: 1, title: "Moby-Dick; or, The Whale", body: "Loomings")
            try book.upsert(db)
            expectEqual(try db.rowIDs(matching: "loomings", in: "bookSearch"), [1])
            expectEqual(try db.rowIDs(matching: "ishmael", in: "bookSearch"), [])
        }
    }

    @Test("observers hear of no table in which FTS5 keeps its index")
    func observation() throws {
        final class Observer: TransactionObserver {
            var tables: Set<String> = []
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
            func databaseDidChange(with event: DatabaseEvent) { tables.insert(event.tableName) }
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT)")
            try db.create(virtualTable: "bookSearch", using: FTS5()) { t in
                t.synchronize(withTable: "book")
                t.column("title")
            }
        }
        let observer = Observer()
        queue.add(transactionObserver: observer)
        try queue.write { db in
            try db.execute(sql: "INSERT INTO book VALUES (1, 'Moby Dick')")
            try FTS5Index("bookSearch").optimize(db)
        }
        #expect(observer.tables == ["book"])
    }

    /// The transaction goes on, and is committed: SQLite can't commit after a rollback to a savepoint that has removed a
    /// virtual table.
    @Test("a failure does no harm to the transaction", arguments: [false, true])
    func failures(isFTS4: Bool) throws {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT); INSERT INTO note VALUES (1, 'a')")
            try db.create(virtualTable: "existing", using: FTS5()) { $0.column("body") }
            try db.execute(sql: "INSERT INTO existing VALUES ('first')")
        }
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO note VALUES (2, 'b'); INSERT INTO existing VALUES ('second')")
            expectError(.SQLITE_ERROR, "no such column: note.headline") {
                if isFTS4 {
                    try db.create(virtualTable: "noteText", using: FTS4()) { t in
                        t.synchronize(withTable: "note")
                        t.column("headline")
                    }
                } else {
                    try db.create(virtualTable: "noteText", using: FTS5()) { t in
                        t.synchronize(withTable: "note")
                        t.column("headline")
                    }
                }
            }
            // The table exists already, and stays. Its columns aren't those of the content table.
            #expect(throws: DatabaseError.self) {
                try db.create(virtualTable: "existing", options: .ifNotExists, using: FTS5()) { t in
                    t.synchronize(withTable: "note")
                    t.column("headline")
                }
            }
            expectError(
                .SQLITE_MISUSE, "a temporary full-text table cannot be synchronized: create temp without .temporary"
            ) {
                try db.create(virtualTable: "temp", options: .temporary, using: FTS5()) { t in
                    t.synchronize(withTable: "note")
                    t.column("body")
                }
            }
        }
        try dbQueue.write { db in
            expectEqual(try Int.fetchAll(db, sql: "SELECT id FROM note"), [1, 2])
            expectEqual(try String.fetchAll(db, sql: "SELECT body FROM existing"), ["first", "second"])
            expectEqual(try Int.fetchAll(db, sql: "SELECT rowid FROM existing WHERE existing MATCH 'second'"), [2])
            expectEqual(try db.tableExists("noteText"), false)
            expectEqual(try String.fetchOne(db, sql: "PRAGMA integrity_check"), "ok")
            try db.create(virtualTable: "noteText", using: FTS5()) { t in
                t.synchronize(withTable: "note")
                t.column("body")
            }
            expectEqual(try Int.fetchAll(db, sql: "SELECT rowid FROM noteText WHERE noteText MATCH 'b'"), [2])
        }
    }

    /// VACUUM may change the rowids of a table without INTEGER PRIMARY KEY.
    @Test("the index after VACUUM", arguments: ["body TEXT", "id INTEGER PRIMARY KEY, body TEXT"])
    func vacuum(columns: String) throws {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE doc (\(columns))")
            try db.create(virtualTable: "docSearch", using: FTS5()) { t in
                t.synchronize(withTable: "doc")
                t.column("body")
            }
            try db.execute(sql: "INSERT INTO doc (body) VALUES ('apple'), ('banana'), ('cherry')")
            try db.execute(sql: "DELETE FROM doc WHERE body = 'apple'")
        }
        try dbQueue.vacuum()
        if columns == "body TEXT" { try dbQueue.write { db in try FTS5Index("docSearch").rebuild(db) } }
        try dbQueue.read { db in
            let sql = "SELECT body FROM docSearch WHERE docSearch MATCH 'banana'"
            let found = try String.fetchAll(db, sql: sql)
            #expect(found == ["banana"])
        }
    }
}
