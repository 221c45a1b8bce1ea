import Amalgam
import TestSupport
import Testing

/// A statement under a limit either throws and has changed nothing, or returns its result.
struct LimitOutcomeTests {
    private static let statements = [
        "INSERT INTO counted (body) VALUES (1)", "INSERT INTO counted (body) VALUES (1) RETURNING id",
        "INSERT INTO counted (body) VALUES (1) ON CONFLICT DO NOTHING RETURNING id",
        "DELETE FROM counted WHERE body IS NOT NULL", "DELETE FROM counted WHERE body IS NOT NULL RETURNING 7",
        "INSERT INTO counted (body) SELECT body FROM counted RETURNING body",
        "UPDATE counted SET body = 1 RETURNING id",
        "UPDATE keyed SET body = body || 1 RETURNING body", "DELETE FROM keyed RETURNING key",
        "INSERT INTO keyed VALUES (101, 1), (102, 2), (103, 3) RETURNING key",
        "UPDATE OR IGNORE keyed SET key = key + 100 RETURNING key", "UPDATE keyed SET body = 'x' WHERE key = 3; ",
        "DELETE FROM keyed; -- all of them",
    ]

    private static let limits = Array(1...60) + Array(stride(from: 61, to: 1000, by: 7))

    private func run(_ test: (Database) throws -> Void) throws {
        try DatabaseKind.memory.run { db in
            try db.execute(
                sql: """
                    CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, body);
                    CREATE TABLE keyed (key PRIMARY KEY, body) WITHOUT ROWID;
                    CREATE TABLE work (v);
                    INSERT INTO counted (body) SELECT value FROM json_each('[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]');
                    INSERT INTO keyed SELECT id, body FROM counted;
                    """)
            try test(db)
        }
    }

    private func content(_ db: Database) throws -> [Row] {
        try Row.fetchAll(db, sql: "SELECT id, body FROM counted UNION ALL SELECT key, body FROM keyed ORDER BY 1, 2")
    }

    private func execute(_ db: Database, _ sql: String) throws {
        // Rows are read if there are any.
        if sql.contains("RETURNING") { _ = try Row.fetchAll(db, sql: sql) } else { try db.execute(sql: sql) }
    }

    @Test("in a sandbox, a statement that throws is undone alone", arguments: statements)
    func sandboxes(_ sql: String) throws {
        try run { db in
            let before = try content(db)
            var completed = 0
            for limit in Self.limits {
                var sandbox = Sandbox.readWrite(tables: ["counted", "keyed"])
                sandbox.limits.instructions = limit
                try db.inTransaction {
                    try db.execute(sql: "INSERT INTO work VALUES (1)")
                    do {
                        try db.sandboxed(sandbox) { try execute(db, sql) }
                        completed += 1
                        #expect(try content(db) != before, "\(limit)")
                    } catch let error as DatabaseError {
                        #expect(error.exceededLimit == .instructions, "\(limit): \(error)")
                        #expect(db.isInsideTransaction, "\(limit)")
                        #expect(try content(db) == before, "\(limit)")
                    }
                    return .rollback
                }
            }
            #expect(completed > 0)
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM work") == 0)
        }
    }

    @Test("in a sandbox, a statement that exceeds its memory is undone alone", arguments: statements)
    func sandboxesWithLittleMemory(_ sql: String) throws {
        try run { db in
            let before = try content(db)
            for limit in stride(from: 0, to: 80_000, by: 500) {
                var sandbox = Sandbox.readWrite(tables: ["counted", "keyed"])
                sandbox.limits = .memory(limit)
                try db.inTransaction {
                    try db.execute(sql: "INSERT INTO work VALUES (1)")
                    do {
                        try db.sandboxed(sandbox) { try execute(db, sql) }
                    } catch let error as DatabaseError {
                        #expect(error.exceededLimit == .memory, "\(limit): \(error)")
                        #expect(db.isInsideTransaction, "\(limit)")
                        #expect(try content(db) == before, "\(limit)")
                    }
                    return .rollback
                }
            }
        }
    }

    @Test("a statement that throws has changed nothing", arguments: statements)
    func limits(_ sql: String) throws {
        try run { db in
            let before = try content(db)
            var completed = 0
            for limit in Self.limits {
                do {
                    try db.inTransaction {
                        try db.withLimits(.instructions(limit)) { try execute(db, sql) }
                        completed += 1
                        #expect(try content(db) != before, "\(limit)")
                        return .rollback
                    }
                } catch let error as DatabaseError where error.exceededLimit == .instructions {
                    #expect(try content(db) == before, "\(limit)")
                }
            }
            #expect(completed > 0)
        }
    }

    @Test("in autocommit mode, a statement that throws has committed nothing", arguments: statements)
    func autocommit(_ sql: String) throws {
        try run { db in
            let before = try content(db)
            for limit in Self.limits {
                do {
                    try db.withLimits(.instructions(limit)) { try execute(db, sql) }
                    // All larger limits suffice, too.
                    return
                } catch let error as DatabaseError where error.exceededLimit == .instructions {
                    #expect(try content(db) == before, "\(limit)")
                }
            }
            Issue.record("No limit suffices.")
        }
    }

    @Test("after a statement that has just reached its limit, the next statement throws")
    func theNextStatement() throws {
        try run { db in
            let count = try db.withLimits(.instructions(500)) {
                var count = 0
                let error = #expect(throws: DatabaseError.self) {
                    while true {
                        try db.execute(sql: "INSERT INTO work VALUES (?)", arguments: [count])
                        count += 1
                    }
                }
                #expect(error?.exceededLimit == .instructions)
                return count
            }
            #expect(count > 5)
            #expect(try Int.fetchAll(db, sql: "SELECT v FROM work ORDER BY v") == Array(0..<count))
        }
    }

    @Test("a statement is stopped while the rows of another one have been read to their end")
    func endedStatements() throws {
        try run { db in
            try db.withLimits(.instructions(10_000)) {
                let statement = try db.makeStatement(sql: "SELECT 1")
                let cursor = try Int.fetchCursor(statement)
                while try cursor.next() != nil {}
                let error = #expect(throws: DatabaseError.self) {
                    try db.execute(
                        sql: """
                            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT MAX(i) FROM n
                            """)
                }
                #expect(error?.exceededLimit == .instructions)
            }
        }
    }

    @Test("a statement that a progress handler stops has changed nothing")
    func handlers() throws {
        try run { db in
            for limit in 1...12 {
                var calls = 0
                db.setProgressHandler(every: 1) {
                    calls += 1
                    return calls < limit
                }
                let isStopped: Bool
                do {
                    try db.execute(sql: "INSERT INTO counted (body) VALUES (?)", arguments: [100 + limit])
                    isStopped = false
                } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
                    isStopped = true
                }
                db.setProgressHandler(nil)
                let sql = "SELECT COUNT(*) FROM counted WHERE body = ?"
                #expect(try Int.fetchOne(db, sql: sql, arguments: [100 + limit]) == (isStopped ? 0 : 1), "\(limit)")
            }
        }
    }

    @Test("a statement that a progress handler stops in a sandbox is undone alone", arguments: statements)
    func handlersInSandboxes(_ sql: String) throws {
        try run { db in
            let before = try content(db)
            var stopped = 0
            for interval in 1...30 {
                try db.inTransaction {
                    db.setProgressHandler(every: interval) { false }
                    defer { db.setProgressHandler(nil) }
                    do {
                        try db.sandboxed(.readWrite(tables: ["counted", "keyed"])) { try execute(db, sql) }
                    } catch let error as DatabaseError {
                        stopped += 1
                        db.setProgressHandler(nil)
                        #expect(error.resultCode == .SQLITE_INTERRUPT, "\(interval): \(error)")
                        #expect(db.isInsideTransaction, "\(interval)")
                        #expect(try content(db) == before, "\(interval)")
                    }
                    return .rollback
                }
            }
            #expect(stopped > 0)
        }
    }

    @Test(
        "a statement whose function exceeds a limit throws the error of the limit",
        arguments: ["SELECT slowRead()", "SELECT slowWrite()", "UPDATE counted SET body = slowRead()"])
    func functions(_ sql: String) throws {
        let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT MAX(i) FROM n"
        try run { db in
            let shared = db.shared
            db.add(
                function: DatabaseFunction("slowRead", argumentCount: 0) { _ in
                    try Int.fetchOne(shared.value, sql: numbers)
                })
            db.add(
                function: DatabaseFunction("slowWrite", argumentCount: 0) { _ in
                    try shared.value.execute(sql: "UPDATE keyed SET body = (\(numbers))")
                    return nil
                })
            let before = try content(db)
            for (limits, kind) in [
                (ExecutionLimits.instructions(5000), ExceededLimit.instructions), (.time(.milliseconds(20)), .time),
            ] {
                var sandbox = Sandbox.readWrite(tables: ["counted", "keyed"])
                sandbox.functions = ["slowRead", "slowWrite"]
                sandbox.limits = limits
                try db.inTransaction {
                    let error = #expect(throws: DatabaseError.self) {
                        try db.sandboxed(sandbox) { _ = try Row.fetchAll(db, sql: sql) }
                    }
                    #expect(error?.resultCode == .SQLITE_INTERRUPT && error?.exceededLimit == kind)
                    #expect(error?.sql == sql)
                    #expect(db.isInsideTransaction)
                    let after = try content(db)
                    #expect(after == before)
                    return .commit
                }
            }
        }
    }

    /// Each of these statements is too short for a call of the handler.
    @Test("a handler stops many short statements")
    func handlersOfShortStatements() throws {
        try run { db in
            var (calls, inserted) = (0, 0)
            db.setProgressHandler(every: 100) {
                calls += 1
                return calls < 3
            }
            let error = #expect(throws: DatabaseError.self) {
                for _ in 0..<1000 {
                    try db.execute(sql: "INSERT INTO counted (body) VALUES (200)")
                    inserted += 1
                }
            }
            db.setProgressHandler(nil)
            #expect(error?.resultCode == .SQLITE_INTERRUPT)
            let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM counted WHERE body = 200")
            #expect(inserted < 1000 && count == inserted)
        }
    }
}
