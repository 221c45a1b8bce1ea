import Amalgam
import Foundation
import TestSupport
import Testing

struct DecodableRecordTests {
    struct Everything: Codable, FetchableRecord, PersistableRecord, Equatable {
        enum Color: String, Codable { case red, blue }
        enum Size: Int, Codable, DatabaseValueConvertible { case small, large }
        struct Nested: Codable, Equatable { var strings: [String]; var date: Date? }

        var bool = true
        var int = 1
        var int8: Int8 = -8
        var int16: Int16 = -16
        var int32: Int32 = -32
        var int64: Int64 = -64
        var uint: UInt = 1
        var uint8: UInt8 = 8
        var uint16: UInt16 = 16
        var uint32: UInt32 = 32
        var uint64: UInt64 = 64
        var float: Float = 1.5
        var double = 2.5
        var string = "string"
        var date = Date(timeIntervalSince1970: 1)
        var data = Data([1, 2])
        var uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!
        var url = URL(string: "https://example.com")!
        var decimal = Decimal(12)
        var color = Color.blue
        var size = Size.large
        var strings = ["a", "b"]
        var dictionary = ["k": 1]
        var nested = Nested(strings: ["x"], date: Date(timeIntervalSince1970: 2))

        var maybeInt: Int?
        var maybeString: String?
        var maybeDate: Date?
        var maybeColor: Color?
        var maybeSize: Size?
        var maybeStrings: [String]?
    }

    private let full = Everything(
        maybeInt: 1, maybeString: "a", maybeDate: Date(timeIntervalSince1970: 3), maybeColor: .red, maybeSize: .small,
        maybeStrings: [])

    @Test("a statement that runs again finds columns that have moved")
    func movedColumns() throws {
        struct Point: Decodable, FetchableRecord, Equatable {
            var x: Int
            var y: Int
            var z: Int?
        }
        try DatabaseQueue().write { db in
            let sql = "SELECT * FROM point"
            try db.execute(sql: "CREATE TABLE point (x, y)")
            try db.execute(sql: "INSERT INTO point VALUES (1, 2)")
            let statement = try db.makeStatement(sql: sql)
            for _ in 1...2 {
                let points = try Point.fetchAll(statement)
                #expect(points == [Point(x: 1, y: 2)])
            }
            try db.execute(sql: "DROP TABLE point; CREATE TABLE point (z, y, x); INSERT INTO point VALUES (3, 2, 1)")
            for _ in 1...2 {
                let points = try Point.fetchAll(statement)
                #expect(points == [Point(x: 1, y: 2, z: 3)])
            }
        }
    }

    @Test func roundTripsValues() throws {
        let columns = try full.databaseDictionary.keys.map { "\"\($0)\"" }.joined(separator: ", ")
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE everything (\(columns))")
            for record in [Everything(), full] {
                try Everything.deleteAll(db)
                try record.insert(db)
                expectEqual(try Everything.fetchAll(db), [record])
                expectEqual(try Row.fetchAll(db, sql: "SELECT * FROM everything").map(Everything.init(row:)), [record])
            }
        }
    }

    @Test func storesRepresentationsAndJSON() throws {
        let stored = try full.databaseDictionary
        #expect(stored["bool"] == true.databaseValue)
        #expect(stored["uint64"] == 64.databaseValue)
        #expect(stored["color"] == "blue".databaseValue)
        #expect(stored["size"] == 1.databaseValue)
        #expect(stored["strings"] == #"["a","b"]"#.databaseValue)
        #expect(stored["dictionary"] == #"{"k":1}"#.databaseValue)
        #expect(stored["nested"] == #"{"date":2000,"strings":["x"]}"#.databaseValue)
        #expect(stored["maybeStrings"] == "[]".databaseValue)
        expectEqual(try Everything().databaseDictionary["maybeStrings"], .null)
        #expect(stored.count == 30)
    }

    @Test func readsColumnsInAnyOrderAndCase() throws {
        struct Name: Decodable, FetchableRecord { var id: Int; var first: String; var last: String? }
        try DatabaseQueue().read { db in
            let names = try Name.fetchAll(
                db, sql: "SELECT 'b' AS LAST, 0 AS other, 'a' AS first, 1 AS Id UNION ALL SELECT NULL, 0, 'c', 2")
            #expect(names.map(\.id) == [1, 2])
            #expect(names.map(\.first) == ["a", "c"])
            #expect(names.map(\.last) == ["b", nil])
        }
    }

    // MARK: Errors

    @Test func throwsDecodingErrors() throws {
        struct Named: Decodable, FetchableRecord { var name: String }
        enum Value: String, Codable, DatabaseValueConvertible { case valid }
        struct Valued: Decodable, FetchableRecord { var value: Value }
        struct Small: Decodable, FetchableRecord { var foo: Int8 }
        try DatabaseQueue().read { db in
            func expect<R: FetchableRecord>(
                _ type: R.Type, _ text: String, _ sql: String, _ argument: (any DatabaseValueConvertible)?
            ) {
                expectThrows(RowDecodingError.self, text) { _ = try R.fetchAll(db, sql: sql, arguments: [argument]) }
            }
            expect(
                Named.self,
                """
                could not decode String from database value NULL - column: "name", column index: 0, row: [name:NULL], \
                sql: `SELECT ? AS name`, arguments: [NULL]
                """, "SELECT ? AS name", nil)
            expect(
                Named.self,
                "column not found: \"name\" - row: [unused:\"ignored\"], sql: `SELECT ? AS unused`, arguments: [\"ignored\"]",
                "SELECT ? AS unused", "ignored")
            expect(
                Valued.self,
                """
                could not decode Value from database value "invalid" - column: "value", column index: 1, \
                row: [1:1 value:"invalid"], sql: `SELECT 1, ? AS value`, arguments: ["invalid"]
                """, "SELECT 1, ? AS value", "invalid")
        }
        expectThrows(
            RowDecodingError.self,
            "could not decode Int8 from database value 1000 - column: \"foo\", column index: 0, row: [foo:1000]"
        ) { _ = try Small(row: ["foo": 1000]) }
        expectThrows(RowDecodingError.self, "column not found: \"name\" - row: [unused:\"ignored\"]") {
            _ = try Named(row: ["unused": "ignored"])
        }
    }

    @Test func throwsErrorsOfCodable() throws {
        enum Value: String, Decodable { case valid }
        struct Valued: Decodable, FetchableRecord { var value: Value }
        let error = #expect(throws: DecodingError.self) { try Valued(row: ["value": "invalid"]) }
        guard case .dataCorrupted = error else {
            Issue.record("\(error as Any)")
            return
        }
        expectThrows(RowDecodingError.self, "column not found: \"value\" - row: [other:1]") {
            _ = try Valued(row: ["other": 1])
        }
        struct Tags: Decodable, FetchableRecord { var tags: [String] }
        #expect(throws: DecodingError.self) { try Tags(row: ["tags": "no JSON"]) }
        expectThrows(RowDecodingError.self, "column not found: \"tags\" - row: [other:1]") {
            _ = try Tags(row: ["other": 1])
        }
        expectThrows(
            RowDecodingError.self,
            "could not decode Array<String> from database value NULL - column: \"tags\", column index: 0, row: [tags:NULL]"
        ) { _ = try Tags(row: ["tags": nil]) }
    }

    @Test func refusesWhatARowIsNot() throws {
        struct List: Decodable, FetchableRecord {
            init(from decoder: any Decoder) throws { _ = try decoder.unkeyedContainer() }
        }
        struct Single: Decodable, FetchableRecord {
            init(from decoder: any Decoder) throws { _ = try decoder.singleValueContainer().decode(Int.self) }
        }
        for (type, message) in [
            (List.self, "unkeyed decoding from database row is not supported"),
            (Single.self, "single value decoding from database row is not supported"),
        ] as [(any FetchableRecord.Type, String)] {
            let error = #expect(throws: DecodingError.self) { _ = try type.init(row: ["a": 1]) }
            guard case .typeMismatch(_, let context) = error else {
                Issue.record("\(error as Any)")
                continue
            }
            #expect(context.debugDescription == message)
        }
    }

    /// A decoder that is stored has no row afterwards, and throws.
    @Test func refusesDecodersThatAreKept() throws {
        struct Keeper: Decodable, FetchableRecord {
            enum Key: CodingKey { case a }
            let container: KeyedDecodingContainer<Key>
            init(from decoder: any Decoder) throws { container = try decoder.container(keyedBy: Key.self) }
        }
        try DatabaseQueue().read { db in
            let keeper = try #require(try Keeper.fetchOne(db, sql: "SELECT 1 AS a"))
            #expect(throws: DecodingError.self) { try keeper.container.decode(Int.self, forKey: .a) }
            #expect(throws: DecodingError.self) { try keeper.container.decode(String.self, forKey: .a) }
            #expect(throws: DecodingError.self) { try keeper.container.decode([Int].self, forKey: .a) }
            #expect(!keeper.container.contains(.a))
        }
    }

    // MARK: Ways to decode by hand

    @Test func decodesWithinAnInitializer() throws {
        struct Loud: Codable, FetchableRecord {
            var name: String
            init(row: Row) throws {
                self = try FetchableRecordDecoder().decode(Loud.self, from: row)
                name = name.uppercased()
            }
        }
        try DatabaseQueue().read { db in
            expectEqual(try Loud.fetchAll(db, sql: "SELECT 'a' AS name UNION ALL SELECT 'b'").map(\.name), ["A", "B"])
        }
    }

    @Test func decodesWithKeysOfAnyKind() throws {
        struct AnyKey: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        struct Columns: Decodable, FetchableRecord {
            var values: [String: Int] = [:]
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: AnyKey.self)
                for key in container.allKeys { values[key.stringValue] = try container.decode(Int.self, forKey: key) }
            }
        }
        try DatabaseQueue().read { db in
            let rows = try Columns.fetchAll(db, sql: "SELECT 1 AS a, 2 AS b UNION ALL SELECT 3, 4")
            #expect(rows.map(\.values) == [["a": 1, "b": 2], ["a": 3, "b": 4]])
        }
    }

    @Test func decodesSuperclasses() throws {
        class Base: Decodable { var id: Int }
        final class Derived: Base, FetchableRecord {
            enum CodingKeys: CodingKey { case name }
            let name: String
            required init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                name = try container.decode(String.self, forKey: .name)
                try super.init(from: container.superDecoder())
            }
        }
        try DatabaseQueue().read { db in
            let records = try Derived.fetchAll(db, sql: "SELECT 1 AS id, 'a' AS name UNION ALL SELECT 2, 'b'")
            #expect(records.map(\.id) == [1, 2])
            #expect(records.map(\.name) == ["a", "b"])
        }
    }

    @Test func looksIntoJSONByHand() throws {
        struct Inner: Decodable, FetchableRecord {
            enum Key: CodingKey { case json, name }
            var name: String
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                name = try container.nestedContainer(keyedBy: Key.self, forKey: .json).decode(
                    String.self, forKey: .name)
            }
        }
        try DatabaseQueue().read { db in
            expectEqual(try Inner.fetchOne(db, sql: #"SELECT '{"name":"a"}' AS json"#)?.name, "a")
        }
    }

    @Test func tellsTypesItsContext() throws {
        struct Context: Codable, FetchableRecord, PersistableRecord {
            static let key = CodingUserInfoKey(rawValue: "key")!
            static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [key: "decoding"] }
            static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { [key: "encoding"] }
            struct Nested: Codable {
                enum CodingKeys: CodingKey { case text }
                var text: String
                init(from decoder: any Decoder) throws {
                    _ = try decoder.container(keyedBy: CodingKeys.self)
                    text = decoder.userInfo[Context.key] as? String ?? "none"
                }
                init() { text = "" }
                func encode(to encoder: any Encoder) throws {
                    var container = encoder.container(keyedBy: CodingKeys.self)
                    try container.encode(encoder.userInfo[Context.key] as? String ?? "none", forKey: .text)
                }
            }
            var nested: Nested
        }
        var record = try Context(row: ["nested": "{}"])
        #expect(record.nested.text == "decoding")
        record.nested = Context.Nested()
        expectEqual(try record.databaseDictionary, ["nested": #"{"text":"encoding"}"#.databaseValue])
    }

    /// Types with a single value receive the context as well.
    @Test func tellsSingleValuesTheirContext() throws {
        struct Price: Decodable, FetchableRecord {
            static let currency = CodingUserInfoKey(rawValue: "currency")!
            static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [currency: "EUR"] }
            struct Amount: Decodable {
                var text: String
                init(from decoder: any Decoder) throws {
                    let cents = try decoder.singleValueContainer().decode(Int.self)
                    text = "\(cents) \(decoder.userInfo[Price.currency] as? String ?? "?")"
                }
            }
            var amount: Amount
        }
        let price = try Price(row: ["amount": 5])
        #expect(price.amount.text == "5 EUR")
    }

    /// A record may store the row of a cursor, which becomes a copy.
    @Test func keepsRows() throws {
        struct Keeper: FetchableRecord {
            let row: Row
            init(row: Row) { self.row = row }
        }
        try DatabaseQueue().read { db in
            let sql = "SELECT 1 AS a UNION ALL SELECT 2 UNION ALL SELECT 3"
            expectEqual(try Keeper.fetchAll(db, sql: sql).map { $0.row["a"] as Int }, [1, 2, 3])
            expectEqual(try Keeper.fetchOne(db, sql: sql)?.row["a"], 1)
            let keepers = try Keeper.fetchCursor(db, sql: sql)
            let first = try keepers.next()
            _ = try keepers.next()
            #expect(first?.row["a"] == 1)
        }
    }
}
