import Amalgam
import AmalgamCore
import CAmalgam
import TestSupport
import Testing

/// Rows with fewer typos come first, and rows with as many typos in the order of a ranking.
@Suite("Typos and the weights of columns")
struct WeightedTypoTests {
    private func withNotes(_ test: (Database) throws -> Void) throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, body TEXT)")
            try db.create(virtualTable: "bookSearch", using: FTS5()) { t in
                t.synchronize(withTable: "book")
                t.column("title")
                t.column("body")
            }
            let texts = [
                ("garten", "a b c d"), ("x y z", "my garden a b c d e f g h"),
                ("garden", "a b c d e f g h i j k l m n o p"),
                ("gardem", "x"), ("x", "gardem gardem"), ("x y", "garden"),
            ]
            for (index, text) in texts.enumerated() {
                try Book(id: Int64(index + 1), title: text.0, body: text.1).insert(db)
            }
            for id in 7..<60 as Range<Int64> { try Book(id: id, title: "t\(id)", body: "nothing here").insert(db) }
            try test(db)
        }
    }

    private static let queries: [FTS5Query?] = [
        .fuzzy("garden"), FTS5Query(searchBox: "garden", syntax: SearchBoxSyntax(typoTolerance: .standard)),
    ]

    /// The rows of a joined request and of one of the full-text table.
    private func rowIDs(_ db: Database, _ query: FTS5Query?, _ rank: FTS5Rank) throws -> [[Int64]] {
        let index = TableAlias<BookSearch>()
        let alone = BookSearch.matching(query).ranked(by: rank).select(Column.rowID, as: Int64.self)
        let joined = Book.joining(required: Book.search.matching(query).aliased(index)).ranked(by: rank, in: index)
        let limited = joined.limit(3)
        return [
            try alone.fetchAll(db), try joined.fetchAll(db).map(\.id),
            try limited.fetchAll(db).map(\.id) + joined.fetchAll(db).map(\.id).dropFirst(3),
        ]
    }

    @Test("bm25 with weights, alone and joined")
    func weights() throws {
        try withNotes { db in
            for query in Self.queries {
                // Without typos: 3 has the word in the title, 6 and 2 in the body. With one: 4 and 1 in the title.
                for rowIDs in try rowIDs(db, query, .bm25([10, 1])) { #expect(rowIDs == [3, 6, 2, 4, 1, 5]) }
                for rowIDs in try rowIDs(db, query, .bm25([0, 1])) {
                    #expect(Set(rowIDs.prefix(3)) == [2, 3, 6] && rowIDs[2] == 3)
                }
                for rowIDs in try rowIDs(db, query, .bm25()) { #expect(Set(rowIDs.prefix(3)) == [2, 3, 6]) }
            }
        }
    }

    @Test("a function of the application, which doesn't count typos")
    func function() throws {
        try withNotes { db in
            let parity = FTS5Function("parity") { match, arguments in match.rowID % 2 }
            try db.add(auxiliaryFunction: parity)
            for query in Self.queries {
                for rowIDs in try rowIDs(db, query, .function(parity)) {
                    #expect(Set(rowIDs.prefix(3)) == [2, 4, 6])
                    #expect(Set(rowIDs) == [1, 2, 3, 4, 5, 6])
                }
            }
        }
    }

    @Test("a query without typos has the ranks of bm25")
    func withoutTypos() throws {
        try withNotes { db in
            for query in ["garden", .fuzzy("gardem", tolerance: TypoTolerance(maximumTermCount: 0))] as [FTS5Query] {
                let rank = FTS5Rank.bm25([10, 1])
                let expected = try BookSearch.matching(query).order(FTS5.bm25(weights: ["title": 10]))
                    .select(Column.rowID, as: Int64.self).fetchAll(db)
                for rowIDs in try rowIDs(db, query, rank) { #expect(rowIDs == expected) }
            }
        }
    }

    @Test("the last one of several rankings counts")
    func severalRankings() throws {
        try withNotes { db in
            let requests = [
                BookSearch.matching(.fuzzy("garden")).ranked(by: .bm25([0, 1])).ranked(by: .bm25([10, 1])),
                BookSearch.all().ranked(by: .bm25([10, 1])).matching(.fuzzy("garden")),
            ]
            for request in requests {
                expectEqual(try request.select(Column.rowID, as: Int64.self).fetchAll(db), [3, 6, 2, 4, 1, 5])
            }
            let plan = try db.queryPlan(
                sql: """
                    SELECT rowid FROM bookSearch WHERE bookSearch MATCH 'a' AND rank MATCH 'amalgam_typos(''0:0'')'
                    AND rank MATCH 'bm25(2.0)' ORDER BY rank
                    """)
            #expect(plan.nodes.contains { $0.detail.contains("best rows first") })
        }
    }

    @Test("the ranks are those of FTS5's own way to sort")
    func sorted() throws {
        try withNotes { db in
            #expect(amalgam_ranked_add_typos(db.sqliteConnection) == SQLITE_OK)
            let sql = """
                SELECT rowid, rank FROM bookSearch WHERE bookSearch MATCH 'garden OR gardem OR garten'
                AND rank MATCH 'amalgam_typos(''0:0 0:1 0:1'')' AND rank MATCH 'bm25(10.0, 1.0)' ORDER BY rank, rowid
                """
            let found = try RankedRow.fetchAll(db, sql: sql, arguments: [])
            #expect(found.map(\.rowID) == [3, 6, 2, 4, 1, 5])
            let sorted = try db.withoutRankedSearches { try RankedRow.fetchAll(db, sql: sql, arguments: []) }
            #expect(found == sorted)
        }
    }

    @Test("an expression of bm25 doesn't count typos")
    func expression() throws {
        try withNotes { db in
            let request = BookSearch.matching(.fuzzy("garden")).order(FTS5.bm25(weights: ["title": 10]))
            expectEqual(try Set(request.select(Column.rowID, as: Int64.self).fetchAll(db)), [1, 2, 3, 4, 5, 6])
        }
    }
}
