#if Macros || !MACRO_RECORDS
import Amalgam
import Foundation
import Synchronization
import TestSupport
import Testing

#if MACRO_RECORDS
@Selection
#endif
private struct Dated<Strategy: DateStrategy>: FetchedRecord {
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { Strategy.strategy }
    var date: Date
}

#if MACRO_RECORDS
@Selection
#endif
private struct MaybeDated<Strategy: DateStrategy>: FetchedRecord {
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { Strategy.strategy }
    var date: Date?
}

/// A type whose strategy changes.
#if MACRO_RECORDS
@Selection
#endif
private struct Undecided: FetchedRecord {
    static let isSince1970 = Mutex(false)

    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        isSince1970.withLock { $0 } ? .timeIntervalSince1970 : .timeIntervalSinceReferenceDate
    }

    var date: Date
}

private protocol DateStrategy { static var strategy: DatabaseDateDecodingStrategy { get } }
private enum Deferred: DateStrategy { static let strategy = DatabaseDateDecodingStrategy.deferredToDate }
private enum SinceReference: DateStrategy {
    static let strategy = DatabaseDateDecodingStrategy.timeIntervalSinceReferenceDate
}
private enum Since1970: DateStrategy { static let strategy = DatabaseDateDecodingStrategy.timeIntervalSince1970 }
private enum Milliseconds: DateStrategy { static let strategy = DatabaseDateDecodingStrategy.millisecondsSince1970 }
private enum ISO: DateStrategy { static let strategy = DatabaseDateDecodingStrategy.iso8601 }
private enum Custom: DateStrategy {
    static let strategy = DatabaseDateDecodingStrategy.custom {
        $0 == "now".databaseValue ? Date(timeIntervalSince1970: 1) : nil
    }
}
private enum Formatted: DateStrategy {
    static var strategy: DatabaseDateDecodingStrategy {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "d/M/yyyy"
        return .formatted(formatter)
    }
}

struct DecodingStrategyTests {
    private func expect<Strategy: DateStrategy>(
        _ type: Strategy.Type, _ value: any DatabaseValueConvertible, _ expected: TimeInterval,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try DatabaseQueue().read { db in
            let live = try Dated<Strategy>.fetchOne(db, sql: "SELECT ? AS date", arguments: [value])
            let copied = try Dated<Strategy>(row: ["date": value])
            for date in [live?.date, copied.date] {
                let interval = try #require(date?.timeIntervalSince1970)
                #expect(abs(interval - expected) < 1e-6, sourceLocation: sourceLocation)
            }
            let maybe = try MaybeDated<Strategy>.fetchOne(db, sql: "SELECT NULL AS date")
            #expect(maybe?.date == nil, sourceLocation: sourceLocation)
            expectEqual(try MaybeDated<Strategy>(row: ["other": 1]).date, nil, sourceLocation: sourceLocation)
        }
    }

    @Test("a statement that runs again asks for strategies again")
    func asksForStrategiesAgain() throws {
        try DatabaseQueue().read { db in
            let statement = try db.makeStatement(sql: "SELECT 0 AS date")
            let first = try Undecided.fetchAll(statement).map(\.date)
            #expect(first == [Date(timeIntervalSinceReferenceDate: 0)])
            Undecided.isSince1970.withLock { $0 = true }
            let second = try Undecided.fetchAll(statement).map(\.date)
            #expect(second == [Date(timeIntervalSince1970: 0)])
        }
    }

    @Test func readsDates() throws {
        try expect(Deferred.self, "2015-07-22 01:02:03.00456", 1437526923.004)
        try expect(Deferred.self, 1437526920, 1437526920)
        try expect(SinceReference.self, 1, 978307201)
        try expect(Since1970.self, 1.5, 1.5)
        try expect(Milliseconds.self, 123.456, 0.123456)
        try expect(Milliseconds.self, 123456, 123.456)
        try expect(ISO.self, "2018-08-19T17:18:07Z", 1534699087)
        try expect(ISO.self, "2018-08-19T19:18:07+02:00", 1534699087)
        try expect(Formatted.self, "2/1/1970", 86400)
        try expect(Custom.self, "now", 1)
    }

    private func expectFailure<Strategy: DateStrategy>(
        _ type: Strategy.Type, _ text: String = "Yesterday", isLive: Bool = true,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let copied = """
            could not decode Date from database value "\(text)" - column: "date", column index: 0, row: [date:"\(text)"]
            """
        expectThrows(RowDecodingError.self, copied, sourceLocation: sourceLocation) {
            _ = try Dated<Strategy>(row: ["date": text])
        }
        try DatabaseQueue().read { db in
            if isLive {
                let live = copied + ", sql: `SELECT ? AS date`, arguments: [\"\(text)\"]"
                expectThrows(RowDecodingError.self, live, sourceLocation: sourceLocation) {
                    _ = try Dated<Strategy>.fetchOne(db, sql: "SELECT ? AS date", arguments: [text])
                }
            } else {
                let record = try Dated<Strategy>.fetchOne(db, sql: "SELECT ? AS date", arguments: [text])
                #expect(record != nil, sourceLocation: sourceLocation)
            }
        }
    }

    @Test func refusesOtherValues() throws {
        try expectFailure(Deferred.self)
        try expectFailure(ISO.self)
        try expectFailure(ISO.self, "2018-08-19 17:18:07")
        try expectFailure(Formatted.self)
        try expectFailure(Custom.self, "invalid")
        // SQLite converts a string to a number, directly from a statement.
        try expectFailure(SinceReference.self, isLive: false)
        try expectFailure(Since1970.self, isLive: false)
        try expectFailure(Milliseconds.self, isLive: false)
    }

    #if MACRO_RECORDS
    @Selection
    #endif
    fileprivate struct Document: FetchedRecord {
        static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy {
            column == "custom" ? .custom { $0.isNull ? nil : Data([1]) } : .deferredToData
        }
        var plain: Data
        var custom: Data?
    }

    @Test func readsData() throws {
        let document = try Document(row: ["plain": "foo", "custom": 12])
        #expect(document.plain == Data("foo".utf8))
        #expect(document.custom == Data([1]))
        expectEqual(try Document(row: ["plain": Data(), "custom": nil]).custom, nil)
    }
}
#endif
