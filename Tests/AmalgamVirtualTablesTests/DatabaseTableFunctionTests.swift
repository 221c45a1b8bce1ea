import Amalgam
import AmalgamCore
import AmalgamVirtualTables
import CAmalgam
import Foundation
import TestSupport
import Testing

@Suite("Table-valued functions")
struct DatabaseTableFunctionTests {
    private func withSeries(_ kind: DatabaseKind = .memory, _ test: (Database) throws -> Void) throws {
        try kind.run { db in
            try db.add(tableFunction: series)
            try test(db)
        }
    }

    // MARK: Arguments

    @Test("arguments are given in parentheses, or by a WHERE clause", arguments: DatabaseKind.allCases)
    func arguments(kind: DatabaseKind) throws {
        try withSeries(kind) { db in
            try #expect(db.integers("SELECT value FROM series(1, 10, 3)") == [1, 4, 7, 10])
            try #expect(db.integers("SELECT value FROM series(1, 3)") == [1, 2, 3])
            try #expect(db.integers("SELECT value FROM series WHERE start = 1 AND stop = 3") == [1, 2, 3])
            try #expect(db.integers("SELECT value FROM series(?, ?)", [2, 3]) == [2, 3])
            try #expect(db.integers("SELECT value FROM series(1) WHERE stop IS 3") == [1, 2, 3])
            try #expect(db.integers("SELECT value FROM series(3, 1)").isEmpty)
        }
    }

    @Test("arguments are hidden columns: left out of *, readable by name")
    func hiddenColumns() throws {
        try withSeries { db in
            try #expect(db.rows("SELECT * FROM series(1, 2)") == [[1.databaseValue], [2.databaseValue]])
            let rows = try db.rows("SELECT value, start, stop, step FROM series(1, 2)")
            #expect(rows.description == "[[1, 1, 2, NULL], [2, 1, 2, NULL]]")
        }
    }

    @Test("arguments come from another table of a join, whichever comes first")
    func join() throws {
        try withSeries { db in
            try db.createTeams()
            let sql = "SELECT id, value FROM player, series(1, player.id) ORDER BY id, value"
            try #expect(db.rows(sql).description == "[[1, 1], [2, 1], [2, 2], [3, 1], [3, 2], [3, 3]]")
            let reversed = "SELECT id, value FROM series(1, player.id), player ORDER BY id, value"
            try #expect(db.rows(reversed).description == "[[1, 1], [2, 1], [2, 2], [3, 1], [3, 2], [3, 3]]")
            let left = "SELECT id, value FROM player LEFT JOIN series(2, player.id) ORDER BY id, value"
            try #expect(db.rows(left).description == "[[1, NULL], [2, 2], [3, 2], [3, 3]]")
            let chain = "SELECT b.value FROM series(1, 3) AS a, series(a.value, 3) AS b ORDER BY 1"
            try #expect(db.integers(chain) == [1, 2, 2, 3, 3, 3])
        }
    }

    @Test("an optional argument that another table gives is not left out")
    func optionalFromJoin() throws {
        try withSeries { db in
            try db.createTeams()
            let sql = "SELECT id, value FROM series(1, 3, player.id), player ORDER BY id, value"
            try #expect(db.rows(sql).description == "[[1, 1], [1, 2], [1, 3], [2, 1], [2, 3], [3, 1]]")
        }
    }

    @Test("IN calls the function for each value")
    func inList() throws {
        try withSeries { db in
            let sql =
                "SELECT start, value FROM series WHERE start IN (10, 1) AND stop = 11 AND step = 10 ORDER BY value"
            try #expect(db.rows(sql).description == "[[1, 1], [10, 10], [1, 11]]")
            let subquery = "SELECT value FROM series WHERE start IN (SELECT value FROM series(1, 2)) AND stop = 2"
            try #expect(db.integers(subquery).sorted() == [1, 2, 2])
        }
    }

    @Test("both sides of an OR call the function; a row of both comes once")
    func or() throws {
        try withSeries { db in
            let apart = "SELECT value FROM series WHERE (start = 1 AND stop = 2) OR (start = 5 AND stop = 6)"
            try #expect(db.integers(apart).sorted() == [1, 2, 5, 6])
            let overlapping = """
                SELECT value FROM series
                WHERE (start = 1 AND stop = 4 AND value > 1) OR (start = 1 AND stop = 4 AND value < 4)
                """
            try #expect(db.integers(overlapping).sorted() == [1, 2, 3, 4])
        }
    }

    @Test("further constraints on an argument are checked against its value")
    func contradictions() throws {
        try withSeries { db in
            try #expect(db.integers("SELECT value FROM series(1, 3) WHERE start = 2").isEmpty)
            try #expect(db.integers("SELECT value FROM series(1, 3) WHERE start > 0 AND value <> 2") == [1, 3])
            try #expect(db.integers("SELECT value FROM series(1, 2) WHERE step IS NULL") == [1, 2])
        }
    }

    @Test("a required argument that is NULL gives no row; an optional one counts as left out")
    func nullArguments() throws {
        try withSeries { db in
            try #expect(db.integers("SELECT value FROM series(NULL, 3)").isEmpty)
            try #expect(db.integers("SELECT value FROM series(1, 2, NULL)") == [1, 2])
            try db.createTeams()
            let sql = "SELECT player.id, value FROM player, series(19, player.score) ORDER BY value"
            try #expect(db.rows(sql).description == "[[2, 19], [2, 20]]")
        }
    }

    @Test("a statement that leaves out a required argument does not compile")
    func missingArguments() throws {
        try withSeries { db in
            for sql in ["SELECT * FROM series", "SELECT * FROM series WHERE stop = 1 AND start > 1"] {
                expectError(.SQLITE_ERROR, "table function series: argument start is missing", sql: sql) {
                    _ = try db.makeStatement(sql: sql)
                }
            }
            let sql = "SELECT * FROM series(1)"
            expectError(.SQLITE_ERROR, "table function series: argument stop is missing", sql: sql) {
                _ = try db.integers(sql)
            }
            let tooMany = "SELECT * FROM series(1, 2, 3, 4)"
            expectError(.SQLITE_ERROR, "too many arguments on series() - max 3", sql: tooMany) {
                _ = try db.integers(tooMany)
            }
            // The error doesn't affect later errors.
            _ = try? db.makeStatement(sql: "SELECT * FROM series")
            expectError(.SQLITE_ERROR, "no such table: nowhere", sql: "SELECT * FROM nowhere") {
                _ = try db.makeStatement(sql: "SELECT * FROM nowhere")
            }
        }
    }

    @Test("arguments that depend on each other have no plan")
    func circularArguments() throws {
        try withSeries { db in
            let sql = "SELECT * FROM series(1, b.value) AS a, series(1, a.value) AS b"
            expectError(.SQLITE_ERROR, "no query solution", sql: sql) { _ = try db.makeStatement(sql: sql) }
        }
    }

    @Test("an argument that does not convert is an error that does not show it")
    func mismatch() throws {
        try withSeries { db in
            let sql = "SELECT * FROM series('secret', 2)"
            let message = "table function series: argument start does not convert from TEXT to Int"
            expectError(.SQLITE_MISMATCH, message, sql: sql) { _ = try db.integers(sql) }
        }
    }

    @Test("arguments are asked for by name or position; others are an error")
    func unknownArguments() throws {
        try DatabaseKind.memory.run { db in
            let echo = DatabaseTableFunction("echo", arguments: ["a", "b"], columns: ["value"]) { arguments in
                [try arguments["B"] as String, try arguments[0] as String]
            }
            try db.add(tableFunction: echo)
            try #expect(String.fetchAll(db, sql: "SELECT value FROM echo('x', 'y')") == ["y", "x"])
            let wrong = DatabaseTableFunction("wrong", arguments: ["a"], columns: ["value"]) { arguments in
                [try arguments["c"] as String]
            }
            try db.add(tableFunction: wrong)
            let sql = "SELECT * FROM wrong(1)"
            expectError(.SQLITE_MISUSE, "table function wrong has no argument c", sql: sql) { _ = try db.rows(sql) }
            let negative = DatabaseTableFunction("wrong", arguments: ["a"], columns: ["value"]) { arguments in
                [try arguments[-1] as String]
            }
            try db.add(tableFunction: negative)
            expectError(.SQLITE_MISUSE, "table function wrong has no argument -1", sql: sql) { _ = try db.rows(sql) }
        }
    }

    @Test("EXPLAIN QUERY PLAN names the arguments")
    func explain() throws {
        try withSeries { db in
            try #expect(db.plan("SELECT * FROM series(1, 2)") == ["SCAN series VIRTUAL TABLE INDEX 0:start=? stop=?"])
        }
    }

    // MARK: Rows

    private struct Member {
        var name: String
        var score: Int?
    }

    @Test("rows are values, tuples, arrays, or anything with columns")
    func rowKinds() throws {
        try DatabaseKind.memory.run { db in
            let members = [Member(name: "Anna", score: 10), Member(name: "Bo", score: nil)]
            try db.add(
                tableFunction: DatabaseTableFunction("f1", columns: ["a"]) { _ in ["x", nil] as [String?] })
            try db.add(
                tableFunction: DatabaseTableFunction("f2", columns: ["a", "b"]) { _ in [(1, "x"), (2, "y")] })
            try db.add(
                tableFunction: DatabaseTableFunction("f3", columns: ["a", "b", "c"]) { _ in
                    [[1.databaseValue, "x".databaseValue, .null, 4.databaseValue], []]
                })
            try db.add(
                tableFunction: DatabaseTableFunction(
                    "f4", of: Member.self, columns: [.init("name", \.name), .init("score", \.score)]
                ) { _ in members })
            try #expect(db.rows("SELECT * FROM f1").description == #"[["x"], [NULL]]"#)
            try #expect(db.rows("SELECT * FROM f2").description == #"[[1, "x"], [2, "y"]]"#)
            try #expect(db.rows("SELECT * FROM f3").description == #"[[1, "x", NULL], [NULL, NULL, NULL]]"#)
            try #expect(db.rows("SELECT * FROM f4").description == #"[["Anna", 10], ["Bo", NULL]]"#)
            try #expect(db.rows("SELECT score, name FROM f4").description == #"[[10, "Anna"], [NULL, "Bo"]]"#)
        }
    }

    @Test("rows of a cursor are values, tuples, arrays, or anything with columns")
    func cursors() throws {
        try DatabaseKind.memory.run { db in
            try db.add(tableFunction: DatabaseTableFunction("f1", columns: ["a"]) { _ in numbers(1...3) })
            try db.add(
                tableFunction: DatabaseTableFunction("f2", columns: ["a", "b"]) { _ in
                    numbers(1...2).map { ($0, "\($0)") }
                })
            try db.add(
                tableFunction: DatabaseTableFunction("f3", columns: ["a", "b"]) { _ in numbers(1...2).map { [$0] } })
            try db.add(
                tableFunction: DatabaseTableFunction(
                    "f4", of: Int.self, columns: [.init("n") { $0 }, .init("square") { $0 * $0 }]
                ) { _ in numbers(1...2) })
            try #expect(db.integers("SELECT a FROM f1") == [1, 2, 3])
            try #expect(db.rows("SELECT * FROM f2").description == #"[[1, "1"], [2, "2"]]"#)
            try #expect(db.rows("SELECT * FROM f3").description == "[[1, NULL], [2, NULL]]")
            try #expect(db.rows("SELECT * FROM f4").description == "[[1, 1], [2, 4]]")
        }
    }

    @Test("values of all storage classes arrive as they are")
    func values() throws {
        try DatabaseKind.memory.run { db in
            let values: [DatabaseValue] = [
                .null, 1.databaseValue, Int64.min.databaseValue, 1.5.databaseValue, "".databaseValue,
                "Zoë\0x".databaseValue, Data().databaseValue, Data([0, 255]).databaseValue,
            ]
            try db.add(tableFunction: DatabaseTableFunction("f", columns: ["a"]) { _ in values })
            try #expect(DatabaseValue.fetchAll(db, sql: "SELECT a FROM f") == values)
            let large = DatabaseTableFunction("large", columns: ["a"]) { _ in [UInt64.max] }
            try db.add(tableFunction: large)
            let sql = "SELECT a FROM large"
            expectError(.SQLITE_TOOBIG, "string or blob too big", sql: sql) { _ = try db.rows(sql) }
            let undefined = DatabaseTableFunction("undefined", columns: ["a"]) { _ in
                [Date(timeIntervalSinceReferenceDate: .nan)]
            }
            try db.add(tableFunction: undefined)
            let message = "a value cannot be stored: a date whose time interval isn't a number"
            expectError(.SQLITE_MISMATCH, message, sql: "SELECT a FROM undefined") {
                _ = try db.rows("SELECT a FROM undefined")
            }
            let text = DatabaseTableFunction("texts", arguments: ["a", "b"], columns: ["c"]) { arguments in
                [try arguments["a"] as DatabaseValue, try arguments["b"] as DatabaseValue]
            }
            try db.add(tableFunction: text)
            for value in values.dropFirst() {
                let rows = try db.rows("SELECT c, a FROM texts(?, 1)", [value])
                #expect(rows.first == [value, value])
            }
        }
    }

    // MARK: Laziness and errors

    @Test("rows are asked for as they are needed: a sequence may be infinite")
    func laziness() throws {
        try DatabaseKind.memory.run { db in
            let journal = Journal()
            let naturals = DatabaseTableFunction("naturals", columns: ["n"]) { _ in
                (0...).lazy.map { n in
                    journal.write("\(n)")
                    return n
                }
            }
            try db.add(tableFunction: naturals)
            try #expect(db.integers("SELECT n FROM naturals LIMIT 3") == [0, 1, 2])
            #expect(journal.read() == ["0", "1", "2"])
            let first = try Int.fetchOne(db, sql: "SELECT n FROM naturals WHERE n > 1")
            #expect(first == 2)
            #expect(journal.read() == ["0", "1", "2"])
        }
    }

    @Test("a scan of an infinite sequence is interrupted")
    func interruption() throws {
        let connection = Unsafely<SQLiteConnection>()
        try DatabaseKind.memory.run { db in
            connection.value = db.sqliteConnection
            let naturals = DatabaseTableFunction("naturals", columns: ["n"]) { _ in
                (0...).lazy.map { n in
                    if n == 1000, let connection = connection.value { sqlite3_interrupt(connection) }
                    return n
                }
            }
            try db.add(tableFunction: naturals)
            let sql = "SELECT max(n) FROM naturals"
            expectError(.SQLITE_INTERRUPT, "interrupted", sql: sql) { _ = try db.integers(sql) }
            try #expect(db.integers("SELECT 1") == [1])
        }
    }

    @Test("errors of the closure, of a cursor, and of a column become errors of the statement")
    func errors() throws {
        try DatabaseKind.memory.run { db in
            try db.add(
                tableFunction: DatabaseTableFunction("f1", columns: ["a"]) { _ -> [Int] in throw Failure(number: 1) })
            try db.add(
                tableFunction: DatabaseTableFunction("f2", columns: ["a"]) { _ in
                    numbers(1...2, then: Failure(number: 2))
                })
            try db.add(
                tableFunction: DatabaseTableFunction(
                    "f3", of: Int.self,
                    columns: [
                        .init("a") { n -> Int in
                            throw DatabaseError(resultCode: .SQLITE_CONSTRAINT_CHECK, message: "bad \(n)")
                        }
                    ]
                ) { _ in [3] })
            try db.add(
                tableFunction: DatabaseTableFunction("f4", columns: ["a"]) { _ -> [Int] in throw CancellationError() })
            try db.add(
                tableFunction: DatabaseTableFunction("f5", columns: ["a"]) { _ -> [Int] in
                    throw DatabaseError(resultCode: .SQLITE_DONE, message: "not done")
                })
            expectError(.SQLITE_ERROR, "Failure(number: 1)", sql: "SELECT * FROM f1") {
                _ = try db.rows("SELECT * FROM f1")
            }
            expectError(.SQLITE_ERROR, "Failure(number: 2)", sql: "SELECT * FROM f2") {
                _ = try db.rows("SELECT * FROM f2")
            }
            let error = expectError(.SQLITE_CONSTRAINT, "bad 3", sql: "SELECT * FROM f3") {
                _ = try db.rows("SELECT * FROM f3")
            }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_CHECK)
            expectError(.SQLITE_INTERRUPT, "interrupted", sql: "SELECT * FROM f4") {
                _ = try db.rows("SELECT * FROM f4")
            }
            expectError(.SQLITE_ERROR, "not done", sql: "SELECT * FROM f5") { _ = try db.rows("SELECT * FROM f5") }
            try #expect(db.integers("SELECT a FROM f2 LIMIT 2") == [1, 2])
        }
    }
}

/// A value that a closure of the same thread reads.
final class Unsafely<Value>: @unchecked Sendable {
    // Sendable: one thread uses it.
    var value: Value?
}
