import Amalgam
import Foundation
import Synchronization
import TestSupport
import Testing

/// Bytes that aren't JSONB, and values of other types.
struct JSONBErrorTests {
    struct Team: Codable {
        var name: String
        var players: [Player]
    }

    struct Player: Codable {
        var name: String
        var score: Int
        var rank: Int?
    }

    private func error<T: Decodable>(_ type: T.Type, _ json: String) throws -> DecodingError? {
        let jsonb = try DatabaseQueue().read { db in
            try #require(try Data.fetchOne(db, sql: "SELECT jsonb(?)", arguments: [json]))
        }
        return #expect(throws: DecodingError.self) { try JSONBDecoder().decode(type, from: jsonb) }
    }

    @Test func pathsOfErrors() throws {
        let json = { (player: String) in #"{"name":"Reds","players":[{"name":"A","score":1},\#(player)]}"# }
        #expect(try error(Team.self, json(#"{"name":"B","score":"x"}"#))?.path == "players/Index 1/score")
        #expect(try error(Team.self, json(#"{"name":"B"}"#))?.path == "players/Index 1")
        #expect(try error(Team.self, json(#"{"name":null,"score":1}"#))?.path == "players/Index 1/name")
        #expect(try error(Team.self, json(#"{"name":"B","score":1.5}"#))?.path == "players/Index 1/score")
        #expect(try error(Team.self, json(#"{"name":"B","score":1,"rank":[]}"#))?.path == "players/Index 1/rank")
        #expect(try error(Team.self, json("5"))?.path == "players/Index 1")
        #expect(try error(Team.self, "[]")?.path == "")
        #expect(try error([String: [Int]].self, #"{"a":[1],"b":[2,true]}"#)?.path == "b/Index 1")
        #expect(try error([String: [String: Double]].self, #"{"a":{"b":1,"c":"x"}}"#)?.path == "a/c")
        #expect(try error([[String]].self, #"[["a"],["b",5]]"#)?.path == "Index 1/Index 1")
        #expect(try error([String: Int].self, "[]")?.path == "")
        #expect(try error([String].self, "{}")?.path == "")
    }

    @Test func kindsOfErrors() throws {
        guard case .typeMismatch(let type, let context) = try error([Int].self, #"["x"]"#) else {
            return #expect(Bool(false))
        }
        #expect("\(type)" == "Int")
        #expect(context.debugDescription == "Expected Int, found text.")
        guard case .valueNotFound(_, let missing) = try error([Int].self, "[null]") else { return #expect(Bool(false)) }
        #expect(missing.debugDescription == "Expected Int, found null.")
        guard case .keyNotFound(let key, let lost) = try error(Player.self, #"{"name":"A"}"#) else {
            return #expect(Bool(false))
        }
        #expect(key.stringValue == "score")
        #expect(lost.debugDescription == "There is no value for the key “score”.")
        guard case .dataCorrupted(let corrupted) = try error([Int8].self, "[300]") else { return #expect(Bool(false)) }
        #expect(corrupted.debugDescription == "Int8 has no value for 300, or it is malformed.")
    }

    @Test func theEndOfAnArray() throws {
        struct Pair: Decodable {
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                _ = try container.decode(Int.self)
                _ = try container.decode(Int.self)
            }
        }
        guard case .valueNotFound(_, let context) = try error(Pair.self, "[1]") else { return #expect(Bool(false)) }
        #expect(context.debugDescription == "The array has no more elements.")
    }

    /// A loop that looks for the first null ends, as it does with Foundation.
    @Test func nullBehindTheEndOfAnArray() throws {
        struct FirstNull: Decodable {
            var index = 0

            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                while try !container.decodeNil() {
                    _ = try container.decode(Int.self)
                    index += 1
                }
            }
        }
        let jsonb = try JSONBEncoder().encode([1, nil])
        #expect(try JSONBDecoder().decode(FirstNull.self, from: jsonb).index == 1)
        guard case .valueNotFound(_, let context) = try error(FirstNull.self, "[1,2]") else {
            return #expect(Bool(false))
        }
        #expect(context.codingPath.map(\.intValue) == [2])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(FirstNull.self, from: Data("[1,2]".utf8)) }
    }

    @Test(
        arguments: [
            [], [0x0D], [0x0F], [0x13], [0x23, 0x31], [0x00, 0x00], [0xC3], [0xC3, 0x02, 0x31],
            [0xF3, 0, 0, 0, 0, 0, 0, 0],
            [0xFB, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0], [0xE7, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x13, 0x78], [0x03], [0x13, 0x2D], [0x15, 0x2E], [0x25, 0x31, 0x65], [0x18, 0x5C], [0x28, 0x5C, 0x75],
            [0x17, 0xFF], [0x1B, 0x1D], [0x1B, 0x13], [0x2C, 0x13, 0x31], [0x1C, 0x07],
            [0x4C, 0x17, 0x61, 0x13, 0x31, 0x00],
            // Strings that JSON would escape, in elements without escapes, or without these escapes.
            [0x37, 0x35, 0x18, 0x31], [0x17, 0x22], [0x17, 0x5C], [0x17, 0x1F],
            [0x97, 0x41, 0x41, 0x41, 0x41, 0x41, 0x41, 0x41, 0x41, 0x0A],
            [0x87, 0x41, 0x41, 0x41, 0x41, 0x41, 0x22, 0x41, 0x41], [0x18, 0x22], [0x18, 0x0A], [0x28, 0x5C, 0x76],
            [0x48, 0x5C, 0x78, 0x34, 0x31], [0x39, 0x5C, 0x30, 0x31],
            // Numbers that don't match their type.
            [0x23, 0x31, 0x2E], [0x25, 0x31, 0x32], [0x25, 0x35, 0x2E], [0x25, 0x2E, 0x35], [0x35, 0x30, 0x31, 0x2E],
            [0x45, 0x30, 0x31, 0x2E, 0x35], [0x26, 0x31, 0x32], [0x33, 0x31, 0x65, 0x35],
            // null, true and false have one byte: SQLite writes the bytes after it as if they were the next element.
            [0x10, 0x00], [0x21, 0x13, 0x31], [0xC2, 0x00], [0x2B, 0xC0, 0x00], [0x3C, 0x07, 0x11, 0x00],
        ] as [[UInt8]])
    func malformedBytes(bytes: [UInt8]) {
        let data = Data(bytes)
        #expect(throws: DecodingError.self) { try JSONBDecoder().decode(AnyJSON.self, from: data) }
    }

    private struct Tree: Codable {
        var children: [Tree]?

        /// A tree whose JSON has a number of levels.
        static func jsonb(levels: Int) throws -> Data {
            let json =
                String(repeating: #"{"children":["#, count: levels / 2) + String(repeating: "]}", count: levels / 2)
            return try DatabaseQueue().read { db in
                try #require(try Data.fetchOne(db, sql: "SELECT jsonb(?)", arguments: [json]))
            }
        }
    }

    @Test(
        "a value that is nested too deeply for the stack of its thread is an error", arguments: [128, 192, 512, 2048])
    func smallStacks(kilobytes: Int) throws {
        let hostile = try Tree.jsonb(levels: 512)
        let flat = try Tree.jsonb(levels: 24)
        let result = Mutex<String?>(nil)
        let end = Signal("end of the thread")
        let thread = Thread {
            let text: String
            do {
                if kilobytes >= 192 { _ = try JSONBDecoder().decode(Tree.self, from: flat) }
                _ = try JSONBDecoder().decode(Tree.self, from: hostile)
                text = "decoded"
            } catch DecodingError.dataCorrupted(let context) {
                text = context.debugDescription
            } catch {
                text = "\(error)"
            }
            result.withLock { $0 = text }
            end.fire()
        }
        thread.stackSize = kilobytes << 10
        thread.start()
        try end.wait()
        let text = try #require(result.withLock { $0 })
        let isRefused =
            text.hasPrefix("Arrays and objects are nested more than ")
            && text.hasSuffix(" levels deep, for which the stack of the thread is too small.")
        #expect(text == "decoded" || isRefused, "\(text)")
        if kilobytes < 512 { #expect(isRefused, "\(text)") }
    }

    @Test("a value that is nested too deeply for the stack isn't encoded, either", arguments: [128, 192])
    func smallStacksOfEncoders(kilobytes: Int) throws {
        let result = Mutex<String?>(nil)
        let end = Signal("end of the thread")
        let thread = Thread {
            var tree = Tree()
            for _ in 0..<250 { tree = Tree(children: [tree]) }
            let error = #expect(throws: EncodingError.self) { try JSONBEncoder().encode(tree) }
            result.withLock { $0 = error.map { "\($0)" } }
            // Trees are released one level at a time, without recursion.
            while let child = tree.children?.popLast() { tree = child }
            end.fire()
        }
        thread.stackSize = kilobytes << 10
        thread.start()
        try end.wait()
        let text = try #require(result.withLock { $0 })
        #expect(text.contains("for which the stack of the thread is too small"), "\(text)")
    }

    @Test func keysOfMalformedObjects() throws {
        // {"a": …} with a truncated value, after a valid one.
        let data = Data([0x5C, 0x17, 0x61, 0x13, 0x31, 0x17])
        let error = #expect(throws: DecodingError.self) {
            try JSONBDecoder().decode(Player.self, from: data)
        }
        guard case .dataCorrupted(let context) = error else { return #expect(Bool(false)) }
        #expect(context.debugDescription == "The bytes are malformed JSONB.")
    }
}
