import Amalgam
import TestSupport
import Testing

private struct Author: TableRecord {
    static let books = hasMany(Book.self)
    static let tags = hasMany(Tag.self, through: books, using: Book.tags)
}

private struct Book: TableRecord {
    static let tags = hasMany(Tag.self)
}

private struct Tag: TableRecord {}

@Suite("An aggregate without groups is computed for each row of the request")
struct PrefetchGroupTests {
    private func withLibrary(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE author (id INTEGER PRIMARY KEY);
                    CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, year INTEGER);
                    CREATE TABLE tag (id INTEGER PRIMARY KEY, bookId INTEGER REFERENCES book);
                    INSERT INTO author VALUES (1), (2), (3);
                    INSERT INTO book VALUES (1, 1, 1999), (2, 1, 2003), (3, 2, 2001);
                    INSERT INTO tag VALUES (1, 1), (2, 2), (3, 2), (4, 3);
                    """)
            try body(db)
        }
    }

    @Test("a count, and no row where there is nothing to count")
    func counts() throws {
        try withLibrary { db in
            try expectQuery(db, Author.including(all: Author.books.select(count().forKey("count")))) {
                """
                SELECT * FROM "author"
                SELECT COUNT(*) AS "count", "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3) \
                GROUP BY "authorId"
                """
            } rows: {
                """
                1
                  books: 2|1
                2
                  books: 1|2
                3
                  books:
                """
            }
        }
    }

    @Test("through another table")
    func through() throws {
        try withLibrary { db in
            try expectQuery(db, Author.including(all: Author.tags.select(count().forKey("count")))) {
                """
                SELECT * FROM "author"
                SELECT COUNT(*) AS "count", "book"."authorId" AS "grdb_authorId" FROM "tag" \
                JOIN "book" ON ("book"."id" = "tag"."bookId") AND ("book"."authorId" IN (1, 2, 3)) \
                GROUP BY "book"."authorId"
                """
            } rows: {
                """
                1
                  tags: 3|1
                2
                  tags: 1|2
                3
                  tags:
                """
            }
        }
    }

    @Test("an expression of an aggregate and a column, a HAVING clause, an aggregate of a joined table")
    func expressions() throws {
        try withLibrary { db in
            func values(_ association: HasManyAssociation<Author, Book>) throws -> [[DatabaseValue]?] {
                let rows = try Row.fetchAll(db, Author.including(all: association.forKey("books")))
                return rows.map { $0.prefetchedRows["books"]?.map { $0[0] } }
            }
            let (id, year) = (Column("id"), Column("year"))
            let span = try values(Author.books.select(max(year) - min(year) + Column("authorId")))
            #expect(span == [[5.databaseValue], [2.databaseValue], []])
            let several = try values(Author.books.select(max(year)).having(count(id) > 1))
            #expect(several == [[2003.databaseValue], [], []])
            let tags = Book.tags.select(count().forKey("count"))
            let joined = try Row.fetchAll(db, Author.including(all: Author.books.including(required: tags)))
            let counts = joined.map { $0.prefetchedRows["books"]?.map { $0.scopes["tag"]?["count"] as Int? } }
            #expect(counts == [[3], [1], []])
        }
    }

    @Test("aggregates with a window, or of a subquery, make no groups")
    func otherAggregates() throws {
        try withLibrary { db in
            let year = Column("year")
            for selection in [
                max(year).over().sqlSelection, (max(year).over() + 1).sqlSelection,
                Book.select(max(year)).sqlExpression.sqlSelection,
                (Book.select(max(year)).sqlExpression + 1).sqlSelection,
            ] {
                let request = Author.including(all: Author.books.select(selection))
                let rows = try Row.fetchAll(db, request)
                #expect(rows.map { $0.prefetchedRows["books"]?.count } == [2, 1, 0])
            }
        }
    }
}
