import Amalgam
import Foundation
import TestSupport
import Testing

/// Types with a custom `encode(to:)` and `init(from:)`.
struct JSONBContainerTests {
    class Animal: Codable {
        var name: String
        init(name: String) { self.name = name }
    }

    final class Dog: Animal {
        var tricks: [String]

        private enum Keys: CodingKey { case tricks }

        init(name: String, tricks: [String]) {
            self.tricks = tricks
            super.init(name: name)
        }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            tricks = try container.decode([String].self, forKey: .tricks)
            try super.init(from: container.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try super.encode(to: container.superEncoder())
            try container.encode(tricks, forKey: .tricks)
        }
    }

    private func json(_ jsonb: Data) throws -> String {
        try DatabaseQueue().read { db in
            try #require(
                try String.fetchOne(db, sql: "SELECT json(?) WHERE json_valid(?, 8)", arguments: [jsonb, jsonb]))
        }
    }

    @Test func superclasses() throws {
        let jsonb = try JSONBEncoder().encode([Dog(name: "Rex", tricks: ["sit"])])
        #expect(try json(jsonb) == #"[{"super":{"name":"Rex"},"tricks":["sit"]}]"#)
        let dog = try JSONBDecoder().decode([Dog].self, from: jsonb)[0]
        #expect(dog.name == "Rex")
        #expect(dog.tricks == ["sit"])
    }

    /// Nested containers, which are written alternately.
    struct Nested: Codable, Equatable {
        var flag = true

        func encode(to encoder: any Encoder) throws {
            var root = encoder.container(keyedBy: AnyKey.self)
            var list = root.nestedUnkeyedContainer(forKey: "list")
            var object = root.nestedContainer(keyedBy: AnyKey.self, forKey: "object")
            try object.encode("z", forKey: "z")
            try list.encode(1)
            try root.encode(flag, forKey: "flag")
            try object.encode(["y"], forKey: "a")
            var inner = list.nestedContainer(keyedBy: AnyKey.self)
            try list.encode(3)
            try inner.encode(2, forKey: "two")
            var deepest = list.nestedUnkeyedContainer()
            try deepest.encodeNil()
            _ = object.superEncoder(forKey: "empty")
            #expect(list.count == 4)
            #expect(inner.codingPath.map(\.stringValue) == ["n", "list", "Index 1"])
        }

        init() {}

        init(from decoder: any Decoder) throws {
            let root = try decoder.container(keyedBy: AnyKey.self)
            var list = try root.nestedUnkeyedContainer(forKey: "list")
            let object = try root.nestedContainer(keyedBy: AnyKey.self, forKey: "object")
            flag = try root.decode(Bool.self, forKey: "flag")
            #expect(list.count == 4)
            #expect(try list.decode(Int.self) == 1)
            #expect(try object.decode(String.self, forKey: "z") == "z")
            let inner = try list.nestedContainer(keyedBy: AnyKey.self)
            #expect(try list.decode(Int.self) == 3)
            #expect(try inner.decode(Int.self, forKey: "two") == 2)
            #expect(inner.codingPath.map(\.stringValue) == ["n", "list", "Index 1"])
            #expect(try object.decode([String].self, forKey: "a") == ["y"])
            var deepest = try list.nestedUnkeyedContainer()
            #expect(list.isAtEnd)
            #expect(try deepest.decodeNil())
            #expect(object.contains("z") && !object.contains("b"))
            #expect(try object.decodeIfPresent(Int.self, forKey: "b") == nil)
            #expect(try !object.decodeNil(forKey: "z"))
        }
    }

    @Test func containersInAnyOrder() throws {
        let jsonb = try JSONBEncoder().encode(["n": Nested()])
        #expect(
            try json(jsonb)
                == #"{"n":{"flag":true,"list":[1,{"two":2},3,[null]],"object":{"a":["y"],"empty":{},"z":"z"}}}"#)
        #expect(try JSONBDecoder().decode([String: Nested].self, from: jsonb) == ["n": Nested()])
    }

    @Test func aTypeThatEncodesNothing() throws {
        struct Nothing: Codable {
            init() {}
            init(from decoder: any Decoder) throws {}
            func encode(to encoder: any Encoder) throws {}
        }
        #expect(try json(JSONBEncoder().encode(["a": Nothing()])) == #"{"a":{}}"#)
        #expect(try json(JSONBEncoder().encode(Nothing())) == "{}")
    }

    /// A class and its superclass write to the same nested containers.
    @Test func aContainerInsideThatIsThereAlready() throws {
        class Document: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: AnyKey.self)
                var meta = container.nestedContainer(keyedBy: AnyKey.self, forKey: "meta")
                try meta.encode(1, forKey: "version")
                var tags = container.nestedUnkeyedContainer(forKey: "tags")
                try tags.encode("document")
            }
        }
        final class Letter: Document {
            override func encode(to encoder: any Encoder) throws {
                try super.encode(to: encoder)
                var container = encoder.container(keyedBy: AnyKey.self)
                var meta = container.nestedContainer(keyedBy: AnyKey.self, forKey: "meta")
                try meta.encode("Anna", forKey: "author")
                var tags = container.nestedUnkeyedContainer(forKey: "tags")
                try tags.encode("letter")
                #expect(tags.count == 2)
            }
        }
        let expected = #"{"meta":{"author":"Anna","version":1},"tags":["document","letter"]}"#
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(Letter()), as: UTF8.self) == expected)
        #expect(try json(JSONBEncoder().encode(Letter())) == expected)
    }

    @Test func aKeyTwice() throws {
        struct Twice: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: AnyKey.self)
                try container.encode(1, forKey: "a")
                try container.encode(2, forKey: "b")
                try container.encode(3, forKey: "a")
            }
        }
        #expect(try json(JSONBEncoder().encode(Twice())) == #"{"a":3,"b":2}"#)
    }

    /// A value that can't be encoded leaves no bytes behind.
    @Test func errorsThatATypeCatches() throws {
        struct Careful: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: AnyKey.self)
                try container.encode(1, forKey: "a")
                #expect(throws: EncodingError.self) { try container.encode([[Double.nan]], forKey: "b") }
                #expect(throws: EncodingError.self) { try container.encode(Double.nan, forKey: "0") }
                try container.encode([Elements()], forKey: "c")
                #expect(container.codingPath.isEmpty)
            }
        }
        struct Elements: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                #expect(throws: EncodingError.self) { try container.encode(["x": Float.infinity]) }
                try container.encode(2)
                #expect(container.codingPath.map(\.stringValue) == ["c", "Index 0"])
            }
        }
        #expect(try json(JSONBEncoder().encode(Careful())) == #"{"a":1,"c":[[2]]}"#)
    }

    @Test func misuse() throws {
        struct Twice: Encodable {
            func encode(to encoder: any Encoder) throws {
                var single = encoder.singleValueContainer()
                try single.encode(1)
                try single.encode(2)
            }
        }
        struct Both: Encodable {
            func encode(to encoder: any Encoder) throws {
                var object = encoder.container(keyedBy: AnyKey.self)
                try object.encode(1, forKey: "a")
                var array = encoder.unkeyedContainer()
                try array.encode(2)
            }
        }
        final class Box: Encodable {
            var kept: KeyedEncodingContainer<AnyKey>?
            func encode(to encoder: any Encoder) throws {
                if kept == nil { kept = encoder.container(keyedBy: AnyKey.self) }
                try kept?.encode(1, forKey: "a")
            }
        }
        #expect(throws: EncodingError.self) { try JSONBEncoder().encode(Twice()) }
        #expect(throws: EncodingError.self) { try JSONBEncoder().encode(Both()) }
        let box = Box()
        #expect(throws: EncodingError.self) { try JSONBEncoder().encode([box, box]) }
    }

    /// A value that writes to its container during its own encoding.
    final class Intruder: Encodable {
        var container: KeyedEncodingContainer<AnyKey>
        let act: (inout KeyedEncodingContainer<AnyKey>) throws -> Void

        init(
            _ container: KeyedEncodingContainer<AnyKey>,
            _ act: @escaping (inout KeyedEncodingContainer<AnyKey>) throws -> Void
        ) {
            self.container = container
            self.act = act
        }

        func encode(to encoder: any Encoder) throws { try act(&container) }
    }

    @Test func theContainerAroundAValueThatFails() throws {
        struct Failure: Error {}
        struct Careful: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: AnyKey.self)
                let intruder = Intruder(container) {
                    _ = $0.nestedUnkeyedContainer(forKey: "inner")
                    throw Failure()
                }
                #expect(throws: Failure.self) { try container.encode(intruder, forKey: "long enough to be cut off") }
                try container.encode(1, forKey: "a")
            }
        }
        #expect(try json(JSONBEncoder().encode(Careful())) == #"{"a":1}"#)
    }

    @Test func theContainerAroundAValueIsNotWrittenTo() throws {
        struct Careful: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: AnyKey.self)
                let intruder = Intruder(container) { try $0.encode(2, forKey: "b") }
                try container.encode(intruder, forKey: "a")
            }
        }
        #expect(throws: EncodingError.self) { try JSONBEncoder().encode(Careful()) }
    }

    @Test func aContainerInsideThatIsMadeAtTheWrongTimeIsNotWrittenTo() throws {
        struct Careful: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: AnyKey.self)
                let intruder = Intruder(container) {
                    var inner = $0.nestedUnkeyedContainer(forKey: "b")
                    try inner.encode(2)
                }
                try container.encode(intruder, forKey: "a")
            }
        }
        #expect(throws: EncodingError.self) { try JSONBEncoder().encode(Careful()) }
    }

    /// Elements of many sizes are encoded at their positions, even while several containers are empty.
    @Test func manyContainersInside() throws {
        struct Rows: Encodable {
            let sizes: [Int]

            func encode(to encoder: any Encoder) throws {
                var rows = encoder.unkeyedContainer()
                for size in sizes {
                    var row = rows.nestedUnkeyedContainer()
                    if size % 3 == 0 { try rows.encode("between") }
                    try row.encode(String(repeating: "x", count: size))
                }
            }
        }
        let sizes = [0, 1, 2, 11, 12, 300, 5, 70_000, 4]
        let expected = sizes.map { size in
            "[\"" + String(repeating: "x", count: size) + "\"]" + (size % 3 == 0 ? ",\"between\"" : "")
        }
        #expect(try json(JSONBEncoder().encode(Rows(sizes: sizes))) == "[" + expected.joined(separator: ",") + "]")
    }

    /// The time for nested containers is linear in their number.
    @Test func theTimeOfContainersInside() throws {
        struct Rows: Encodable {
            func encode(to encoder: any Encoder) throws {
                let text = String(repeating: "x", count: 500)
                var rows = encoder.unkeyedContainer()
                for _ in 0..<100_000 {
                    var row = rows.nestedUnkeyedContainer()
                    try row.encode(text)
                }
            }
        }
        // A header of 3 bytes for each string and each array, and one of 5 bytes for the outer array.
        var count = 0
        let time = try threadTime { count = try JSONBEncoder().encode(Rows()).count }
        #expect(count == 100_000 * 506 + 5)
        #expect(time < .seconds(600))
    }

    /// Nested arrays, encoded by custom code.
    struct Arrays: Encodable {
        let depth: Int

        func encode(to encoder: any Encoder) throws {
            var array = encoder.unkeyedContainer()
            for _ in 1..<depth { array = array.nestedUnkeyedContainer() }
        }
    }

    /// Nested objects, encoded by custom code.
    struct Objects: Encodable {
        let depth: Int

        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: AnyKey.self)
            for _ in 1..<depth { object = object.nestedContainer(keyedBy: AnyKey.self, forKey: "a") }
        }
    }

    @Test func deepArraysByHand() throws {
        let jsonb = try JSONBEncoder().encode(Arrays(depth: 500))
        #expect(try json(jsonb) == String(repeating: "[", count: 500) + String(repeating: "]", count: 500))
        for depth in [600, 50_000] {
            #expect(throws: EncodingError.self) { try JSONBEncoder().encode(Arrays(depth: depth)) }
        }
    }

    @Test func deepObjectsByHand() throws {
        #expect(try json(JSONBEncoder().encode(Objects(depth: 3))) == #"{"a":{"a":{}}}"#)
        for depth in [600, 50_000] {
            #expect(throws: EncodingError.self) { try JSONBEncoder().encode(Objects(depth: depth)) }
        }
    }

    /// A container that is too deep throws when it is written to, and leaves no bytes behind when its error is caught.
    @Test func deepContainersAreNotWrittenTo() throws {
        struct Deep: Encodable {
            func encode(to encoder: any Encoder) throws {
                var array = encoder.unkeyedContainer()
                for _ in 0..<600 { array = array.nestedUnkeyedContainer() }
                let error = #expect(throws: EncodingError.self) { try array.encode(1) }
                guard case .invalidValue(_, let context) = error else { return #expect(Bool(false)) }
                #expect(context.debugDescription == "Arrays and objects are nested more than 512 levels deep.")
            }
        }
        struct Careful: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: AnyKey.self)
                #expect(throws: EncodingError.self) { try container.encode(Deep(), forKey: "deep") }
                try container.encode(1, forKey: "a")
            }
        }
        #expect(try json(JSONBEncoder().encode(Careful())) == #"{"a":1}"#)
    }

    /// A decoder that is stored can be used after the bytes were released.
    @Test func decodersThatAreKept() throws {
        struct Kept: Decodable {
            let decoder: any Decoder
            init(from decoder: any Decoder) { self.decoder = decoder }
        }
        var bytes = Array(try JSONBEncoder().encode([["a": "text that is long enough"], ["b": "other"]]))
        let kept = try bytes.withUnsafeBytes { try JSONBDecoder().decode([Kept].self, from: $0) }
        for index in bytes.indices { bytes[index] = 0xFF }
        #expect(try [String: String](from: kept[1].decoder) == ["b": "other"])
        #expect(try [String: String](from: kept[0].decoder) == ["a": "text that is long enough"])
    }

    @Test func deepValues() throws {
        final class Node: Codable {
            var next: Node?
            init(depth: Int) { next = depth > 1 ? Node(depth: depth - 1) : nil }
            var depth: Int { 1 + (next?.depth ?? 0) }
        }
        let jsonb = try JSONBEncoder().encode(Node(depth: 500))
        #expect(try JSONBDecoder().decode(Node.self, from: jsonb).depth == 500)
        #expect(throws: EncodingError.self) { try JSONBEncoder().encode(Node(depth: 600)) }
        let text = String(repeating: #"{"next":"#, count: 600) + "null" + String(repeating: "}", count: 600)
        let deep = try DatabaseQueue().read { db in try Data.fetchOne(db, sql: "SELECT jsonb(?)", arguments: [text])! }
        let error = #expect(throws: DecodingError.self) { try JSONBDecoder().decode(Node.self, from: deep) }
        #expect(error?.path.hasPrefix("next/next/next") == true)
    }

    /// A type that reads more keys than its objects have, before and after nested objects, and each key twice.
    struct Sparse: Decodable, Equatable {
        /// Some have the same length, and the same first and last characters, no characters, or escapes.
        static let names = [
            "", "a", "aa", "ab", "aab", "abb", "ä", "a\"b", "k\n", "key", "kay", "a longer name", "next",
        ]

        var numbers: [String: Int] = [:]
        var next: [Sparse] = []

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: AnyKey.self)
            for name in Self.names.dropLast() {
                numbers[name] = try container.decodeIfPresent(Int.self, forKey: AnyKey(stringValue: name))
            }
            next = try container.decodeIfPresent([Sparse].self, forKey: "next") ?? []
            for name in Self.names.reversed() {
                let isThere = numbers[name] != nil || name == "next" && !next.isEmpty
                #expect(container.contains(AnyKey(stringValue: name)) == isThere)
            }
        }
    }

    @Test func keysThatAreMissing() throws {
        var generator = SeededNumbers(seed: 45)
        func object(depth: Int) -> AnyJSON {
            var values: [String: AnyJSON] = [:]
            for name in Sparse.names.dropLast() where Int.random(in: 0..<3, using: &generator) == 0 {
                values[name] = .int(Int64.random(in: 0..<100, using: &generator))
            }
            if depth < 4 { values["next"] = .array((0..<3).map { _ in object(depth: depth + 1) }) }
            return .object(values)
        }
        for _ in 0..<10 {
            let text = try JSONEncoder().encode(object(depth: 0))
            let jsonb = try DatabaseQueue().read { db in
                try Data.fetchOne(db, sql: "SELECT jsonb(?)", arguments: [String(decoding: text, as: UTF8.self)])!
            }
            let expected = try JSONDecoder().decode(Sparse.self, from: text)
            #expect(try JSONBDecoder().decode(Sparse.self, from: jsonb) == expected)
        }
    }

    @Test func configurations() throws {
        struct Scaled: EncodableWithConfiguration, DecodableWithConfiguration, Equatable {
            var value: Int
            init(value: Int) { self.value = value }
            init(from decoder: any Decoder, configuration: Int) throws {
                value = try Int(from: decoder) / configuration
            }
            func encode(to encoder: any Encoder, configuration: Int) throws {
                try (value * configuration).encode(to: encoder)
            }
        }
        let jsonb = try JSONBEncoder().encode(Scaled(value: 3), configuration: 10)
        #expect(try json(jsonb) == "30")
        #expect(try JSONBDecoder().decode(Scaled.self, from: jsonb, configuration: 10) == Scaled(value: 3))
    }

    /// An object whose keys are the letter é as two scalars, and as one, in the order of their bytes. For Swift, both keys are
    /// equal.
    struct EquivalentKeys: Codable {
        var names: [String] = ["e\u{301}", "\u{E9}"]

        init() {}

        init(from decoder: any Decoder) throws {
            names = try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
        }

        func encode(to encoder: any Encoder) throws {
            var root = encoder.container(keyedBy: AnyKey.self)
            for (number, name) in names.enumerated() {
                var object = root.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(name))
                try object.encode(number, forKey: "n")
            }
        }
    }

    @Test func equivalentKeysAreDifferentKeys() throws {
        let jsonb = try JSONBEncoder().encode(EquivalentKeys())
        #expect(try Array(json(jsonb).utf8) == Array("{\"e\u{301}\":{\"n\":0},\"\u{E9}\":{\"n\":1}}".utf8))
        let names = try JSONBDecoder().decode(EquivalentKeys.self, from: jsonb).names
        #expect(names.map { Array($0.utf8) } == EquivalentKeys().names.map { Array($0.utf8) })
    }

    @Test func equivalentKeysThatAreConverted() throws {
        struct Word: Decodable {
            var numbers: [Int] = []
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: AnyKey.self)
                for name in ["\u{E9}", "e\u{301}"] {
                    numbers.append(try container.decode(Int.self, forKey: AnyKey(name)))
                }
            }
        }
        let jsonb = try DatabaseQueue().read { db in
            try Data.fetchOne(db, sql: "SELECT jsonb(?)", arguments: ["{\"e\u{301}\":2,\"\u{E9}\":1}"])!
        }
        let decoder = JSONBDecoder()
        decoder.keyDecodingStrategy = .custom { path in AnyKey(path.last!.stringValue) }
        #expect(try decoder.decode(Word.self, from: jsonb).numbers == [1, 2])
        #expect(try JSONBDecoder().decode(Word.self, from: jsonb).numbers == [1, 2])
    }
}
