import Amalgam
import Foundation
import Synchronization
import Testing

/// `Codable` values are encoded as JSONB, and decoded.
struct JSONBCodecTests {
    struct Address: Codable, Hashable {
        var street: String
        var city: String?
        var position: [Double]
    }

    struct Person: Codable, Hashable {
        enum Kind: String, Codable { case human, robot }

        enum Contact: Codable, Hashable {
            case mail(String)
            case phone(number: Int, isMobile: Bool)
        }

        var name: String
        var age: Int
        var height: Float
        var isAdmin: Bool
        var kind: Kind
        var addresses: [Address]
        var contacts: [Contact]
        var scores: [String: Int]
        var levels: [Int: String]
        var friend: [Person]
        var note: String?
        var id: UUID
    }

    private let anna = Person(
        name: "Anna “A” \n", age: -41, height: 1.7, isAdmin: true, kind: .robot,
        addresses: [Address(street: "Main Street 1", city: nil, position: [1.5, -0.0, 1e300])],
        contacts: [.mail("a@b"), .phone(number: 5, isMobile: false)], scores: ["b": 2, "a": 1, "": 0],
        levels: [1: "one", -2: "two"],
        friend: [
            Person(
                name: "", age: .max, height: .leastNonzeroMagnitude, isAdmin: false, kind: .human, addresses: [],
                contacts: [], scores: [:], levels: [:], friend: [], note: "hi", id: UUID())
        ],
        note: nil, id: UUID())

    /// Returns SQLite's JSON of JSONB, which must be well formed.
    private func json(_ jsonb: Data) throws -> String {
        try DatabaseQueue().read { db in
            let isValid = try Bool.fetchOne(db, sql: "SELECT json_valid(?, 8)", arguments: [jsonb])
            #expect(isValid == true)
            return try #require(try String.fetchOne(db, sql: "SELECT json(?)", arguments: [jsonb]))
        }
    }

    private func jsonb(_ json: String) throws -> Data {
        try DatabaseQueue().read { db in
            try #require(try Data.fetchOne(db, sql: "SELECT jsonb(?)", arguments: [json]))
        }
    }

    private func encode(_ value: some Encodable) throws -> String { try json(JSONBEncoder().encode(value)) }

    private func decode<T: Decodable>(_ type: T.Type, _ json: String) throws -> T {
        try JSONBDecoder().decode(type, from: jsonb(json))
    }

    // MARK: Round trips

    @Test func records() throws {
        let jsonb = try JSONBEncoder().encode(anna)
        #expect(try JSONBDecoder().decode(Person.self, from: jsonb) == anna)
        #expect(try JSONDecoder().decode(Person.self, from: Data(json(jsonb).utf8)) == anna)
        let text = String(decoding: try JSONEncoder().encode(anna), as: UTF8.self)
        #expect(try decode(Person.self, text) == anna)
    }

    @Test func texts() throws {
        #expect(try encode(["a", "", "a\"b\\c\n\u{0}", "日本"]) == #"["a","","a\"b\\c\n\u0000","日本"]"#)
        #expect(
            try encode(Address(street: "s", city: "c", position: [])) == #"{"city":"c","position":[],"street":"s"}"#)
        let escapes = #"["\u00e9\ud83d\ude00\/", '\x41\v\0"# + "\\\nb']"
        #expect(try decode([String].self, escapes) == ["é😀/", "A\u{0B}\0b"])
        // A line continuation between the two halves of a surrogate pair.
        for lineBreak in ["\n", "\r", "\r\n", "\u{2028}", "\n\\\r"] {
            #expect(try decode(String.self, "'x\\ud83d\\\(lineBreak)\\ude00'") == "x😀")
        }
        #expect(throws: DecodingError.self) { try decode(String.self, #"'\ud83d\x41'"#) }
    }

    @Test func numbers() throws {
        #expect(try encode([0, 1, -1, Int.max, Int.min]) == "[0,1,-1,9223372036854775807,-9223372036854775808]")
        #expect(try encode([UInt64.max]) == "[18446744073709551615]")
        #expect(try encode([0.1, 3.0, -0.0, .leastNonzeroMagnitude, 1e300]) == "[0.1,3,-0,5e-324,1e+300]")
        #expect(try decode([Int].self, "[0x10, -0xA, 10.0, 1e3]") == [16, -10, 10, 1000])
        #expect(
            try decode([Double].self, "[1, .5, 5., 0x10, -1e-3, 1E2, 18446744073709551616]") == [
                1, 0.5, 5, 16, -0.001, 100, 0x1p64,
            ])
        #expect(try decode([UInt64].self, "[18446744073709551615, 0]") == [.max, 0])
        #expect(try decode([Float].self, "[0.1, 16777217, 3.4028235e38]") == [0.1, 16777216, .greatestFiniteMagnitude])
    }

    @Test func everyIntegerType() throws {
        struct Integers: Codable, Equatable {
            var a: Int8 = .min, b: Int16 = .min, c: Int32 = .min, d: Int64 = .min
            var e: UInt8 = .max, f: UInt16 = .max, g: UInt32 = .max, h: UInt64 = .max, i: UInt = 0
            var j: Int8?, k: UInt64? = 5, l: Double? = 1, m: Float?, n: Bool? = true
        }
        let jsonb = try JSONBEncoder().encode(Integers())
        #expect(try JSONBDecoder().decode(Integers.self, from: jsonb) == Integers())
        #expect(throws: DecodingError.self) { try decode([Int8].self, "[128]") }
        #expect(throws: DecodingError.self) { try decode([UInt].self, "[-1]") }
        #expect(throws: DecodingError.self) { try decode([Int].self, "[1.5]") }
        #expect(throws: DecodingError.self) { try decode([Int].self, "[9223372036854775808]") }
    }

    /// Integers of 128 bits are encoded and decoded as by Foundation.
    @Test func wideIntegers() throws {
        struct Wide: Codable, Equatable {
            var a = Int128.min, b = Int128.max, c = UInt128.max
            var d: Int128?, e: UInt128? = 5
            var list = [Int128.min, 0, 7], values: [String: UInt128] = ["x": .max]
        }
        let jsonb = try JSONBEncoder().encode(Wide())
        #expect(try JSONBDecoder().decode(Wide.self, from: jsonb) == Wide())
        #expect(try JSONDecoder().decode(Wide.self, from: Data(json(jsonb).utf8)) == Wide())
        #expect(try encode([UInt128.max]) == "[340282366920938463463374607431768211455]")
        #expect(throws: DecodingError.self) { try decode([Int128].self, "[340282366920938463463374607431768211455]") }
        #expect(throws: DecodingError.self) { try decode([UInt128].self, "[-1]") }
        struct ByHand: Codable, Equatable {
            var a: Int128 = -5
            var b: UInt128 = 1 << 100

            init() {}

            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                a = try container.decode(Int128.self)
                b = try container.decode(UInt128.self)
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                try container.encode(a)
                try container.encode(b)
            }
        }
        #expect(try encode(ByHand()) == "[-5,1267650600228229401496703205376]")
        #expect(try JSONBDecoder().decode(ByHand.self, from: JSONBEncoder().encode(ByHand())) == ByHand())
    }

    /// Integers are decoded without loss of digits, in any notation.
    @Test func integersWithAPoint() throws {
        #expect(try decode([Int].self, "[9007199254740993.0, 9223372036854775807e0]") == [9_007_199_254_740_993, .max])
        #expect(try decode([Int].self, "[-9223372036854775808.000, 0.0, -0.0, 0e99999999999]") == [.min, 0, 0, 0])
        #expect(try decode([Int].self, "[1230e-1, 1.5e1, 0.00000000000000000000001e23, 5.]") == [123, 15, 1, 5])
        #expect(try decode([UInt64].self, "[18446744073709551615.0, 1844674407370955161.5e1]") == [.max, .max])
        #expect(try decode([UInt8].self, "[2.55e2, 100000000000000000000000e-21]") == [255, 100])
        for json in [
            "66666666666.0000013358428034712644265", "1e19", "9223372036854775808.0", "1.25", "1e-1", "12e99999",
            "1e-99999999999", "123456789.5e0",
        ] {
            #expect(throws: DecodingError.self, "\(json)") { try decode([Int].self, "[\(json)]") }
        }
        #expect(throws: DecodingError.self) { try decode([UInt].self, "[-1.0]") }
        #expect(throws: DecodingError.self) { try decode([UInt8].self, "[2.56e2]") }
    }

    /// Hexadecimal numbers of JSON5 are decoded as by SQLite: up to 64 bits, and a sign.
    @Test func hexadecimalNumbers() throws {
        let json = "[0xffffffffffffffff, -0xffffffffffffffff, 0x00000000000000000000001F, -0X8000000000000000]"
        #expect(try self.json(jsonb(json)) == "[18446744073709551615,-18446744073709551615,31,-9223372036854775808]")
        #expect(try decode([Double].self, json) == [0x1p64, -0x1p64, 31, -0x1p63])
        #expect(
            try decode([Decimal].self, json) == [
                Decimal(UInt64.max), -Decimal(UInt64.max), 31, Decimal(Int64.min),
            ])
        #expect(
            try decode([Int128].self, json).map { $0 / 2 } == [
                0x7FFF_FFFF_FFFF_FFFF, -0x7FFF_FFFF_FFFF_FFFF, 15, -(1 << 62),
            ])
        #expect(try decode([Int].self, "[-0x8000000000000000, 0x7fffffffffffffff]") == [.min, .max])
        #expect(throws: DecodingError.self) { try decode([Int].self, "[0x8000000000000000]") }
        #expect(throws: DecodingError.self) { try decode([Double].self, "[0x10000000000000000]") }
    }

    /// Arrays and dictionaries of scalars are decoded by separate code.
    @Test func arraysAndDictionariesOfScalars() throws {
        #expect(try decode([String: Int].self, #"{"a":1,"\u0062":2,"":3}"#) == ["a": 1, "b": 2, "": 3])
        #expect(try decode([String: Double].self, #"{"a":1,"b":.5}"#) == ["a": 1, "b": 0.5])
        #expect(try decode([String: String].self, #"{"a":"x"}"#) == ["a": "x"])
        #expect(try decode([String: Bool].self, #"{"a":true}"#) == ["a": true])
        #expect(try decode([String: [String: Int]?].self, #"{"a":{"b":1},"c":null}"#) == ["a": ["b": 1], "c": nil])
        #expect(try decode([[String]].self, #"[["a"],[]]"#) == [["a"], []])
        #expect(try decode([Double?].self, "[1,null]") == [1, nil])
        let decoder = JSONBDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "+", negativeInfinity: "-", nan: "?")
        #expect(try decoder.decode([String: Int].self, from: jsonb(#"{"a_b":1}"#)) == ["a_b": 1])
        #expect(try decoder.decode([[Double]].self, from: jsonb(#"[[1,"+"]]"#)) == [[1, .infinity]])
        #expect(try decoder.decode([String: Double].self, from: jsonb(#"{"a":"-"}"#)) == ["a": -.infinity])
    }

    @Test func values() throws {
        #expect(try encode(5) == "5")
        #expect(try encode("x") == #""x""#)
        #expect(try encode(Int?.none) == "null")
        #expect(try decode(Int?.self, "null") == nil)
        #expect(try decode(Bool.self, "true"))
        #expect(try encode([Int?.none, 1]) == "[null,1]")
        #expect(try decode([Int?].self, "[null,1]") == [nil, 1])
    }

    /// Headers grow with the size of the content.
    @Test(arguments: [0, 1, 11, 12, 255, 256, 65535, 65536, 70000])
    func sizes(count: Int) throws {
        let text = String(repeating: "x", count: count)
        let jsonb = try JSONBEncoder().encode(["k": [text]])
        #expect(try jsonb == self.jsonb(#"{"k":["\#(text)"]}"#))
        #expect(try JSONBDecoder().decode([String: [String]].self, from: jsonb) == ["k": [text]])
    }

    @Test func aSliceOfData() throws {
        let jsonb = try JSONBEncoder().encode([1, 2])
        let slice = (Data([0, 0]) + jsonb + Data([0]))[2..<2 + jsonb.count]
        #expect(try JSONBDecoder().decode([Int].self, from: slice) == [1, 2])
    }

    // MARK: Strategies

    @Test func dates() throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000.5)
        #expect(try encode([date]) == "[1700000000500]")
        #expect(try decode([Date].self, "[1700000000500]") == [date])
        let second = Date(timeIntervalSince1970: 1_700_000_000)
        let strategies: [(JSONEncoder.DateEncodingStrategy, JSONDecoder.DateDecodingStrategy, String)] = [
            (.secondsSince1970, .secondsSince1970, "[1700000000]"),
            (.iso8601, .iso8601, #"["2023-11-14T22:13:20Z"]"#),
            (.deferredToDate, .deferredToDate, "[721692800]"),
            (
                .custom { date, encoder in try "\(date.timeIntervalSince1970)".encode(to: encoder) },
                .custom { Date(timeIntervalSince1970: Double(try String(from: $0))!) }, #"["1700000000.0"]"#
            ),
        ]
        for (encoding, decoding, text) in strategies {
            let (encoder, decoder) = (JSONBEncoder(), JSONBDecoder())
            encoder.dateEncodingStrategy = encoding
            decoder.dateDecodingStrategy = decoding
            let jsonb = try encoder.encode([second])
            #expect(try json(jsonb) == text)
            #expect(try decoder.decode([Date].self, from: jsonb) == [second])
        }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "yyyy-MM-dd"
        let (encoder, decoder) = (JSONBEncoder(), JSONBDecoder())
        encoder.dateEncodingStrategy = .formatted(formatter)
        decoder.dateDecodingStrategy = .formatted(formatter)
        #expect(try json(encoder.encode([second])) == #"["2023-11-14"]"#)
        let error = #expect(throws: DecodingError.self) { try decoder.decode([Date].self, from: jsonb(#"["x"]"#)) }
        #expect(error?.path == "Index 0")
    }

    @Test func data() throws {
        #expect(try encode([Data([1, 2, 255])]) == #"["AQL/"]"#)
        #expect(try decode([Data].self, #"["AQL/"]"#) == [Data([1, 2, 255])])
        #expect(throws: DecodingError.self) { try decode([Data].self, #"["?"]"#) }
        let (encoder, decoder) = (JSONBEncoder(), JSONBDecoder())
        encoder.dataEncodingStrategy = .deferredToData
        decoder.dataDecodingStrategy = .deferredToData
        let jsonb = try encoder.encode([Data([1, 2])])
        #expect(try json(jsonb) == "[[1,2]]")
        #expect(try decoder.decode([Data].self, from: jsonb) == [Data([1, 2])])
    }

    @Test func floatsThatJSONHasNoWordFor() throws {
        #expect(throws: EncodingError.self) { try JSONBEncoder().encode([Double.nan]) }
        #expect(throws: EncodingError.self) { try JSONBEncoder().encode(["a": -Float.infinity]) }
        #expect(throws: DecodingError.self) { try decode([Double].self, "[Infinity]") }
        let (encoder, decoder) = (JSONBEncoder(), JSONBDecoder())
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "+", negativeInfinity: "-", nan: "?")
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "+", negativeInfinity: "-", nan: "?")
        let jsonb = try encoder.encode([Double.infinity, -.infinity, .nan, 1])
        #expect(try json(jsonb) == #"["+","-","?",1]"#)
        let numbers = try decoder.decode([Double].self, from: jsonb)
        #expect(numbers[0] == .infinity && numbers[1] == -.infinity && numbers[2].isNaN && numbers[3] == 1)
        #expect(
            try decoder.decode([String: Float].self, from: encoder.encode(["a": Float.infinity])) == ["a": .infinity])
    }

    @Test func keys() throws {
        struct Player: Codable, Equatable {
            var firstName: String
            var scoresByYear: [String: Int]
        }
        let player = Player(firstName: "Anna", scoresByYear: ["lastYear": 1])
        let (encoder, decoder) = (JSONBEncoder(), JSONBDecoder())
        encoder.keyEncodingStrategy = .convertToSnakeCase
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let jsonb = try encoder.encode(player)
        #expect(try json(jsonb) == #"{"first_name":"Anna","scores_by_year":{"lastYear":1}}"#)
        #expect(try decoder.decode(Player.self, from: jsonb) == player)
        encoder.keyEncodingStrategy = .custom { AnyKey($0.last!.stringValue.uppercased()) }
        decoder.keyDecodingStrategy = .custom { path in
            AnyKey(path.last!.stringValue == "FIRSTNAME" ? "firstName" : "scoresByYear")
        }
        let upper = try encoder.encode(player)
        #expect(try json(upper) == #"{"FIRSTNAME":"Anna","SCORESBYYEAR":{"lastYear":1}}"#)
        #expect(try decoder.decode(Player.self, from: upper) == player)
    }

    /// Keys are converted as Foundation converts them, to the last unused name.
    @Test func keysAsFoundationConvertsThem() throws {
        struct OneKey: Codable {
            var key: String

            init(_ key: String) { self.key = key }

            init(from decoder: any Decoder) throws {
                key = try decoder.container(keyedBy: AnyKey.self).allKeys[0].stringValue
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: AnyKey.self)
                try container.encode(1, forKey: AnyKey(key))
            }
        }
        let pieces = ["a", "b", "Z", "X", "_", "1", "É", "ß", " ", "-", "'", "日", "ID", "url", "."]
        let (encoders, decoders) = ([JSONEncoder(), JSONBEncoder()], [JSONDecoder(), JSONBDecoder()])
        for encoder in encoders { encoder.keyEncodingStrategy = .convertToSnakeCase }
        for decoder in decoders { decoder.keyDecodingStrategy = .convertFromSnakeCase }
        var numbers = SeededNumbers(seed: 3)
        for _ in 0..<500 {
            let name = (0..<Int.random(in: 1...6, using: &numbers)).map { _ in pieces.randomElement(using: &numbers)! }
                .joined()
            let theirs = try JSONDecoder().decode(OneKey.self, from: encoders[0].encode(OneKey(name)))
            let ours = try JSONBDecoder().decode(OneKey.self, from: encoders[1].encode(OneKey(name)))
            #expect(ours.key == theirs.key, "\(name)")
            let read = try decoders[0].decode(OneKey.self, from: JSONEncoder().encode(OneKey(name)))
            #expect(try decoders[1].decode(OneKey.self, from: JSONBEncoder().encode(OneKey(name))).key == read.key)
        }
        #expect(try encoders[1].encode(OneKey("userID")) == JSONBEncoder().encode(["user_id": 1]))
    }

    @Test func sortedKeys() throws {
        let dictionary = Dictionary(uniqueKeysWithValues: (0..<30).map { ("k\($0)", $0) })
        #expect(try JSONBEncoder().encode(dictionary) == JSONBEncoder().encode(dictionary.mapValues { $0 }))
        let keys = try JSONBDecoder().decode(KeyOrder.self, from: JSONBEncoder().encode(dictionary)).keys
        #expect(keys == dictionary.keys.sorted())
        let encoder = JSONBEncoder()
        encoder.outputFormatting = []
        #expect(
            try json(encoder.encode(Address(street: "s", city: nil, position: []))) == #"{"street":"s","position":[]}"#)
    }

    private struct KeyOrder: Decodable {
        var keys: [String]
        init(from decoder: any Decoder) throws {
            keys = try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
        }
    }

    @Test func typesOfFoundation() throws {
        struct Foundations: Codable, Equatable {
            var url: URL
            var decimal: Decimal
            var whole: Decimal
        }
        let value = Foundations(
            url: URL(string: "https://example.com/a?b=c")!, decimal: Decimal(string: "-0.1234567890123456789")!,
            whole: 12)
        let jsonb = try JSONBEncoder().encode(value)
        #expect(
            try json(jsonb) == #"{"decimal":-0.1234567890123456789,"url":"https://example.com/a?b=c","whole":12}"#)
        #expect(try JSONBDecoder().decode(Foundations.self, from: jsonb) == value)
        #expect(throws: EncodingError.self) { try JSONBEncoder().encode([Decimal.nan]) }
        #expect(throws: DecodingError.self) { try decode([Decimal].self, #"["1"]"#) }
        #expect(throws: DecodingError.self) { try decode([URL].self, #"[""]"#) }
    }

    /// Decimal numbers are those that Foundation decodes from the same string, with the same errors.
    @Test(
        arguments: [
            "0", "-0.0", "1.10", "12e2", "1E-3", "-123456789012345678901234567890.12345678", "1e127", "-1e-127",
            "1e200",
            "1e-200", "99999999999999999999999999999999999999", "1e400", "0.00000000000000000000000000000000000001",
        ])
    func decimals(text: String) throws {
        let theirs = try? JSONDecoder().decode([Decimal].self, from: Data("[\(text)]".utf8))
        let ours = try? decode([Decimal].self, "[\(text)]")
        #expect(ours == theirs)
        if let ours { #expect(try JSONBDecoder().decode([Decimal].self, from: JSONBEncoder().encode(ours)) == ours) }
    }

    @Test func userInfo() throws {
        struct Told: Codable {
            static let key = CodingUserInfoKey(rawValue: "key")!
            var text: String
            init() { text = "" }
            init(from decoder: any Decoder) throws { text = decoder.userInfo[Self.key] as? String ?? "" }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(encoder.userInfo[Self.key] as? String)
            }
        }
        let (encoder, decoder) = (JSONBEncoder(), JSONBDecoder())
        encoder.userInfo[Told.key] = "in"
        decoder.userInfo[Told.key] = "out"
        #expect(try json(encoder.encode([Told()])) == #"["in"]"#)
        #expect(try decoder.decode([Told].self, from: jsonb("[1]"))[0].text == "out")
    }

    @Test func theyAreCodersOfFoundation() throws {
        let encoder: JSONEncoder = JSONBEncoder()
        let decoder: JSONDecoder = JSONBDecoder()
        #expect(try decoder.decode([Int].self, from: encoder.encode([1, 2])) == [1, 2])
    }

    /// A strategy is called once for each key, and not again for each property.
    @Test func keysAreConvertedOnce() throws {
        struct Position: Codable {
            var x = 1, y = 2, z = 3
        }
        final class Counter: Sendable {
            let count = Mutex(0)
        }
        let counter = Counter()
        let decoder = JSONBDecoder()
        decoder.keyDecodingStrategy = .custom { path in
            counter.count.withLock { $0 += 1 }
            return AnyKey(path[path.count - 1].stringValue.lowercased())
        }
        let jsonb = try JSONBEncoder().encode([["Z": 6, "Y": 5, "X": 4], ["X": 7, "Y": 8, "Z": 9]])
        let positions = try decoder.decode([Position].self, from: jsonb)
        #expect(positions.map { [$0.x, $0.y, $0.z] } == [[4, 5, 6], [7, 8, 9]])
        #expect(counter.count.withLock { $0 } == 6)
    }
}

extension DecodingError {
    /// The path of the error.
    var path: String {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context.codingPath.map(\.stringValue).joined(separator: "/")
        @unknown default: "?"
        }
    }
}
