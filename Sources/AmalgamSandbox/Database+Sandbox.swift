public import AmalgamCore
import CAmalgam

extension Database {
    /// Runs a closure in which SQL may do what a sandbox allows, and nothing else.
    ///
    /// ```swift
    /// let rows = try db.sandboxed(.readOnly(tables: ["player"])) {
    ///     try Row.fetchAll(db, sql: untrusted)
    /// }
    /// ```
    ///
    /// All SQL inside is compiled anew under the rules of the sandbox, also what SQL functions of the app run. A
    /// statement made outside throws `SQLITE_MISUSE` inside, and the other way round: take values out of the closure,
    /// not statements or cursors. The connection is in defensive mode inside, and refuses to write unless
    /// ``Sandbox/writableTables`` has elements. `inTransaction` and `inSavepoint` work inside, for Swift. Nested
    /// sandboxes only get narrower.
    ///
    /// - throws: the error of `body`; inside, `SQLITE_AUTH` with ``DatabaseError/deniedAction`` for what is not
    ///   allowed, `SQLITE_INTERRUPT` with ``DatabaseError/exceededLimit`` for what takes too long or too many rows,
    ///   `SQLITE_TOOBIG` and `SQLITE_ERROR` for what exceeds a limit of the connection.
    public func sandboxed<T>(_ sandbox: Sandbox, _ body: () throws -> T) throws -> T {
        try checkAccess()
        guard let sqliteConnection else { throw Self.connectionIsClosed }
        let policy = SandboxPolicy(sandbox, sqliteConnection)
        let wasDefensive = amalgam_set_defensive(sqliteConnection, 1)
        defer { if let connection = self.sqliteConnection { amalgam_set_defensive(connection, wasDefensive) } }
        return try withConnectionLimits(sandbox.connectionLimits) {
            try withLimits(sandbox.limits) {
                try withAuthorizer(policy.decide, maximumRowCount: sandbox.maximumRowCount) {
                    sandbox.writableTables.isEmpty ? try readOnly(body) : try body()
                }
            }
        }
    }
}

extension Database {
    /// Runs a closure under limits that are lower than those outside.
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
