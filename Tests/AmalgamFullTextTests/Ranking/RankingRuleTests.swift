import Amalgam
import TestSupport
import Testing

@Suite("Ranking rules")
struct RankingRuleTests {
    /// Returns the bodies of the documents that match, in the order of the rules.
    private func bodies(
        _ texts: [String], _ query: FTS5Query, _ rules: [FTS5RankingRule], tokenizer: FTS5TokenizerDescriptor? = nil
    ) throws -> [String] {
        try withDocuments(texts, tokenizer: tokenizer) { db in
            try Document.matching(query).ranked(by: rules + [.expression(Column.rowID)]).fetchAll(db).map(\.body)
        }
    }

    @Test("the SQL of rules, in their order")
    func sql() throws {
        try withDocuments([]) { db in
            let rules: [FTS5RankingRule] = [
                .words, .proximity, .attribute(["body", "title"]), .attribute, .exactness, .relevance,
                .expression(Column("title").desc),
            ]
            expectEqual(
                try Document.matching("a" || "b").ranked(by: rules).expandedSQL(db),
                """
                SELECT * FROM "document" WHERE "document" MATCH 'a OR b' ORDER BY amalgam_rank_words("document"), \
                amalgam_rank_proximity("document"), amalgam_rank_attribute("document", 1, 0), \
                amalgam_rank_attribute("document"), amalgam_rank_exactness("document"), "rank", "title" DESC
                """)
            expectEqual(
                try Document.matching("a").ranked(by: []).expandedSQL(db),
                #"SELECT * FROM "document" WHERE "document" MATCH 'a'"#)
            expectError(.SQLITE_ERROR, "no such column: author in table document") {
                _ = try Document.matching("a").ranked(by: [.attribute(["author"])]).fetchAll(db)
            }
        }
    }

    @Test("more words first")
    func words() throws {
        expectEqual(
            try bodies(["a", "a b c", "b a", "c c c"], "a" || "b" || "c", [.words]), ["a b c", "b a", "a", "c c c"])
        expectEqual(try bodies(["a a a", "b a"], "a" || "b", [.words]), ["b a", "a a a"])
    }

    @Test("closer words first, and the order of the pattern before the reverse order")
    func proximity() throws {
        expectEqual(
            try bodies(["a x x b", "b a", "a b", "a x b"], "a" && "b", [.proximity]),
            ["a b", "b a", "a x b", "a x x b"])
        expectEqual(try bodies(["a x x a b", "a x b"], "a" && "b", [.proximity]), ["a x x a b", "a x b"])
        // Phrases count from their ends. Distances of more than 8 tokens are equal.
        let far = (8...30).map { "a " + String(repeating: "x ", count: $0) + "b" }
        expectEqual(try bodies(far, "a" && "b", [.proximity]), far)
        expectEqual(try bodies(["a x c d", "a y y c d"], "a" && "c d", [.proximity]), ["a x c d", "a y y c d"])
        expectEqual(try bodies(["a x b c", "a b x c", "a b c"], "a" && "b" && "c", [.proximity]).first, "a b c")
    }

    @Test("words in different columns are far from each other")
    func proximityInColumns() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE note USING fts5(title, body);
                    INSERT INTO note VALUES ('a', 'b'), ('a x x b', ''), ('', 'b a')
                    """)
            let query: FTS5Query = "a" && "b"
            expectEqual(
                try Table("note").matching(query).ranked(by: [.proximity]).select(Column.rowID, as: Int.self).fetchAll(
                    db),
                [3, 2, 1])
        }
    }

    @Test("earlier columns first")
    func attribute() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE note USING fts5(title, body, tags);
                    INSERT INTO note VALUES ('x', 'a', 'a'), ('a', 'x', 'x'), ('x', 'x', 'a')
                    """)
            func rowIDs(_ rule: FTS5RankingRule) throws -> [Int] {
                try Table("note").matching("a" as FTS5Query).ranked(by: [rule, .expression(Column.rowID)])
                    .select(Column.rowID, as: Int.self).fetchAll(db)
            }
            expectEqual(try rowIDs(.attribute), [2, 1, 3])
            expectEqual(try rowIDs(.attribute(["tags", "body"])), [1, 3, 2])
            expectEqual(try rowIDs(.attribute(["body"])), [1, 2, 3])
        }
    }

    @Test("whole words before the beginnings of words, and whole columns first")
    func exactness() throws {
        let texts = ["database", "data model", "data", "a database of data"]
        expectEqual(
            try bodies(texts, .prefix("data"), [.exactness]), ["data", "data model", "a database of data", "database"])
        expectEqual(
            try bodies(["moby dick", "moby", "moby dick 2"], "moby" || "dick", [.exactness]).first, "moby dick")
        expectEqual(
            try bodies(["the data models", "the data model"], .phrase("data" + .prefix("model")), [.exactness]),
            ["the data model", "the data models"])
    }

    @Test("each rule decides what the rules before it leave equal")
    func order() throws {
        let texts = ["b x a", "a b", "a", "b a", "a b a b"]
        expectEqual(
            try bodies(texts, "a" || "b", [.words, .proximity]), ["a b", "a b a b", "b a", "b x a", "a"])
        expectEqual(
            try bodies(texts, "a" || "b", [.expression(Column("body").desc), .words]),
            ["b x a", "b a", "a b a b", "a b", "a"])
        try withDocuments(texts) { db in
            let ranked = try Document.matching("a" || "b").ranked(by: [.words, .relevance]).fetchAll(db).map(\.body)
            let relevant = try Document.matching("a" && "b").order(Column.rank).fetchAll(db).map(\.body)
            #expect(ranked == relevant + ["a"])
        }
    }

    @Test("a table that is joined with its index")
    func joins() throws {
        try withLibrary { db in
            let index = TableAlias<BookSearch>()
            let request = Book.joining(required: Book.search.matching("database" || "whale" || "white").aliased(index))
                .ranked(by: [.words, .expression(Book.Columns.title.desc)], in: index)
            expectEqual(try request.fetchAll(db).map(\.id), [1, 2])
            let sql = try request.expandedSQL(db)
            #expect(sql.hasSuffix(#"ORDER BY amalgam_rank_words("bookSearch"), "book"."title" DESC"#), "\(sql)")
        }
    }

    @Test("tables without positions, and without sizes")
    func oddTables() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE sparse USING fts5(body, detail='none');
                    CREATE VIRTUAL TABLE columns USING fts5(title, body, detail='column');
                    CREATE VIRTUAL TABLE contentless USING fts5(body, content='', columnsize=0);
                    INSERT INTO sparse VALUES ('a x b'), ('b'), ('a b');
                    INSERT INTO columns VALUES ('a', 'b'), ('b', 'x'), ('a b', '');
                    INSERT INTO contentless (rowid, body) VALUES (1, 'a x b'), (2, 'b'), (3, 'a b')
                    """)
            for table in ["sparse", "columns", "contentless"] {
                let request = Table(table).matching("a" || "b").ranked(by: [.words, .proximity])
                    .select(Column.rowID, as: Int.self)
                expectEqual(try request.fetchAll(db), [3, 1, 2], "\(table)")
            }
            expectError(.SQLITE_ERROR, "a contentless table with columnsize=0 knows no sizes of texts") {
                _ = try Table("contentless").matching("b" as FTS5Query).ranked(by: [.exactness]).fetchAll(db)
            }
        }
    }

    @Test("a request without a pattern")
    func noPattern() throws {
        try withDocuments(["a", "b"]) { db in
            let documents = try Document.all().ranked(by: [.words, .proximity, .attribute, .exactness]).fetchAll(db)
            #expect(documents.count == 2)
        }
    }

    @Test("random documents: the values are those of a simple model")
    func randomDocuments() throws {
        var random = RandomDocuments(seed: 12)
        let texts = (0..<300).map { _ in random.document(of: ["a ", "b ", "c ", "x ", "y "], count: 1...14) }
        try withDocuments(texts) { db in
            let bodies = try Document.matching("a" || "b" || "c")
                .ranked(by: [.words, .proximity, .expression(Column.rowID)]).fetchAll(db).map(\.body)
            let scores = bodies.map { body -> [Int] in
                let tokens = body.split(separator: " ")
                let words = ["a", "b", "c"].filter { tokens.contains($0[...]) }
                let distances = zip(words, words.dropFirst()).map { first, second in
                    tokens.indices.flatMap { i in
                        tokens.indices.filter { tokens[i] == first && tokens[$0] == second }
                            .map { j in j > i ? j - i - 1 : i - j }
                    }
                    .reduce(8, min)
                }
                return [-words.count, distances.reduce(0, +)]
            }
            #expect(scores.count > 200)
            #expect(zip(scores, scores.dropFirst()).allSatisfy { !$1.lexicographicallyPrecedes($0) })
        }
    }
}
