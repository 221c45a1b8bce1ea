import Amalgam
import TestSupport
import Testing

/// JSON written by people: JSON5, and syntax errors.
struct JSONTextTests {
    private func read<T>(_ test: (Database) throws -> T) throws -> T { try DatabaseQueue().read(test) }

    @Test func canonicalForm() throws {
        try read { db in
            expectEqual(
                try db.canonicalJSON("{name: 'Anna', /* why not */ score: 0x10, half: .5, tags: [1,], }"),
                #"{"name":"Anna","score":16,"half":0.5,"tags":[1]}"#)
            expectEqual(try db.canonicalJSON(" [ 1 , 2 ] "), "[1,2]")
            expectEqual(try db.canonicalJSON("Infinity"), "9e999")
            expectEqual(try db.canonicalJSON("'it\\'s'"), #""it's""#)
        }
    }

    @Test func prettyForm() throws {
        try read { db in
            expectEqual(
                try db.prettyJSON("{name: 'Anna', tags: [1, 2], none: {}}", indentation: "  "),
                """
                {
                  "name": "Anna",
                  "tags": [
                    1,
                    2
                  ],
                  "none": {}
                }
                """)
            expectEqual(try db.prettyJSON("[1]"), "[\n    1\n]")
        }
    }

    @Test func validTexts() throws {
        try read { db in
            for json in ["1", "null", "[]", "{a:1}", "'x'", " {\"é\": \"👩‍👩‍👧\"} ", "// comment\n1"] {
                try db.validateJSON(json)
            }
        }
    }

    @Test func placesOfMistakes() throws {
        let mistakes: [(String, Int, Int, Int)] = [
            ("", 1, 1, 0), ("[1,", 1, 4, 3), ("{\n  \"name\": Anna\n}", 2, 11, 12), ("[1] x", 1, 5, 4),
            ("{'a]': [1, /* ] */ 2]} // ok\n, 1", 2, 1, 29),
            ("1 2", 1, 3, 2), ("'\\'' /", 1, 6, 5), ("null}", 1, 5, 4), ("]", 1, 1, 0), ("x [1]", 1, 1, 0),
            ("{\"é\": 日}", 1, 7, 7), ("[\"👩‍👩‍👧\", ?]", 1, 7, 23), ("[1]\0", 1, 4, 3),
        ]
        try read { db in
            for (json, line, column, offset) in mistakes {
                let error = #expect(throws: JSONSyntaxError.self) { try db.validateJSON(json) }
                #expect(error?.line == line, "\(json)")
                #expect(error?.column == column, "\(json)")
                #expect(error?.utf8Offset == offset, "\(json)")
                #expect(error?.json == json)
            }
        }
    }

    @Test func aCaretShowsThePlace() throws {
        try read { db in
            let error = #expect(throws: JSONSyntaxError.self) {
                _ = try db.canonicalJSON("{\n  \"name\": Anna\n}")
            }
            expectEqual(
                error?.description,
                """
                malformed JSON at line 2, column 11
                  "name": Anna
                          ^
                """)
            #expect(throws: JSONSyntaxError.self) { _ = try db.prettyJSON("[") }
        }
    }
}
