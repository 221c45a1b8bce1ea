import Amalgam
import AmalgamCore
import Foundation
import TestSupport
import Testing

/// The sum of integers. Certain values, such as 1000, make one of its methods fail.
private struct Sum: DatabaseWindowAggregate {
    static let alive = LiveCounter()

    private let token = Token(alive)
    private var sum = 0
    private var count = 0

    init() {}

    private func integer(_ dbValues: [DatabaseValue]) -> Int { Int.fromDatabaseValue(dbValues[0]) ?? 0 }

    mutating func step(_ dbValues: [DatabaseValue]) throws {
        if integer(dbValues) == 1000 { throw Failure(number: 1) }
        sum += integer(dbValues)
        count += 1
    }

    mutating func inverse(_ dbValues: [DatabaseValue]) throws {
        if integer(dbValues) == 2000 { throw Failure(number: 2) }
        sum -= integer(dbValues)
        count -= 1
    }

    func value() throws -> (any DatabaseValueConvertible)? {
        if sum >= 3000 { throw Failure(number: 3) }
        return count == 0 ? nil : sum
    }
}

@Suite(.serialized)
struct DatabaseWindowAggregateTests {
    private func run(_ test: (Database) throws -> Void) throws {
        try DatabaseKind.memory.run { db throws in
            db.add(function: DatabaseFunction("mySum", argumentCount: 1, pure: true, aggregate: Sum.self))
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, x)")
            try db.execute(sql: "INSERT INTO t (x) VALUES (1), (2), (3), (4), (5), (6)")
            try test(db)
        }
        #expect(Sum.alive.value == 0)
    }

    /// Every frame returns the same result as SQLite's own sum.
    @Test(arguments: [
        "ORDER BY id", "ORDER BY id DESC", "PARTITION BY x % 2", "PARTITION BY x % 2 ORDER BY id",
        "ORDER BY id ROWS 1 PRECEDING", "ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
        "ORDER BY id ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING",
        "ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", "ORDER BY x / 2 GROUPS 1 PRECEDING",
        "ORDER BY x RANGE BETWEEN 2 PRECEDING AND 1 PRECEDING",
        "ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW",
        "PARTITION BY x % 2 ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING", "",
    ])
    func windows(_ window: String) throws {
        try run { db throws in
            func sums(_ function: String) throws -> [Int?] {
                try Int?.fetchAll(db, sql: "SELECT \(function)(x) OVER (\(window)) FROM t ORDER BY id")
            }
            #expect(try sums("mySum") == sums("sum"))
            #expect(try sums("mySum").count == 6)
        }
    }

    @Test func movingSum() throws {
        try run { db throws in
            let sql = "SELECT mySum(x) OVER (ORDER BY id ROWS 2 PRECEDING) FROM t"
            #expect(try Int.fetchAll(db, sql: sql) == [1, 3, 6, 9, 12, 15])
        }
    }

    @Test func asAnAggregate() throws {
        try run { db throws in
            #expect(try Int.fetchOne(db, sql: "SELECT mySum(x) FROM t") == 21)
            #expect(try Int.fetchAll(db, sql: "SELECT mySum(x) FROM t GROUP BY x % 2") == [12, 9])
            #expect(try DatabaseValue.fetchOne(db, sql: "SELECT mySum(x) FROM t WHERE 0") == .null)
            #expect(try Int.fetchOne(db, sql: "SELECT mySum(x) FILTER (WHERE x > 4) FROM t") == 11)
        }
    }

    @Test func emptyWindows() throws {
        try run { db throws in
            let sql = "SELECT mySum(x) OVER (ORDER BY id ROWS BETWEEN 9 FOLLOWING AND 10 FOLLOWING) FROM t"
            #expect(try Int?.fetchAll(db, sql: sql) == [nil, nil, nil, nil, nil, nil])
        }
    }

    @Test(arguments: [(1000, 1), (2000, 2), (3000, 3)])
    func errors(_ x: Int, number: Int) throws {
        try run { db throws in
            try db.execute(sql: "UPDATE t SET x = ? WHERE id = 3", arguments: [x])
            let sql = "SELECT mySum(x) OVER (ORDER BY id ROWS 1 PRECEDING) FROM t"
            expectError(.SQLITE_ERROR, "Failure(number: \(number))", sql: sql) { try db.execute(sql: sql) }
            #expect(Sum.alive.value == 0)
        }
    }

    @Test func resetHalfWay() throws {
        try run { db throws in
            let sql = "SELECT mySum(x) OVER (ORDER BY id ROWS 1 PRECEDING) FROM t"
            let cursor = try Int.fetchCursor(db, sql: sql)
            #expect(try cursor.next() == 1)
            #expect(try cursor.next() == 3)
        }
    }
}
