import Amalgam
import Foundation
import Testing

/// Types that encode and decode by hand.
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

    /// Containers inside of others, which are written to in turns.
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

    /// A value that cannot be encoded leaves nothing behind.
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

    /// A decoder that somebody keeps is of use when the bytes are gone.
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
}
