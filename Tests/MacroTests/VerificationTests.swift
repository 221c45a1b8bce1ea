#if Macros
import Amalgam
import TestSupport
import Testing

private enum Level: String, DatabaseValueConvertible { case low, high }

@Record("task")
private struct Task {
    @Key var id: Int64?
    var title: String
    var level: Level
    var priority: Int = 1
    var note: String?
}

@Suite("db.verify")
struct VerificationTests {
    private func verify(_ columns: String) throws -> [String] {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE task (\(columns))")
            do {
                try db.verify(Task.self)
                return []
            } catch let error as RecordVerificationError {
                return error.differences.map { "\($0.column): \($0.message)" }
            }
        }
    }

    @Test("a table that agrees with the declaration")
    func same() throws {
        expectEqual(
            try verify(
                """
                id INTEGER PRIMARY KEY, title TEXT NOT NULL, level TEXT NOT NULL, priority INTEGER NOT NULL DEFAULT 1,
                note TEXT, other TEXT, tag TEXT NOT NULL DEFAULT ''
                """), [])
    }

    @Test("each difference is listed")
    func differences() throws {
        expectEqual(
            try verify("id INTEGER, title TEXT, level INTEGER NOT NULL, priority TEXT NOT NULL DEFAULT 2, a NOT NULL"),
            [
                "id: the property is a '@Key', and the column doesn't belong to the primary key",
                "title: the column may be NULL, and the property isn't optional",
                "level: the column has numeric affinity, which stores text that looks like a number as a number",
                "priority: the column has TEXT affinity, which stores numbers as text",
                "priority: the default value of the property is 1, and that of the column is 2",
                "note: the table has no such column",
                "a: the column is NOT NULL without a default, and the record has no property for it",
            ])
        expectEqual(
            try verify(
                """
                id INTEGER, title TEXT NOT NULL PRIMARY KEY, level TEXT NOT NULL, note TEXT NOT NULL,
                priority INTEGER NOT NULL AS (1)
                """),
            [
                "id: the property is a '@Key', and the column doesn't belong to the primary key",
                "title: the column belongs to the primary key, and the property isn't a '@Key'",
                "priority: the column is generated: add '@Column(generated: true)'",
                "note: the property is optional, and the column is NOT NULL",
            ])
    }

    @Test("the error is a text with all differences")
    func description() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: "CREATE TABLE task (id INTEGER PRIMARY KEY, title TEXT, level TEXT NOT NULL, priority, note)")
            let error = #expect(throws: RecordVerificationError.self) { try db.verify(Task.self) }
            expectEqual(
                error.map { "\($0)" },
                """
                Task and table task differ:
                - title: the column may be NULL, and the property isn't optional
                - priority: the column may be NULL, and the property isn't optional
                """)
            expectFailure(.SQLITE_ERROR, "no such table: player") { try db.verify(Player.self) }
        }
    }
}
#endif
