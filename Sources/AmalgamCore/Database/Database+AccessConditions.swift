extension Database {
    /// Throws if the connection must not be used now.
    ///
    /// - Throws: `SQLITE_MISUSE` if the connection is closed, or is used outside of a database access or in a callback
    ///   that must not use it; `SQLITE_BUSY` during a backup to the connection; `CancellationError` if the database
    ///   access was cancelled; `SQLITE_INTERRUPT` if a limit is exceeded; `SQLITE_ABORT` if the transaction was aborted
    ///   (rolled back by SQLite or by a suspension); `SQLITE_ERROR_SNAPSHOT` if the snapshot that the connection reads
    ///   is lost.
    package func checkAccess(sql: @autoclosure () -> String? = nil) throws {
        if !isAccessible { throw Self.wrongThread(sql: sql()) }
        if !access.conditions.isEmpty || access.interrupter.isCancelled { try checkConditions(sql) }
    }

    /// Whether ``checkAccess(sql:)`` would succeed without further checks, as in most transactions and reads.
    @inline(__always)
    var isPlainlyAccessible: Bool {
        guard isAccessible, !access.isCancelled else { return false }
        return access.conditions.isEmpty || access.conditions == .managingTransaction && isInsideTransaction
    }

    /// Whether statements run, and the schema is read, without further checks.
    package var runsStatementsPlainly: Bool { isPlainlyAccessible && !access.isSuspended }

    /// Whether statements and blob handles may be closed now: see ``checkMayEndStatements()``.
    package var mayEndStatements: Bool { mayStep && sqliteConnection != nil }

    /// - Throws: `SQLITE_MISUSE` on a thread without access, and in a callback, where SQLite may be using the memory of
    ///   statements. Unlike ``checkAccess(sql:)``, the method doesn't throw in a cancelled database access.
    package func checkMayEndStatements() throws {
        if !isAccessible { throw Self.wrongThread(sql: nil) }
        if isInsideHook || access.callbackDepth > 0 { throw Self.isInsideHook(sql: nil) }
    }

    /// Runs a closure of an observer, which must not use the connection.
    @inline(__always)
    package func insideHook<T>(_ body: () throws -> T) rethrows -> T {
        let wasInsideHook = isInsideHook
        isInsideHook = true
        defer { isInsideHook = wasInsideHook }
        return try body()
    }

    private func checkConditions(_ sql: () -> String?) throws {
        if access.conditions[.closed] { throw Self.connectionIsClosed }
        if access.conditions[.receivingBackup] { throw Self.isReceivingBackup(sql: sql()) }
        if access.conditions[.insideHook] { throw Self.isInsideHook(sql: sql()) }
        if access.interrupter.isCancelled { throw CancellationError() }
        if access.conditions[.waitingRegistrations] { hooks.functions.applyPending() }
        if access.conditions[.restricted] { try checkRestrictions(sql: sql()) }
        if isInsideTransaction { return }
        if access.conditions[.holdingSnapshot] {
            if reopensSnapshot() { return }
            throw DatabaseError(
                resultCode: .SQLITE_ERROR_SNAPSHOT,
                message: "Snapshot is lost. Its transaction has ended: make another snapshot.", sql: sql())
        }
        if access.conditions[.managingTransaction] {
            let sql = sql()
            if endsAbortedTransaction(sql) { return }
            throw DatabaseError(resultCode: .SQLITE_ABORT, message: "Transaction was aborted", sql: sql)
        }
    }

    /// Begins a transaction that reads the snapshot again, after the application has ended the previous transaction.
    ///
    /// - Returns: Whether the connection reads the snapshot again.
    private func reopensSnapshot() -> Bool {
        guard let openSnapshot else { return false }
        holdsSnapshot = false
        defer { holdsSnapshot = true }
        return (try? openSnapshot(self)) != nil
    }

    /// Returns whether the SQL is the `ROLLBACK` of a transaction that an interruption has already ended. If so, allows
    /// further statements.
    private func endsAbortedTransaction(_ sql: String?) -> Bool {
        guard transaction.isAborted, let sql else { return false }
        guard ["ROLLBACK", "ROLLBACK TRANSACTION"].contains(sql.trimmedSQLStatement.uppercased()) else { return false }
        managesTransaction = false
        return true
    }

    /// Called after a statement has failed. If an interruption has ended a transaction that the application began with
    /// a statement such as `BEGIN`, makes further statements throw `SQLITE_ABORT`. SQLite itself would run each further
    /// statement in autocommit mode, and commit it separately.
    func noteAbortedTransaction(_ code: CInt) {
        guard transaction.hasBegun, !isInsideTransaction else { return }
        transaction.hasBegun = false
        let isInterrupted =
            ResultCode(rawValue: code).primaryResultCode == .SQLITE_INTERRUPT
            || access.progressMonitor?.hasStopped == true
        guard isInterrupted, !managesTransaction else { return }
        managesTransaction = true
        transaction.isAborted = true
    }

    /// At the end of a database access, clears the state of a transaction that an interruption has ended.
    func forgetAbortedTransaction() {
        guard transaction.isAborted, !configuration.allowsUnsafeTransactions else { return }
        managesTransaction = false
    }

    /// Whether the connection always reads one snapshot of the database, and loses it when its transaction ends.
    package var holdsSnapshot: Bool {
        get { access.conditions[.holdingSnapshot] }
        set { access.conditions[.holdingSnapshot] = newValue }
    }

    /// Whether the connection is the destination of a backup in progress.
    package var isReceivingBackup: Bool {
        get { access.conditions[.receivingBackup] }
        set { access.conditions[.receivingBackup] = newValue }
    }

    /// Whether SQLite has called a closure in the middle of a change.
    var isInsideHook: Bool {
        get { access.conditions[.insideHook] }
        set { access.conditions[.insideHook] = newValue }
    }

    /// Whether `inTransaction` has begun a transaction that it will end.
    var managesTransaction: Bool {
        get { access.conditions[.managingTransaction] }
        set {
            access.conditions[.managingTransaction] = newValue
            transaction.isAborted = false
            transaction.abortCause = nil
        }
    }

    package static func wrongThread(sql: String?) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "Database was not used on the correct thread. Use it inside the closure that receives it, only.",
            sql: sql)
    }

    static func isReceivingBackup(sql: String?) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_BUSY,
            message: "The connection is the destination of a backup under way. Use it once the backup has ended.",
            sql: sql)
    }

    static func isInsideHook(sql: String?) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                The connection cannot be used here: SQLite is changing a row, or about to commit. Use it in \
                databaseDidCommit(_:), or after the statement.
                """, sql: sql)
    }

    package static var connectionIsClosed: DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: "Connection is closed")
    }
}
