import Amalgam
import Foundation
import Testing

@Suite("The JSON format")
struct JSONFormatTests {
    private struct Line: Decodable, Equatable {
        var id: Int
        var name: String
        var note: Data?
    }

    @Test("an array of objects, keys in the order of the columns, blobs as base64")
    func rows() throws {
        try expectDump(
            of: twoRows, .json(),
            """
            [{"id":1,"name":"Anna","note":null},
            {"id":2,"name":"O'Neil","note":"QQ=="}]

            """)
    }

    @Test("without rows, the array is empty")
    func noRows() throws {
        try expectDump(of: "SELECT 1 WHERE 0", .json(), "[]\n")
    }

    @Test("each statement has its array")
    func statements() throws {
        try expectDump(
            of: "SELECT 1 AS a; SELECT 2 AS b WHERE 0; SELECT 3 AS c", .json(),
            """
            [{"a":1}]
            []
            [{"c":3}]

            """)
    }

    @Test("numbers that JSON does not have are texts")
    func infinities() throws {
        try expectDump(
            of: "SELECT 9e999 AS a, -9e999 AS b, 1.5 AS c", .json(), "[{\"a\":\"inf\",\"b\":\"-inf\",\"c\":1.5}]\n")
    }

    @Test("slashes are as they are; quotes, line breaks and names of columns are escaped")
    func texts() throws {
        try expectDump(
            of: "SELECT 'a/b' AS path, '\"' || char(10) AS text, 1 AS \"the \"\"name\"\"\"", .json(),
            #"[{"path":"a/b","text":"\"\n","the \"name\"":1}]"# + "\n")
    }

    @Test("an encoder that prints prettily makes a line of each value")
    func prettyPrinted() throws {
        let encoder = JSONDumpFormat.defaultEncoder
        encoder.outputFormatting.insert(.prettyPrinted)
        try expectDump(
            of: twoRows, .json(encoder: encoder),
            """
            [
              {
                "id":1,
                "name":"Anna",
                "note":null
              },
              {
                "id":2,
                "name":"O'Neil",
                "note":"QQ=="
              }
            ]

            """)
        try expectDump(of: "SELECT 1 WHERE 0", .json(encoder: encoder), "[]\n")
    }

    @Test("values are encoded as the encoder is told")
    func strategies() throws {
        let encoder = JSONEncoder()
        encoder.dataEncodingStrategy = .custom { data, encoder in
            var container = encoder.singleValueContainer()
            try container.encode("\(data.count) bytes")
        }
        try expectDump(
            of: "SELECT x'0102' AS a, 'b/c' AS d", .json(encoder: encoder), #"[{"a":"2 bytes","d":"b\/c"}]"# + "\n")
    }

    @Test("a value that the encoder refuses is an error")
    func refusedValues() throws {
        try DatabaseQueue().write { db in
            _ = #expect(throws: EncodingError.self) {
                try db.dumpSQL("SELECT 9e999", format: .json(encoder: JSONEncoder()), to: Text())
            }
        }
    }

    @Test("what was written can be decoded")
    func decoding() throws {
        try DatabaseQueue().write { db in
            let json = try text { try db.dumpSQL(SQL(sql: twoRows), format: .json(), to: $0) }
            let lines = try JSONDecoder().decode([Line].self, from: Data(json.utf8))
            #expect(lines == [Line(id: 1, name: "Anna"), Line(id: 2, name: "O'Neil", note: Data([0x41]))])
        }
    }
}
