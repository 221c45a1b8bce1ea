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
