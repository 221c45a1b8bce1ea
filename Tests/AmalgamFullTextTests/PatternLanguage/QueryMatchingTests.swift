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

    @Test(
        "an index with less detail knows words, and no phrases: a search box searches for the words",
        arguments: ["column", "none"])
    func lessDetail(detail: String) throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE t USING fts5(a, detail=\(detail));
                    CREATE VIRTUAL TABLE v USING fts5vocab('t', 'row');
                    INSERT INTO t VALUES ('an e-mail'), ('O''Neil at 12:30'), ('mail'), ('full of text')
                    """)
            let typing = SearchBoxSyntax(matchesPrefixOfLastWord: true, typoTolerance: .standard)
            for (text, rowIDs) in [
                "mail -java": [1, 3], "e-mail": [1], "an e-mai": [1], "e-mial": [], "O'Neil": [2], "o'nei": [2],
                "12:30": [2],
                "\"full text\"": [4], "\"full te\"*": [4], "mail -e-mail": [3], "(e-mail OR 12:30) -o'neil": [1],
                "AND": [],
            ] as [String: [Int64]] {
                for syntax in [SearchBoxSyntax(), typing] {
                    // Without a prefix, the beginning of a word isn't found.
                    if syntax != typing, ["an e-mai", "o'nei"].contains(text) { continue }
                    let request = Table("t").matching(searchBox: text, syntax: syntax).order(Column.rank)
                    expectEqual(try request.select(Column.rowID, as: Int64.self).fetchSet(db), Set(rowIDs), "\(text)")
                    let query = try #require(FTS5Query(searchBox: text, syntax: syntax))
                    expectEqual(try Table("t").matching(query).fetchCount(db), rowIDs.count)
                }
            }
            expectEqual(
                try FTS5Query(searchBox: "e-mail -12:30")?.pattern(db, forTable: "t").rawPattern, "e mail NOT 12 30")
            expectEqual(try Table("t").matching(.fuzzy("e-mail")).fetchCount(db), 1)
            let completions = try FTS5Terms("v", of: "t").completions(db, ofSearchBox: "e-mai")
            expectEqual(completions, ["e-mail"])
            let found = try completions.map { try Table("t").matching(searchBox: $0).fetchCount(db) }
            expectEqual(found, [1])
            let error = #expect(throws: DatabaseError.self) {
                _ = try Table("t").matching(FTS5Query("e-mail")).fetchCount(db)
            }
            #expect(error?.message == "fts5: phrase queries are not supported (detail!=full)")
        }
    }

    @Test(
        "one character may have several words: those of its scalars are searched for",
        arguments: ["full", "column", "none"])
    func severalWordsInOneCharacter(detail: String) throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE t USING fts5(a, detail=\(detail));
                    INSERT INTO t VALUES ('क्या है'), ('e-mail'), ('श्री राम'), ('या')
                    """)
            for syntax in [SearchBoxSyntax(), SearchBoxSyntax(matchesPrefixOfLastWord: true, typoTolerance: .standard)]
            {
                for (text, rowIDs) in [
                    "क्या": [1], "श्री": [3], "श्री e-mail": [], "\"श्री e\"": [], "\"क्या है\"": [1], "श्री राम": [3],
                    "या": [1, 4], "या -क्या": [4],
                ] as [String: [Int64]] {
                    let request = Table("t").matching(searchBox: text, syntax: syntax)
                    expectEqual(
                        try request.select(Column.rowID, as: Int64.self).fetchSet(db), Set(rowIDs),
                        "\(detail): \(text)")
                }
            }
        }
    }

    @Test("a typed phrase is one in an index with positions, and its words are those of a column")
    func typedPhrases() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE phrases USING fts5(a, b);
                    CREATE VIRTUAL TABLE words USING fts5(a, b, detail=column);
                    INSERT INTO phrases VALUES ('e-mail', ''), ('mail e', ''), ('', 'e-mail');
                    INSERT INTO words SELECT * FROM phrases
                    """)
            let query = FTS5Query(searchBox: "a:e-mail", syntax: SearchBoxSyntax(fields: ["a"]))
            expectEqual(try Table("phrases").matching(query).fetchCount(db), 1)
            expectEqual(try Table("words").matching(query).fetchCount(db), 2)
            expectEqual(try query?.pattern(db, forTable: "phrases").rawPattern, "a : \"e-mail\"")
            expectEqual(try query?.pattern(db, forTable: "words").rawPattern, "a : (e mail)")
        }
    }
}
