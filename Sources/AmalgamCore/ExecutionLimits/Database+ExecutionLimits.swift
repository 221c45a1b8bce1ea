import CAmalgam

extension Database {
    /// Runs a closure whose statements may take so long, all together, and no longer.
    ///
    /// ```swift
    /// do {
    ///     let rows = try db.withLimits(.time(.seconds(2))) {
    ///         try Row.fetchAll(db, sql: sql)
    ///     }
    /// } catch let error as DatabaseError where error.exceededLimit == .time {
    ///     print("too slow")
    /// }
    /// ```
    ///
    /// The statement that reaches the limit is stopped, and further ones inside the closure are refused. Nothing else
    /// is: statements of the same connection that began outside go on when they are stepped there, and so do other
    /// accesses. Waiting for a lock ends at the deadline. Nested limits all hold.
    ///
    /// A statement that only reads leaves the transaction as it was. One that writes is undone, and SQLite can undo it
    /// only by rolling the whole transaction back: ``isInsideTransaction`` tells, and the closure of `inTransaction`
    /// can only throw. The end of a transaction is never stopped halfway: a COMMIT is refused before it begins, and
    /// ROLLBACK is always allowed.
    ///
    /// SQLite looks at the limits every thousand instructions. A single long instruction (a sort, a call of a function)
    /// comes to its end first. The cost is below one per cent, and nothing outside of the closure.
    /// See <https://sqlite.org/c3ref/progress_handler.html>.
    ///
    /// - throws: the error of `body`; inside, `SQLITE_INTERRUPT` with ``DatabaseError/exceededLimit``.
    public func withLimits<T>(_ limits: ExecutionLimits, _ body: () throws -> T) throws -> T {
        try checkAccess()
        let monitor = makeProgressMonitor()
        monitor.begin(limits)
        updateRestrictions()
        defer {
            monitor.end()
            updateRestrictions()
        }
        return try body()
    }

    /// Sets a closure that is called again and again while statements run, and may stop them.
    ///
    /// ```swift
    /// db.setProgressHandler(every: 10_000) {
    ///     spinner.turn()
    ///     return !stopButton.isPressed
    /// }
    /// ```
    ///
    /// It works beside limits and cancellation. It replaces the previous handler; nil removes it. It must not use the
    /// connection: methods that throw throw `SQLITE_MISUSE` there.
    ///
    /// - Parameters:
    ///   - interval: how many instructions lie between two calls, about; at least 1.
    ///   - handler: returns whether the statement goes on. With false it throws `SQLITE_INTERRUPT`; an error thrown by
    ///     the handler stops the statement, too, and is what it throws.
    public func setProgressHandler(every interval: Int = 1000, _ handler: (() throws -> Bool)?) {
        guard sqliteConnection != nil, handler != nil || access.progressMonitor != nil else { return }
        makeProgressMonitor().setHandler(every: interval, handler)
    }

    /// Runs a closure while statements ask another one, now and then, whether they go on: beside limits, and beside the
    /// handler of the user. It must not use the connection.
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

    private func updateRestrictions() {
        access.conditions[.restricted] = access.callbackDepth > 0 || access.progressMonitor?.hasLimits == true
    }

    /// - throws: `SQLITE_MISUSE` inside of a closure that SQLite calls; `SQLITE_INTERRUPT` beyond a limit.
    func checkRestrictions(sql: String?) throws {
        if access.callbackDepth > 0 {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the connection cannot be used here: SQLite is in the middle of a statement", sql: sql)
        }
        if case .limit(let kind, let limit) = access.progressMonitor?.exceeded() {
            throw exceeded(kind, limit: limit, sql: sql)
        }
    }

    func exceeded(
        _ kind: ExceededLimit, limit: String, sql: String?, arguments: StatementArguments? = nil
    ) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_INTERRUPT, message: "interrupted: the limit of \(limit) is exceeded", sql: sql,
            arguments: arguments, publicStatementArguments: configuration.publicStatementArguments,
            detail: .limit(kind))
    }

    /// The error of a statement that a limit, or the progress handler, has stopped.
    func interruption(_ code: CInt, _ error: DatabaseError) -> (any Error)? {
        switch access.progressMonitor?.takeReason(code) {
        case .limit(let kind, let limit): exceeded(kind, limit: limit, sql: error.sql, arguments: error.arguments)
        case .failure(let error): error
        case .handler, nil: nil
        }
    }
}
