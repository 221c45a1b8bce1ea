public import AmalgamCore
import CAmalgam

extension Database {
    /// Runs a closure in which SQL is restricted to what a sandbox allows.
    ///
    /// ```swift
    /// let rows = try db.sandboxed(.readOnly(tables: ["player"])) {
    ///     try Row.fetchAll(db, sql: untrusted)
    /// }
    /// ```
    ///
    /// All SQL in the closure is compiled under the rules of the sandbox, including the SQL that the application's SQL
    /// functions run. In the closure, the connection is in defensive mode. It is read-only, unless
    /// ``Sandbox/writableTables`` has elements. Swift code in the closure can call `inTransaction` and `inSavepoint`. A
    /// nested sandbox can only add restrictions.
    ///
    /// A statement that exceeds a limit of the sandbox is undone, and the transaction of the caller goes on. It is different
    /// in code that a running statement calls, such as a SQL function: if a statement of a sandbox that writes exceeds a limit
    /// there, SQLite rolls back the whole transaction, and ``isInsideTransaction`` is false. If the running statement writes,
    /// it throws, too; if it only reads, it may go on.
    ///
    /// A statement created outside of the closure throws `SQLITE_MISUSE` inside the closure. A statement created inside
    /// throws `SQLITE_MISUSE` outside, so don't return statements or cursors from the closure.
    ///
    /// - Throws: the error of `body`. Statements in the closure throw `SQLITE_AUTH` with ``DatabaseError/deniedAction``
    ///   for actions that aren't allowed, `SQLITE_INTERRUPT` with ``DatabaseError/exceededLimit`` if they exceed the
    ///   limits of time, memory or rows, and `SQLITE_TOOBIG` or `SQLITE_ERROR` if they exceed a limit of the
    ///   connection.
    public func sandboxed<T>(_ sandbox: Sandbox, _ body: () throws -> T) throws -> T {
        try checkAccess()
        guard let sqliteConnection else { throw Self.connectionIsClosed }
        let policy = SandboxPolicy(sandbox, sqliteConnection)
        // The policy asks the virtual tables what they read.
        if policy.protectsColumns { amalgam_connect_virtual_tables(sqliteConnection) }
        let wasDefensive = amalgam_set_defensive(sqliteConnection, 1)
        defer { if let connection = self.sqliteConnection { amalgam_set_defensive(connection, wasDefensive) } }
        return try withConnectionLimits(sandbox.connectionLimits) {
            try withLimits(sandbox.limits) {
                try ProtectedIndexes.withoutIndexes(of: policy.protectedColumns, self) {
                    try withAuthorizer(
                        policy.decide, maximumRowCount: sandbox.maximumRowCount, preservesTransaction: true
                    ) {
                        sandbox.writableTables.isEmpty ? try readOnly(body) : try body()
                    }
                }
            }
        }
    }
}

extension Database {
    /// Runs a closure with the given limits, unless the current ones are lower.
    fileprivate func withConnectionLimits<T>(_ limits: [Limit: Int], _ body: () throws -> T) throws -> T {
        var previous: [(Limit, Int)] = []
        defer {
            // The closure may have closed the connection.
            if let sqliteConnection {
                for (limit, value) in previous {
                    sqlite3_limit(sqliteConnection, limit.rawValue, CInt(clamping: value))
                }
            }
        }
        for (limit, value) in limits {
            let current = try self.limit(limit)
            previous.append((limit, current))
            try setLimit(limit, to: min(value, current))
        }
        return try body()
    }
}
