import Amalgam
import TestSupport
import Testing

@Suite("Completions while people type")
struct CompletionTests {
    let vocabulary = FTS5Terms("articleTerms", of: "article")

    @Test("the most frequent terms first")
    func completions() throws {
        try withArticles { db in
            try expectQuery(db, vocabulary.completions(of: "T").limit(3)) {
                """
                SELECT * FROM "articleTerms" WHERE "term" BETWEEN 't' AND 't\u{10FFFF}' ORDER BY "doc" DESC, "term" LIMIT 3
                """
            } rows: {
                """
                text|3|3
                tables|1|1
                the|1|1
                """
            }
            expectEqual(
                try vocabulary.completions(of: "swift Dat").fetchAll(db).map(\.term), ["database", "databases"])
            expectEqual(try vocabulary.completions(of: "caf").fetchAll(db).map(\.term), ["cafe"])
            expectEqual(try vocabulary.completions(of: "CAFÉ").fetchAll(db).map(\.term), ["cafe"])
            expectEqual(try vocabulary.completions(of: "xyz").fetchCount(db), 0)
            expectEqual(try vocabulary.completions(of: "").fetchCount(db), 0)
            expectEqual(try vocabulary.completions(of: "?!").fetchCount(db), 0)
        }
    }

    @Test("a term is found at once: SQLite reads a range")
    func plan() throws {
        try withArticles { db in
            let plan = try Row.fetchAll(
                db, sql: "EXPLAIN QUERY PLAN SELECT * FROM articleTerms WHERE term BETWEEN 'a' AND 'b'")
            let detail: String = plan[0]["detail"]
            let scan = try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN SELECT * FROM articleTerms")
            let scanDetail: String = scan[0]["detail"]
            #expect(detail != scanDetail)
        }
    }

    @Test("no completions below one")
    func negativeLimit() throws {
        try withArticles { db in
            expectEqual(try vocabulary.completions(db, ofSearchBox: "data", limit: -1), [])
        }
    }

    @Test("texts of a search box")
    func searchBox() throws {
        try withArticles { db in
            func completions(_ text: String, _ syntax: SearchBoxSyntax = SearchBoxSyntax(fields: ["title"])) throws
                -> [String]
            {
                try vocabulary.completions(db, ofSearchBox: text, syntax: syntax)
            }
            expectEqual(try completions("dat"), ["database", "databases"])
            expectEqual(try completions("swift -java Dat"), ["swift -java database"])
            expectEqual(try completions("title:dat"), ["title:databases"])
            expectEqual(try completions(#"a "full te"#), [#"a "full text"#])
            expectEqual(try completions("(x OR rank"), ["(x OR ranking"])
            expectEqual(try completions("dat "), [])
            expectEqual(try completions("dat*"), [])
            expectEqual(try completions(#""dat""#), [])
            expectEqual(try completions("dat)"), [])
            expectEqual(try completions("dat-"), [])
            expectEqual(try completions(""), [])
            expectEqual(try completions("title:"), [])
            expectEqual(try vocabulary.completions(db, ofSearchBox: "t", limit: 1), ["text"])
        }
    }

    @Test("words are spelled as in the documents")
    func spellings() throws {
        try withArticles { db in
            expectEqual(try vocabulary.completions(db, ofSearchBox: "CAF"), ["café"])
            expectEqual(try vocabulary.completions(db, ofSearchBox: "sql"), ["SQLite"])
            expectEqual(try vocabulary.spelling(db, of: "cafe"), "café")
            expectEqual(try vocabulary.spelling(db, of: "java"), "java")
            expectEqual(try vocabulary.spelling(db, of: "missing"), "missing")
            expectEqual(try vocabulary.spelling(db, of: "?"), "?")
            try db.execute(sql: "INSERT INTO article(title) VALUES ('CAFÉ'), ('Café'), ('CAFÉ')")
            expectEqual(try vocabulary.spelling(db, of: "cafe"), "café")
        }
    }

    @Test("stems are spelled as words")
    func stems() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE page USING fts5(body, tokenize=porter);
                    CREATE VIRTUAL TABLE terms USING fts5vocab('page', 'row');
                    INSERT INTO page VALUES ('Relational databases'), ('a file');
                    """)
            let vocabulary = FTS5Terms("terms", of: "page", tokenizer: .porter())
            expectEqual(try vocabulary.completions(db, ofSearchBox: "dat"), ["databases"])
            expectEqual(try vocabulary.completions(db, ofSearchBox: "databases rel"), ["databases relational"])
        }
    }

    @Test("a typed word of several tokens keeps all but the last one", arguments: ["full", "column", "none"])
    func severalTokens(detail: String) throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE page USING fts5(body, detail=\(detail));
                    CREATE VIRTUAL TABLE terms USING fts5vocab('page', 'row');
                    INSERT INTO page VALUES ('हिन्दी भाषा'), ('क्यारी'), ('an e-mail'), ('O''Neill'), ('foo_bar');
                    """)
            let vocabulary = FTS5Terms("terms", of: "page")
            for (text, completions) in [
                "हिन्द": ["हिन्दी"], "भाषा क्य": [], "क्यार": ["क्यारी"], "क्": ["क्या"],
                "-foo e-mai": ["-foo e-mail"], "(e-m": ["(e-mail"], "\"an e-m": ["\"an e-mail"], "O'Ne": ["O'neill"],
                "foo_b": ["foo_bar"], "e-": [], "e-x": [],
            ] {
                expectEqual(try vocabulary.completions(db, ofSearchBox: text), completions, "\(text)")
            }
            expectEqual(try vocabulary.spelling(db, of: "द"), "दी")
            // The character has a further token.
            expectEqual(try vocabulary.spelling(db, of: "न"), "न")
        }
    }

    @Test("the overlapping tokens of Chinese and Japanese are completed after the typed ones")
    func overlappingTokens() throws {
        try DatabaseQueue().write { db in
            db.add(tokenizer: .cjkBigrams())
            let tokenizer = FTS5TokenizerModule.cjkBigrams().descriptor(wrapping: .unicode61())
            try db.create(virtualTable: "page", using: FTS5()) { t in
                t.tokenizer = tokenizer
                t.column("body")
            }
            try db.create(virtualTable: "terms", using: FTS5VocabTable(of: "page"))
            try db.execute(sql: "INSERT INTO page VALUES ('日本語')")
            let vocabulary = FTS5Terms("terms", of: "page", tokenizer: tokenizer)
            expectEqual(try vocabulary.completions(db, ofSearchBox: "日本語"), ["日本語"])
        }
    }

    @Test("a table without text spells terms as terms")
    func contentless() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE page USING fts5(body, content='');
                    CREATE VIRTUAL TABLE terms USING fts5vocab('page', 'row');
                    INSERT INTO page(rowid, body) VALUES (1, 'Café');
                    """)
            expectEqual(try FTS5Terms("terms", of: "page").completions(db, ofSearchBox: "ca"), ["cafe"])
        }
    }

    @Test("what is offered has results, also behind twenty terms that have none")
    func results() throws {
        try withArticles { db in
            for number in 1...19 {
                try db.execute(
                    sql: "INSERT INTO article(title) VALUES (?), (?)", arguments: ["lam\(number)", "lam\(number)"])
            }
            try db.execute(sql: "INSERT INTO article(title) VALUES ('zebra lamp')")
            expectEqual(try vocabulary.completions(db, ofSearchBox: "zebra lam", limit: 1), ["zebra lamp"])
            expectEqual(try vocabulary.completions(db, ofSearchBox: "zebra da"), [])
            expectEqual(try vocabulary.completions(db, ofSearchBox: "lam", limit: .max).count, 20)
        }
    }
}
