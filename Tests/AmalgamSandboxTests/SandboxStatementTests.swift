import Amalgam
@testable import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

/// Strings of several statements in a sandbox: each statement is checked separately, and no byte after the string is
/// read.
struct SandboxStatementTests {
    private static let schema = """
        CREATE TABLE secret (a);
        CREATE TABLE open (a);
        INSERT INTO secret VALUES (7);
        CREATE VIEW v AS SELECT a FROM secret;
        """

    @Test(arguments: ["SELECT 2", "WITH c AS (SELECT 1 AS x) SELECT x FROM c", "-- WITH", "SELECT 'WITH'"])
    func aLaterStatementDoesNotChangeWhatAnEarlierOneMayRead(_ later: String) throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: Self.schema)
            try db.sandboxed(.readOnly(tables: ["v"])) {
                try db.execute(sql: "SELECT * FROM v; \(later)")
                let statements = try db.allStatements(sql: "SELECT * FROM v; \(later)")
                let first = try #require(try statements.next())
                try expectEqual(Int.fetchAll(first), [7])
            }
        }
    }

    /// A WITH clause in a view, or in a trigger, doesn't belong to the statement.
    @Test func aStatementWithAWithClauseIsStillJudgedAsOne() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: Self.schema)
            for sql in ["WITH c AS (SELECT 1) SELECT * FROM v", "/* x */ with c as (select 1) select * from v, c"] {
                let action = try expectDenied(db, .readOnly(tables: ["v"]), sql)
                #expect(action?.tableName == "secret")
            }
        }
    }

    @Test(arguments: [
        "SELECT a FROM open", "SELECT 'a quote that is open", "SELECT a /* a comment that is open",
        "SELECT 1 -- comment",
        "SELECT a FROM \"open", "SELECT x'00", "SELECT a FROM open WHERE a IN (1.5e", "WITH",
        "SELECT 1; SELECT a FROM open",
    ])
    func noByteBehindTheStringIsRead(_ sql: String) throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: Self.schema)
            for sandbox in [nil, Sandbox.readOnly] {
                try withBytesBeforeAGuard(sql) { bytes in
                    if let sandbox {
                        try db.sandboxed(sandbox) { try compileAll(db, bytes) }
                    } else {
                        try compileAll(db, bytes)
                    }
                }
            }
        }
    }

    /// The text after a statement is compiled to find out whether it is a statement, also under the rules of the
    /// sandbox.
    @Test func whatFollowsAStatementIsCompiledInTheSandbox() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: Self.schema)
            var asked: [String] = []
            try db.withAuthorizer { action in
                action.tableName.map { asked.append("\($0) \(action.isInternal)") }
                return .allow
            } perform: {
                _ = expectFailure(.SQLITE_MISUSE) {
                    _ = try db.makeStatement(sql: "SELECT a FROM open; SELECT a FROM secret")
                }
            }
            #expect(!asked.contains("secret true"))
        }
    }

    // MARK: Support

    /// SQL that doesn't compile causes an error, as always.
    private func compileAll(_ db: Database, _ bytes: UnsafeBufferPointer<UInt8>) throws {
        let text = SQLText(bytes)
        var offset = 0
        do {
            while let prepared = try db.prepare(text, from: offset, flags: 0) { offset = prepared.end }
        } catch let error as DatabaseError {
            #expect(error.resultCode == .SQLITE_ERROR)
        }
    }

    /// Calls a closure with bytes at the end of accessible memory: a read after them ends the process.
    private func withBytesBeforeAGuard(_ text: String, _ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
        let size = Int(sysconf(Int32(_SC_PAGESIZE)))
        let memory = try #require(mmap(nil, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0))
        defer { munmap(memory, 2 * size) }
        #expect(mprotect(memory + size, size, PROT_NONE) == 0)
        let utf8 = Array(text.utf8)
        let start = memory + (size - utf8.count)
        start.copyMemory(from: utf8, byteCount: utf8.count)
        try body(UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: utf8.count))
    }

    // MARK: Transactions

    private static let rollbacks = [
        "INSERT OR ROLLBACK INTO note VALUES (7, 1), (7, 1)",
        "UPDATE OR ROLLBACK note SET id = 7",
        "INSERT INTO strict VALUES (NULL)",
        "INSERT INTO guarded VALUES (1)",
        "INSERT OR ROLLBACK INTO document VALUES ('a')",
        "WITH x AS (SELECT 7 AS id) INSERT OR ROLLBACK INTO note SELECT id, 1 FROM x UNION ALL SELECT id, 2 FROM x",
    ]

    /// The authorizer isn't asked about conflict clauses and `RAISE(ROLLBACK)`.
    @Test(arguments: rollbacks)
    func noStatementMayRollBackTheTransactionOfTheCaller(_ sql: String) throws {
        try DatabaseKind.memory.open { writer in
            let sandbox = Sandbox.readWrite(tables: ["note", "strict", "guarded", "document"])
            try writer.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE note (id INTEGER PRIMARY KEY, body); INSERT INTO note VALUES (1, 1), (2, 2);
                        CREATE TABLE strict (a NOT NULL ON CONFLICT ROLLBACK);
                        CREATE TABLE guarded (a);
                        CREATE TRIGGER guard BEFORE INSERT ON guarded BEGIN SELECT RAISE(ROLLBACK, 'no'); END;
                        CREATE VIRTUAL TABLE document USING fts5(body);
                        """)
            }
            try writer.write { db in
                try db.execute(sql: "INSERT INTO note VALUES (3, 'of the caller')")
                let action = try expectDenied(db, sandbox, sql)
                #expect(action?.kind == .transaction)
                #expect(db.isInsideTransaction)
                try db.sandboxed(sandbox) {
                    try db.execute(sql: "INSERT OR REPLACE INTO note VALUES (4, 1), (4, 1)")
                    expectCode(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT OR FAIL INTO note VALUES (4, 1)") }
                }
            }
            #expect(try writer.read { try Int.fetchAll($0, sql: "SELECT id FROM note") } == [1, 2, 3, 4])
            // Outside of a transaction, there is nothing else to roll back.
            try writer.writeWithoutTransaction { db in
                do { try db.sandboxed(sandbox) { try db.execute(sql: sql) } } catch let error as DatabaseError {
                    #expect(error.resultCode == .SQLITE_CONSTRAINT)
                }
            }
        }
    }

    private static let endless = [
        "UPDATE note SET body = body || 'x' WHERE (\(count)) > 0",
        "INSERT INTO note (body) WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n) SELECT x FROM n",
        "DELETE FROM note WHERE (\(count)) > 0",
        "UPDATE note SET body = (\(count)) WHERE id > 1 RETURNING id",
    ]

    private static let count =
        "WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n LIMIT 100000000) SELECT count(*) FROM n, note"

    private static let limits = [
        ExecutionLimits(time: .milliseconds(20)), ExecutionLimits(instructions: 20_000),
    ]

    /// SQLite rolls back the transaction if a statement that writes is interrupted.
    @Test(arguments: endless, limits)
    func aStatementThatExceedsALimitIsUndoneAlone(_ sql: String, _ limits: ExecutionLimits) throws {
        try DatabaseKind.memory.open { writer in
            var sandbox = Sandbox.readWrite(tables: ["note"])
            sandbox.limits = limits
            try writer.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE note (id INTEGER PRIMARY KEY, body);
                        INSERT INTO note VALUES (1, 'a'), (2, 'b'), (3, 'c');
                        CREATE TABLE work (v);
                        """)
            }
            try writer.write { db in
                try db.execute(sql: "INSERT INTO work VALUES ('before')")
                let error = #expect(throws: DatabaseError.self) {
                    try db.sandboxed(sandbox) { _ = try Row.fetchAll(db, sql: sql) }
                }
                #expect(error?.resultCode == .SQLITE_INTERRUPT)
                #expect(error?.exceededLimit != nil)
                #expect(db.isInsideTransaction)
                #expect(try String.fetchAll(db, sql: "SELECT body FROM note") == ["a", "b", "c"])
                try db.execute(sql: "INSERT INTO work VALUES ('after')")
            }
            #expect(try writer.read { try String.fetchAll($0, sql: "SELECT v FROM work") } == ["before", "after"])
        }
    }

    /// Binding the pattern of LIKE makes SQLite compile the statement again.
    @Test(arguments: limits)
    func aStatementThatIsCompiledAgainIsUndoneAlone(_ limits: ExecutionLimits) throws {
        try DatabaseKind.memory.open { writer in
            var sandbox = Sandbox.readWrite(tables: ["note"])
            sandbox.limits = limits
            try writer.write { db in
                try db.execute(sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, body); CREATE TABLE work (v)")
            }
            try writer.write { db in
                try db.execute(sql: "INSERT INTO work VALUES ('before'); INSERT INTO note VALUES (1, 'a'), (2, 'b')")
                try expectExceededLimit(db, sandbox) {
                    let sql = "UPDATE note SET body = (\(Self.count)) WHERE body LIKE ?"
                    let statement = try db.makeStatement(sql: sql)
                    try statement.execute(arguments: ["b%"])
                }
                #expect(try String.fetchAll(db, sql: "SELECT body FROM note") == ["a", "b"])
            }
            #expect(try writer.read { try String.fetchAll($0, sql: "SELECT v FROM work") } == ["before"])
        }
    }

    private static let modules = ["fts5(body)", "fts4(body)", "rtree(body, low, high)"]

    /// Virtual tables run their own statements, which are stopped, too.
    @Test(arguments: modules, [DatabaseKind.memory, .file])
    func aWriteOfAVirtualTableThatExceedsALimitIsUndoneAlone(_ module: String, _ kind: DatabaseKind) throws {
        let isTree = module.hasPrefix("rtree")
        let numbers = "WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n)"
        let values = isTree ? "SELECT x, x, x + 1 FROM n" : "SELECT 'word ' || x FROM n"
        let limits =
            [ExecutionLimits(time: .milliseconds(20))]
            + (0..<20).map { ExecutionLimits(instructions: 20_000 + 100 * $0) }
        try kind.open { writer in
            try writer.write {
                try $0.execute(sql: "CREATE VIRTUAL TABLE document USING \(module); CREATE TABLE work (v)")
            }
            try writer.write { db in
                for limit in limits {
                    var sandbox = Sandbox.readWrite(tables: ["document"])
                    sandbox.limits = limit
                    try db.execute(
                        sql: "INSERT INTO work VALUES (1); \(numbers) INSERT INTO document \(values) LIMIT 3")
                    try expectExceededLimit(db, sandbox) {
                        try db.execute(sql: "\(numbers) INSERT INTO document \(values) LIMIT -1 OFFSET 3")
                    }
                    #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM document") == 3)
                    if !isTree { try db.execute(sql: "INSERT INTO document(document) VALUES ('integrity-check')") }
                    try db.sandboxed(.readWrite(tables: ["document"])) { try db.execute(sql: "DELETE FROM document") }
                }
            }
            #expect(try writer.read { try Int.fetchOne($0, sql: "SELECT SUM(v) FROM work") } == limits.count)
        }
    }

    private static let large = [
        // The sorter, and the journal for undoing the statement, are temporary files.
        "INSERT INTO note (body) SELECT body FROM note ORDER BY random()",
        "UPDATE note SET body = body || 'x'",
        "UPDATE note SET body = body || 'x' RETURNING id",
    ]

    /// A temporary file that grows beyond the limit isn't an error of the file.
    @Test(arguments: large, [DatabaseKind.memory, .file])
    func aStatementWithALargeTemporaryFileIsUndoneAlone(_ sql: String, _ kind: DatabaseKind) throws {
        try kind.open { writer in
            var sandbox = Sandbox.readWrite(tables: ["note"])
            sandbox.limits = .memory(4 << 20)
            try writer.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE note (id INTEGER PRIMARY KEY, body);
                        WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n LIMIT 10000)
                        INSERT INTO note SELECT x, printf('%.1000c', 'a') FROM n;
                        CREATE TABLE work (v);
                        """)
            }
            try writer.write { db in
                // Pages that the transaction has changed before are copied for undoing the statement.
                try db.execute(sql: "INSERT INTO work VALUES ('before'); UPDATE note SET body = 'b' || substr(body, 2)")
                let error = try expectExceededLimit(db, sandbox) { try db.execute(sql: sql) }
                #expect(error?.exceededLimit == .memory)
                #expect(try Int.fetchOne(db, sql: "SELECT SUM(length(body)) FROM note") == 10_000_000)
            }
            #expect(try writer.read { try String.fetchAll($0, sql: "SELECT v FROM work") } == ["before"])
        }
    }

    /// Expects that a statement exceeds a limit of a sandbox, and that the transaction goes on.
    @discardableResult
    private func expectExceededLimit(_ db: Database, _ sandbox: Sandbox, _ body: () throws -> Void) throws
        -> DatabaseError?
    {
        let error = #expect(throws: DatabaseError.self) { try db.sandboxed(sandbox, body) }
        #expect(error?.resultCode == .SQLITE_INTERRUPT)
        #expect(error?.exceededLimit != nil)
        #expect(db.isInsideTransaction)
        return error
    }

    /// Functions look at the time limit. The calls are in one row, between whose instructions SQLite looks at nothing.
    @Test func aFunctionThatExceedsTheTimeLimitIsUndoneAlone() throws {
        let calls = (0..<20)
            .map { "instr(printf('%.*c', \(900_000 - $0), 'a'), printf('%.*c', 400000, 'a') || 'b')" }
            .joined(separator: ", ")
        try DatabaseKind.memory.open { writer in
            var sandbox = Sandbox.readWrite(tables: ["note"])
            sandbox.limits = ExecutionLimits(time: .milliseconds(5))
            try writer.write {
                try $0.execute(sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, body); CREATE TABLE work (v)")
            }
            try writer.write { db in
                try db.execute(sql: "INSERT INTO work VALUES ('before'); INSERT INTO note VALUES (1, 'a')")
                let error = #expect(throws: DatabaseError.self) {
                    try db.sandboxed(sandbox) {
                        try db.execute(sql: "UPDATE note SET body = max(\(calls))")
                    }
                }
                #expect(error?.exceededLimit == .time)
                #expect(db.isInsideTransaction)
                #expect(try String.fetchAll(db, sql: "SELECT body FROM note") == ["a"])
            }
            #expect(try writer.read { try String.fetchAll($0, sql: "SELECT v FROM work") } == ["before"])
        }
    }
}
