#if Macros
import Amalgam
import Foundation
import TestSupport
import Testing

/// Seconds as TEXT, with the smallest unit first: 210 is "10/2".
private struct Reversed: DatabaseRepresentation {
    func databaseValue(of date: Date) -> DatabaseValue {
        let seconds = Int(date.timeIntervalSince1970)
        return "\(seconds % 100)/\(seconds / 100)".databaseValue
    }

    func value(from databaseValue: DatabaseValue) -> Date? {
        let parts = String.fromDatabaseValue(databaseValue)?.split(separator: "/").compactMap { Double($0) } ?? []
        return parts.count == 2 ? Date(timeIntervalSince1970: parts[1] * 100 + parts[0]) : nil
    }
}

/// Digits with zeros in front of them: the order of positive numbers, and not that of negative ones.
private struct Digits: DatabaseRepresentation {
    func databaseValue(of number: Int) -> DatabaseValue {
        let digits = String(number.magnitude)
        return ((number < 0 ? "-" : "") + String(repeating: "0", count: 9 - digits.count) + digits).databaseValue
    }

    func value(from databaseValue: DatabaseValue) -> Int? {
        String.fromDatabaseValue(databaseValue).flatMap { Int($0) }
    }
}

/// Seconds since 1970 that aren't negative: the conversion of other dates would end the process.
private struct Unsigned: DatabaseRepresentation {
    func databaseValue(of date: Date) -> DatabaseValue { UInt32(date.timeIntervalSince1970).databaseValue }

    func value(from databaseValue: DatabaseValue) -> Date? {
        UInt32.fromDatabaseValue(databaseValue).map { Date(timeIntervalSince1970: Double($0)) }
    }
}

private struct YesNo: DatabaseRepresentation {
    func databaseValue(of isTrue: Bool) -> DatabaseValue { (isTrue ? "yes" : "no").databaseValue }

    func value(from databaseValue: DatabaseValue) -> Bool? {
        String.fromDatabaseValue(databaseValue).map { $0 == "yes" }
    }
}

private struct Inverted: DatabaseRepresentation {
    func databaseValue(of isTrue: Bool) -> DatabaseValue { (isTrue ? 0 : 1).databaseValue }

    func value(from databaseValue: DatabaseValue) -> Bool? { Int.fromDatabaseValue(databaseValue).map { $0 == 0 } }
}

@Record("cell")
private struct Cell {
    @Key var id: Int64
    @Column(as: .jsonb) var real: Double
    @Column(as: .jsonb) var integer: Int
    @Column(as: .json) var date: Date
    @Column(as: .jsonb) var dateBytes: Date
    @Column(as: .jsonb) var decimal: Decimal
    @Column(as: Reversed()) var reversed: Date
    @Column(as: Digits()) var digits: Int
    @Column(as: Unsigned()) var unsigned: Date

    init(id: Int64, seconds: Double) {
        let date = Date(timeIntervalSince1970: seconds)
        self.id = id
        (real, integer, decimal, digits) = (seconds, Int(seconds), Decimal(seconds), Int(seconds))
        (self.date, dateBytes, reversed, unsigned) = (date, date, date, date)
    }
}

private typealias Price = Decimal

@Record("answer")
private struct Answer {
    @Key var id: Int64
    @Column(as: .json) var json: Bool
    @Column(as: .jsonb) var jsonb: Bool
    @Column(as: YesNo()) var word: Bool?
    @Column(as: Inverted()) var inverted: Bool
    @Column(as: .json) var price: Price = 1
}

@Record("day")
private struct Day {
    @Key var id: Int64
    var at: Date

    static let format: DateFormatter = {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "dd.MM.yyyy"
        return format
    }()

    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .formatted(format) }
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { .formatted(format) }
}

@Suite("The order and the truth of stored values")
struct StoredOrderTests {
    private func withCells<T>(_ body: (Database) throws -> T) throws -> T {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE cell (id INTEGER PRIMARY KEY, real, integer, date, dateBytes, decimal, reversed,
                    digits, unsigned);
                    CREATE TABLE answer (id INTEGER PRIMARY KEY, json, jsonb, word, inverted, price)
                    """)
            for (id, seconds) in [0.25, 2.5, 10, 250, 1e8].enumerated() {
                try Cell(id: Int64(id), seconds: seconds).insert(db)
            }
            for (id, isTrue) in [true, true, false].enumerated() {
                try Answer(id: Int64(id), json: isTrue, jsonb: isTrue, word: isTrue, inverted: isTrue).insert(db)
            }
            return try body(db)
        }
    }

    private func expectMisuse(_ db: Database, _ request: QueryInterfaceRequest<Cell>) {
        expectFailure(.SQLITE_MISUSE) { _ = try request.fetchAll(db) }
    }

    @Test("conditions and orders of values that SQL sorts differently throw")
    func differentOrder() throws {
        try withCells { db in
            let date = Date(timeIntervalSince1970: 9)
            expectMisuse(db, Cell.filter { $0.real > 1 })
            expectMisuse(db, Cell.filter { $0.integer < -5 })
            expectMisuse(db, Cell.filter { $0.date > date })
            expectMisuse(db, Cell.filter { $0.dateBytes > date })
            expectMisuse(db, Cell.filter { $0.decimal > 1 })
            expectMisuse(db, Cell.filter { $0.reversed < date })
            expectMisuse(db, Cell.filter { $0.digits < -5 })
            expectMisuse(db, Cell.filter { (date...date).contains($0.date) })
            expectMisuse(db, Cell.filter { (0...3).contains($0.real) })
            expectMisuse(db, Cell.order(\.date))
            expectMisuse(db, Cell.order(\.dateBytes))
            expectMisuse(db, Cell.order(\.real))
            expectMisuse(db, Cell.order(\.reversed))
            expectFailure(.SQLITE_MISUSE) { _ = try Row.fetchAll(db, Cell.select { max($0.real) }) }
            expectFailure(.SQLITE_MISUSE) { try Cell.filter { $0.integer < -5 }.deleteAll(db) }
            expectEqual(try Cell.fetchCount(db), 5)
            expectEqual(try Cell.filter { [2.5, 10].contains($0.real) && $0.date != date }.fetchCount(db), 2)
        }
    }

    @Test("numbers in proportion are sorted, and a format isn't asked for negative ones")
    func unsigned() throws {
        try withCells { db in
            let date = Date(timeIntervalSince1970: 9)
            expectEqual(try Cell.filter { $0.unsigned > date }.order(\.unsigned).fetchAll(db).map(\.id), [2, 3, 4])
        }
    }

    @Test("dates as TEXT that begins with the day aren't sorted")
    func formattedDates() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE day (id INTEGER PRIMARY KEY, at TEXT)")
            let date = Date(timeIntervalSince1970: 86_400 * 40)
            try Day(id: 1, at: date).insert(db)
            expectEqual(try Day.filter { $0.at == date }.fetchCount(db), 1)
            expectFailure(.SQLITE_MISUSE) { _ = try Day.filter { $0.at > date }.fetchCount(db) }
            expectFailure(.SQLITE_MISUSE) { _ = try Day.order(\.at).fetchAll(db) }
        }
    }

    @Test("a condition compares a Boolean with the stored form of true")
    func truth() throws {
        try withCells { db in
            expectEqual(try Answer.filter { $0.json }.fetchCount(db), 2)
            expectEqual(try Answer.filter { !$0.jsonb }.fetchCount(db), 1)
            expectEqual(try Answer.filter { $0.word }.fetchCount(db), 2)
            expectEqual(try Answer.filter { !$0.word }.fetchCount(db), 1)
            expectEqual(try Answer.filter { $0.inverted && $0.json }.fetchCount(db), 2)
            expectEqual(try Answer.filter { $0.id == 9 || $0.inverted }.fetchCount(db), 2)
            expectEqual(try Int.fetchOne(db, Answer.select { count(filter: $0.word) }), 2)
            expectEqual(try Int.fetchAll(db, Answer.select { iif($0.word, then: 1, else: 0) }), [1, 1, 0])
            expectEqual(try Answer.filter { !$0.inverted }.deleteAll(db), 1)
            expectEqual(try Answer.fetchAll(db).map(\.id), [0, 1])
            expectFailure(.SQLITE_MISUSE) { _ = try Answer.order(\.inverted).fetchAll(db) }
            let statement = try Answer.filter { $0.word }.select(\.id).makePreparedRequest(db).statement
            expectEqual(statement.sql, #"SELECT "id" FROM "answer" WHERE "word" = ?"#)
        }
    }

    @Test("a number as a condition is true unless it is 0")
    func numbersAsConditions() throws {
        try withCells { db in
            let ids = Cell.select(\.id).group(\.id)
            expectEqual(try Int64.fetchAll(db, ids.having { $0.digits }).sorted(), [1, 2, 3, 4])
            let statement = try ids.having { $0.digits }.makePreparedRequest(db).statement
            expectEqual(statement.sql, #"SELECT "id" FROM "cell" GROUP BY "id" HAVING "digits""#)
        }
    }

    @Test("decimals as JSON aren't added, where the compiler doesn't know of the representation")
    func decimals() throws {
        try withCells { db in
            expectFailure(.SQLITE_MISUSE) { _ = try Answer.filter { $0.price + 1 > 1 }.fetchCount(db) }
            expectFailure(.SQLITE_MISUSE) { _ = try Row.fetchAll(db, Answer.select { sum($0.price) }) }
            expectFailure(.SQLITE_MISUSE) { try Answer.updateAll(db) { $0.price += 1 } }
        }
    }
}
#endif
