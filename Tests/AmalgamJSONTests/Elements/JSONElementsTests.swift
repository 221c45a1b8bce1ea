import Amalgam
import Foundation
import TestSupport
import Testing

/// The elements of JSON as rows.
struct JSONElementsTests {
    @Test func elements() throws {
        let elements = JSONElements.each(of: #"{"a":1,"b":[2,3],"c":null}"#)
        try expectSQL(elements.all(), #"SELECT * FROM json_each('{"a":1,"b":[2,3],"c":null}')"#)
        try DatabaseQueue().read { db in
            let rows = try elements.all().fetchAll(db)
            expectEqual(rows.map(\.key), ["a", "b", "c"].map(\.databaseValue))
            expectEqual(rows.map(\.value), [1.databaseValue, "[2,3]".databaseValue, .null])
            expectEqual(rows.map(\.type), [.integer, .array, .null])
            expectEqual(rows.map(\.atom), [1.databaseValue, .null, .null])
            expectEqual(rows.map(\.fullkey), ["$.a", "$.b", "$.c"])
            expectEqual(rows.map(\.path), ["$", "$", "$"])
            expectEqual(Set(rows.map(\.id)).count, 3)
            expectEqual(rows.map(\.parent), [nil, nil, nil])
        }
    }

    @Test func trees() throws {
        let elements = JSONElements.tree(of: #"{"a":{"b":[true]}}"#)
        try DatabaseQueue().read { db in
            let rows = try elements.all().fetchAll(db)
            expectEqual(rows.map(\.fullkey), ["$", "$.a", "$.a.b", "$.a.b[0]"])
            expectEqual(rows.map(\.parent), [nil, rows[0].id, rows[1].id, rows[2].id])
            let leaves = elements.all().filter { $0.atom != nil }.select(\.fullkey, as: String.self)
            expectEqual(try leaves.fetchAll(db), ["$.a.b[0]"])
            expectEqual(try JSONPath(parsing: rows[3].fullkey), ["a", "b", 0])
        }
    }

    @Test func everyType() throws {
        try DatabaseQueue().read { db in
            let types = try JSONElements.each(of: #"[null,true,false,1,1.5,"a",[],{}]"#).all().fetchAll(db).map(\.type)
            expectEqual(types, JSONType.allCases)
        }
    }

    @Test func binaryElements() throws {
        try DatabaseQueue().read { db in
            let each = try JSONElements.jsonbEach(of: "[[1]]").all().fetchAll(db)
            expectEqual(
                try JSONBDecoder().decode([Int].self, from: try #require(Data.fromDatabaseValue(each[0].value))), [1])
            let tree = try JSONElements.jsonbTree(of: "[[1]]", atPath: [0]).all().fetchAll(db)
            expectEqual(tree.map(\.fullkey), ["$[0]", "$[0][0]"])
            let sql = try JSONElements.jsonbEach(of: "[]").all().makePreparedRequest(db).statement.sql
            expectEqual(sql, "SELECT * FROM jsonb_each(?)")
        }
    }

    @Test func paths() throws {
        try expectSQL(
            JSONElements.each(of: #"{"a":[1,2]}"#, atPath: ["a"]).all(),
            #"SELECT * FROM json_each('{"a":[1,2]}', '$.a')"#)
        try expectSQL(
            JSONElements.tree(of: #"{"a":[1,2]}"#, atPath: ["a"]).all().filter { $0.key == 0 },
            #"SELECT * FROM json_tree('{"a":[1,2]}', '$.a') WHERE "key" = 0"#)
    }

    @Test func requests() throws {
        let numbers = JSONElements.each(of: "[3,1,2]").all()
        try withLibrary { db in
            expectEqual(try numbers.fetchCount(db), 3)
            expectEqual(try numbers.order(\.value.desc).select(\.value, as: Int.self).fetchAll(db), [3, 2, 1])
            expectEqual(try numbers.filter { $0.value > 1 }.select(\.value, as: Int.self).fetchSet(db), [2, 3])
            expectEqual(try numbers.withStableOrder().fetchAll(db).map(\.key), [0, 1, 2].map(\.databaseValue))
            expectEqual(try numbers.isEmpty(db), false)
            expectEqual(try JSONElement.numberOfSelectedColumns(db), 8)
            expectEqual(try Book.filter(numbers.select(\.value).contains(id)).fetchCount(db), 3)
            #expect(throws: DatabaseError.self) { try numbers.deleteAll(db) }
        }
    }

    // MARK: Conditions

    @Test func arraysThatContainAValue() throws {
        try expectSQL(
            Book.filter { $0.tags.each.contains("sea") },
            #"SELECT * FROM "book" WHERE 'sea' IN (SELECT "value" FROM json_each("book"."tags"))"#)
        expectEqual(try values(Book.filter { $0.tags.each.contains("sea") }.select(\.id, as: Int.self)), [1, 3])
        expectEqual(try values(Book.filter { !$0.tags.each.contains("sea") }.select(\.id, as: Int.self)), [2, 4])
        expectEqual(
            try values(Book.filter { $0.ratings.each.contains($0.minimum) }.select(\.id, as: Int.self)), [1, 2])
    }

    /// In SQL, comparisons with null are neither true nor false.
    @Test func nullsAmongTheElements() throws {
        let elements = JSONElements.each(of: "[null,1]")
        try expectValue(elements.contains(1), #"1 IN (SELECT "value" FROM json_each('[null,1]'))"#, true)
        try expectValue(elements.contains(2), #"2 IN (SELECT "value" FROM json_each('[null,1]'))"#, nil)
        try expectValue(
            elements.contains { $0.value == 2 },
            #"EXISTS (SELECT 1 FROM json_each('[null,1]') WHERE "json_each"."value" = 2)"#, false)
        try DatabaseQueue().read { db in
            let isTrue = JSONElements.each(of: "[1,true]").all().filter { $0.type == JSONType.true }
            expectEqual(try isTrue.select(\.key, as: Int.self).fetchAll(db), [1])
        }
    }

    @Test func elementsThatSatisfyACondition() throws {
        try expectSQL(
            Book.filter { $0.ratings.each.contains { $0.value > 4 } },
            """
            SELECT * FROM "book" \
            WHERE EXISTS (SELECT 1 FROM json_each("book"."ratings") WHERE "json_each"."value" > 4)
            """)
        expectEqual(
            try values(Book.filter { $0.ratings.each.contains { $0.value > 4 } }.select(\.id, as: Int.self)), [1])
        try expectSQL(
            Book.filter { !$0.ratings.each.contains { $0.value > 4 } },
            """
            SELECT * FROM "book" \
            WHERE NOT EXISTS (SELECT 1 FROM json_each("book"."ratings") WHERE "json_each"."value" > 4)
            """)
    }

    /// Columns of the outer table and of the element are distinguished, whatever their names.
    @Test func conditionsOnBoth() throws {
        let request = Book.filter { book in book.ratings.each.contains { $0.value > book.minimum && book.id < 3 } }
        try expectSQL(
            request,
            """
            SELECT * FROM "book" WHERE EXISTS (SELECT 1 FROM json_each("book"."ratings") \
            WHERE ("json_each"."value" > "book"."minimum") AND ("book"."id" < 3))
            """)
        expectEqual(try values(request.select(\.id, as: Int.self)), [1, 2])
    }

    @Test func allElements() throws {
        let request = Book.filter { $0.ratings.each.allSatisfy { $0.value > 3 } }
        try expectSQL(
            request,
            """
            SELECT * FROM "book" WHERE NOT EXISTS (SELECT 1 FROM json_each("book"."ratings") \
            WHERE ("json_each"."value" > 3) IS NOT TRUE)
            """)
        expectEqual(try values(request.select(\.id, as: Int.self)), [1, 3, 4])
    }

    @Test func elementsInsideOfElements() throws {
        let request = Book.filter {
            $0.info.tree.contains { node in
                node.type == JSONType.array && node.value.asJSON.each.contains { $0.value == 7 && node.key == "lost" }
            }
        }
        try expectSQL(
            request,
            """
            SELECT * FROM "book" WHERE EXISTS (SELECT 1 FROM json_tree("book"."info") \
            WHERE ("json_tree"."type" = 'array') AND (EXISTS (SELECT 1 FROM json_each("json_tree"."value") \
            WHERE ("json_each"."value" = 7) AND ("json_tree"."key" = 'lost'))))
            """)
        expectEqual(try values(request.select(\.id, as: Int.self)), [1])
        let nested = JSONElements.each(of: "[[1,2],[3]]")
        let isFound = nested.contains { outer in outer.value.asJSON.each.contains { $0.value == 3 && outer.key == 1 } }
        try expectValue(
            isFound,
            """
            EXISTS (SELECT 1 FROM json_each('[[1,2],[3]]') WHERE EXISTS (SELECT 1 FROM \
            json_each("json_each"."value") "json_each2" \
            WHERE ("json_each2"."value" = 3) AND ("json_each"."key" = 1)))
            """, true)
    }

    @Test func elementsOfAliasedTables() throws {
        let book = TableAlias<Book>(name: "b")
        try expectSQL(
            Book.aliased(book).filter(book.tags.each.contains { $0.value == "sea" }),
            """
            SELECT "b".* FROM "book" "b" \
            WHERE EXISTS (SELECT 1 FROM json_each("b"."tags") WHERE "json_each"."value" = 'sea')
            """)
    }

    @Test func updatesAndDeletions() throws {
        try withLibrary { db in
            let count = try Book.filter { $0.tags.each.contains("love") }.updateAll(db) { $0.minimum.set(to: 5) }
            expectEqual(count, 2)
            expectEqual(try Book.filter { $0.ratings.each.contains { $0.value == 5 } }.deleteAll(db), 1)
        }
    }

    // MARK: Subqueries

    @Test func valuesOfSubqueries() throws {
        let best = { (book: Book.Columns.Type) in book.ratings.each.all().select { max($0.value) } }
        try withLibrary { db in
            try expectQuery(db, Book.select { [$0.title, best($0).forKey("best")] }.order(\.id)) {
                """
                SELECT "title", (SELECT MAX("value") FROM json_each("book"."ratings")) AS "best" FROM "book" ORDER BY "id"
                """
            } rows: {
                """
                Moby-Dick|5
                Emma|4
                Persuasion|NULL
                Sanditon|NULL
                """
            }
        }
    }

    // MARK: Joins

    @Test func flattenAndGroup() throws {
        let tag = TableAlias<JSONElement>()
        let request = Book.joining(required: Book.association(to: \.tags.each).aliased(tag))
            .select(tag.value, count())
            .group(tag.value)
            .order(tag.value)
        try withLibrary { db in
            try expectQuery(db, request) {
                """
                SELECT "json_each"."value", COUNT(*) FROM "book" JOIN json_each("book"."tags") \
                GROUP BY "json_each"."value" ORDER BY "json_each"."value"
                """
            } rows: {
                """
                love|2
                sea|2
                whale|1
                """
            }
        }
    }

    @Test func partsOfRows() throws {
        let request = Book.select(\.title)
            .including(required: Book.association(to: tags.each).filter { $0.key == 1 })
            .order(\.id)
        try expectSQL(
            request,
            """
            SELECT "book"."title", "json_each".* FROM "book" JOIN json_each("book"."tags") \
            ON "json_each"."key" = 1 ORDER BY "book"."id"
            """)
        try withLibrary { db in
            let rows = try request.asRequest(of: Row.self).fetchAll(db)
            let elements = try rows.map { try JSONElement(row: try #require($0.scopes["element"])) }
            expectEqual(elements.map(\.value), ["whale".databaseValue, "sea".databaseValue])
            expectEqual(rows.map { $0["title"] as String }, ["Moby-Dick", "Persuasion"])
        }
    }

    @Test func severalJoins() throws {
        let tag = TableAlias<JSONElement>()
        let rating = TableAlias<JSONElement>()
        let request =
            Book
            .joining(required: Book.association(to: \.tags.each).forKey("tag").aliased(tag))
            .joining(optional: Book.association(to: \.ratings.each).forKey("rating").aliased(rating))
            .select(tag.value, average(rating.value))
            .group(tag.value)
        try expectSQL(
            request,
            """
            SELECT "json_each1"."value", AVG("json_each2"."value") FROM "book" \
            JOIN json_each("book"."tags") "json_each1" LEFT JOIN json_each("book"."ratings") "json_each2" \
            GROUP BY "json_each1"."value"
            """)
    }

    @Test func tablesWithoutRecords() throws {
        let books = Table("book")
        let request = books.joining(required: books.association(to: info.tree(atPath: ["pages"])))
        try expectSQL(
            request, #"SELECT "book".* FROM "book" JOIN json_tree("book"."info", '$.pages')"#)
    }

    @Test func joinsBehindJoins() throws {
        let book = Book.association(to: tags.each)
        let tag = TableAlias<JSONElement>()
        try expectSQL(
            Author.joining(required: Author.books.joining(required: book.aliased(tag))).select(tag.value).distinct(),
            """
            SELECT DISTINCT "json_each"."value" FROM "author" \
            JOIN "book" ON "book"."authorId" = "author"."id" JOIN json_each("book"."tags")
            """)
    }
}
