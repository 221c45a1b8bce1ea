import Amalgam
import Foundation
import TestSupport
import Testing

/// Paths, and the quotes of their keys.
struct JSONPathTests {
    enum Keys: String, CodingKey { case address, postalCode = "postal-code" }

    @Test func literals() {
        let paths: [(JSONPath, String)] = [
            ([], "$"), (["a"], "$.a"), (["address", "lines", 0], "$.address.lines[0]"), (["tags", -1], "$.tags[#-1]"),
            (["tags", .end], "$.tags[#]"), ([0, 1], "$[0][1]"), (["_a1"], "$._a1"), (["1a"], #"$."1a""#),
            (["a.b"], #"$."a.b""#), ([""], #"$."""#), (["say \"hi\""], #"$."say \"hi\"""#), (["a\\b"], #"$."a\\b""#),
            (["é"], #"$."é""#), (["日本 語"], #"$."日本 語""#), (["a[0]"], #"$."a[0]""#), (["$"], #"$."$""#),
            (["a\nb"], #"$."a\u000ab""#), (["a\0b"], #"$."a\u0000b""#), (["it's"], #"$."it's""#),
            (["#-1"], ##"$."#-1""##),
        ]
        for (path, text) in paths { #expect(path.description == text) }
    }

    @Test func codingKeys() {
        #expect(JSONPath(Keys.address, Keys.postalCode).description == #"$.address."postal-code""#)
        #expect(JSONPath.root[Keys.address]["x"][2].description == "$.address.x[2]")
    }

    @Test func keyPaths() throws {
        try expectExpression(info[\.pages.lost[0]], #""info" ->> '$.pages.lost[0]'"#, [3, nil, nil, nil])
        try expectExpression(info[{ $0.pages.lost[-1] }], #""info" ->> '$.pages.lost[#-1]'"#, [7, nil, nil, nil])
    }

    @Test func asPaths() throws {
        try expectExpression(info[["pages", "count"]], #""info" ->> '$.pages.count'"#, [635, nil, nil, nil])
        try expectExpression(
            Database.jsonType(info, atPath: JSONPath(["pages", "lost"])), #"JSON_TYPE("info", '$.pages.lost')"#,
            ["array", nil, nil, nil])
        try expectExpression(
            info.jsonRepresentation(atPath: JSONPath(["pages", "lost"])), #""info" -> '$.pages.lost'"#,
            ["[3,7]", nil, nil, nil])
    }

    @Test func parsing() throws {
        for text in ["$", "$.a", "$.a.b[0]", "$[#-3]", "$.tags[#]", #"$."a.b"[1]"#, #"$."say \"hi\"""#, #"$."""#] {
            #expect(try JSONPath(parsing: text).description == text)
        }
        #expect(try JSONPath(parsing: "$.a b").components == [.key("a b")])
        #expect(try JSONPath(parsing: "$[#-0]").components == [.end])
        #expect(try JSONPath(parsing: #"$."\u00e9""#).components == [.key("é")])
    }

    @Test(arguments: ["", "a", "$a", "$.", "$[", "$[]", "$[a]", "$[-1]", "$[#1]", "$[#-]", "$.a[1", #"$."a"#, "$..a"])
    func malformedPaths(text: String) {
        expectError("bad JSON path: '\(text)'") { _ = try JSONPath(parsing: text) }
    }

    /// The path of a key finds exactly this key in SQLite, also if SQLite has created the key.
    @Test func everyKeyIsFound() throws {
        var numbers = SeededNumbers(seed: 7)
        try DatabaseQueue().write { db in
            for round in 0..<300 {
                let path = Self.randomPath(using: &numbers)
                let json = Self.nest(.int(Int64(round)), path)
                let text = String(decoding: try JSONEncoder().encode(json), as: UTF8.self)
                let document = text.databaseValue.sqlExpression.asJSON
                let found = try Int.fetchOne(db, SQLRequest<Int>("SELECT \(document[path])"))
                #expect(found == round, "\(path)")
                #expect(try JSONPath(parsing: path.description) == path)
                let binary = try JSONBEncoder().encode(json).databaseValue.sqlExpression.asJSON
                let foundInBinary = try Int.fetchOne(db, SQLRequest<Int>("SELECT \(binary[path])"))
                #expect(foundInBinary == round, "\(path)")
                let made = Database.jsonSet("{}", [path.description: round]).asJSON
                let foundInMade = try Int.fetchOne(db, SQLRequest<Int>("SELECT \(made[path])"))
                #expect(foundInMade == round, "\(path)")
            }
        }
    }

    /// The path of each element leads to this element, also in encoded JSONB.
    @Test func pathsOfElements() throws {
        var numbers = SeededNumbers(seed: 11)
        try DatabaseQueue().read { db in
            for _ in 0..<100 {
                let json = AnyJSON.random(depth: 3, using: &numbers)
                let document = try JSONBEncoder().encode(json).databaseValue.sqlExpression.asJSON
                for element in try document.tree.all().fetchAll(db) {
                    let path = try JSONPath(parsing: element.fullkey)
                    let found = try DatabaseValue.fetchOne(db, SQLRequest<DatabaseValue>("SELECT \(document[path])"))
                    expectEqual(found ?? .null, element.value)
                }
            }
        }
    }

    private static func randomPath(using numbers: inout SeededNumbers) -> JSONPath {
        let count = Int.random(in: 1...3, using: &numbers)
        return JSONPath(
            (0..<count).map { index in
                index > 0 && Bool.random(using: &numbers)
                    ? .index(0) : .key(AnyJSON.randomString(using: &numbers))
            })
    }

    private static func nest(_ value: AnyJSON, _ path: JSONPath) -> AnyJSON {
        path.components.reversed().reduce(value) { value, component in
            switch component {
            case .key(let key): .object([key: value, key + "x": .null])
            default: .array([value])
            }
        }
    }
}
