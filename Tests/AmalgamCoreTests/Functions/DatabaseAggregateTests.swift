import Amalgam
import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

/// Joins strings, and counts its instances.
private struct Join: DatabaseAggregate {
    static let alive = LiveCounter()

    private let token = Token(alive)
    private var texts: [String] = []

    init() {}

    mutating func step(_ dbValues: [DatabaseValue]) throws {
        for value in dbValues {
            if let text = String.fromDatabaseValue(value) { texts.append(text) }
        }
        if texts.last == "!" { throw DatabaseError(resultCode: .SQLITE_CONSTRAINT, message: "step failed") }
    }

    func finalize() throws -> (any DatabaseValueConvertible)? {
        if texts.last == "?" { throw Failure(number: 7) }
        return texts.isEmpty ? nil : texts.joined(separator: "-")
    }
}

// Serialized, because the tests count instances.
@Suite(.serialized)
struct DatabaseAggregateTests {
    private func run(_ kind: DatabaseKind = .memory, _ test: (Database) throws -> Void) throws {
        try kind.run { db throws in
            try db.createTeams()
            db.add(function: DatabaseFunction("joined", argumentCount: 1, aggregate: Join.self))
            try test(db)
        }
        #expect(Join.alive.value == 0)
    }

    @Test(arguments: DatabaseKind.allCases)
    func allRows(_ kind: DatabaseKind) throws {
        try run(kind) { db throws in
            #expect(try String.fetchOne(db, sql: "SELECT joined(name) FROM player") == "Anna-Bo-Cleo")
        }
    }

    @Test func groups() throws {
        try run { db throws in
            let sql = "SELECT joined(name) FROM player GROUP BY teamId"
            #expect(try String.fetchAll(db, sql: sql) == ["Anna-Bo", "Cleo"])
        }
    }

    @Test func severalAtOnce() throws {
        try run { db throws in
            let sql = """
                SELECT joined(name) || joined(DISTINCT teamId || ''), joined(name) FILTER (WHERE score > 10)
                FROM player
                """
            let row = try #require(try Row.fetchOne(db, sql: sql))
            #expect(row[0] == "Anna-Bo-Cleo1-2")
            #expect(row[1] == "Bo")
        }
    }

    @Test func nested() throws {
        try run { db throws in
            let sql = "SELECT joined(names) FROM (SELECT joined(name) AS names FROM player GROUP BY teamId)"
            #expect(try String.fetchOne(db, sql: sql) == "Anna-Bo-Cleo")
            let orders = "SELECT joined(name ORDER BY name DESC) FROM player"
            #expect(try String.fetchOne(db, sql: orders) == "Cleo-Bo-Anna")
        }
    }

    @Test func noRow() throws {
        try run { db throws in
            #expect(try DatabaseValue.fetchOne(db, sql: "SELECT joined(name) FROM player WHERE 0") == .null)
            #expect(try Row.fetchAll(db, sql: "SELECT joined(name) FROM player WHERE 0 GROUP BY teamId").isEmpty)
        }
    }

    @Test func anyNumberOfArguments() throws {
        try run { db throws in
            db.add(function: DatabaseFunction("joined", aggregate: Join.self))
            #expect(try String.fetchOne(db, sql: "SELECT joined(name, '+') FROM team") == "Reds-+-Blues-+")
            #expect(try DatabaseValue.fetchOne(db, sql: "SELECT joined() FROM team") == .null)
        }
    }

    @Test func errorsOfSteps() throws {
        try run { db throws in
            let sql = "SELECT joined(iif(id = 2, '!', name)) FROM player"
            expectError(.SQLITE_CONSTRAINT, "step failed", sql: sql) { try db.execute(sql: sql) }
            #expect(Join.alive.value == 0)
        }
    }

    @Test func errorsOfResults() throws {
        try run { db throws in
            let sql = "SELECT joined(iif(id = 3, '?', name)) FROM player GROUP BY teamId"
            expectError(.SQLITE_ERROR, "Failure(number: 7)", sql: sql) { try db.execute(sql: sql) }
            #expect(Join.alive.value == 0)
        }
    }

    /// A statement that ends early releases its aggregates.
    @Test func resetHalfWay() throws {
        try run { db throws in
            db.add(
                function: DatabaseFunction("stop") { (x: Int) in
                    if x == 500 { throw Failure() }
                    return x
                })
            let sql = numbers(1000) + "SELECT joined('row ' || stop(n)) FROM numbers GROUP BY n % 2"
            #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
            #expect(Join.alive.value == 0)

            let cursor = try String.fetchCursor(db, sql: "SELECT joined(name) FROM player GROUP BY id")
            #expect(try cursor.next() == "Anna")
        }
    }

    @Test func interruptedHalfWay() throws {
        try run { db throws in
            let db = db.shared
            db.value.add(
                function: DatabaseFunction("interrupt") { (x: Int) in
                    if x == 500 { sqlite3_interrupt(db.value.sqliteConnection) }
                    return x
                })
            let sql = numbers(1000) + "SELECT joined('row ' || interrupt(n)) FROM numbers"
            #expect(throws: DatabaseError.self) { try db.value.execute(sql: sql) }
            #expect(Join.alive.value == 0)
        }
    }

    @Test func notAWindowFunction() throws {
        try run { db throws in
            let sql = "SELECT joined(name) OVER (ORDER BY id) FROM player"
            expectError(.SQLITE_ERROR, "joined() may not be used as a window function", sql: sql) {
                try db.execute(sql: sql)
            }
        }
    }

    /// The state of a group may use the connection.
    @Test func aggregatesThatRunStatements() throws {
        struct Lookup: DatabaseAggregate {
            nonisolated(unsafe) static var db: Database?  // Set and used by this test only.
            var names: [String] = []

            mutating func step(_ dbValues: [DatabaseValue]) throws {
                guard let db = Self.db else { return }
                let sql = "SELECT joined(name) FROM player WHERE teamId = ?"
                names.append(try String.fetchOne(db, sql: sql, arguments: [dbValues[0]]) ?? "")
            }

            func finalize() throws -> (any DatabaseValueConvertible)? { names.joined(separator: "|") }
        }
        try run { db throws in
            Lookup.db = db
            defer { Lookup.db = nil }
            db.add(function: DatabaseFunction("lookup", argumentCount: 1, aggregate: Lookup.self))
            let names = try String.fetchOne(db, sql: "SELECT lookup(id) FROM team")
            #expect(names == "Anna-Bo|Cleo")
        }
    }
}
