import Amalgam
import AmalgamCore
import TestSupport
import Testing

/// A value of a wrong type in a STRICT table undoes the whole statement.
@Suite struct StrictTableTests {
    @Test(arguments: [
        "INSERT OR REPLACE INTO t VALUES (1, '', 'c')", "INSERT INTO t VALUES (3, 3, 'c'), (4, '', 'd')",
        "INSERT OR REPLACE INTO t VALUES (1, 3, 'd'), (2, '', 'c')",
        "UPDATE OR REPLACE t SET u = 'b', a = '' WHERE id = 1",
        "UPDATE t SET a = CASE id WHEN 1 THEN 5 ELSE '' END",
    ])
    func valuesOfAWrongType(statement: String) throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a REAL, u TEXT UNIQUE) STRICT")
            try db.execute(sql: "INSERT INTO t VALUES (1, 1, 'a'), (2, 2, 'b')")
            try db.inTransaction {
                expectCode(.SQLITE_CONSTRAINT) { try db.execute(sql: statement) }
                return .commit
            }
            try expectEqual(db.rows(of: "t"), ["1|1.0|a", "2|2.0|b"])
            try expectEqual(String.fetchAll(db, sql: "PRAGMA integrity_check"), ["ok"])
        }
    }
}
