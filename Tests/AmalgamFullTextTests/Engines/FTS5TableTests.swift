import Amalgam
import TestSupport
import Testing

@Suite("Tables of FTS5")
struct FTS5TableTests {
    /// Returns the first statement that creates a table.
    private func sql(
        options: VirtualTableOptions = [], _ define: @escaping (FTS5TableDefinition) -> Void
    ) throws -> String {
        try DatabaseQueue().write { db in
            let statements = try db.tracing {
                try db.create(virtualTable: "documents", options: options, using: FTS5()) { t in define(t) }
            }
            return statements.first { $0.hasPrefix("CREATE") } ?? ""
        }
    }

    @Test("columns and options")
    func options() throws {
        expectEqual(
            try sql { t in t.column("content") }, #"CREATE VIRTUAL TABLE "documents" USING fts5(content)"#)
        expectEqual(
            try sql(options: .ifNotExists) { t in t.column("content") },
            #"CREATE VIRTUAL TABLE IF NOT EXISTS "documents" USING fts5(content)"#)
        expectEqual(
            try sql(options: .temporary) { t in t.column("content") },
            #"CREATE VIRTUAL TABLE temp."documents" USING fts5(content)"#)
        expectEqual(
            try sql { t in
                t.column("author").notIndexed()
                t.column("title")
                t.column("my body").notIndexed()
            }, #"CREATE VIRTUAL TABLE "documents" USING fts5(author UNINDEXED, title, "my body" UNINDEXED)"#)
        expectEqual(
            try sql { t in
                t.column("content")
                t.content = ""
                t.prefixes = [4, 2]
                t.columnSize = 0
                t.detail = "column"
            },
            #"CREATE VIRTUAL TABLE "documents" USING fts5(content, content='', prefix='2 4', columnSize=0, detail=column)"#
        )
        expectEqual(
            try sql { t in
                t.column("content")
                t.content = "it's"
                t.contentRowID = "id"
            }, #"CREATE VIRTUAL TABLE "documents" USING fts5(content, content='it''s', content_rowid='id')"#)
        expectEqual(
            try sql { t in
                t.column("content")
                t.column("link").notIndexed()
                t.content = ""
                t.contentlessDelete = true
                t.contentlessUnindexed = true
                t.locale = true
            },
            #"CREATE VIRTUAL TABLE "documents" USING fts5(content, link UNINDEXED, content='', contentless_delete=1, contentless_unindexed=1, locale=1)"#
        )
    }

    @Test(
        "tokenizers: each component is a text inside of a text",
        arguments: [
            (FTS5TokenizerDescriptor.ascii(), "'''ascii'''"), (.unicode61(), "'''unicode61'''"),
            (.porter(), "'''porter'''"), (.ascii(separators: ["X"]), "'''ascii'' ''separators'' ''X'''"),
            (.ascii(tokenCharacters: Set(".-")), "'''ascii'' ''tokenchars'' ''-.'''"),
            (.porter(wrapping: .ascii()), "'''porter'' ''ascii'''"),
            (.porter(wrapping: .unicode61()), "'''porter'' ''unicode61'''"),
            (.unicode61(diacritics: .keep), "'''unicode61'' ''remove_diacritics'' ''0'''"),
            (.unicode61(diacritics: .removeLegacy), "'''unicode61'''"),
            (.unicode61(diacritics: .remove), "'''unicode61'' ''remove_diacritics'' ''2'''"),
            (.unicode61(categories: "L* N* Co"), "'''unicode61'' ''categories'' ''L* N* Co'''"),
            (.unicode61(separators: ["'"]), "'''unicode61'' ''separators'' '''''''''"),
            (.trigram(), "'''trigram'''"), (.trigram(caseSensitive: true), "'''trigram'' ''case_sensitive'' ''1'''"),
            (.trigram(removesDiacritics: true), "'''trigram'' ''remove_diacritics'' ''1'''"),
        ])
    func tokenizers(tokenizer: FTS5TokenizerDescriptor, sql: String) throws {
        let actual = try self.sql { t in
            t.tokenizer = tokenizer
            t.column("content")
        }
        #expect(actual == "CREATE VIRTUAL TABLE \"documents\" USING fts5(content, tokenize=\(sql))")
    }

    @Test("components of tokenizers")
    func components() {
        #expect(
            FTS5TokenizerDescriptor.porter(wrapping: .unicode61(diacritics: .keep)).components
                == ["porter", "unicode61", "remove_diacritics", "0"])
        #expect(FTS5TokenizerDescriptor(components: ["a", "b"]).components == ["a", "b"])
    }

    @Test("a table without columns is refused, and so is a tokenizer without name")
    func refusals() throws {
        try DatabaseQueue().write { db in
            expectError(.SQLITE_MISUSE, "FTS5 virtual table requires at least one column.") {
                try db.create(virtualTable: "documents", using: FTS5())
            }
            expectError(.SQLITE_MISUSE, "FTS5TokenizerDescriptor requires at least one component") {
                try db.create(virtualTable: "documents", using: FTS5()) { t in
                    t.tokenizer = FTS5TokenizerDescriptor(components: [])
                    t.column("content")
                }
            }
            expectError(.SQLITE_ERROR, "no such tokenizer: missing") {
                try db.create(virtualTable: "documents", using: FTS5()) { t in
                    t.tokenizer = FTS5TokenizerDescriptor(components: ["missing"])
                    t.column("content")
                }
            }
            expectEqual(try db.tableExists("documents"), false)
        }
    }

    @Test("a detail is a word, and no other option", arguments: ["full, content=x", "none'", "dé"])
    func wrongDetail(detail: String) throws {
        expectError(.SQLITE_MISUSE, "the detail of an FTS5 table is full, column or none: \(detail)") {
            _ = try sql { t in
                t.column("content")
                t.detail = detail
            }
        }
    }

    @Test("what the tokenizers of FTS5 match")
    func matches() throws {
        let pairs = [
            ("Foo", "FOO"), ("Jérôme", "Jérôme"), ("Jérôme", "JÉRÔME"), ("Jérôme", "Jerome"),
            ("Database", "Databases"), ("Frustration", "Frustrated"), ("Database", "tabas"),
        ]
        let expected: [(FTS5TokenizerDescriptor, [Bool])] = [
            (.ascii(), [true, true, false, false, false, false, false]),
            (.unicode61(), [true, true, true, true, false, false, false]),
            (.unicode61(diacritics: .keep), [true, true, true, false, false, false, false]),
            (.porter(wrapping: .ascii()), [true, true, false, false, true, true, false]),
            (.porter(), [true, true, true, true, true, true, false]),
            (.porter(wrapping: .unicode61()), [true, true, true, true, true, true, false]),
            (.trigram(), [true, true, true, false, false, false, true]),
            (.trigram(removesDiacritics: true), [true, true, true, true, false, false, true]),
        ]
        for (tokenizer, found) in expected {
            for ((text, query), isFound) in zip(pairs, found) {
                try withDocuments([text], tokenizer: tokenizer) { db in
                    expectEqual(try db.rowIDs(matching: "\"\(query)\""), isFound ? [1] : [])
                }
            }
        }
    }
}
