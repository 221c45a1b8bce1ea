import Amalgam
import AmalgamCore
import AmalgamSessions
import TestSupport
import Testing

/// SQL functions that alter the schema during a statement whose rows an observer or a session receives: SQLite's
/// program, and its hooks, point into the schema that would be freed.
struct FunctionSchemaChangeTests {
    /// The receiver of the rows.
    enum Listener: CaseIterable { case observer, session }

    private static let schema = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, a);
        CREATE INDEX i ON t (a);
        CREATE TABLE other (id INTEGER PRIMARY KEY);
        INSERT INTO t VALUES (1, 10), (2, 20), (3, 30);
        """

    private static let changes = [
        "ALTER TABLE other ADD COLUMN z", "ALTER TABLE t ADD COLUMN z", "ALTER TABLE other RENAME TO another",
        "DROP INDEX i", "DROP TABLE other", "CREATE TABLE more (a)",
        "CREATE TRIGGER g AFTER UPDATE ON t BEGIN SELECT 1; END",
        "VACUUM",
    ]

    /// The rows change as the statement requests, whether or not the schema can change at this time.
    @Test(arguments: Listener.allCases, changes)
    func aChangeWhoseErrorIsCaught(_ listener: Listener, _ change: String) throws {
        try run(listener) { db, rowsReceived in
            let errors = Shared<[any Error]>([])
            try call(db) { db in
                do { try db.execute(sql: change) } catch { errors.value.append(error) }
                // If the schema was discarded, a query makes SQLite read it again.
                _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
            }
            #expect(errors.value.allSatisfy { ($0 as? DatabaseError).map(Self.isRefusal) ?? false })
            if change.hasPrefix("ALTER") { #expect(errors.value.count == 1) }
            #expect(try Int.fetchAll(db, sql: "SELECT a FROM t ORDER BY id") == [11, 21, 31])
            #expect(try rowsReceived() == 3)
        }
    }

    /// If the function throws the error of the schema change, the statement throws it, and changes nothing.
    @Test(arguments: Listener.allCases)
    func aChangeWhoseErrorIsThrown(_ listener: Listener) throws {
        try run(listener) { db, _ in
            let error = #expect(throws: DatabaseError.self) {
                try call(db) { try $0.execute(sql: "ALTER TABLE other ADD COLUMN z") }
            }
            #expect(error?.resultCode == .SQLITE_LOCKED)
            #expect(try Int.fetchAll(db, sql: "SELECT a FROM t ORDER BY id") == [10, 20, 30])
            try db.execute(sql: "ALTER TABLE other ADD COLUMN z")
        }
    }

    /// Without a listener, a query may change the schema.
    @Test func aChangeInsideAQuery() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: Self.schema)
            db.add(transactionObserver: EventLog(), extent: .databaseLifetime)
            let shared = db.shared
            let calls = CallCounter()
            db.add(
                function: DatabaseFunction("f") { (x: Int) in
                    calls.increment()
                    if calls.value == 1 { try shared.value.execute(sql: "CREATE TABLE more (a)") }
                    return x
                })
            #expect(try Int.fetchAll(db, sql: "SELECT f(a) FROM t ORDER BY id") == [10, 20, 30])
            #expect(try db.tableExists("more"))
        }
    }

    // MARK: Support

    /// Runs an update of three rows whose function calls a closure for the first one.
    private func call(_ db: Database, _ body: @escaping (Database) throws -> Void) throws {
        let shared = Shared((db: db, body: body, isFirst: true))
        db.add(
            function: DatabaseFunction("f") { (x: Int) in
                if shared.value.isFirst {
                    shared.value.isFirst = false
                    try shared.value.body(shared.value.db)
                }
                return x + 1
            })
        try db.execute(sql: "UPDATE t SET a = f(a)")
    }

    private func run(_ listener: Listener, _ test: (Database, () throws -> Int) throws -> Void) throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: Self.schema)
            let log = EventLog { $0.tableName == "t" }
            let session = listener == .session ? try Session(db) : nil
            try session?.attach(table: "t")
            if listener == .observer { db.add(transactionObserver: log) }
            try test(db) {
                if let session { return try session.changeset().lines.count }
                return log.take().filter { $0.hasPrefix("update t(") }.count
            }
            try session?.close()
            try #expect(String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
        }
    }

    private static func isRefusal(_ error: DatabaseError) -> Bool {
        error.resultCode == .SQLITE_LOCKED
            || error.message?.hasPrefix("cannot VACUUM") == true
    }
}
