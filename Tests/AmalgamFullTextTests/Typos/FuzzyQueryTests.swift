import Amalgam
import Foundation
import TestSupport
import Testing

@Suite("Typos in a query")
struct FuzzyQueryTests {
    private func titles(_ db: Database, _ query: FTS5Query?) throws -> [String] {
        try Article.matching(query).order(Column.rank).fetchAll(db).map(\.title)
    }

    @Test("a word is expanded into similar terms of the table, and ranked by its typos")
    func expansion() throws {
        try withArticles { db in
            try expectQuery(db, Article.matching(.fuzzy("databsae")).order(Column.rank).select(Column("title"))) {
                """
                SELECT "title" FROM "article" WHERE ("article" MATCH 'databsae OR database OR databases') \
                AND ("rank" MATCH 'amalgam_typos(''0:0 0:1 0:2'')') ORDER BY "rank"
                """
            } rows: {
                """
                Databases
                SQLite in Swift
                """
            }
        }
    }

    @Test(
        "one insertion, deletion, replacement or transposition is a typo",
        arguments: ["databases", "datbase", "databbase", "datebase", "databsae", "adtabase", "atabase", "xatabase"])
    func typos(word: String) throws {
        try withArticles { db in
            expectEqual(Set(try titles(db, .fuzzy(word))), ["Databases", "SQLite in Swift"])
        }
    }

    @Test("short words, numbers, words in quotes, excluded words and explicit prefixes are exact")
    func exactWords() throws {
        try withArticles { db in
            let syntax = SearchBoxSyntax(typoTolerance: .standard)
            func titles(_ text: String) throws -> [String] {
                try self.titles(db, FTS5Query(searchBox: text, syntax: syntax))
            }
            expectEqual(try titles("iz"), [])
            expectEqual(try titles("swfit"), try titles("swift"))
            expectEqual(try titles(#""swfit""#), [])
            expectEqual(try titles("swfi*"), [])
            expectEqual(Set(try titles("texxt -swfit")), ["SQLite in Swift", "Java and Swift", "Full moon"])
            try db.execute(sql: "INSERT INTO article(title, body) VALUES ('version 12345', '')")
            expectEqual(try titles("12346"), [])
            expectEqual(try titles("versoin 12345"), ["version 12345"])
        }
    }

    @Test("fuzzy words are combined with columns and operators")
    func combinations() throws {
        try withArticles { db in
            expectEqual(try titles(db, FTS5Query.fuzzy("databsae").inColumns("title")), ["Databases"])
            expectEqual(try titles(db, .fuzzy("databse") && !FTS5Query("tables")), ["SQLite in Swift"])
            expectEqual(try titles(db, .fuzzy("databse sqilte")).count, 2)
            expectEqual(Set(try titles(db, .fuzzy("databse") || .fuzzy("moom"))).count, 3)
            expectEqual(try titles(db, .fuzzy("databse") && .near("full", "text")), ["SQLite in Swift"])
            expectEqual(try titles(db, .fuzzy("databse") && "😀"), try titles(db, .fuzzy("databse")))
            expectEqual(try titles(db, .fuzzy("")), [])
            expectEqual(try titles(db, .fuzzy("?!")), [])
            #expect(throws: FTS5QueryError.self) { try titles(db, FTS5Query.fuzzy("databse").inColumns("titel")) }
        }
    }

    @Test("documents with fewer typos come first, however rare the misspelled terms are")
    func ranking() throws {
        try withArticles { db in
            try db.execute(
                sql: """
                    DELETE FROM article;
                    INSERT INTO article(title, body) VALUES
                    ('engin engin engin', ''), ('a long text about an engine, with words', '');
                    WITH numbers(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers LIMIT 20)
                    INSERT INTO article(title, body) SELECT 'engine ' || value, '' FROM numbers;
                    """)
            let ranked = try titles(db, .fuzzy("engine"))
            #expect(ranked.count == 22)
            #expect(ranked.last == "engin engin engin")
            #expect(try titles(db, .fuzzy("engin")).first == "engin engin engin")
            let page = try Article.matching(.fuzzy("engin")).order(Column.rank).fetchPage(db, count: 3)
            #expect(page.elements.first?.title == "engin engin engin")
            #expect(page.next != nil)
        }
    }

    @Test("without typos, documents have the order of bm25, with the weights of the table")
    func bm25() throws {
        try withArticles { db in
            try db.execute(
                sql: """
                    WITH numbers(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers LIMIT 9)
                    INSERT INTO article(title, body) SELECT 'moon ' || value, 'tables and moons' FROM numbers;
                    INSERT INTO article(title, body) VALUES ('tables', 'moon moon'), ('x', 'moon tables, and more');
                    """)
            for rank in ["bm25()", "bm25(10.0, 1.0)", "bm25(0.5, 20.0)"] {
                try db.execute(sql: "INSERT INTO article(article, rank) VALUES ('rank', ?)", arguments: [rank])
                let expected = Article.matching("moon" && "tables").order(Column.rank, Column.rowID)
                let tolerance = TypoTolerance(maximumTermCount: 1)
                let fuzzy = Article.matching(.fuzzy("moon tables", tolerance: tolerance))
                    .order(Column.rank, Column.rowID)
                let found = try fuzzy.fetchAll(db)
                let exact = try expected.fetchAll(db)
                #expect(found.filter(Set(exact).contains) == exact, "\(rank)")
            }
        }
    }

    @Test("joined words find split ones, and split words joined ones")
    func joinedAndSplitWords() throws {
        try withArticles { db in
            try db.execute(sql: "INSERT INTO article(title, body) VALUES ('a data base', ''), ('rock music', '')")
            let syntax = SearchBoxSyntax(matchesPrefixOfLastWord: true, typoTolerance: .standard)
            func titles(_ text: String) throws -> Set<String> {
                Set(try self.titles(db, FTS5Query(searchBox: text, syntax: syntax)))
            }
            #expect(try titles("data base ").isSuperset(of: ["a data base", "Databases", "SQLite in Swift"]))
            #expect(try titles("data bas").isSuperset(of: ["a data base", "Databases"]))
            #expect(try titles("database ").contains("a data base"))
            #expect(try titles("databas").contains("a data base"))
            #expect(try titles("rockmusic ") == ["rock music"])
            let strict = TypoTolerance(joinsAndSplitsWords: false)
            #expect(try self.titles(db, .fuzzy("database", tolerance: strict)).contains("a data base") == false)
        }
    }

    @Test("tables without positions answer fuzzy queries", arguments: ["column", "none"])
    func detail(detail: String) throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE article USING fts5(title, detail=\(detail));
                    INSERT INTO article VALUES ('a database'), ('data base'), ('other');
                    """)
            let rows = try Table("article").matching(.fuzzy("databse")).order(Column.rank).fetchAll(db)
            #expect(rows.map { $0["title"] as String } == ["a database"])
        }
    }

    @Test("the prefix that is being typed may have typos")
    func prefixes() throws {
        try withArticles { db in
            for text in ["datab", "datxb", "dtab", "databs", "databse"] {
                expectEqual(Set(try titles(db, .fuzzyPrefix(text))), ["Databases", "SQLite in Swift"])
            }
            expectEqual(try titles(db, .fuzzyPrefix("sqilte langauges")), [])
            expectEqual(try titles(db, .fuzzyPrefix("two lanugag")), ["Java and Swift"])
        }
    }

    @Test("stems: the terms of the table aren't words")
    func stems() throws {
        try DatabaseQueue().write { db in
            try db.create(virtualTable: "article", using: FTS5()) { t in
                t.tokenizer = .porter()
                t.column("title")
            }
            try db.execute(sql: "INSERT INTO article VALUES ('databases'), ('relational'), ('generations of runners')")
            func titles(_ text: String) throws -> [String] {
                try Table("article").matching(.fuzzy(text)).order(Column.rank).fetchAll(db).map { $0["title"] }
            }
            #expect(try titles("databsae") == ["databases"])
            #expect(try titles("relatoinal") == ["relational"])
            #expect(try titles("genreations runers") == ["generations of runners"])
        }
    }

    @Test("the expansion follows the index: writes, rollbacks, deletes, rebuilds")
    func changes() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in try db.execute(sql: "CREATE VIRTUAL TABLE note USING fts5(body)") }
        func words(_ db: Database) throws -> [String] {
            try FTS5Query.fuzzy("heron").expansions(db, forTable: "note").flatMap { $0.alternatives.map(\.text) }
        }
        func insert(_ db: Database, _ text: String) throws {
            try db.execute(sql: "INSERT INTO note VALUES (?)", arguments: [text])
        }
        #expect(try queue.read { db in try words(db) } == [])
        try queue.write { db in
            try insert(db, "herons")
            #expect(try words(db) == ["heron", "herons"])
            try db.inSavepoint {
                try insert(db, "heroin")
                #expect(try words(db) == ["heron", "heroin", "herons"])
                return .rollback
            }
            #expect(try words(db) == ["heron", "herons"])
        }
        #expect(try queue.read { db in try words(db) } == ["heron", "herons"])
        try queue.write { db in
            try insert(db, "heroin")
            try FTS5Index("note").optimize(db)
            try db.execute(sql: "DELETE FROM note WHERE body = 'herons'")
            try FTS5Index("note").optimize(db)
        }
        #expect(try queue.read { db in try words(db) } == ["heron", "heroin"])
        try queue.write { db in
            try db.execute(sql: "UPDATE note_content SET c0 = 'heros'")
            try FTS5Index("note").rebuild(db)
        }
        #expect(try queue.read { db in try words(db) } == ["heron", "heros"])
        try queue.write { db in
            try db.execute(sql: "DROP TABLE note; CREATE VIRTUAL TABLE note USING fts5(body)")
            try insert(db, "heronry hero")
        }
        #expect(try queue.read { db in try words(db) } == ["heron", "hero"])
    }

    @Test("readers of a pool see the terms of their snapshots, and commits of other connections")
    func pool() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appending(path: "terms.sqlite").path
            let (pool, other) = (try DatabasePool(path: path), try DatabasePool(path: path))
            func words(_ db: Database) throws -> [String] {
                try FTS5Query.fuzzy("heron").expansions(db, forTable: "note").flatMap { $0.alternatives.map(\.text) }
            }
            try pool.write { db in
                try db.execute(sql: "CREATE VIRTUAL TABLE note USING fts5(body); INSERT INTO note VALUES ('herons')")
            }
            try pool.read { db in
                #expect(try words(db) == ["heron", "herons"])
                try other.write { db in try db.execute(sql: "INSERT INTO note VALUES ('heroin')") }
                #expect(try words(db) == ["heron", "herons"])
            }
            #expect(try pool.read { db in try words(db) } == ["heron", "heroin", "herons"])
            #expect(try other.read { db in try words(db) } == ["heron", "heroin", "herons"])
        }
    }

    @Test("attached and temporary tables have their own terms")
    func schemas() throws {
        try DatabaseQueue().inDatabase { db in
            try db.execute(
                sql: """
                    ATTACH ':memory:' AS other;
                    CREATE VIRTUAL TABLE other.there USING fts5(body);
                    CREATE VIRTUAL TABLE temp.here USING fts5(body);
                    INSERT INTO there VALUES ('herons'); INSERT INTO here VALUES ('heroin');
                    """)
            #expect(try Table("there").matching(.fuzzy("heron")).fetchCount(db) == 1)
            #expect(try FTS5Query.fuzzy("heron").pattern(db, forTable: "here").rawPattern == "heron OR heroin")
            #expect(throws: DatabaseError.self) { try Table("nowhere").matching(.fuzzy("heron")).fetchCount(db) }
        }
    }

    @Test(
        "words with digits match exactly, those with other numbers may have typos",
        arguments: [
            ("mp3player", "mp3playr", false), ("٣abcd", "٣abce", false), ("abcd⁷", "abce⁷", false),
            ("三国演义", "三国演議", true), ("百年孤独", "百年孤毒", true),
        ])
    func numbers(word: String, typo: String, isFound: Bool) throws {
        try withDocuments([word]) { db throws in
            #expect(try Document.matching(.fuzzy(word)).fetchCount(db) == 1)
            #expect(try Document.matching(.fuzzy(typo)).fetchCount(db) == (isFound ? 1 : 0))
        }
    }

    @Test("expansions list the alternatives, with typos and documents")
    func expansions() throws {
        try withArticles { db in
            let syntax = SearchBoxSyntax(typoTolerance: .standard)
            let query = try #require(FTS5Query(searchBox: "databsae -java text", syntax: syntax))
            let expansions = try query.expansions(db, forTable: "article")
            #expect(expansions.map(\.word) == ["databsae"])
            #expect(expansions[0].alternatives.map(\.text) == ["databsae", "database", "databases"])
            #expect(expansions[0].alternatives.map(\.typoCount) == [0, 1, 2])
            #expect(expansions[0].alternatives.map(\.documentCount) == [0, 2, 1])
            #expect(query.description == "databsae text NOT java")
        }
    }

    @Test("a limit of terms, and values out of range")
    func tolerances() throws {
        try withArticles { db in
            func pattern(_ tolerance: TypoTolerance) throws -> String {
                try FTS5Query.fuzzy("databsae", tolerance: tolerance).pattern(db, forTable: "article").rawPattern
            }
            expectEqual(try pattern(TypoTolerance(maximumTermCount: 1)), "databsae OR database")
            expectEqual(try pattern(TypoTolerance(maximumTermCount: -1)), "databsae")
            expectEqual(try pattern(TypoTolerance(maximumTermCount: .max)), "databsae OR database OR databases")
            expectEqual(try pattern(TypoTolerance(lengthForOneTypo: .max, lengthForTwoTypos: .max)), "databsae")
            let shortest = try pattern(TypoTolerance(lengthForOneTypo: .min, lengthForTwoTypos: .min))
            #expect(shortest == "databsae OR database OR databases")
        }
    }
}
