import Amalgam
import TestSupport
import Testing

/// Statements that fail, and whose first changes remain: with `OR FAIL`, and with `RAISE(FAIL)`. Outside of a
/// transaction, SQLite commits these changes.
struct PreservedChangeTests {
    private static let failures = [
        "INSERT OR FAIL INTO t VALUES (1, 'a'), (1, 'b'), (3, 'c')",
        "INSERT INTO t VALUES (1, 'a'), (2, 'fail'), (3, 'c')",
    ]

    private static let schema = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT);
        CREATE TRIGGER refusal AFTER INSERT ON t WHEN new.v = 'fail' BEGIN
          DELETE FROM t WHERE id = new.id;
          SELECT RAISE(FAIL, 'refused');
        END;
        """

    @Test(arguments: failures)
    func outsideOfATransactionTheyAreCommitted(sql: String) throws {
        try makeQueue(Self.schema).inDatabase { db in
            let events = db.events { expectFailure(.SQLITE_CONSTRAINT) { try db.execute(sql: sql) } }
            #expect(events.first == "insert t(1)")
            #expect(events.suffix(2) == ["willCommit", "didCommit"])
            try #expect(Int.fetchAll(db, sql: "SELECT id FROM t") == [1])
            // The next statement is a transaction of its own.
            let nextEvents = try db.events { try db.execute(sql: "DELETE FROM t") }
            #expect(nextEvents == ["delete t(1)", "willCommit", "didCommit"])
        }
    }

    @Test(arguments: failures)
    func insideOfATransactionTheTransactionGoesOn(sql: String) throws {
        try makeQueue(Self.schema).inDatabase { db in
            try db.beginTransaction()
            let events = db.events { expectFailure(.SQLITE_CONSTRAINT) { try db.execute(sql: sql) } }
            #expect(events.first == "insert t(1)")
            #expect(!events.contains("willCommit"))
            let end = try db.events { try db.commit() }
            #expect(end == ["willCommit", "didCommit"])
            try #expect(Int.fetchAll(db, sql: "SELECT id FROM t") == [1])
        }
    }

    /// SQLite undoes the changes of a statement that fails otherwise.
    @Test(arguments: ["", "OR ABORT", "OR ROLLBACK"])
    func otherFailuresAreRolledBack(conflict: String) throws {
        try makeQueue(Self.schema).inDatabase { db in
            let events = db.events {
                expectFailure(.SQLITE_CONSTRAINT) {
                    try db.execute(sql: "INSERT \(conflict) INTO t VALUES (1, 'a'), (1, 'b')")
                }
            }
            #expect(events == ["insert t(1)", "didRollback"])
            try #expect(Int.fetchAll(db, sql: "SELECT id FROM t") == [])
        }
    }

    /// While the cursor of another statement that writes has rows left, SQLite doesn't commit.
    @Test func theCommitWaitsForACursor() throws {
        try makeQueue(Self.schema + "INSERT INTO t VALUES (8, 'x'), (9, 'y')").inDatabase { db in
            let log = EventLog()
            db.add(transactionObserver: log)
            let cursor = try Int.fetchCursor(db, sql: "UPDATE t SET v = 'z' RETURNING id")
            try #expect(cursor.next() == 8)
            expectFailure(.SQLITE_CONSTRAINT) { try db.execute(sql: Self.failures[0]) }
            #expect(log.take() == ["update t(8)", "update t(9)", "insert t(1)"])
            while try cursor.next() != nil {}
            #expect(log.take() == ["willCommit", "didCommit"])
        }
    }

    @Test func anObserverMayRefuseTheCommit() throws {
        try makeQueue(Self.schema).inDatabase { db in
            let log = EventLog()
            log.refusal = Refusal()
            db.add(transactionObserver: log)
            #expect(throws: Refusal.self) { try db.execute(sql: Self.failures[0]) }
            #expect(log.take() == ["insert t(1)", "willCommit", "didRollback"])
            try #expect(Int.fetchAll(db, sql: "SELECT id FROM t") == [])
        }
    }

    @Test func theClosuresOfTheNextTransactionRun() throws {
        try makeQueue(Self.schema).inDatabase { db in
            let lines = Lines()
            db.afterNextTransaction(
                onCommit: { _ in lines.append("commit") }, onRollback: { _ in lines.append("rollback") })
            expectFailure(.SQLITE_CONSTRAINT) { try db.execute(sql: Self.failures[0]) }
            #expect(lines.take() == ["commit"])
        }
    }

    /// The commit of a function that a query calls is the commit of the nested statement, and not that of the query.
    @Test func aCommitInsideOfAQueryIsNotifiedOnce() throws {
        try makeQueue(Self.schema).inDatabase { db in
            let shared = db.shared
            db.add(
                function: DatabaseFunction("commit_now") { () -> Int in
                    try shared.value.commit()
                    return 1
                })
            for isRestricted in [false, true] {
                try db.execute(sql: "BEGIN; INSERT INTO t VALUES (NULL, 'a')")
                let events = try db.events {
                    let sql = "SELECT commit_now()"
                    if isRestricted {
                        _ = try db.withAuthorizer { _ in
                            .allow
                        } perform: {
                            try Int.fetchOne(db, sql: sql)
                        }
                    } else {
                        _ = try Int.fetchOne(db, sql: sql)
                    }
                }
                #expect(events == ["willCommit", "didCommit"])
            }
        }
    }

    @Test func theCommitToAWALFileIsNotified() throws {
        try DatabaseKind.pool.run { db in
            try db.execute(sql: Self.schema)
            let lines = Lines()
            try db.onWALCommit { _, commit in lines.append(commit.schemaName) }
            expectFailure(.SQLITE_CONSTRAINT) { try db.execute(sql: Self.failures[0]) }
            #expect(lines.take() == ["main"])
        }
    }
}
