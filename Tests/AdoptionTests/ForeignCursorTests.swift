import Amalgam
import CAmalgam
import Testing

/// A cursor of an application, which decodes its elements with the C interface of SQLite.
private class IntegerCursor: DatabaseCursor {
    var _isDone = false
    let _statement: Statement

    init(_ statement: Statement) { _statement = statement }

    deinit { sqlite3_reset(_statement.sqliteStatement) }

    func _element(sqliteStatement: SQLiteStatement) throws -> Int64 {
        if sqlite3_column_type(sqliteStatement, 0) != SQLITE_INTEGER { throw NotAnInteger() }
        return sqlite3_column_int64(sqliteStatement, 0)
    }
}

private struct NotAnInteger: Error {}

/// Cursors whose type is declared outside of the package, and implements only the requirements of `DatabaseCursor`.
@Suite("Cursors of applications")
struct ForeignCursorTests {
    private let threeRows = "SELECT column1 AS a FROM (VALUES (1), (2), (3))"
    private let failingThirdRow = "SELECT abs(column1) AS a FROM (VALUES (1), (2), (-9223372036854775808), (4))"

    private func run(_ body: (Database) throws -> Void) throws { try DatabaseQueue().write(body) }

    private func expectMisuse(_ message: String, _ body: () throws -> Void) {
        let error = #expect(throws: DatabaseError.self) { try body() }
        #expect(error?.resultCode == .SQLITE_MISUSE)
        #expect(error?.message?.hasPrefix(message) == true, "\(error?.message ?? "")")
    }

    @Test("It returns its elements, then nil for good")
    func elements() throws {
        try run { db throws in
            let cursor = IntegerCursor(try db.makeStatement(sql: threeRows))
            #expect(try [cursor.next(), cursor.next(), cursor.next()] == [1, 2, 3])
            #expect(try cursor.next() == nil && cursor.next() == nil)
            #expect(cursor._isDone)
            #expect(cursor.sql == threeRows && cursor.columnNames == ["a"] && cursor.columnCount == 1)
            #expect(cursor.arguments == [] && cursor.databaseRegion.isEmpty)
        }
    }

    @Test("It has the operators of all cursors")
    func operators() throws {
        try run { db throws in
            let statement = try db.makeStatement(sql: threeRows)
            #expect(try Array(IntegerCursor(statement)) == [1, 2, 3])
            let doubled = try Array(IntegerCursor(statement).map { $0 * 2 })
            #expect(doubled == [2, 4, 6])
            #expect(try IntegerCursor(statement).reduce(0, +) == 6)
            let cursor: any DatabaseCursor<Int64> = IntegerCursor(statement)
            #expect(try cursor.next() == 1)
        }
    }

    @Test("A cursor that is done returns no element")
    func done() throws {
        try run { db throws in
            let cursor = IntegerCursor(try db.makeStatement(sql: threeRows))
            cursor._isDone = true
            #expect(try cursor.next() == nil)
        }
    }

    @Test("The end is the end, even for a cursor that doesn't store whether it is done")
    func theEnd() throws {
        final class Forgetful: DatabaseCursor {
            let _statement: Statement
            init(_ statement: Statement) { _statement = statement }
            var _isDone: Bool {
                get { false }
                set {}
            }
            func _element(sqliteStatement: SQLiteStatement) -> Int64 { sqlite3_column_int64(sqliteStatement, 0) }
        }
        try run { db throws in
            let cursor = Forgetful(try db.makeStatement(sql: threeRows))
            #expect(try Array(cursor) == [1, 2, 3])
            #expect(try cursor.next() == nil)
        }
    }

    @Test("Values bound by C functions count")
    func boundValues() throws {
        try run { db throws in
            let statement = try db.makeStatement(sql: "SELECT ? + coalesce(?, 100)")
            sqlite3_bind_int64(statement.sqliteStatement, 1, 5)
            #expect(try IntegerCursor(statement).next() == 105)
            sqlite3_bind_int64(statement.sqliteStatement, 2, 6)
            #expect(try IntegerCursor(statement).next() == 11)
        }
    }

    @Test("Values bound by C functions replace the arguments of the statement")
    func boundValuesReplaceArguments() throws {
        try run { db throws in
            let statement = try db.makeStatement(sql: "SELECT length(?)")
            try statement.execute(arguments: ["abc"])
            sqlite3_bind_int64(statement.sqliteStatement, 1, 12345)
            #expect(try IntegerCursor(statement).next() == 5)
            try statement.setArguments(["ab"])
            sqlite3_bind_null(statement.sqliteStatement, 1)
            #expect(throws: NotAnInteger.self) { try IntegerCursor(statement).next() }
        }
    }

    @Test("Without them, the arguments of the statement count, also those of its last run")
    func arguments() throws {
        try run { db throws in
            let statement = try db.makeStatement(sql: "SELECT length(?)")
            try statement.setArguments(["ab"])
            #expect(try IntegerCursor(statement).next() == 2)
            try statement.execute(arguments: ["abc"])
            let cursor = IntegerCursor(statement)
            #expect(try cursor.next() == 3)
            #expect(cursor.arguments == ["abc"])
        }
    }

    @Test("An error ends the cursor, and comes again")
    func errors() throws {
        try run { db throws in
            let failing = IntegerCursor(try db.makeStatement(sql: failingThirdRow))
            #expect(try [failing.next(), failing.next()] == [1, 2])
            for _ in 1...2 {
                let error = #expect(throws: DatabaseError.self) { try failing.next() }
                #expect(error?.message == "integer overflow" && error?.sql == failingThirdRow)
            }
            let text = IntegerCursor(try db.makeStatement(sql: "SELECT 'a' UNION ALL SELECT 1"))
            for _ in 1...2 { #expect(throws: NotAnInteger.self) { try text.next() } }
        }
    }

    @Test("A statement serves one cursor at a time")
    func oneCursorAtATime() throws {
        try run { db throws in
            let statement = try db.makeStatement(sql: threeRows)
            let first = IntegerCursor(statement)
            #expect(try first.next() == 1)
            let second = IntegerCursor(statement)
            #expect(try second.next() == 1)
            expectMisuse("The statement of this cursor was run again.") { _ = try first.next() }
            #expect(try second.next() == 2)
            let rows = try Row.fetchCursor(statement)
            expectMisuse("The statement of this cursor was run again.") { _ = try second.next() }
            let third = IntegerCursor(statement)
            #expect(try third.next() == 1)
            expectMisuse("The statement of this cursor was run again.") { _ = try rows.next() }
        }
    }

    @Test("It is refused outside of the access that made it")
    func accesses() throws {
        let queue = try DatabaseQueue()
        nonisolated(unsafe) var escaped: IntegerCursor?
        try queue.read { db throws in
            escaped = IntegerCursor(try db.makeStatement(sql: threeRows))
            #expect(try escaped?.next() == 1)
        }
        let error = #expect(throws: DatabaseError.self) { try escaped?.next() }
        #expect(error?.resultCode == .SQLITE_MISUSE)
        queue.inDatabase { _ in
            expectMisuse("The database access in which this cursor has begun has ended.") { _ = try escaped?.next() }
        }
    }

    @Test("A statement that writes is observed, and commits at its last row")
    func writing() throws {
        let queue = try DatabaseQueue()
        let log = ChangeLog()
        queue.add(transactionObserver: log)
        try queue.writeWithoutTransaction { db throws in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY)")
            log.lines = []
            let sql = "INSERT INTO t VALUES (1), (2) RETURNING id"
            let cursor = IntegerCursor(try db.makeStatement(sql: sql))
            #expect(try cursor.next() == 1)
            #expect(log.lines == ["1", "2"])
            #expect(try cursor.next() == 2 && cursor.next() == nil)
            #expect(log.lines == ["1", "2", "commit"])
        }
    }

    @Test("A cursor released before its last row commits as well")
    func releasedEarly() throws {
        let queue = try DatabaseQueue()
        let log = ChangeLog()
        queue.add(transactionObserver: log)
        try queue.writeWithoutTransaction { db throws in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY)")
            log.lines = []
            do {
                let statement = try db.cachedStatement(sql: "INSERT INTO t VALUES (1), (2) RETURNING id")
                #expect(try IntegerCursor(statement).next() == 1)
            }
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 2)
        }
        #expect(log.lines == ["1", "2", "commit"])
        #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 2)
    }

    @Test("What it reads is part of the region of an observed access")
    func observation() async throws {
        let queue = try DatabaseQueue()
        try await queue.write { db throws in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)")
        }
        let observation = ValueObservation.tracking { db throws in
            try IntegerCursor(db.makeStatement(sql: "SELECT sum(id) FROM t")).next()
        }
        var values: [Int64?] = []
        for try await value in observation.values(in: queue) {
            values.append(value)
            if values.count == 2 { break }
            try await queue.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        }
        #expect(values == [1, 3])
    }
}

/// Logs the rows that are inserted, and the ends of transactions.
private final class ChangeLog: TransactionObserver {
    var lines: [String] = []

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) { lines.append("\(event.rowID)") }
    func databaseDidCommit(_ db: Database) { lines.append("commit") }
    func databaseDidRollback(_ db: Database) { lines.append("rollback") }
}
