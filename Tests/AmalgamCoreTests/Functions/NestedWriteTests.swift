import Amalgam
import Foundation
import TestSupport
import Testing

/// Functions that write while the statement that calls them writes. SQLite doesn't protect the file from them.
struct NestedWriteTests {
    private static let tables = [
        "CREATE TABLE t (a, b, c, PRIMARY KEY (b, a)) WITHOUT ROWID",
        "CREATE TABLE t (a, b, c, PRIMARY KEY (b, a))",
        "CREATE TABLE t (a, b, c, id INTEGER PRIMARY KEY, UNIQUE (c, b, a))",
    ]

    private static let content = """
        CREATE TABLE other (k PRIMARY KEY, v);
        CREATE TRIGGER refusal AFTER INSERT ON other WHEN new.v = 'refused' BEGIN SELECT RAISE(ABORT, 'refused'); END;
        INSERT INTO t (a, b, c) VALUES ('a', '1', 1), ('a', 'a', 2), ('a', x'31', 3), (1, 1, 4), (x'31', 2, 5);
        """

    private static let misuse = """
        Rows cannot be changed here: the statement that calls this code is changing rows of the same table. Change them \
        before or after that statement, or in a trigger.
        """

    /// Runs a test with a table, and a function that runs SQL in its second call. The function returns its argument.
    private func run(
        _ table: String, calling sql: String, ignoresErrors: Bool = true, _ test: (Database, Lines) throws -> Void
    ) throws {
        try DatabaseKind.memory.run { db throws in
            try db.execute(sql: table + ";" + Self.content)
            let (db, calls, errors) = (db.shared, Box(0), Lines())
            db.value.add(
                function: DatabaseFunction("f", argumentCount: 1) { values in
                    calls.value += 1
                    guard calls.value == 2 else { return values[0] }
                    do {
                        try db.value.execute(sql: sql)
                    } catch {
                        errors.append("\((error as? DatabaseError)?.message ?? "\(error)")")
                        if !ignoresErrors { throw error }
                    }
                    return values[0]
                })
            try test(db.value, errors)
            #expect(try String.fetchAll(db.value, sql: "PRAGMA integrity_check") == ["ok"])
        }
    }

    /// SQLite undoes a failed statement, and saves the positions of all cursors before. A statement that writes at such
    /// a position would write to another row.
    @Test(arguments: tables, [false, true])
    func aFailedStatementOnAnotherTableDoesNoHarm(table: String, isInTransaction: Bool) throws {
        let failures = [
            "INSERT INTO other VALUES (3, 'x'), (3, 'y')", "INSERT INTO other VALUES (1, 'refused')",
            "INSERT OR FAIL INTO other VALUES (3, 'x'), (3, 'y')", "INSERT INTO other VALUES (2, 'x')",
        ]
        for sql in failures {
            for update in ["UPDATE t SET c = f(7)", "UPDATE t SET c = f(a) WHERE c > 1", "DELETE FROM t WHERE f(1)"] {
                try run(table, calling: sql) { db, _ in
                    if isInTransaction { try db.beginTransaction() }
                    try db.execute(sql: update)
                    if isInTransaction { try db.commit() }
                    if update == "UPDATE t SET c = f(7)" {
                        #expect(try Int.fetchAll(db, sql: "SELECT c FROM t") == [7, 7, 7, 7, 7])
                    } else if update.hasPrefix("DELETE") {
                        #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 0)
                    } else {
                        #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t WHERE c IS a") == 4)
                    }
                }
            }
        }
    }

    /// Rows of the table that the calling statement changes can't be changed: the error comes before any change.
    @Test(arguments: tables)
    func rowsOfTheSameTableCannotBeChanged(table: String) throws {
        let changes = [
            "UPDATE t SET a = a || 'x'", "DELETE FROM t", "DELETE FROM t WHERE c = 3",
            "INSERT INTO t (a, b, c) VALUES (0, 0, 0)", "REPLACE INTO t (a, b, c) VALUES ('a', '1', 0)",
        ]
        for sql in changes {
            for update in ["UPDATE t SET c = f(c)", "DELETE FROM t WHERE f(0)"] {
                try run(table, calling: sql) { db, errors in
                    let before = try Row.fetchAll(db, sql: "SELECT * FROM t")
                    try db.execute(sql: update)
                    #expect(errors.take() == [Self.misuse])
                    #expect(try Row.fetchAll(db, sql: "SELECT * FROM t") == before)
                }
            }
        }
        try run(table, calling: "DELETE FROM t", ignoresErrors: false) { db, _ throws in
            expectFailure(.SQLITE_MISUSE, Self.misuse, sql: "UPDATE t SET c = f(c)") {
                try db.execute(sql: "UPDATE t SET c = f(c)")
            }
            let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM t")
            #expect(count == 5)
        }
    }

    /// An upsert positions its cursor at the conflicting row. So does a CHECK constraint after the choice of a rowid.
    @Test func upsertsAndConstraints() throws {
        try run(Self.tables[0], calling: "DELETE FROM t") { db, errors in
            try db.execute(
                sql: """
                    INSERT INTO t VALUES ('a', '1', 0), ('a', 'a', 0)
                      ON CONFLICT DO UPDATE SET c = f(c) || '!'
                    """)
            #expect(errors.take() == [Self.misuse])
            #expect(try String.fetchAll(db, sql: "SELECT c FROM t WHERE c LIKE '%!'") == ["1!", "2!"])
        }
        try DatabaseKind.memory.run { db throws in
            let (db, errors) = (db.shared, Lines())
            db.value.add(
                function: DatabaseFunction("check_value", argumentCount: 1, options: .innocuous) { values in
                    if values[0] != 1.databaseValue { return true }
                    do {
                        try db.value.execute(sql: "INSERT INTO t (a) VALUES (2)")
                    } catch {
                        errors.append("\((error as? DatabaseError)?.message ?? "")")
                    }
                    return true
                })
            try db.value.execute(sql: "CREATE TABLE t (a UNIQUE, CHECK (check_value(a))); INSERT INTO t VALUES (1)")
            #expect(errors.take() == [Self.misuse])
            #expect(try Int.fetchAll(db.value, sql: "SELECT a FROM t") == [1])
            #expect(try String.fetchAll(db.value, sql: "PRAGMA integrity_check") == ["ok"])
        }
    }

    /// A statement that inserts the results of a function chooses the rowid, and looks for conflicts, after the call.
    @Test func aFunctionMayInsertIntoTheTableThatReceivesItsResults() throws {
        try run(Self.tables[2], calling: "INSERT INTO t (a, b, c) VALUES ('inner', 0, 0)") { db, errors in
            try db.execute(sql: "INSERT INTO t (a, b, c) SELECT f(a), b, 'outer' FROM t WHERE id < 4")
            #expect(errors.take() == [])
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t WHERE c = 'outer'") == 3)
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t WHERE a = 'inner'") == 1)
        }
    }

    /// After a trigger, SQLite positions its cursors again.
    @Test(arguments: tables)
    func triggersMayCallFunctionsThatChangeTheTable(table: String) throws {
        try run(table, calling: "UPDATE t SET a = a || 'x' WHERE c > 3; DELETE FROM t WHERE c = 3") { db, errors in
            try db.execute(
                sql: """
                    CREATE TRIGGER called AFTER UPDATE OF c ON t BEGIN SELECT f(new.c); END;
                    UPDATE t SET c = c + 10 WHERE c < 3;
                    """)
            #expect(errors.take() == [])
            #expect(try Int.fetchAll(db, sql: "SELECT c FROM t ORDER BY c") == [4, 5, 11, 12])
        }
    }

    /// A function that runs in a statement that only reads may write.
    @Test(arguments: tables)
    func queriesMayCallFunctionsThatChangeTheTable(table: String) throws {
        try run(table, calling: "DELETE FROM t WHERE c > 3") { db, errors throws in
            #expect(try Row.fetchAll(db, sql: "SELECT f(c) FROM t").count >= 3)
            #expect(errors.take() == [])
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 3)
        }
    }

    /// A rollback to a savepoint would undo changes of the calling statement.
    @Test func savepointsCannotBeRolledBack() throws {
        try run(Self.tables[0], calling: "ROLLBACK TO s") { db, errors in
            try db.execute(sql: "SAVEPOINT s; UPDATE t SET c = f(7)")
            #expect(
                errors.take() == [
                    """
                    A savepoint cannot be rolled back here: the statement that calls this code is changing rows. Roll \
                    it back before or after that statement.
                    """
                ])
            try db.execute(sql: "RELEASE s")
            #expect(try Int.fetchAll(db, sql: "SELECT c FROM t") == [7, 7, 7, 7, 7])
        }
        try run(Self.tables[0], calling: "ROLLBACK TO s") { db, errors in
            try db.execute(sql: "SAVEPOINT s")
            #expect(try Row.fetchAll(db, sql: "SELECT f(7) FROM t").count == 5)
            #expect(errors.take() == [])
            try db.execute(sql: "RELEASE s")
        }
    }

    // MARK: Indexes

    private static let rebuild = """
        Indexes cannot be rebuilt here: the statement that calls this code is writing rows or an index. Rebuild them \
        before or after that statement.
        """

    private static let indexIsBuilt = """
        Rows cannot be changed here: a statement is building an index, which would miss the change. Functions of an index \
        must not change the database.
        """

    /// Runs a statement that writes to an index whose expression runs SQL in one of its calls. Returns the errors. A
    /// collation can't use the connection at all.
    private func refusals(in statement: String, calling sql: String, inCall call: Int) throws -> [String] {
        let errors = Lines()
        try DatabaseKind.memory.run { db throws in
            let (db, remainingCalls) = (db.shared, Box(0))
            db.value.add(
                function: DatabaseFunction("indexed", argumentCount: 1, pure: true) { values in
                    remainingCalls.value -= 1
                    guard remainingCalls.value == 0 else { return values[0] }
                    do {
                        try db.value.execute(sql: sql)
                    } catch {
                        errors.append("\((error as? DatabaseError)?.message ?? "\(error)")")
                    }
                    return values[0]
                })
            try db.value.execute(
                sql: """
                    CREATE TABLE x (id INTEGER PRIMARY KEY, a, b UNIQUE, c);
                    CREATE INDEX beforeCall ON x (a, b);
                    CREATE INDEX called ON x (indexed(a));
                    CREATE INDEX afterCall ON x (b, a);
                    INSERT INTO x VALUES (1, 1, 1, 'a'), (2, 2, 2, 'b'), (3, 3, 3, 'c');
                    """)
            remainingCalls.value = call
            try db.value.execute(sql: statement)
            remainingCalls.value = 0
            #expect(
                try String.fetchAll(db.value, sql: "PRAGMA integrity_check") == ["ok"], "\(statement): call \(call)")
        }
        return errors.take()
    }

    /// The calling statement has written its row to some of the indexes, and hasn't written it to the others.
    @Test(arguments: [
        "DELETE FROM x WHERE id = 2", "UPDATE x SET a = a + 1, b = b + 5", "REPLACE INTO x VALUES (1, 3, 2, 'd')",
        "INSERT INTO x VALUES (4, 4, 4, 'd'), (5, 5, 5, 'e')",
    ])
    func indexesOfAStatementThatWritesCannotBeRebuilt(statement: String) throws {
        for sql in ["REINDEX", "REINDEX x", "REINDEX afterCall"] {
            #expect(try refusals(in: statement, calling: sql, inCall: 1) == [Self.rebuild])
            for call in 2...8 {
                let errors = try refusals(in: statement, calling: sql, inCall: call)
                #expect(errors.isEmpty || errors == [Self.rebuild])
            }
        }
    }

    /// SQLite sorts the entries of an index, and then appends them to the emptied index.
    @Test(arguments: ["REINDEX", "REINDEX x", "CREATE INDEX more ON x (indexed(b))"])
    func indexesCannotBeRebuiltWhileAnIndexIsBuilt(statement: String) throws {
        for call in 1...12 {
            let rebuilding = try refusals(in: statement, calling: "REINDEX x", inCall: call)
            #expect(rebuilding.isEmpty || rebuilding == [Self.rebuild])
            #expect(call > 1 || !rebuilding.isEmpty)
            for sql in ["ALTER TABLE x ADD COLUMN d", "DROP INDEX afterCall", "CREATE INDEX another ON x (a)"] {
                let changing = try refusals(in: statement, calling: sql, inCall: call)
                #expect(changing.isEmpty || changing == [Self.indexIsBuilt])
            }
        }
    }

    /// A query writes no rows.
    @Test func queriesMayCallFunctionsThatRebuildIndexes() throws {
        try run(Self.tables[2], calling: "REINDEX") { db, errors throws in
            #expect(try Row.fetchAll(db, sql: "SELECT f(c) FROM t").count == 5)
            #expect(errors.take() == [])
        }
    }

    /// `REINDEX` reads the rows, and then empties the index. After a rollback, it would do so without a transaction.
    @Test func indexesStayIntactAfterARollback() throws {
        try DatabaseKind.memory.run { db throws in
            let (db, rollsBack) = (db.shared, Box(false))
            db.value.add(
                function: DatabaseFunction("indexed", argumentCount: 1, pure: true) { values in
                    if rollsBack.value {
                        rollsBack.value = false
                        try db.value.rollback()
                    }
                    return values[0]
                })
            try db.value.execute(
                sql: """
                    CREATE TABLE x (a); CREATE INDEX called ON x (indexed(a));
                    INSERT INTO x VALUES (1), (2), (3); BEGIN; INSERT INTO x VALUES (4);
                    """)
            rollsBack.value = true
            let error = #expect(throws: DatabaseError.self) { try db.value.execute(sql: "REINDEX x") }
            #expect(error?.extendedResultCode == .SQLITE_ABORT_ROLLBACK)
            #expect(!db.value.isInsideTransaction)
            #expect(try Int.fetchAll(db.value, sql: "SELECT a FROM x WHERE indexed(a) > 0") == [1, 2, 3])
            #expect(try String.fetchAll(db.value, sql: "PRAGMA integrity_check") == ["ok"])
        }
    }

    /// `DELETE FROM log` empties the table without a cursor. After a rollback, it would do so without a transaction.
    @Test(arguments: ["", "PRAGMA recursive_triggers = 1; "]) func tablesKeepTheirRowsAfterARollback(setting: String)
        throws
    {
        try DatabaseKind.memory.run { db throws in
            let db = db.shared
            db.value.add(
                function: DatabaseFunction("rolledBack", argumentCount: 0) { _ in
                    try db.value.rollback()
                    return 0
                })
            try db.value.execute(
                sql: """
                    \(setting)CREATE TABLE t (a); CREATE TABLE log (x);
                    INSERT INTO log VALUES (1), (2);
                    CREATE TRIGGER afterInsert AFTER INSERT ON t BEGIN SELECT rolledBack(); DELETE FROM log; END;
                    BEGIN;
                    """)
            for _ in 1...2 {
                let error = #expect(throws: DatabaseError.self) {
                    try db.value.execute(sql: "INSERT INTO t VALUES (1)")
                }
                #expect(error?.extendedResultCode == .SQLITE_ABORT_ROLLBACK)
                #expect(!db.value.isInsideTransaction)
                #expect(try Int.fetchAll(db.value, sql: "SELECT x FROM log") == [1, 2])
                #expect(try String.fetchAll(db.value, sql: "PRAGMA integrity_check") == ["ok"])
                try db.value.execute(sql: "BEGIN")
            }
            try db.value.execute(sql: "COMMIT")
        }
    }

    /// The number of a statement journal belongs to a transaction. A cursor of an earlier one mustn't end a later journal.
    @Test func aCursorOfAnEarlierTransactionIsReleasedInAFunction() throws {
        try DatabaseKind.memory.run { db throws in
            let db = db.shared
            nonisolated(unsafe) var cursor: RowCursor?
            db.value.add(
                function: DatabaseFunction("released", argumentCount: 1) { values in
                    cursor = nil
                    return values[0]
                })
            try db.value.execute(
                sql: """
                    CREATE TABLE t (a); CREATE TABLE u (k UNIQUE);
                    INSERT INTO t VALUES (1), (2); BEGIN
                    """)
            cursor = try Row.fetchCursor(db.value, sql: "UPDATE t SET a = a RETURNING a")
            _ = try cursor?.next()
            try db.value.execute(sql: "ROLLBACK; BEGIN")
            #expect(throws: DatabaseError.self) {
                try db.value.execute(
                    sql: "INSERT INTO u SELECT released(value) FROM (SELECT 1 value UNION ALL SELECT 1)")
            }
            #expect(try Int.fetchAll(db.value, sql: "SELECT k FROM u") == [])
            try db.value.execute(sql: "COMMIT")
        }
    }
}
