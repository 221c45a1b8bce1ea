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
                WITH "amalgam_matches" AS (SELECT "author" AS "value" FROM "article" WHERE "article" MATCH 'text') \
                SELECT "value", COUNT(*) AS "count" FROM "amalgam_matches" GROUP BY "value" ORDER BY "count" DESC, "value"
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
            expectEqual(try facet.having(count() > 1).fetchAll(db).map(\.value), ["Anna"])
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
}
