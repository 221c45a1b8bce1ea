import CAmalgam

/// The calls of SQLite's functions that apply changesets, while they are in progress.
struct ChangesetApplications {
    /// The number of nested calls. Calls are nested if a closure, such as a conflict handler, applies a changeset.
    var depth = 0

    /// Whether the transaction has ended while changesets are applied in it.
    var hasLostTransaction = false
}

extension Database {
    /// Calls a function of SQLite that applies a changeset. Observers and the ``RowChangeRecorder``, if any, receive
    /// the changes.
    ///
    /// - Parameters:
    ///   - undoesChanges: Whether a savepoint undoes the changes if the call fails.
    ///   - closureError: Returns the error that a closure of the application has thrown during the call, if any.
    ///   - call: Calls the function, and returns SQLite's result code.
    /// - Throws: The error of a closure, of SQLite, of an observer, or of the recorder.
    package func applyChanges(
        undoesChanges: Bool, closureError: () -> (any Error)?, _ call: (SQLiteConnection?) throws -> CInt
    ) throws {
        let code: CInt
        let savedReports = amalgam_hooks_report_savepoints(hooks.pointer, 1)
        observation.applications.depth += 1
        sqlite3_extended_result_codes(sqliteConnection, 0)
        observation.broker.beginApplication()
        let recording = rowRecorder?.beginRun()
        defer {
            if observation.applications.depth == 0 && observation.applications.hasLostTransaction { allowWrites() }
        }
        do {
            defer {
                observation.broker.endApplication()
                if let recording { recording.recorder.endChanges(recording) }
                sqlite3_extended_result_codes(sqliteConnection, 1)
                observation.applications.depth -= 1
                amalgam_hooks_report_savepoints(hooks.pointer, savedReports)
            }
            code = try call(sqliteConnection)
        }
        if code == SQLITE_OK, closureError() == nil, isInsideTransaction {
            if let recording { try recording.recorder.finish(recording, callerUndoes: undoesChanges) }
            return
        }
        let failure = failure(code, applicationError(code))
        if let recording {
            try recording.recorder.fail(recording, undoesChanges: undoesChanges, failsOnConflict: false)
        }
        throw closureError() ?? failure
    }

    /// Returns the error of a failed call. If a trigger has rolled back the transaction, SQLite reports no specific
    /// code, and the error is `SQLITE_ABORT`. If memory or the disk is exhausted, SQLite also ends the transaction, but
    /// then the code that SQLite reports is the error.
    private func applicationError(_ code: CInt) -> DatabaseError {
        let resultCode = ResultCode(rawValue: code).primaryResultCode
        let rollsBack = [.SQLITE_NOMEM, .SQLITE_IOERR, .SQLITE_FULL].contains(resultCode)
        if !isInsideTransaction && !rollsBack {
            return DatabaseError(resultCode: .SQLITE_ABORT, message: "Transaction was aborted")
        }
        return resultCode == .SQLITE_CORRUPT ? DatabaseError(code: code, message: "malformed changeset") : error(code)
    }

    /// Runs a closure of the application with extended result codes. These are turned off while SQLite applies a
    /// changeset, because SQLite's changeset functions compare the results of some updates with primary codes.
    package func withExtendedCodes<T>(_ body: () throws -> T) rethrows -> T {
        sqlite3_extended_result_codes(sqliteConnection, 1)
        defer { sqlite3_extended_result_codes(sqliteConnection, 0) }
        return try body()
    }

    /// Called at the end of a transaction. If the transaction ends while a changeset is being applied, because a
    /// trigger has run `RAISE(ROLLBACK)`, the connection becomes read-only until the outermost call that applies a
    /// changeset returns. If the connection stayed writable, SQLite would apply and commit each of the remaining
    /// changes separately.
    func transactionOfApplicationsDidEnd() {
        guard observation.applications.depth > 0 else { return }
        observation.applications.hasLostTransaction = true
        amalgam_set_query_only(sqliteConnection, 1)
    }

    private func allowWrites() {
        observation.applications.hasLostTransaction = false
        amalgam_set_query_only(sqliteConnection, access.readOnlyDepth > 0 ? 1 : 0)
    }

    /// Throws if a statement would end the transaction or savepoint in which a changeset is being applied.
    ///
    /// - Throws: `SQLITE_MISUSE`
    func checkApplication(_ effect: TransactionEffect?, sql: String? = nil) throws {
        guard observation.applications.depth > 0, let effect, !observation.broker.preservesApplication(effect) else {
            return
        }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "a transaction or savepoint cannot be ended while changes are applied in it", sql: sql)
    }
}
