import Amalgam
import TestSupport
import Testing

@Suite("Patterns")
struct PatternTests {
    @Test("a text of a hundred thousand words has a pattern that takes no time")
    func longTexts() throws {
        let words = (0..<100_000).map { "w\($0)" }
        let text = words.joined(separator: " ")
        #expect(FTS5Pattern(matchingAnyTokenIn: text)?.rawPattern == words.prefix(4095).joined(separator: " OR "))
        #expect(FTS5Pattern(matchingAllTokensIn: text)?.rawPattern == words.prefix(4095).joined(separator: " "))
        let prefixes = words.prefix(4095).map { $0 + "*" }.joined(separator: " ")
        #expect(FTS5Pattern(matchingAllPrefixesIn: text)?.rawPattern == prefixes)
        #expect(FTS5Pattern(matchingPhrase: text)?.rawPattern == "\"\(text)\"")
    }

    @Test("a column that is named twice is one column")
    func repeatedColumns() throws {
        expectEqual(try FTS5Pattern(rawPattern: "title: x", allowedColumns: ["title", "Title"]).rawPattern, "title: x")
    }

    @Test("what people type becomes a pattern, or nil")
    func builders() {
        let texts = [" years\n months ", "^Moby*", "^Moby-dick*", "FOOÉı🤝 \"x\" AND"]
        #expect(
            texts.map { FTS5Pattern(matchingAnyTokenIn: $0)?.rawPattern }
                == ["years OR months", "moby", "moby OR dick", "fooÉı🤝 OR x OR and"])
        #expect(
            texts.map { FTS5Pattern(matchingAllTokensIn: $0)?.rawPattern }
                == ["years months", "moby", "moby dick", "fooÉı🤝 x and"])
        #expect(
            texts.map { FTS5Pattern(matchingAllPrefixesIn: $0)?.rawPattern }
                == ["years* months*", "moby*", "moby* dick*", "fooÉı🤝* x* and*"])
        #expect(
            texts.map { FTS5Pattern(matchingPhrase: $0)?.rawPattern }
                == ["\"years months\"", "\"moby\"", "\"moby dick\"", "\"fooÉı🤝 x and\""])
        #expect(
            texts.map { FTS5Pattern(matchingPrefixPhrase: $0)?.rawPattern }
                == ["^\"years months\"", "^\"moby\"", "^\"moby dick\"", "^\"fooÉı🤝 x and\""])
        #expect(FTS3Pattern(matchingAnyTokenIn: "Foo bar")?.rawPattern == "foo OR bar")
        #expect(FTS3Pattern(matchingAllTokensIn: "Foo bar")?.rawPattern == "foo bar")
        #expect(FTS3Pattern(matchingAllPrefixesIn: "Foo bar")?.rawPattern == "foo* bar*")
        #expect(FTS3Pattern(matchingPhrase: "Foo bar")?.rawPattern == "\"foo bar\"")
    }

    @Test("nothing to search for is nil", arguments: ["", "*", "^", " ", "(", "()", "\"", "?!", "\0", "_-_"])
    func nothing(text: String) {
        #expect(FTS5Pattern(matchingAnyTokenIn: text) == nil)
        #expect(FTS5Pattern(matchingAllTokensIn: text) == nil)
        #expect(FTS5Pattern(matchingAllPrefixesIn: text) == nil)
        #expect(FTS5Pattern(matchingPhrase: text) == nil)
        #expect(FTS5Pattern(matchingPrefixPhrase: text) == nil)
        #expect(FTS3Pattern(matchingAnyTokenIn: text) == nil)
        #expect(FTS3Pattern(matchingAllTokensIn: text) == nil)
        #expect(FTS3Pattern(matchingAllPrefixesIn: text) == nil)
        #expect(FTS3Pattern(matchingPhrase: text) == nil)
    }

    @Test("patterns made of any text are valid")
    func fuzz() throws {
        var generator = SeededGenerator(seed: 7)
        let characters = Array("abAZ09 \"'*^()+-:,{}\n\0éÉ日本ﬁ🤝\u{301}NEARORANDNOT")
        try withDocuments(["a b"]) { db in
            try db.create(virtualTable: "old", using: FTS4()) { t in t.column("body") }
            var patternCount = 0
            for _ in 0..<300 {
                let text = String(
                    (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                        characters.randomElement(using: &generator)!
                    })
                let patterns = [
                    FTS5Pattern(matchingAnyTokenIn: text), FTS5Pattern(matchingAllTokensIn: text),
                    FTS5Pattern(matchingAllPrefixesIn: text), FTS5Pattern(matchingPhrase: text),
                    FTS5Pattern(matchingPrefixPhrase: text),
                ]
                for pattern in patterns {
                    // Throws for a pattern that FTS5 doesn't understand.
                    let count = try Document.matching(pattern).fetchCount(db)
                    #expect(pattern == nil ? count == 0 : count <= 1, "\(text.debugDescription)")
                }
                let oldPatterns = [
                    FTS3Pattern(matchingAnyTokenIn: text), FTS3Pattern(matchingAllTokensIn: text),
                    FTS3Pattern(matchingAllPrefixesIn: text), FTS3Pattern(matchingPhrase: text),
                ]
                for pattern in oldPatterns {
                    #expect(try Table("old").matching(pattern).fetchCount(db) == 0, "the table is empty")
                }
                patternCount += (patterns.count { $0 != nil }) + (oldPatterns.count { $0 != nil })
            }
            #expect(patternCount > 1_000)
        }
    }

    @Test(
        "valid patterns of FTS5",
        arguments: [
            "database", "Robin*", "\"a b\"", "^one", "NEAR(\"a\" \"b\", 5)", "a AND b", "a OR b", "a NOT b",
            "title: brest", "{title body}: brest", "- title: brest", "(a OR b) AND c", "a + b",
        ])
    func validPatterns(rawPattern: String) throws {
        let pattern = try FTS5Pattern(rawPattern: rawPattern, allowedColumns: ["title", "body"])
        #expect(pattern.rawPattern == rawPattern)
        try withDocuments([]) { db in
            expectEqual(try db.makeFTS5Pattern(rawPattern: rawPattern, forTable: "document"), pattern)
        }
        #expect(FTS5Pattern.fromDatabaseValue(rawPattern.databaseValue) == pattern)
    }

    @Test(
        "patterns that FTS5 does not understand", arguments: ["?!", "^", "NOT", "(", "AND", "OR", "\"", "missing:foo"])
    func invalidPatterns(rawPattern: String) throws {
        #expect(throws: DatabaseError.self) { try FTS5Pattern(rawPattern: rawPattern) }
        try withDocuments([]) { db in
            _ = #expect(throws: DatabaseError.self) {
                try db.makeFTS5Pattern(rawPattern: rawPattern, forTable: "document")
            }
        }
    }

    @Test("what FTS5 says of a pattern")
    func messages() throws {
        try withDocuments([]) { db in
            expectError(.SQLITE_ERROR, "no such column: missing") {
                _ = try db.makeFTS5Pattern(rawPattern: "missing: sqlite", forTable: "document")
            }
            expectError(.SQLITE_ERROR, "fts5: syntax error near \"AND\"") {
                _ = try db.makeFTS5Pattern(rawPattern: "AND", forTable: "document")
            }
            expectError(.SQLITE_ERROR, "no such table: missing") {
                _ = try db.makeFTS5Pattern(rawPattern: "sqlite", forTable: "missing")
            }
        }
        expectError(.SQLITE_ERROR, "no such column: author") {
            _ = try FTS5Pattern(rawPattern: "author: x", allowedColumns: ["title"])
        }
    }

    @Test("columns may have any names", arguments: ["document", "pattern", "Pattern", "pattern_", "search"])
    func columnNames(name: String) throws {
        try DatabaseQueue().write { db in
            try db.create(virtualTable: "book", using: FTS5()) { t in t.column(name) }
            let rawPattern = "\(name): sqlite"
            expectEqual(try db.makeFTS5Pattern(rawPattern: rawPattern, forTable: "book").rawPattern, rawPattern)
        }
    }

    @Test("columns whose names only Swift takes for equal", arguments: ["\u{C9}", "\u{E9}", "e\u{301}"])
    func equivalentColumnNames(name: String) throws {
        try DatabaseQueue().write { db in
            try db.create(virtualTable: "book", using: FTS5()) { t in
                for name in ["\u{C9}", "\u{E9}", "e\u{301}"] { t.column(name) }
            }
            let rawPattern = "\"\(name)\": sqlite"
            expectEqual(try db.makeFTS5Pattern(rawPattern: rawPattern, forTable: "book").rawPattern, rawPattern)
        }
    }

    @Test("a stored pattern may name many columns, up to a limit", arguments: [10, 64])
    func manyColumns(count: Int) {
        let rawPattern = (1...count).map { "column\($0): x" }.joined(separator: " OR ")
        #expect(FTS5Pattern.fromDatabaseValue(rawPattern.databaseValue)?.rawPattern == rawPattern)
    }

    @Test("a stored pattern of too many columns is none")
    func tooManyColumns() {
        let rawPattern = (1...65).map { "column\($0): x" }.joined(separator: " OR ")
        #expect(FTS5Pattern.fromDatabaseValue(rawPattern.databaseValue) == nil)
    }

    @Test("the words of a whole book are a pattern of FTS3")
    func manyWords() throws {
        let text = (1...10_000).map { "w\($0)" }.joined(separator: " ")
        try DatabaseQueue().write { db in
            try db.create(virtualTable: "old", using: FTS4()) { t in t.column("body") }
            try db.execute(sql: "INSERT INTO old VALUES (?)", arguments: [text])
            let patterns = [
                FTS3Pattern(matchingAnyTokenIn: text), FTS3Pattern(matchingAllTokensIn: text),
                FTS3Pattern(matchingAllPrefixesIn: text), FTS3Pattern(matchingPhrase: text),
            ]
            for pattern in patterns { expectEqual(try Table("old").matching(pattern).fetchCount(db), 1) }
        }
    }

    @Test("patterns of FTS3")
    func fts3() throws {
        expectError(.SQLITE_ERROR, "malformed MATCH expression: [AND]") { _ = try FTS3Pattern(rawPattern: "AND") }
        expectEqual(try FTS3Pattern(rawPattern: "and").rawPattern, "and")
        expectEqual(try FTS3Pattern(rawPattern: "sqlite AND database").rawPattern, "sqlite AND database")
        #expect(FTS3Pattern.fromDatabaseValue("sqlite".databaseValue)?.rawPattern == "sqlite")
        #expect(FTS3Pattern.fromDatabaseValue("AND".databaseValue) == nil)
        #expect(FTS3Pattern.fromDatabaseValue(.null) == nil)
        #expect(FTS5Pattern.fromDatabaseValue("AND".databaseValue) == nil)
        #expect(FTS5Pattern.fromDatabaseValue(.null) == nil)
    }

    @Test("patterns are values")
    func values() throws {
        let pattern = try #require(FTS5Pattern(matchingAllTokensIn: "white whale"))
        try withLibrary { db in
            let sql = "SELECT rowid FROM bookSearch WHERE bookSearch MATCH ?"
            expectEqual(try Int64.fetchAll(db, sql: sql, arguments: [pattern]), [1])
            expectEqual(try FTS5Pattern.fetchOne(db, sql: "SELECT ?", arguments: [pattern]), pattern)
        }
    }

    @Test("a prefix phrase is at the beginning, and has whole words")
    func prefixPhrase() throws {
        try withDocuments([]) { db in
            for text in ["the bat is happy", "mind the bat", "the batcave is dark"] {
                try db.execute(sql: "INSERT INTO document VALUES ('', ?)", arguments: [text])
            }
            let pattern = FTS5Pattern(matchingPrefixPhrase: "the bat")
            expectEqual(try Document.matching(pattern).fetchAll(db).map(\.body), ["the bat is happy"])
        }
    }
}
