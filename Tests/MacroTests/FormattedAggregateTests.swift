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

@Record("shop")
private struct Shop {
    @Key var id: Int64

    static let sales = hasMany(Sale.self, using: ForeignKey(["shopID"], to: ["id"]))
}

@Record("sale")
private struct Sale {
    @Key var id: Int64
    var shopID: Int64
    var at: Date
    @Column(as: Cents()) var price: Double
    var tax: Decimal

    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .secondsSince1970 }
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .timeIntervalSince1970
    }
}

@Suite("Aggregates of associations have the format of their column")
struct FormattedAggregateTests {
    private let date = Date(timeIntervalSince1970: 1_700_000_000)

    private func withSales<T>(_ body: (Database) throws -> T) throws -> T {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE shop (id INTEGER PRIMARY KEY);
                    CREATE TABLE sale (id INTEGER PRIMARY KEY, shopID INTEGER, at INTEGER, price INTEGER, tax TEXT);
                    INSERT INTO shop VALUES (1)
                    """)
            try Sale(id: 1, shopID: 1, at: date, price: 2.5, tax: 9.5).insert(db)
            try Sale(id: 2, shopID: 1, at: date + 5, price: 3, tax: 10.25).insert(db)
            return try body(db)
        }
    }

    private func count(_ db: Database, _ aggregate: AssociationAggregate<Shop>) throws -> Int {
        try Shop.having(aggregate).fetchCount(db)
    }

    @Test("dates with a strategy, and numbers with a representation")
    func formats() throws {
        try withSales { db in
            expectEqual(try count(db, Shop.sales.max(\.at) > date), 1)
            expectEqual(try count(db, Shop.sales.max(\.at) > date + 5), 0)
            expectEqual(try count(db, Shop.sales.min(\.at) == date), 1)
            expectEqual(try count(db, Shop.sales.max(\.price) == 3.0), 1)
            expectEqual(try count(db, Shop.sales.min(\.price) < 2.5), 0)
            expectEqual(try count(db, Shop.sales.sum(\.price) == 5.5), 1)
            expectEqual(try count(db, Shop.sales.sum(\.price) > 5.5), 0)
        }
    }

    @Test("literals of other types, and values between the stored ones")
    func operands() throws {
        try withSales { db in
            expectEqual(try count(db, Shop.sales.sum(\.price) > 10), 0)
            expectEqual(try count(db, Shop.sales.max(\.price) < 4), 1)
            expectEqual(try count(db, 3 == Shop.sales.max(\.price)), 1)
            expectEqual(try count(db, Shop.sales.max(\.price) < 3.004), 1)
            expectEqual(try count(db, Shop.sales.max(\.price) >= 3.004), 0)
            expectEqual(try count(db, 3.004 > Shop.sales.max(\.price)), 1)
            expectEqual(try count(db, Shop.sales.min(\.at) < date + 0.5), 1)
            expectEqual(try count(db, Shop.sales.min(\.at) >= date + 0.5), 0)
            expectEqual(try count(db, Shop.sales.max(\.price) > Shop.sales.min(\.price)), 1)
        }
    }

    @Test("sums and replacements of NULL keep the format")
    func sums() throws {
        try withSales { db in
            expectEqual(try count(db, Shop.sales.sum(\.price) + 1 > 6.4), 1)
            expectEqual(try count(db, Shop.sales.sum(\.price) + 1 > 6.5), 0)
            expectEqual(try count(db, 6 - Shop.sales.sum(\.price) == 0.5), 1)
            expectEqual(try count(db, -Shop.sales.max(\.price) < -2.5), 1)
            expectEqual(try count(db, abs(-Shop.sales.max(\.price)) == 3), 1)
            expectEqual(try count(db, Shop.sales.max(\.price) - Shop.sales.min(\.price) == 0.5), 1)
            expectEqual(try count(db, (Shop.sales.max(\.price) ?? 0) < 4.0), 1)
            try Sale.deleteAll(db)
            expectEqual(try count(db, (Shop.sales.max(\.price) ?? 5) == 5), 1)
        }
    }

    private func expectMisuse(_ db: Database, _ aggregate: AssociationAggregate<Shop>) {
        expectFailure(.SQLITE_MISUSE) { _ = try count(db, aggregate) }
    }

    @Test("what the format can't carry throws")
    func misuse() throws {
        try withSales { db in
            expectMisuse(db, Shop.sales.sum(\.price) * 2 > 10)
            expectMisuse(db, Shop.sales.sum(\.price) / 2 > 1)
            expectMisuse(db, 1 + Shop.sales.max(\.at) > 1)
            expectMisuse(db, Shop.sales.sum(\.price) + 0.004 > 1)
            expectMisuse(db, Shop.sales.sum(\.price) + Shop.sales.count > 1)
            expectMisuse(db, Shop.sales.max(\.price) == Shop.sales.max(\.tax))
            expectMisuse(db, Shop.sales.max(\.price) == "3")
            expectMisuse(db, Shop.sales.max(\.at) > Shop.sales.max(\.price))
        }
    }

    @Test("sums and products of decimals are exact", .enabled(if: SQLiteBuild.hasDecimals))
    func decimalSums() throws {
        try withSales { db in
            expectEqual(try count(db, Shop.sales.sum(\.tax) == Decimal(19.75)), 1)
            expectEqual(try count(db, Shop.sales.sum(\.tax) * 2 == 39.5), 1)
            expectEqual(try count(db, Shop.sales.max(\.tax) - 0.25 == 10), 1)
            expectEqual(try count(db, (Shop.sales.max(\.tax) ?? 0) == Decimal(10.25)), 1)
            let row = try Row.fetchOne(db, Shop.annotated(with: Shop.sales.sum(\.tax)))
            expectEqual(row?["saleTaxSum"], "19.75")
            try Sale.deleteAll(db)
            expectEqual(try count(db, Shop.sales.sum(\.tax) == nil), 1)
            expectEqual(try count(db, (Shop.sales.max(\.tax) ?? 0) == 0), 1)
        }
    }

    @Test("decimals", .enabled(if: SQLiteBuild.hasDecimals))
    func decimals() throws {
        try withSales { db in
            expectEqual(try count(db, Shop.sales.max(\.tax) > 10), 1)
            expectEqual(try count(db, Shop.sales.max(\.tax) == Decimal(10.25)), 1)
            expectEqual(try count(db, Shop.sales.min(\.tax) > 9.75), 0)
            let row = try Row.fetchOne(db, Shop.annotated(with: Shop.sales.max(\.tax)))
            expectEqual(row?["maxSaleTax"], "10.25")
        }
    }
}
#endif
