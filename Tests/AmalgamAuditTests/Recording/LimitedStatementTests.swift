import Amalgam
import TestSupport
import Testing

/// Audited statements that exceed a limit of a sandbox, also after their first row has been read.
struct LimitedStatementTests {
    private func run(_ test: (Database) throws -> Void) throws {
        var configuration = Configuration()
        configuration.audit("player")
        try DatabaseKind.memory.run(configuration) { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, score);
                    INSERT INTO player SELECT value, 0 FROM json_each('[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]');
                    """)
            try test(db)
        }
    }

    private static let limits =
        stride(from: 1, to: 800, by: 7).map { ExecutionLimits.instructions($0) }
        + stride(from: 0, to: 80_000, by: 800).map { .memory($0) }

    @Test(
        "a statement that throws is undone with its entries, and the transaction goes on",
        arguments: [
            "UPDATE player SET score = score + 1 RETURNING *", "DELETE FROM player RETURNING *",
            "INSERT INTO player (score) SELECT score FROM player RETURNING id", "UPDATE player SET score = score + 1",
        ])
    func undo(_ sql: String) throws {
        try run { db in
            let before = try Row.fetchAll(db, sql: "SELECT * FROM player")
            var completed = 0
            for limits in Self.limits {
                try db.inTransaction {
                    try db.execute(sql: "UPDATE player SET score = score WHERE id = 1")
                    let count = try AuditLog.Entry.fetchCount(db)
                    var sandbox = Sandbox.readWrite(tables: ["player"])
                    sandbox.limits = limits
                    do {
                        _ = try db.sandboxed(sandbox) { try Row.fetchAll(db, sql: sql) }
                        completed += 1
                        #expect(try AuditLog.Entry.fetchCount(db) > count, "\(limits)")
                    } catch let error as DatabaseError {
                        #expect(error.exceededLimit != nil, "\(limits): \(error)")
                        #expect(db.isInsideTransaction, "\(limits)")
                        #expect(try Row.fetchAll(db, sql: "SELECT * FROM player") == before, "\(limits)")
                        #expect(try AuditLog.Entry.fetchCount(db) == count, "\(limits)")
                    }
                    // Later changes are logged.
                    try db.execute(sql: "INSERT INTO player (id, score) VALUES (100, 1)")
                    #expect(try AuditLog.verify(db).isEmpty, "\(limits)")
                    return .rollback
                }
            }
            #expect(completed > 0)
        }
    }
}
