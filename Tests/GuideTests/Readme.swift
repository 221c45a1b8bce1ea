import Amalgam
import Foundation
import Testing

@Suite("README.md")
struct Readme {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("Four steps")
    func steps() async throws {
        let path = folder.path("library.sqlite")
        // guide: steps
        struct Book: Codable, FetchableRecord, PersistableRecord {
            var id: Int64
            var title: String
            var year: Int
            enum Columns { static let year = Column("year") }
        }

        let dbPool = try DatabasePool(path: path)

        try await dbPool.write { db in
            try db.create(table: "book") { t in
                t.primaryKey("id", .integer)
                t.column("title", .text).notNull()
                t.column("year", .integer).notNull()
            }
            try Book(id: 1, title: "Moby-Dick", year: 1851).insert(db)
        }

        let old = try await dbPool.read { db in try Book.filter { $0.year < 1900 }.fetchAll(db) }
        print(old[0].title)  // Moby-Dick
        // end
        #expect(old.map(\.title) == ["Moby-Dick"])
    }

}

@Suite("The sections of README.md")
struct ReadmeSections {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("Associations, JSON, full text, sandbox, observation and audit")
    func sections() async throws {
        let sql = ShownSQL()
        var config = sql.configuration
        config.audit("book")
        let dbPool = try DatabasePool(path: folder.path("library.sqlite"), configuration: config)
        try await dbPool.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
                    CREATE TABLE book (
                      id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author(id), title TEXT, year INTEGER, tags TEXT);
                    INSERT INTO author VALUES (1, 'Melville');
                    INSERT INTO book VALUES (1, 1, 'Moby-Dick', 1852, '["sea","whale"]');
                    """)
            try db.create(virtualTable: "bookText", using: FTS5()) { t in
                t.synchronize(withTable: "book")
                t.column("title")
            }
        }
        try await dbPool.read { db in
            // guide: associations
            let infos = try Author.including(all: Author.books).asRequest(of: AuthorInfo.self).fetchAll(db)
            // SELECT * FROM "author"
            // SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" = 1
            // end
            #expect(infos.map(\.books.count) == [1])
            try sql.expect("associations")
            // guide: json
            let whales = try Book.filter { $0.tags.each.contains("whale") }.fetchAll(db)
            // SELECT * FROM "book" WHERE 'whale' IN (SELECT "value" FROM json_each("book"."tags"))
            // end
            #expect(whales.count == 1)
            try sql.expect("json")
            // guide: search
            let syntax = SearchBoxSyntax(matchesPrefixOfLastWord: true)
            let matches = Book.text.matching(searchBox: "moby -jaws di", syntax: syntax)
            let found = try Book.joining(required: matches).fetchAll(db)
            // end
            #expect(found.map(\.title) == ["Moby-Dick"])
            // guide: sandbox
            let rows = try db.sandboxed(.readOnly(tables: ["book"])) {
                try Row.fetchAll(db, sql: "SELECT title FROM book")  // other tables: SQLITE_AUTH
            }
            // end
            #expect(rows == [["title": "Moby-Dick"]])
            let error = #expect(throws: DatabaseError.self) {
                try db.sandboxed(.readOnly(tables: ["book"])) { try Row.fetchAll(db, sql: "SELECT * FROM author") }
            }
            #expect(error?.resultCode == .SQLITE_AUTH)
        }
        // guide: observation
        let years = ValueObservation.tracking { db in try Book.select({ $0.year }, as: Int.self).fetchAll(db) }
        for try await value in years.values(in: dbPool) {
            print(value)  // [1852], then [1851] when the book is corrected
            // end
            if value == [1851] { break }
            try await correct(dbPool)
            // guide: observation
        }
        // end
    }

    private func correct(_ dbPool: DatabasePool) async throws {
        // guide: audit
        try await dbPool.write { db in
            try db.auditing(as: "user:42", reason: "first edition") {
                try db.execute(sql: "UPDATE book SET year = 1851 WHERE id = 1")
            }
        }
        let history = try await dbPool.read { db in try AuditLog.history(of: "book", key: 1).fetchAll(db) }
        print(history.last!)  // UPDATE book 1 (year: 1852 -> 1851) by user:42
        // end
        #expect("\(history.last!)" == "UPDATE book 1 (year: 1852 -> 1851) by user:42")
    }

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

    struct AuthorInfo: Decodable, FetchableRecord {
        var author: Author
        var books: [Book]
    }
}
