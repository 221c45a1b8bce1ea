#if Macros
import Amalgam
import Foundation
import TestSupport
import Testing

private struct Cents: DatabaseRepresentation {
    func databaseValue(of price: Double) -> DatabaseValue { Int64((price * 100).rounded()).databaseValue }

    func value(from databaseValue: DatabaseValue) -> Double? {
        Int64.fromDatabaseValue(databaseValue).map { Double($0) / 100 }
    }
}

private struct Mills: DatabaseRepresentation {
    func databaseValue(of price: Double) -> DatabaseValue { Int64((price * 1000).rounded()).databaseValue }

    func value(from databaseValue: DatabaseValue) -> Double? {
        Int64.fromDatabaseValue(databaseValue).map { Double($0) / 1000 }
    }
}

private struct Thousand: DatabaseRepresentation {
    func databaseValue(of number: Int) -> DatabaseValue { (number + 1000).databaseValue }

    func value(from databaseValue: DatabaseValue) -> Int? { Int.fromDatabaseValue(databaseValue).map { $0 - 1000 } }
}

private typealias Price = Double

@Record("offer")
private struct Offer: Equatable {
    @Key var id: UUID
    @Column(as: Cents()) var price: Double
    @Column(as: Cents()) var cost: Price
    @Column(as: Mills()) var tax: Price
    var start: Date
    var end: Date

    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy { .uppercaseString }

    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        column == "start" ? .millisecondsSince1970 : .secondsSince1970
    }

    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        column == "start" ? .millisecondsSince1970 : .timeIntervalSince1970
    }
}

@Record("number")
private struct Number: Equatable {
    @Key @Column(as: Thousand()) var id: Int
}

@Suite("Lists and selections of columns that have a format")
struct SelectedFormatTests {
    private let date = Date(timeIntervalSince1970: 1_700_000_000)

    private func withOffer<T>(_ body: (Database, Offer) throws -> T) throws -> T {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE offer (id TEXT PRIMARY KEY NOT NULL, price INT NOT NULL, cost INT NOT NULL,
                    tax INT NOT NULL, start INT NOT NULL, "end" INT NOT NULL);
                    CREATE TABLE number (id INTEGER PRIMARY KEY)
                    """)
            let offer = Offer(id: UUID(), price: 2.5, cost: 1, tax: 0.5, start: date, end: date)
            try offer.insert(db)
            return try body(db, offer)
        }
    }

    @Test("an SQLArray of values isn't compared with stored values of a different form")
    func arrays() throws {
        try withOffer { db, offer in
            expectEqual(try Offer.filter { [offer.id].contains($0.id) }.fetchCount(db), 1)
            expectFailure(
                .SQLITE_MISUSE,
                """
                The column 'id' stores its values in a format of its own, which the values of an SQLArray don't have. Use \
                an Array in place of the SQLArray, or an SQLArray of stored values: Column("id").
                """
            ) { _ = try Offer.filter { SQLArray([offer.id]).contains($0.id) }.fetchCount(db) }
            expectFailure(.SQLITE_MISUSE) {
                _ = try Offer.filter { !SQLArray([offer.id]).contains($0.id) }.deleteAll(db)
            }
            expectFailure(.SQLITE_MISUSE) {
                _ = try Offer.filter { SQLArray([2.5]).contains($0.price) }.fetchCount(db)
            }
            expectFailure(.SQLITE_MISUSE) {
                _ = try Offer.filter { SQLArray([2.0]).contains($0.cost + 1) }.fetchCount(db)
            }
            let stored = SQLArray([offer.id.uuidString])
            expectEqual(try Offer.filter { stored.contains($0.id.untyped) }.fetchAll(db), [offer])
        }
    }

    @Test("an SQLArray is compared with values in the usual form of their type")
    func usualForms() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE day (day TEXT, id BLOB)")
            let (day, id) = (TypedColumn<Date>("day"), TypedColumn<UUID?>("id"))
            let uuid = UUID()
            try db.execute(sql: "INSERT INTO day VALUES (?, ?)", arguments: [date, uuid])
            let condition = SQLArray([date]).contains(day) && SQLArray([uuid]).contains(id)
            expectEqual(try Table("day").filter(condition).fetchCount(db), 1)
        }
    }

    @Test("a value isn't decoded from a stored form that its type reads as a different value")
    func values() throws {
        try withOffer { db, offer in
            expectFailure(
                .SQLITE_MISUSE,
                """
                The column 'price' stores its values in a format of its own, with which the selected values aren't decoded. \
                Decode rows with row[column], or select the stored values: Column("price").
                """
            ) { _ = try Offer.select({ $0.price }, as: Double.self).fetchOne(db) }
            expectFailure(.SQLITE_MISUSE) { _ = try Offer.select({ max($0.price) }, as: Double.self).fetchOne(db) }
            expectFailure(.SQLITE_MISUSE) { _ = try Offer.select({ sum($0.price) }, as: Double.self).fetchOne(db) }
            expectFailure(.SQLITE_MISUSE) { _ = try Offer.select({ $0.cost + 1 }, as: Double.self).fetchOne(db) }
            expectFailure(.SQLITE_MISUSE) {
                _ = try Offer.all().select(Offer.Columns.start, as: Date.self).fetchOne(db)
            }
            // Seconds, and the text of a UUID, are read without the format.
            expectEqual(try Offer.select({ $0.end }, as: Date.self).fetchOne(db), date)
            expectEqual(try Offer.select({ max($0.end) }, as: Date.self).fetchOne(db), date)
            expectEqual(try Offer.select({ $0.id }, as: UUID.self).fetchOne(db), offer.id)
            // Stored values, and rows.
            expectEqual(try Offer.select({ $0.price.untyped }, as: Double.self).fetchOne(db), 250)
            expectEqual(try Offer.select({ $0.price }, as: DatabaseValue.self).fetchOne(db), 250.databaseValue)
            let row = try #require(try Offer.select({ $0.price }, as: Row.self).fetchOne(db))
            expectEqual(row[Offer.Columns.price], 2.5)
        }
    }

    @Test("keys aren't decoded from a stored form that their type reads as a different key")
    func keys() throws {
        try withOffer { db, offer in
            try Number(id: 7).insert(db)
            expectFailure(.SQLITE_MISUSE) { _ = try Number.all().selectID().fetchAll(db) }
            expectFailure(.SQLITE_MISUSE) { _ = try Number.selectPrimaryKey(as: Int.self).fetchAll(db) }
            expectEqual(try Number.selectPrimaryKey(as: DatabaseValue.self).fetchAll(db), [1007.databaseValue])
            expectEqual(try Offer.all().selectID().fetchAll(db), [offer.id])
            expectEqual(try Offer.selectPrimaryKey(as: Row.self).fetchOne(db), ["id": offer.id.uuidString])
        }
    }

    @Test("an expression isn't assigned to a column of a different format")
    func assignments() throws {
        try withOffer { db, _ in
            expectFailure(.SQLITE_MISUSE) { _ = try Offer.updateAll(db) { $0.cost.set(to: $0.tax) } }
            expectFailure(.SQLITE_MISUSE) { _ = try Offer.updateAll(db) { $0.cost.set(to: $0.tax + 1) } }
            expectFailure(.SQLITE_MISUSE) {
                let plain = TypedColumn<Double>("cost")
                _ = try Offer.updateAll(db) { plain.set(to: $0.tax + 1) }
            }
            try Offer.updateAll(db) { [$0.cost.set(to: $0.cost + 1), $0.tax.set(to: $0.tax + 1)] }
            expectEqual(try Offer.fetchAll(db).map { [$0.cost, $0.tax] }, [[2, 1.5]])
        }
    }
}
#endif
