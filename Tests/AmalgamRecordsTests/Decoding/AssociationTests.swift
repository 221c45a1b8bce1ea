#if Macros || !MACRO_RECORDS
import Amalgam
import TestSupport
import Testing

#if MACRO_RECORDS
@Record
#endif
private struct Author: StoredRecord, Hashable {
    static let books = hasMany(Book.self)
    var id: Int64
    var name: String
}

#if MACRO_RECORDS
@Record
#endif
private struct Book: StoredRecord, Hashable {
    static let author = belongsTo(Author.self)
    var id: Int64
    var authorId: Int64?
    var title: String
}

#if MACRO_RECORDS
@Selection
#endif
private struct BookInfo: FetchedRecord, Equatable {
    var book: Book
    var author: Author?
}

#if MACRO_RECORDS
@Selection
#endif
private struct AuthorInfo: FetchedRecord, Equatable {
    var author: Author
    var books: [Book]
}

#if MACRO_RECORDS
@Selection
#endif
private struct NamedBooks: FetchedRecord, Hashable {
    var name: String
    var books: Set<Book>?
}

#if MACRO_RECORDS
@Selection
#endif
private struct BookTitles: FetchedRecord {
    struct Title: Decodable { var title: String }
    var books: ContiguousArray<Title>
}

#if MACRO_RECORDS
@Selection
#endif
private struct BookIDs: FetchedRecord {
    var books: [Int64]
}

#if MACRO_RECORDS
@Selection
#endif
private struct AuthorPart: FetchedPart, Equatable {
    var name: String
    var books: [Book]
}

#if MACRO_RECORDS
@Selection
#endif
private struct TitleInfo: FetchedRecord, Equatable {
    var title: String
    var author: AuthorPart?
}

/// A record that retains its row.
private struct Keeper: FetchedRecord {
    let row: Row
    let book: Book
    init(row: Row) throws { (self.row, book) = (row, try Book(row: row)) }
    init(from decoder: any Decoder) throws { throw CancellationError() }
}

#if MACRO_RECORDS
@Selection
#endif
private struct KeptBooks: FetchedRecord {
    var books: [Keeper]
}

/// A record that can't be decoded from some rows.
private struct Picky: FetchedRecord, Equatable {
    var title: String
    init(row: Row) throws {
        title = row["title"]
        if title == "Typee" { throw CancellationError() }
    }
}

#if MACRO_RECORDS
@Selection
#endif
private struct PickyBooks: FetchedRecord {
    var books: [Picky]
}

/// Records of requests that include associations.
struct AssociationTests {
    private func withLibrary(_ test: (Database) throws -> Void) throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
                    CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, title TEXT);
                    INSERT INTO author VALUES (1, 'Melville'), (2, 'Carroll'), (3, 'Nobody');
                    INSERT INTO book VALUES (1, 1, 'Moby-Dick'), (2, 1, 'Typee'), (3, 2, 'Alice'), (4, NULL, 'Beowulf');
                    """)
            try test(db)
        }
    }

    private let books = [
        [Book(id: 1, authorId: 1, title: "Moby-Dick"), Book(id: 2, authorId: 1, title: "Typee")],
        [Book(id: 3, authorId: 2, title: "Alice")], [],
    ]

    @Test func decodesToOne() throws {
        struct Manual: FetchableRecord, Equatable {
            var book: Book
            var author: Author?
            init(row: Row) throws { (book, author) = (try Book(row: row), row["author"]) }
        }
        try withLibrary { db in
            let request = Book.including(optional: Book.author).orderByPrimaryKey()
            let infos = try request.asRequest(of: BookInfo.self).fetchAll(db)
            #expect(infos.map(\.author?.name) == ["Melville", "Melville", "Carroll", nil])
            #expect(infos.map(\.book.title) == ["Moby-Dick", "Typee", "Alice", "Beowulf"])
            let manual = try Manual.fetchAll(db, request)
            #expect(manual.map(\.author) == infos.map(\.author))
            expectEqual(try Array(BookInfo.fetchCursor(db, request)), infos)
        }
    }

    @Test func decodesToMany() throws {
        struct Manual: FetchableRecord {
            var books: [Book]
            var set: Set<Book>
            init(row: Row) throws { (books, set) = (row["books"], row["books"]) }
        }
        try withLibrary { db in
            let request = Author.including(all: Author.books.orderByPrimaryKey()).orderByPrimaryKey()
            expectEqual(try AuthorInfo.fetchAll(db, request).map(\.books), books)
            expectEqual(try AuthorInfo.fetchOne(db, request)?.books, books[0])
            expectEqual(try NamedBooks.fetchAll(db, request).map(\.books), books.map(Set.init))
            expectEqual(try NamedBooks.fetchSet(db, request).count, 3)
            expectEqual(try NamedBooks.fetchAll(db, Author.orderByPrimaryKey()).map(\.books), [nil, nil, nil])
            expectEqual(
                try BookTitles.fetchAll(db, request).map { $0.books.map(\.title) }, books.map { $0.map(\.title) })
            expectEqual(try BookIDs.fetchAll(db, request).map(\.books), books.map { $0.map(\.id) })
            let manual = try Manual.fetchAll(db, request)
            #expect(manual.map(\.books) == books)
            #expect(manual.map(\.set) == books.map(Set.init))
            expectThrows(
                RowDecodingError.self,
                "key not found: \"prizes\". Available keys for prefetched rows: [books] - row: [id:1 name:\"Melville\"]"
            ) {
                let row = try #require(try Row.fetchOne(db, request))
                _ = try row.decode([Book].self, forKey: "prizes")
            }
            expectThrows(
                RowDecodingError.self, "key not found: \"books\". No available prefetched rows - row: [a:1]"
            ) { _ = try Row(["a": 1]).decode([Book].self, forKey: "books") }
        }
    }

    @Test func decodesToManyOfToOne() throws {
        try withLibrary { db in
            let request = Book.including(optional: Book.author.including(all: Author.books.orderByPrimaryKey()))
                .orderByPrimaryKey()
            let infos = try TitleInfo.fetchAll(db, request)
            #expect(infos.map(\.author?.books) == [books[0], books[0], books[1], nil])
        }
    }

    /// One row object serves for all rows of an association, except for those that are retained.
    @Test func keepsRowsOfAssociations() throws {
        var keepers: [[Keeper]] = []
        try withLibrary { db in
            let request = Author.including(all: Author.books.orderByPrimaryKey()).orderByPrimaryKey()
            keepers = try request.asRequest(of: KeptBooks.self).fetchAll(db).map(\.books)
            let rows = try Row.fetchAll(db, request)
            keepers += try rows.map { try $0.decode([Keeper].self, forKey: "books") }
        }
        #expect(keepers.map { $0.map(\.book) } == books + books)
        #expect(keepers.map { $0.map { $0.row["title"] } } == (books + books).map { $0.map(\.title) })
        for keeper in keepers.joined() {
            let again = try Book(row: keeper.row)
            #expect(again == keeper.book)
        }
    }

    /// An error in the middle of a list has no effect on later decoding, and leaves the rows unchanged.
    @Test func throwsErrorsOfAssociations() throws {
        try withLibrary { db in
            let request = Author.including(all: Author.books.orderByPrimaryKey()).orderByPrimaryKey()
            for _ in 1...2 {
                #expect(throws: CancellationError.self) { try request.asRequest(of: PickyBooks.self).fetchAll(db) }
            }
            let row = try #require(try Row.fetchOne(db, request))
            #expect(throws: CancellationError.self) { try row.decode([Picky].self, forKey: "books") }
            let decoded = try row.decode([Book].self, forKey: "books")
            #expect(decoded == books[0])
        }
    }
}
#endif
