import Amalgam
import TestSupport
import Testing

/// Statements that a function runs in the middle of the statement that calls it: each of them is executed once, and
/// undone as a whole.
struct NestedStatementTests {
    private static let schema = """
        CREATE TABLE log (id INTEGER PRIMARY KEY, n);
        CREATE TABLE t (id INTEGER PRIMARY KEY, a CHECK (a <> 9));
        CREATE TABLE once (a UNIQUE);
        CREATE TRIGGER refusal AFTER INSERT ON once WHEN new.a = 7 BEGIN SELECT RAISE(ROLLBACK, 'refused'); END;
        INSERT INTO log VALUES (1, 0), (2, 0), (3, 0);
        INSERT INTO t VALUES (1, 0), (2, 0), (3, 0);
        INSERT INTO once VALUES (1);
        """

    /// Runs a test with a function `f` that runs a closure in its first call, and returns its argument.
    private func run(
        _ body: @escaping (Database) throws -> Void, _ test: (Database) throws -> Void
    ) throws {
        try DatabaseKind.memory.run { db throws in
            try db.execute(sql: Self.schema)
            let (shared, body) = (db.shared, Shared<((Database) throws -> Void)?>(body))
            db.add(
                function: DatabaseFunction("f", argumentCount: 1) { values in
                    let first = body.value
                    body.value = nil
                    try first?(shared.value)
                    return values[0]
                })
            try test(db)
            #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
        }
    }

    private func log(_ db: Database) throws -> [Int] {
        try Int.fetchAll(db, sql: "SELECT id * 10 + n FROM log")
    }

    private func table(_ db: Database) throws -> [Int] { try Int.fetchAll(db, sql: "SELECT id * 10 + a FROM t") }

    // MARK: RETURNING

    /// Something makes SQLite compile statements again while a cursor of a nested statement has rows to return.
    @Test(
        arguments: ["CREATE TABLE more (a)", "PRAGMA recursive_triggers = 1", "observer", "function"], [false, true])
    func aNestedStatementWithReturningIsExecutedOnce(change: String, isInTransaction: Bool) throws {
        let statements = [
            ("INSERT INTO log (n) VALUES (4), (5), (6) RETURNING id", [4, 5, 6], [10, 20, 30, 44, 55, 66]),
            ("UPDATE log SET n = n + 1 RETURNING n", [1, 1, 1], [11, 21, 31]),
            ("DELETE FROM log WHERE id = (SELECT min(id) FROM log) RETURNING id", [1], [20, 30]),
            ("DELETE FROM log RETURNING id", [1, 2, 3], []),
        ]
        for (sql, rows, content) in statements {
            let observer = EventLog()
            var returned: [Int] = []
            let returnedRows = Shared(returned)
            let nested: (Database) throws -> Void = { db in
                let cursor = try Int.fetchCursor(db, sql: sql)
                if let first = try cursor.next() { returnedRows.value.append(first) }
                switch change {
                case "observer": db.add(transactionObserver: observer)
                case "function": db.add(function: DatabaseFunction("another") { (x: Int) in x })
                default: try db.execute(sql: change)
                }
                while let row = try cursor.next() { returnedRows.value.append(row) }
            }
            try run(nested) { db throws in
                if isInTransaction { try db.beginTransaction() }
                #expect(try Int.fetchOne(db, sql: "SELECT f(1)") == 1)
                if isInTransaction { try db.commit() }
                returned = returnedRows.value
                #expect(returned == rows, "\(sql)")
                #expect(try log(db) == content, "\(sql)")
            }
        }
    }

    /// A DELETE that collects rowids isn't refused because of itself when it returns its further rows.
    @Test(arguments: [
        "DELETE FROM log RETURNING id", "DELETE FROM log WHERE n < (SELECT 1 + count(*) FROM log) RETURNING id",
    ])
    func aNestedDeleteReturnsItsRows(sql: String) throws {
        let ways: [(Database) throws -> Int] = [
            { db in
                try db.execute(sql: sql); return 3
            },
            { db in try Int.fetchAll(db, sql: sql).count },
            { db in try Int.fetchOne(db, sql: sql) == 1 ? 3 : 0 },
            { db in try Array(Int.fetchCursor(db, sql: sql)).count },
        ]
        for way in ways {
            let count = Shared(0)
            try run({ db in count.value = try way(db) }) { db throws in
                #expect(try Int.fetchOne(db, sql: "SELECT f(1)") == 1)
                #expect(count.value == 3)
                #expect(try log(db) == [])
            }
        }
    }

    // MARK: Rollbacks

    private static let rollbacks = [
        "INSERT OR ROLLBACK INTO once VALUES (1)", "INSERT INTO once VALUES (7)", "ROLLBACK",
    ]

    /// The statement opens no cursor after the call, at which SQLite would stop it.
    @Test(
        arguments: [
            "INSERT INTO t VALUES (4, 4) RETURNING f(id)", "INSERT INTO t VALUES (5, 5)",
            "UPDATE t SET a = 5 WHERE id = 3 RETURNING f(id)", "DELETE FROM t WHERE id = 3 RETURNING f(id)",
            "INSERT INTO t SELECT 8, f(4) UNION ALL SELECT 9, 1", "INSERT INTO t VALUES (8, f(4)), (9, 1)",
        ], rollbacks)
    func aStatementThrowsIfAFunctionHasRolledBackItsChanges(sql: String, rollback: String) throws {
        for (isInTransaction, isObserved) in [(false, false), (false, true), (true, false), (true, true)] {
            if rollback == "ROLLBACK", !isInTransaction { continue }
            let observer = EventLog()
            try run({ db in try? db.execute(sql: rollback) }) { db throws in
                try db.execute(
                    sql: """
                        CREATE TRIGGER called AFTER INSERT ON t WHEN new.id = 5 BEGIN SELECT f(new.id); END;
                        """)
                if isObserved { db.add(transactionObserver: observer) }
                if isInTransaction { try db.beginTransaction() }
                let error = #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
                #expect(error?.extendedResultCode == .SQLITE_ABORT_ROLLBACK)
                #expect(error?.message == "abort due to ROLLBACK")
                #expect(!db.isInsideTransaction)
                #expect(try table(db) == [10, 20, 30])
                if isObserved {
                    let events = observer.take()
                    #expect(events.contains("didRollback"))
                    #expect(!events.contains("didCommit"))
                }
                // The connection is usable.
                try db.execute(sql: "INSERT INTO t VALUES (6, 6)")
                #expect(try table(db) == [10, 20, 30, 66])
            }
        }
    }

    /// A statement that begins after the rollback succeeds. It is undone with the statement that calls it.
    @Test func statementsAfterTheRollback() throws {
        let rows = Shared<[Int]>([])
        let nested: (Database) throws -> Void = { db in
            try? db.execute(sql: "INSERT OR ROLLBACK INTO once VALUES (1)")
            try db.execute(sql: "UPDATE log SET n = 1 WHERE id = 1")
            rows.value = try Int.fetchAll(db, sql: "UPDATE log SET n = n + 2 RETURNING n")
        }
        try run(nested) { db throws in
            let error = #expect(throws: DatabaseError.self) {
                try db.execute(sql: "INSERT INTO t VALUES (4, 4) RETURNING f(id)")
            }
            #expect(error?.extendedResultCode == .SQLITE_ABORT_ROLLBACK)
            #expect(rows.value == [3, 2, 2])
            #expect(try log(db) == [10, 20, 30])
            #expect(try table(db) == [10, 20, 30])
        }
    }

    /// Violations of foreign keys have their own code.
    @Test func aViolationInAFunctionIsItsOwnError() throws {
        try run({ db in try db.execute(sql: "INSERT INTO child VALUES (99)") }) { db throws in
            try db.execute(sql: "CREATE TABLE child (t REFERENCES t)")
            let error = #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO t VALUES (4, f(4))") }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
            let outer = #expect(throws: DatabaseError.self) {
                try db.execute(sql: "INSERT INTO child VALUES (98), (f(2))")
            }
            #expect(outer?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
            #expect(try table(db) == [10, 20, 30])
        }
    }

    // MARK: Open cursors

    private static let failures = [
        "INSERT INTO t VALUES (10, 1), (11, f(1)), (12, 9)",
        "INSERT INTO t SELECT id + 10, CASE id WHEN 2 THEN f(1) WHEN 3 THEN 9 ELSE 0 END FROM t",
        "UPDATE t SET a = CASE id WHEN 2 THEN f(1) WHEN 3 THEN 9 ELSE 1 END",
        "DELETE FROM t WHERE CASE id WHEN 2 THEN f(1) WHEN 3 THEN abs(-9223372036854775807 - 1) ELSE 1 END",
    ]

    /// Outside of a transaction, SQLite undoes a failed statement only if no other statement that writes is open.
    @Test(arguments: failures, [false, true])
    func aFailedStatementIsUndoneWithACursorOfItsFunctionThatIsOpen(sql: String, isObserved: Bool) throws {
        let cursor = Shared<FastDatabaseValueCursor<Int>?>(nil)
        let observer = EventLog()
        let nested: (Database) throws -> Void = { db in
            cursor.value = try Int.fetchCursor(db, sql: "UPDATE log SET n = 1 RETURNING id")
            #expect(try cursor.value?.next() == 1)
        }
        try run(nested) { db throws in
            if isObserved { db.add(transactionObserver: observer) }
            #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
            #expect(!db.isInsideTransaction)
            #expect(try table(db) == [10, 20, 30])
            #expect(try log(db) == [10, 20, 30])
            let error = #expect(throws: DatabaseError.self) { while try cursor.value?.next() != nil {} }
            #expect(error?.extendedResultCode == .SQLITE_ABORT_ROLLBACK)
            cursor.value = nil
            if isObserved {
                let events = observer.take()
                #expect(events.contains("didRollback"))
                #expect(!events.contains("didCommit"))
            }
            try db.execute(sql: "INSERT INTO t VALUES (6, 6)")
            #expect(try table(db) == [10, 20, 30, 66])
        }
    }

    /// A function begins a transaction, and leaves it open.
    @Test(arguments: failures, ["BEGIN", "SAVEPOINT s"])
    func aFailedStatementIsUndoneWithTheTransactionThatItsFunctionHasBegun(sql: String, begin: String) throws {
        try run({ db in try db.execute(sql: begin) }) { db throws in
            #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
            #expect(!db.isInsideTransaction)
            #expect(try table(db) == [10, 20, 30])
        }
    }

    /// A statement fails while a cursor is open that was opened before it: SQLite undoes the statement alone.
    @Test(arguments: failures)
    func anOpenCursorKeepsItsChangesIfALaterStatementFails(sql: String) throws {
        let kept = Shared<FastDatabaseValueCursor<Int>?>(nil)
        let nested: (Database) throws -> Void = { db in
            kept.value = try Int.fetchCursor(db, sql: "UPDATE log SET n = 1 WHERE id < 3 RETURNING id")
            #expect(try kept.value?.next() == 1)
        }
        try run(nested) { db throws in
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (?, f(?))")
            try statement.execute(arguments: [7, 1])
            #expect(throws: DatabaseError.self) { try statement.execute(arguments: [8, 9]) }
            #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
            #expect(try kept.value?.next() == 2)
            #expect(try kept.value?.next() == nil)
            kept.value = nil
            #expect(try table(db) == [10, 20, 30, 71])
            #expect(try log(db) == [11, 21, 30])
        }
    }
}
