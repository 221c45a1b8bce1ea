import Amalgam
import TestSupport
import Testing

/// The functions that return JSONB.
struct JSONBFunctionTests {
    /// Expects the SQL of an expression, and the JSON of its value.
    private func expectJSONB(
        _ expression: SQLExpression, _ sql: String, _ json: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try expectValue(Database.json(expression), "JSON(\(sql))", json, sourceLocation: sourceLocation)
        try expectValue(
            Database.jsonIsValid(expression, options: .jsonb), "JSON_VALID(\(sql), 8)", 1,
            sourceLocation: sourceLocation)
    }

    @Test func functions() throws {
        try expectJSONB(Database.jsonb("{a:1}"), "JSONB('{a:1}')", #"{"a":1}"#)
        try expectJSONB(Database.jsonbArray([1, 2]), "JSONB_ARRAY(1, 2)", "[1,2]")
        try expectJSONB(
            Database.jsonbArray([Database.jsonb("[1]"), "x"]), "JSONB_ARRAY(JSONB('[1]'), 'x')",
            #"[[1],"x"]"#)
        try expectJSONB(
            Database.jsonbExtract("[[1]]", atPath: "$[0]"), "JSONB_EXTRACT('[[1]]', '$[0]')", "[1]")
        try expectJSONB(
            Database.jsonbExtract("[1,2]", atPaths: ["$[0]", "$[1]"]), "JSONB_EXTRACT('[1,2]', '$[0]', '$[1]')", "[1,2]"
        )
        try expectJSONB(Database.jsonbInsert("[]", ["$[#]": 1]), "JSONB_INSERT('[]', '$[#]', 1)", "[1]")
        try expectJSONB(Database.jsonbReplace("[0]", ["$[0]": 1]), "JSONB_REPLACE('[0]', '$[0]', 1)", "[1]")
        try expectJSONB(Database.jsonbSet("[]", ["$[0]": 1]), "JSONB_SET('[]', '$[0]', 1)", "[1]")
        try expectJSONB(
            Database.jsonbArrayInsert("[2]", ["$[0]": 1]), "JSONB_ARRAY_INSERT('[2]', '$[0]', 1)", "[1,2]")
        try expectJSONB(Database.jsonbObject(["a": 1]), "JSONB_OBJECT('a', 1)", #"{"a":1}"#)
        try expectJSONB(
            Database.jsonbPatch("{}", with: #"{"a":1}"#), #"JSONB_PATCH('{}', '{"a":1}')"#, #"{"a":1}"#)
        try expectJSONB(Database.jsonbRemove("[1]", atPath: "$[0]"), "JSONB_REMOVE('[1]', '$[0]')", "[]")
        try expectJSONB(
            Database.jsonbRemove("[1,2]", atPaths: ["$[0]", "$[0]"]), "JSONB_REMOVE('[1,2]', '$[0]', '$[0]')", "[]")
    }

    @Test func partsAreBinary() throws {
        try expectSQL(
            Book.select(Database.jsonbArray([tags, id])),
            #"SELECT JSONB_ARRAY(JSONB("tags"), "id") FROM "book""#)
        try expectSQL(
            Book.select(Database.jsonbSet(info, ["$.tags": tags])),
            #"SELECT JSONB_SET("info", '$.tags', JSONB("tags")) FROM "book""#)
    }

    @Test func groups() throws {
        let array = Database.jsonbGroupArray(tags, orderBy: id, filter: id > 2)
        try expectSQL(
            Book.select(array),
            #"SELECT JSONB_GROUP_ARRAY(JSONB("tags") ORDER BY "id") FILTER (WHERE "id" > 2) FROM "book""#)
        expectEqual(
            try values(Book.select(Database.json(array), as: String.self)), [#"[["love","sea"],null]"#])
        let object = Database.jsonbGroupObject(key: title, value: id, filter: id == 1)
        try expectSQL(
            Book.select(object),
            #"SELECT JSONB_GROUP_OBJECT("title", "id") FILTER (WHERE "id" = 1) FROM "book""#)
        expectEqual(try values(Book.select(Database.json(object), as: String.self)), [#"{"Moby-Dick":1}"#])
    }
}
