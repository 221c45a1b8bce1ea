import Amalgam
import TestSupport
import Testing

struct Novel: TableRecord {
    static let index = hasOne(NovelIndex.self, using: ForeignKey(["rowid"], to: ["id"]))
}

struct NovelIndex: TableRecord {}

@Suite("Facets of a search")
struct FacetTests {
    @Test("a column")
    func columns() throws {
        try withArticles { db in
            let facet = Article.matching("text").facet(by: Article.Columns.author, as: String.self)
            try expectQuery(db, facet) {
                """
                WITH "amalgam_matches" AS (SELECT "author" AS "value" FROM "article" WHERE "article" MATCH 'text'), \
                "amalgam_facet" AS (SELECT "value", COUNT(*) AS "count" FROM "amalgam_matches" GROUP BY "value") \
                SELECT * FROM "amalgam_facet" ORDER BY "count" DESC, "value"
                """
            } rows: {
                """
                Anna|2
                NULL|1
                """
            }
        }
    }

    @Test("an expression: a part of JSON metadata")
    func expressions() throws {
        let year = SQLFunction("json_extract", pure: true)(Column("metadata"), "$.year")
        try withArticles { db in
            let years = try Article.all().facet(by: year, as: Int.self).fetchAll(db)
            #expect(years.map(\.value) == [2024, 2022, 2023])
            #expect(years.map(\.count) == [2, 1, 1])
        }
    }

    @Test("a facet is a request")
    func requests() throws {
        try withArticles { db in
            let facet = Article.all().facet(by: Article.Columns.author, as: String.self)
            expectEqual(try facet.limit(1).fetchAll(db), [FacetCount(value: "Anna", count: 2)])
            expectEqual(try facet.order(Column("value")).fetchAll(db).map(\.value), [nil, "Anna", "Bob"])
            expectEqual(try facet.filter(Column("count") > 1).fetchAll(db).map(\.value), ["Anna"])
            expectEqual(try facet.filter(Column("value") != nil).fetchCount(db), 2)
            expectEqual(try facet.fetchCount(db), 3)
        }
    }

    @Test("the rows are those of the request: with its limit, whatever its order")
    func limits() throws {
        try withArticles { db in
            let best = Article.matching("text").order(Column.rank)
            expectEqual(try best.facet(by: Article.Columns.author, as: String.self).fetchAll(db).map(\.count), [2, 1])
            let first = try best.limit(1).facet(by: Article.Columns.author, as: String.self).fetchAll(db)
            #expect(first.map(\.count) == [1])
        }
    }

    @Test("the rows of a DISTINCT request are counted once")
    func distinctRows() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE book (id INTEGER PRIMARY KEY, author TEXT, title TEXT, value INTEGER);
                    INSERT INTO book (author, title, value) VALUES ('Anna', 'x', 1), ('Anna', 'x', 2), ('Anna', 'y', 3), ('Bob', 'y', 3)
                    """)
            let author = Column("author"), title = Column("title")
            let both = Table("book").select(author, title).distinct()
            expectEqual(try both.fetchCount(db), 3)
            try expectQuery(db, both.facet(by: author, as: String.self)) {
                """
                WITH "amalgam_matches" AS (SELECT DISTINCT "author", "title", "author" AS "amalgam_value" FROM "book"), \
                "amalgam_facet" AS (SELECT "amalgam_value" AS "value", COUNT(*) AS "count" FROM "amalgam_matches" \
                GROUP BY "amalgam_value") SELECT * FROM "amalgam_facet" ORDER BY "count" DESC, "value"
                """
            } rows: {
                """
                Anna|2
                Bob|1
                """
            }
            expectEqual(try lines(db, both.facets([Facet(author)]), "author"), [#""Anna": 2"#, #""Bob": 1"#])
            let facets = both.facets([Facet(author), Facet(title)])
            expectEqual(try lines(db, facets, "author"), [#""Anna": 2"#, #""Bob": 1"#])
            expectEqual(try lines(db, facets, "title"), [#""y": 2"#, #""x": 1"#])
            // A distinct row that stands for books with different titles counts once for each title.
            let authors = Table("book").select(author).distinct()
            let titles = try authors.facet(by: title, as: String.self).fetchAll(db)
            expectEqual(titles, [FacetCount(value: "y", count: 2), FacetCount(value: "x", count: 1)])
            let three = authors.facets([Facet(title), Facet(Column("id")), Facet(author)])
            expectEqual(try lines(db, three, "title"), [#""y": 2"#, #""x": 1"#])
            expectEqual(try lines(db, three, "author"), [#""Anna": 1"#, #""Bob": 1"#])
            expectEqual(try lines(db, three, "id"), ["1: 1", "2: 1", "3: 1", "4: 1"])
            let chosen = authors.facets([Facet(title).choosing("x"), Facet(author)])
            expectEqual(try lines(db, chosen, "title"), [#""y": 2"#, #""x": 1"#])
            expectEqual(try lines(db, chosen, "author"), [#""Anna": 1"#])
            // A selected column may have the name of a column of the result.
            let values = try Table("book").select(Column("value"), author).distinct()
                .facet(by: author, as: String.self).fetchAll(db)
            expectEqual(values, [FacetCount(value: "Anna", count: 3), FacetCount(value: "Bob", count: 1)])
        }
    }

    @Test("the rows of a request with groups are its groups, and names of its selection stay in use")
    func groups() throws {
        try withArticles { db in
            let author = Article.Columns.author
            let authors = Article.all().select(author, count().forKey("articles")).group(author)
            expectEqual(try authors.fetchCount(db), 3)
            expectEqual(try authors.facet(by: author, as: String.self).fetchAll(db).map(\.count), [1, 1, 1])
            let several = authors.having(count() > 1)
            expectEqual(try lines(db, several.facets([self.author]), "author"), [#""Anna": 1"#])
            let first = authors.order(Column("articles").desc).limit(1)
            expectEqual(try first.facet(by: author, as: String.self).fetchAll(db).map(\.value), ["Anna"])
            let one = Article.all().select(max(Article.Columns.title))
            expectEqual(try one.facet(by: author, as: String.self).fetchAll(db).map(\.count), [1])
        }
    }

    @Test("a table may have the name of a common table expression", arguments: ["amalgam_matches", "AMALGAM_FACET"])
    func reservedNames(name: String) throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE \(name) USING fts5(title); INSERT INTO \(name) VALUES ('moby')")
            let matches = Table(name).all().matching("moby")
            let counts = [FacetCount(value: "moby", count: 1)]
            expectEqual(try matches.facet(by: Column("title"), as: String.self).fetchAll(db), counts)
            expectEqual(try matches.facets([Facet(Column("title"))]).fetch(db)["title"]?.map(\.count), [1])
        }
    }

    @Test("rows of a content table, by a join with the index")
    func joins() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE novel (id INTEGER PRIMARY KEY, title TEXT, genre TEXT);
                    CREATE VIRTUAL TABLE novelIndex USING fts5(title, content='novel', content_rowid='id');
                    INSERT INTO novel VALUES (1, 'Moby Dick', 'novel'), (2, 'Moby Duck', 'report'), (3, 'Moby', 'novel');
                    INSERT INTO novelIndex(novelIndex) VALUES ('rebuild');
                    """)
            let counts = try Novel.joining(required: Novel.index.matching("moby"))
                .facet(by: Column("genre"), as: String.self).fetchAll(db)
            #expect(counts == [FacetCount(value: "novel", count: 2), FacetCount(value: "report", count: 1)])
        }
    }

    @Test("several facets are one search")
    func severalFacets() throws {
        try withArticles { db in
            let year = SQLFunction("json_extract", pure: true)(Column("metadata"), "$.year")
            let request = Article.matching("text").facets(
                [Facet(Article.Columns.author), Facet("year", year)], limit: 2)
            var facets: [String: [FacetCount<DatabaseValue>]] = [:]
            let sql = try statements(db) { facets = try request.fetch(db) }
            #expect(
                sql == [
                    """
                    WITH "amalgam_matches" AS MATERIALIZED (SELECT "author" AS "facet0", json_extract("metadata", '$.year') AS \
                    "facet1" FROM "article" WHERE "article" MATCH 'text') \
                    SELECT * FROM (SELECT 0 AS "facet", "facet0" AS "value", COUNT(*) AS "count" FROM "amalgam_matches" \
                    GROUP BY "facet0" ORDER BY COUNT(*) DESC, "facet0" LIMIT 2) UNION ALL \
                    SELECT * FROM (SELECT 1 AS "facet", "facet1" AS "value", COUNT(*) AS "count" FROM "amalgam_matches" \
                    GROUP BY "facet1" ORDER BY COUNT(*) DESC, "facet1" LIMIT 2)
                    """
                ])
            #expect(facets["author"]?.map(\.value) == ["Anna".databaseValue, nil])
            #expect(facets["author"]?.map(\.count) == [2, 1])
            #expect(facets["year"]?.map(\.value) == [2024.databaseValue, 2022.databaseValue])
            #expect(facets.count == 2)
            let plan = try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql[0]).map { $0["detail"] as String }
            #expect(plan.filter { $0.contains("article VIRTUAL TABLE") }.count == 1, "\(plan)")
        }
    }

    @Test("a full-text table has any name")
    func tableNames() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: "CREATE VIRTUAL TABLE match USING fts5(title); INSERT INTO match VALUES ('moby'), ('moby')")
            let matches = Table("match").matching(FTS5Pattern(matchingPhrase: "moby"))
            let counts = [FacetCount(value: "moby", count: 2)]
            expectEqual(try matches.facet(by: Column("title"), as: String.self).fetchAll(db), counts)
            expectEqual(try matches.facets([Facet(Column("title"))]).fetch(db)["title"]?.map(\.count), [2])
        }
    }

    @Test("no values below one")
    func negativeLimit() throws {
        try withArticles { db in
            expectEqual(try Article.all().facets([Facet(Column("author"))], limit: -1).fetch(db), ["author": []])
        }
    }

    @Test("values of another type are an error")
    func wrongType() throws {
        try withArticles { db in
            #expect(throws: RowDecodingError.self) {
                try Article.all().facet(by: Column("title"), as: Int.self).fetchAll(db)
            }
        }
    }

    @Test("no match, no facet, and two of one name")
    func edges() throws {
        try withArticles { db in
            let nothing = Article.matching("xyzxyz")
            expectEqual(try nothing.facets([Facet(Column("author"))]).fetch(db), ["author": []])
            expectEqual(try nothing.facet(by: Column("author"), as: String.self).fetchAll(db), [])
            expectEqual(try nothing.facets([]).fetch(db), [:])
            expectThrows(DatabaseError.self, #"SQLite error 21: two facets have one name: ["author", "author"]"#) {
                _ = try nothing.facets([Facet(Column("author")), Facet("author", Column("body"))]).fetch(db)
            }
        }
    }

    // MARK: Chosen values

    private let year = Facet("year", SQLFunction("json_extract", pure: true)(Column("metadata"), "$.year"))
    private let author = Facet(Article.Columns.author)

    /// Returns the lines of a facet, such as "Anna: 2".
    private func lines(_ db: Database, _ request: FacetRequest, _ name: String) throws -> [String] {
        try (request.fetch(db)[name] ?? []).map { "\($0.value ?? .null): \($0.count)" }
    }

    @Test("a facet stays while one of its values is chosen, and restricts the others")
    func chosenValues() throws {
        try withArticles { db in
            let search = Article.all()
            let none = search.facets([author, year])
            expectEqual(try lines(db, none, "author"), [#""Anna": 2"#, "NULL: 1", #""Bob": 1"#])
            let facets = [author.choosing("Anna"), year]
            let chosen = search.facets(facets)
            expectEqual(try lines(db, chosen, "author"), [#""Anna": 2"#, "NULL: 1", #""Bob": 1"#])
            expectEqual(try lines(db, chosen, "year"), ["2024: 2"])
            expectEqual(try search.filtered(by: facets).fetchAll(db).map(\.author), ["Anna", "Anna"])
            // A further value adds as many results as its count says.
            let more = [author.choosing("Anna").choosing(nil), year]
            expectEqual(try search.filtered(by: more).fetchCount(db), 3)
            expectEqual(try lines(db, search.facets(more), "year"), ["2024: 2", "2022: 1"])
            // Both are restricted by the other one.
            let both = search.facets([author.choosing("Anna"), year.choosing(2023)])
            expectEqual(try lines(db, both, "author"), [#""Bob": 1"#, #""Anna": 0"#])
            expectEqual(try lines(db, both, "year"), ["2024: 2", "2023: 0"])
        }
    }

    @Test("the SQL of chosen values")
    func sqlOfChosenValues() throws {
        try withArticles { db in
            let facets = [author.choosing("Anna", nil), year]
            let request = Article.matching("text").facets(facets, limit: 1, minimumCount: 2)
            let sql = try statements(db) { _ = try request.fetch(db) }
            #expect(
                sql == [
                    """
                    WITH "amalgam_matches" AS MATERIALIZED (SELECT "author" AS "facet0", json_extract("metadata", '$.year') AS \
                    "facet1" FROM "article" WHERE "article" MATCH 'text') \
                    SELECT * FROM (SELECT * FROM (SELECT 0 AS "facet", "facet0" AS "value", COUNT(*) AS "count" \
                    FROM "amalgam_matches" GROUP BY "facet0" \
                    HAVING COUNT(*) >= 2 OR ("facet0" = 'Anna') OR ("facet0" IS NULL) \
                    ORDER BY (("facet0" = 'Anna') OR ("facet0" IS NULL)) IS TRUE DESC, COUNT(*) DESC, "facet0" \
                    LIMIT 2 - (NOT EXISTS (SELECT 1 FROM "amalgam_matches" WHERE "facet0" IS 'Anna')) \
                    - (NOT EXISTS (SELECT 1 FROM "amalgam_matches" WHERE "facet0" IS NULL))) \
                    ORDER BY "count" DESC, "value") UNION ALL \
                    SELECT 0, 'Anna', 0 WHERE NOT EXISTS (SELECT 1 FROM "amalgam_matches" WHERE "facet0" IS 'Anna') UNION ALL \
                    SELECT 0, NULL, 0 WHERE NOT EXISTS (SELECT 1 FROM "amalgam_matches" WHERE "facet0" IS NULL) UNION ALL \
                    SELECT * FROM (SELECT 1 AS "facet", "facet1" AS "value", COUNT(*) AS "count" FROM "amalgam_matches" \
                    WHERE ("facet0" = 'Anna') OR ("facet0" IS NULL) GROUP BY "facet1" HAVING COUNT(*) >= 2 \
                    ORDER BY COUNT(*) DESC, "facet1" LIMIT 1)
                    """
                ])
            try expectQuery(db, Article.matching("text").filtered(by: facets).select(Article.Columns.title)) {
                """
                SELECT "title" FROM "article" WHERE ("article" MATCH 'text') AND (("author" = 'Anna') OR ("author" IS NULL))
                """
            } rows: {
                """
                SQLite in Swift
                Java and Swift
                Full moon
                """
            }
            #expect(try Article.all().filtered(by: [author, year]).expandedSQL(db) == #"SELECT * FROM "article""#)
        }
    }

    @Test("chosen values are listed, whatever the limit and the minimum")
    func limitedChoices() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, kind TEXT COLLATE NOCASE, size INTEGER)")
            for (kind, count) in [("a", 5), ("b", 4), ("c", 3), ("D", 2), ("e", 1)] {
                for _ in 0..<count { try db.execute(sql: "INSERT INTO item (kind) VALUES (?)", arguments: [kind]) }
            }
            let kind = Facet(Column("kind"))
            func lines(_ facet: Facet, limit: Int? = nil, minimumCount: Int = 1) throws -> [String] {
                let request = Table("item").all().facets([facet], limit: limit, minimumCount: minimumCount)
                return try (request.fetch(db)["kind"] ?? []).map {
                    "\(String.fromDatabaseValue($0.value!)!)\($0.count)"
                }
            }
            expectEqual(try lines(kind, limit: 2), ["a5", "b4"])
            expectEqual(try lines(kind.choosing("e"), limit: 2), ["a5", "e1"])
            expectEqual(try lines(kind.choosing("d", "e"), limit: 1), ["D2", "e1"])
            expectEqual(try lines(kind.choosing("x"), limit: 2), ["a5", "x0"])
            expectEqual(try lines(kind.choosing("x", "e", "y"), limit: 2), ["e1", "x0", "y0"])
            expectEqual(try lines(kind.choosing("x", "e", "y"), limit: 4), ["a5", "e1", "x0", "y0"])
            expectEqual(try lines(kind, minimumCount: 4), ["a5", "b4"])
            expectEqual(try lines(kind.choosing("D"), minimumCount: 4), ["a5", "b4", "D2"])
            expectEqual(try lines(kind.choosing("c"), limit: .max, minimumCount: .min), ["a5", "b4", "c3", "D2", "e1"])
            expectEqual(try lines(kind.choosing("x"), limit: -1), ["x0"])
            // Values are compared with the collation of the column, and with its type.
            expectEqual(try Table("item").all().filtered(by: [kind.choosing("A")]).fetchCount(db), 5)
            #expect(kind.choosing("a", "a").choosing("a").chosenValues == ["a".databaseValue])
            try db.execute(sql: "UPDATE item SET size = 7")
            let size = Facet(Column("size")).choosing("7")
            expectEqual(try Table("item").all().facets([size]).fetch(db)["size"]?.map(\.count), [15])
            expectEqual(try Table("item").all().filtered(by: [size]).fetchCount(db), 15)
        }
    }

    @Test("random choices: each count is the number of results that the value has, or would add")
    func randomChoices() throws {
        var random = RandomDocuments(seed: 3)
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE item USING fts5(body, a UNINDEXED, b UNINDEXED, c UNINDEXED)")
            let values: [DatabaseValue] = [.null, 1.databaseValue, 2.databaseValue, "x".databaseValue]
            for _ in 0..<200 {
                try db.execute(
                    sql: "INSERT INTO item VALUES (?, ?, ?, ?)",
                    arguments: [
                        random.document(of: ["p ", "q ", "r "]), random.element(of: values),
                        random.element(of: values), random.element(of: values),
                    ])
            }
            for _ in 0..<40 {
                let facets = ["a", "b", "c"].map { name in
                    var facet = Facet(Column(name))
                    facet.chosenValues = values.filter { _ in random.element(of: [true, false, false]) }
                    return facet
                }
                let search = Table("item").matching(FTS5Query(random.element(of: ["p", "q", "p q"])))
                let counts = try search.facets(facets).fetch(db)
                let limit = random.element(of: [0, 1, 2, 3])
                for (name, limited) in try search.facets(facets, limit: limit).fetch(db) {
                    let chosen = Set(facets.first { $0.name == name }!.chosenValues)
                    let count = max(limit, chosen.count)
                    #expect(limited.count == min(count, counts[name]!.count))
                    #expect(Set(limited.map { $0.value ?? .null }).isSuperset(of: chosen))
                }
                for (index, facet) in facets.enumerated() {
                    var listed: Set<DatabaseValue> = []
                    for count in counts[facet.name] ?? [] {
                        var only = facets
                        only[index].chosenValues = [count.value ?? .null]
                        listed.insert(count.value ?? .null)
                        expectEqual(try search.filtered(by: only).fetchCount(db), count.count)
                    }
                    #expect(listed.isSuperset(of: facet.chosenValues))
                    #expect(counts[facet.name]?.count == listed.count)
                }
            }
        }
    }
}
