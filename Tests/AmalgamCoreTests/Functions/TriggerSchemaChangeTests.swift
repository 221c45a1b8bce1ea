import Amalgam
import AmalgamCore
import AmalgamSessions
import TestSupport
import Testing

/// Triggers that only call a function, which changes the schema. SQLite runs the program of the trigger, and continues
/// with the program of the statement that has fired the trigger: this program points into the schema.
struct TriggerSchemaChangeTests {
    /// The receiver of the rows, if any.
    enum Listener: CaseIterable { case none, observer, session }

    private static let schema = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER) STRICT;
        CREATE INDEX i ON t (a);
        CREATE TABLE other (id INTEGER PRIMARY KEY);
        INSERT INTO t VALUES (1, 10, 10), (2, 20, 20), (3, 30, 30);
        """

    private static let statements = [
        "INSERT INTO t VALUES (5, 5, 5), (6, 6, 6)", "INSERT INTO t SELECT id + 10, a, b FROM t",
        "REPLACE INTO t VALUES (1, 9, 9), (2, 8, 8)", "UPDATE t SET a = a + 1, b = b + 1", "DELETE FROM t",
        "DELETE FROM t WHERE a < (SELECT max(b) FROM t)",
    ]

    private static let changes = [
        "ALTER TABLE t ADD COLUMN z DEFAULT 3", "ALTER TABLE t RENAME COLUMN b TO c", "ALTER TABLE t DROP COLUMN b",
        "ALTER TABLE t RENAME TO renamed", "CREATE INDEX j ON t (b)", "CREATE UNIQUE INDEX j ON t (a, b)",
        "DROP INDEX i", "DROP TABLE other", "DROP TRIGGER after_insert", "REINDEX t", "PRAGMA schema_version = 99",
        "PRAGMA main.Schema_Version = 99", "PRAGMA writable_schema = RESET", "EXPLAIN PRAGMA writable_schema = RESET",
        "PRAGMA temp_store = 2",
    ]

    private struct Outcome: Equatable {
        var rows: [[Int]]
        var reports: [String]
    }

    /// Each schema change is refused. The statement changes its rows, and the listener receives them.
    @Test(arguments: Listener.allCases, statements)
    func schemaChangesAreRefused(_ listener: Listener, _ statement: String) throws {
        for time in ["BEFORE", "AFTER"] {
            let expected = try run(statement, time, calling: "SELECT 1", listener).outcome
            for change in Self.changes {
                let (outcome, errors) = try run(statement, time, calling: change, listener)
                #expect(Set(errors) == [.SQLITE_LOCKED], "\(time): \(change)")
                #expect(outcome == expected, "\(time): \(change)")
            }
        }
    }

    /// These statements don't disturb the calling statement. `VACUUM` is refused by SQLite.
    @Test(arguments: Listener.allCases, statements)
    func otherStatementsDoNoHarm(_ listener: Listener, _ statement: String) throws {
        for time in ["BEFORE", "AFTER"] {
            let expected = try run(statement, time, calling: "SELECT 1", listener).outcome
            for sql in ["CREATE TABLE IF NOT EXISTS more (a)", "VACUUM", "PRAGMA schema_version"] {
                let (outcome, errors) = try run(statement, time, calling: sql, listener)
                #expect(errors.isEmpty == (sql != "VACUUM"), "\(time): \(sql)")
                #expect(outcome == expected, "\(time): \(sql)")
            }
        }
    }

    /// A statement that was compiled before the calling statement has begun is refused, too.
    @Test func aPreparedPragma() throws {
        try DatabaseKind.memory.run { db throws in
            try db.execute(sql: Self.schema)
            let (db, pragma) = (db.shared, Shared<Statement?>(nil))
            pragma.value = try db.value.makeStatement(sql: "PRAGMA schema_version = 99")
            db.value.add(
                function: DatabaseFunction("f", argumentCount: 1) { values in
                    try pragma.value?.execute()
                    return values[0]
                })
            let error = #expect(throws: DatabaseError.self) {
                try db.value.execute(sql: "INSERT INTO t (a, b) SELECT f(a), b FROM t")
            }
            #expect(error?.resultCode == .SQLITE_LOCKED)
            #expect(
                error?.message == """
                    The schema cannot be changed here: the statement that calls this code is using it. Change the \
                    schema before or after that statement.
                    """)
            try pragma.value?.execute()
            #expect(try Int.fetchOne(db.value, sql: "PRAGMA schema_version") == 99)
            pragma.value = nil
        }
    }

    /// Runs a statement on a table with triggers, whose function runs SQL in each call, and ignores its errors.
    private func run(
        _ statement: String, _ time: String, calling sql: String, _ listener: Listener
    ) throws -> (outcome: Outcome, errors: [ResultCode]) {
        let errors = Shared<[ResultCode]>([])
        let outcome = Shared(Outcome(rows: [], reports: []))
        try DatabaseKind.memory.run { db throws in
            try db.execute(sql: Self.schema)
            let shared = db.shared
            db.add(
                function: DatabaseFunction("f", argumentCount: 1) { values in
                    do {
                        try shared.value.execute(sql: sql)
                    } catch {
                        errors.value.append((error as? DatabaseError)?.resultCode ?? .SQLITE_OK)
                    }
                    // If the schema was discarded, a query makes SQLite read it again.
                    _ = try Int.fetchOne(shared.value, sql: "SELECT count(*) FROM t")
                    return values[0]
                })
            for (event, row) in [("insert", "new"), ("update", "new"), ("delete", "old")] {
                let name = "\(time.lowercased())_\(event)"
                try db.execute(sql: "CREATE TRIGGER \(name) \(time) \(event) ON t BEGIN SELECT f(\(row).a); END")
            }
            try db.execute(sql: "CREATE TRIGGER IF NOT EXISTS after_insert AFTER INSERT ON t BEGIN SELECT 1; END")
            let log = EventLog { $0.tableName == "t" }
            let session = listener == .session ? try Session(db) : nil
            try session?.attach(table: "t")
            if listener == .observer { db.add(transactionObserver: log) }
            try db.execute(sql: statement)
            outcome.value.rows = try Row.fetchAll(db, sql: "SELECT id, a, b FROM t ORDER BY id").map { row in
                (0..<3).map { row[$0] }
            }
            outcome.value.reports = try session?.changeset().lines ?? log.take().filter { $0.contains(" t(") }
            try session?.close()
            #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"], "\(time): \(sql)")
        }
        return (outcome.value, errors.value)
    }
}
