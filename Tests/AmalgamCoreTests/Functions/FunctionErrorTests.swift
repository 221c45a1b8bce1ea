import Amalgam
import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

struct FunctionErrorTests {
    @Test func codeAndMessage() throws {
        try DatabaseKind.memory.run { db throws in
            let sql = "SELECT f(1)"
            let error = expectError(ResultCode(rawValue: 123), "custom", sql: sql) {
                _ = try db.result(of: sql, as: Int.self) { _ in
                    throw DatabaseError(resultCode: ResultCode(rawValue: 123), message: "custom")
                }
            }
            #expect(error?.description == "SQLite error 123: custom - while executing `SELECT f(1)`")
        }
    }

    @Test func messageOnly() throws {
        try DatabaseKind.memory.run { db throws in
            expectError(.SQLITE_ERROR, "custom", sql: "SELECT f()") {
                _ = try db.result(of: "SELECT f()", as: Int.self) { _ in throw DatabaseError(message: "custom") }
            }
        }
    }

    @Test func codeOnly() throws {
        try DatabaseKind.memory.run { db throws in
            expectError(ResultCode(rawValue: 123), "unknown error", sql: "SELECT f()") {
                _ = try db.result(of: "SELECT f()", as: Int.self) { _ in
                    throw DatabaseError(resultCode: ResultCode(rawValue: 123))
                }
            }
        }
    }

    /// Every code is returned unchanged, with its message, and leaves the connection usable.
    @Test func everyCode() throws {
        try DatabaseKind.memory.run { db throws in
            let codes = Array(1...28) + [262, 266, 270, 275, 516, 517, 787, 1555, 2067, 2570]
            for code in codes where code != 17 {
                let resultCode = ResultCode(rawValue: CInt(code))
                db.add(
                    function: DatabaseFunction("fail") { _ in
                        throw DatabaseError(resultCode: resultCode, message: "custom \(code)")
                    })
                let error = #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT fail()") }
                #expect(error?.extendedResultCode == resultCode)
                #expect(error?.message == "custom \(code)")
                #expect(try Int.fetchOne(db, sql: "SELECT 1") == 1)
            }
        }
    }

    /// SQLite compiles a statement again if it fails with `SQLITE_SCHEMA`.
    @Test func schemaCode() throws {
        try DatabaseKind.memory.run { db throws in
            expectError(.SQLITE_SCHEMA, "custom", sql: "SELECT f()") {
                _ = try db.result(of: "SELECT f()", as: Int.self) { _ in
                    throw DatabaseError(resultCode: .SQLITE_SCHEMA, message: "custom")
                }
            }
        }
    }

    /// Codes that mean success would be taken for rows.
    @Test(arguments: [0, 100, 101, -1, 256])
    func codesOfSuccess(_ code: CInt) throws {
        try DatabaseKind.memory.run { db throws in
            expectError(.SQLITE_ERROR, "custom", sql: "SELECT f()") {
                _ = try db.result(of: "SELECT f()", as: Int.self) { _ in
                    throw DatabaseError(resultCode: ResultCode(rawValue: code), message: "custom")
                }
            }
        }
    }

    @Test func otherErrors() throws {
        try DatabaseKind.memory.run { db throws in
            expectError(.SQLITE_ERROR, "Failure(number: 7)", sql: "SELECT f()") {
                _ = try db.result(of: "SELECT f()", as: Int.self) { _ in throw Failure(number: 7) }
            }
            let error = NSError(domain: "Custom", code: 5, userInfo: [NSLocalizedDescriptionKey: "something"])
            expectError(.SQLITE_ERROR, "\(error)", sql: "SELECT f()") {
                _ = try db.result(of: "SELECT f()", as: Int.self) { _ in
                    throw NSError(domain: "Custom", code: 5, userInfo: [NSLocalizedDescriptionKey: "something"])
                }
            }
            expectError(.SQLITE_ERROR, "CancellationError()", sql: "SELECT f()") {
                _ = try db.result(of: "SELECT f()", as: Int.self) { _ in throw CancellationError() }
            }
        }
    }

    @Test func errorsOfTypedFunctions() throws {
        try DatabaseKind.memory.run { db throws in
            db.add(
                function: DatabaseFunction("root", pure: true) { (x: Double) in
                    if x < 0 { throw DatabaseError(message: "invalid negative number") }
                    return x.squareRoot()
                })
            #expect(try Double.fetchOne(db, sql: "SELECT root(4)") == 2)
            expectError(.SQLITE_ERROR, "invalid negative number", sql: "SELECT root(-1)") {
                _ = try Double.fetchOne(db, sql: "SELECT root(-1)")
            }
        }
    }

    /// The rows of a statement that fails part-way aren't stored.
    @Test(arguments: DatabaseKind.allCases)
    func failedWritesLeaveNothing(_ kind: DatabaseKind) throws {
        try kind.run { db throws in
            try db.execute(sql: "CREATE TABLE t (a)")
            db.add(
                function: DatabaseFunction("upTo3") { (x: Int) in
                    if x > 3 { throw Failure(number: x) }
                    return x
                })
            #expect(throws: DatabaseError.self) {
                try db.execute(sql: numbers(10) + "INSERT INTO t SELECT upTo3(n) FROM numbers")
            }
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") == 0)
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                try? db.execute(sql: numbers(10) + "INSERT INTO t SELECT upTo3(n) FROM numbers")
                return .commit
            }
            #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [1])
        }
    }

    @Test func errorsInTheMiddleOfACursor() throws {
        try DatabaseKind.memory.run { db throws in
            db.add(
                function: DatabaseFunction("upTo3") { (x: Int) in
                    if x > 3 { throw Failure(number: x) }
                    return x
                })
            let cursor = try Int.fetchCursor(db, sql: numbers(10) + "SELECT upTo3(n) FROM numbers")
            var received: [Int] = []
            #expect(throws: DatabaseError.self) { while let x = try cursor.next() { received.append(x) } }
            #expect(received == [1, 2, 3])
            #expect(throws: DatabaseError.self) { try cursor.next() }
        }
    }

    /// Triggers call functions, too.
    @Test func errorsInTriggers() throws {
        try DatabaseKind.memory.run { db throws in
            db.add(
                function: DatabaseFunction("check_name") { (name: String) in
                    if name.isEmpty {
                        throw DatabaseError(resultCode: .SQLITE_CONSTRAINT, message: "a name is not empty")
                    }
                    return name
                })
            try db.createTeams()
            try db.execute(
                sql: "CREATE TRIGGER names BEFORE INSERT ON team BEGIN SELECT check_name(NEW.name); END")
            let sql = "INSERT INTO team (name) VALUES ('')"
            expectError(.SQLITE_CONSTRAINT, "a name is not empty", sql: sql) { try db.execute(sql: sql) }
            try db.execute(sql: "INSERT INTO team (name) VALUES ('Greens')")
        }
    }

    // MARK: Cancellation

    /// A function that finds its task cancelled throws `CancellationError`, and so does the access.
    @Test func cancelledAccess() async throws {
        let started = AsyncStream<Void>.makeStream()
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            let connection = Shared(db.sqliteConnection)
            db.add(
                function: DatabaseFunction("wait") { () throws -> Int in
                    started.continuation.yield()
                    while sqlite3_is_interrupted(connection.value) == 0 { Thread.sleep(forTimeInterval: 0.001) }
                    throw CancellationError()
                })
        }
        let queue = try DatabaseQueue(configuration: configuration)
        let task = Task { try await queue.read { db throws in try Int.fetchOne(db, sql: "SELECT wait()") } }
        for await _ in started.stream { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await queue.read { db throws in try Int.fetchOne(db, sql: "SELECT 1") } == 1)
    }

    @Test func interruptedWhileAFunctionWaits() throws {
        let queue = try DatabaseQueue()
        let semaphore = DispatchSemaphore(value: 0)
        let inside = DispatchSemaphore(value: 0)
        try queue.inDatabase { db throws in
            db.add(
                function: DatabaseFunction("wait") { (x: Int) in
                    inside.signal()
                    semaphore.wait()
                    return x
                })
            Thread.detachNewThread {
                inside.wait()
                queue.interrupt()
                semaphore.signal()
                semaphore.signal()
            }
            expectError(.SQLITE_INTERRUPT, "interrupted", sql: numbers(2) + "SELECT wait(n) FROM numbers") {
                _ = try Int.fetchAll(db, sql: numbers(2) + "SELECT wait(n) FROM numbers")
            }
        }
    }
}
