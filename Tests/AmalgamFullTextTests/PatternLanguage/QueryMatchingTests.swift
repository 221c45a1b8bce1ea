import Amalgam
import TestSupport
import Testing

@Suite("Requests for what a query finds")
struct QueryMatchingTests {
    @Test("the pattern is an argument")
    func requests() throws {
        try withArticles { db in
            let sql = #"SELECT * FROM "article" WHERE "article" MATCH '"full text" OR sql*' ORDER BY "rank""#
            try expectSQL(db, [sql]) {
                _ = try Article.matching("full text" || .prefix("sql")).order(Column("rank")).fetchAll(db)
            }
            try expectSQL(db, [#"SELECT COUNT(*) FROM "article" WHERE "article" MATCH '"O''Brien"'"#]) {
                _ = try Table("article").matching("O'Brien").fetchCount(db)
            }
            try expectSQL(
                db, [#"SELECT * FROM "article" WHERE ("author" = 'Anna') AND ("article" MATCH 'swift NOT java')"#]
            ) {
                let documents = try Article.filter { $0.author == "Anna" }.matching("swift" && !FTS5Query("java"))
                    .fetchAll(db)
                #expect(documents.map(\.title) == ["SQLite in Swift"])
            }
        }
    }

    @Test("nil matches nothing")
    func noQuery() throws {
        try withArticles { db in
            let query: FTS5Query? = nil
            try expectSQL(db, [#"SELECT * FROM "article" WHERE 0"#]) {
                expectEqual(try Article.matching(query).fetchAll(db), [])
            }
        }
    }

    @Test("a search box")
    func searchBox() throws {
        try withArticles { db in
            let syntax = SearchBoxSyntax(fields: ["title"], matchesPrefixOfLastWord: true)
            try expectSQL(db, [#"SELECT * FROM "article" WHERE "article" MATCH 'title : swift data*'"#]) {
                let documents = try Article.matching(searchBox: "title:swift data", syntax: syntax).fetchAll(db)
                #expect(documents.map(\.title) == ["SQLite in Swift"])
            }
            expectEqual(try Article.matching(searchBox: "").fetchCount(db), 0)
            expectEqual(try Table("article").matching(searchBox: "(java").fetchCount(db), 1)
            expectEqual(try Article.all().matching(searchBox: "swift -java").fetchCount(db), 1)
        }
    }

    @Test("a field that is no column of the table is the programmer's error, once somebody uses it")
    func unknownFields() throws {
        let syntax = SearchBoxSyntax(fields: ["from": ["sender"]])
        try withArticles { db in
            expectEqual(try Article.matching(searchBox: "swift", syntax: syntax).fetchCount(db), 2)
            #expect(throws: FTS5QueryError.self) {
                try Article.matching(searchBox: "from:anna", syntax: syntax).fetchAll(db)
            }
        }
    }

    @Test("an index with less detail knows words, and no phrases")
    func lessDetail() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE t USING fts5(a, detail=column); INSERT INTO t VALUES ('e-mail')")
            expectEqual(try Table("t").matching(searchBox: "mail -java").fetchCount(db), 1)
            let error = #expect(throws: DatabaseError.self) {
                _ = try Table("t").matching(searchBox: "e-mail").fetchCount(db)
            }
            #expect(error?.message == "fts5: phrase queries are not supported (detail!=full)")
        }
    }
}
