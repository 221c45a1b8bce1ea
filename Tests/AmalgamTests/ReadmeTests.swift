import Amalgam
import Foundation
import Testing

/// The taste of the API in README.md, so that it compiles and does what it says.
@Suite struct ReadmeTests {
    struct Author: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var name: String

        static let books = hasMany(Book.self)
    }

    struct Book: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var authorId: Int64
        var title: String
        var year: Int
        var tags: [String]

        enum Columns {
            static let year = Column("year")
            static let tags = JSONColumn("tags")
        }

        static let text = hasOne(BookText.self, using: ForeignKey(["rowid"]))
    }

    struct BookText: TableRecord {}

    struct Oeuvre: Decodable, FetchableRecord {
        var author: Author
        var books: [Book]
    }

    @Test func taste() async throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        var config = Configuration()
        config.audit("book")
        let dbPool = try DatabasePool(
            path: folder.appendingPathComponent("library.sqlite").path, configuration: config)

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
                t.column("tags", .jsonText).notNull()
            }
            try db.create(virtualTable: "bookText", using: FTS5()) { t in
                t.synchronize(withTable: "book")
                t.column("title")
            }
            try Author(id: 1, name: "Herman Melville").insert(db)
            try Book(id: 1, authorId: 1, title: "Moby-Dick", year: 1852, tags: ["sea", "whale"]).insert(db)
        }

        let oeuvres = try await dbPool.read { db in
            let old = Author.books.filter { $0.year < 1900 }.order(\.year)
            return try Author.including(all: old).asRequest(of: Oeuvre.self).fetchAll(db)
        }
        #expect(oeuvres.map(\.author.name) == ["Herman Melville"])
        #expect(oeuvres.map { $0.books.map(\.title) } == [["Moby-Dick"]])

        let found = try await dbPool.read { db in
            let syntax = SearchBoxSyntax(matchesPrefixOfLastWord: true)
            return
                try Book
                .joining(required: Book.text.matching(searchBox: "moby -jaws di", syntax: syntax))
                .filter { $0.tags.each.contains("whale") }
                .fetchAll(db)
        }
        #expect(found.map(\.title) == ["Moby-Dick"])

        let years = ValueObservation.tracking { db in
            try Book.select({ $0.year }, as: Int.self).fetchAll(db)
        }
        var seen: [[Int]] = []
        for try await value in years.values(in: dbPool) {
            seen.append(value)
            if value == [1851] { break }
            try await dbPool.write { db in
                try db.auditing(as: "user:42", reason: "first edition") {
                    try db.execute(sql: "UPDATE book SET year = 1851 WHERE id = 1")
                }
            }
        }
        #expect(seen == [[1852], [1851]])

        let history = try await dbPool.read { db in try AuditLog.history(of: "book", key: 1).fetchAll(db) }
        #expect(history.map { "\($0)" }.contains("UPDATE book 1 (year: 1852 -> 1851) by user:42"))
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
