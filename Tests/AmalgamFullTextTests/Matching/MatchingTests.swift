import Amalgam
import TestSupport
import Testing

@Suite("Requests of rows that match")
struct MatchingTests {
    private let pattern = FTS5Pattern(matchingAllTokensIn: "moby dick")!
    private let oldPattern = FTS3Pattern(matchingAllTokensIn: "moby dick")!

    @Test("SQL of requests")
    func sql() throws {
        try withDocuments([]) { db in
            let sql = #"SELECT * FROM "document" WHERE "document" MATCH 'moby dick'"#
            expectEqual(try Document.matching(pattern).expandedSQL(db), sql)
            expectEqual(try Document.all().matching(pattern).expandedSQL(db), sql)
            expectEqual(try Table("document").matching(pattern).expandedSQL(db), sql)
            expectEqual(try Document.matching(oldPattern).expandedSQL(db), sql)
            expectEqual(
                try Document.filter { $0.title.match(pattern) }.expandedSQL(db),
                #"SELECT * FROM "document" WHERE "title" MATCH 'moby dick'"#)
            expectEqual(
                try Document.filter(Column("document").match(oldPattern)).expandedSQL(db),
                #"SELECT * FROM "document" WHERE "document" MATCH 'moby dick'"#)
            expectEqual(
                try Document.matching(pattern).order(Column.rank).expandedSQL(db),
                #"SELECT * FROM "document" WHERE "document" MATCH 'moby dick' ORDER BY "rank""#)
            let counting = try db.tracing { _ = try Document.matching(pattern).fetchCount(db) }
            #expect(
                counting.filter { !$0.hasPrefix("--") } == [
                    #"SELECT COUNT(*) FROM "document" WHERE "document" MATCH 'moby dick'"#
                ])
        }
    }

    @Test("no row matches nil")
    func matchingNil() throws {
        try withDocuments(["moby"]) { db in
            expectEqual(try Document.matching(FTS5Pattern(matchingPhrase: "")).fetchCount(db), 0)
            expectEqual(try Document.matching(FTS3Pattern(matchingPhrase: "")).fetchCount(db), 0)
            let title = Document.Columns.title
            expectEqual(try Document.filter(title.match(FTS3Pattern(matchingPhrase: ""))).fetchCount(db), 0)
        }
    }

    @Test("a column, or all of them")
    func columns() throws {
        try withLibrary { db in
            let request = BookSearch.select(Column.rowID, as: Int64.self)
            let database = try #require(FTS5Pattern(matchingPhrase: "databases"))
            expectEqual(try request.matching(database).fetchAll(db), [2])
            expectEqual(try request.filter(BookSearch.Columns.title.match(database)).fetchAll(db), [])
            expectEqual(try request.filter(BookSearch.Columns.body.match(database)).fetchAll(db), [2])
        }
    }

    @Test("columns of FTS4")
    func fts4Columns() throws {
        struct Old: TableRecord { static let databaseTableName = "books" }
        try DatabaseQueue().write { db in
            try db.create(virtualTable: "books", using: FTS4()) { t in
                t.column("title")
                t.column("author")
            }
            try db.execute(sql: "INSERT INTO books VALUES ('Moby Dick', 'Melville'), ('Melville', 'Someone')")
            let pattern = FTS3Pattern(matchingAllTokensIn: "melville")
            let request = Old.select(Column.rowID, as: Int64.self)
            expectEqual(try request.matching(pattern).fetchAll(db), [1, 2])
            expectEqual(try request.filter(Column("books").match(pattern)).fetchAll(db), [1, 2])
            expectEqual(try request.filter(Column("author").match(pattern)).fetchAll(db), [1])
        }
    }

    @Test("an association to the full-text table")
    func association() throws {
        try withLibrary { db in
            try expectQuery(db, Book.joining(required: Book.search.matching(pattern))) {
                """
                SELECT "book".* FROM "book" JOIN "bookSearch" ON ("bookSearch"."rowid" = "book"."id") \
                AND ("bookSearch" MATCH 'moby dick')
                """
            } rows: {
                "1|Moby Dick|Call me Ishmael, said the whaler of the white whale"
            }
        }
    }

    @Test("an alias of the full-text table")
    func alias() throws {
        try withLibrary { db in
            let alias = TableAlias<BookSearch>(name: "s")
            let request = Book.joining(required: Book.search.aliased(alias).matching(pattern))
            try expectQuery(db, request) {
                """
                SELECT "book".* FROM "book" JOIN "bookSearch" "s" ON ("s"."rowid" = "book"."id") \
                AND ("s"."bookSearch" MATCH 'moby dick')
                """
            } rows: {
                "1|Moby Dick|Call me Ishmael, said the whaler of the white whale"
            }
            let best = alias[FTS5.bm25(weights: ["title": 2])]
            expectEqual(try request.order(best).fetchAll(db), [books[0]])
        }
    }

    @Test("the rowid of a full-text table belongs to its records")
    func rowID() throws {
        struct Note: Codable, FetchableRecord, PersistableRecord {
            static var databaseSelection: [any SQLSelectable] { [.allColumns, .rowID] }
            var rowid: Int64
            var body: String
        }
        try DatabaseQueue().write { db in
            try db.create(virtualTable: "note", using: FTS5()) { t in t.column("body") }
            try Note(rowid: 12, body: "hello").insert(db)
            let note = try #require(try Note.fetchOne(db, key: 12))
            #expect(note.body == "hello")
            expectEqual(try Note.matching(FTS5Pattern(matchingPhrase: "hello")).fetchAll(db).map(\.rowid), [12])
            try note.delete(db)
            expectEqual(try Note.fetchCount(db), 0)
        }
    }

    @Test("an interrupted transaction can be rolled back")
    func interruption() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in try db.create(virtualTable: "document", using: FTS5()) { t in t.column("title") } }
        try queue.writeWithoutTransaction { db in
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO document VALUES ('x')")
                queue.interrupt()
                return .rollback
            }
            expectEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM document"), 0)
        }
    }
}
