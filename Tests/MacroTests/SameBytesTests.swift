#if Macros
import Amalgam
import Foundation
import TestSupport
import Testing

private enum Color: String, Codable, DatabaseValueConvertible { case red, blue }
private enum Size: Int, Codable { case small = 1, large }
private enum Shape: Codable, Equatable { case square(side: Int), circle }

private struct Point: Codable, Equatable {
    var y = 2
    var x = 1
    var name: String?
}

/// Types of properties, as a `Codable` record.
private struct CodableKinds: Codable, Equatable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "kinds"

    var id: Int
    var bool: Bool
    var int8: Int8
    var uint64: UInt64
    var double: Double
    var float: Float
    var string: String
    var optional: String?
    var data: Data
    var optionalData: Data?
    var date: Date
    var optionalDate: Date?
    var uuid: UUID
    var url: URL
    var decimal: Decimal
    var color: Color
    var optionalColor: Color?
    var size: Size
    var shape: Shape
    var point: Point
    var optionalPoint: Point?
    var list: [String]
    var dictionary: [String: Int]
}

/// The same types of properties, by the macro.
@Record("kinds")
private struct MacroKinds: Equatable {
    @Key var id: Int
    var bool: Bool
    var int8: Int8
    var uint64: UInt64
    var double: Double
    var float: Float
    var string: String
    var optional: String?
    var data: Data
    var optionalData: Data?
    var date: Date
    var optionalDate: Date?
    var uuid: UUID
    var url: URL
    var decimal: Decimal
    var color: Color
    var optionalColor: Color?
    var size: Size
    var shape: Shape
    var point: Point
    var optionalPoint: Point?
    var list: [String]
    var dictionary: [String: Int]
}

/// Strategies of the type.
private protocol Strategies: FetchableRecord, EncodableRecord {}

extension Strategies {
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        column == "seen_at" ? .timeIntervalSince1970 : .deferredToDate
    }
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        column == "seen_at" ? .timeIntervalSince1970 : .deferredToDate
    }
    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy { .lowercaseString }
    static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { .convertFromSnakeCase }
    static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { .convertToSnakeCase }
    static func databaseJSONEncoder(for column: String) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }
    static func databaseJSONDecoder(for column: String) -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }
}

private struct CodableVisit: Codable, Equatable, Strategies, PersistableRecord {
    static let databaseTableName = "visit"

    var visitID: UUID
    var seenAt: Date
    var leftAt: Date?
    var dates: [Date]
}

@Record("visit")
private struct MacroVisit: Equatable, Strategies {
    @Key var visitID: UUID
    var seenAt: Date
    var leftAt: Date?
    var dates: [Date]
}

@Suite("@Record stores what Codable records store")
struct SameBytesTests {
    /// Stores a record both ways, compares the cells, and reads each row both ways.
    private func compare<First, Second>(_ first: First, _ second: Second, _ columns: String) throws
    where
        First: FetchableRecord & PersistableRecord & Equatable, Second: FetchableRecord & PersistableRecord & Equatable
    {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE \(First.databaseTableName) (\(columns))")
            try first.insert(db)
            let row = try Row.fetchOne(db, sql: "SELECT * FROM \(First.databaseTableName)")
            try db.execute(sql: "DELETE FROM \(First.databaseTableName)")
            try second.insert(db)
            expectEqual(try Row.fetchOne(db, sql: "SELECT * FROM \(First.databaseTableName)"), row)
            expectEqual(try First.fetchAll(db), [first])
            expectEqual(try Second.fetchAll(db), [second])
            // A copied row.
            expectEqual(try row.map { try Second(row: $0) }, second)
        }
    }

    private let kinds = """
        id, bool, int8, uint64, double, float, string, optional, data, optionalData, date, optionalDate, uuid, url, \
        decimal, color, optionalColor, size, shape, point, optionalPoint, list, dictionary
        """

    @Test("all kinds of properties, with values and with nil", arguments: [true, false])
    func allKinds(isFull: Bool) throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000.125)
        let uuid = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        let url = try #require(URL(string: "https://sqlite.org/json1.html"))
        try compare(
            CodableKinds(
                id: 1, bool: true, int8: -8, uint64: 64, double: 1.5, float: 0.1, string: "é\"",
                optional: isFull ? "" : nil, data: Data([0, 255]), optionalData: isFull ? Data() : nil, date: date,
                optionalDate: isFull ? date : nil, uuid: uuid, url: url, decimal: Decimal(string: "1.10") ?? 0,
                color: .blue, optionalColor: isFull ? .red : nil, size: .large,
                shape: isFull ? .square(side: 2) : .circle, point: Point(), optionalPoint: isFull ? Point() : nil,
                list: ["b", "a"], dictionary: ["b": 1, "a": 2]),
            MacroKinds(
                id: 1, bool: true, int8: -8, uint64: 64, double: 1.5, float: 0.1, string: "é\"",
                optional: isFull ? "" : nil, data: Data([0, 255]), optionalData: isFull ? Data() : nil, date: date,
                optionalDate: isFull ? date : nil, uuid: uuid, url: url, decimal: Decimal(string: "1.10") ?? 0,
                color: .blue, optionalColor: isFull ? .red : nil, size: .large,
                shape: isFull ? .square(side: 2) : .circle, point: Point(), optionalPoint: isFull ? Point() : nil,
                list: ["b", "a"], dictionary: ["b": 1, "a": 2]),
            kinds)
    }

    @Test("the strategies of the type: names of columns, dates, UUIDs, JSON")
    func strategies() throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        let uuid = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        try compare(
            CodableVisit(visitID: uuid, seenAt: date, leftAt: date, dates: [date]),
            MacroVisit(visitID: uuid, seenAt: date, leftAt: date, dates: [date]),
            "visit_id, seen_at, left_at, dates")
    }
}
#endif
