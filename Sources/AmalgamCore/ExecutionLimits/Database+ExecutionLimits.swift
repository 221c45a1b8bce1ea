import CAmalgam

extension Database {
    /// Runs a closure, and interrupts its statements when, together, they exceed a limit of time, instructions or memory.
    ///
    /// ```swift
    /// do {
    ///     let rows = try db.withLimits(.time(.seconds(2))) {
    ///         try Row.fetchAll(db, sql: "SELECT * FROM player ORDER BY random()")
    ///     }
    /// } catch let error as DatabaseError where error.exceededLimit == .time {
    ///     print("too slow")
    /// }
    /// ```
    ///
    /// The statement that reaches the limit is interrupted, unless it has just completed. Further statements in the
    /// closure are rejected. After the closure, statements of the connection can run, or continue. Other database
    /// accesses aren't affected. The connection stops waiting for a lock at the deadline. If calls are nested, all
    /// limits apply.
    ///
    /// Interrupting a statement that only reads doesn't affect the transaction. If the statement writes, SQLite must
    /// roll back the whole transaction: ``isInsideTransaction`` is then false, and further statements in the closure of
    /// `inTransaction` throw. The end of a transaction is never interrupted halfway: COMMIT is rejected before it
    /// begins, and ROLLBACK is always allowed. SAVEPOINT, RELEASE and ROLLBACK TO are rejected before they begin, or run
    /// to their end. Observers that are notified of the end of a transaction aren't interrupted either, unless they call
    /// this method themselves.
    ///
    /// SQLite checks the limits every thousand instructions. The limits of time and memory also apply while SQL is
    /// compiled, and inside SQLite's functions. A function written in Swift runs to its end first. If there is a limit of
    /// time, `LIKE`, `trim()` and some other functions throw `SQLITE_TOOBIG` for two arguments that are both large.
    /// Statements in the closure take less than one per cent longer; other statements aren't affected. See
    /// <https://sqlite.org/c3ref/progress_handler.html>.
    ///
    /// - Throws: The error of `body`. In `body`, statements throw `SQLITE_INTERRUPT` with
    ///   ``DatabaseError/exceededLimit``.
    public func withLimits<T>(_ limits: ExecutionLimits, _ body: () throws -> T) throws -> T {
        try checkAccess()
        let monitor = makeProgressMonitor()
        monitor.begin(limits)
        updateRestrictions()
        defer {
            monitor.end()
            updateRestrictions()
        }
        return try ProgressMonitor.ofThread.withValue(monitor) { try monitor.allocations.limiting(body) }
    }

    /// Sets a closure that SQLite calls regularly while statements run, and that can interrupt these statements.
    ///
    /// ```swift
    /// var count = 0
    /// db.setProgressHandler(every: 10_000) {
    ///     count += 1
    ///     return count < 100   // false interrupts the statement
    /// }
    /// ```
    ///
    /// The handler replaces the previous one; nil removes it. Limits and cancellations apply as well. The handler must
    /// not use the connection, whose methods throw `SQLITE_MISUSE` during the call.
    ///
    /// - Parameters:
    ///   - interval: The approximate number of instructions between two calls; at least 1.
    ///   - handler: Returns whether the statement continues. With false, the statement throws `SQLITE_INTERRUPT`. If
    ///     the handler throws an error, the statement stops and throws this error.
    public func setProgressHandler(every interval: Int = 1000, _ handler: (() throws -> Bool)?) {
        guard sqliteConnection != nil, handler != nil || access.progressMonitor != nil else { return }
        makeProgressMonitor().setHandler(every: interval, handler)
    }

    /// Runs a closure, and calls an observer regularly while statements run. The observer returns whether the statement
    /// continues, and must not use the connection. Limits and the handler of ``setProgressHandler(every:_:)`` apply as
    /// well.
    package func withProgressObserver<T>(
        every interval: Int, _ observer: @escaping () throws -> Bool, _ body: () throws -> T
    ) throws -> T {
        try checkAccess()
        return try makeProgressMonitor().withObserver(every: interval, observer, body)
    }

    private func makeProgressMonitor() -> ProgressMonitor {
        if let progressMonitor = access.progressMonitor { return progressMonitor }
        let monitor = ProgressMonitor(self)
        access.progressMonitor = monitor
        return monitor
    }

    /// Runs a closure that SQLite calls, and that must not use the connection.
    func duringCallback<T>(_ body: () throws -> T) rethrows -> T {
        access.callbackDepth += 1
        updateRestrictions()
        defer {
            access.callbackDepth -= 1
            updateRestrictions()
        }
        return try body()
    }

    func updateRestrictions() {
        access.conditions[.restricted] = access.callbackDepth > 0 || access.progressMonitor?.restrictsStatements == true
    }

    /// - Throws: `SQLITE_MISUSE` in a closure that SQLite calls; `SQLITE_INTERRUPT` if a limit is exceeded, or a handler has
    ///   refused to continue.
    func checkRestrictions(sql: String?) throws {
        if access.callbackDepth > 0 {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the connection cannot be used here: SQLite is in the middle of a statement", sql: sql)
        }
        access.progressMonitor?.forgetNestedReason()
        if case .limit(let kind, let limit) = access.progressMonitor?.exceeded() {
            throw exceeded(kind, limit: limit, sql: sql)
        }
        switch access.progressMonitor?.takeRefusal() {
        case .failure(let error): throw error
        case .handler, .limit: throw DatabaseError(resultCode: .SQLITE_INTERRUPT, message: "interrupted", sql: sql)
        case nil: break
        }
    }

    /// The error of the limit that the innermost ``withLimits(_:_:)`` of the current thread exceeds; nil if it exceeds none.
    ///
    /// It is for code that SQLite's limits stop outside of a statement, and that doesn't know the connection, such as
    /// tokenizers.
    package static var limitErrorOfThread: DatabaseError? { ProgressMonitor.ofThread.value?.limitError }

    func exceeded(
        _ kind: ExceededLimit, limit: String, sql: String?, arguments: StatementArguments? = nil
    ) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_INTERRUPT, message: "interrupted: the limit of \(limit) is exceeded", sql: sql,
            arguments: arguments, publicStatementArguments: configuration.publicStatementArguments,
            detail: .limit(kind))
    }

    /// Returns the error of a statement that a limit or a progress handler has interrupted.
    func interruption(_ code: CInt, _ error: DatabaseError) -> (any Error)? {
        switch access.progressMonitor?.takeReason(code) {
        case .limit(let kind, let limit): exceeded(kind, limit: limit, sql: error.sql, arguments: error.arguments)
        case .failure(let error): error
        case .handler where ResultCode(rawValue: code).primaryResultCode != .SQLITE_INTERRUPT:
            DatabaseError(
                resultCode: .SQLITE_INTERRUPT, message: "interrupted", sql: error.sql, arguments: error.arguments,
                publicStatementArguments: configuration.publicStatementArguments)
        case .handler, nil: nil
        }
    }
}
