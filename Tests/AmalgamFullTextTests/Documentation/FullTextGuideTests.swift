import Amalgam
import Foundation
import TestSupport
import Testing

/// The examples of docs/full-text.md.
enum Guide {
    struct Document: Codable, FetchableRecord, MutablePersistableRecord {
        var id: Int64?
        var title: String
        var body: String
        var author: String
        var metadata: String  // JSON

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    struct DocumentSearch: TableRecord {}

    static func migrate(_ writer: some DatabaseWriter) throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("documents") { db in
            try db.create(table: "document") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("title", .text).notNull()
                t.column("body", .text).notNull()
                t.column("author", .text).notNull()
                t.column("metadata", .text).notNull()
            }
            try db.create(virtualTable: "documentSearch", using: FTS5()) { t in
                t.synchronize(withTable: "document")
                t.column("title")
                t.column("body")
            }
            try db.create(virtualTable: "documentTerms", using: FTS5VocabTable(of: "documentSearch"))
        }
        try migrator.migrate(writer)
    }

    struct Hit: Decodable, FetchableRecord {
        var id: Int64
        var title: String
        var excerpt: FTS5MarkedSnippet
    }

    static func search(_ query: FTS5Query?) -> QueryInterfaceRequest<Hit> {
        let index = TableAlias<DocumentSearch>()
        let excerpt = FTS5.markedSnippet(Column("body"), tokenCount: 8)
        return
            Document
            .joining(required: Document.search.matching(query).aliased(index))
            .select(Column("id"), Column("title"), index[excerpt].forKey("excerpt"))
            .order(index[Column.rank])
            .asRequest(of: Hit.self)
    }
}

extension Guide.Document {
    static let search = hasOne(Guide.DocumentSearch.self, using: ForeignKey(["rowid"]))
}

@Suite("The guide to search applications")
struct FullTextGuideTests {
    /// Runs a test on a database of the guide.
    private func withGuide(_ test: (DatabaseQueue) throws -> Void) throws {
        let dbQueue = try DatabaseQueue()
        try Guide.migrate(dbQueue)
        try dbQueue.write { db in
            for article in articles {
                var document = Guide.Document(
                    title: article.title, body: article.body, author: article.author ?? "Cleo",
                    metadata: article.metadata ?? "{}")
                try document.insert(db)
            }
        }
        try test(dbQueue)
    }

    @Test("the search box")
    func searchBox() {
        let syntax = SearchBoxSyntax(fields: ["title", "body"], matchesPrefixOfLastWord: true)
        let query = FTS5Query(searchBox: #"title:sqlite "full text" -java swif"#, syntax: syntax)
        #expect(query?.description == #"title : sqlite "full text" swif* NOT java"#)
        #expect(SearchBoxSyntax(fields: ["text": ["title", "body"]]).fields == ["text": ["title", "body"]])
    }

    @Test("the language of documents")
    func languages() throws {
        try DatabaseQueue().write { db in
            let french = FTS5TokenizerDescriptor.snowball(language: .french, stopWords: true)
            let tokens = try db.makeTokenizer(french).tokenize(document: "Les nationalités des élèves").map(\.token)
            #expect(tokens == ["national", "elev"])
            let several = FTS5TokenizerDescriptor.snowball(languages: [.french, .german])
            #expect(try db.makeTokenizer(several).tokenize(query: "chats").map(\.token).contains("chat"))
            #expect(SnowballLanguage.french.stopWords.contains("des"))
        }
    }

    @Test("typos")
    func typos() throws {
        try withGuide { dbQueue in
            let syntax = SearchBoxSyntax(matchesPrefixOfLastWord: true, typoTolerance: .standard)
            let query = FTS5Query(searchBox: "sqilte databsae", syntax: syntax)
            let hits = try dbQueue.read { db in try Guide.search(query).limit(10).fetchAll(db) }
            #expect(Set(hits.map(\.title)) == ["SQLite in Swift", "Databases"])
            try dbQueue.read { db in
                let fuzzy = FTS5Query.fuzzy("databsae").inColumns("title")
                let expansions = try fuzzy.expansions(db, forTable: "documentSearch")
                let terms = expansions.flatMap { $0.alternatives.map(\.text) }
                #expect(terms == ["databsae", "database", "databases"])
                let titles = try Guide.search(fuzzy).fetchAll(db).map(\.title)
                #expect(titles == ["Databases"])
            }
        }
    }

    @Test("queries made in Swift")
    func queries() {
        let phrase: FTS5Query = "full text"  // "full text"
        let beginning = FTS5Query.prefix("dat")  // dat*
        let first = FTS5Query.initial("once upon")  // ^ "once upon"
        let close = FTS5Query.near("sqlite", "swift", distance: 5)  // NEAR(sqlite swift, 5)
        let inTitle = FTS5Query("sqlite").inColumns("title")  // title : sqlite
        let all = (phrase || beginning) && inTitle && !FTS5Query("java")
        #expect("\(phrase)" == #""full text""#)
        #expect("\(beginning)" == "dat*")
        #expect("\(first)" == #"^ "once upon""#)
        #expect("\(close)" == "NEAR(sqlite swift, 5)")
        #expect("\(inTitle)" == "title : sqlite")
        #expect("\(all)" == #"(("full text" OR dat*) AND title : sqlite) NOT java"#)
    }

    @Test("what people type, and a condition of the program")
    func restrictedQueries() {
        let typed = FTS5Query(searchBox: "swift OR java") ?? "swift"
        let restricted = typed && FTS5Query("draft").notInColumns("title")
        #expect("\(restricted)" == "(swift OR java) AND - title : draft")
    }

    @Test("ranked results, with highlights")
    func results() throws {
        try withGuide { dbQueue in
            let hits = try dbQueue.read { db in
                try Guide.search(FTS5Query(searchBox: "databases file")).limit(10).fetchAll(db)
            }
            #expect(hits.map(\.title) == ["Databases"])
            let excerpts = hits.map { FTS5.html($0.excerpt) }
            let titles = hits.map { FTS5.html($0.title) }
            #expect(excerpts == ["SQLite is a database in a <mark>file</mark>. A…"])
            #expect(titles == ["Databases"])
            let sql = try dbQueue.read { db in
                try statements(db) {
                    _ = try Guide.search(FTS5Query(searchBox: "databases file")).limit(10).fetchAll(db)
                }
            }
            #expect(
                sql == [
                    """
                    SELECT "document"."id", "document"."title", \
                    amalgam_marked_snippet("documentSearch", 1, 8, 1) AS "excerpt" \
                    FROM "document" JOIN "documentSearch" \
                    ON ("documentSearch"."rowid" = "document"."id") AND ("documentSearch" MATCH 'databases file') \
                    ORDER BY "documentSearch"."rank" LIMIT 10
                    """
                ])
        }
    }

    @Test("filters of few documents")
    func filters() throws {
        try withGuide { dbQueue in
            try dbQueue.read { db in
                typealias Document = Guide.Document
                typealias DocumentSearch = Guide.DocumentSearch
                let byAnna = Document.filter(Column("author") == "Anna").select(Column("id"), as: Int64.self)
                let best = DocumentSearch.matching("swift").filter(byAnna.contains(Column.rowID)).order(Column.rank)
                    .limit(10)
                #expect(try best.select(Column.rowID, as: Int64.self).fetchSet(db) == byAnna.fetchSet(db))
                let sql = try statements(db) { _ = try Row.fetchAll(db, best) }
                #expect(
                    sql == [
                        """
                        SELECT * FROM "documentSearch" WHERE ("documentSearch" MATCH 'swift') \
                        AND ("rowid" IN (SELECT "id" FROM "document" WHERE "author" = 'Anna')) ORDER BY "rank" LIMIT 10
                        """
                    ])
            }
        }
    }

    @Test("an excerpt of a document with tags is HTML in which only the marks are tags")
    func escapedExcerpts() throws {
        try withGuide { dbQueue in
            try dbQueue.write { db in
                var document = Guide.Document(
                    title: "", body: "<script>alert('1')</script> & <img src=\"x\"> needle<\u{338}", author: "",
                    metadata: "{}")
                try document.insert(db)
                let excerpt = try #require(try Guide.search("needle").fetchOne(db).map { FTS5.html($0.excerpt) })
                #expect(excerpt.contains("<mark>needle</mark>&lt;\u{338}"))
                let unmarked = excerpt.replacing("<mark>", with: "").replacing("</mark>", with: "")
                #expect(!unmarked.unicodeScalars.contains { "<>\"'".unicodeScalars.contains($0) }, "\(excerpt)")
                #expect(unmarked.contains("&lt;img src=&quot;x&quot;&gt;"))
            }
        }
    }

    @Test("an update of any column indexes the texts of the row again")
    func costOfUpdates() throws {
        try withGuide { dbQueue in
            try dbQueue.write { db in
                let before = try Int.fetchOne(db, sql: "SELECT total_changes()") ?? 0
                try db.execute(sql: "UPDATE document SET author = 'Eve' WHERE id = 1")
                let after = try Int.fetchOne(db, sql: "SELECT total_changes()") ?? 0
                // The row itself, and two rows written to the full-text table: a deletion and an insertion.
                #expect(after - before > 2)
            }
        }
    }

    @Test("the index follows the texts")
    func synchronization() throws {
        try withGuide { dbQueue in
            try dbQueue.write { db in
                try db.execute(sql: "UPDATE document SET body = 'haystack' WHERE id = 1")
                expectEqual(try Guide.search("haystack").fetchCount(db), 1)
                expectEqual(try Guide.search("ranking").fetchCount(db), 0)
            }
        }
    }

    @Test("pages")
    func pages() throws {
        try withGuide { dbQueue in
            try dbQueue.write { db in
                for number in 1...25 {
                    var document = Guide.Document(
                        title: "\(number)", body: "swift", author: "Dan", metadata: "{}")
                    try document.insert(db)
                }
                let first = try Guide.search("swift").fetchPage(db, count: 20)
                #expect(first.elements.count == 20)
                if let cursor = first.next {
                    let second = try Guide.search("swift").fetchPage(db, count: 20, after: cursor)
                    let link = "/search?q=swift&after=\(cursor)"
                    let back = SearchPageCursor(String(link.split(separator: "=").last!))
                    #expect(second.elements.count == 7)
                    #expect(second.next == nil)
                    #expect(Set((first.elements + second.elements).map(\.id)).count == 27)
                    #expect(back == cursor)
                }
                #expect(first.next != nil)

                let index = TableAlias<Guide.DocumentSearch>()
                let matches = Guide.Document.search.matching("swift").aliased(index)
                let results = Guide.Document.joining(required: matches).order(index[Column.rank])
                let sql = try statements(db) {
                    let page = try results.fetchPage(db, count: 20)
                    #expect(page.elements.map(\.id) == first.elements.map(\.id))
                }
                #expect(
                    sql == [
                        """
                        SELECT "document".*, "document"."rowid" AS "searchPageRowID" FROM "document" \
                        JOIN "documentSearch" ON ("documentSearch"."rowid" = "document"."id") \
                        AND ("documentSearch" MATCH 'swift') \
                        ORDER BY "documentSearch"."rank", "documentSearch"."rowid" LIMIT 21
                        """
                    ])
            }
        }
    }

    @Test("facets")
    func facets() throws {
        try withGuide { dbQueue in
            try dbQueue.read { db in
                let results = Guide.Document.joining(required: Guide.Document.search.matching("swift"))
                let authors = try results.facet(by: Column("author"), as: String.self).limit(10).fetchAll(db)
                let authorLines = authors.map { "\($0.value ?? "unknown"): \($0.count)" }
                #expect(authorLines == ["Anna: 2"])
                let year = SQLFunction("json_extract", pure: true)(Column("metadata"), "$.year")
                let facets = try results.facets([Facet(Column("author")), Facet("year", year)], limit: 10).fetch(db)
                let yearLines = (facets["year"] ?? []).map { "\($0.value ?? .null): \($0.count)" }
                #expect(yearLines == ["2024: 2"])
                let choices = [Facet(Column("author")), Facet("year", year).choosing(2024)]
                let documents = try results.filtered(by: choices).fetchAll(db)
                let remaining = try results.facets(choices, limit: 10, minimumCount: 1).fetch(db)
                #expect(documents.count == 2)
                #expect(remaining["year"]?.map(\.count) == [2])
            }
        }
    }

    @Test("suggestions, and did you mean")
    func suggestions() throws {
        try withGuide { dbQueue in
            try dbQueue.read { db in
                let vocabulary = FTS5Terms("documentTerms", of: "documentSearch")
                let suggestions = try vocabulary.completions(db, ofSearchBox: "swift dat")
                #expect(suggestions == ["swift database"])
                let syntax = SearchBoxSyntax(fields: ["title", "body"], matchesPrefixOfLastWord: true)
                let correction = try vocabulary.correction(db, ofSearchBox: "title:databse -java", syntax: syntax)
                #expect(correction == "title:databases -java")
            }
        }
    }

    @Test("more like this")
    func similarDocuments() throws {
        try withGuide { dbQueue in
            try dbQueue.read { db in
                let vocabulary = FTS5Terms("documentTerms", of: "documentSearch")
                var titles: [String] = []
                if let query = try vocabulary.query(db, similarToDocument: 1) {
                    let similar = try Guide.search(query).filter(Column("id") != 1).limit(5).fetchAll(db)
                    titles = similar.map(\.title)
                }
                #expect(titles.first == "Databases")
                #expect(try vocabulary.significantTerms(db, ofDocument: 1).isEmpty == false)
            }
        }
    }
}

extension FullTextGuideTests {
    @Test("tokenizers that ship")
    func tokenizers() throws {
        var configuration = Configuration()
        let stopWords = FTS5TokenizerModule.stopWords(FTS5TokenizerModule.englishStopWords)
        configuration.prepareDatabase { db in db.add(tokenizer: stopWords) }
        let tokenizer = stopWords.descriptor(wrapping: .porter())
        try DatabaseQueue(configuration: configuration).write { db in
            try db.create(virtualTable: "page", using: FTS5()) { t in
                t.tokenizer = tokenizer
                t.column("text")
            }
            try db.execute(sql: "INSERT INTO page VALUES ('The theory of databases')")
            expectEqual(try db.rowIDs(matching: #""theories database""#, in: "page"), [1])
        }
    }

    @Test("INSERT OR REPLACE leaves terms in the index, unless triggers are recursive", arguments: [false, true])
    func replacement(isRecursive: Bool) throws {
        try withGuide { dbQueue in
            try dbQueue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA recursive_triggers = \(isRecursive)")
                try db.execute(sql: "INSERT OR REPLACE INTO document VALUES (1, 'haystack', '', '', '{}')")
                let found = try Int.fetchAll(
                    db, sql: "SELECT rowid FROM documentSearch WHERE documentSearch MATCH 'ranking'")
                #expect(found == (isRecursive ? [] : [1]))
            }
        }
    }

    @Test("a ranking of your own")
    func ranking() throws {
        var configuration = Configuration()
        let density = FTS5Function("density") { match, arguments in
            try -Double(match.hitCount()) / Double(match.size())
        }
        configuration.prepareDatabase { db in try db.add(auxiliaryFunction: density) }
        let dbQueue = try DatabaseQueue(configuration: configuration)
        try Guide.migrate(dbQueue)
        try dbQueue.write { db in
            for body in ["a database in a file", "database database", "a file"] {
                var document = Guide.Document(title: "", body: body, author: "", metadata: "{}")
                try document.insert(db)
            }
            let ranked = Guide.DocumentSearch.matching("database").ranked(by: .function(density))
            expectEqual(try ranked.select(Column.rowID, as: Int.self).fetchAll(db), [2, 1])
        }
    }

    @Test("ranking rules")
    func rankingRules() throws {
        try withGuide { dbQueue in
            try dbQueue.read { db in
                typealias Document = Guide.Document
                let rules: [FTS5RankingRule] = [.words, .typos, .proximity, .attribute(["title", "body"]), .exactness]
                let index = TableAlias<Guide.DocumentSearch>()
                let matches = Document.search.matching("full" || "text" || "search").aliased(index)
                let decided = try Document.joining(required: matches).ranked(by: rules, in: index).fetchAll(db)
                #expect(decided.map(\.title) == ["SQLite in Swift", "Full moon", "Java and Swift"])
            }
        }
    }

    @Test("care of the index")
    func care() throws {
        try withGuide { dbQueue in
            try dbQueue.write { db in
                let index = FTS5Index("documentSearch")
                try db.execute(sql: "INSERT OR REPLACE INTO document VALUES (1, 'haystack', '', '', '{}')")
                try index.optimize(db)
                do {
                    try index.checkIntegrity(db)
                } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
                    try index.rebuild(db)
                }
                let byteCount = try index.size(db).byteCount
                #expect(byteCount > 0)
                expectEqual(try Guide.search("ranking").fetchCount(db), 0)
                try index.checkIntegrity(db)
            }
        }
    }

    /// All lines of the page's examples are in this file, except for words that the page omits.
    @Test("the page shows what is tested here")
    func page() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/full-text.md"), encoding: .utf8)
        let tested = Set(lines(try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)))
        let examples = page.components(separatedBy: "```swift\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
        #expect(examples.count > 10)
        expectEqual(examples.flatMap(lines).filter { !tested.contains($0) }, [])
    }

    private func lines(_ code: String) -> [String] {
        code.split(separator: "\n").map { line in
            line.replacing(#/\s*//.*/#, with: "").replacing("Guide.", with: "").replacing("static ", with: "")
                .replacing("fileprivate ", with: "")
                .trimmingCharacters(in: .whitespaces)
        }
        .filter { !$0.isEmpty && $0 != "}" && !$0.hasPrefix("return") && $0 != "Document" }
    }
}
