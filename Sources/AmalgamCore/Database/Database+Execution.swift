import CAmalgam

extension Database {
    /// Runs a step of a statement that may do more than read.
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
            // Nobody wants to hear of the rows. Where a transaction goes on, there is nothing else to tell.
            code = statement.stepOnce(unreportedBy: hooks.pointer)
            if code == AMALGAM_NOT_STEPPED { return try stepObserved(statement) }
        } else {
            return try stepObserved(statement)
        }
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw failure(code, of: statement)
    }

    /// Throws when a function of a running statement is about to change rows that the statement relies on.
    ///
    /// - Parameter statement: The statement that is about to run; nil for changes of any rows.
    /// - Throws: `SQLITE_LOCKED`
    @inline(__always)
    package func checkMayChangeRows(_ statement: OpaquePointer?, sql: @autoclosure () -> String?) throws {
        let answer = amalgam_row_changes(sqliteConnection, statement)
        if answer != CInt(AMALGAM_ROWS_MAY_CHANGE) { throw rowsMustNotChange(answer, sql: sql()) }
    }

    private func rowsMustNotChange(_ reason: CInt, sql: String?) -> DatabaseError {
        let message =
            reason == CInt(AMALGAM_ROWS_ARE_INDEXED)
            ? """
            Rows cannot be changed here: a statement is building an index, which would miss the change. Functions of \
            an index must not change the database.
            """
            : """
            Rows cannot be deleted here: a DELETE statement is looking for rows in the same table. Delete them before \
            or after that statement.
            """
        return DatabaseError(resultCode: .SQLITE_LOCKED, message: message, sql: sql)
    }

    /// Whether rows that a statement changes may be recorded.
    private func isRecorded(_ statement: Statement) -> Bool {
        guard let rowRecorder, statement.changesRows else { return false }
        return rowRecorder.mayRecord(statement)
    }

    private func stepObserved(_ statement: Statement) throws -> Bool {
        if statement.scope != access.scope { throw foreignScope(statement) }
        // A statement changes its rows before it gives its first one.
        let changesObservedRows = observation.isActive && statement.changesRows && !statement.isRunning
        if !statement.isRunning { try willRun(statement) }
        let wasInsideTransaction = isInsideTransaction
        let recording = changesObservedRows ? rowRecorder?.beginRun(of: statement) : nil
        if changesObservedRows { observation.broker.beginRun(of: statement) }
        let code =
            changesObservedRows && !statement.invalidatesSchemaCache
            ? statement.stepOnce(reportedBy: hooks.pointer) : statement.stepOnce()
        if changesObservedRows { observation.broker.endRun() }
        if let recording { recording.recorder.endChanges(recording) }
        // Once the error of the step is known: the end of other statements replaces SQLite's message.
        defer { performDeferredReleases() }
        switch code {
        case SQLITE_ROW:
            statement.isRunning = true
            if let recording { try finish(recording, of: statement) }
            if access.scope != 0 { try countRow(of: statement) }
            return true
        case SQLITE_DONE:
            statement.isRunning = false
            // The statement holds no lock any more, whatever the observers do now.
            if statement.transactionEffect != nil || observation.isActive {
                sqlite3_reset(statement.sqliteStatement)
            }
            if let recording { try recording.recorder.finish(recording) }
            try didRun(statement, wasInsideTransaction: wasInsideTransaction)
            return false
        default:
            throw try failure(code, of: statement, recording)
        }
    }

    /// Stores the rows that a statement has changed, while those that it returns are still to be read.
    private func finish(_ recording: RowChangeRun, of statement: Statement) throws {
        do {
            try recording.recorder.finish(recording)
        } catch {
            statement.isRunning = false
            sqlite3_reset(statement.sqliteStatement)
            throw error
        }
    }

    /// The error of a statement that failed, once the rows that it has changed nevertheless are stored.
    ///
    /// - throws: an error of storing them.
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
        try checkApplication(statement.transactionEffect, sql: statement.sql)
        if statement.freesTables { try checkMayFreeTables(statement) }
        guard observation.isActive, observation.broker.endsTransaction(statement.transactionEffect) else { return }
        // SQLite does not call its commit hook for a transaction that wrote nothing.
        guard isInsideTransaction, sqlite3_txn_state(sqliteConnection, nil) != SQLITE_TXN_WRITE else { return }
        do {
            try observation.broker.willCommitEmptyTransaction()
        } catch {
            try rollback()
            throw error
        }
    }

    /// Statements that a function, collation or virtual table runs must not free what the calling statement points to:
    /// SQLite reads it again when rows change, and while it compiles. Nor may they make an index that the calling
    /// statement, which changes rows, doesn't fill.
    ///
    /// - Throws: `SQLITE_LOCKED`
    private func checkMayFreeTables(_ statement: Statement) throws {
        guard let hooks = hooks.pointer,
            amalgam_needs_tables(hooks) != 0 || amalgam_destroys_virtual_table(statement.sqliteStatement) != 0
        else { return }
        throw DatabaseError(
            resultCode: .SQLITE_LOCKED,
            message: """
                The schema cannot be changed here: the statement that calls this code is using it. Change the schema \
                before or after that statement.
                """, sql: statement.sql)
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

    /// Something other than a step may have ended a transaction outside of BEGIN and COMMIT: a reset, the end of a
    /// blob.
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

    /// A run was ended by `sqlite3_reset`: an autocommit statement whose rows were not all read is committed then.
    func didReset(_ statement: Statement, _ code: CInt) {
        // A step that failed was reset at once: an error that comes here is that of the commit.
        if code != SQLITE_OK { return logLostError(failure(code, of: statement)) }
        guard statement.isRunning else { return }
        statement.isRunning = false
        if let sqliteConnection, observation.walCommitHook != nil { amalgam_wal_notify(sqliteConnection) }
        do {
            try didRun(statement, wasInsideTransaction: isInsideTransaction)
        } catch {
            logLostError(error)
        }
    }

    /// Tells the error log of an error that nobody is there to catch: whoever releases a cursor calls nothing that throws.
    private func logLostError(_ error: any Error) {
        let code = (error as? DatabaseError)?.extendedResultCode ?? .SQLITE_ERROR
        Self.logError?(code, "a statement failed when its cursor was released before its last row: \(error)")
    }

    /// Statements in use are compiled again by SQLite; those that are only kept are dropped.
    func schemaDidChange(_ change: SchemaChange) {
        updateSchemaState(change)
        statements.removeCached()
    }

    /// Any schema may have changed: see ``schemaDidChange(_:)``.
    package func schemaDidChange() { schemaDidChange(.anything) }

    /// A table or view that was dropped has another definition where it is one that others have hidden, and none else.
    private func definitions(in change: SchemaChange) -> SchemaChange {
        guard observation.isActive, case .definitions(let names) = change else { return change }
        return .definitions(names.filter { (try? find(.tableOrView, $0.spelling, in: nil))?.identity != nil })
    }

    /// Another connection may have changed the schema, or a pragma what statements do.
    package func noticeSchemaChanges() {
        if sqliteConnection != nil { updateSchemaState(.anything) }
    }

    /// - Parameter change: what has changed, if the schemas are not what they were.
    private func updateSchemaState(_ change: SchemaChange) {
        let previous = schema.state.update()
        guard schema.state.stamp != previous else { return }
        if schema.state.stamp.schemas != previous.schemas { attachments.forEach { $0.schemaDidChange() } }
        guard observation.isActive else { return }
        observation.broker.schemaDidChange()
        if schema.state.stamp.schemas != previous.schemas { observation.broker.notify(change) }
    }

    /// The error of a statement that failed, once observers know what became of the transaction.
    func failure(_ code: CInt, of statement: Statement) -> any Error {
        let databaseError = error(code, sql: statement.sql, arguments: statement.arguments)
        statement.isRunning = false
        sqlite3_reset(statement.sqliteStatement)
        return failure(code, databaseError)
    }

    /// An error of a call of SQLite that may have changed rows, once observers know what became of the transaction.
    func failure(_ code: CInt, _ databaseError: DatabaseError) -> any Error {
        noteAbortedTransaction(code)
        return didFail() ?? cancellation(code) ?? interruption(code, databaseError) ?? suspension(code, databaseError)
            ?? refusal(code, databaseError) ?? databaseError
    }

    /// Tells observers what became of the transaction, and returns the error of the one that is at the origin.
    private func didFail() -> (any Error)? {
        let observerError = observation.broker.hasPendingNotifications ? observation.broker.didFail() : nil
        if !isInsideTransaction {
            transaction.date = nil
            transaction.hasBegun = false
        }
        if transaction.wasRolledBack {
            transaction.wasRolledBack = false
            schemaDidChange()
        }
        return observerError
    }

    /// Rolls the transaction back when the statement that does so could not run: for want of memory, in general. This
    /// needs none, and cannot fail.
    func rollbackWithoutStatement() {
        guard mayStep, isInsideTransaction else { return }
        access.interrupter.withoutInterruption {
            amalgam_rollback(sqliteConnection)
            _ = didFail()
        }
    }

    /// Ends a transaction that SQLite could not end for want of memory, after reading.
    package func endLeftTransaction() { amalgam_rollback(sqliteConnection) }

    /// A statement that stopped, or waited in vain, because its access was cancelled.
    package func cancellation(_ code: CInt) -> (any Error)? {
        guard access.interrupter.isCancelled else { return nil }
        switch ResultCode(rawValue: code).primaryResultCode {
        case .SQLITE_INTERRUPT, .SQLITE_ABORT, .SQLITE_BUSY: return CancellationError()
        default: return nil
        }
    }

    /// The error of a call of SQLite, or of ours. SQLite's message is that of its own last error.
    package func error(
        _ code: CInt, message: String? = nil, sql: String? = nil, arguments: StatementArguments? = nil
    ) -> DatabaseError {
        var resultCode = ResultCode(rawValue: code)
        let isLastError = resultCode.primaryResultCode == lastErrorCode.primaryResultCode
        var message = message ?? (isLastError ? lastErrorMessage : nil)
        if let failure = hooks.pendingError {
            hooks.pendingError = nil
            if failure.isBehind(resultCode, message) { (resultCode, message) = (failure.code, failure.message) }
        }
        return DatabaseError(
            resultCode: resultCode, message: message, sql: sql, arguments: arguments,
            publicStatementArguments: configuration.publicStatementArguments)
    }

    /// Runs statements.
    ///
    /// ```swift
    /// try db.execute(sql: """
    ///     INSERT INTO player (name) VALUES (?);
    ///     INSERT INTO player (name) VALUES (?);
    ///     """, arguments: ["Anna", "Bo"])
    /// ```
    ///
    /// Positional arguments are spread over the statements, from left to right. Named ones serve all of them. Each
    /// statement is compiled when the ones before it have run. Rows are stepped over.
    ///
    /// - throws: the first error met; the statements before it have run. `SQLITE_MISUSE` when there are too few or
    ///   too many arguments.
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

    /// Runs statements, with interpolated values as arguments.
    ///
    /// ```swift
    /// try db.execute(literal: "INSERT INTO player (name) VALUES (\(name))")
    /// // INSERT INTO player (name) VALUES (?)
    /// ```
    ///
    /// - throws: the errors of ``execute(sql:arguments:)``; those of expressions that need the database to be written.
    public func execute(literal sqlLiteral: SQL) throws {
        let (sql, arguments) = try sqlLiteral.build(self)
        try execute(sql: sql, arguments: arguments)
    }

    /// The statements of a string, compiled one by one as the cursor reaches them.
    ///
    /// ```swift
    /// let statements = try db.allStatements(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (?)", arguments: [1])
    /// while let statement = try statements.next() {
    ///     try statement.execute()
    /// }
    /// ```
    ///
    /// - Parameter arguments: spread over the statements; with nil, each statement is left without arguments.
    public func allStatements(sql: String, arguments: StatementArguments? = nil) throws -> SQLStatementCursor {
        try checkAccess(sql: sql)
        return SQLStatementCursor(self, sql: sql, arguments: arguments)
    }

    /// The statements of a literal, compiled one by one as the cursor reaches them.
    public func allStatements(literal sqlLiteral: SQL) throws -> SQLStatementCursor {
        let (sql, arguments) = try sqlLiteral.build(self)
        return try allStatements(sql: sql, arguments: arguments.isEmpty ? nil : arguments)
    }
}
