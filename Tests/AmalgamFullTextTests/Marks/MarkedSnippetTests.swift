import Amalgam
import Foundation
import TestSupport
import Testing

@Suite("Snippets with marked ranges")
struct MarkedSnippetTests {
    private let body = Document.Columns.body

    /// Returns the snippets of all documents that match, with brackets around matches.
    private func snippets(_ db: Database, _ pattern: String, _ expression: SQLExpression) throws -> [String] {
        let request = Document.matching(try FTS5Pattern(rawPattern: pattern))
            .select(expression, as: FTS5MarkedSnippet.self).order(Column.rowID)
        return try request.fetchAll(db).map { FTS5.html($0, from: "[", to: "]") }
    }

    @Test("the fragment that matches best, and whether text is omitted")
    func fragments() throws {
        let text = "One two three. Four five needle six seven eight nine ten."
        try withDocuments([text]) { db in
            let request = Document.matching("needle").select { FTS5.markedSnippet($0.body, tokenCount: 4) }
                .asRequest(of: FTS5MarkedSnippet.self)
            expectEqual(
                try request.expandedSQL(db),
                #"SELECT amalgam_marked_snippet("document", 1, 4, 1) FROM "document" WHERE "document" MATCH 'needle'"#)
            let snippet = try #require(try request.fetchOne(db))
            #expect(snippet.pieces.map(\.text) == ["Four five needle six"])
            #expect(snippet.pieces[0].marks.map { String(snippet.pieces[0].text[$0.range]) } == ["needle"])
            #expect(snippet.omitsBeginning && snippet.omitsEnd && snippet.column == 1)
            #expect(snippet.joined().text == "…Four five needle six…")
            #expect(snippet.joined(ellipsis: " ... ").segments.map(\.isMarked) == [false, true, false])
            expectEqual(try snippets(db, "one", FTS5.markedSnippet(body, tokenCount: 2)), ["[One] two…"])
            expectEqual(try snippets(db, "ten", FTS5.markedSnippet(body, tokenCount: 2)), ["…nine [ten]."])
            expectEqual(
                try snippets(db, "ten", FTS5.markedSnippet(body, tokenCount: 64)),
                [FTS5.html(text).replacing("ten", with: "[ten]")])
        }
    }

    @Test("several pieces show different phrases first")
    func pieces() throws {
        let filler = " x x x x x x x x x x "
        let text = "apple" + filler + "apple banana" + filler + "apple" + filler + "cherry" + filler + "apple"
        try withDocuments([text]) { db in
            func snippet(_ count: Int, tokenCount: Int = 2) throws -> [String] {
                try snippets(
                    db, "apple AND banana AND cherry",
                    FTS5.markedSnippet(body, tokenCount: tokenCount, pieceCount: count))
            }
            expectEqual(try snippet(1), ["…[apple] [banana]…"])
            expectEqual(try snippet(2), ["…[apple] [banana]…[cherry] x…"])
            expectEqual(try snippet(3), ["[apple] x…[apple] [banana]…[cherry] x…"])
            expectEqual(try snippet(16), try snippet(.max))
            expectEqual(try snippet(0), try snippet(.min))
            expectEqual(try snippet(1, tokenCount: .min), ["[apple]…"])
            // All positions: the pieces are adjacent, and become one.
            expectEqual(try snippet(16, tokenCount: .max).first?.contains("…"), false)
        }
    }

    @Test("adjacent pieces are one piece")
    func adjacentPieces() throws {
        try withDocuments(["a b c d e f"]) { db in
            expectEqual(try snippets(db, "b c", FTS5.markedSnippet(body, tokenCount: 1, pieceCount: 2)), ["…[b] [c]…"])
        }
    }

    @Test("the column that matches best")
    func bestColumn() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE document USING fts5(title, body, note UNINDEXED);
                    INSERT INTO document VALUES ('a red one', 'red and blue', 'blue'), ('red', NULL, '')
                    """)
            let request = Document.matching(try FTS5Pattern(rawPattern: "red OR blue")).order(Column.rowID)
            let best = try request.select(FTS5.markedSnippet(), as: FTS5MarkedSnippet.self).fetchAll(db)
            #expect(best.map(\.column) == [1, 0])
            #expect(best.map { $0.joined().text } == ["red and blue", "red"])
            let notes = try request.select(FTS5.markedSnippet(Column("note")), as: FTS5MarkedSnippet.self).fetchAll(db)
            #expect(notes.map { $0.joined().text } == ["blue", ""])
            let bodies = try request.select(FTS5.markedSnippet(Column("body")), as: FTS5MarkedSnippet.self).fetchAll(db)
            #expect(bodies.map(\.pieces.count) == [1, 1])
            expectError(.SQLITE_ERROR, "no such column: author in table document") {
                _ = try request.select(FTS5.markedSnippet(Column("author")), as: FTS5MarkedSnippet.self).fetchAll(db)
            }
            expectError(.SQLITE_RANGE, "there is no column 3: the full-text table has 3 columns") {
                _ = try Row.fetchAll(db, sql: "SELECT amalgam_marked_snippet(document, 3, 1, 1) FROM document('red')")
            }
            let plain = try Data.fetchAll(db, sql: "SELECT amalgam_marked_snippet(document) FROM document('red')")
            #expect(plain.count == 2)
        }
    }

    @Test("one piece is the fragment of SQLite's snippet()", arguments: [UInt64(1), 2, 3])
    func sameFragment(seed: UInt64) throws {
        var random = RandomDocuments(seed: seed)
        let pieces = ["a ", "b ", "c ", "d ", "xx ", "yy ", "z. ", "w: ", "v ", "(u) "]
        let texts = (0..<300).map { _ in random.document(of: pieces, count: 1...60) }
        try withDocuments(texts) { db in
            var count = 0
            for pattern in ["a", "a AND b", "a OR b OR c", "\"a b\" OR c", "NEAR(a b, 3) OR d"] {
                for tokenCount in [2, 3, 5, 8, 16, 64] {
                    let sqlite = FTS5.snippet(body, from: "[", to: "]", tokenCount: tokenCount)
                    let request = Document.matching(try FTS5Pattern(rawPattern: pattern)).order(Column.rowID)
                    let expected = try request.select(sqlite, as: String.self).fetchAll(db)
                    let actual = try snippets(db, pattern, FTS5.markedSnippet(body, tokenCount: tokenCount))
                    for (actual, expected) in zip(actual, expected) {
                        // snippet() doesn't mark a phrase that begins before the fragment.
                        let isEqual =
                            pattern.contains("\"") ? unmarked(actual) == unmarked(expected) : actual == expected
                        #expect(isEqual, "\(actual) and \(expected) for \(pattern), \(tokenCount)")
                    }
                    #expect(actual.count == expected.count)
                    count += actual.count
                }
            }
            #expect(count > 5_000)
        }
    }

    private func unmarked(_ text: String) -> String { text.filter { !"[]".contains($0) } }

    @Test("random pieces are parts of the text in order, and no longer than asked for")
    func randomPieces() throws {
        var random = RandomDocuments(seed: 4)
        let texts = (0..<200).map { _ in random.document(of: ["a ", "b ", "é ", "xx ", "z. ", "東 "], count: 1...80) }
        try withDocuments(texts) { db in
            let tokenizer = try db.makeTokenizer(.unicode61())
            for (tokenCount, pieceCount) in [(1, 3), (2, 2), (5, 4), (9, 16)] {
                let expression = FTS5.markedSnippet(body, tokenCount: tokenCount, pieceCount: pieceCount)
                let rows = try Document.matching(try FTS5Pattern(rawPattern: "a OR e"))
                    .select([Column("body"), expression.forKey("snippet")]).asRequest(of: Row.self).fetchAll(db)
                #expect(rows.count > 150)
                for row in rows {
                    let (text, snippet): (String, FTS5MarkedSnippet) = (row["body"], row["snippet"])
                    var rest = text[...]
                    for piece in snippet.pieces {
                        let place = try #require(rest.range(of: piece.text))
                        rest = rest[place.upperBound...]
                        #expect(!piece.marks.isEmpty)
                        for range in piece.ranges { #expect(piece.text[range].contains { "aé".contains($0) }) }
                    }
                    #expect(snippet.pieces.count <= pieceCount)
                    let tokens = try snippet.pieces.reduce(0) { try $0 + tokenizer.tokenize(document: $1.text).count }
                    #expect(tokens <= tokenCount * pieceCount)
                    #expect(snippet.omitsBeginning != text.hasPrefix(snippet.pieces[0].text) || snippet.omitsBeginning)
                }
            }
        }
    }

    @Test("a sentence is shown from its beginning, also in Chinese")
    func sentences() throws {
        let bigrams = FTS5TokenizerModule.cjkBigrams()
        try withDocuments(
            ["one two. three four five six needle seven eight", "今天天气很好。我们去东京吃饭喝茶看书"],
            tokenizer: bigrams.descriptor(), modules: [bigrams]
        ) { db in
            expectEqual(
                try snippets(db, "needle", FTS5.markedSnippet(body, tokenCount: 6)),
                ["…three four five six [needle] seven…"])
            expectEqual(try snippets(db, "东京", FTS5.markedSnippet(body, tokenCount: 6)), ["…我们去[东京]吃饭…"])
        }
    }

    @Test("exclamation and question marks end a sentence, other than in snippet()", arguments: ["!", "?"])
    func signs(sign: String) throws {
        try withDocuments(["one two three\(sign) needle four five six", "one two three. needle four five six"]) { db in
            let sqlite = Document.matching("needle").order(Column.rowID)
                .select(FTS5.snippet(body, from: "[", to: "]", tokenCount: 4), as: String.self)
            expectEqual(
                try sqlite.fetchAll(db), ["one two three\(sign) [needle]…", "…three. [needle] four five…"])
            expectEqual(
                try snippets(db, "needle", FTS5.markedSnippet(body, tokenCount: 4)),
                ["…three\(sign) [needle] four five…", "…three. [needle] four five…"])
        }
    }

    @Test("a phrase that is longer than the fragment is shown from its beginning")
    func longPhrase() throws {
        try withDocuments(["x x a b c d x x x x x x"]) { db in
            let sqlite = Document.matching("a b c d").select(
                FTS5.snippet(body, from: "", to: "", tokenCount: 2), as: String.self)
            expectEqual(try sqlite.fetchAll(db), ["…b c…"])
            expectEqual(
                try snippets(db, "\"a b c d\"", FTS5.markedSnippet(body, tokenCount: 2)).map(unmarked), ["…a b…"])
        }
    }

    @Test("matches that reach past the end of the fragment are shown from the beginning of the first one")
    func longMatches() throws {
        try withDocuments(["a b c one two x y z q r s"]) { db in
            let pattern = "one AND \"x y z\""
            let sqlite = Document.matching(try FTS5Pattern(rawPattern: pattern)).select(
                FTS5.snippet(body, from: "", to: "", tokenCount: 3), as: String.self)
            expectEqual(try sqlite.fetchAll(db), ["…two x y…"])
            let marked = try snippets(db, pattern, FTS5.markedSnippet(body, tokenCount: 3))
            expectEqual(marked.map(unmarked), ["…one two x…"])
        }
    }

    @Test("whole identifiers are marked, and not cut")
    func identifiers() throws {
        let module = FTS5TokenizerModule.identifiers()
        let long = String(repeating: "ab_", count: 200) + "End"
        try withDocuments(
            ["let a = 1; let b = parseHTTPHeader(url) + 2", "x \(long) needle y z"], tokenizer: module.descriptor(),
            modules: [module]
        ) { db in
            let whole = FTS5.markedSnippet(body, tokenCount: 1)
            expectEqual(try snippets(db, "parsehttpheader", whole), ["…[parseHTTPHeader]…"])
            expectEqual(try snippets(db, "header", whole), ["…parseHTTP[Header]…"])
            expectEqual(try snippets(db, "http", whole), ["…parse[HTTP]Header…"])
            // An identifier of more than 256 bytes is cut.
            expectEqual(try snippets(db, "needle", FTS5.markedSnippet(body, tokenCount: 3)), ["…End [needle] y…"])
        }
    }

    @Test("invalid UTF-8, text that has changed, and tables without content or positions")
    func oddTables() throws {
        try withArticles { db in
            try db.execute(
                sql: "INSERT INTO article(title) VALUES (CAST(x'80ff80' || 'a needle ' || x'c3' || ' needle' AS TEXT))")
            let request = Article.matching("needle").select(FTS5.markedSnippet(), as: FTS5MarkedSnippet.self)
            let snippet = try #require(try request.fetchOne(db))
            #expect(
                snippet.pieces.flatMap { piece in piece.ranges.map { String(piece.text[$0]) } } == ["needle", "needle"])
        }
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT);
                    INSERT INTO note VALUES (1, 'a long text with a needle'), (2, 'needle');
                    CREATE VIRTUAL TABLE external USING fts5(body, content='note', content_rowid='id');
                    INSERT INTO external(external) VALUES ('rebuild');
                    UPDATE note SET body = 'short' WHERE id = 1; UPDATE note SET body = NULL WHERE id = 2;
                    CREATE VIRTUAL TABLE none USING fts5(body, content='', columnsize=0);
                    INSERT INTO none(rowid, body) VALUES (1, 'needle');
                    CREATE VIRTUAL TABLE sparse USING fts5(body, detail='none');
                    INSERT INTO sparse VALUES ('the needle in a haystack')
                    """)
            func texts(_ table: String) throws -> [String] {
                try Table(table).matching("needle" as FTS5Query).order(Column.rowID)
                    .select(FTS5.markedSnippet(Column("body"), tokenCount: 2), as: FTS5MarkedSnippet.self)
                    .fetchAll(db).map { FTS5.html($0, from: "[", to: "]") }
            }
            expectEqual(try texts("external"), ["short", ""])
            expectEqual(try texts("none"), [""])
            expectEqual(try texts("sparse"), ["the [needle]…"])
        }
    }

    @Test("a snippet is encoded and decoded")
    func coding() throws {
        try withDocuments(["x x x needle x x x needle <é>"]) { db in
            let request = Document.matching("needle")
                .select(FTS5.markedSnippet(body, tokenCount: 2, pieceCount: 2), as: FTS5MarkedSnippet.self)
            let snippet = try #require(try request.fetchOne(db))
            #expect(snippet.pieces.count == 2)
            #expect(FTS5MarkedSnippet.fromDatabaseValue(snippet.databaseValue) == snippet)
            let decoded = try JSONDecoder().decode(FTS5MarkedSnippet.self, from: JSONEncoder().encode(snippet))
            #expect(decoded == snippet)
            // A snippet isn't a marked text, and a marked text isn't a snippet.
            #expect(FTS5MarkedText.fromDatabaseValue(snippet.databaseValue) == nil)
            #expect(FTS5MarkedSnippet.fromDatabaseValue(snippet.pieces[0].databaseValue) == nil)
            let plain = try #require(FTS5MarkedSnippet.fromDatabaseValue("plain".databaseValue))
            #expect(plain.joined().text == "plain" && plain.pieces[0].marks.isEmpty)
            #expect(FTS5MarkedSnippet.fromDatabaseValue(.null) == nil)

            let bytes = try #require(Data.fromDatabaseValue(snippet.databaseValue))
            for count in 0..<bytes.count {
                #expect(FTS5MarkedSnippet.fromDatabaseValue(bytes.prefix(count).databaseValue) == nil || count >= 16)
            }
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(FTS5MarkedSnippet.self, from: JSONEncoder().encode(Data([1])))
            }
        }
    }

    @Test("a row that no pattern has found: the beginning of its text")
    func noPattern() throws {
        try withDocuments(["one two three"]) { db in
            let snippets = try Document.all().select(
                FTS5.markedSnippet(body, tokenCount: 2), as: FTS5MarkedSnippet.self
            )
            .fetchAll(db)
            #expect(snippets.map { $0.joined().text } == ["one two…"])
        }
    }
}
