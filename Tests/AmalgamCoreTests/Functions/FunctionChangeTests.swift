import Amalgam
@testable import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

/// Adding, replacing and removing functions, also while statements run.
struct FunctionChangeTests {
    @Test func replacing() throws {
        try DatabaseKind.memory.run { db throws in
            db.add(function: DatabaseFunction("f") { "typed" })
            #expect(try String.fetchOne(db, sql: "SELECT f()") == "typed")
            db.add(function: DatabaseFunction("F") { "another" })
            #expect(try String.fetchOne(db, sql: "SELECT f()") == "another")
            db.add(function: DatabaseFunction("f", argumentCount: 0) { _ in "values" })
            #expect(try String.fetchOne(db, sql: "SELECT f()") == "values")
            db.add(function: DatabaseFunction("f", argumentCount: 0, aggregate: Last.self))
            #expect(try String.fetchOne(db, sql: "SELECT f()") == "aggregate")
        }
    }

    @Test func removing() throws {
        try DatabaseKind.memory.run { db throws in
            let f = DatabaseFunction("f") { 1 }
            db.add(function: f)
            #expect(try Int.fetchOne(db, sql: "SELECT f()") == 1)
            db.remove(function: f)
            expectError(.SQLITE_ERROR, "no such function: f", sql: "SELECT f()") { try db.execute(sql: "SELECT f()") }
            db.remove(function: f)
            db.add(function: f)
            #expect(try Int.fetchOne(db, sql: "SELECT f()") == 1)
        }
    }

    /// Compiled statements call a new function.
    @Test func compiledStatements() throws {
        try DatabaseKind.memory.run { db throws in
            let statement = try db.makeStatement(sql: "SELECT upper('a')")
            #expect(try String.fetchOne(statement) == "A")
            db.add(function: DatabaseFunction("upper", pure: true) { (text: String) in "mine" })
            #expect(try String.fetchOne(statement) == "mine")
        }
    }

    // MARK: While a statement runs

    @Test func addingAnotherFunction() throws {
        try DatabaseKind.memory.run { db throws in
            let cursor = try Int.fetchCursor(db, sql: numbers(3) + "SELECT n FROM numbers")
            _ = try cursor.next()
            db.add(function: DatabaseFunction("f") { 1 })
            #expect(try Int.fetchOne(db, sql: "SELECT f()") == 1)
            #expect(try cursor.next() == 2)
        }
    }

    @Test func replacingByTheLike() throws {
        try DatabaseKind.memory.run { db throws in
            db.add(function: DatabaseFunction("f") { (x: Int) in x })
            let cursor = try Int.fetchCursor(db, sql: numbers(3) + "SELECT f(n) FROM numbers")
            #expect(try cursor.next() == 1)
            db.add(function: DatabaseFunction("f") { (x: Int) in 10 * x })
            #expect(try cursor.next() == 20)
            #expect(try Int.fetchOne(db, sql: "SELECT f(1)") == 10)
        }
    }

    @Test func replacingByAnotherKind() throws {
        try DatabaseKind.memory.run { db throws in
            db.add(function: DatabaseFunction("f", argumentCount: 1) { values in values[0] })
            let cursor = try String.fetchCursor(db, sql: numbers(3) + "SELECT f(n) FROM numbers")
            #expect(try cursor.next() == "1")
            db.add(function: DatabaseFunction("f", argumentCount: 1, aggregate: Last.self))
            #expect(try cursor.next() == "2")
            // A later change doesn't affect the running cursor.
            db.add(function: DatabaseFunction("f", argumentCount: 1) { _ in "newest" })
            #expect(try cursor.next() == "3")
            #expect(try cursor.next() == nil)
            #expect(try String.fetchOne(db, sql: "SELECT f(1)") == "newest")
        }
    }

    @Test func removingARunningFunction() throws {
        let alive = LiveCounter()
        try DatabaseKind.memory.run { db throws in
            let token = Shared<Token?>(Token(alive))
            db.add(function: DatabaseFunction("f") { [token = token.value] (x: Int) in token == nil ? 0 : x })
            token.value = nil
            let cursor = try Int.fetchCursor(db, sql: numbers(3) + "SELECT f(n) FROM numbers")
            #expect(try cursor.next() == 1)
            db.remove(function: DatabaseFunction("f") { (x: Int) in x })
            #expect(alive.value == 1)
            #expect(try cursor.next() == 2)
            #expect(try cursor.next() == 3)
            #expect(try cursor.next() == nil)
            #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT f(1)") }
            #expect(alive.value == 0)
        }
    }

    @Test func closingReleasesFunctionsThatHoldTheConnection() throws {
        let alive = LiveCounter()
        let queue = try DatabaseQueue()
        let one = try queue.inDatabase { db throws in
            let db = db.shared
            db.value.add(
                function: DatabaseFunction("f") { [token = Token(alive)] (x: Int) in
                    withExtendedLifetime(token) { db.value.changesCount + x }
                })
            return try Int.fetchOne(db.value, sql: "SELECT f(1)")
        }
        #expect(one == 1)
        #expect(alive.value == 1)
        try queue.close()
        #expect(alive.value == 0)
    }

    @Test func aFunctionThatReplacesItself() throws {
        let alive = LiveCounter()
        try DatabaseKind.memory.run { db throws in
            let db = db.shared
            let token = Token(alive)
            db.value.add(
                function: DatabaseFunction("f") { [token] (x: Int) in
                    for _ in 1...3 { db.value.add(function: DatabaseFunction("f") { (x: Int) in -x }) }
                    withExtendedLifetime(token) {}
                    return x
                })
            #expect(try Int.fetchAll(db.value, sql: numbers(3) + "SELECT f(n) FROM numbers") == [1, -2, -3])
        }
    }

    @Test func aFunctionThatRemovesItself() throws {
        let alive = LiveCounter()
        try DatabaseKind.memory.run { db throws in
            let db = db.shared
            db.value.add(
                function: DatabaseFunction("f") { [token = Token(alive)] (x: Int) in
                    db.value.remove(function: DatabaseFunction("f") { (x: Int) in x })
                    return withExtendedLifetime(token) { x + alive.value }
                })
            #expect(try Int.fetchAll(db.value, sql: numbers(3) + "SELECT f(n) FROM numbers") == [2, 3, 4])
            #expect(throws: DatabaseError.self) { try db.value.execute(sql: "SELECT f(1)") }
            #expect(alive.value == 0)
        }
    }

    /// With the samples of ANALYZE, the planner calls pure functions during compilation.
    @Test func changesWhileAStatementIsCompiled() throws {
        let alive = LiveCounter()
        try DatabaseKind.memory.run { db throws in
            try db.execute(sql: "CREATE TABLE t (a); CREATE INDEX i ON t(a)")
            try db.execute(sql: numbers(500) + "INSERT INTO t SELECT n % 7 FROM numbers; ANALYZE")
            let db = db.shared
            let depths = Shared<[CInt]>([])
            db.value.add(
                function: DatabaseFunction("pick", argumentCount: 0, pure: true) { [token = Token(alive)] _ in
                    depths.value.append(amalgam_execution_depth(db.value.sqliteConnection))
                    db.value.remove(function: DatabaseFunction("pick", argumentCount: 0) { _ in nil })
                    db.value.add(function: DatabaseFunction("pick", argumentCount: 0, pure: true) { _ in 5 })
                    return withExtendedLifetime(token) { 3 }
                })
            let statement = try db.value.makeStatement(sql: "SELECT COUNT(*) FROM t WHERE a > pick()")
            #expect(depths.value.first == 0, "the planner calls the function")
            #expect(try Int.fetchOne(statement) == 71)
            #expect(alive.value == 0)
        }
    }

    /// Releasing a function may run code of the application that changes functions.
    @Test func deinitialisersThatChangeFunctions() throws {
        final class Adder: @unchecked Sendable {
            // Sendable: used from the thread of the test.
            let db: Shared<Database>
            init(_ db: Shared<Database>) { self.db = db }
            deinit { db.value.add(function: DatabaseFunction("g") { "added" }) }
        }
        try DatabaseKind.memory.run { db throws in
            let db = db.shared
            for _ in 1...3 {
                var adder: Adder? = Adder(db)
                db.value.add(function: DatabaseFunction("f") { [adder] in adder == nil ? 0 : 1 })
                adder = nil
                db.value.add(function: DatabaseFunction("f", pure: true) { 2 })
                let text = try String.fetchOne(db.value, sql: "SELECT g()")
                #expect(text == "added")
                db.value.remove(function: DatabaseFunction("g") { 1 })
            }
        }
    }

    @Test func connectionsReleaseTheirFunctions() throws {
        let alive = LiveCounter()
        do {
            let token = Token(alive)
            try DatabaseKind.memory.run { db throws in
                db.add(function: DatabaseFunction("f") { [token] in withExtendedLifetime(token) { 1 } })
                db.add(
                    collation: DatabaseCollation("c") { [token] _, _ in withExtendedLifetime(token) { .orderedSame } })
                #expect(try Int.fetchOne(db, sql: "SELECT f() ORDER BY 1 COLLATE c") == 1)
            }
        }
        #expect(alive.value == 0)
    }
}

private struct Last: DatabaseAggregate {
    mutating func step(_ dbValues: [DatabaseValue]) {}
    func finalize() -> (any DatabaseValueConvertible)? { "aggregate" }
}
