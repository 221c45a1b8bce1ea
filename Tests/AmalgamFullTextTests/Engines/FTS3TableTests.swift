import Amalgam
import TestSupport
import Testing

@Suite("Tables of FTS3 and FTS4")
struct FTS3TableTests {
    /// Returns the first statement that creates a table.
    private func sql<Module: VirtualTableModule>(
        _ module: Module, options: VirtualTableOptions = [], _ define: ((Module.TableDefinition) -> Void)? = nil
    ) throws -> String {
        try DatabaseQueue().write { db in
            let statements = try db.tracing {
                try db.create(virtualTable: "documents", options: options, using: module, define)
            }
            return statements.first { $0.hasPrefix("CREATE") } ?? ""
        }
    }

    @Test("a table of FTS3 without a closure has no parentheses")
    func noClosure() throws {
        expectEqual(try sql(FTS3()), #"CREATE VIRTUAL TABLE "documents" USING fts3"#)
        expectEqual(
            try sql(FTS3(), options: .ifNotExists), #"CREATE VIRTUAL TABLE IF NOT EXISTS "documents" USING fts3"#)
        expectEqual(try sql(FTS3(), options: .temporary), #"CREATE VIRTUAL TABLE temp."documents" USING fts3"#)
    }

    @Test("columns are written bare, where they can be")
    func columns() throws {
        let sql = try sql(FTS3()) { t in
            t.column("author")
            t.column("title")
            t.column("full \"text\"")
        }
        #expect(sql == #"CREATE VIRTUAL TABLE "documents" USING fts3(author, title, "full ""text""")"#)
    }

    @Test(
        "tokenizers of FTS3",
        arguments: [
            (FTS3TokenizerDescriptor.simple, "tokenize=simple"), (.porter, "tokenize=porter"),
            (.unicode61(), "tokenize=unicode61"),
            (.unicode61(diacritics: .removeLegacy), "tokenize=unicode61"),
            (.unicode61(diacritics: .keep), #"tokenize=unicode61 "remove_diacritics=0""#),
            (.unicode61(diacritics: .remove), #"tokenize=unicode61 "remove_diacritics=2""#),
            (.unicode61(separators: ["X"]), #"tokenize=unicode61 "separators=X""#),
            (.unicode61(tokenCharacters: Set(".-")), #"tokenize=unicode61 "tokenchars=-.""#),
            (.unicode61(tokenCharacters: ["\""]), #"tokenize=unicode61 "tokenchars=""""#),
        ])
    func tokenizers(tokenizer: FTS3TokenizerDescriptor, sql: String) throws {
        expectEqual(
            try self.sql(FTS3()) { t in t.tokenizer = tokenizer },
            "CREATE VIRTUAL TABLE \"documents\" USING fts3(\(sql))")
    }

    @Test("FTS4 has options: files of other programs have them in this order")
    func options() throws {
        let all = try sql(FTS4()) { t in
            t.tokenizer = .porter
            t.prefixes = [4, 2]
            t.matchinfo = "fts3"
            t.uncompress = "unzip"
            t.compress = "zip"
            t.content = ""
            t.column("lid").asLanguageId()
            t.column("content")
            t.column("uuid").notIndexed()
        }
        #expect(
            all == """
                CREATE VIRTUAL TABLE "documents" USING fts4(tokenize=porter, content, uuid, notindexed=uuid, \
                languageid="lid", content="", compress="zip", uncompress="unzip", matchinfo="fts3", prefix="2,4")
                """)
        let notIndexed = try sql(FTS4()) { t in
            t.column("author").notIndexed()
            t.column("title")
            t.column("body").notIndexed()
        }
        #expect(
            notIndexed == """
                CREATE VIRTUAL TABLE "documents" USING fts4(author, notindexed=author, title, body, notindexed=body)
                """)
    }

    @Test("FTS4 compresses texts with SQL functions")
    func compression() throws {
        try DatabaseQueue().write { db in
            db.add(function: DatabaseFunction("zip", pure: true) { (text: String) in String(text.reversed()) })
            db.add(function: DatabaseFunction("unzip", pure: true) { (text: String) in String(text.reversed()) })
            try db.create(virtualTable: "documents", using: FTS4()) { t in
                t.compress = "zip"
                t.uncompress = "unzip"
                t.column("body")
            }
            try db.execute(sql: "INSERT INTO documents VALUES ('hello world')")
            expectEqual(try String.fetchAll(db, sql: "SELECT body FROM documents"), ["hello world"])
            expectEqual(try String.fetchAll(db, sql: "SELECT c0body FROM documents_content"), ["dlrow olleh"])
            expectEqual(try db.rowIDs(matching: "world", in: "documents"), [1])
        }
    }

    @Test("texts in the language of rows are found in that language")
    func languages() throws {
        try DatabaseQueue().write { db in
            try db.create(virtualTable: "documents", using: FTS4()) { t in
                t.column("body")
                t.column("language").asLanguageId()
            }
            try db.execute(sql: "INSERT INTO documents (body, language) VALUES ('chat', 1), ('chat', 2)")
            let sql = "SELECT docid FROM documents WHERE documents MATCH 'chat' AND language = ?"
            expectEqual(try Int.fetchAll(db, sql: sql, arguments: [2]), [2])
        }
    }

    @Test("what the tokenizers of FTS3 match")
    func matches() throws {
        let pairs = [
            ("Foo", "FOO"), ("Jérôme", "Jérôme"), ("Jérôme", "JÉRÔME"), ("Jérôme", "Jerome"),
            ("Database", "Databases"), ("Frustration", "Frustrated"),
        ]
        let expected: [(FTS3TokenizerDescriptor, [Bool])] = [
            (.simple, [true, true, false, false, false, false]),
            (.porter, [true, true, false, false, true, true]),
            (.unicode61(), [true, true, true, true, false, false]),
            (.unicode61(diacritics: .keep), [true, true, true, false, false, false]),
        ]
        for (tokenizer, found) in expected {
            for ((text, query), isFound) in zip(pairs, found) {
                try DatabaseQueue().write { db in
                    try db.create(virtualTable: "document", using: FTS3()) { t in
                        t.tokenizer = tokenizer
                        t.column("body")
                    }
                    try db.execute(sql: "INSERT INTO document VALUES (?)", arguments: [text])
                    expectEqual(try db.rowIDs(matching: query), isFound ? [1] : [])
                }
            }
        }
    }

    @Test("tokens of a text, without a database")
    func tokenize() throws {
        expectEqual(try FTS3.tokenize("SQLite database"), ["sqlite", "database"])
        expectEqual(try FTS3.tokenize("Gustave Doré"), ["gustave", "doré"])
        expectEqual(try FTS3.tokenize("SQLite database", withTokenizer: .porter), ["sqlite", "databas"])
        expectEqual(try FTS3.tokenize("Gustave Doré", withTokenizer: .unicode61()), ["gustave", "dore"])
        expectEqual(
            try FTS3.tokenize("Gustave Doré", withTokenizer: .unicode61(diacritics: .keep)), ["gustave", "doré"])
        expectEqual(
            try FTS3.tokenize("aXb-c", withTokenizer: .unicode61(separators: ["X"], tokenCharacters: ["-"])),
            ["a", "b-c"])
        expectEqual(try FTS3.tokenize(""), [])
    }
}
