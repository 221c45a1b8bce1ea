import Amalgam
import AmalgamCore
import CAmalgam
import Foundation
import Testing

/// Texts and blobs of one run are read by SQLite from 4096 bytes of the connection, as far as these go.
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

    /// A closure that SQLite calls may run a statement, with arguments of its own.
    @Test func aRunInsideAnother() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a); CREATE TABLE log (a)")
            let log = try db.makeStatement(sql: "INSERT INTO log VALUES (?)")
            nonisolated(unsafe) let logging = log  // It is used on the thread of the connection.
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
            // The arguments of the last execution serve the next one.
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
