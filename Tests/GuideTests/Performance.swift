import Amalgam
import Foundation
import Testing

@Suite("Guide: Performance")
struct Performance {
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

        enum Columns {
            static let title = Column(CodingKeys.title)
        }
    }

    struct AuthorInfo: Decodable, FetchableRecord {
        var author: Author
        var books: [Book]
    }
    // end

    let dbQueue: DatabaseQueue

    init() throws {
        // guide: tables
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
                    CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author(id), title TEXT);
                    INSERT INTO author VALUES (1, 'Melville'), (2, 'Austen');
                    INSERT INTO book VALUES (1, 1, 'Moby-Dick'), (2, 2, 'Emma');
                    """)
        }
        // end
        self.dbQueue = dbQueue
    }

    @Test("One transaction, one statement")
    func inserting() throws {
        // guide: insert
        let titles = ["Persuasion", "Typee"]
        try dbQueue.write { db in  // one transaction: one wait for the disk
            let statement = try db.makeStatement(sql: "INSERT INTO book (authorId, title) VALUES (?, ?)")
            for title in titles {
                try statement.execute(values: 1, title)
            }
        }
        // end
        #expect(try dbQueue.read { try Book.fetchCount($0) } == 4)
    }

    @Test("No statement per row")
    func associations() throws {
        let infos = try dbQueue.read { db in
            // guide: slow
            // 1 + N statements:
            let authors = try Author.fetchAll(db)
            let slow = try authors.map { author in
                AuthorInfo(author: author, books: try author.request(for: Author.books).fetchAll(db))
            }
            // end
            #expect(slow.count == 2)
            // guide: fast
            // Two statements:
            let infos = try Author.including(all: Author.books).asRequest(of: AuthorInfo.self).fetchAll(db)
            // end
            return infos
        }
        #expect(infos.map(\.books.count) == [1, 1])
    }

    @Test("Only what is needed")
    func columns() throws {
        try dbQueue.read { db in
            // guide: columns
            let titles = try Book.select({ $0.title }, as: String.self).fetchAll(db)
            let page = try Book.order(\.title).limit(20, offset: 40).fetchAll(db)
            let count = try Book.fetchCount(db)  // not fetchAll(db).count
            // end
            #expect(titles.count == 2 && page.isEmpty && count == 2)
        }
    }

    @Test("Does a request use an index?")
    func plan() throws {
        try dbQueue.write { db in
            // guide: plan
            let statement = try db.makeStatement(sql: "SELECT * FROM book WHERE authorId = ?")
            print(try statement.queryPlan())  // SCAN book
            try db.create(index: "book_on_authorId", on: "book", columns: ["authorId"])
            print(try db.queryPlan(sql: "SELECT * FROM book WHERE authorId = 1"))
            // SEARCH book USING INDEX book_on_authorId (authorId=?)
            // end
            #expect(
                "\(try db.queryPlan(sql: "SELECT * FROM book WHERE authorId = 1"))".contains(
                    "USING INDEX book_on_authorId"))
        }
    }
}
