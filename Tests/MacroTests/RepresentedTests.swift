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

private struct Tenths: DatabaseRepresentation {
    func databaseValue(of price: Double) -> DatabaseValue { Int64((price * 10).rounded()).databaseValue }

    func value(from databaseValue: DatabaseValue) -> Double? {
        Int64.fromDatabaseValue(databaseValue).map { Double($0) / 10 }
    }
}

private typealias Price = Double

@Record("item")
private struct Item: Equatable {
    @Key var id: Int64?
    @Column(as: Cents()) var price: Double
    @Column(as: Cents()) var discount: Double?
    @Column(as: Cents()) var cost: Price = 1
}

@Suite("Numbers with a representation")
struct RepresentedTests {
    private func withItem<T>(_ body: (Database) throws -> T) throws -> T {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, price INT NOT NULL, discount INT, cost INT)")
            var item = Item(price: 2.5)
            try item.insert(db)
            return try body(db)
        }
    }

    private func sql(_ db: Database, _ request: some FetchRequest) throws -> String {
        let statement = try request.makePreparedRequest(db, forSingleResult: false).statement
        return "\(statement.sql) \(statement.arguments)"
    }

    @Test("the stored numbers are compared, assigned and added")
    func operators() throws {
        try withItem { db in
            let ids = Item.select(\.id)
            expectEqual(
                try sql(db, ids.filter { $0.price > 2 && $0.price != 10 && $0.discount == nil }),
                """
                SELECT "id" FROM "item" WHERE ("price" > ?) AND ("price" <> ?) AND ("discount" IS NULL) [200, 1000]
                """)
            expectEqual(try Item.filter { $0.price == 2.5 && [2.5].contains($0.price) }.fetchCount(db), 1)
            expectEqual(
                try Item.filter { (2.5...2.6).contains($0.price) && (2..<2.5).contains($0.price) }.fetchCount(db), 0)
            expectEqual(try Item.filter { ($0.discount ?? 2.5) == 2.5 }.fetchCount(db), 1)
            expectEqual(try Item.filter { $0.price + 1 > 3.4 && $0.price - 1 < 1.6 }.fetchCount(db), 1)
            expectEqual(try Item.filter { $0.price + 1 > 3.6 }.fetchCount(db), 0)
            // 2.504 is stored as 250, and no stored price is between.
            expectEqual(try Item.filter { $0.price < 2.504 }.fetchCount(db), 1)
            try Item.updateAll(db) { [$0.price += 1, $0.discount.set(to: 0.5)] }
            expectEqual(try Item.fetchAll(db), [Item(id: 1, price: 3.5, discount: 0.5)])
            try Item.updateAll(db) { [$0.price -= 2, $0.discount.set(to: nil)] }
            expectEqual(try Row.fetchOne(db, sql: "SELECT price, discount FROM item"), ["price": 150, "discount": nil])
        }
    }

    @Test("sums, the smallest and the largest number have the representation")
    func aggregates() throws {
        try withItem { db in
            let groups = Item.select(\.id).group(\.id)
            expectEqual(
                try sql(db, groups.having { sum($0.price) > 2.4 && max($0.price) >= 2.5 && min($0.discount) == nil }),
                """
                SELECT "id" FROM "item" GROUP BY "id" HAVING (SUM("price") > ?) AND (MAX("price") >= ?) \
                AND (MIN("discount") IS NULL) [240, 250]
                """)
            let row = try #require(try Row.fetchOne(db, Item.all()))
            expectEqual(row[Item.Columns.price], 2.5)
            expectEqual(row[Item.Columns.discount], nil)
            expectEqual(try row.decode(forColumn: Item.Columns.price), 2.5)
        }
    }

    private func expectMisuse(_ db: Database, _ request: QueryInterfaceRequest<Item>) {
        expectFailure(.SQLITE_MISUSE) { _ = try request.fetchCount(db) }
    }

    @Test("where the compiler doesn't know of the representation, joined numbers are added as by the operator")
    func joinedNumbers() throws {
        func total(_ sum: SQLExpression, _ numbers: any SQLExpressible...) -> SQLExpression {
            ([sum] + numbers).joined(operator: .add)
        }
        try withItem { db in
            let ids = Item.select(\.id)
            expectEqual(
                try sql(db, ids.filter { total($0.cost + 1, 2, 3) > 6.5 }),
                try sql(db, ids.filter { $0.cost + 1 + 2 + 3 > 6.5 }))
            expectEqual(try Item.filter { total($0.cost + 1, 2) > 3.9 }.fetchCount(db), 1)
            expectEqual(try Item.filter { total($0.cost + 1, 2) > 4 }.fetchCount(db), 0)
            // An expression in SQL isn't a price.
            expectMisuse(db, Item.filter { total($0.cost + 1, 2.sqlExpression) > 3.9 })
        }
    }

    @Test("a number that the representation rounds isn't added in a condition")
    func roundedAddends() throws {
        try withItem { db in
            try Item.updateAll(db) { [$0.price.set(to: 0), $0.cost.set(to: 0)] }
            expectFailure(
                .SQLITE_MISUSE,
                """
                The column 'price' stores its numbers in a format that rounds the other operand. Round it in Swift, or \
                compute with the stored numbers: Column("price").
                """
            ) { _ = try Item.filter { $0.price + 0.004 > 0 }.fetchCount(db) }
            expectMisuse(db, Item.filter { 0.004 - $0.price <= 0 })
            expectMisuse(db, Item.filter { $0.discount - 0.004 < 0 })
            expectMisuse(db, Item.filter { $0.cost + 0.004 > 0 })
            expectMisuse(db, Item.filter { 0.004 + $0.cost > 0 })
            // The sum of these numbers is 0.30000000000000004.
            let sum = [0.1, 0.2].reduce(0, +)
            expectEqual(try Item.filter { $0.price + sum > 0.29 && $0.cost + sum < 0.31 }.fetchCount(db), 1)
            // An assigned number is rounded, as that of an inserted record.
            try Item.updateAll(db) { [$0.price += 1.004, $0.cost -= 1.004] }
            expectEqual(try Row.fetchOne(db, sql: "SELECT price, cost FROM item"), ["price": 100, "cost": -100])
        }
    }

    @Test("the columns of two representations aren't added")
    func twoRepresentations() throws {
        let price = TypedColumn<Represented<Double>>("price", as: Cents())
        let tax = TypedColumn<Represented<Double>>("tax", as: Tenths())
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE item (price INT, tax INT)")
            for condition in [price + tax > 1, tax - price == 1] {
                expectFailure(.SQLITE_MISUSE) { _ = try Table("item").filter(condition).fetchCount(db) }
            }
        }
    }

    @Test("where the compiler doesn't know of the representation, products are errors of the statement")
    func aliases() throws {
        try withItem { db in
            expectFailure(
                .SQLITE_MISUSE,
                """
                The column 'cost' stores its numbers in a format of its own, with which SQL can't compute. Compute in \
                Swift, or with the stored numbers: Column("cost").
                """
            ) { _ = try Item.updateAll(db) { $0.cost *= 2 } }
            expectFailure(.SQLITE_MISUSE) { _ = try Item.filter { $0.cost / 2 > 1 }.fetchCount(db) }
            try Item.updateAll(db) { $0.cost += 1.5 }
            expectEqual(try Item.filter { $0.cost + 1 == 3.5 && $0.cost == 2.5 }.fetchCount(db), 1)
            expectEqual(try Item.filter { $0.price.untyped * 2 > 400 }.fetchCount(db), 1)
        }
    }
}
#endif
