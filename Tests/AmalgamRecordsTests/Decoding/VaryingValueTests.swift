#if Macros || !MACRO_RECORDS
import Amalgam
import Foundation
import TestSupport
import Testing

/// Types whose values are scalars in some cases, and arrays or objects in others.
struct VaryingValueTests {
    enum JSONValue: Codable, Hashable {
        case null, bool(Bool), number(Double), string(String), array([JSONValue]), object([String: JSONValue])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let bool = try? container.decode(Bool.self) {
                self = .bool(bool)
            } else if let number = try? container.decode(Double.self) {
                self = .number(number)
            } else if let string = try? container.decode(String.self) {
                self = .string(string)
            } else if let array = try? container.decode([JSONValue].self) {
                self = .array(array)
            } else {
                self = .object(try container.decode([String: JSONValue].self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .null: try container.encodeNil()
            case .bool(let bool): try container.encode(bool)
            case .number(let number): try container.encode(number)
            case .string(let string): try container.encode(string)
            case .array(let array): try container.encode(array)
            case .object(let object): try container.encode(object)
            }
        }
    }

    static let values: [JSONValue] = [
        .null, .bool(true), .bool(false), .number(1), .number(0), .number(1.5), .string(""), .string("a"),
        .string("[1]"), .string("{}"), .string("1"), .string("true"), .string("null"), .string("say \"hi\""),
        .array([]), .array([.number(1), .string("[1]"), .null]), .object([:]), .object(["a": .array([.bool(true)])]),
    ]

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Document: StoredRecord, Equatable {
        var value: JSONValue
        var optional: JSONValue?
    }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct BinaryDocument: StoredRecord, Equatable {
        static let databaseTableName = "document"
        static func databaseJSONEncoder(for column: String) -> JSONEncoder { JSONBEncoder() }
        static func databaseJSONDecoder(for column: String) -> JSONDecoder { JSONBDecoder() }
        var value: JSONValue
        var optional: JSONValue?
    }

    @Test(
        "each value survives a column of JSON text, of any type, of numbers, and of JSONB",
        arguments: ["TEXT", "", "NUMERIC", "BLOB"])
    func roundTrips(columnType: String) throws {
        try withClub { db in
            try db.execute(sql: "CREATE TABLE document (value \(columnType), optional \(columnType))")
            for value in Self.values {
                for optional in [value, nil] {
                    // NULL is nil.
                    let read = optional == .null ? nil : optional
                    try Document(value: value, optional: optional).insert(db)
                    expectEqual(try Document.fetchOne(db), Document(value: value, optional: read))
                    let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM document"))
                    expectEqual(try Document(row: row), Document(value: value, optional: read))
                    try Document.deleteAll(db)
                    try BinaryDocument(value: value, optional: optional).insert(db)
                    expectEqual(try BinaryDocument.fetchOne(db), BinaryDocument(value: value, optional: read))
                    try Document.deleteAll(db)
                }
            }
        }
    }

    @Test("a scalar is stored as it is, unless it would be read as something else")
    func storage() throws {
        let stored: [(JSONValue, DatabaseValue)] = [
            (.string("a"), "a".databaseValue), (.string("[1]"), #""[1]""#.databaseValue),
            (.string("1"), #""1""#.databaseValue), (.number(1.5), 1.5.databaseValue),
            (.bool(true), "true".databaseValue), (.null, .null), (.array([.number(1)]), "[1]".databaseValue),
        ]
        for (value, databaseValue) in stored {
            expectEqual(try Document(value: value).databaseDictionary["value"], databaseValue)
        }
    }

    /// A value that is decoded in the order of its cases.
    enum Setting: Codable, Hashable {
        case flag(Bool), count(Int), date(Date), name(String), list([Setting])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let flag = try? container.decode(Bool.self) {
                self = .flag(flag)
            } else if let count = try? container.decode(Int.self) {
                self = .count(count)
            } else if let date = try? container.decode(Date.self) {
                self = .date(date)
            } else if let name = try? container.decode(String.self) {
                self = .name(name)
            } else {
                self = .list(try container.decode([Setting].self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .flag(let flag): try container.encode(flag)
            case .count(let count): try container.encode(count)
            case .date(let date): try container.encode(date)
            case .name(let name): try container.encode(name)
            case .list(let list): try container.encode(list)
            }
        }
    }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Preference: StoredRecord, Equatable {
        var value: Setting
    }

    @Test(
        "values with one representation are told apart, such as true and 1",
        arguments: ["TEXT", "", "INTEGER", "NUMERIC", "BLOB"])
    func valuesWithOneRepresentation(columnType: String) throws {
        let settings: [Setting] = [
            .flag(true), .flag(false), .count(1), .count(0), .count(2), .name("true"), .name("1"), .name("Anna"),
            .name("2020-01-01 00:00:00.000"), .list([]), .list([.flag(true), .count(1)]),
        ]
        try withClub { db in
            try db.execute(sql: "CREATE TABLE preference (value \(columnType))")
            for setting in settings {
                try Preference(value: setting).insert(db)
                expectEqual(try Preference.fetchOne(db)?.value, setting)
                try Preference.deleteAll(db)
            }
        }
        expectEqual(try Preference(value: .flag(true)).databaseDictionary["value"], "true".databaseValue)
        expectEqual(try Preference(value: .count(1)).databaseDictionary["value"], 1.databaseValue)
    }

    @Test("values of such a type that were stored as scalars are read")
    func storedScalars() throws {
        try withClub { db in
            let stored: [(String, JSONValue)] = [
                ("'a'", .string("a")), ("1.5", .number(1.5)), ("'[1]'", .array([.number(1)])), ("NULL", .null),
            ]
            for (sql, value) in stored {
                expectEqual(try Document.fetchOne(db, sql: "SELECT \(sql) AS value, NULL AS optional")?.value, value)
            }
            let all = try Document.fetchAll(
                db, sql: "SELECT '[1]' AS value UNION ALL SELECT 'a' UNION ALL SELECT '[2]'")
            expectEqual(all.map(\.value), [.array([.number(1)]), .string("a"), .array([.number(2)])])
        }
    }

    @Test("a convertible type of this kind survives as well", arguments: values)
    func convertibles(value: JSONValue) throws {
        struct Stored: Codable, DatabaseValueConvertible, Equatable {
            var value: JSONValue
            init(_ value: JSONValue) { self.value = value }
            init(from decoder: any Decoder) throws { value = try JSONValue(from: decoder) }
            func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
        }
        let stored = Stored(value)
        #expect(Stored.fromDatabaseValue(stored.databaseValue) == stored)
    }

    enum Kind: String, Codable { case red }

    enum Name: Codable, Equatable {
        case known(String), unknown(String)
        init(from decoder: any Decoder) throws {
            self = .unknown(try decoder.singleValueContainer().decode(String.self))
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .known(let name), .unknown(let name): try container.encode(name)
            }
        }
    }

    /// A list that is decoded from an array or a string, and always encoded as a string.
    struct Tags: Codable, Equatable {
        var names: [String]
        init(_ names: [String]) { self.names = names }
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            names =
                try (try? container.decode(String.self))?.split(separator: ",").map(String.init)
                ?? container.decode([String].self)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(names.joined(separator: ","))
        }
    }

    struct Instant: Codable, Equatable {
        var date: Date
        init(_ date: Date) { self.date = date }
        init(from decoder: any Decoder) throws { date = try decoder.singleValueContainer().decode(Date.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(date)
        }
    }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Everything: StoredRecord {
        var kind: Kind = Kind.red
        var name: Name = Name.unknown("a")
        var tags: Tags = Tags(["a", "b"])
        var instant: Instant = Instant(Date(timeIntervalSince1970: 0))
        var list: [Int] = [1]
    }

    @Test("types with one kind of value are stored as before")
    func otherTypes() throws {
        expectEqual(
            try Everything().databaseDictionary,
            [
                "kind": "red".databaseValue, "name": "a".databaseValue, "tags": "a,b".databaseValue,
                "instant": "1970-01-01 00:00:00.000".databaseValue, "list": "[1]".databaseValue,
            ])
        try withClub { db in
            let record = try #require(
                try Everything.fetchOne(
                    db,
                    sql: "SELECT 'red' AS kind, '[1]' AS name, '[1]' AS tags, '1970-01-01' AS instant, '[2]' AS list"))
            #expect(record.name == .unknown("[1]"))
            #expect(record.tags == Tags(["[1]"]))
            #expect(record.list == [2])
        }
    }
}
#endif
