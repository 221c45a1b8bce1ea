#if Macros || !MACRO_RECORDS
import Amalgam
import TestSupport
import Testing

// A library: shelves, books with an author and a translator, prizes, and employees.

#if MACRO_RECORDS
@Record
#endif
private struct Shelf: StoredRecord, Hashable {
    var id: Int64
    var room: String

    static let books = hasMany(Book.self)
    static let prizes = hasMany(Prize.self, through: books, using: Book.prizes)
    static let authors = hasMany(Person.self, through: books, using: Book.author)
}

#if !MACRO_RECORDS
extension Shelf {
    fileprivate enum Columns {
        static let id = Column(CodingKeys.id)
        static let room = Column(CodingKeys.room)
    }
}
#endif

#if MACRO_RECORDS
@Record
#endif
private struct Person: StoredRecord, Hashable {
    var id: Int64
    var name: String
    var countryCode: String?
    var bossId: Int64?

    static let writtenBooks = hasMany(Book.self, key: "writtenBooks", using: Book.authorKey)
    static let translatedBooks = hasMany(Book.self, key: "translatedBooks", using: Book.translatorKey)
    static let boss = belongsTo(Person.self, key: "boss")
    static let staff = hasMany(Person.self, key: "staff")
}

#if !MACRO_RECORDS
extension Person {
    fileprivate enum Columns {
        static let id = Column(CodingKeys.id)
        static let name = Column(CodingKeys.name)
        static let countryCode = Column(CodingKeys.countryCode)
        static let bossId = Column(CodingKeys.bossId)
    }
}
#endif

#if MACRO_RECORDS
@Record
#endif
private struct Book: StoredRecord, Hashable {
    static var databaseSelection: [any SQLSelectable] { [.allColumns] }

    var id: Int64
    var shelfId: Int64?
    var authorId: Int64
    var translatorId: Int64?
    var title: String
    var kind: String
    var year: Int

    static let authorKey = ForeignKey(["authorId"])
    static let translatorKey = ForeignKey([Column("translatorId")])
    static let shelf = belongsTo(Shelf.self)
    static let author = belongsTo(Person.self, key: "author", using: authorKey)
    static let translator = belongsTo(Person.self, key: "translator", using: translatorKey)
    static let prizes = hasMany(Prize.self)
}

#if !MACRO_RECORDS
extension Book {
    fileprivate enum Columns {
        static let id = Column(CodingKeys.id)
        static let title = Column(CodingKeys.title)
        static let kind = Column(CodingKeys.kind)
        static let year = Column(CodingKeys.year)
    }
}
#endif

#if MACRO_RECORDS
@Record
#endif
private struct Prize: StoredRecord, Hashable {
    var bookId: Int64
    var name: String

    static let book = belongsTo(Book.self)
    static let author = hasOne(Person.self, through: book, using: Book.author)
}

extension DerivableRequest<Book> {
    fileprivate func written(in countryCode: String) -> Self {
        joining(required: Book.author.filter { $0.countryCode == countryCode })
    }

    fileprivate func orderedByAuthor() -> Self {
        let author = TableAlias<Person>()
        return joining(required: Book.author.aliased(author)).order { [author[Column("name")], $0.title] }
    }
}

private func withLibrary(_ test: (Database) throws -> Void) throws {
    try DatabaseQueue().write { db in
        try db.create(table: "shelf") { t in
            t.primaryKey("id", .integer)
            t.column("room", .text).notNull()
        }
        try db.create(table: "person") { t in
            t.primaryKey("id", .integer)
            t.column("name", .text).notNull()
            t.column("countryCode", .text)
            t.belongsTo("boss", inTable: "person")
        }
        try db.create(table: "book") { t in
            t.primaryKey("id", .integer)
            t.belongsTo("shelf")
            t.belongsTo("author", inTable: "person").notNull()
            t.belongsTo("translator", inTable: "person")
            t.column("title", .text).notNull()
            t.column("kind", .text).notNull()
            t.column("year", .integer).notNull()
        }
        try db.create(table: "prize") { t in
            t.belongsTo("book").notNull()
            t.column("name", .text).notNull()
        }
        try db.execute(
            sql: """
                INSERT INTO shelf VALUES (1, 'east'), (2, 'west'), (3, 'north');
                INSERT INTO person VALUES (1, 'Woolf', 'GB', NULL), (2, 'Proust', 'FR', 1), (3, 'Eliot', 'GB', 1);
                INSERT INTO book VALUES
                  (1, 1, 1, 2, 'Orlando', 'novel', 1928), (2, 1, 2, 3, 'Swann', 'novel', 1913),
                  (3, 2, 3, NULL, 'Waste Land', 'poem', 1922), (4, NULL, 3, NULL, 'Quartets', 'poem', 1943);
                INSERT INTO prize VALUES (1, 'Femina'), (4, 'Nobel'), (2, 'Goncourt');
                """)
        try test(db)
    }
}

@Suite("Guide: associations")
struct AssociationGuideTests {
    #if MACRO_RECORDS
    @Selection
    #endif
    fileprivate struct Credits: FetchedRecord {
        var book: Book
        var author: Person
        var translator: Person?
    }

    @Test("two foreign keys to one table: two associations, and two properties")
    func twoForeignKeys() throws {
        try withLibrary { db in
            let credits = try Book.including(required: Book.author).including(optional: Book.translator)
                .order(\.id).asRequest(of: Credits.self).fetchAll(db)
            #expect(credits.map(\.author.name) == ["Woolf", "Proust", "Eliot", "Eliot"])
            #expect(credits.map(\.translator?.name) == ["Proust", "Eliot", nil, nil])
            let eliot = try Person.find(db, key: 3)
            let written = try eliot.request(for: Person.writtenBooks).order(\.id).fetchAll(db)
            let translated = try eliot.request(for: Person.translatedBooks).fetchAll(db)
            #expect(written.map(\.id) == [3, 4] && translated.map(\.id) == [2])
        }
    }

    #if MACRO_RECORDS
    @Selection
    #endif
    fileprivate struct Employee: FetchedRecord {
        var person: Person
        var boss: Person?
        var staff: [Person]
    }

    @Test("a table that refers to itself")
    func selfJoins() throws {
        try withLibrary { db in
            let employees = try Person.including(optional: Person.boss)
                .including(all: Person.staff.order(\.name))
                .order(\.id).asRequest(of: Employee.self).fetchAll(db)
            #expect(employees.map(\.boss?.name) == [nil, "Woolf", "Woolf"])
            #expect(employees.map { $0.staff.map(\.name) } == [["Eliot", "Proust"], [], []])
        }
    }

    @Test("requests that join what they need are put together, in one join")
    func fluentRequests() throws {
        try withLibrary { db in
            try expectQuery(db, Book.all().written(in: "GB").orderedByAuthor()) {
                """
                SELECT "book".* FROM "book" JOIN "person" ON ("person"."id" = "book"."authorId") \
                AND ("person"."countryCode" = 'GB') ORDER BY "person"."name", "book"."title"
                """
            } rows: {
                """
                4|NULL|3|NULL|Quartets|poem|1943
                3|2|3|NULL|Waste Land|poem|1922
                1|1|1|2|Orlando|novel|1928
                """
            }
            let shelves = try Shelf.joining(required: Shelf.books.written(in: "FR")).fetchAll(db)
            #expect(shelves.map(\.room) == ["east"])
        }
    }

    @Test("rows with, and without, an associated row")
    func existence() throws {
        try withLibrary { db in
            let shelved = try Book.joining(required: Book.shelf).fetchCount(db)
            #expect(shelved == 3)
            let shelf = TableAlias<Shelf>()
            let others = try Book.joining(optional: Book.shelf.aliased(shelf)).filter(!shelf.exists).fetchAll(db)
            #expect(others.map(\.title) == ["Quartets"])
            let empty = try Shelf.having(Shelf.books.isEmpty).fetchAll(db)
            #expect(empty.map(\.room) == ["north"])
        }
    }

    @Test("conditions on both tables need an alias")
    func aliases() throws {
        try withLibrary { db in
            let translator = TableAlias<Person>()
            let request = Book.joining(required: Book.translator.aliased(translator))
                .filter { $0.year > 1920 && translator[Column("countryCode")] == "FR" }
            let titles = try request.fetchAll(db).map(\.title)
            #expect(titles == ["Orlando"])
            let named = Book.aliased(TableAlias(name: "b")).joining(
                required: Book.author.aliased(TableAlias(name: "a"))
            )
            .filter(sql: "b.year > 1920 AND a.name = 'Eliot'").order(sql: "b.id")
            let ids = try named.fetchAll(db).map(\.id)
            #expect(ids == [3, 4])
        }
    }

    #if MACRO_RECORDS
    @Selection
    #endif
    fileprivate struct AnnotatedBook: FetchedRecord {
        var book: Book
        var authorName: String
        var room: String?
        var prizeCount: Int
    }

    @Test("columns of another table, as properties of the record")
    func annotations() throws {
        try withLibrary { db in
            let infos =
                try Book
                .annotated(withRequired: Book.author.select { $0.name.forKey("authorName") })
                .annotated(withOptional: Book.shelf.select(\.room))
                .annotated(with: Book.prizes.count)
                .order(\.id)
                .asRequest(of: AnnotatedBook.self)
                .fetchAll(db)
            #expect(infos.map(\.authorName) == ["Woolf", "Proust", "Eliot", "Eliot"])
            #expect(infos.map(\.room) == ["east", "east", "west", nil])
            #expect(infos.map(\.prizeCount) == [1, 1, 0, 1])
        }
    }

    #if MACRO_RECORDS
    @Selection
    #endif
    fileprivate struct ShelfBooks: FetchedRecord {
        var shelf: Shelf
        var novels: Set<Book>
        var poems: [Book]
        var titles: [String]
        var kinds: Set<String>
    }

    @Test("one association twice, with two names; one column of it; distinct values")
    func prefetchedParts() throws {
        try withLibrary { db in
            let infos =
                try Shelf
                .including(all: Shelf.books.filter { $0.kind == "novel" }.forKey("novels"))
                .including(all: Shelf.books.filter { $0.kind == "poem" }.forKey("poems"))
                .including(all: Shelf.books.select(\.title).order(\.title.desc).forKey("titles"))
                .including(all: Shelf.books.select(\.kind).distinct().forKey("kinds"))
                .order(\.id)
                .asRequest(of: ShelfBooks.self)
                .fetchAll(db)
            #expect(infos.map { Set($0.novels.map(\.id)) } == [[1, 2], [], []])
            #expect(infos.map { $0.poems.map(\.id) } == [[], [3], []])
            #expect(infos.map(\.titles) == [["Swann", "Orlando"], ["Waste Land"], []])
            #expect(infos.map(\.kinds) == [["novel"], ["poem"], []])
        }
    }

    #if MACRO_RECORDS
    @Selection
    #endif
    fileprivate struct ShelfPrizes: FetchedRecord {
        var shelf: Shelf
        var prizes: [Prize]
        var authors: [Person]
    }

    @Test("by way of another table, and of associations that have no name")
    func throughOthers() throws {
        try withLibrary { db in
            let infos = try Shelf.including(all: Shelf.prizes)
                .including(all: Shelf.authors.order(\.name).forKey("authors"))
                .order(\.id).asRequest(of: ShelfPrizes.self).fetchAll(db)
            #expect(infos.map { Set($0.prizes.map(\.name)) } == [["Femina", "Goncourt"], [], []])
            #expect(infos.map { $0.authors.map(\.name) } == [["Proust", "Woolf"], ["Eliot"], []])
            let nobel = Prize.including(required: Prize.author).filter(Column("name") == "Nobel")
            let author = try Row.fetchOne(db, nobel)?.scopesTree["author"]?["name"] as String?
            #expect(author == "Eliot")
            let inline = Shelf.hasMany(Prize.self, through: Shelf.hasMany(Book.self), using: Book.hasMany(Prize.self))
            let count = try Shelf.joining(required: inline).fetchCount(db)
            #expect(count == 2)
        }
    }

    #if MACRO_RECORDS
    @Selection
    #endif
    fileprivate struct Graph: FetchedRecord {
        #if MACRO_RECORDS
        @Selection
        #endif
        fileprivate struct BookInfo: FetchedRecord {
            #if MACRO_RECORDS
            @Selection
            #endif
            fileprivate struct AuthorInfo: FetchedPart {
                var person: Person?
                var name: String
                var boss: Person?
            }

            var book: Book
            var author: AuthorInfo
            var prizes: [Prize]
        }

        var shelf: Shelf
        var books: [BookInfo]
    }

    @Test("graphs of any depth, in one request")
    func graphs() throws {
        try withLibrary { db in
            let books = Shelf.books
                .including(required: Book.author.including(optional: Person.boss))
                .including(all: Book.prizes)
                .order(\.id)
            let graphs = try Shelf.including(all: books).order(\.id).asRequest(of: Graph.self).fetchAll(db)
            let swann = graphs[0].books[1]
            #expect(swann.book.title == "Swann" && swann.author.name == "Proust")
            #expect(swann.author.boss?.name == "Woolf")
            #expect(swann.prizes.map(\.name) == ["Goncourt"])
            #expect(graphs.map(\.books.count) == [2, 1, 0])
        }
    }

    @Test("a record that takes its parts from the row by hand")
    func handWritten() throws {
        struct BookInfo: FetchableRecord {
            var book: Book
            var author: Person
            var shelf: Shelf?
            var prizes: [Prize]

            init(row: Row) throws {
                book = try Book(row: row)
                author = row["author"]
                shelf = row["shelf"]
                prizes = row["prizes"]
            }
        }
        try withLibrary { db in
            let request = Book.including(required: Book.author).including(optional: Book.shelf).including(
                all: Book.prizes
            )
            .order(\.id)
            let infos = try BookInfo.fetchAll(db, request)
            #expect(infos.map(\.author.name) == ["Woolf", "Proust", "Eliot", "Eliot"])
            #expect(infos.map(\.shelf?.id) == [1, 1, 2, nil])
            #expect(infos.map { $0.prizes.map(\.name) } == [["Femina"], ["Goncourt"], [], ["Nobel"]])
        }
    }

    #if MACRO_RECORDS
    @Selection
    #endif
    fileprivate struct ShelfCounts: FetchedRecord {
        var shelf: Shelf
        var bookCount: Int
        var minBookYear: Int?
        var latest: Int?
        var novelCount: Int
    }

    @Test("aggregates: of what is there, under names of their own, as conditions")
    func aggregates() throws {
        try withLibrary { db in
            let infos =
                try Shelf
                .annotated(with: Shelf.books.count, Shelf.books.min(\.year), Shelf.books.max(\.year).forKey("latest"))
                .annotated(with: Shelf.books.filter { $0.kind == "novel" }.forKey("novel").count)
                .order(\.id)
                .asRequest(of: ShelfCounts.self)
                .fetchAll(db)
            #expect(infos.map(\.bookCount) == [2, 1, 0])
            #expect(infos.map(\.minBookYear) == [1913, 1922, nil])
            #expect(infos.map(\.latest) == [1928, 1922, nil])
            #expect(infos.map(\.novelCount) == [2, 0, 0])
            let large = try Shelf.having(Shelf.books.count >= 2 && Shelf.books.max(\.year) > 1920).fetchAll(db)
            #expect(large.map(\.room) == ["east"])
        }
    }
}
#endif
