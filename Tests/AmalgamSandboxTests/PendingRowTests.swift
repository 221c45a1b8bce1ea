import Amalgam
import TestSupport
import Testing

/// Full-text tables write the terms of new rows to the index later than by the statement that inserts the rows: when a
/// savepoint or a sandboxed statement begins, or before a search. The limits of the later statement don't apply to this.
struct PendingRowTests {
    private static let tables = [
        "fts5(body)", "fts5(body, tokendata=1)", "fts5(body, prefix=2)", "fts4(body)", "fts4(body, prefix=\"2\")",
    ]

    private static let limits =
        Array(1...40).map { ExecutionLimits.instructions($0) }
        + stride(from: 41, to: 400, by: 9).map { .instructions($0) }
        + stride(from: 0, to: 60_000, by: 3000).map { .memory($0) }
        + [.time(.zero)]

    /// Inserts a row, runs statements that may throw, commits, and checks that the row is found.
    private func check(_ table: String, _ context: String = "", _ body: (Database) throws -> Void) throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE work (v); CREATE VIRTUAL TABLE docs USING \(table)")
            if table.hasPrefix("fts5") {
                try db.execute(sql: "CREATE VIRTUAL TABLE words USING fts5vocab(docs, row)")
            }
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO docs VALUES ('one whale'), ('two whales')")
                try body(db)
                #expect(db.isInsideTransaction, "\(context)")
                try db.execute(sql: "INSERT INTO work VALUES (2)")
                return .commit
            }
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM docs WHERE docs MATCH 'whale'") == 1, "\(context)")
            try db.execute(sql: "INSERT INTO docs(docs) VALUES ('integrity-check')")
        }
    }

    /// Ignores errors of a limit.
    private func limited(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as DatabaseError where error.exceededLimit != nil {}
    }

    @Test(
        "a sandboxed statement that exceeds a limit leaves the rows of earlier statements in the index",
        arguments: tables)
    func sandboxedStatements(_ table: String) throws {
        for limits in Self.limits {
            try check(table, "\(limits)") { db in
                var sandbox = Sandbox.readWrite(tables: ["work"])
                sandbox.limits = limits
                try limited { try db.sandboxed(sandbox) { try db.execute(sql: "INSERT INTO work VALUES (1)") } }
            }
        }
    }

    @Test(
        "a sandboxed statement that exceeds a limit leaves the rows of an earlier statement of the sandbox in the index"
    )
    func earlierStatementsOfTheSandbox() throws {
        for limits in Self.limits {
            try DatabaseKind.memory.run { db in
                try db.execute(sql: "CREATE TABLE work (v); CREATE VIRTUAL TABLE docs USING fts5(body)")
                var sandbox = Sandbox.readWrite(tables: ["docs", "work"])
                sandbox.limits = limits
                var inserted = 0
                try db.inTransaction {
                    try limited {
                        try db.sandboxed(sandbox) {
                            try db.execute(sql: "INSERT INTO docs VALUES ('one whale'), ('two whales')")
                            inserted += 1
                            for _ in 0..<3 { try db.execute(sql: "INSERT INTO work VALUES (1)") }
                        }
                    }
                    return .commit
                }
                let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM docs WHERE docs MATCH 'whale'")
                #expect(count == inserted, "\(limits)")
            }
        }
    }

    @Test("after a savepoint that exceeds a limit, the transaction can be committed", arguments: tables)
    func savepoints(_ table: String) throws {
        for limits in Self.limits {
            try check(table, "\(limits)") { db in
                try limited {
                    try db.withLimits(limits) {
                        try db.inSavepoint {
                            try db.inSavepoint { .commit }
                            _ = try Int.fetchOne(db, sql: "SELECT 1")
                            return .commit
                        }
                    }
                }
            }
        }
    }

    @Test("in a sandbox, a savepoint that exceeds a limit is undone alone", arguments: tables)
    func sandboxedSavepoints(_ table: String) throws {
        for limits in Self.limits {
            try check(table, "\(limits)") { db in
                var sandbox = Sandbox.readWrite(tables: ["docs", "work"])
                sandbox.limits = limits
                var isCommitted = false
                try limited {
                    try db.sandboxed(sandbox) {
                        try db.inSavepoint {
                            try db.execute(sql: "INSERT INTO docs VALUES ('three')")
                            return .commit
                        }
                        isCommitted = true
                    }
                }
                let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM docs WHERE docs MATCH 'three'")
                #expect(count == (isCommitted ? 1 : 0), "\(limits)")
            }
        }
    }

    @Test("a rollback to a savepoint under a limit undoes the savepoint alone", arguments: tables)
    func rollbacks(_ table: String) throws {
        for limits in Self.limits {
            try check(table, "\(limits)") { db in
                try db.execute(sql: "SAVEPOINT s; INSERT INTO docs VALUES ('a whale')")
                try limited { try db.withLimits(limits) { try db.execute(sql: "ROLLBACK TO s") } }
                try db.execute(sql: "ROLLBACK TO s; RELEASE s")
            }
        }
    }

    @Test("a search under a limit leaves the rows of earlier statements in the index", arguments: tables)
    func searches(_ table: String) throws {
        let searches = ["SELECT rowid FROM docs WHERE docs MATCH 'two'", "SELECT term FROM words"]
        for sql in searches where table.hasPrefix("fts5") || !sql.contains("words") {
            for limits in Self.limits {
                try check(table, "\(limits)") { db in
                    try limited { try db.withLimits(limits) { _ = try Row.fetchAll(db, sql: sql) } }
                    var sandbox = Sandbox.readOnly
                    sandbox.limits = limits
                    try limited { try db.sandboxed(sandbox) { _ = try Row.fetchAll(db, sql: sql) } }
                }
            }
        }
    }

    @Test("in a read-only closure, savepoints and searches work after an insertion", arguments: tables)
    func readOnlyClosures(_ table: String) throws {
        try check(table) { db in
            try db.readOnly { try db.inSavepoint { .commit } }
        }
        try check(table) { db in
            try db.sandboxed(.readOnly) {
                try db.inSavepoint {
                    let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM docs WHERE docs MATCH 'whale'")
                    #expect(count == 1)
                    return .commit
                }
            }
        }
        guard table.hasPrefix("fts5") else { return }
        try check(table) { db in
            let terms = try db.readOnly { try String.fetchAll(db, sql: "SELECT term FROM words ORDER BY term") }
            #expect(terms == ["one", "two", "whale", "whales"])
        }
    }

    @Test("an authorizer isn't asked about rows of earlier statements", arguments: tables)
    func authorizers(_ table: String) throws {
        try check(table) { db in
            try db.withAuthorizer { action in
                [.read, .select, .savepoint].contains(action.kind) ? .allow : .deny
            } perform: {
                try db.inSavepoint { .commit }
                try db.execute(sql: "SAVEPOINT s; RELEASE s")
            }
        }
    }

    @Test("a progress handler can't stop the work for earlier statements", arguments: tables)
    func handlers(_ table: String) throws {
        try check(table) { db in
            db.setProgressHandler(every: 1) { false }
            let error = #expect(throws: DatabaseError.self) {
                try db.sandboxed(.readWrite(tables: ["work"])) { try db.execute(sql: "INSERT INTO work VALUES (1)") }
            }
            db.setProgressHandler(nil)
            #expect(error?.resultCode == .SQLITE_INTERRUPT)
        }
    }
}
