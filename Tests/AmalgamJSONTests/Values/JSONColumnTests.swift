import Amalgam
import Foundation
import TestSupport
import Testing

/// JSON columns, and expressions on their content.
struct JSONColumnTests {
    enum CodingKeys: String, CodingKey { case details = "info" }

    @Test func columns() throws {
        try expectSQL(Book.select(info), #"SELECT "info" FROM "book""#)
        try expectSQL(Book.select(JSONColumn(CodingKeys.details)), #"SELECT "info" FROM "book""#)
        try expectSQL(Book.select(JSONBColumn(CodingKeys.details)), #"SELECT "info" FROM "book""#)
        #expect(JSONColumn(CodingKeys.details).name == "info")
        #expect(JSONBColumn("ratings").name == "ratings")
    }

    @Test func subvalues() throws {
        try expectExpression(info["year"], #""info" ->> 'year'"#, [1851, 1815, nil, nil])
        try expectExpression(info["$.year"], #""info" ->> 'year'"#, [1851, 1815, nil, nil])
        try expectExpression(tags[0], #""tags" ->> 0"#, ["sea", "love", "love", nil])
        try expectExpression(ratings[0], #""ratings" ->> 0"#, [5, 4, nil, nil])
        try expectExpression(info["pages"], #""info" ->> 'pages'"#, [#"{"count":635,"lost":[3,7]}"#, nil, nil, nil])
        try expectExpression(info["draft"], #""info" ->> 'draft'"#, [nil, 1, nil, nil])
    }

    /// Malformed JSON is an error when the statement runs, as is a malformed path.
    @Test func malformedValues() throws {
        try withLibrary { db in
            expectError("malformed JSON") {
                _ = try Book.select { [$0.title.asJSON["a"]] }.asRequest(of: Row.self).fetchAll(db)
            }
            expectError("malformed JSON") {
                _ = try Row.fetchAll(db, SQLRequest<Row>("SELECT \(Database.json(Data([0xFF])))"))
            }
            expectError("bad JSON path: '$.'") {
                _ = try Book.select { [$0.info["$."]] }.asRequest(of: Row.self).fetchAll(db)
            }
        }
    }

    @Test func pathsOfExpressions() throws {
        try expectExpression(tags[id - 2], #""tags" ->> ("id" - 2)"#, ["whale", "love", "sea", nil])
    }

    @Test func representations() throws {
        try expectExpression(
            info.jsonRepresentation(atPath: "country"), #""info" -> 'country'"#, [#""US""#, #""GB""#, nil, "null"])
        try expectExpression(
            info.jsonRepresentation(atPath: "$.pages.lost"), #""info" -> '$.pages.lost'"#, ["[3,7]", nil, nil, nil])
    }

    @Test func extracts() throws {
        try expectExpression(
            info.jsonExtract(atPath: "$.year"), #"JSON_EXTRACT("info", '$.year')"#, [1851, 1815, nil, nil])
        try expectExpression(
            info.jsonExtract(atPaths: ["$.year", "$.country"]), #"JSON_EXTRACT("info", '$.year', '$.country')"#,
            [#"[1851,"US"]"#, #"[1815,"GB"]"#, nil, "[null,null]"])
    }

    @Test func anyExpressionIsJSON() throws {
        try expectExpression(
            Column("info").asJSON["year"], #""info" ->> 'year'"#, [1851, 1815, nil, nil])
        try expectExpression(
            info.jsonRepresentation(atPath: "pages").asJSON["count"], #"("info" -> 'pages') ->> 'count'"#,
            [635, nil, nil, nil])
        try expectExpression(AnySQLJSONExpressible(info)["year"], #""info" ->> 'year'"#, [1851, 1815, nil, nil])
    }

    @Test func conditions() throws {
        try expectSQL(
            Book.filter { $0.info["country"] == "US" },
            #"SELECT * FROM "book" WHERE ("info" ->> 'country') = 'US'"#)
        try expectSQL(
            Book.filter { $0.info["year"] > 1820 }.order { $0.info["year"].desc },
            #"SELECT * FROM "book" WHERE ("info" ->> 'year') > 1820 ORDER BY "info" ->> 'year' DESC"#)
        try expectSQL(
            Book.filter { $0.info["country"] == nil }, #"SELECT * FROM "book" WHERE ("info" ->> 'country') IS NULL"#)
    }

    @Test func columnsOfJoinedTables() throws {
        let author = TableAlias<Author>()
        let book = TableAlias<Book>()
        let request = Book.aliased(book).joining(required: Book.author.aliased(author))
        try expectSQL(
            request.select(book.info["year"], author.info["name"]).filter(author.info["name"] == "Austen"),
            """
            SELECT "book"."info" ->> 'year', "author"."info" ->> 'name' FROM "book" \
            JOIN "author" ON "author"."id" = "book"."authorId" WHERE ("author"."info" ->> 'name') = 'Austen'
            """)
        try expectSQL(
            request.select(book[info]["year"], author[JSONColumn("info")]["name"]),
            """
            SELECT "book"."info" ->> 'year', "author"."info" ->> 'name' FROM "book" \
            JOIN "author" ON "author"."id" = "book"."authorId"
            """)
        try expectSQL(
            request.select(Database.jsonArray([book[info], book.tags])),
            """
            SELECT JSON_ARRAY(JSONB("book"."info"), JSONB("book"."tags")) FROM "book" \
            JOIN "author" ON "author"."id" = "book"."authorId"
            """)
    }

    /// Other members of an alias are unchanged.
    @Test func aliasesKeepTheirOtherMembers() throws {
        let book = TableAlias<Book>(name: "b")
        try expectSQL(
            Book.aliased(book).filter(book.id > 1 && book.info["year"] > 1800).order(book.id.desc).select(book.title),
            """
            SELECT "b"."title" FROM "book" "b" \
            WHERE ("b"."id" > 1) AND (("b"."info" ->> 'year') > 1800) ORDER BY "b"."id" DESC
            """)
    }

    // MARK: Schemas

    @Test func columnTypes() throws {
        try DatabaseQueue().write { db in
            try db.create(table: "player") { t in
                t.primaryKey("id", .text)
                t.column("address", .jsonText).notNull()
                t.column("stats", .jsonb)
                t.column("city", .text).generatedAs(JSONColumn("address")["city"], .stored)
            }
            let sql = try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = 'player'")
            expectEqual(
                sql,
                """
                CREATE TABLE "player" ("id" TEXT PRIMARY KEY NOT NULL, "address" TEXT NOT NULL, "stats" BLOB, \
                "city" TEXT GENERATED ALWAYS AS ("address" ->> 'city') STORED)
                """)
        }
    }

    @Test func anIndexOnASubvalueIsUsed() throws {
        try withLibrary { db in
            try db.create(index: "book_on_country", on: "book", expressions: [info["country"]])
            let sql = try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = 'book_on_country'")
            expectEqual(sql, #"CREATE INDEX "book_on_country" ON "book"("info" ->> 'country')"#)
            let request = Book.filter { $0.info["country"] == "US" }
            let statement = try request.makePreparedRequest(db, forSingleResult: false).statement
            let plan = try statement.queryPlan().description
            #expect(plan.contains("USING INDEX book_on_country"))
            expectEqual(try request.fetchCount(db), 1)
        }
    }

    @Test func typedColumnsAreJSONWithoutTheirType() throws {
        enum Columns {
            static let info = TypedColumn<[String: Int]>("info")
            static let title = TypedColumn<String>("title")
            static let minimum = TypedColumn<Int?>("minimum")
        }
        try expectExpression(Columns.info.untyped.asJSON["year"], #""info" ->> 'year'"#, [1851, 1815, nil, nil])
        try expectExpression(
            Database.jsonExtract(Columns.info, atPath: "$.year"), #"JSON_EXTRACT("info", '$.year')"#,
            [1851, 1815, nil, nil])
        try expectExpression(
            Database.jsonObject(["title": Columns.title, "minimum": Columns.minimum]),
            #"JSON_OBJECT('minimum', "minimum", 'title', "title")"#,
            [
                #"{"minimum":4,"title":"Moby-Dick"}"#, #"{"minimum":3,"title":"Emma"}"#,
                #"{"minimum":1,"title":"Persuasion"}"#, #"{"minimum":null,"title":"Sanditon"}"#,
            ])
        try expectExpression(info["year"] > Columns.minimum, #"("info" ->> 'year') > "minimum""#, [1, 1, nil, nil])
        try expectExpression(
            ratings.each.contains { $0.value > Columns.minimum },
            #"EXISTS (SELECT 1 FROM json_each("book"."ratings") WHERE "json_each"."value" > "book"."minimum")"#,
            [1, 1, 0, 0])
        try withLibrary { db in
            try Book.updateAll(db) { $0.info.edit(.set(["minimum"], to: Columns.minimum)) }
            try expectEqual(Int.fetchOne(db, Book.filter { $0.id == 1 }.select(info["minimum"])), 4)
        }
    }

    @Test func aPathOfAnotherTypeUsesItsIndex() throws {
        try withLibrary { db in
            let path: JSONPath = ["pages", "lost", -1]
            try db.create(index: "book_on_lost", on: "book", expressions: [info.jsonExtract(atPath: path)])
            let request = Book.filter { $0.info.jsonExtract(atPath: path) == 7 }
            let statement = try request.makePreparedRequest(db, forSingleResult: false).statement
            let plan = try statement.queryPlan().description
            #expect(plan.contains("USING INDEX book_on_lost"))
        }
    }

    @Test func whatIsNoJSONIsAnError() throws {
        try withLibrary { db in
            let error = #expect(throws: DatabaseError.self) {
                try Book.select(title.asJSON["a"]).asRequest(of: Row.self).fetchAll(db)
            }
            #expect(error?.message == "malformed JSON")
        }
    }
}
