import Amalgam
import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

/// SQLite reads the strings and blobs of one run from a buffer of 4096 bytes of the connection, as far as they fit.
struct ArgumentBinderTests {
    private func text(_ count: Int, _ character: Character) -> String { String(repeating: character, count: count) }

    @Test(arguments: [0, 1, 15, 16, 22, 23, 4_072, 4_073, 4_094, 4_095, 4_096, 4_097, 100_000])
    func everySizeArrives(_ count: Int) throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a, b, c, d)")
            let date = Date(timeIntervalSince1970: 0)
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (?, ?, ?, ?)")
            let values: [DatabaseValue] = [
                text(count, "x").databaseValue, Data(count: count).databaseValue, date.databaseValue,
                text(count, "y").databaseValue,
            ]
            try statement.execute(arguments: [text(count, "x"), Data(count: count), date, text(count, "y")])
            try statement.execute(arguments: StatementArguments(values))
            for row in try Row.fetchAll(db, sql: "SELECT * FROM t") {
                #expect(Array(row.databaseValues) == values)
            }
        }
    }

    @Test func manyArgumentsShareTheMemory() throws {
        try DatabaseKind.memory.run { db in
            let names = (0..<20).map { "c\($0)" }.joined(separator: ", ")
            try db.execute(sql: "CREATE TABLE t (\(names))")
            let sql = "INSERT INTO t VALUES (\(databaseQuestionMarks(count: 20)))"
            for size in [100, 204, 205, 300] {
                let texts = (0..<20).map { text(size, Character(UnicodeScalar(UInt8(97 + $0)))) }
                try db.execute(sql: sql, arguments: StatementArguments(texts))
                let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM t ORDER BY rowid DESC"))
                #expect(row.databaseValues.map(\.description) == texts.map { "\"\($0)\"" })
            }
        }
    }

    /// Numbers aren't copied to the buffer, but strings and blobs are: both may follow each other in one parameter.
    @Test func valuesOfAllTypesInOneParameter() throws {
        try DatabaseKind.memory.run { db in
            let long = text(5_000, "z")
            let date = Date(timeIntervalSince1970: 0)
            let uuid = UUID()
            let values: [(any DatabaseValueConvertible)?] = [
                1, "Anna", 1.5, nil, long, 2, Data([1, 2, 3]), 3, Data(count: 5_000), nil, "", Data(), date, 4, uuid,
                long, true, Decimal(string: "1.25"), Int64.min, "Anna-Lena van der Meulen", ZeroBlob(count: 3),
            ]
            try db.execute(sql: "CREATE TABLE t (a, b)")
            let insert = try db.makeStatement(sql: "INSERT INTO t VALUES (?, ?)")
            var expected: [[DatabaseValue]] = []
            for (index, value) in values.enumerated() {
                let other = values[(index * 7 + 3) % values.count]
                try insert.execute(arguments: [value, other])
                // The arguments are still those of the last run.
                try insert.execute()
                let row = [value, other].map { $0?.databaseValue ?? .null }
                expected += [row, row]
            }
            let rows = try Row.fetchAll(db, sql: "SELECT * FROM t").map { Array($0.databaseValues) }
            #expect(rows == expected)
        }
    }

    /// SQLite refuses a string that is longer than the limit of the connection, wherever its bytes are stored.
    @Test func longerThanTheConnectionAllows() throws {
        try DatabaseKind.memory.run { db in
            let length = try db.makeStatement(sql: "SELECT length(?)")
            try db.setLimit(.length, to: 100)
            for value in [text(101, "x"), Data(count: 101)] as [any DatabaseValueConvertible] {
                #expect(throws: DatabaseError.self) { try length.execute(arguments: [value]) }
            }
            try length.execute(arguments: [text(100, "x")])
            #expect(try Int.fetchOne(length, arguments: [Data(count: 100)]) == 100)
        }
    }

    @Test func databasesInUTF16() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "PRAGMA encoding = 'UTF-16'; CREATE TABLE t (a, b, c, d, e)")
            let insert = try db.makeStatement(sql: "INSERT INTO t VALUES (?, ?, ?, ?, ?)")
            for _ in 1...2 { try insert.execute(arguments: [1, "Zoë", Data([0xff, 0]), nil, 1.5]) }
            let rows = try Row.fetchAll(db, sql: "SELECT *, typeof(b), length(b), hex(c) FROM t")
            #expect(rows == [rows[0], rows[0]])
            #expect(
                rows[0].description
                    == #"[a:1 b:"Zoë" c:Data(2 bytes) d:NULL e:1.5 typeof(b):"text" length(b):3 hex(c):"FF00"]"#)
        }
    }

    /// A closure that SQLite calls may run a statement with different arguments.
    @Test func aRunInsideAnother() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a); CREATE TABLE log (a)")
            let log = try db.makeStatement(sql: "INSERT INTO log VALUES (?)")
            nonisolated(unsafe) let logging = log  // Used on the thread of the connection only.
            let logged = DatabaseFunction("logged", argumentCount: 1) { values in
                try logging.execute(arguments: ["the inner text, which is not small"])
                return values[0]
            }
            db.add(function: logged)
            defer { db.remove(function: logged) }
            try db.execute(sql: "INSERT INTO t VALUES (logged(?))", arguments: ["the outer text, which is not small"])
            let texts = try String.fetchAll(db, sql: "SELECT a FROM t UNION ALL SELECT a FROM log")
            #expect(texts == ["the outer text, which is not small", "the inner text, which is not small"])
        }
    }

    @Test func aFailureForgetsTheArguments() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a TEXT UNIQUE)")
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (?)")
            let name = "a text that is not small"
            try statement.execute(arguments: [name])
            for _ in 1...2 {
                let error = expectError(.SQLITE_CONSTRAINT, "UNIQUE constraint failed: t.a", sql: statement.sql) {
                    try statement.execute(arguments: [name])
                }
                #expect(error?.arguments == [name])
                let expanded = sqlite3_expanded_sql(statement.sqliteStatement)
                #expect(expanded.map { String(cString: $0) } == "INSERT INTO t VALUES (NULL)")
                sqlite3_free(expanded)
            }
            // The next execution uses the arguments of the last one.
            try db.execute(sql: "DELETE FROM t")
            try statement.execute()
            #expect(try String.fetchAll(db, sql: "SELECT a FROM t") == [name])
        }
    }

    @Test func tracesShowTheArguments() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a, b, c)")
            var lines: [String] = []
            db.trace(options: [.statement, .profile]) { lines.append($0.expandedDescription) }
            let date = Date(timeIntervalSince1970: 0)
            try db.execute(sql: "INSERT INTO t VALUES (?, ?, ?)", arguments: ["é", Data([255]), date])
            db.trace()
            let sql = "INSERT INTO t VALUES ('é', x'ff', '1970-01-01 00:00:00.000')"
            #expect(lines.count == 2)
            #expect(lines.first == sql && lines.last?.hasSuffix("s " + sql) == true)
        }
    }
}
