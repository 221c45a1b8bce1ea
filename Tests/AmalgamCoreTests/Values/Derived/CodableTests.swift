import Amalgam
import Foundation
import Testing

@Suite struct CodableTests {
    // MARK: - Single values

    /// A type that encodes and decodes as its only property.
    protocol Box: Codable, Equatable, DatabaseValueConvertible {
        associatedtype Value: Codable & Equatable
        var value: Value { get }
        init(_ value: Value)
    }

    struct Text: Box {
        var value: String
        init(_ value: String) { self.value = value }
    }

    struct Number<Value: Codable & Equatable & Sendable>: Box {
        var value: Value
        init(_ value: Value) { self.value = value }
    }

    struct Nested: Box {
        var value: Number<Text>
        init(_ value: Number<Text>) { self.value = value }
    }

    /// A type that isn't a database value: a box decodes and encodes it as its property.
    struct Plain: Codable, Equatable {
        var text: String

        init(_ text: String) { self.text = text }

        init(from decoder: any Decoder) throws {
            text = try decoder.singleValueContainer().decode(String.self)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    private func check<T: DatabaseValueConvertible & Equatable>(_ value: T, _ expected: some DatabaseValueConvertible) {
        #expect(value.databaseValue == expected.databaseValue)
        #expect(T.fromDatabaseValue(expected.databaseValue) == value)
    }

    @Test func singleValues() {
        check(Text("foo"), "foo")
        check(Text("{}"), "{}")
        check(Number(1), 1)
        check(Number(Int8(1)), 1)
        check(Number(1.5), 1.5)
        check(Number(Float(1.5)), 1.5)
        check(Number(true), 1)
        check(Number(UInt64(7)), 7)
        check(Number(Data([1])), Data([1]))
        check(Nested(Number(Text("foo"))), "foo")
        check(Number(Plain("foo")), "foo")
    }

    @Test func optionalSingleValues() {
        check(Number(nil as String?), DatabaseValue.null)
        check(Number("a" as String?), "a")
        #expect(Number<Int?>.fromDatabaseValue("a".databaseValue) == nil)
        #expect(Number<Date?>.fromDatabaseValue("hello".databaseValue) == nil)
    }

    @Test func foundationValuesUseTheirDatabaseRepresentation() throws {
        let uuid = UUID()
        check(Number(uuid), uuid)
        check(Number(try #require(URL(string: "https://sqlite.org/"))), "https://sqlite.org/")
        check(Number(Date(timeIntervalSinceReferenceDate: 0)), "2001-01-01 00:00:00.000")
        check(Number(Decimal(string: "1.5")!), "1.5")
        let now = Date()
        let read = try #require(Number<Date>.fromDatabaseValue(Number(now).databaseValue))
        #expect(abs(read.value.timeIntervalSince(now)) < 0.001)
    }

    @Test func otherStorageDoesNotDecode() {
        #expect(Text.fromDatabaseValue(1.databaseValue) == nil)
        #expect(Text.fromDatabaseValue(.null) == nil)
        #expect(Number<Int8>.fromDatabaseValue(1000.databaseValue) == nil)
        #expect(Nested.fromDatabaseValue(1.databaseValue) == nil)
    }

    // MARK: - JSON

    struct Strings: Codable, Equatable, DatabaseValueConvertible {
        var strings: [String]
    }

    struct Empty: Codable, Equatable, DatabaseValueConvertible {}

    struct Keys: Codable, Equatable, DatabaseValueConvertible {
        var b = 1
        var a = 2
        var c: [String: Int] = ["z": 1, "y": 2]
    }

    /// Encodes and decodes as its array, with its own coder.
    struct Elements: Codable, Equatable, DatabaseValueConvertible {
        var elements: [String]

        init(_ elements: [String]) { self.elements = elements }
        init(from decoder: any Decoder) throws { elements = try [String](from: decoder) }
        func encode(to encoder: any Encoder) throws { try elements.encode(to: encoder) }
    }

    /// Uses nested containers and super coders only.
    struct Deep: Codable, Equatable, DatabaseValueConvertible {
        enum Key: String, CodingKey { case object, array, parent }

        init() {}

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            _ = try container.nestedContainer(keyedBy: Key.self, forKey: .object)
            _ = try container.nestedUnkeyedContainer(forKey: .array)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            _ = container.nestedContainer(keyedBy: Key.self, forKey: .object)
            var array = container.nestedUnkeyedContainer(forKey: .array)
            _ = array.nestedContainer(keyedBy: Key.self)
            _ = array.nestedUnkeyedContainer()
        }
    }

    @Test func keyedValues() {
        check(Strings(strings: ["foo", "bar"]), #"{"strings":["foo","bar"]}"#)
        check(Strings(strings: []), #"{"strings":[]}"#)
        check(Empty(), "{}")
        check(Deep(), #"{"array":[{},[]],"object":{}}"#)
        check(Number(["foo": 1]), #"{"foo":1}"#)
        check(Number([String: Int]()), "{}")
    }

    @Test func unkeyedValues() {
        check(Elements(["foo", "bar"]), #"["foo","bar"]"#)
        check(Elements([]), "[]")
        check(Number(["foo", "bar"]), #"["foo","bar"]"#)
        check(Number([String]()), "[]")
        check(Number(Strings(strings: ["a"])), #"{"strings":["a"]}"#)
    }

    @Test func keysAreSorted() {
        #expect(Keys().databaseValue == #"{"a":2,"b":1,"c":{"y":2,"z":1}}"#.databaseValue)
    }

    @Test func decodingToleratesBlanksAndBlobs() {
        #expect(Strings.fromDatabaseValue(#"{ "strings": ["foo"] }"#.databaseValue) == Strings(strings: ["foo"]))
        #expect(Strings.fromDatabaseValue(Data(#"{"strings":[]}"#.utf8).databaseValue) == Strings(strings: []))
    }

    @Test(arguments: ["NULL", "1", "1.5", "''", "'foo'", "'{'", "'[]'", #"'{"strings":1}'"#, "x''"])
    func otherValues(expression: String) throws {
        #expect(Strings.fromDatabaseValue(try stored(expression)) == nil)
    }

    struct Moment: Codable, Equatable, DatabaseValueConvertible {
        var date: Date
        var data: Data
    }

    @Test func valuesInsideJSON() {
        let moment = Moment(date: Date(timeIntervalSince1970: 1.5), data: Data([1, 2, 3]))
        check(moment, #"{"data":"AQID","date":1500}"#)
    }

    // MARK: - Strings or objects

    enum Either: Codable, Equatable, DatabaseValueConvertible {
        case string(String)
        case object([String: Int])

        init(from decoder: any Decoder) throws {
            if let object = try? [String: Int](from: decoder) {
                self = .object(object)
            } else {
                self = .string(try decoder.singleValueContainer().decode(String.self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .string(let string):
                var container = encoder.singleValueContainer()
                try container.encode(string)
            case .object(let object):
                try object.encode(to: encoder)
            }
        }
    }

    @Test func eitherOfTwoShapes() {
        check(Either.string("foo"), "foo")
        check(Either.object(["a": 1]), #"{"a":1}"#)
    }

    // MARK: - Customisation

    struct Own: Codable, Equatable, DatabaseValueConvertible {
        var text: String
        var databaseValue: DatabaseValue { "<\(text)>".databaseValue }

        static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Own? {
            String.fromDatabaseValue(dbValue).map { Own(text: String($0.dropFirst().dropLast())) }
        }
    }

    @Test func ownImplementationsWin() {
        check(Own(text: "foo"), "<foo>")
        // Also inside another value.
        check(Number(Own(text: "foo")), "<foo>")
    }

    enum Color: String, Codable, DatabaseValueConvertible {
        case red
    }

    @Test func rawValuesWin() {
        check(Color.red, "red")
        #expect(Color.fromDatabaseValue("blue".databaseValue) == nil)
    }

    struct Duration: Codable, Equatable, DatabaseValueConvertible {
        var duration: Double

        static func databaseJSONDecoder() -> JSONDecoder {
            let decoder = JSONDecoder()
            decoder.nonConformingFloatDecodingStrategy = .convertFromString(
                positiveInfinity: "+InF", negativeInfinity: "-InF", nan: "NaN")
            return decoder
        }

        static func databaseJSONEncoder() -> JSONEncoder {
            let encoder = JSONEncoder()
            encoder.nonConformingFloatEncodingStrategy = .convertToString(
                positiveInfinity: "+InF", negativeInfinity: "-InF", nan: "NaN")
            return encoder
        }
    }

    @Test func ownCoders() {
        check(Duration(duration: .infinity), #"{"duration":"+InF"}"#)
        check(Duration(duration: -.infinity), #"{"duration":"-InF"}"#)
        #expect(Duration(duration: .nan).databaseValue == #"{"duration":"NaN"}"#.databaseValue)
        #expect(Duration.fromDatabaseValue(#"{"duration":"NaN"}"#.databaseValue)?.duration.isNaN == true)
    }

    struct Ratio: Codable, DatabaseValueConvertible {
        var ratio: Double
    }

    @Test func valuesThatJSONCannotExpressAreNotStored() throws {
        let value = Ratio(ratio: .nan)
        #expect(value.databaseValue.description.hasPrefix("Ratio does not encode: "))
        let error = #expect(throws: DatabaseError.self) { try stored("?", arguments: [value]) }
        #expect(error?.resultCode == .SQLITE_MISMATCH)
        #expect(error?.message?.hasPrefix("a value cannot be stored: Ratio does not encode: ") == true)
    }

    // MARK: - One direction only

    struct Written: Encodable, DatabaseValueConvertible {
        var a: Int

        static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Written? { nil }
    }

    struct Read: Decodable, DatabaseValueConvertible {
        var a: Int
        var databaseValue: DatabaseValue { .null }
    }

    @Test func typesThatOnlyEncodeOrDecode() {
        #expect(Written(a: 1).databaseValue == #"{"a":1}"#.databaseValue)
        #expect(Read.fromDatabaseValue(#"{"a":1}"#.databaseValue)?.a == 1)
    }

    @Test func fetching() throws {
        try withDatabase { (db) throws in
            let value = Strings(strings: ["a"])
            #expect(try Strings.fetchOne(db, sql: "SELECT ?", arguments: [value]) == value)
            #expect(throws: RowDecodingError.self) { try Strings.fetchAll(db, sql: "SELECT 'foo'") }
        }
    }
}

/// Boxes encode and decode as a single value.
extension CodableTests.Box {
    init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Value.self))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
