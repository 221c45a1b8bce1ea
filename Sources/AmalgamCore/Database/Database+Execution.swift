import CAmalgam

extension Database {
    /// Steps a statement that may do more than read rows.
    @usableFromInline
    package func step(_ statement: Statement) throws -> Bool {
        if !statement.isRunning, statement.changesRows {
            try checkMayChangeRows(statement.sqliteStatement, sql: statement.sql)
        }
        guard statement.changesContentAtMost else { return try stepObserved(statement) }
        let code: CInt
        if !observation.isActive {
            code = statement.stepOnce()
        } else if observation.broker.hasNoListeners(statement), !isRecorded(statement) {
            // No observer receives these row changes. If a transaction stays open, there is nothing else to report.
            code = statement.stepOnce(unreportedBy: hooks.pointer)
            if code == AMALGAM_NOT_STEPPED { return try stepObserved(statement) }
        } else {
            return try stepObserved(statement)
        }
        if code == SQLITE_ROW {
            // It has changed all its rows, so its next steps aren't checked.
            statement.isRunning = true
            return true
        }
        statement.isRunning = false
        if code == SQLITE_DONE { return false }
        throw failure(code, of: statement)
    }

    /// Throws if a SQL function is about to change rows of a table that the calling statement changes, and whose cursor
    /// the calling statement has positioned, to delete rows of a table in which the calling statement collects rows to
    /// delete, or to change any rows while the calling statement builds an index.
    ///
    /// - Parameter statement: The statement that the function is about to run; nil if any rows may change.
    /// - Throws: `SQLITE_MISUSE`, `SQLITE_LOCKED`
    @inline(__always)
    package func checkMayChangeRows(_ statement: OpaquePointer?, sql: @autoclosure () -> String?) throws {
        let answer = amalgam_row_changes(sqliteConnection, statement)
        if answer != CInt(AMALGAM_ROWS_MAY_CHANGE) { throw rowsMustNotChange(answer, sql: sql()) }
    }

    /// Called before a blob handle that writes is opened. If a statement that calls this code fails while the handle is
    /// open, the transaction is rolled back.
    package func willOpenWriter() { amalgam_note_nested_writer(sqliteConnection) }

    private func rowsMustNotChange(_ reason: CInt, sql: String?) -> DatabaseError {
        switch reason {
        case CInt(AMALGAM_ROWS_ARE_INDEXED):
            DatabaseError(
                resultCode: .SQLITE_LOCKED,
                message: """
                    Rows cannot be changed here: a statement is building an index, which would miss the change. \
                    Functions of an index must not change the database.
                    """, sql: sql)
        case CInt(AMALGAM_ROWS_ARE_COLLECTED):
            DatabaseError(
                resultCode: .SQLITE_LOCKED,
                message: """
                    Rows cannot be deleted here: a DELETE statement is looking for rows in the same table. Delete them \
                    before or after that statement.
                    """, sql: sql)
        default:
            DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: """
                    Rows cannot be changed here: the statement that calls this code is changing rows of the same \
                    table. Change them before or after that statement, or in a trigger.
                    """, sql: sql)
        }
    }

    /// Whether the recorder may record the rows that a statement changes.
    private func isRecorded(_ statement: Statement) -> Bool {
        guard let rowRecorder, statement.changesRows else { return false }
        return rowRecorder.mayRecord(statement)
    }

    private func stepObserved(_ statement: Statement) throws -> Bool {
        if statement.scope != access.scope { throw foreignScope(statement) }
        // A statement changes all its rows before it returns the first one.
        let changesObservedRows = observation.isActive && statement.changesRows && !statement.isRunning
        if !statement.isRunning { try willRun(statement) }
        let wasInsideTransaction = isInsideTransaction
        let endCount = observation.broker.transactionEndCount
        let recording = changesObservedRows ? rowRecorder?.beginRun(of: statement) : nil
        if changesObservedRows { observation.broker.beginRun(of: statement) }
        let code = step(statement, reportsRows: changesObservedRows)
        if changesObservedRows { observation.broker.endRun() }
        if let recording { recording.recorder.endChanges(recording) }
        // Deferred until the error of the step is read: finalizing other statements replaces SQLite's message.
        defer { performDeferredReleases() }
        switch code {
        case SQLITE_ROW:
            statement.isRunning = true
            if let recording { try finish(recording, of: statement) }
            if access.scope != 0 { try countRow(of: statement) }
            return true
        case SQLITE_DONE:
            statement.isRunning = false
            // The statement must hold no locks while observers run.
            if statement.transactionEffect != nil || observation.isActive {
                sqlite3_reset(statement.sqliteStatement)
            }
            if let recording { try recording.recorder.finish(recording) }
            // A function may have ended the transaction. Observers were notified of this end.
            let endsTransaction = wasInsideTransaction && observation.broker.transactionEndCount == endCount
            try didRun(statement, wasInsideTransaction: endsTransaction)
            return false
        default:
            if statement.isRunning, statement.changesRows { rowRecorder?.returningStatementFailed() }
            let code = amalgam_failure_code(statement.sqliteStatement, code)
            let isAborted = ResultCode(rawValue: code) == .SQLITE_ABORT_ROLLBACK && !isInsideTransaction
            if isAborted && changesObservedRows { observation.broker.didAbort() }
            throw try failure(code, of: statement, recording)
        }
    }

    private func step(_ statement: Statement, reportsRows: Bool) -> CInt {
        if reportsRows, let table = statement.droppedTable {
            return reportingNoRows(of: table) { stepLimited(statement, reportsRows: true) }
        }
        guard statement.transactionEffect?.controlsSavepoint == true else {
            return stepLimited(statement, reportsRows: reportsRows)
        }
        // The work is small. If memory ran out in the middle of a rollback, SQLite would have to roll back the transaction.
        return AllocationLimits.suspending { stepLimited(statement, reportsRows: false) }
    }

    private func stepLimited(_ statement: Statement, reportsRows: Bool) -> CInt {
        if statement.scope != 0, !statement.isRunning { return stepIfAllowed(statement) }
        return reportsRows && !statement.invalidatesSchemaCache
            ? statement.stepOnce(reportedBy: hooks.pointer) : statement.stepOnce()
    }

    /// Stores the recorded changes of a statement with a RETURNING clause, before its first row is returned.
    private func finish(_ recording: RowChangeRun, of statement: Statement) throws {
        do {
            try recording.recorder.finish(recording)
        } catch {
            statement.endStepping()
            throw error
        }
    }

    /// Returns the error of a failed statement. The ``RowChangeRecorder`` stores the row changes that SQLite hasn't
    /// undone.
    ///
    /// - Throws: An error of the recorder.
    private func failure(
        _ code: CInt, of statement: Statement, _ recording: RowChangeRun?
    ) throws -> any Error {
        let undoesChanges = amalgam_undoes_failed_step(statement.sqliteStatement) != 0
        let failsOnConflict = amalgam_fails_on_conflict(statement.sqliteStatement) != 0
        let error = failure(code, of: statement)
        if let recording {
            try recording.recorder.fail(recording, undoesChanges: undoesChanges, failsOnConflict: failsOnConflict)
        }
        return error
    }

    private func willRun(_ statement: Statement) throws {
        if observation.isActive { try observation.broker.notifyPendingEnd() }
        try checkApplication(statement.transactionEffect, sql: statement.sql)
        if statement.freesTables { try checkMayFreeTables(statement) }
        if statement.rebuildsIndexes { try checkMayRebuildIndexes(statement) }
        if let effect = statement.transactionEffect {
            if case .rollbackTo = effect { try checkMayUndo(statement) }
            amalgam_note_nested_writer(sqliteConnection)
        }
        if access.authorizerScope?.preservesTransaction == true { try checkPreservesTransaction(statement) }
        guard observation.isActive, observation.broker.endsTransaction(statement.transactionEffect) else { return }
        // SQLite doesn't call the commit hook for a transaction that wrote nothing.
        guard isInsideTransaction, sqlite3_txn_state(sqliteConnection, nil) != SQLITE_TXN_WRITE else { return }
        do {
            try observation.broker.willCommitEmptyTransaction()
        } catch {
            try rollback()
            throw error
        }
    }

    /// Called before a statement that may free the objects by which SQLite represents tables (`DROP TABLE`, `VACUUM`
    /// and others), or create an index. Throws if a SQL function, collation or virtual table runs this statement while
    /// an outer statement is compiled, or changes rows or the schema: the outer statement may still use the freed
    /// objects, and wouldn't update the new index. Also throws if this statement drops a virtual table in the middle of
    /// any outer statement.
    ///
    /// - Throws: `SQLITE_LOCKED`
    private func checkMayFreeTables(_ statement: Statement) throws {
        guard let hooks = hooks.pointer,
            amalgam_needs_tables(hooks) != 0 || amalgam_destroys_virtual_table(statement.sqliteStatement) != 0
        else { return }
        throw DatabaseError(
            resultCode: .SQLITE_LOCKED, message: Self.schemaIsInUse, sql: statement.sql)
    }

    /// Throws if a SQL function is about to undo changes of the statement that calls it.
    ///
    /// - Throws: `SQLITE_MISUSE`
    private func checkMayUndo(_ statement: Statement) throws {
        guard amalgam_is_writing_now(sqliteConnection) != 0 else { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                A savepoint cannot be rolled back here: the statement that calls this code is changing rows. Roll it \
                back before or after that statement.
                """, sql: statement.sql)
    }

    /// Throws if a sandboxed statement could roll back a transaction that the sandboxed SQL hasn't begun.
    ///
    /// - Throws: `SQLITE_AUTH`
    private func checkPreservesTransaction(_ statement: Statement) throws {
        guard isInsideTransaction, amalgam_may_roll_back(statement.sqliteStatement) != 0 else { return }
        throw DatabaseError(
            resultCode: .SQLITE_AUTH,
            message: """
                not authorized: a conflict would roll back the whole transaction. In a transaction, a sandbox allows \
                no OR ROLLBACK, ON CONFLICT ROLLBACK and RAISE(ROLLBACK).
                """, sql: statement.sql
        ).denying(AuthorizerAction(kind: .transaction, first: "ROLLBACK"))
    }

    private func didRun(_ statement: Statement, wasInsideTransaction: Bool) throws {
        let effect = statement.transactionEffect
        if let effect, let rowRecorder { rowRecorder.didRun(effect, wasInsideTransaction: wasInsideTransaction) }
        if statement.invalidatesSchemaCache {
            schemaDidChange(definitions(in: statement.schemaChange))
        } else if effect?.mayUndoSchemaChanges == true {
            schemaDidChange()
        }
        if effect == .commit || effect == .rollback { managesTransaction = false }
        if effect != nil { transaction.hasBegun = isInsideTransaction }
        let endedTransaction = wasInsideTransaction && !isInsideTransaction
        if effect != nil || endedTransaction || observation.broker.hasPendingNotifications {
            if endedTransaction { transaction.date = nil }
            try observation.broker.didSucceed(
                effect, wasInsideTransaction: wasInsideTransaction, endedTransaction: endedTransaction)
        }
        try observation.walCommitHook?.notify()
    }

    /// Handles the end of a transaction by `sqlite3_reset`, or by closing a blob handle, rather than by a step.
    package func didEndRun() throws {
        if let sqliteConnection, observation.walCommitHook != nil { amalgam_wal_notify(sqliteConnection) }
        if transaction.wasRolledBack {
            transaction.wasRolledBack = false
            schemaDidChange()
        }
        if observation.broker.hasPendingNotifications {
            try observation.broker.didSucceed(
                nil, wasInsideTransaction: isInsideTransaction, endedTransaction: false)
        }
        try observation.walCommitHook?.notify()
    }

    /// Called after `sqlite3_reset`. In autocommit mode, resetting a statement before its last row commits its changes.
    func didReset(_ statement: Statement, _ code: CInt) {
        // A failed step is reset at once, so this error comes from the commit.
        if code != SQLITE_OK { return logLostError(failure(code, of: statement), Self.endOfRun) }
        guard statement.isRunning else { return }
        statement.isRunning = false
        if let sqliteConnection, observation.walCommitHook != nil { amalgam_wal_notify(sqliteConnection) }
        do {
            try didRun(statement, wasInsideTransaction: isInsideTransaction)
        } catch {
            logLostError(error, Self.endOfRun)
        }
    }

    private static var endOfRun: String { "a statement failed when its cursor was released before its last row" }

    /// Logs an error that can't be thrown.
    func logLostError(_ error: any Error, _ event: String) {
        let code = (error as? DatabaseError)?.extendedResultCode ?? .SQLITE_ERROR
        Self.logError?(code, "\(event): \(error)")
    }

    /// Updates the state of the schemas, and empties the statement caches. SQLite recompiles statements in use.
    func schemaDidChange(_ change: SchemaChange) {
        updateSchemaState(change)
        statements.removeCached()
    }

    /// Handles a change that may concern any schema: see ``schemaDidChange(_:)``.
    package func schemaDidChange() { schemaDidChange(.anything) }

    /// Removes from a schema change the names of tables and views that don't exist any more. The name of a dropped
    /// temporary table remains if `main` has a table with the same name: statements now use the table of `main`.
    private func definitions(in change: SchemaChange) -> SchemaChange {
        guard observation.isActive, case .definitions(let names) = change else { return change }
        return .definitions(names.filter { (try? find(.tableOrView, $0.spelling, in: nil))?.identity != nil })
    }

    /// Checks for schema changes by other connections, and for pragmas that change how statements behave.
    package func noticeSchemaChanges() {
        if sqliteConnection != nil { updateSchemaState(.anything) }
    }

    /// Updates the state of the schemas. If the schemas have changed, notifies the observers and the
    /// ``DatabaseAttachment`` objects of the connection.
    ///
    /// - Parameter change: The change to report to observers.
    private func updateSchemaState(_ change: SchemaChange) {
        let previous = schema.state.update()
        guard schema.state.stamp != previous else { return }
        if schema.state.stamp.schemas != previous.schemas { attachments.forEach { $0.schemaDidChange() } }
        guard observation.isActive else { return }
        observation.broker.schemaDidChange()
        if schema.state.stamp.schemas != previous.schemas { observation.broker.notify(change) }
    }

    /// Resets a failed statement, notifies observers if the transaction has ended, and returns the error. If SQLite
    /// couldn't undo the changes of the statement alone, the transaction is rolled back.
    func failure(_ code: CInt, of statement: Statement) -> any Error {
        let code = amalgam_failure_code(statement.sqliteStatement, code)
        let databaseError = error(code, sql: statement.sql, arguments: statement.arguments)
        statement.isRunning = false
        amalgam_undo_failed_step(statement.sqliteStatement)
        sqlite3_reset(statement.sqliteStatement)
        amalgam_restore_cursors(sqliteConnection)
        return failure(code, databaseError)
    }

    /// Notifies observers if a failed call of SQLite has ended the transaction, and returns the error.
    package func failure(_ code: CInt, _ databaseError: DatabaseError) -> any Error {
        noteAbortedTransaction(code)
        return didFail() ?? cancellation(code) ?? interruption(code, databaseError) ?? suspension(code, databaseError)
            ?? refusal(code, databaseError) ?? databaseError
    }

    /// Notifies observers if the transaction has ended, and returns the error of the observer that caused the failure.
    /// A statement that fails may also commit its changes: with `OR FAIL` or `RAISE(FAIL)`, outside of a transaction.
    private func didFail() -> (any Error)? {
        let observerError = observation.broker.hasPendingNotifications ? observation.broker.didFail() : nil
        if !isInsideTransaction {
            transaction.date = nil
            transaction.hasBegun = false
            notifyWALCommits()
        }
        if transaction.wasRolledBack {
            transaction.wasRolledBack = false
            schemaDidChange()
        }
        return observerError
    }

    /// Calls the closure of ``onWALCommit(_:)`` for the commit of a statement that has failed, if there is one.
    private func notifyWALCommits() {
        guard let walCommitHook = observation.walCommitHook, let sqliteConnection else { return }
        amalgam_wal_notify(sqliteConnection)
        do { try walCommitHook.notify() } catch { logLostError(error, "a closure of onWALCommit failed") }
    }

    /// Rolls back the transaction without a statement, after ROLLBACK has failed, generally because memory is
    /// exhausted. This function needs no memory, and can't fail.
    func rollbackWithoutStatement() {
        guard mayStep, isInsideTransaction else { return }
        access.interrupter.withoutInterruption {
            amalgam_rollback(sqliteConnection)
            _ = didFail()
        }
    }

    /// Rolls back a transaction that a database access has left open. If an observer begins another transaction when it
    /// is notified of the rollback, that transaction is rolled back, too, and now observers can't use the connection when
    /// they are notified: later accesses must not begin inside a transaction.
    package func rollbackLeftTransaction() {
        try? rollback()
        guard isInsideTransaction else { return }
        observation.broker.deniesConnection = true
        defer { observation.broker.deniesConnection = false }
        rollbackWithoutStatement()
    }

    /// Ends a transaction after a read, if COMMIT and ROLLBACK failed because memory is exhausted.
    package func endLeftTransaction() { amalgam_rollback(sqliteConnection) }

    /// Returns a `CancellationError` if a statement has failed because the database access was cancelled: the statement
    /// was interrupted, or it stopped waiting for a lock.
    package func cancellation(_ code: CInt) -> (any Error)? {
        guard access.interrupter.isCancelled else { return nil }
        switch ResultCode(rawValue: code).primaryResultCode {
        case .SQLITE_INTERRUPT, .SQLITE_ABORT, .SQLITE_BUSY: return CancellationError()
        default: return nil
        }
    }

    /// Creates the error for a result code. If `message` is nil, the message is that of SQLite's last error if this
    /// error has the same primary code, and SQLite's message for the code otherwise.
    package func error(
        _ code: CInt, message: String? = nil, sql: String? = nil, arguments: StatementArguments? = nil
    ) -> DatabaseError {
        var resultCode = ResultCode(rawValue: code)
        if resultCode.primaryResultCode == .SQLITE_INTERRUPT { endInterruption() }
        let isLastError = resultCode.primaryResultCode == lastErrorCode.primaryResultCode
        var message = message ?? (isLastError ? lastErrorMessage : nil)
        if let failure = hooks.pendingError {
            hooks.pendingError = nil
            if failure.isBehind(resultCode, message) { (resultCode, message) = (failure.code, failure.message) }
        }
        if let text = message, let explanation = explanation(of: resultCode, arguments) {
            message = "\(text) (\(explanation))"
        }
        return DatabaseError(
            resultCode: resultCode, message: message, sql: sql, arguments: arguments,
            publicStatementArguments: configuration.publicStatementArguments)
    }

    /// Explains an error whose message in SQLite names another reason.
    private func explanation(of resultCode: ResultCode, _ arguments: StatementArguments?) -> String? {
        switch resultCode {
        case .SQLITE_CORRUPT_VTAB:
            """
            a virtual table: the index doesn't match the content. The method rebuild(_:) of FTS5Index and FTS4Index \
            repairs a full-text index
            """
        case .SQLITE_CONSTRAINT_NOTNULL where arguments?.containsNaN == true:
            DatabaseError.reasonOfNaN
        default: nil
        }
    }

    /// Executes one or more SQL statements.
    ///
    /// ```swift
    /// try db.execute(sql: """
    ///     INSERT INTO player (name) VALUES (?);
    ///     INSERT INTO player (name) VALUES (?);
    ///     """, arguments: ["Anna", "Bo"])
    /// ```
    ///
    /// Positional arguments are distributed over the statements, from left to right. Named arguments are available to
    /// all statements. Each statement is compiled after the previous ones have run. Rows that statements return are
    /// discarded.
    ///
    /// - Throws: The first error of a statement; the earlier statements have been executed. `SQLITE_MISUSE` if there
    ///   are too few or too many arguments.
    public func execute(sql: String, arguments: StatementArguments = StatementArguments()) throws {
        if let count = statements.sqlStatements.statement(sql)?.parameterCount, count == arguments.count {
            return try withStatement(sql: sql) { try $0.execute(arguments: arguments) }
        }
        let cursor = SQLStatementCursor(self, sql: sql, arguments: arguments)
        var count = 0
        while let statement = try cursor.next() {
            count += 1
            try statement.execute()
            if count == 1 && cursor.isAtEnd { statements.keep(statement, for: sql) }
        }
    }

    /// Executes one or more SQL statements, with interpolated values as arguments.
    ///
    /// ```swift
    /// let name = "Anna"
    /// try db.execute(literal: "INSERT INTO player (name) VALUES (\(name))")
    /// // INSERT INTO player (name) VALUES (?)
    /// ```
    ///
    /// - Throws: The errors of ``execute(sql:arguments:)``, and the errors of generating the SQL.
    public func execute(literal sqlLiteral: SQL) throws {
        let (sql, arguments) = try sqlLiteral.build(self)
        try execute(sql: sql, arguments: arguments)
    }

    /// Returns a cursor over the statements of a string. `next()` compiles the statement that it returns.
    ///
    /// ```swift
    /// let statements = try db.allStatements(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (?)", arguments: [1])
    /// while let statement = try statements.next() {
    ///     try statement.execute()
    /// }
    /// ```
    ///
    /// - Parameter arguments: The arguments, distributed over the statements. With nil, the statements have no
    ///   arguments.
    /// - Throws: `SQLITE_MISUSE` outside of a database access. The cursor throws the errors of the compilation.
    public func allStatements(sql: String, arguments: StatementArguments? = nil) throws -> SQLStatementCursor {
        try checkAccess(sql: sql)
        return SQLStatementCursor(self, sql: sql, arguments: arguments)
    }

    /// Returns a cursor over the statements of a literal, with interpolated values as their arguments. `next()`
    /// compiles the statement that it returns.
    ///
    /// ```swift
    /// let name = "Anna"
    /// let statements = try db.allStatements(literal: "DELETE FROM player; INSERT INTO player (name) VALUES (\(name))")
    /// while let statement = try statements.next() { try statement.execute() }
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` outside of a database access; the errors of generating the SQL. The cursor throws the
    ///   errors of the compilation.
    public func allStatements(literal sqlLiteral: SQL) throws -> SQLStatementCursor {
        let (sql, arguments) = try sqlLiteral.build(self)
        return try allStatements(sql: sql, arguments: arguments.isEmpty ? nil : arguments)
    }
}
