import Amalgam
import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

struct DatabaseFunctionTests {
    // MARK: Results

    @Test func nilIsNull() throws {
        try DatabaseKind.memory.run { db throws in
            #expect(try db.result(of: "SELECT f()", as: DatabaseValue.self) { _ in nil } == .null)
        }
    }

    @Test(
        arguments: [
            (Int64.max, "integer"), (1e100, "real"), ("abc", "text"), (Data([1, 0, 2]), "blob"), (true, "integer"),
            (Data(), "blob"),
            ("", "text"), (Optional<Int>.none as Int?, "null"), (Int8.min, "integer"), (Float(1.5), "real"),
        ] as [(any DatabaseValueConvertible & Sendable, String)])
    func results(_ value: any DatabaseValueConvertible & Sendable, type: String) throws {
        try DatabaseKind.memory.run { db throws in
            #expect(try db.result(of: "SELECT f()") { _ in value } == value.databaseValue)
            #expect(try db.result(of: "SELECT typeof(f())") { _ in value } == type)
        }
    }

    @Test func anyConvertibleResult() throws {
        let id = UUID()
        try DatabaseKind.memory.run { db throws in
            #expect(try db.result(of: "SELECT f()") { _ in id } == id)
            #expect(try db.result(of: "SELECT f()") { _ in Name("Anna") } == "Anna")
            #expect(try db.result(of: "SELECT f()") { values in values.count.databaseValue } == 0)
        }
    }

    @Test func notANumberIsNull() throws {
        try DatabaseKind.memory.run { db throws in
            #expect(try db.result(of: "SELECT f()", as: DatabaseValue.self) { _ in Double.nan } == .null)
            #expect(try db.result(of: "SELECT f()") { _ in Double.infinity } == Double.infinity)
            db.add(function: DatabaseFunction("g") { Double.nan })
            #expect(try DatabaseValue.fetchOne(db, sql: "SELECT g()") == .null)
        }
    }

    @Test func hugeIntegers() throws {
        try DatabaseKind.memory.run { db throws in
            #expect(try db.result(of: "SELECT f()") { _ in UInt64(Int64.max) } == Int64.max)
            let message = "9223372036854775808 does not fit in an SQLite integer, which has 64 bits and a sign"
            expectError(.SQLITE_TOOBIG, message, sql: "SELECT f()") {
                _ = try db.result(of: "SELECT f()", as: Int.self) { _ in UInt64(Int64.max) + 1 }
            }
            #expect(try Int.fetchOne(db, sql: "SELECT 1") == 1)
        }
    }

    @Test func textsWithNULCharacters() throws {
        try DatabaseKind.memory.run { db throws in
            let hex = try db.result(of: "SELECT hex(f(?))", as: String.self, ["a\0b"]) { $0[0] }
            #expect(hex == "610062")
        }
    }

    @Test func valuesThatCannotBeStored() throws {
        try DatabaseKind.memory.run { db throws in
            let date = Date(timeIntervalSinceReferenceDate: .nan)
            let message = "a value cannot be stored: a date whose time interval isn't a number"
            expectError(.SQLITE_MISMATCH, message, sql: "SELECT f()") {
                _ = try db.result(of: "SELECT f()", as: DatabaseValue.self) { _ in date }
            }
            db.add(function: DatabaseFunction("typed") { () -> Date in date })
            expectError(.SQLITE_MISMATCH, message, sql: "SELECT typed()") { try db.execute(sql: "SELECT typed()") }
            #expect(try Int.fetchOne(db, sql: "SELECT 1") == 1)
        }
    }

    @Test func tooLongText() throws {
        try DatabaseKind.memory.run { db throws in
            sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, 1000)
            let text = String(repeating: "x", count: 1001)
            expectError(.SQLITE_TOOBIG, "string or blob too big", sql: "SELECT length(f())") {
                _ = try db.result(of: "SELECT length(f())", as: Int.self) { _ in text }
            }
        }
    }

    // MARK: Arguments

    @Test(
        arguments: [
            .null, 1.databaseValue, Int64.min.databaseValue, 1.5.databaseValue, "é".databaseValue, "".databaseValue,
            Data([0, 1]).databaseValue, Data().databaseValue, String(repeating: "é", count: 100).databaseValue,
        ] as [DatabaseValue])
    func argument(_ value: DatabaseValue) throws {
        try DatabaseKind.memory.run { db throws in
            let received = Shared<[DatabaseValue]>([])
            let result = try db.result(of: "SELECT f(?)", as: DatabaseValue.self, [value]) { values in
                received.value = values
                return values[0]
            }
            #expect(result == value)
            #expect(received.value == [value])
        }
    }

    @Test func argumentsOfUTF16Databases() throws {
        try DatabaseKind.memory.run { db throws in
            try db.execute(sql: "PRAGMA encoding = 'UTF-16'; CREATE TABLE t AS SELECT 'é€😀' AS a")
            #expect(try db.result(of: "SELECT f(a) FROM t") { $0[0] } == "é€😀")
            db.add(function: DatabaseFunction("twice") { (text: String) in text + text })
            #expect(try String.fetchOne(db, sql: "SELECT twice(a) FROM t") == "é€😀é€😀")
        }
    }

    @Test func invalidTextIsRepaired() throws {
        try DatabaseKind.memory.run { db throws in
            let text = try db.result(of: "SELECT f(CAST(x'61FF62' AS TEXT))", as: String.self) { $0[0] }
            #expect(text == "a\u{FFFD}b")
        }
    }

    @Test func zeroFilledBlob() throws {
        try DatabaseKind.memory.run { db throws in
            #expect(try db.result(of: "SELECT f(zeroblob(3))") { $0[0] } == Data([0, 0, 0]))
            db.add(function: DatabaseFunction("size") { (data: Data) in data.count })
            #expect(try Int.fetchOne(db, sql: "SELECT size(zeroblob(3))") == 3)
        }
    }

    @Test func anyNumberOfArguments() throws {
        try DatabaseKind.memory.run { db throws in
            db.add(function: DatabaseFunction("f") { values in values.count })
            #expect(try Int.fetchOne(db, sql: "SELECT f()") == 0)
            #expect(try Int.fetchOne(db, sql: "SELECT f(1)") == 1)
            #expect(try Int.fetchOne(db, sql: "SELECT f(1, NULL)") == 2)
            let list = Array(repeating: "1", count: 1000).joined(separator: ",")
            #expect(try Int.fetchOne(db, sql: "SELECT f(\(list))") == 1000)
        }
    }

    @Test func fixedNumberOfArguments() throws {
        try DatabaseKind.memory.run { db throws in
            db.add(function: DatabaseFunction("f", argumentCount: 2) { values in values.count })
            #expect(try Int.fetchOne(db, sql: "SELECT f(1, 2)") == 2)
            let error = expectError(.SQLITE_ERROR, "wrong number of arguments to function f()", sql: "SELECT f(1)") {
                _ = try Int.fetchOne(db, sql: "SELECT f(1)")
            }
            #expect(
                error?.description
                    == "SQLite error 1: wrong number of arguments to function f() - while executing `SELECT f(1)`")
        }
    }

    @Test func keptArgumentsStay() throws {
        try DatabaseKind.memory.run { db throws in
            let kept = Shared<[[DatabaseValue]]>([])
            db.add(
                function: DatabaseFunction("keep") { values in
                    kept.value.append(values)
                    return nil
                })
            try db.execute(sql: numbers(3) + "SELECT keep(n, 'row ' || n) FROM numbers")
            #expect(kept.value == (1...3).map { [$0.databaseValue, "row \($0)".databaseValue] })
        }
    }

    @Test func rowsOfSeveralFunctions() throws {
        try DatabaseKind.memory.run { db throws in
            db.add(function: DatabaseFunction("f") { values in values.map(\.description).joined(separator: "-") })
            let sql = numbers(3) + "SELECT f(n, f(n, n + 1), f()) FROM numbers"
            let strings = try String.fetchAll(db, sql: sql)
            #expect(strings == ["1-\"1-2\"-\"\"", "2-\"2-3\"-\"\"", "3-\"3-4\"-\"\""])
        }
    }

    // MARK: State and purity

    @Test func functionsSeeCapturedState() throws {
        try DatabaseKind.memory.run { db throws in
            let state = Shared(1)
            db.add(function: DatabaseFunction("f") { _ in state.value })
            #expect(try Int.fetchOne(db, sql: "SELECT f()") == 1)
            state.value = 2
            #expect(try Int.fetchOne(db, sql: "SELECT f()") == 2)
        }
    }

    @Test(arguments: [false, true])
    func purity(_ pure: Bool) throws {
        try DatabaseKind.memory.run { db throws in
            let counter = CallCounter()
            db.add(
                function: DatabaseFunction("f", argumentCount: 1, pure: pure) { _ in
                    counter.increment()
                    return 1
                })
            try db.execute(sql: numbers(10) + "SELECT f(7) FROM numbers")
            #expect(counter.value == (pure ? 1 : 10))
        }
    }

    @Test func everyUseCalls() throws {
        try DatabaseKind.memory.run { db throws in
            let counter = CallCounter()
            db.add(
                function: DatabaseFunction("f", argumentCount: 0) { _ in
                    counter.increment()
                    return counter.value
                })
            let sql = "SELECT f() UNION ALL SELECT f() UNION ALL SELECT f()"
            try db.execute(sql: sql)
            try db.makeStatement(sql: sql).execute()
            #expect(counter.value == 6)
        }
    }

    @Test func pureFunctionsServeInIndexes() throws {
        try DatabaseKind.memory.run { db throws in
            db.add(function: DatabaseFunction("half", pure: true) { (x: Int) in x / 2 })
            db.add(function: DatabaseFunction("now") { (x: Int) in x })
            try db.execute(sql: "CREATE TABLE t (a INTEGER, b GENERATED ALWAYS AS (half(a)))")
            try db.execute(sql: "CREATE INDEX i ON t(half(a)); INSERT INTO t (a) VALUES (10), (21)")
            #expect(try Int.fetchAll(db, sql: "SELECT a FROM t INDEXED BY i WHERE half(a) = 10") == [21])
            #expect(try Int.fetchAll(db, sql: "SELECT b FROM t ORDER BY b") == [5, 10])
            expectError(
                .SQLITE_ERROR, "non-deterministic functions prohibited in index expressions",
                sql: "CREATE INDEX j ON t(now(a))"
            ) {
                try db.execute(sql: "CREATE INDEX j ON t(now(a))")
            }
        }
    }

    // MARK: Identity

    @Test func identity() {
        let f = DatabaseFunction("f", argumentCount: 1) { _ in nil }
        #expect(f.name == "f")
        #expect(f.id == DatabaseFunction("F", argumentCount: 1) { _ in 1 }.id)
        #expect(f.id == DatabaseFunction("f") { (x: Int) in x }.id)
        #expect(f.id != DatabaseFunction("f", argumentCount: 2) { _ in nil }.id)
        #expect(f.id != DatabaseFunction("f") { _ in nil }.id)
        #expect(f.id != DatabaseFunction("g", argumentCount: 1) { _ in nil }.id)
        // SQLite compares names by their bytes. For Swift, both strings are equal.
        #expect(DatabaseFunction("\u{E9}") { _ in 1 }.id != DatabaseFunction("e\u{301}") { _ in 1 }.id)
        #expect(Set([f.id, DatabaseFunction("F", argumentCount: 1) { _ in 1 }.id]).count == 1)
    }

    @Test func namesIgnoreCase() throws {
        try DatabaseKind.memory.run { db throws in
            db.add(function: DatabaseFunction("Hello") { "hello" })
            #expect(try String.fetchOne(db, sql: "SELECT HELLO()") == "hello")
        }
    }

    @Test func functionsOfSeveralCounts() throws {
        try DatabaseKind.memory.run { db throws in
            db.add(function: DatabaseFunction("f", argumentCount: 1) { _ in "one" })
            db.add(function: DatabaseFunction("f", argumentCount: 2) { _ in "two" })
            db.add(function: DatabaseFunction("f") { _ in "any" })
            #expect(try String.fetchAll(db, sql: "VALUES (f(1)), (f(1, 2)), (f(1, 2, 3))") == ["one", "two", "any"])
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func everyConnectionOfAPoolHasIt(_ kind: DatabaseKind) throws {
        var configuration = Configuration()
        let function = DatabaseFunction("twice", pure: true) { (x: Int) in 2 * x }
        configuration.prepareDatabase { db in db.add(function: function) }
        try kind.open(configuration) { writer throws in
            #expect(try writer.write { db throws in try Int.fetchOne(db, sql: "SELECT twice(1)") } == 2)
            #expect(try writer.read { db throws in try Int.fetchOne(db, sql: "SELECT twice(2)") } == 4)
        }
    }

    @Test func oneFunctionOnSeveralThreads() throws {
        var configuration = Configuration()
        let function = DatabaseFunction("paste") { values in values.map(\.description).joined() }
        configuration.prepareDatabase { db in db.add(function: function) }
        try DatabaseKind.pool.open(configuration) { writer throws in
            let results = Shared<[Int: [String]]>([:])
            let lock = NSLock()
            DispatchQueue.concurrentPerform(iterations: 8) { number in
                let sql = numbers(1000) + "SELECT paste(n, ?, 'text') FROM numbers"
                let strings = try? writer.read { db throws in try String.fetchAll(db, sql: sql, arguments: [number]) }
                lock.withLock { results.value[number] = strings }
            }
            for number in 0..<8 {
                #expect(results.value[number] == (1...1000).map { "\($0)\(number)\"text\"" })
            }
        }
    }
}
