import Amalgam
@testable import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

/// Functions that use the connection that calls them.
struct FunctionReentrancyTests {
    // MARK: Statements

    @Test(arguments: DatabaseKind.allCases)
    func reads(_ kind: DatabaseKind) throws {
        try kind.run { db throws in
            try db.createTeams()
            let db = db.shared
            db.value.add(
                function: DatabaseFunction("team_name") { (id: Int) in
                    try String.fetchOne(db.value, sql: "SELECT name FROM team WHERE id = ?", arguments: [id])
                })
            let names = try String.fetchAll(db.value, sql: "SELECT team_name(teamId) FROM player ORDER BY id")
            #expect(names == ["Reds", "Reds", "Blues"])
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func writes(_ kind: DatabaseKind) throws {
        try kind.run { db throws in
            try db.createTeams()
            try db.execute(sql: "CREATE TABLE log (name TEXT)")
            let db = db.shared
            db.value.add(
                function: DatabaseFunction("log_name") { (name: String) in
                    try db.value.execute(sql: "INSERT INTO log VALUES (?)", arguments: [name])
                    return db.value.changesCount
                })
            #expect(try Int.fetchAll(db.value, sql: "SELECT log_name(name) FROM player") == [1, 1, 1])
            try db.value.execute(sql: "UPDATE player SET score = log_name(name || '2')")
            #expect(
                try String.fetchAll(db.value, sql: "SELECT name FROM log") == [
                    "Anna", "Bo", "Cleo", "Anna2", "Bo2", "Cleo2",
                ])
        }
    }

    @Test func observedWrites() throws {
        try DatabaseKind.memory.run { db throws in
            try db.createTeams()
            try db.execute(sql: "CREATE TABLE log (name TEXT)")
            let observer = TableObserver()
            db.add(transactionObserver: observer)
            let db = db.shared
            db.value.add(
                function: DatabaseFunction("log_name") { (name: String) in
                    try db.value.execute(sql: "INSERT INTO log VALUES (?)", arguments: [name])
                    return name
                })
            try db.value.execute(sql: "UPDATE player SET name = log_name(name) WHERE id < 3")
            #expect(observer.tables == ["log", "player", "log", "player"])
        }
    }

    /// A function can't run the statement that calls it, because the statement has only one state.
    @Test func theStatementItself() throws {
        try DatabaseKind.memory.run { db throws in
            let db = db.shared
            let sql = "SELECT again(?)"
            db.value.add(
                function: DatabaseFunction("again") { (x: Int) in
                    let statement = try db.value.cachedStatement(sql: sql)
                    statement.setUncheckedArguments([7])
                    return try Int.fetchOne(statement, arguments: [x + 1])
                })
            let message = """
                The statement is running. The functions, collations and virtual tables that it uses cannot run it: \
                prepare another statement for them.
                """
            let statement = try db.value.cachedStatement(sql: sql)
            expectError(.SQLITE_MISUSE, message, sql: sql) { _ = try Int.fetchOne(statement, arguments: [1]) }
            expectError(.SQLITE_MISUSE, message, sql: sql) { _ = try Int.fetchOne(statement, arguments: [1]) }
            expectError(.SQLITE_MISUSE, message, sql: sql) { try statement.execute(arguments: [1]) }
        }
    }

    /// The outer run continues, with its own arguments.
    @Test func theStatementItselfWithOtherArguments() throws {
        try DatabaseKind.memory.run { db throws in
            let db = db.shared
            let sql = "SELECT again(value) || ? FROM (SELECT 1 AS value UNION ALL SELECT 2)"
            db.value.add(
                function: DatabaseFunction("again") { (x: Int) in
                    let statement = try db.value.cachedStatement(sql: sql)
                    #expect(throws: DatabaseError.self) { try statement.execute(arguments: [x]) }
                    #expect(throws: DatabaseError.self) { try statement.execute() }
                    #expect(throws: DatabaseError.self) { try statement.setArguments([x]) }
                    return x
                })
            let statement = try db.value.cachedStatement(sql: sql)
            let texts = try String.fetchAll(statement, arguments: [" of the outer run"])
            #expect(texts == ["1 of the outer run", "2 of the outer run"])
            #expect(statement.arguments == [" of the outer run"])
        }
    }

    @Test func aCursorThatIsAskedForItsNextRowBySQLite() throws {
        try DatabaseKind.memory.run { db throws in
            let db = db.shared
            let cursor = Shared<FastDatabaseValueCursor<Int>?>(nil)
            db.value.add(function: DatabaseFunction("ahead") { (x: Int) in try cursor.value?.next() ?? x })
            cursor.value = try Int.fetchCursor(db.value, sql: "SELECT ahead(1) UNION ALL SELECT ahead(2)")
            #expect(throws: DatabaseError.self) { try cursor.value?.next() }
            cursor.value = nil
            #expect(try Int.fetchOne(db.value, sql: "SELECT 1") == 1)
        }
    }

    @Test func statementsThatChangeRunThemselves() throws {
        try DatabaseKind.memory.run { db throws in
            try db.execute(sql: "CREATE TABLE t (a)")
            let db = db.shared
            let sql = "INSERT INTO t VALUES (again(?))"
            let statement = Shared<Statement?>(nil)
            db.value.add(
                function: DatabaseFunction("again") { (x: Int) in
                    try statement.value?.execute(arguments: [x + 1])
                    return x
                })
            statement.value = try db.value.makeStatement(sql: sql)
            #expect(throws: DatabaseError.self) { try statement.value?.execute(arguments: [1]) }
            #expect(try Int.fetchOne(db.value, sql: "SELECT COUNT(*) FROM t") == 0)
            statement.value = nil
        }
    }

    /// A function releases the statement and the objects that call it.
    @Test func releasedStatements() throws {
        try DatabaseKind.memory.run { db throws in
            let db = db.shared
            let cursor = Shared<FastDatabaseValueCursor<Int>?>(nil)
            db.value.add(
                function: DatabaseFunction("release") { (x: Int) in
                    cursor.value = nil
                    db.value.releaseMemory()
                    return x
                })
            cursor.value = try Int.fetchCursor(db.value, sql: numbers(3) + "SELECT release(n) FROM numbers")
            #expect(try cursor.value?.next() == 1)
            #expect(try Int.fetchAll(db.value, sql: numbers(3) + "SELECT release(n) FROM numbers") == [1, 2, 3])
        }
    }

    @Test func recursion() throws {
        try DatabaseKind.memory.run { db throws in
            let db = db.shared
            db.value.add(
                function: DatabaseFunction("factorial") { (x: Int) -> Int? in
                    if x <= 1 { return 1 }
                    return try Int.fetchOne(db.value, sql: "SELECT ? * factorial(? - 1)", arguments: [x, x])
                })
            #expect(try Int.fetchOne(db.value, sql: "SELECT factorial(10)") == 3_628_800)
            #expect(try Int.fetchOne(db.value, sql: "SELECT factorial(20)") == 2_432_902_008_176_640_000)
        }
    }

    /// Runs on a thread with a stack of half a megabyte, as secondary threads have. Sanitized code needs several times
    /// as much.
    @Test func endlessRecursion() throws {
        let result = Shared<Result<Int?, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            result.value = Result {
                let queue = try DatabaseQueue()
                // The function retains the connection until it is closed.
                defer { try? queue.close() }
                return try queue.inDatabase { db throws in
                    let db = db.shared
                    db.value.add(
                        function: DatabaseFunction("forever") { (x: Int) in
                            try Int.fetchOne(db.value, sql: "SELECT forever(?)", arguments: [x + 1])
                        })
                    return try Int.fetchOne(db.value, sql: "SELECT forever(1)")
                }
            }
            done.signal()
        }
        let isSanitized = ProcessInfo.processInfo.environment["AMALGAM_SANITIZED"] != nil
        thread.stackSize = (isSanitized ? 4096 : 512) * 1024
        thread.start()
        done.wait()
        expectError(
            .SQLITE_ERROR, "functions run statements that call functions, too many levels deep",
            sql: "SELECT forever(1)"
        ) {
            _ = try result.value?.get()
        }
    }

    // MARK: Transactions and the schema

    @Test func transactionsInside() throws {
        try DatabaseKind.memory.run { db throws in
            try db.createTeams()
            let db = db.shared
            db.value.add(
                function: DatabaseFunction("roll_back") { (x: Int) in
                    if x == 2 { try db.value.rollback() }
                    return x
                })
            try db.value.beginTransaction()
            try db.value.execute(sql: "DELETE FROM team WHERE id = 2")
            // SQLite lets a statement that only reads continue.
            #expect(try Int.fetchAll(db.value, sql: "SELECT roll_back(id) FROM player") == [1, 2, 3])
            #expect(!db.value.isInsideTransaction)
            #expect(try Int.fetchOne(db.value, sql: "SELECT COUNT(*) FROM team") == 2)
        }
    }

    /// A rollback occurs before the statement has opened its cursors: SQLite would let it write without a transaction.
    @Test(arguments: [false, true])
    func aRollbackInsideOfAStatementThatWrites(_ isInTransaction: Bool) throws {
        try DatabaseKind.memory.run { db throws in
            try db.createTeams()
            let db = db.shared
            db.value.add(
                function: DatabaseFunction("roll_back") { (x: Int) in
                    if isInTransaction {
                        try db.value.rollback()
                    } else {
                        try db.value.inTransaction { .rollback }
                    }
                    return true
                })
            if isInTransaction {
                try db.value.beginTransaction()
                try db.value.execute(sql: "DELETE FROM player WHERE id = 1")
            }
            let sql = "DELETE FROM player WHERE roll_back(id) AND id < 10 + (SELECT COUNT(*) FROM player)"
            let error = #expect(throws: DatabaseError.self) { try db.value.execute(sql: sql) }
            #expect(error?.extendedResultCode == .SQLITE_ABORT_ROLLBACK)
            #expect(!db.value.isInsideTransaction)
            #expect(try Int.fetchAll(db.value, sql: "SELECT id FROM player") == [1, 2, 3])
        }
    }

    @Test func schemaChangesInside() throws {
        try DatabaseKind.memory.run { db throws in
            try db.createTeams()
            let db = db.shared
            db.value.add(
                function: DatabaseFunction("run") { (sql: String) in
                    try db.value.execute(sql: sql)
                    return 1
                })
            #expect(
                try Int.fetchAll(db.value, sql: "SELECT run('CREATE TABLE IF NOT EXISTS t (a)') FROM player") == [
                    1, 1, 1,
                ])
            let error = #expect(throws: DatabaseError.self) {
                try Int.fetchAll(db.value, sql: "SELECT run('DROP TABLE player') FROM player")
            }
            #expect(error?.resultCode == .SQLITE_LOCKED)
            #expect(try Int.fetchOne(db.value, sql: "SELECT COUNT(*) FROM player") == 3)
        }
    }

    /// SQLite first collects the rowids, and then deletes the rows. The rowid of a row that no longer exists is
    /// undefined.
    @Test(arguments: ["DELETE FROM t WHERE id = 2", "DELETE FROM t", "REPLACE INTO t VALUES (2, 1, 'b')"])
    func deletingRowsThatADeleteLooksFor(_ sql: String) throws {
        try DatabaseKind.memory.run { db throws in
            let db = db.shared
            try db.value.execute(
                sql: """
                    CREATE TABLE t (id INTEGER PRIMARY KEY, a, b UNIQUE); CREATE TABLE log (a);
                    INSERT INTO t VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 1, 'c');
                    """)
            db.value.add(
                function: DatabaseFunction("f") { (id: Int) in
                    try db.value.execute(sql: "INSERT INTO log VALUES (\(id))")
                    try db.value.execute(sql: "UPDATE t SET a = 2")
                    try db.value.execute(sql: sql)
                    return true
                })
            // The subquery on the same table makes SQLite collect the rowids.
            let delete = "DELETE FROM t WHERE f(id) AND a < (SELECT COUNT(*) FROM t)"
            expectError(
                .SQLITE_LOCKED,
                """
                Rows cannot be deleted here: a DELETE statement is looking for rows in the same table. Delete them \
                before or after that statement.
                """, sql: delete
            ) { try db.value.execute(sql: delete) }
            #expect(try Int.fetchOne(db.value, sql: "SELECT COUNT(*) FROM t") == 3)
            try db.value.execute(sql: sql)
        }
    }

    @Test func closingInside() throws {
        let queue = try DatabaseQueue()
        let code = Shared<ResultCode?>(nil)
        try queue.inDatabase { db throws in
            db.add(
                function: DatabaseFunction("close_it") { (x: Int) in
                    do { try queue.close() } catch let error as DatabaseError { code.value = error.resultCode }
                    return x
                })
            _ = try? Int.fetchAll(db, sql: numbers(3) + "SELECT close_it(n) FROM numbers")
        }
        #expect(code.value != nil)
        #expect(try queue.inDatabase { db throws in try Int.fetchOne(db, sql: "SELECT 1") } == 1)
        try queue.close()
    }
}

private final class TableObserver: TransactionObserver {
    var tables: [String] = []

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) { tables.append(event.tableName) }
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
}
