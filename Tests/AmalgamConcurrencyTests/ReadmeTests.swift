import Amalgam
import Foundation
import Testing

/// The taste of the API in README.md, so that it compiles and does what it says.
@Suite struct ReadmeTests {
    final class Audit: TransactionObserver {
        var lines: [String] = []

        func observes(eventsOfKind kind: DatabaseEventKind) -> Bool { kind.tableName == "book" }
        func databaseWillChange(with event: DatabasePreUpdateEvent) {
            lines.append("\(event.kind) \(event.initialDatabaseValues ?? []) -> \(event.finalDatabaseValues ?? [])")
        }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }

    struct Author: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var name: String

        static let books = hasMany(Book.self)
    }

    struct Book: Codable, FetchableRecord, PersistableRecord {
        enum Columns {
            static let year = Column("year")
        }

        var id: Int64
        var authorId: Int64
        var title: String
        var year: Int
    }

    struct Oeuvre: Decodable, FetchableRecord {
        var author: Author
        var books: [Book]
    }

    @Test func taste() async throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let dbPool = try DatabasePool(path: folder.appendingPathComponent("library.sqlite").path)

        try await dbPool.write { db in
            try db.create(table: "author") { t in
                t.primaryKey("id", .integer)
                t.column("name", .text).notNull()
            }
            try db.create(table: "book") { t in
                t.primaryKey("id", .integer)
                t.belongsTo("author").notNull()
                t.column("title", .text).notNull()
                t.column("year", .integer)
            }
            try Author(id: 1, name: "Herman Melville").insert(db)
            try Book(id: 1, authorId: 1, title: "Moby-Dick", year: 1851).insert(db)
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE bookText USING fts5(title, content='book', content_rowid='id');
                    INSERT INTO bookText(bookText) VALUES ('rebuild');
                    """)
        }

        let (oeuvres, found) = try await dbPool.read { db in
            let old = Author.books.filter { $0.year < 1900 }.order(\.year)
            let word = "dick"
            let matching: SQLRequest<Book> = """
                SELECT book.* FROM book JOIN bookText ON bookText.rowid = book.id WHERE bookText MATCH \(word) ORDER BY rank
                """
            return try (Author.including(all: old).asRequest(of: Oeuvre.self).fetchAll(db), matching.fetchAll(db))
        }
        #expect(oeuvres.map(\.author.name) == ["Herman Melville"])
        #expect(oeuvres.map { $0.books.map(\.title) } == [["Moby-Dick"]])
        #expect(found.map(\.title) == ["Moby-Dick"])

        let lines = try await dbPool.write { db in
            let audit = Audit()
            db.add(transactionObserver: audit)
            try db.execute(sql: "UPDATE book SET year = 1852")
            return audit.lines
        }
        #expect(lines == [#"update [1, 1, "Moby-Dick", 1851] -> [1, 1, "Moby-Dick", 1852]"#])
    }

    @Test func functionsChangesetsSandboxAndBackup() async throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let dbPool = try DatabasePool(path: folder.appendingPathComponent("library.sqlite").path)
        let copy = folder.appendingPathComponent("copy.sqlite").path

        let (decade, printed) = try await dbPool.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT NOT NULL, year INTEGER);
                    INSERT INTO book VALUES (1, 'Moby Dick', 1851);
                    """)
            db.add(function: DatabaseFunction("decade", pure: true) { (year: Int) in year / 10 * 10 })
            try db.add(
                tableFunction: DatabaseTableFunction("words", arguments: ["text"], columns: ["word"]) { arguments in
                    try (arguments["text"] as String).split(separator: " ").map(String.init)
                })
            let decade = try Int.fetchOne(db, sql: "SELECT decade(year) FROM book")
            try db.apply(db.recordChanges { try db.execute(sql: "UPDATE book SET year = decade(year)") }.inverted())
            let untrusted = "SELECT word, year FROM book, words(title)"
            let rows = try db.sandboxed(.readOnly(tables: ["book", "words"])) { try Row.fetchAll(db, sql: untrusted) }
            return (decade, "\(rows)")
        }
        #expect(decade == 1850)
        #expect(printed == #"[[word:"Moby" year:1851], [word:"Dick" year:1851]]"#)

        try dbPool.backup(to: DatabaseQueue(path: copy))
        let copied = try await DatabaseQueue(path: copy).read { try String.fetchAll($0, sql: "SELECT title FROM book") }
        #expect(copied == ["Moby Dick"])
    }

    private func makeFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("readme-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}
