import Amalgam
import TestSupport
import Testing

/// The functions that return JSON text, and their results.
struct JSONFunctionTests {
    private let json = #"{"a":1,"b":[1,2]}"#

    @Test func minified() throws {
        try expectValue(Database.json(" [ 1 , 2 ] "), "JSON(' [ 1 , 2 ] ')", "[1,2]")
        try expectValue(Database.json("{a:'x',}"), "JSON('{a:''x'',}')", #"{"a":"x"}"#)
        try expectExpression(
            Database.json(ratings), #"JSON("ratings")"#, ["[5,4,5]", "[4,3]", "[]", nil])
    }

    @Test func arrays() throws {
        try expectValue(Database.jsonArray([1, 2, 3]), "JSON_ARRAY(1, 2, 3)", "[1,2,3]")
        try expectValue(
            Database.jsonArray([1, 2.5, "3"]),
            "JSON_ARRAY(1, 2.5, '3')", #"[1,2.5,"3"]"#)
        try expectValue(Database.jsonArray(["[1]"]), "JSON_ARRAY('[1]')", #"["[1]"]"#)
        try expectValue(Database.jsonArray([Int]()), "JSON_ARRAY()", "[]")
    }

    /// JSON values are inserted as JSON, and not as strings.
    @Test func arraysOfJSON() throws {
        try expectExpression(
            Database.jsonArray([tags, id]), #"JSON_ARRAY(JSONB("tags"), "id")"#,
            [#"[["sea","whale"],1]"#, #"[["love"],2]"#, #"[["love","sea"],3]"#, "[null,4]"])
        try expectValue(
            Database.jsonArray([Database.jsonArray([1]), Database.json("[2]").asJSON]),
            "JSON_ARRAY(JSON_ARRAY(1), JSON('[2]'))", "[[1],[2]]")
        try expectExpression(
            Database.jsonArray([info["country"], info.jsonRepresentation(atPath: "country")]),
            #"JSON_ARRAY("info" ->> 'country', "info" -> 'country')"#,
            [#"["US","US"]"#, #"["GB","GB"]"#, "[null,null]", "[null,null]"])
        try expectExpression(
            Database.jsonArray([ratings]), #"JSON_ARRAY(JSONB("ratings"))"#, ["[[5,4,5]]", "[[4,3]]", "[[]]", "[null]"])
    }

    /// A string that contains JSON is inserted as JSON if the caller marks it, also if a function returns it.
    @Test func arraysOfValuesThatAreJSON() throws {
        let list = Database.jsonExtract(#"{"a":"[1,2]"}"#, atPath: "$.a")
        try expectValue(
            Database.jsonArray([list]), #"JSON_ARRAY(JSON_EXTRACT('{"a":"[1,2]"}', '$.a'))"#, #"["[1,2]"]"#)
        try expectValue(
            Database.jsonArray([list.asJSON]), #"JSON_ARRAY(JSONB(JSON_EXTRACT('{"a":"[1,2]"}', '$.a')))"#, "[[1,2]]")
        try expectValue(
            Database.jsonArray([Database.jsonPretty("[1]").asJSON]), "JSON_ARRAY(JSONB(JSON_PRETTY('[1]')))", "[[1]]")
    }

    @Test func arrayLengths() throws {
        try expectExpression(Database.jsonArrayLength(tags), #"JSON_ARRAY_LENGTH("tags")"#, [2, 1, 2, nil])
        try expectExpression(
            Database.jsonArrayLength(info, atPath: "$.pages.lost"), #"JSON_ARRAY_LENGTH("info", '$.pages.lost')"#,
            [2, nil, nil, nil])
    }

    @Test func extracts() throws {
        try expectValue(
            Database.jsonExtract(json, atPath: "$.b[1]"), #"JSON_EXTRACT('{"a":1,"b":[1,2]}', '$.b[1]')"#, 2)
        try expectValue(
            Database.jsonExtract(json, atPaths: ["$.a", "$.b"]),
            #"JSON_EXTRACT('{"a":1,"b":[1,2]}', '$.a', '$.b')"#, "[1,[1,2]]")
    }

    @Test func insertions() throws {
        try expectValue(Database.jsonInsert("[1]", ["$[#]": 99]), "JSON_INSERT('[1]', '$[#]', 99)", "[1,99]")
        try expectValue(
            Database.jsonInsert(json, ["$.a": 99, "$.c": Database.json("[3]")]),
            #"JSON_INSERT('{"a":1,"b":[1,2]}', '$.a', 99, '$.c', JSON('[3]'))"#, #"{"a":1,"b":[1,2],"c":[3]}"#)
        try expectValue(
            Database.jsonArrayInsert("[1,2]", ["$[1]": 99]), "JSON_ARRAY_INSERT('[1,2]', '$[1]', 99)", "[1,99,2]")
    }

    @Test func replacements() throws {
        try expectValue(
            Database.jsonReplace(json, ["$.a": 99, "$.c": 1]),
            #"JSON_REPLACE('{"a":1,"b":[1,2]}', '$.a', 99, '$.c', 1)"#, #"{"a":99,"b":[1,2]}"#)
        try expectValue(
            Database.jsonSet(json, ["$.a": "x", "$.c": 1]),
            #"JSON_SET('{"a":1,"b":[1,2]}', '$.a', 'x', '$.c', 1)"#, #"{"a":"x","b":[1,2],"c":1}"#)
        try expectExpression(
            Database.jsonSet(info, ["$.tags": tags]), #"JSON_SET("info", '$.tags', JSONB("tags"))"#,
            [
                #"{"year":1851,"country":"US","pages":{"count":635,"lost":[3,7]},"tags":["sea","whale"]}"#,
                #"{"year":1815,"country":"GB","draft":true,"tags":["love"]}"#, nil, #"{"country":null,"tags":null}"#,
            ])
    }

    @Test func objects() throws {
        try expectValue(
            Database.jsonObject(["c": Database.jsonObject(["e": 5])]), "JSON_OBJECT('c', JSON_OBJECT('e', 5))",
            #"{"c":{"e":5}}"#)
        try expectValue(
            Database.jsonObject(["c": #"{"e":5}"#]), #"JSON_OBJECT('c', '{"e":5}')"#, #"{"c":"{\"e\":5}"}"#)
        let pairs: KeyValuePairs<String, any SQLExpressible> = ["z": id, "a": tags]
        try expectExpression(
            Database.jsonObject(pairs), #"JSON_OBJECT('z', "id", 'a', JSONB("tags"))"#,
            [
                #"{"z":1,"a":["sea","whale"]}"#, #"{"z":2,"a":["love"]}"#, #"{"z":3,"a":["love","sea"]}"#,
                #"{"z":4,"a":null}"#,
            ])
    }

    /// A dictionary has no order, but the SQL has one.
    @Test func dictionariesMakeTheSameSQLAgain() throws {
        let elements = Dictionary(uniqueKeysWithValues: (0..<9).map { ("k\($0)", $0 as any SQLExpressible) })
        let list = (0..<9).map { "'k\($0)', \($0)" }.joined(separator: ", ")
        let object = "{" + (0..<9).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + "}"
        try expectValue(Database.jsonObject(elements), "JSON_OBJECT(\(list))", object)
    }

    @Test func patches() throws {
        try expectValue(
            Database.jsonPatch(json, with: #"{"a":null,"c":3}"#),
            #"JSON_PATCH('{"a":1,"b":[1,2]}', '{"a":null,"c":3}')"#, #"{"b":[1,2],"c":3}"#)
    }

    @Test func removals() throws {
        try expectValue(
            Database.jsonRemove(json, atPath: "$.a"), #"JSON_REMOVE('{"a":1,"b":[1,2]}', '$.a')"#, #"{"b":[1,2]}"#)
        try expectValue(
            Database.jsonRemove(json, atPaths: ["$.a", "$.b[0]"]),
            #"JSON_REMOVE('{"a":1,"b":[1,2]}', '$.a', '$.b[0]')"#, #"{"b":[2]}"#)
    }

    @Test func types() throws {
        try expectExpression(Database.jsonType(tags), #"JSON_TYPE("tags")"#, ["array", "array", "array", nil])
        try expectExpression(
            Database.jsonType(info, atPath: "$.country"), #"JSON_TYPE("info", '$.country')"#,
            ["text", "text", nil, "null"])
        try expectSQL(
            Book.filter { Database.jsonType($0.info, atPath: "$.year") == JSONType.integer },
            #"SELECT * FROM "book" WHERE JSON_TYPE("info", '$.year') = 'integer'"#)
    }

    @Test func validity() throws {
        try expectExpression(Database.jsonIsValid(title), #"JSON_VALID("title")"#, [0, 0, 0, 0])
        try expectExpression(Database.jsonIsValid(info), #"JSON_VALID("info")"#, [1, 1, nil, 1])
        try expectValue(Database.jsonIsValid("{a:1}", options: .json), "JSON_VALID('{a:1}', 1)", 0)
        try expectValue(Database.jsonIsValid("{a:1}", options: .json5), "JSON_VALID('{a:1}', 2)", 1)
        try expectExpression(
            Database.jsonIsValid(ratings, options: .probablyJSONB), #"JSON_VALID("ratings", 4)"#, [1, 1, 1, nil])
        try expectExpression(
            Database.jsonIsValid(ratings, options: [.json5, .jsonb]), #"JSON_VALID("ratings", 10)"#, [1, 1, 1, nil])
        try expectValue(Database.jsonErrorPosition("[1,"), "JSON_ERROR_POSITION('[1,')", 4)
    }

    @Test func quotes() throws {
        try expectValue(Database.jsonQuote("a\"b"), "JSON_QUOTE('a\"b')", #""a\"b""#)
        try expectValue(Database.jsonQuote(Database.jsonArray([1])), "JSON_QUOTE(JSON_ARRAY(1))", "[1]")
        try expectValue(Database.jsonQuote("[1]"), "JSON_QUOTE('[1]')", #""[1]""#)
        try expectValue(Database.jsonQuote("[1]".databaseValue.asJSON), "JSON_QUOTE(JSONB('[1]'))", "[1]")
    }

    @Test func prettyTexts() throws {
        try expectValue(Database.jsonPretty("[1]"), "JSON_PRETTY('[1]')", "[\n    1\n]")
        try expectValue(Database.jsonPretty("[1]", indentation: "\t"), "JSON_PRETTY('[1]', '\t')", "[\n\t1\n]")
    }

    // MARK: Groups

    @Test func groupsAsArrays() throws {
        let sql = #"SELECT JSON_GROUP_ARRAY("title") FROM "book""#
        try expectSQL(Book.select(Database.jsonGroupArray(title)), sql)
        let ordered = Book.select(Database.jsonGroupArray(id, orderBy: title.desc, filter: id > 1))
        try expectSQL(
            ordered, #"SELECT JSON_GROUP_ARRAY("id" ORDER BY "title" DESC) FILTER (WHERE "id" > 1) FROM "book""#)
        expectEqual(try values(ordered.asRequest(of: String.self)), ["[4,3,2]"])
        let nested = Book.select(Database.jsonGroupArray(tags, orderBy: id))
        try expectSQL(nested, #"SELECT JSON_GROUP_ARRAY(JSONB("tags") ORDER BY "id") FROM "book""#)
        expectEqual(
            try values(nested.asRequest(of: String.self)), [#"[["sea","whale"],["love"],["love","sea"],null]"#])
    }

    @Test func groupsAsObjects() throws {
        let request = Book.select(Database.jsonGroupObject(key: title, value: id, filter: id < 3))
        try expectSQL(request, #"SELECT JSON_GROUP_OBJECT("title", "id") FILTER (WHERE "id" < 3) FROM "book""#)
        expectEqual(try values(request.asRequest(of: String.self)), [#"{"Moby-Dick":1,"Emma":2}"#])
        try expectSQL(
            Book.select(Database.jsonGroupObject(key: title, value: tags)),
            #"SELECT JSON_GROUP_OBJECT("title", JSONB("tags")) FROM "book""#)
    }

    /// An aggregate of all rows returns one row, and is counted as one.
    @Test func aggregatesAreKnown() throws {
        try withLibrary { db in
            let request = Book.select(Database.jsonGroupArray(id))
            let statement = try request.makePreparedRequest(db, forSingleResult: true).statement
            expectEqual(statement.sql, #"SELECT JSON_GROUP_ARRAY("id") FROM "book""#)
        }
    }
}
