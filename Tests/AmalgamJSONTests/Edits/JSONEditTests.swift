import Amalgam
import Foundation
import TestSupport
import Testing

/// Changes inside a JSON column.
struct JSONEditTests {
    /// Expects the SQL of an assignment to the info of Emma, and the new value.
    private func expectEdit(
        _ edits: JSONEdit..., on json: String, sql: String, gives result: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try withLibrary { db in
            try db.execute(sql: "UPDATE book SET info = ?", arguments: [json])
            var statements: [String] = []
            db.trace { event in statements.append(event.expandedDescription) }
            try Book.filter(id == 2).updateAll(db) { $0.info.edit(edits) }
            db.trace()
            #expect(
                statements == [#"UPDATE "book" SET "info" = \#(sql) WHERE "id" = 2"#], sourceLocation: sourceLocation)
            let actual = try String.fetchOne(db, sql: "SELECT info FROM book WHERE id = 2")
            #expect(actual == result, sourceLocation: sourceLocation)
        }
    }

    @Test func sets() throws {
        try expectEdit(
            .set(["a"], to: 1), on: "{}", sql: #"JSON_SET("info", '$.a', 1)"#, gives: #"{"a":1}"#)
        try expectEdit(
            .set(["a", "b.c"], to: "x"), on: #"{"a":{}}"#, sql: #"JSON_SET("info", '$.a."b.c"', 'x')"#,
            gives: #"{"a":{"b.c":"x"}}"#)
        try expectEdit(
            .set(["a"], to: nil), on: "{}", sql: #"JSON_SET("info", '$.a', NULL)"#, gives: #"{"a":null}"#)
        try expectEdit(
            .set(["a"], to: true), .set(["b"], to: false), on: "{}",
            sql: #"JSON_SET("info", '$.a', JSON('true'), '$.b', JSON('false'))"#, gives: #"{"a":true,"b":false}"#)
        try expectEdit(
            .set(["a"], to: id + 1), on: "{}", sql: #"JSON_SET("info", '$.a', "id" + 1)"#, gives: #"{"a":3}"#)
        try expectEdit(
            .set(["a"], to: tags), on: "{}", sql: #"JSON_SET("info", '$.a', JSONB("tags"))"#, gives: #"{"a":["love"]}"#)
    }

    /// SQLite would change the value of the key `a`.
    @Test("a path with U+0000 in a key is an error, and nothing is changed")
    func keysWithNUL() throws {
        let json = #"{"":0,"a":1}"#
        let paths: [JSONPath] = [["a\u{0}z"], ["\u{0}z"], ["a\u{0}"], ["b", "\u{0}"]]
        try withLibrary { db in
            try db.execute(sql: "UPDATE book SET info = ?", arguments: [json])
            func expectRefusal(_ key: String, _ body: () throws -> Void) {
                expectError(
                    .SQLITE_MISUSE,
                    """
                    SQLite can't find the JSON key \(key.debugDescription) by a path, because the key contains U+0000: \
                    decode the JSON, change it in Swift, and store it
                    """, body)
            }
            for path in paths {
                guard case .key(let key) = path.components.last else { continue }
                for edit in [JSONEdit.set(path, to: 5), .insert(5, at: path), .replace(path, with: 5), .remove(path)] {
                    expectRefusal(key) { try Book.updateAll(db) { $0.info.edit(edit) } }
                }
                expectRefusal(key) { _ = try Row.fetchOne(db, Book.select { $0.info[path] }) }
                expectRefusal(key) { _ = try Row.fetchOne(db, Book.select { $0.info[path.description] }) }
                expectRefusal(key) {
                    _ = try Row.fetchOne(db, Book.select { $0.info.jsonExtract(atPath: path.description) })
                }
            }
            expectRefusal("a\u{0}") { _ = try Row.fetchOne(db, Book.select { $0.info["a\u{0}"] }) }
            expectEqual(try String.fetchSet(db, sql: "SELECT info FROM book"), [json])
            try Book.updateAll(db) { $0.info.edit(.set(["\u{1}", "\\u0000"], to: 5)) }
            expectEqual(
                try String.fetchSet(db, sql: "SELECT info FROM book"), [#"{"":0,"a":1,"\u0001":{"\\u0000":5}}"#])
        }
    }

    /// The same edits of a dictionary are the oracle.
    @Test(
        "random keys: an edit changes the value of its key only, in JSON and JSONB, or it is refused",
        arguments: seeds(40))
    func randomKeys(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        try DatabaseQueue().write { db in
            try db.execute(
                sql: "CREATE TABLE document (info TEXT, ratings BLOB); INSERT INTO document VALUES ('{}', jsonb('{}'))")
            var values: [String: Int] = [:]
            for _ in 0..<40 {
                let key = randomKey(&generator)
                let (edit, edited) = randomEdit(of: key, values, &generator)
                do {
                    try Table("document").updateAll(db, info.edit(edit), ratings.edit(edit))
                    values = edited
                    #expect(!key.utf8.contains(0), "seed \(seed), key \(key.debugDescription)")
                } catch let error as DatabaseError {
                    #expect(error.resultCode == .SQLITE_MISUSE, "seed \(seed): \(error)")
                    #expect(key.utf8.contains(0), "seed \(seed), key \(key.debugDescription): \(error)")
                }
                let row = try #require(try Row.fetchOne(db, sql: "SELECT CAST(info AS BLOB), ratings FROM document"))
                let text = try JSONDecoder().decode([String: Int].self, from: row[0])
                let binary = try JSONBDecoder().decode([String: Int].self, from: row[1] as Data)
                #expect(text == values && binary == values, "seed \(seed), key \(key.debugDescription)")
            }
        }
    }

    private func randomKey(_ generator: inout SeededGenerator) -> String {
        let parts = [
            "a", "b", ".", "\"", "\\", "$", "[", "]", "#", "0", "'", "\u{0}", "\u{1}", "\u{1F}", "é", "u0000", " ",
            "\u{2028}", "👍", "/",
        ]
        let count = Int.random(in: 0...3, using: &generator)
        return (0..<count).map { _ in parts.randomElement(using: &generator)! }.joined()
    }

    private func randomEdit(
        of key: String, _ values: [String: Int], _ generator: inout SeededGenerator
    ) -> (edit: JSONEdit, values: [String: Int]) {
        let path = JSONPath([.key(key)])
        let value = Int.random(in: 0...9, using: &generator)
        var values = values
        switch Int.random(in: 0..<4, using: &generator) {
        case 0:
            values[key] = value
            return (.set(path, to: value), values)
        case 1:
            values[key] = values[key] ?? value
            return (.insert(value, at: path), values)
        case 2:
            if values[key] != nil { values[key] = value }
            return (.replace(path, with: value), values)
        default:
            values[key] = nil
            return (.remove(path), values)
        }
    }

    @Test func insertionsAndReplacements() throws {
        try expectEdit(
            .insert(1, at: ["a"]), .insert(2, at: ["b"]), on: #"{"a":0}"#,
            sql: #"JSON_INSERT("info", '$.a', 1, '$.b', 2)"#, gives: #"{"a":0,"b":2}"#)
        try expectEdit(
            .replace(["a"], with: 1), .replace(["b"], with: 2), on: #"{"a":0}"#,
            sql: #"JSON_REPLACE("info", '$.a', 1, '$.b', 2)"#, gives: #"{"a":1}"#)
    }

    @Test func elements() throws {
        try expectEdit(
            .append("x", to: ["a"]), on: #"{"a":[1]}"#, sql: #"JSON_INSERT("info", '$.a[#]', 'x')"#,
            gives: #"{"a":[1,"x"]}"#)
        try expectEdit(
            .append("x", to: ["a"]), on: "{}", sql: #"JSON_INSERT("info", '$.a[#]', 'x')"#, gives: #"{"a":["x"]}"#)
        try expectEdit(
            .insertElement(0, before: ["a", 0]), on: #"{"a":[1]}"#, sql: #"JSON_ARRAY_INSERT("info", '$.a[0]', 0)"#,
            gives: #"{"a":[0,1]}"#)
        try expectEdit(
            .replace(["a", -1], with: 9), on: #"{"a":[1,2]}"#, sql: #"JSON_REPLACE("info", '$.a[#-1]', 9)"#,
            gives: #"{"a":[1,9]}"#)
    }

    @Test func removalsAndPatches() throws {
        try expectEdit(
            .remove(["a"]), .remove(["b", 0]), on: #"{"a":1,"b":[1,2]}"#, sql: #"JSON_REMOVE("info", '$.a', '$.b[0]')"#,
            gives: #"{"b":[2]}"#)
        try expectEdit(
            .patch(with: #"{"a":null}"#), .patch(with: #"{"b":2}"#), on: #"{"a":1}"#,
            sql: #"JSON_PATCH(JSON_PATCH("info", '{"a":null}'), '{"b":2}')"#, gives: #"{"b":2}"#)
    }

    /// Edits apply in order; consecutive edits of the same kind are one call.
    @Test func sequences() throws {
        try expectEdit(
            .set(["score"], to: 10), .set(["active"], to: true), .append("new", to: ["tags"]), .remove(["draft"]),
            on: #"{"draft":1}"#,
            sql: """
                JSON_REMOVE(JSON_INSERT(JSON_SET("info", '$.score', 10, '$.active', JSON('true')), '$.tags[#]', 'new'), \
                '$.draft')
                """,
            gives: #"{"score":10,"active":true,"tags":["new"]}"#)
        try expectEdit(on: "{}", sql: #""info""#, gives: "{}")
    }

    /// Data becomes Base64 in JSON, whatever its bytes are. JSONB is inserted by an expression that is marked as JSON.
    @Test func dataIsBase64AndJSONBIsAnExpressionOfJSON() throws {
        try withLibrary { db in
            let jsonb = try JSONBEncoder().encode([1, 2])
            let tags = { try String.fetchOne(db, sql: "SELECT tags FROM book WHERE id = 1") }
            try Book.filter(id == 1).updateAll(db) { $0.tags.edit(.set([0], to: jsonb), .set([1], to: Data([0xFF]))) }
            expectEqual(try tags(), "[\"\(jsonb.base64EncodedString())\",\"/w==\"]")
            try Book.filter(id == 1).updateAll(db) { $0.tags.edit(.set([0], to: jsonb.databaseValue.asJSON)) }
            expectEqual(try tags(), #"[[1,2],"/w=="]"#)
            expectError("malformed JSON") {
                try Book.updateAll(db) { $0.tags.edit(.set([0], to: Data([0xFF]).databaseValue.asJSON)) }
            }
        }
    }

    /// The number of edits isn't limited, although SQLite's functions accept a limited number of arguments.
    @Test func manyEdits() throws {
        try withLibrary { db in
            let keys = (0..<2000).map { "k\($0)" }
            let sets = keys.map { key in JSONEdit.set(JSONPath([.key(key)]), to: key) }
            let removals = keys.dropLast().map { key in JSONEdit.remove(JSONPath([.key(key)])) }
            try Book.filter(id == 2).updateAll(db) { $0.info.edit(sets) }
            try Book.filter(id == 2).updateAll(db) { $0.info.edit(removals) }
            let info = try String.fetchOne(db, sql: "SELECT info FROM book WHERE id = 2")
            expectEqual(info, #"{"year":1815,"country":"GB","draft":true,"k1999":"k1999"}"#)
        }
    }

    @Test func encodedValues() throws {
        struct Address: Codable, Equatable {
            var city: String
            var lines: [String]
        }
        let address = Address(city: "Rome", lines: ["a", "b\""])
        try withLibrary { db in
            try Book.filter(id == 2).updateAll(db) {
                try $0.info.edit(
                    .set(["address"], encoding: address), .append(encoding: address.lines, to: ["list"]),
                    .patch(encoding: ["draft": Bool?.none]))
            }
            let info = try String.fetchOne(db, sql: "SELECT info FROM book WHERE id = 2")
            expectEqual(
                info,
                #"{"year":1815,"country":"GB","address":{"city":"Rome","lines":["a","b\""]},"list":[["a","b\""]]}"#)
        }
        #expect(throws: EncodingError.self) { try JSONEdit.set(["a"], encoding: Double.nan) }
    }

    @Test func binaryColumns() throws {
        try withLibrary { db in
            var statements: [String] = []
            db.trace { event in statements.append(event.expandedDescription) }
            try Book.filter(id == 2).updateAll(db) { $0.ratings.edit(.append(true, to: []), .set([0], to: tags)) }
            db.trace()
            expectEqual(
                statements,
                [
                    """
                    UPDATE "book" SET "ratings" = \
                    JSONB_SET(JSONB_INSERT("ratings", '$[#]', JSONB('true')), '$[0]', JSONB("tags")) WHERE "id" = 2
                    """
                ])
            let row = try Row.fetchOne(
                db, sql: "SELECT typeof(ratings) AS type, json(ratings) AS json FROM book WHERE id = 2")
            expectEqual(row, ["type": "blob", "json": #"[["love"],3,true]"#])
        }
    }

    @Test func editedValues() throws {
        try expectExpression(
            info.edited(.remove(["pages"]), .remove(["draft"])), #"JSON_REMOVE("info", '$.pages', '$.draft')"#,
            [#"{"year":1851,"country":"US"}"#, #"{"year":1815,"country":"GB"}"#, nil, #"{"country":null}"#])
    }
}
