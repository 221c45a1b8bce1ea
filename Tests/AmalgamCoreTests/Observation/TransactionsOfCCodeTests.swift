import Amalgam
import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

/// C code begins and ends transactions: observers receive the events of a transaction before its end.
struct TransactionsOfCCodeTests {
    private static let schema = """
        CREATE TABLE t (id INTEGER PRIMARY KEY);
        INSERT INTO t VALUES (1), (2), (3);
        """

    /// Runs statements in turn, and returns the calls of an observer without those of `databaseWillCommit`. SQL that begins
    /// with "C:" is run by `sqlite3_exec`.
    private func events(_ statements: [String]) throws -> [String] {
        let log = EventLog()
        let queue = try makeQueue(Self.schema)
        queue.add(transactionObserver: log)
        try queue.inDatabase { db in
            for sql in statements {
                if sql.hasPrefix("C:") {
                    sqlite3_exec(db.sqliteConnection, String(sql.dropFirst(2)), nil, nil, nil)
                } else {
                    try db.execute(sql: sql)
                }
            }
        }
        return log.take().filter { $0 != "willCommit" }
    }

    private static func delete(_ id: Int) -> String { "DELETE FROM t WHERE id = \(id)" }

    @Test(arguments: [
        (["BEGIN", delete(1), "C:ROLLBACK; BEGIN", delete(2), "COMMIT"], ["1", "rollback", "2", "commit"]),
        (["BEGIN", delete(1), "C:COMMIT; BEGIN", delete(2), "COMMIT"], ["1", "commit", "2", "commit"]),
        (["BEGIN", delete(1), "C:COMMIT; BEGIN", delete(2), "ROLLBACK"], ["1", "commit", "2", "rollback"]),
        (["BEGIN", delete(1), "C:ROLLBACK; \(delete(2))"], ["1", "rollback", "2", "commit"]),
        (["BEGIN", delete(1), "C:ROLLBACK; BEGIN; \(delete(2)); COMMIT"], ["1", "rollback", "2", "commit"]),
        (["BEGIN", delete(1), "C:ROLLBACK; BEGIN; \(delete(2))", "COMMIT"], ["1", "rollback", "2", "commit"]),
        (["BEGIN", delete(1), "C:ROLLBACK; CREATE TABLE u (a)"], ["1", "rollback", "commit"]),
        (["C:BEGIN; \(delete(1)); ROLLBACK; BEGIN; \(delete(2)); COMMIT"], ["1", "rollback", "2", "commit"]),
        (["C:BEGIN; \(delete(1)); COMMIT; INSERT INTO t VALUES (2)"], ["1", "commit"]),
        (["C:BEGIN; \(delete(1)); COMMIT; BEGIN; CREATE TABLE u (a); ROLLBACK"], ["1", "commit"]),
        (["BEGIN", delete(1), "C:ROLLBACK", "BEGIN", delete(2), "COMMIT"], ["1", "rollback", "2", "commit"]),
        // A commit, and rows of the next transaction by the same C code, are reported together.
        (["C:BEGIN; \(delete(1)); COMMIT; BEGIN; \(delete(2))", delete(3), "COMMIT"], ["1", "2", "3", "commit"]),
        (["C:BEGIN; \(delete(1)); COMMIT; BEGIN; \(delete(2))", delete(3), "ROLLBACK"], ["1", "2", "3", "commit"]),
        (["C:SAVEPOINT s; \(delete(1)); COMMIT; BEGIN; \(delete(2)); COMMIT"], ["1", "2", "commit"]),
    ])
    func eventsComeInTheirTransactions(statements: [String], expected: [String]) throws {
        let lines = try events(statements).map { line in
            line == "didCommit" ? "commit" : line == "didRollback" ? "rollback" : String(line.dropFirst(9).dropLast())
        }
        #expect(lines == expected)
    }

    @Test func aFunctionEndsTheTransaction() throws {
        let log = EventLog()
        try makeQueue(Self.schema).inDatabase { db in
            db.add(transactionObserver: log)
            nonisolated(unsafe) let connection = db.sqliteConnection
            db.add(
                function: DatabaseFunction("restart", argumentCount: 0) { _ in
                    Int(sqlite3_exec(connection, "ROLLBACK; BEGIN", nil, nil, nil))
                })
            try db.execute(sql: "BEGIN; DELETE FROM t WHERE id = 1")
            #expect(try Int.fetchOne(db, sql: "SELECT restart()") == 0)
            try db.execute(sql: "DELETE FROM t WHERE id = 2; COMMIT")
        }
        #expect(log.take() == ["delete t(1)", "didRollback", "delete t(2)", "willCommit", "didCommit"])
    }

    /// The commit of C code fails before SQLite asks observers, because the database is busy. Its transaction goes on.
    @Test func aBusyCommit() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("t.sqlite").path
            var configuration = Configuration()
            configuration.busyMode = .immediateError
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let reader = try DatabaseQueue(path: path)
            let log = EventLog()
            queue.add(transactionObserver: log)
            try queue.inDatabase { db in
                try db.execute(sql: Self.schema)
                _ = log.take()
                try db.execute(sql: "BEGIN; DELETE FROM t WHERE id = 1")
                try reader.read { other in
                    _ = try Int.fetchAll(other, sql: "SELECT id FROM t")
                    let code = sqlite3_exec(db.sqliteConnection, "COMMIT", nil, nil, nil)
                    #expect(code == SQLITE_BUSY)
                    try db.execute(sql: "DELETE FROM t WHERE id = 2")
                }
                #expect(log.take() == ["delete t(1)", "delete t(2)"])
                try db.execute(sql: "ROLLBACK")
                #expect(log.take() == ["didRollback"])
            }
            try reader.close()
            try queue.close()
        }
    }

    /// The connection can be used in `databaseDidCommit`, which is called before the next statement.
    @Test func theObserverOfACommitSeesItsState() throws {
        let log = EventLog()
        nonisolated(unsafe) var counts: [Int?] = []
        log.onCommit = { _, db in counts.append(try? Int.fetchOne(db, sql: "SELECT count(*) FROM t")) }
        try makeQueue(Self.schema).inDatabase { db in
            db.add(transactionObserver: log)
            sqlite3_exec(db.sqliteConnection, "DELETE FROM t WHERE id = 1", nil, nil, nil)
            try db.execute(sql: "DELETE FROM t WHERE id = 2")
        }
        #expect(counts == [2, 1])
    }
}
