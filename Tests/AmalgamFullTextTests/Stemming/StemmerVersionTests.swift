import Amalgam
import Foundation
import TestSupport
import Testing

@Suite("Indexes of another version of the stemmers")
struct StemmerVersionTests {
    private static let reason =
        "the full-text index has the stems of Snowball 3.1.1, and this SQLite has Snowball 2.2.0: rebuild the index with "
        + "FTS5Index.rebuild(_:)"

    /// A table of books whose index claims to be of another version.
    private func withOutdatedIndex(
        _ configuration: Configuration = Configuration(), _ test: (Database) throws -> Void
    ) throws {
        try DatabaseQueue(configuration: configuration).write { db in
            try withOutdatedIndex(on: db)
            try test(db)
        }
    }

    private func withOutdatedIndex(on db: Database) throws {
        try db.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT)")
        try db.create(virtualTable: "bookSearch", using: FTS5()) { t in
            t.tokenizer = FTS5TokenizerDescriptor(components: ["snowball", "english", "3.1.1", "stop_words", "1"])
            t.synchronize(withTable: "book")
            t.column("title")
        }
    }

    private func expectOutdated(sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void) {
        expectFailure(.SQLITE_ERROR, Self.reason, sourceLocation: sourceLocation, body)
    }

    @Test("searches and changes throw an error that tells what to do")
    func errors() throws {
        try withOutdatedIndex { db in
            expectOutdated { try db.execute(sql: "INSERT INTO book VALUES (1, 'The running cats')") }
            expectOutdated { _ = try Row.fetchAll(db, sql: "SELECT * FROM bookSearch('cat')") }
            expectOutdated { _ = try BookSearch.matching(FTS5Query(searchBox: "cat")).fetchCount(db) }
            let query: FTS5Query = ("cat" || "dog") && "house"
            expectOutdated { _ = try query.pattern(db, forTable: "bookSearch") }
            try db.execute(sql: "DROP TRIGGER __bookSearch_ai; INSERT INTO book VALUES (1, 'The running cats')")
            expectOutdated { try db.execute(sql: "INSERT INTO bookSearch(bookSearch) VALUES ('rebuild')") }
            expectEqual(try String.fetchAll(db, sql: "SELECT title FROM bookSearch"), ["The running cats"])
            try db.drop(table: "bookSearch")
        }
    }

    @Test("rebuild updates the version and the index")
    func rebuild() throws {
        try withOutdatedIndex { db in
            try db.execute(sql: "DROP TRIGGER __bookSearch_ai; INSERT INTO book VALUES (1, 'The running cats')")
            try FTS5Index("BOOKSEARCH").rebuild(db)
            expectEqual(try Int.fetchAll(db, sql: "SELECT rowid FROM bookSearch('runs cat')"), [1])
            expectEqual(
                try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = 'bookSearch'"),
                "CREATE VIRTUAL TABLE \"bookSearch\" USING fts5(title, tokenize='''snowball'' ''english'' ''2.2.0'' "
                    + "''stop_words'' ''1''', content='book', content_rowid='id')")
            try FTS5Index("bookSearch").checkIntegrity(db)
            expectEqual(try String.fetchOne(db, sql: "PRAGMA integrity_check"), "ok")
            expectEqual(try Int.fetchOne(db, sql: "PRAGMA writable_schema"), 0)
            let sql = try db.tracing { try FTS5Index("bookSearch").rebuild(db) }
            #expect(!sql.contains { $0.contains("writable_schema") })
        }
    }

    @Test("a rebuild after writes in the same transaction, and one that is rolled back")
    func transactions() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.create(virtualTable: "note", using: FTS5()) { t in
                t.tokenizer = .snowball(language: .english)
                t.column("body")
            }
            for i in 0..<100 { try db.execute(sql: "INSERT INTO note VALUES (?)", arguments: ["running \(i)"]) }
            try db.execute(
                sql: """
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_master SET sql = replace(sql, '2.2.0', '3.1.1') WHERE name = 'note';
                    PRAGMA writable_schema = RESET;
                    """)
            expectOutdated { try db.execute(sql: "INSERT INTO note VALUES ('walking')") }
            try db.inSavepoint {
                try FTS5Index("note").rebuild(db)
                expectEqual(try Int.fetchOne(db, sql: "SELECT count(*) FROM note('runs')"), 100)
                return .rollback
            }
            expectOutdated { _ = try Row.fetchAll(db, sql: "SELECT * FROM note('runs')") }
            try FTS5Index("note").rebuild(db)
            try db.execute(sql: "INSERT INTO note VALUES ('runs')")
        }
        try queue.read { db in
            expectEqual(try Int.fetchOne(db, sql: "SELECT count(*) FROM note('running')"), 101)
        }
        try queue.write { db in try FTS5Index("note").checkIntegrity(db) }
    }

    @Test("other connections use the rebuilt index")
    func otherConnections() throws {
        try withTemporaryDirectory { url in
            let pool = try DatabasePool(path: url.appendingPathComponent("db").path)
            try pool.write { db in
                try withOutdatedIndex(on: db)
                try db.execute(sql: "DROP TRIGGER __bookSearch_ai; INSERT INTO book VALUES (1, 'The running cats')")
            }
            try pool.read { db in
                expectOutdated { _ = try Row.fetchAll(db, sql: "SELECT * FROM bookSearch('cat')") }
            }
            try pool.write { db in try FTS5Index("bookSearch").rebuild(db) }
            try pool.read { db in expectEqual(try Int.fetchAll(db, sql: "SELECT rowid FROM bookSearch('cat')"), [1]) }
        }
    }

    @Test("a defensive connection refuses the update, and nothing changes")
    func defensive() throws {
        var configuration = Configuration()
        configuration.isDefensive = true
        try withOutdatedIndex(configuration) { db in
            expectCode(.SQLITE_ERROR) { try FTS5Index("bookSearch").rebuild(db) }
            expectOutdated { _ = try Row.fetchAll(db, sql: "SELECT * FROM bookSearch('cat')") }
        }
    }

    @Test("rebuilding a table that doesn't exist, or that isn't a full-text table, throws SQLite's error")
    func otherTables() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE plain (x)")
            expectCode(.SQLITE_ERROR) { try FTS5Index("nothing").rebuild(db) }
            expectCode(.SQLITE_ERROR) { try FTS5Index("plain").rebuild(db) }
        }
    }
}
