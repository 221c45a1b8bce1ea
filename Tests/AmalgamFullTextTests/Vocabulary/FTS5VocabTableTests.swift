import Amalgam
import Testing

@Suite("Tables of terms")
struct FTS5VocabTableTests {
    @Test(
        "the module and its arguments",
        arguments: [
            (FTS5VocabTable(of: "article"), "fts5vocab('article', 'row')"),
            (FTS5VocabTable(of: "article", .column), "fts5vocab('article', 'col')"),
            (FTS5VocabTable(of: "it's", .instance), "fts5vocab('it''s', 'instance')"),
        ])
    func creation(module: FTS5VocabTable, sql: String) throws {
        try DatabaseQueue().write { db in
            try db.create(virtualTable: "terms", using: module)
            let schema = try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = 'terms'")
            #expect(schema == #"CREATE VIRTUAL TABLE "terms" USING "# + sql)
        }
    }

    @Test("a temporary table of terms names the database")
    func temporaryTables() throws {
        try withArticles { db in
            try db.create(
                virtualTable: "t", options: .temporary, using: FTS5VocabTable(of: "article", .row, schema: "main"))
            let term = try Table<FTS5Terms.Term>("t").filter { $0.term == "sqlite" }.fetchOne(db)
            #expect(term?.documentCount == 2)
        }
    }

    @Test("rows")
    func rows() throws {
        try withArticles { db in
            let vocabulary = FTS5Terms("articleTerms", of: "article")
            try expectSQL(db, [#"SELECT * FROM "articleTerms" WHERE "doc" > 1 ORDER BY "cnt" DESC, "term" LIMIT 2"#]) {
                let terms = try vocabulary.terms().filter { $0.documentCount > 1 }
                    .order { [$0.occurrenceCount.desc, $0.term] }.limit(2).fetchAll(db)
                #expect(terms.map(\.term) == ["a", "database"])
                #expect(terms[0].documentCount == 3)
                #expect(terms[0].occurrenceCount == 7)
            }
            let columns = try Table<FTS5Terms.ColumnTerm>("articleColumnTerms")
                .filter { $0.term == "swift" && $0.column == "title" }.fetchAll(db)
            #expect(columns.map(\.documentCount) == [2])
            #expect(columns.map(\.occurrenceCount) == [2])
            let places = try Table<FTS5Terms.Instance>("articleInstances")
                .filter { $0.term == "sqlite" }.fetchAll(db)
            #expect(places.map(\.documentID) == [1, 2])
            #expect(places.map(\.column) == ["title", "body"])
            #expect(places.map(\.offset) == [0, 0])
        }
    }

    @Test("an index with less detail has no columns and offsets")
    func lessDetail() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE t USING fts5(a, detail=none);
                    CREATE VIRTUAL TABLE c USING fts5vocab('t', 'col');
                    CREATE VIRTUAL TABLE i USING fts5vocab('t', 'instance');
                    INSERT INTO t VALUES ('one');
                    """)
            let term = try Table<FTS5Terms.ColumnTerm>("c").fetchOne(db)
            #expect(term?.term == "one")
            #expect(term?.column == nil)
            #expect(term?.documentCount == 1)
            #expect(term?.occurrenceCount == nil)
            let instance = try Table<FTS5Terms.Instance>("i").fetchOne(db)
            #expect(instance?.documentID == 1)
            #expect(instance?.column == nil)
            #expect(instance?.offset == nil)
        }
    }

    @Test("a table that is none of terms")
    func otherTables() throws {
        try withArticles { db in
            #expect(throws: RowDecodingError.self) {
                try FTS5Terms("article", of: "article").terms().fetchAll(db)
            }
            #expect(throws: RowDecodingError.self) { try Table<FTS5Terms.ColumnTerm>("article").fetchAll(db) }
            #expect(throws: RowDecodingError.self) { try Table<FTS5Terms.Instance>("article").fetchAll(db) }
        }
    }

    @Test("no table of that name")
    func missingTables() throws {
        try withArticles { db in
            let error = #expect(throws: DatabaseError.self) {
                _ = try FTS5Terms("missing", of: "article").completions(of: "a").fetchAll(db)
            }
            #expect(error?.message == "no such table: missing")
        }
    }
}
