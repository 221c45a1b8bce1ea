#if Macros
import Amalgam
import Foundation
import TestSupport
import Testing

private struct Cents: DatabaseRepresentation {
    func databaseValue(of price: Double) -> DatabaseValue { Int64((price * 100).rounded()).databaseValue }

    func value(from databaseValue: DatabaseValue) -> Double? {
        Double.fromDatabaseValue(databaseValue).map { $0 / 100 }
    }
}

private struct Mills: DatabaseRepresentation {
    func databaseValue(of price: Double) -> DatabaseValue { Int64((price * 1000).rounded()).databaseValue }

    func value(from databaseValue: DatabaseValue) -> Double? {
        Double.fromDatabaseValue(databaseValue).map { $0 / 1000 }
    }
}

private enum Level: String, Codable, CaseIterable { case low, high }

@Record("item")
private struct Item: Equatable {
    @Key var id: Int64?
    @Column(as: Cents()) var cents: Double
    @Column(as: Cents()) var other: Double?
    @Column(as: Mills()) var mills: Double
    @Column(as: .unixTime) var seconds: Date
    @Column(as: .unixTime) var end: Date?
    var date: Date
    var later: Date?
    @Column(as: .json) var json: [String] = ["a"]
    @Column(as: .jsonb) var bytes: [String] = ["a"]
    var tags: [String]? = ["a"]
    var level: Level = .low
    @Column(as: .rawValue) var raw: Level = .low
    @Column(as: .json) var levelJSON: Level = .low
}

@Suite("Operators of two columns need one format")
struct SameFormatTests {
    private func withItem<T>(_ body: (Database) throws -> T) throws -> T {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE item (id INTEGER PRIMARY KEY, cents, other, mills, seconds, "end", date, later, json, bytes,
                    tags, level, raw, levelJSON)
                    """)
            let date = Date(timeIntervalSince1970: 10)
            var item = Item(cents: 1, mills: 1, seconds: date, date: date)
            try item.insert(db)
            return try body(db)
        }
    }

    private let message = """
        The column 'cents' stores its values in a different format than the other operand. Compute in Swift, or with the \
        stored values: Column("cents").
        """

    private func expectMisuse(_ db: Database, _ request: QueryInterfaceRequest<Item>) {
        expectFailure(.SQLITE_MISUSE) { _ = try request.fetchCount(db) }
    }

    @Test("columns in different formats aren't compared")
    func comparisons() throws {
        try withItem { db in
            expectFailure(.SQLITE_MISUSE, message) { _ = try Item.filter { $0.cents == $0.mills }.fetchCount(db) }
            let date = Date(timeIntervalSince1970: 10)
            expectMisuse(db, Item.filter { $0.cents < $0.mills })
            expectMisuse(db, Item.filter { $0.mills !== $0.cents })
            expectMisuse(db, Item.filter { $0.seconds == $0.date })
            expectMisuse(db, Item.filter { $0.seconds != $0.later })
            expectMisuse(db, Item.filter { $0.seconds >= $0.date })
            expectMisuse(db, Item.filter { [$0.mills].contains($0.cents) })
            expectMisuse(db, Item.filter { [$0.date].contains($0.seconds) })
            expectMisuse(db, Item.filter { ($0.end ?? $0.date) == date })
            expectMisuse(db, Item.filter { ($0.end ?? $0.later) == date })
            expectMisuse(db, Item.filter { $0.cents + $0.mills > 1 })
            expectMisuse(db, Item.filter { $0.json == $0.bytes })
            expectMisuse(db, Item.filter { $0.level == $0.levelJSON })
        }
    }

    @Test("the values of columns in different formats aren't assigned")
    func assignments() throws {
        try withItem { db in
            let item = try Item.fetchOne(db)
            expectFailure(.SQLITE_MISUSE) { try Item.updateAll(db) { $0.cents.set(to: $0.mills) } }
            expectFailure(.SQLITE_MISUSE) { try Item.updateAll(db) { $0.seconds.set(to: $0.date) } }
            expectFailure(.SQLITE_MISUSE) { try Item.updateAll(db) { $0.end.set(to: $0.date) } }
            expectFailure(.SQLITE_MISUSE) { try Item.updateAll(db) { $0.bytes.set(to: $0.json) } }
            expectFailure(.SQLITE_MISUSE) { try Item.updateAll(db) { $0.cents += $0.mills } }
            expectEqual(try Item.fetchOne(db), item)
        }
    }

    @Test("columns in the same format are compared and assigned")
    func sameFormat() throws {
        try withItem { db in
            try Item.updateAll(db) {
                [$0.other.set(to: $0.cents), $0.end.set(to: $0.seconds), $0.later.set(to: $0.date)]
            }
            expectEqual(try Item.filter { $0.cents == $0.other && $0.seconds <= $0.end }.fetchCount(db), 1)
            expectEqual(
                try Item.filter { $0.date == $0.later && ($0.end ?? $0.seconds) == $0.seconds }.fetchCount(db), 1)
            expectEqual(try Item.filter { $0.json == $0.tags && $0.level == $0.raw }.fetchCount(db), 1)
        }
    }
}
#endif
