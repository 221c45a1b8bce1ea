import Amalgam
import Foundation
import TestSupport
import Testing

private enum Columns {
    static let price = TypedColumn<Decimal>("price")
    static let tax = TypedColumn<Decimal?>("tax")
}

@Suite("Typed columns of decimals", .enabled(if: SQLiteBuild.hasDecimals, "this SQLite has no decimal.c"))
struct TypedDecimalTests {
    private let price = Columns.price
    private let tax = Columns.tax

    private func withTable<T>(_ prices: [String], _ body: (Database) throws -> T) throws -> T {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE item (price TEXT NOT NULL, tax TEXT)")
            for price in prices { try db.execute(sql: "INSERT INTO item VALUES (?, NULL)", arguments: [price]) }
            return try body(db)
        }
    }

    private func decimal(_ text: String) -> Decimal { Decimal(string: text)! }

    private func prices(_ db: Database, _ condition: SQLExpression) throws -> [String] {
        try Table("item").filter(condition).order(price).select(Column("price"), as: String.self).fetchAll(db)
    }

    @Test("decimals are compared and sorted as numbers")
    func order() throws {
        try withTable(["9.5", "10.25", "100", "-3", "12345678901234567.89", "12345678901234567.9"]) { db in
            expectEqual(
                try prices(db, price > 5), ["9.5", "10.25", "100", "12345678901234567.89", "12345678901234567.9"])
            expectEqual(try prices(db, price > decimal("12345678901234567.89")), ["12345678901234567.9"])
            expectEqual(try prices(db, (-3...9.5).contains(price)), ["-3", "9.5"])
            expectEqual(try prices(db, 10 >= price), ["-3", "9.5"])
            let largest = try Row.fetchOne(db, Table("item").select(max(price).forKey("tax")))
            expectEqual(largest?[tax], decimal("12345678901234567.9"))
            let smallest = try Row.fetchOne(db, Table("item").select(min(price).forKey("tax")))
            expectEqual(smallest?[tax], -3)
        }
    }

    @Test("windows of decimals")
    func windows() throws {
        try withTable(["9.5", "10.25", "100"]) { db in
            try db.execute(sql: "UPDATE item SET tax = price < '5'")
            let sums = Table("item").select(sum(price).over(partitionBy: Column("tax")).forKey("tax")).order(price)
            expectEqual(try Row.fetchAll(db, sums).map { $0[tax] }, [9.5, 110.25, 110.25])
            for (window, expected) in [(max(price).over(), "100"), (min(price).over(orderBy: price.desc), "9.5")] {
                let row = try Row.fetchOne(db, Table("item").select(window.forKey("tax")).order(price))
                expectEqual(row?[tax], decimal(expected))
            }
        }
    }

    @Test("an interpolated column is a name")
    func interpolation() throws {
        try withTable(["9.5"]) { db in
            try db.execute(literal: "UPDATE item SET \(price) = \(decimal("10.25")), \(tax) = 1")
            try db.execute(literal: "INSERT INTO item (\(price), \(tax)) VALUES (1, 2)")
            try db.execute(literal: "CREATE INDEX byPrice ON item (\(price))")
            let sql = "SELECT sql FROM sqlite_schema WHERE name = 'byPrice'"
            expectEqual(try String.fetchOne(db, sql: sql), "CREATE INDEX byPrice ON item (\"price\")")
            expectEqual(
                try SQLRequest<String>(literal: "SELECT \(price) FROM item ORDER BY rowid").fetchAll(db),
                ["10.25", "1"])
            expectEqual(try SQL("\(price + 1)").build(db).sql, "decimal_add(\"price\", ?)")
        }
    }

    @Test("the SQL of comparisons, functions and assignments")
    func sql() throws {
        try withTable([]) { db in
            let request = Table("item").filter(price * 2 > 10 && price + 1 != price - 1 && -price == 3).order(
                price.desc)
            let statement = try request.makePreparedRequest(db).statement
            expectEqual(
                statement.sql,
                """
                SELECT * FROM "item" WHERE (decimal_mul("price", ?) > ? COLLATE decimal) \
                AND (decimal_add("price", ?) <> decimal_sub("price", ?) COLLATE decimal) \
                AND (decimal_sub(?, "price") = ? COLLATE decimal) ORDER BY "price" COLLATE decimal DESC
                """)
            expectEqual(statement.arguments, ["2", "10", "1", "1", "0", "3"])
        }
    }

    @Test("equal decimals are equal, however they are written")
    func equality() throws {
        try withTable(["10.5", "10.50", "010.5", "10.51"]) { db in
            expectEqual(try prices(db, price == decimal("10.5")).count, 3)
            expectEqual(try prices(db, price != decimal("10.5")), ["10.51"])
            expectEqual(try prices(db, [decimal("10.5"), 3].contains(price)).count, 3)
            expectEqual(try Int.fetchOne(db, Table("item").select(count(distinct: price))), 2)
        }
    }

    @Test("sums and assignments are exact")
    func sums() throws {
        try withTable(["0.1", "0.2", "12345678901234567.89"]) { db in
            let row = try Row.fetchOne(db, Table("item").select(sum(price).forKey("tax"), sum(tax).forKey("none")))
            expectEqual(row?["tax"], "12345678901234568.19")
            expectEqual(row?["none"], DatabaseValue.null)
            let request = Table("item").select(Column("price")).group(Column("price")).having(sum(price) > 1)
            expectEqual(try String.fetchAll(db, request), ["12345678901234567.89"])
            try Table("item").updateAll(db, [price += decimal("0.01"), tax.set(to: 2)])
            expectEqual(try prices(db, price == decimal("12345678901234567.9")).count, 1)
            try Table("item").filter(price < 1).updateAll(db, [price *= 2, tax -= 0.5])
            expectEqual(try prices(db, price < 1).map(decimal), [decimal("0.22"), decimal("0.42")])
            expectEqual(try Int.fetchOne(db, Table("item").filter(tax == 1.5).select(count())), 2)
        }
    }

    @Test("a computation with NULL is NULL")
    func null() throws {
        try withTable(["1.5"]) { db in
            for result in [tax + 1, 1 + tax, tax - 1, 1 - tax, tax * 2, -tax] {
                expectEqual(try Decimal?.fetchAll(db, Table("item").select(result)), [nil])
            }
            try Table("item").updateAll(db, [tax += 1])
            for function in ["add(NULL, '1')", "add('1', NULL)", "sub(NULL, '1')", "sub('1', NULL)", "pow2(NULL)"] {
                expectEqual(try DatabaseValue.fetchOne(db, sql: "SELECT decimal_\(function)"), .null)
            }
            expectFailure(.SQLITE_ERROR) { try db.execute(sql: "SELECT decimal_pow2(30000)") }
            expectEqual(try String.fetchOne(db, sql: "SELECT decimal_pow2(3)"), "+8.0e+00")
            #expect(db.isInsideTransaction)
        }
    }

    @Test("sums, differences and products of random decimals are those of Swift", arguments: seeds(40))
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let values = (0..<8).map { _ in
            Decimal(
                sign: .plus, exponent: Int.random(in: -8...4, using: &generator),
                significand: Decimal(Int64.random(in: -1_000_000_000...1_000_000_000, using: &generator)))
        }
        try withTable(values.map(\.description)) { db in
            let x = values[0]
            let expected: [(TypedColumn<Decimal>, (Decimal) -> Decimal)] = [
                (price + x, { $0 + x }), (price - x, { $0 - x }), (price * x, { $0 * x }), (-price, { -$0 }),
                (price + price, { $0 + $0 }),
            ]
            for (expression, result) in expected {
                let found = try Decimal.fetchAll(db, Table("item").select(expression).order(Column("rowid")))
                #expect(found == values.map(result), "seed \(seed)")
            }
            let total = try Decimal.fetchOne(db, Table("item").select(sum(price)))
            #expect(total == values.reduce(0, +), "seed \(seed)")
            let sorted = try Decimal.fetchAll(db, Table("item").select(Column("price")).order(price))
            #expect(sorted == values.sorted(), "seed \(seed)")
        }
    }
}

@Suite("Decimals without the extension", .enabled(if: !SQLiteBuild.hasDecimals))
struct MissingDecimalsTests {
    @Test("equality works, and the error of other operations says what to do")
    func missing() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE item (price TEXT); INSERT INTO item VALUES ('10.5')")
            expectEqual(try Table("item").filter(Columns.price == 10.5).fetchCount(db), 1)
            let error = expectFailure(.SQLITE_ERROR) { _ = try Table("item").filter(Columns.price > 5).fetchCount(db) }
            #expect(error?.message?.contains("scripts/bootstrap") == true)
            expectFailure(.SQLITE_ERROR) { _ = try Table("item").select(sum(Columns.price)).fetchCount(db) }
        }
    }
}
