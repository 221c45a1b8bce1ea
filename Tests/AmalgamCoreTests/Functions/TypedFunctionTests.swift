import Amalgam
import AmalgamCore
import Foundation
import TestSupport
import Testing

struct TypedFunctionTests {
    enum Level: Int, DatabaseValueConvertible { case low, high }

    @Test func numbersOfArguments() throws {
        try DatabaseKind.memory.run { db throws in
            db.add(function: DatabaseFunction("f0") { "none" })
            db.add(function: DatabaseFunction("f1") { (a: Int) in a })
            db.add(function: DatabaseFunction("f2") { (a: Int, b: String) in "\(a)\(b)" })
            db.add(function: DatabaseFunction("f3") { (a: Int, b: String, c: Double) in "\(a)\(b)\(c)" })
            db.add(function: DatabaseFunction("f4") { (a: Int, b: String, c: Double, d: Bool) in "\(a)\(b)\(c)\(d)" })
            db.add(
                function: DatabaseFunction("f5") { (a: Int, b: Int, c: Int, d: Int, e: Int?) in
                    [a, b, c, d, e ?? 0].reduce(0, +)
                })
            let sql = "SELECT f0(), f1(1), f2(1, 'b'), f3(1, 'b', 2.5), f4(1, 'b', 2, 1), f5(1, 2, 3, 4, NULL)"
            let row = try Row.fetchOne(db, sql: sql)
            #expect(
                row?.databaseValues.map(\.description) == [
                    "\"none\"", "1", "\"1b\"", "\"1b2.5\"", "\"1b2.0true\"", "10",
                ])
            expectError(.SQLITE_ERROR, "wrong number of arguments to function f2()", sql: "SELECT f2(1)") {
                try db.execute(sql: "SELECT f2(1)")
            }
        }
    }

    @Test func types() throws {
        try DatabaseKind.memory.run { db throws in
            db.add(function: DatabaseFunction("i8") { (x: Int8) in x })
            db.add(function: DatabaseFunction("real") { (x: Double) in x / 2 })
            db.add(function: DatabaseFunction("float") { (x: Float) in x })
            db.add(function: DatabaseFunction("bool") { (x: Bool) in !x })
            db.add(function: DatabaseFunction("text") { (x: String) in x.uppercased() })
            db.add(function: DatabaseFunction("blob") { (x: Data) in Data(x.reversed()) })
            db.add(function: DatabaseFunction("value") { (x: DatabaseValue) in x.description })
            db.add(function: DatabaseFunction("level") { (x: Level) in x == .low ? Level.high : .low })
            db.add(function: DatabaseFunction("date") { (x: Date) in x.addingTimeInterval(60) })
            #expect(try Int.fetchOne(db, sql: "SELECT i8(127)") == 127)
            #expect(try Int.fetchOne(db, sql: "SELECT i8(1.9)") == 1)
            #expect(try Double.fetchOne(db, sql: "SELECT real(1)") == 0.5)
            #expect(try Double.fetchOne(db, sql: "SELECT real(0.5)") == 0.25)
            #expect(try Double.fetchOne(db, sql: "SELECT float(0.5)") == 0.5)
            #expect(try Int.fetchOne(db, sql: "SELECT bool(0)") == 1)
            #expect(try Int.fetchOne(db, sql: "SELECT bool(0.5)") == 0)
            #expect(try String.fetchOne(db, sql: "SELECT text('é')") == "É")
            #expect(try Data.fetchOne(db, sql: "SELECT blob(x'0102')") == Data([2, 1]))
            #expect(try Data.fetchOne(db, sql: "SELECT blob('ab')") == Data("ba".utf8))
            #expect(try String.fetchAll(db, sql: "VALUES (value(NULL)), (value(x'00'))") == ["NULL", "Data(1 bytes)"])
            #expect(try Int.fetchOne(db, sql: "SELECT level(0)") == 1)
            #expect(try String.fetchOne(db, sql: "SELECT date('2026-01-01 10:00')") == "2026-01-01 10:01:00.000")
        }
    }

    /// The storage format doesn't matter: a real column that stores an integer is a real.
    @Test func packedReals() throws {
        try DatabaseKind.memory.run { db throws in
            try db.execute(sql: "CREATE TABLE t (a REAL); INSERT INTO t VALUES (3)")
            db.add(function: DatabaseFunction("type") { (x: DatabaseValue) in x.description })
            db.add(function: DatabaseFunction("real") { (x: Double) in x })
            db.add(function: DatabaseFunction("int") { (x: Int) in x })
            #expect(try String.fetchOne(db, sql: "SELECT type(a) FROM t") == "3.0")
            #expect(try Double.fetchOne(db, sql: "SELECT real(a) FROM t") == 3)
            #expect(try Int.fetchOne(db, sql: "SELECT int(a) FROM t") == 3)
        }
    }

    @Test func nullMakesNull() throws {
        try DatabaseKind.memory.run { db throws in
            let counter = CallCounter()
            db.add(
                function: DatabaseFunction("plus") { (a: Int, b: Int) in
                    counter.increment()
                    return a + b
                })
            #expect(try DatabaseValue.fetchAll(db, sql: "VALUES (plus(1, NULL)), (plus(NULL, 1))") == [.null, .null])
            #expect(counter.value == 0)
            db.add(function: DatabaseFunction("first") { (a: Int, b: Int, c: Int, d: Int) in a + b + c + d })
            #expect(try DatabaseValue.fetchOne(db, sql: "SELECT first(1, 2, NULL, 4)") == .null)
        }
    }

    @Test func optionals() throws {
        try DatabaseKind.memory.run { db throws in
            db.add(function: DatabaseFunction("name") { (name: String?) in name ?? "nobody" })
            db.add(function: DatabaseFunction("half") { (x: Int) in x % 2 == 0 ? x / 2 : nil })
            #expect(try String.fetchAll(db, sql: "VALUES (name(NULL)), (name('Bo'))") == ["nobody", "Bo"])
            #expect(try Int?.fetchAll(db, sql: "VALUES (half(4)), (half(5))") == [2, nil])
        }
    }

    @Test func wrongTypes() throws {
        try DatabaseKind.memory.run { db throws in
            db.add(function: DatabaseFunction("i8") { (x: Int8) in x })
            db.add(function: DatabaseFunction("maybe") { (x: Int?) in x })
            db.add(function: DatabaseFunction("four") { (a: Int, b: Int, c: Int, d: String) in d })
            func expectMismatch(_ sql: String, _ message: String) {
                expectError(.SQLITE_MISMATCH, message, sql: sql) { try db.execute(sql: sql) }
            }
            expectMismatch("SELECT i8('abc')", "argument 1 of function i8() has the wrong type: TEXT")
            expectMismatch("SELECT i8(128)", "argument 1 of function i8() has the wrong type: INTEGER")
            expectMismatch("SELECT i8(1e10)", "argument 1 of function i8() has the wrong type: REAL")
            expectMismatch("SELECT maybe(x'00')", "argument 1 of function maybe() has the wrong type: BLOB")
            expectMismatch("SELECT four(1, 2, 3, 4)", "argument 4 of function four() has the wrong type: INTEGER")
        }
    }

    @Test func closuresOfBothForms() throws {
        try DatabaseKind.memory.run { db throws in
            // Without a parameter type, or with a number of arguments, the parameter is an array.
            db.add(function: DatabaseFunction("a") { $0.count })
            db.add(function: DatabaseFunction("b", argumentCount: 1) { $0[0] })
            db.add(
                function: DatabaseFunction("c", argumentCount: 1, pure: true) { dbValues in
                    guard let text = String.fromDatabaseValue(dbValues[0]) else { return nil }
                    return text + "!"
                })
            db.add(function: DatabaseFunction("d", pure: true) { (values: [DatabaseValue]) in values.count })
            db.add(function: DatabaseFunction("e") { _ in throw Failure() })
            db.add(function: DatabaseFunction("g") { _ in nil })
            let row = try Row.fetchOne(db, sql: "SELECT a(1, 2), b('x'), c('x'), d(1), g()")
            #expect(row?.databaseValues.map(\.description) == ["2", "\"x\"", "\"x!\"", "1", "NULL"])
        }
    }

    @Test func typesThatDecodeThemselves() throws {
        struct Celsius: DatabaseValueConvertible {
            var degrees: Double
            var databaseValue: DatabaseValue { degrees.databaseValue }

            static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Celsius? {
                Double.fromDatabaseValue(dbValue).map(Celsius.init(degrees:))
            }

            static func fromFunctionArgument(_ argument: DatabaseFunction.Argument) -> Celsius? {
                Double.fromFunctionArgument(argument).map { Celsius(degrees: $0 + 1000) }
            }

            func setFunctionResult(_ result: DatabaseFunction.Result) { result.set(degrees * 2) }
        }
        try DatabaseKind.memory.run { db throws in
            db.add(function: DatabaseFunction("c") { (x: Celsius) in x })
            let result = try Double.fetchOne(db, sql: "SELECT c(1)")
            #expect(result == 2002)
        }
    }
}
