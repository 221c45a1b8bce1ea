import Amalgam
import TestSupport
import Testing

@Suite("Queries that cannot be used")
struct FTS5QueryErrorTests {
    @Test("an unknown column is named, and the known ones")
    func unknownColumns() throws {
        let text = "no such column: titel. The columns of article are: title, body, author, metadata"
        try withArticles { db in
            let query: FTS5Query = "x" && ("sqlite" || FTS5Query("java").not("b")).notInColumns("TITLE", "titel")
            expectThrows(FTS5QueryError.self, text) { _ = try query.pattern(db, forTable: "article") }
            expectThrows(FTS5QueryError.self, text) { _ = try Article.matching(query).fetchAll(db) }
            expectThrows(FTS5QueryError.self, text) { _ = try Table("article").matching(query).fetchCount(db) }
            expectEqual(try FTS5Query("x").inColumns("TITLE").pattern(db, forTable: "article").rawPattern, "TITLE : x")
        }
    }

    @Test("hidden columns are none: they have no text")
    func hiddenColumns() throws {
        try withArticles { db in
            for name in ["rank", "article", "rowid"] {
                #expect(throws: FTS5QueryError.self) {
                    try FTS5Query("x").inColumns(name).pattern(db, forTable: "article")
                }
            }
        }
    }

    @Test("a table that does not exist")
    func missingTable() throws {
        try withArticles { db in
            let error = #expect(throws: DatabaseError.self) {
                _ = try FTS5Query("x").inColumns("title").pattern(db, forTable: "missing")
            }
            #expect(error?.message == "no such table: missing")
        }
    }

    @Test("FTS5 reads what is not nested too deeply, and what is too deep is no trap")
    func depth() throws {
        let towers: [(FTS5Query) -> FTS5Query] = [
            { $0.inColumns("title", "body") },
            { $0.notInColumns("author") },
            { ($0 && "b").inColumns("title") },
            { "a" || "b" && FTS5Query("c").not($0) },
            { FTS5Query("c").not($0) },
            { ($0 || "b") && "c" },
        ]
        try withArticles { db in
            for tower in towers {
                var query = FTS5Query.near(.prefix("full") + "text", "x" + .prefix("swift"), distance: 5)
                var depth = 0
                while let rawPattern = try? query.rawPattern() {
                    _ = try titles(db, matching: rawPattern)
                    query = tower(query)
                    depth += 1
                }
                #expect(depth > 8)
                for _ in 0..<100_000 { query = tower(query) }
                #expect(throws: FTS5QueryError.nestedTooDeeply) { try query.rawPattern() }
                #expect(throws: FTS5QueryError.nestedTooDeeply) { try query.pattern(db, forTable: "article") }
                #expect(throws: FTS5QueryError.nestedTooDeeply) { try Article.matching(query).fetchAll(db) }
            }
        }
    }

    @Test("long lists are not deep")
    func longLists() throws {
        let words = (0..<2_000).map { FTS5Query("w\($0)") }
        var chain: FTS5Query = "a"
        for word in words.prefix(500) { chain = chain.not(word) }
        try withArticles { db in
            for query in [
                FTS5Query.all(words), FTS5Query.any(words), words.dropFirst().reduce(words[0]) { $0 && $1 }, chain,
            ] {
                _ = try titles(db, matching: try #require(query).rawPattern())
            }
        }
    }

    @Test("errors say what to do")
    func descriptions() {
        #expect(
            "\(FTS5QueryError.nestedTooDeeply)" == """
                the full-text query is nested deeper than the 30 levels that FTS5 can read: combine the queries of one \
                operator in one list, with all(_:) and any(_:)
                """)
    }
}
