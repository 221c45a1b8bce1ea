import Amalgam
import Foundation
import TestSupport
import Testing

private struct IndexRow: TableRecord {
    static let databaseTableName = "documentSearch"
}

private struct DocumentRow: Codable, FetchableRecord, TableRecord {
    static let databaseTableName = "document"
    static let search = hasOne(IndexRow.self, using: ForeignKey(["rowid"], to: ["id"]))
    static let author = belongsTo(AuthorRow.self, using: ForeignKey(["author"]))

    var id: Int64
}

private struct AuthorRow: TableRecord {
    static let databaseTableName = "author"
}

/// Any row, by its first column.
private struct AnyRow: FetchableRecord {
    let first: DatabaseValue

    init(row: Row) throws { first = row.databaseValues.first ?? .null }
}

@Suite("Pages of results")
struct SearchPageTests {
    /// Runs a test on a hundred documents that match "word", from the best to the worst.
    private func withHundredDocuments(_ test: (Database) throws -> Void) throws {
        try withArticles { db in
            try db.execute(sql: "DELETE FROM article")
            for number in 1...100 { try insert(db, number) }
            try test(db)
        }
    }

    private func insert(_ db: Database, _ number: Int) throws {
        var article = Article(title: "\(number)", body: "word" + String(repeating: " other", count: number))
        try article.insert(db)
    }

    private let results = Article.matching("word").order(Column.rank)

    @Test("page by page")
    func pages() throws {
        try withHundredDocuments { db in
            var titles: [String] = []
            var cursor: SearchPageCursor?
            var count = 0
            repeat {
                let page = try results.fetchPage(db, count: 30, after: cursor)
                titles += page.elements.map(\.title)
                cursor = page.next
                count += 1
            } while cursor != nil
            #expect(count == 4)
            #expect(titles == (1...100).map(String.init))
        }
    }

    @Test("a row that stands for several rows of the table isn't on a page")
    func combinedRows() throws {
        try withHundredDocuments { db in
            let author = Article.Columns.author
            for request in [
                results.select(author).distinct(), results.distinct(), results.group(author),
                results.select(author, count()).group(author), results.having(count() > 1), results.select(count()),
            ] {
                let error = expectCode(.SQLITE_MISUSE) {
                    try request.asRequest(of: AnyRow.self).fetchPage(db, count: 2)
                }
                #expect(
                    error?.message?.hasPrefix("pages need a request whose rows are rows of the table article") == true)
            }
            // These rows are those of the table.
            let rowIDs = results.select(Column.rowID, author)
            for request in [rowIDs.distinct(), rowIDs.group(Column.rowID), rowIDs.distinct().group(Column.rowID)] {
                var found: [Int64] = []
                var cursor: SearchPageCursor?
                repeat {
                    let page = try request.asRequest(of: AnyRow.self).fetchPage(db, count: 40, after: cursor)
                    found += page.elements.compactMap { Int64.fromDatabaseValue($0.first) }
                    cursor = page.next
                } while cursor != nil
                #expect(found.count == 100)
                #expect(Set(found).count == 100)
            }
        }
    }

    @Test("the SQL")
    func sql() throws {
        try withHundredDocuments { db in
            let first = try statements(db) { _ = try results.fetchPage(db, count: 2) }
            #expect(
                first == [
                    """
                    SELECT *, "rowid" AS "searchPageRowID" FROM "article" WHERE "article" MATCH 'word' \
                    ORDER BY "rank", "rowid" LIMIT 3
                    """
                ])
            let next = try results.fetchPage(db, count: 2).next
            let second = try statements(db) { _ = try results.fetchPage(db, count: 2, after: next) }
            #expect(second.count == 1)
            #expect(
                second[0].hasPrefix(
                    """
                    SELECT *, "rowid" AS "searchPageRowID" FROM "article" \
                    WHERE ("article" MATCH 'word') AND ("rowid" NOT IN (SELECT +value FROM carray(
                    """))
        }
    }

    @Test("the last page, and pages of exactly what there is")
    func lastPages() throws {
        try withHundredDocuments { db in
            #expect(try results.fetchPage(db, count: 100).next == nil)
            #expect(try results.fetchPage(db, count: 101).elements.count == 100)
            let page = try results.fetchPage(db, count: 99)
            #expect(try results.fetchPage(db, count: 99, after: page.next).elements.map(\.title) == ["100"])
            let nothing = try Article.matching("missing").order(Column.rank).fetchPage(db, count: 5)
            #expect(nothing == SearchPage(elements: [], next: nil))
        }
    }

    @Test("documents change between pages: no result comes twice, and none that stays is lost")
    func changes() throws {
        var random = RandomTexts(seed: 11)
        for _ in 0..<10 {
            try withHundredDocuments { db in
                var stays = Set((1...100).map(String.init))
                var titles: [String] = []
                var cursor: SearchPageCursor?
                repeat {
                    let page = try results.fetchPage(db, count: 7, after: cursor)
                    titles += page.elements.map(\.title)
                    cursor = page.next
                    for _ in 0..<3 {
                        let number = Int.random(in: 1...100, using: &random)
                        stays.remove("\(number)")
                        try db.execute(sql: "DELETE FROM article WHERE title = ?", arguments: ["\(number)"])
                        try insert(db, Int.random(in: 101...400, using: &random))
                        try db.execute(sql: "INSERT INTO article(title, body) VALUES ('x', 'none of them')")
                    }
                } while cursor != nil
                #expect(
                    Set(titles.filter { (Int($0) ?? 0) <= 100 }).count == titles.filter { (Int($0) ?? 0) <= 100 }.count)
                #expect(stays.isSubset(of: titles))
            }
        }
    }

    @Test("the rank of a result moves when another article is inserted: it is no place to go on from")
    func ranksMove() throws {
        try withHundredDocuments { db in
            let sql = "SELECT rank FROM article WHERE article MATCH 'word' AND title = '7'"
            let before = try Double.fetchOne(db, sql: sql)
            try insert(db, 500)
            let after = try Double.fetchOne(db, sql: sql)
            #expect(before != after)
        }
    }

    /// The key of the document and the rowid of the index are equal. SQLite lets the index find the best rows first only
    /// if all terms of the ORDER BY clause are columns of the index.
    @Test("pages of documents that are joined with the index")
    func joins() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE document (id INTEGER PRIMARY KEY, author TEXT, body TEXT);
                    CREATE TABLE author (name TEXT PRIMARY KEY);
                    INSERT INTO author VALUES ('Anna'), ('Ben');
                    CREATE VIRTUAL TABLE documentSearch USING fts5(body, content = 'document', content_rowid = 'id');
                    """)
            for id in 1...100 {
                let body = "word" + String(repeating: " other", count: id / 4)
                try db.execute(
                    sql: "INSERT INTO document VALUES (?, ?, ?)", arguments: [id, id % 2 == 0 ? "Anna" : "Ben", body])
            }
            try db.execute(sql: "INSERT INTO documentSearch(documentSearch) VALUES ('rebuild')")
            let index = TableAlias<IndexRow>()
            let matches = DocumentRow.search.matching("word").aliased(index)
            let results = DocumentRow.joining(required: matches).order(index[Column.rank])
            let sql = try statements(db) { _ = try results.fetchPage(db, count: 2) }
            expectEqual(
                sql,
                [
                    """
                    SELECT "document".*, "document"."rowid" AS "searchPageRowID" FROM "document" \
                    JOIN "documentSearch" ON ("documentSearch"."rowid" = "document"."id") \
                    AND ("documentSearch" MATCH 'word') \
                    ORDER BY "documentSearch"."rank", "documentSearch"."rowid" LIMIT 3
                    """
                ])
            let plan = try db.queryPlan(sql: sql[0]).description
            #expect(plan.contains("best rows first"), "\(plan)")
            #expect(!plan.contains("ORDER BY"), "\(plan)")

            var ids: [Int64] = []
            var cursor: SearchPageCursor?
            repeat {
                let page = try results.fetchPage(db, count: 30, after: cursor)
                ids += page.elements.map(\.id)
                cursor = page.next
            } while cursor != nil
            expectEqual(ids, Array(1...100))

            // A second joined table has its own term, which only SQLite can sort.
            let byAnna = results.joining(required: DocumentRow.author.filter(key: "Anna"))
            expectEqual(try byAnna.fetchPage(db, count: 3).elements.map(\.id), [2, 4, 6])
            // Documents that needn't match have no rowid of the index.
            let all = DocumentRow.joining(optional: matches).order(index[Column.rank]).withStableOrder()
            expectEqual(
                try statements(db) { _ = try all.fetchOne(db) }.map { $0.suffix(77) },
                [#"ORDER BY "documentSearch"."rank", "document"."id", "documentSearch"."rowid" LIMIT 1"#.suffix(77)])
        }
    }

    @Test("any order, and any table with rowids")
    func otherOrders() throws {
        try withHundredDocuments { db in
            let titles = Article.all().order(\.title.desc)
            let first = try titles.fetchPage(db, count: 2)
            #expect(first.elements.map(\.title) == ["99", "98"])
            #expect(try titles.fetchPage(db, count: 2, after: first.next).elements.map(\.title) == ["97", "96"])
        }
    }

    @Test("a column named rowid that holds no integers is an error")
    func wrongRowID() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE article (rowid TEXT, title TEXT, body TEXT, author TEXT, metadata TEXT)")
            try db.execute(sql: "INSERT INTO article VALUES ('x', '', '', '', ''), (NULL, '', '', '', '')")
            #expect(throws: RowDecodingError.self) { try Article.all().fetchPage(db, count: 1) }
        }
    }

    @Test("a page has a result", arguments: [0, -1, Int.min, Int.max])
    func wrongCounts(count: Int) throws {
        try withArticles { db in
            expectThrows(
                DatabaseError.self, "SQLite error 21: a page has one result at least, and not \(count)"
            ) {
                _ = try results.fetchPage(db, count: count)
            }
        }
    }
}

@Suite("Cursors of pages")
struct SearchPageCursorTests {
    private func cursor(_ rowIDs: [Int64]) throws -> SearchPageCursor {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE article USING fts5(title, body, author, metadata)")
            for id in rowIDs + [1_000_000] {
                try db.execute(sql: "INSERT INTO article(rowid, title, body) VALUES (?, 'x', 'y')", arguments: [id])
            }
            let page = try Article.filter(Column.rowID != 1_000_000 || Column.rowID == 1_000_000).order(
                Column.rowID == 1_000_000
            )
            .fetchPage(db, count: rowIDs.count)
            return try #require(page.next)
        }
    }

    @Test(
        "a text and back",
        arguments: [[1], [1, 2, 3], [.min, -5, 0, 7, .max], [5_000_000_000, 300], Array(1...500)] as [[Int64]])
    func texts(rowIDs: [Int64]) throws {
        let cursor = try cursor(rowIDs)
        let text = "\(cursor)"
        #expect(SearchPageCursor(text) == cursor)
        #expect(text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        let json = try JSONEncoder().encode(["after": cursor])
        #expect(String(decoding: json, as: UTF8.self) == #"{"after":"\#(text)"}"#)
        #expect(try JSONDecoder().decode([String: SearchPageCursor].self, from: json)["after"] == cursor)
    }

    @Test("neighbours take a byte each")
    func size() throws {
        #expect(try "\(cursor(Array(1...300)))".utf8.count <= 402)
    }

    @Test(
        "texts that are no cursors",
        arguments: ["", "x", "?", "AA", "AQA", "AgE", "AQGA", "é", "AQEA", "Af__________9_"])
    func wrongTexts(text: String) {
        if let cursor = SearchPageCursor(text) { #expect("\(cursor)" == text, "only what a cursor makes is one") }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(SearchPageCursor.self, from: Data(#""é\#(text)""#.utf8))
        }
    }

    @Test("random texts never crash, and are cursors only when they are what a cursor makes")
    func randomTexts() {
        var random = RandomTexts(seed: 5)
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...20, using: &random)
            let text = "AQ" + String((0..<count).map { _ in letters.randomElement(using: &random)! })
            guard let cursor = SearchPageCursor(text) else { continue }
            #expect(SearchPageCursor("\(cursor)") == cursor)
        }
    }
}
