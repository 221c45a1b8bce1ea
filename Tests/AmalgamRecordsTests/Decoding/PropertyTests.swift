#if Macros || !MACRO_RECORDS
import Amalgam
import Foundation
import TestSupport
import Testing

/// Properties of all kinds, and the columns that they are read from and written to.
struct PropertyTests {
    #if MACRO_RECORDS
    @Record
    #endif
    struct Everything: StoredRecord, Equatable {
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
        var date: Date = Date(timeIntervalSince1970: 1)
        var data: Data = Data([1, 2])
        var uuid: UUID = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!
        var url: URL = URL(string: "https://example.com")!
        var decimal: Decimal = Decimal(12)
        var color: Color = Color.blue
        var size: Size = Size.large
        var strings: [String] = ["a", "b"]
        var dictionary: [String: Int] = ["k": 1]
        var nested: Nested = Nested(strings: ["x"], date: Date(timeIntervalSince1970: 2))

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

    #if MACRO_RECORDS
    @Selection
    #endif
    struct Point: FetchedRecord, Equatable {
        var x: Int
        var y: Int
        var z: Int?
    }

    @Test("a statement that runs again finds columns that have moved")
    func movedColumns() throws {
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

    #if MACRO_RECORDS
    @Selection
    #endif
    struct Name: FetchedRecord {
        var id: Int
        var first: String
        var last: String?
    }

    @Test func readsColumnsInAnyOrderAndCase() throws {
        try DatabaseQueue().read { db in
            let names = try Name.fetchAll(
                db, sql: "SELECT 'b' AS LAST, 0 AS other, 'a' AS first, 1 AS Id UNION ALL SELECT NULL, 0, 'c', 2")
            #expect(names.map(\.id) == [1, 2])
            #expect(names.map(\.first) == ["a", "c"])
            #expect(names.map(\.last) == ["b", nil])
        }
    }

    // MARK: Errors

    #if MACRO_RECORDS
    @Selection
    #endif
    struct Named: FetchedRecord { var name: String }

    #if MACRO_RECORDS
    @Selection
    #endif
    struct Valued: FetchedRecord {
        enum Value: String, Codable, DatabaseValueConvertible { case valid }
        var value: Value
    }

    #if MACRO_RECORDS
    @Selection
    #endif
    struct Small: FetchedRecord { var foo: Int8 }

    @Test func throwsDecodingErrors() throws {
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

    #if MACRO_RECORDS
    @Selection
    #endif
    struct Graded: FetchedRecord {
        enum Grade: String, Decodable { case valid }
        var grade: Grade
    }

    #if MACRO_RECORDS
    @Selection
    #endif
    struct Tags: FetchedRecord { var tags: [String] }

    @Test func throwsErrorsOfCodableProperties() throws {
        let error = #expect(throws: DecodingError.self) { try Graded(row: ["grade": "invalid"]) }
        guard case .dataCorrupted = error else {
            Issue.record("\(error as Any)")
            return
        }
        expectThrows(RowDecodingError.self, "column not found: \"grade\" - row: [other:1]") {
            _ = try Graded(row: ["other": 1])
        }
        #expect(throws: DecodingError.self) { try Tags(row: ["tags": "no JSON"]) }
        expectThrows(RowDecodingError.self, "column not found: \"tags\" - row: [other:1]") {
            _ = try Tags(row: ["other": 1])
        }
        expectThrows(
            RowDecodingError.self,
            "could not decode Array<String> from database value NULL - column: \"tags\", column index: 0, row: [tags:NULL]"
        ) { _ = try Tags(row: ["tags": nil]) }
    }

    @Test("the localized description of an error is its description")
    func localizedDescriptions() throws {
        try withClub { db in
            let missing: any Error = Player.recordNotFound(key: ["id": 1])
            #expect(missing.localizedDescription == "Key not found in table player: [id:1]")
            let error = #expect(throws: RowDecodingError.self) { try Int.fetchAll(db, sql: "SELECT NULL") }
            let undecodable: any Error = try #require(error)
            #expect(undecodable.localizedDescription == "\(undecodable)")
            #expect(undecodable.localizedDescription.hasPrefix("could not decode Int from database value NULL"))
        }
    }

    // MARK: Context

    #if MACRO_RECORDS
    @Record
    #endif
    struct Context: StoredRecord {
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

    @Test func tellsTypesItsContext() throws {
        var record = try Context(row: ["nested": "{}"])
        #expect(record.nested.text == "decoding")
        record.nested = Context.Nested()
        expectEqual(try record.databaseDictionary, ["nested": #"{"text":"encoding"}"#.databaseValue])
    }

    #if MACRO_RECORDS
    @Selection
    #endif
    struct Price: FetchedRecord {
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

    /// Types with a single value receive the context as well.
    @Test func tellsSingleValuesTheirContext() throws {
        let price = try Price(row: ["amount": 5])
        #expect(price.amount.text == "5 EUR")
    }

    // MARK: Tasks

    #if MACRO_RECORDS
    @Selection
    #endif
    struct Job: FetchedRecord, Equatable {
        var a: Int
        var b: String
        var c: [Int]
    }

    @Test("many tasks decode at the same time")
    func manyTasks() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    let queue = try DatabaseQueue()
                    for number in 0..<100 {
                        // A new statement each time, with its own decoders.
                        let sql = "SELECT \(number) AS a, 'task \(task)' AS b, '[\(task)]' AS c"
                        let record = try await queue.read { try Job.fetchOne($0.makeStatement(sql: sql)) }
                        #expect(record == Job(a: number, b: "task \(task)", c: [task]))
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
#endif
