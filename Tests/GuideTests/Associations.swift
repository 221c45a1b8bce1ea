import Amalgam
import Foundation
import Testing

@Suite("Guide: Associations")
struct Associations {
    // guide: records
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

        static let author = belongsTo(Author.self)

        enum Columns {
            static let title = Column(CodingKeys.title)
            static let year = Column(CodingKeys.year)
        }
    }
    // end

    let sql = ShownSQL()
    let dbQueue: DatabaseQueue

    init() throws {
        // guide: schema
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.create(table: "author") { t in
                t.primaryKey("id", .integer)
                t.column("name", .text).notNull()
            }
            try db.create(table: "book") { t in
                t.primaryKey("id", .integer)
                t.belongsTo("author", onDelete: .cascade).notNull()
                // "authorId" INTEGER NOT NULL REFERENCES "author"("id") ON DELETE CASCADE, with an index
                t.column("title", .text).notNull()
                t.column("year", .integer).notNull()
            }
            try Author(id: 1, name: "Melville").insert(db)
            try Author(id: 2, name: "Austen").insert(db)
            try Book(id: 1, authorId: 1, title: "Moby-Dick", year: 1851).insert(db)
            try Book(id: 2, authorId: 1, title: "Billy Budd", year: 1924).insert(db)
            try Book(id: 3, authorId: 2, title: "Emma", year: 1815).insert(db)
        }
        // end
        self.dbQueue = dbQueue
        sql.follow(dbQueue)
    }

    @Test("To one: the book with its author, by a join")
    func toOne() throws {
        // guide: one
        struct BookInfo: Decodable, FetchableRecord {
            var book: Book
            var author: Author
        }

        let bookInfos = try dbQueue.read { db in
            try Book.including(required: Book.author)
                .order(\.year)
                .asRequest(of: BookInfo.self)
                .fetchAll(db)
        }
        // SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY "book"."year"
        print(bookInfos[0].book.title, bookInfos[0].author.name)  // Emma Austen
        // end
        #expect(bookInfos.map(\.author.name) == ["Austen", "Melville", "Melville"])
        try sql.expect("one")
    }

    @Test("To many: authors with their books, by two statements")
    func toMany() throws {
        // guide: many
        struct AuthorInfo: Decodable, FetchableRecord {
            var author: Author
            var books: [Book]
        }

        let authorInfos = try dbQueue.read { db in
            try Author.including(all: Author.books.order(\.year))
                .asRequest(of: AuthorInfo.self)
                .fetchAll(db)
        }
        // SELECT * FROM "author"
        // SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2) ORDER BY "year"
        print(authorInfos[0].author.name, authorInfos[0].books.map(\.title))  // Melville ["Moby-Dick", "Billy Budd"]
        // end
        #expect(authorInfos.map(\.books.count) == [2, 1])
        try sql.expect("many")
    }

    @Test("Conditions on the other side")
    func joining() throws {
        try dbQueue.read { db in
            // guide: joining
            let old = Author.joining(required: Author.books.filter { $0.year < 1900 })
            let authors = try old.distinct().fetchAll(db)
            // end
            #expect(authors.count == 2)
            // guide: having
            let prolific = try Author.having(Author.books.count > 1).fetchAll(db)
            // end
            #expect(prolific.map(\.name) == ["Melville"])
        }
    }

    @Test("Numbers instead of rows")
    func aggregates() throws {
        // guide: annotated
        struct AuthorCount: Decodable, FetchableRecord {
            var author: Author
            var bookCount: Int
            var maxBookYear: Int?
        }

        let counts = try dbQueue.read { db in
            try Author.annotated(with: Author.books.count, Author.books.max(\.year))
                .asRequest(of: AuthorCount.self)
                .fetchAll(db)
        }
        print(counts[0].author.name, counts[0].bookCount, counts[0].maxBookYear!)  // Melville 2 1924
        // end
        #expect(counts.map(\.bookCount) == [2, 1])
    }

    @Test("From one record")
    func request() throws {
        try dbQueue.read { db in
            // guide: request
            let author = try Author.find(db, key: 1)
            let books = try author.request(for: Author.books).order(\.title).fetchAll(db)
            // SELECT * FROM "book" WHERE "authorId" = 1 ORDER BY "title"
            // end
            #expect(books.map(\.title) == ["Billy Budd", "Moby-Dick"])
            try sql.expect("request")
        }
    }

    @Test("Two associations between the same tables")
    func keys() throws {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT);
                    CREATE TABLE match (
                      id INTEGER PRIMARY KEY, whiteId INTEGER REFERENCES person(id), blackId INTEGER REFERENCES person(id));
                    INSERT INTO person VALUES (1, 'Anna'), (2, 'Bo');
                    INSERT INTO match VALUES (1, 1, 2);
                    """)
        }
        // guide: keys
        struct Person: Codable, FetchableRecord, TableRecord {
            var id: Int64
            var name: String
        }

        struct Match: Codable, FetchableRecord, TableRecord {
            var id: Int64

            static let white = belongsTo(Person.self, key: "white", using: ForeignKey(["whiteId"]))
            static let black = belongsTo(Person.self, key: "black", using: ForeignKey(["blackId"]))
        }

        struct MatchInfo: Decodable, FetchableRecord {
            var match: Match
            var white: Person
            var black: Person
        }
        // end
        let info = try dbQueue.read { db in
            try Match.including(required: Match.white).including(required: Match.black)
                .asRequest(of: MatchInfo.self).fetchOne(db)
        }
        #expect(info?.white.name == "Anna" && info?.black.name == "Bo")
    }
}
