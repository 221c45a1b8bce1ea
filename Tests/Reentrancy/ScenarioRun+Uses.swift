import Amalgam

extension ScenarioRun {
    func run(_ use: ConnectionUse) throws {
        if let sql = use.sql {
            outerSQL = sql
            return try db.cachedStatement(sql: sql).execute()
        }
        switch use {
        case .beginAndCommit: try db.inTransaction { try writeTwice(.commit) }
        case .beginAndRollback: try db.inTransaction { try writeTwice(.rollback) }
        case .savepoint: try db.inSavepoint { try writeTwice(.commit) }
        case .savepointRollback: try db.inSavepoint { try writeTwice(.rollback) }
        case .writeBlob: try blobs.last?.write([1, 2, 3])
        case .stepCursor: try keepNextRow()
        case .apply: try apply()
        case .applyInverted: try apply(.inverted)
        case .waitForLock: try waitForLock()
        default: fail("the use \(use) does nothing")
        }
    }

    private func writeTwice(_ end: Database.TransactionCompletion) throws -> Database.TransactionCompletion {
        try db.execute(sql: "UPDATE t SET a = -a")
        try db.execute(sql: "INSERT INTO u (n) VALUES (3)")
        return end
    }

    func keepNextRow() throws {
        guard let row = try cursors.last?.next() else { return }
        rows.append(row)
    }

    func apply(_ options: ApplyOptions = []) throws {
        try db.apply(
            Self.changeset, options: options,
            tables: { _ in
                try self.call(.applyTable)
                return true
            },
            where: { _ in
                try self.call(.applyChange)
                return true
            },
            onConflict: { conflict in
                try self.call(.conflict)
                return conflict.replaceOrOmit
            })
    }

    /// Changes that conflict with the rows of the run, and some that don't.
    private static let changeset: Changeset = {
        let queue = try! DatabaseQueue()
        return try! queue.inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (id INTEGER PRIMARY KEY, a, b TEXT);
                    INSERT INTO t VALUES (1, 99, 'other'), (3, 30, 'three'), (77, 0, 'missing');
                    """)
            return try db.recordChanges {
                try db.execute(
                    sql: """
                        UPDATE t SET a = 100 WHERE id = 1;
                        UPDATE t SET a = 31 WHERE id = 3;
                        DELETE FROM t WHERE id = 77;
                        INSERT INTO t VALUES (2, 0, 'conflict'), (20, 0, 'new');
                        """)
            }
        }
    }()

    /// Writes while another connection holds the lock.
    private func waitForLock() throws {
        guard let other else { return }
        isUsingOther = true
        defer { isUsingOther = false }
        try other.inDatabase { other in
            try other.beginTransaction(.immediate)
            defer { try? other.rollback() }
            try db.execute(sql: "INSERT INTO u (n) VALUES (0)")
        }
    }
}
