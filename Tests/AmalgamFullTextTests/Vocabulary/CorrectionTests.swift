import Amalgam
import TestSupport
import Testing

@Suite("Did you mean …?")
struct CorrectionTests {
    let vocabulary = FTS5Terms("articleTerms", of: "article")

    @Test("the nearest terms, and among these the most frequent ones")
    func corrections() throws {
        try withArticles { db in
            let corrections = try vocabulary.corrections(db, of: "Databsae")
            #expect(corrections.map(\.term) == ["database", "databases"])
            #expect(corrections.map(\.distance) == [1, 2])
            #expect(corrections.map(\.documentCount) == [2, 1])
            try db.execute(
                sql: "INSERT INTO article(title) VALUES ('lamb'), ('lamb'), ('lamp'), ('limp limp limp'), ('lump')")
            expectEqual(try vocabulary.corrections(db, of: "lamx").map(\.term), ["lamb", "lamp"])
            expectEqual(try vocabulary.corrections(db, of: "lxmp").map(\.term), ["lamp", "limp", "lump"])
            expectEqual(try vocabulary.corrections(db, of: "lamp").map(\.term), ["lamp", "lamb", "limp", "lump"])
            expectEqual(try vocabulary.corrections(db, of: "lxmp", limit: 1).map(\.term), ["lamp"])
            expectEqual(try vocabulary.corrections(db, of: "lxmp", limit: -1), [])
        }
    }

    @Test("the first letter may be wrong, too")
    func firstLetters() throws {
        try withArticles { db in
            expectEqual(try vocabulary.corrections(db, of: "adtabase").first?.term, "database")  // transposed letters
            expectEqual(try vocabulary.corrections(db, of: "xdatabase").first?.term, "database")  // an extra letter
            expectEqual(try vocabulary.corrections(db, of: "atabase").first?.term, "database")  // a missing letter
            expectEqual(try vocabulary.corrections(db, of: "qatabase").first?.term, "database")  // a different letter
        }
    }

    @Test("short words are not corrected, unless somebody insists")
    func shortWords() throws {
        try withArticles { db in
            expectEqual(try vocabulary.corrections(db, of: "iz"), [])
            expectEqual(try vocabulary.corrections(db, of: "iz", maximumDistance: 1).map(\.term), ["in", "is"])
            expectEqual(try vocabulary.corrections(db, of: "databsae", maximumDistance: 0), [])
            expectEqual(try vocabulary.corrections(db, of: "databsae", maximumDistance: -1), [])
            let all = try vocabulary.corrections(db, of: "database", maximumDistance: .max, limit: .max)
            #expect(all.map(\.term) == ["database", "databases", "a", "and"])
            #expect(try vocabulary.corrections(db, of: "xatabase", maximumDistance: .max, limit: .max).count > 2)
        }
    }

    @Test("no word, or several ones", arguments: ["", "?!", "two words", "xyzxyz"])
    func noWord(text: String) throws {
        try withArticles { db in
            expectEqual(try vocabulary.corrections(db, of: text), [])
        }
    }

    @Test("a term that is found on both ways comes once")
    func noDuplicates() throws {
        try withArticles { db in
            try db.execute(sql: "INSERT INTO article(title) VALUES ('abxyefgh')")
            expectEqual(try vocabulary.corrections(db, of: "abcdefgh").map(\.term), ["abxyefgh"])
        }
    }

    @Test("only terms of about the same length and beginning are read")
    func sql() throws {
        try withArticles { db in
            let sql = try statements(db) { _ = try vocabulary.corrections(db, of: "ddtabase") }
            #expect(
                sql == [
                    """
                    SELECT "term", "doc" FROM "articleTerms" WHERE (LENGTH("term") BETWEEN 6 AND 10) \
                    AND ("term" BETWEEN 'd' AND 'd\u{10FFFF}')
                    """,
                    #"SELECT * FROM "article" WHERE "article" MATCH 'database' LIMIT 5"#,
                    #"SELECT * FROM "article" WHERE "article" MATCH 'databases' LIMIT 5"#,
                ])
        }
    }

    @Test("a table of other values than terms is an error")
    func wrongTerms() throws {
        try withArticles { db in
            try db.execute(sql: "CREATE TABLE other (term, doc, cnt); INSERT INTO other VALUES ('database', NULL, 1)")
            #expect(throws: RowDecodingError.self) {
                try FTS5Terms("other", of: "article").corrections(db, of: "databsae")
            }
        }
    }

    @Test("a query keeps its operators and columns")
    func queries() throws {
        try withArticles { db in
            let query =
                FTS5Query("sqlte").inColumns("title") && ("swfit" || .near("ful", "txt", distance: 3)).not("jaba")
            let correction = try vocabulary.correction(db, of: query)
            #expect(correction?.description == "title : SQLite AND (swift OR NEAR(full text, 3)) NOT java")
            expectEqual(try vocabulary.correction(db, of: "swift" && .initial("full text")), nil)
            expectEqual(try vocabulary.correction(db, of: .prefix("datab")), nil)
            expectEqual(try vocabulary.correction(db, of: .prefix("full txt"))?.description, #""full text"*"#)
            expectEqual(try vocabulary.correction(db, of: "xyzxyz"), nil)
            expectEqual(
                try vocabulary.correction(db, of: .all(["swift", "langages"])!)?.description, "swift languages")
        }
    }

    @Test("the text of a search box keeps everything but the words")
    func searchBox() throws {
        try withArticles { db in
            func correction(_ text: String) throws -> String? {
                let syntax = SearchBoxSyntax(fields: ["title"], matchesPrefixOfLastWord: true)
                return try vocabulary.correction(db, ofSearchBox: text, syntax: syntax)
            }
            expectEqual(try correction("title:sqlte  -Jaba (Swfit OR"), "title:SQLite  -java (swift OR")
            expectEqual(try correction(#""full txet, pharses""#), #""full text, phrases""#)
            expectEqual(try correction("datbas*"), "database*")
            expectEqual(try correction("swift datab"), nil)
            expectEqual(try correction("swift datab "), nil)
            expectEqual(try correction("swift databse "), "swift database ")
            expectEqual(try correction("swift OR java"), nil)
            expectEqual(try correction(""), nil)
            expectEqual(try correction("cafe Swift CAFÉ"), nil)
        }
    }

    @Test(
        "no correction finds nothing", arguments: ["qqxz databse", "-swift swfit", "\"swfit moon\"", "title:phrasse"])
    func uselessCorrections(text: String) throws {
        let syntax = SearchBoxSyntax(fields: ["title"])
        try withArticles { db in
            expectEqual(try vocabulary.correction(db, ofSearchBox: text, syntax: syntax), nil)
            let query = try #require(FTS5Query(searchBox: text, syntax: syntax))
            expectEqual(try vocabulary.correction(db, of: query), nil)
        }
    }

    @Test("corrections are spelled as in the documents")
    func spellings() throws {
        try withArticles { db in
            expectEqual(try vocabulary.correction(db, ofSearchBox: "caffe sotry"), "café story")
            expectEqual(try vocabulary.corrections(db, of: "caffe").map(\.spelling), ["café"])
        }
    }

    @Test("a typo in one document is corrected to a word that is in a thousand")
    func rareTypos() throws {
        try withArticles { db in
            try db.execute(
                sql: """
                    WITH numbers(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers LIMIT 999)
                    INSERT INTO article(title) SELECT 'a window' FROM numbers;
                    INSERT INTO article(title) VALUES ('a widnow'), ('a windmill');
                    """)
            expectEqual(try vocabulary.correction(db, ofSearchBox: "widnow"), nil)
            try db.execute(sql: "INSERT INTO article(title) VALUES ('a window')")
            expectEqual(try vocabulary.correction(db, ofSearchBox: "a widnow"), "a window")
            expectEqual(try vocabulary.correction(db, ofSearchBox: "a window"), nil)
            expectEqual(try vocabulary.correction(db, ofSearchBox: "a windmill"), nil)
        }
    }

    @Test("another term is taken where the nearest one finds nothing")
    func otherTerms() throws {
        try withArticles { db in
            let syntax = SearchBoxSyntax(fields: ["title"])
            let correction = try vocabulary.correction(db, ofSearchBox: "title:databse file", syntax: syntax)
            #expect(correction == "title:databases file")
            let query = FTS5Query("databse").inColumns("title")
            expectEqual(try vocabulary.correction(db, of: query)?.description, "title : databases")
        }
    }

    @Test("random texts: a correction finds a document, and is given where words are misspelled")
    func randomTexts() throws {
        let words = [
            "sqlite", "swift", "database", "databases", "languages", "text", "phrases", "ranking", "story", "moon",
        ]
        var random = RandomDocuments(seed: 9)
        try withArticles { db in
            var count = 0
            for _ in 0..<400 {
                let text = (0...random.part(of: 3).upperBound).map { _ -> String in
                    let word = random.element(of: words)
                    let letter = word.index(word.startIndex, offsetBy: random.part(of: word.count).lowerBound)
                    let misspelled =
                        word[..<letter] + random.element(of: ["", "x", "ee"]) + word[letter...].dropFirst()
                    return random.element(of: ["", "-", "title:", "(sqlite OR ", "\"full "]) + misspelled
                }.joined(separator: " ")
                let syntax = SearchBoxSyntax(fields: ["title"], matchesPrefixOfLastWord: true)
                guard let correction = try vocabulary.correction(db, ofSearchBox: text, syntax: syntax) else {
                    continue
                }
                count += 1
                let found = try Article.matching(searchBox: correction, syntax: syntax).fetchCount(db)
                #expect(found > 0, "\(text) → \(correction)")
            }
            #expect(count > 50)
        }
    }

    @Test("a table that is made for suggestions knows no phrases and not all columns")
    func suggestionTables() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE words USING fts5(body, detail=none, columnsize=0);
                    CREATE VIRTUAL TABLE terms USING fts5vocab('words', 'row');
                    INSERT INTO words VALUES ('a heron at the river'), ('an otter');
                    """)
            let vocabulary = FTS5Terms("terms", of: "words")
            let syntax = SearchBoxSyntax(fields: ["body", "path"])
            let corrections = [
                "\"heron rivr\"": "\"heron river\"", "body:herno -otter": "body:heron -otter",
                "path:herno": "path:heron", "\"otter rivr\"": nil, "path:(herno otter)": nil,
            ]
            for (text, expected) in corrections {
                let correction = try vocabulary.correction(db, ofSearchBox: text, syntax: syntax)
                #expect(correction == expected, "\(text)")
            }
        }
    }
}
