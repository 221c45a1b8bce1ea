#if Macros || !MACRO_RECORDS
import Amalgam
import Foundation
import TestSupport
import Testing

private protocol StrategyProvider { associatedtype Strategy; static var strategy: Strategy { get } }

#if MACRO_RECORDS
@Record
#endif
private struct Dated<Provider: StrategyProvider>: StoredRecord, Identifiable
where Provider.Strategy == DatabaseDateEncodingStrategy {
    static var databaseTableName: String { "t" }
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { Provider.strategy }
    var id: Date?
}

private enum Deferred: StrategyProvider { static let strategy = DatabaseDateEncodingStrategy.deferredToDate }
private enum SinceReference: StrategyProvider {
    static let strategy = DatabaseDateEncodingStrategy.timeIntervalSinceReferenceDate
}
private enum Since1970: StrategyProvider { static let strategy = DatabaseDateEncodingStrategy.timeIntervalSince1970 }
private enum Seconds: StrategyProvider { static let strategy = DatabaseDateEncodingStrategy.secondsSince1970 }
private enum Milliseconds: StrategyProvider { static let strategy = DatabaseDateEncodingStrategy.millisecondsSince1970 }
private enum ISO: StrategyProvider { static let strategy = DatabaseDateEncodingStrategy.iso8601 }
private enum Custom: StrategyProvider {
    static let strategy = DatabaseDateEncodingStrategy.custom { $0 < Date(timeIntervalSince1970: 0) ? nil : "later" }
}
private enum Formatted: StrategyProvider {
    static var strategy: DatabaseDateEncodingStrategy {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEEE, MMMM d, yyyy"
        return .formatted(formatter)
    }
}

struct DateEncodingStrategyTests {
    private let dates = [
        Date(timeIntervalSince1970: -987654.321), Date(timeIntervalSince1970: 123456.789),
        Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSinceReferenceDate: 123456.789),
    ]

    private func expect<Provider: StrategyProvider>(
        _ type: Provider.Type, _ values: [any DatabaseValueConvertible],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws where Provider.Strategy == DatabaseDateEncodingStrategy {
        let expected = values.map(\.databaseValue)
        let encoded = try dates.map { try Dated<Provider>(id: $0).databaseDictionary["id"] }
        #expect(encoded == expected, sourceLocation: sourceLocation)
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE t (id PRIMARY KEY)")
            for date in dates { try Dated<Provider>(id: date).insert(db, onConflict: .replace) }
            let stored = try DatabaseValue.fetchSet(db, sql: "SELECT id FROM t")
            #expect(stored == Set(expected), sourceLocation: sourceLocation)
        }
        expectEqual(try Dated<Provider>(id: nil).databaseDictionary, ["id": .null])
    }

    @Test func refusesADateThatIsNoTime() throws {
        func expectRefusal<Provider: StrategyProvider>(_ type: Provider.Type, _ seconds: Double) throws
        where Provider.Strategy == DatabaseDateEncodingStrategy {
            try DatabaseQueue().write { db in
                try db.execute(sql: "CREATE TABLE t (id PRIMARY KEY)")
                let error = #expect(throws: DatabaseError.self) {
                    try Dated<Provider>(id: Date(timeIntervalSince1970: seconds)).insert(db)
                }
                #expect(error?.resultCode == .SQLITE_MISMATCH)
            }
        }
        try expectRefusal(Deferred.self, .nan)
        try expectRefusal(SinceReference.self, .nan)
        try expectRefusal(Since1970.self, .nan)
        try expectRefusal(Seconds.self, .nan)
        try expectRefusal(ISO.self, .nan)
        try expectRefusal(ISO.self, .infinity)
    }

    @Test func storesDates() throws {
        try expect(
            Deferred.self,
            [
                "1969-12-20 13:39:05.679", "1970-01-02 10:17:36.789", "2001-01-01 00:00:00.000",
                "2001-01-02 10:17:36.789",
            ])
        try expect(SinceReference.self, [-979294854.321, -978183743.211, 0.0, 123456.789])
        try expect(Since1970.self, [-987654.32099997997, 123456.78900003433, 978307200.0, 978430656.789])
        try expect(Seconds.self, [-987655, 123456, 978307200, 978430656])
        try expect(Milliseconds.self, [-987654321, 123456789, 978307200000, 978430656789])
        try expect(
            ISO.self,
            ["1969-12-20T13:39:05Z", "1970-01-02T10:17:36Z", "2001-01-01T00:00:00Z", "2001-01-02T10:17:36Z"])
        try expect(
            Formatted.self,
            [
                "Saturday, December 20, 1969", "Friday, January 2, 1970", "Monday, January 1, 2001",
                "Tuesday, January 2, 2001",
            ])
        let encoded = try dates.map { try Dated<Custom>(id: $0).databaseDictionary["id"] }
        #expect(encoded == [.null, "later".databaseValue, "later".databaseValue, "later".databaseValue])
    }

    @Test func findsKeys() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE t (id PRIMARY KEY)")
            let date = dates[0]
            try expectSQL(db, ["DELETE FROM \"t\" WHERE \"id\" = '1969-12-20 13:39:05.679'"]) {
                try Dated<Deferred>.deleteOne(db, id: date)
            }
            try expectSQL(db, ["DELETE FROM \"t\" WHERE \"id\" = -979294854.321"]) {
                try Dated<SinceReference>.deleteOne(db, id: date)
            }
            try expectSQL(db, []) { try Dated<Seconds>.deleteOne(db, id: nil) }
        }
    }

    @Test func refusesWhatIsNoInteger() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE t (id PRIMARY KEY)")
            let error = #expect(throws: DatabaseError.self) {
                try Dated<Seconds>(id: Date(timeIntervalSince1970: .infinity)).insert(db)
            }
            #expect(error?.resultCode == .SQLITE_MISMATCH)
        }
    }
}

struct OtherEncodingStrategyTests {
    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Document: StoredRecord, Equatable {
        static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy {
            switch column {
            case "text": .text
            case "custom": .custom { $0.isEmpty ? nil : $0.count }
            default: .deferredToData
            }
        }
        static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
            switch column {
            case "upper": .uppercaseString
            case "lower": .lowercaseString
            default: .deferredToUUID
            }
        }
        var data: Data?
        var text: Data?
        var custom: Data?
        var uuid: UUID?
        var upper: UUID?
        var lower: UUID?
    }

    @Test func storesDataAndUUIDs() throws {
        let uuid = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        let foo = Data("foo".utf8)
        let document = Document(data: foo, text: foo, custom: foo, uuid: uuid, upper: uuid, lower: uuid)
        expectEqual(
            try document.databaseDictionary,
            [
                "data": foo.databaseValue, "text": "foo".databaseValue, "custom": 3.databaseValue,
                "uuid": uuid.databaseValue, "upper": uuid.uuidString.databaseValue,
                "lower": "e621e1f8-c36c-495a-93fc-0c247a3e6e5f".databaseValue,
            ])
        let empty = Document(data: Data(), text: Data(), custom: Data())
        expectEqual(
            try empty.databaseDictionary,
            [
                "data": Data().databaseValue, "text": "".databaseValue, "custom": .null, "uuid": .null,
                "upper": .null, "lower": .null,
            ])
        // They are decoded without a strategy.
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE document (data, text, custom, uuid, upper, lower)")
            var stored = document
            stored.custom = nil
            try stored.insert(db)
            expectEqual(try Document.fetchOne(db), stored)
        }
    }

    @Test func refusesTextThatIsNone() throws {
        expectDatabaseError(.SQLITE_MISMATCH, "Non-UTF8 data can't be encoded as text in the database") {
            _ = try Document(text: Data([0xff])).databaseDictionary
        }
    }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Snake: StoredRecord, Equatable {
        static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { .convertToSnakeCase }
        static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { .convertFromSnakeCase }
        var recordId: Int
        var myURLProperty: Int?
        var _private_: Int
    }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Upper: StoredRecord, Equatable {
        static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy {
            .custom { $0.stringValue.uppercased() }
        }
        static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy {
            .custom { Column($0.lowercased()).codingKey }
        }
        var name: String
    }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct RecordID: StoredRecord {
        static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { .convertToSnakeCase }
        var recordID = 1
    }

    @Test func namesColumns() throws {
        expectEqual(
            try Snake(recordId: 1, myURLProperty: 2, _private_: 3).databaseDictionary,
            ["record_id": 1.databaseValue, "my_url_property": 2.databaseValue, "_private_": 3.databaseValue])
        expectEqual(try Upper(name: "a").databaseDictionary, ["NAME": "a".databaseValue])
        expectEqual(
            try Snake(row: ["_private_": 3, "record_id": 1]), Snake(recordId: 1, myURLProperty: nil, _private_: 3))
        expectEqual(try Upper(row: ["NAME": "a"]), Upper(name: "a"))
        expectEqual(try RecordID().databaseDictionary, ["record_id": 1.databaseValue])
    }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Page: StoredRecord, Equatable {
        static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { .convertToSnakeCase }
        static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { .convertFromSnakeCase }
        var pageID: Int64
        var myURL: URL
        var teamId: Int64?
        var aboutHTML: String?
    }

    @Test("a column in snake case is that of the property that is encoded into it")
    func snakeCase() throws {
        try withClub { db in
            try db.execute(sql: "CREATE TABLE page (page_id, my_url, team_id, about_html)")
            let page = Page(pageID: 1, myURL: URL(string: "https://example.com")!, teamId: 2, aboutHTML: "<p>")
            try page.insert(db)
            expectEqual(try Page.fetchAll(db), [page])
        }
    }
}

private struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Column {
    fileprivate var codingKey: any CodingKey { AnyKey(stringValue: name) }
}
#endif
