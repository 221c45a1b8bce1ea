import CAmalgam

extension Database {
    /// Makes the changes of a changeset or patchset in the main database:
    /// <https://sqlite.org/session/sqlite3changeset_apply.html>.
    ///
    /// ```swift
    /// let application = try db.apply(changeset, tables: { $0 != "log" }) { conflict in
    ///     switch conflict.kind {
    ///     case .data, .conflict: .replace
    ///     case .notFound, .constraint: .omit
    ///     case .foreignKey: .abort
    ///     }
    /// }
    /// ```
    ///
    /// All changes are made, or none: they run in a savepoint, outside of a transaction in a transaction of their own.
    /// Observers hear of them as of other changes. Foreign keys are checked at the end. Triggers fire.
    ///
    /// A table is skipped, with a message in the log, when the database has none of this name, or one with fewer
    /// columns or another primary key. Columns that were added to the table since then get their defaults.
    ///
    /// The closures may use the connection, but not end the transaction or a savepoint that is open around them:
    /// that throws `SQLITE_MISUSE`. What they throw undoes all changes, and is thrown.
    ///
    /// - Parameters:
    ///   - tables: which tables are changed, asked once for each; all of them when nil.
    ///   - filter: which changes are made; all of them when nil.
    ///   - onConflict: what becomes of a change that does not fit.
    /// - throws: the error of a closure; `SQLITE_ABORT` when a conflict is resolved with
    ///   ``ChangeConflict/Resolution/abort``; `SQLITE_MISUSE` when ``ChangeConflict/Resolution/replace`` is not possible; errors of
    ///   SQLite.
    @discardableResult
    public func apply<Changes: RecordedChanges>(
        _ changes: Changes,
        options: ApplyOptions = [],
        tables: ((_ tableName: String) throws -> Bool)? = nil,
        where filter: ((RecordedChange) throws -> Bool)? = nil,
        onConflict: (ChangeConflict) throws -> ChangeConflict.Resolution
    ) throws -> ChangesetApplication {
        if Changes.isPatchset && options.contains(.inverted) {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "a patchset has no old values: it cannot be inverted")
        }
        return try withoutActuallyEscaping(onConflict) { onConflict in
            let context = ApplyContext(self, tables: tables, filter: filter, onConflict: onConflict)
            return try apply(context, options) { connection, filter, context, resolutions, count, flags in
                changes.bytes.withSQLiteBytes {
                    sqlite3changeset_apply_v3(
                        connection, $0, $1, filter, Self.resolveConflict, context, resolutions, count, flags)
                }
            }
        }
    }

    /// Makes the changes of a changeset or patchset in the main database, if all of them fit.
    ///
    /// ```swift
    /// try db.apply(changeset.inverted())
    /// ```
    ///
    /// It is ``apply(_:options:tables:where:onConflict:)`` with conflicts that abort.
    ///
    /// - throws: `SQLITE_ABORT` for a conflict, once all changes are undone; errors of SQLite.
    @discardableResult
    public func apply<Changes: RecordedChanges>(
        _ changes: Changes, options: ApplyOptions = []
    ) throws -> ChangesetApplication {
        try apply(changes, options: options, onConflict: { _ in .abort })
    }

    /// Makes the changes of a changeset or patchset that is read chunk by chunk, if all of them fit.
    ///
    /// It is ``apply(from:options:tables:where:onConflict:)`` with conflicts that abort.
    ///
    /// - throws: the error of the input; `SQLITE_CORRUPT` for bytes that are no changeset; `SQLITE_ABORT` for a
    ///   conflict. All changes are undone.
    @discardableResult
    public func apply(from input: ChangesetInput, options: ApplyOptions = []) throws -> ChangesetApplication {
        try apply(from: input, options: options, onConflict: { _ in .abort })
    }

    /// Makes the changes of a changeset or patchset that is read chunk by chunk.
    ///
    /// ```swift
    /// try db.apply(from: .file(url)) { conflict in conflict.replaceOrOmit }
    /// ```
    ///
    /// The parameters are those of ``apply(_:options:tables:where:onConflict:)``.
    ///
    /// - throws: the error of the input, or of a closure; `SQLITE_CORRUPT` for bytes that are no changeset. All
    ///   changes are undone.
    @discardableResult
    public func apply(
        from input: ChangesetInput,
        options: ApplyOptions = [],
        tables: ((_ tableName: String) throws -> Bool)? = nil,
        where filter: ((RecordedChange) throws -> Bool)? = nil,
        onConflict: (ChangeConflict) throws -> ChangeConflict.Resolution
    ) throws -> ChangesetApplication {
        try withoutActuallyEscaping(onConflict) { onConflict in
            let context = ApplyContext(self, tables: tables, filter: filter, onConflict: onConflict)
            return try input.read { read, source in
                do {
                    return try apply(context, options) { connection, filter, context, resolutions, count, flags in
                        sqlite3changeset_apply_v3_strm(
                            connection, read, source.pointer, filter, Self.resolveConflict, context, resolutions,
                            count, flags)
                    }
                } catch {
                    throw source.error ?? error
                }
            }
        }
    }

    private typealias Filter = @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> CInt

    /// A call of SQLite that applies changes.
    private typealias Call = (
        OpaquePointer?, Filter?, UnsafeMutableRawPointer, UnsafeMutablePointer<UnsafeMutableRawPointer?>,
        UnsafeMutablePointer<CInt>, CInt
    ) throws -> CInt

    private static let includesChange: Filter = { context, iterator in
        guard let iterator else { return 1 }
        return Unmanaged<ApplyContext>.fromOpaque(context!).takeUnretainedValue().includes(iterator) ? 1 : 0
    }

    private static let resolveConflict: @convention(c) (UnsafeMutableRawPointer?, CInt, OpaquePointer?) -> CInt = {
        context, code, iterator in
        guard let iterator else { return SQLITE_CHANGESET_ABORT }
        return Unmanaged<ApplyContext>.fromOpaque(context!).takeUnretainedValue().resolve(code, iterator)
    }

    /// The savepoint is ours, so that observers are told of it, and of the end of the transaction, as usual.
    private func apply(
        _ context: ApplyContext, _ options: ApplyOptions, _ call: Call
    ) throws -> ChangesetApplication {
        try checkAccess()
        try checkMayWrite()
        try checkMayChangeRows(nil, sql: nil)
        if options.contains(.withoutSavepoint) {
            guard isInsideTransaction else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "applying changes without a savepoint needs a transaction")
            }
            return try run(context, options, call)
        }
        var application: ChangesetApplication?
        try inSavepoint {
            application = try run(context, options, call)
            return .commit
        }
        return application!
    }

    private func run(_ context: ApplyContext, _ options: ApplyOptions, _ call: Call) throws -> ChangesetApplication {
        let code: CInt
        let resolutions: ChangesetBytes
        let savedReports = amalgam_hooks_report_savepoints(hooks, 1)
        applicationDepth += 1
        sqlite3_extended_result_codes(sqliteConnection, 0)
        observationBroker.beginApplication()
        let recording = rowRecorder?.beginRun()
        defer { if applicationDepth == 0 && hasStoppedApplying { restoreWriting() } }
        do {
            defer {
                observationBroker.endApplication()
                recording?.endChanges()
                sqlite3_extended_result_codes(sqliteConnection, 1)
                applicationDepth -= 1
                amalgam_hooks_report_savepoints(hooks, savedReports)
            }
            var result = SQLITE_OK
            let flags = options.union(.withoutSavepoint).rawValue
            resolutions = try ChangesetBytes { count, bytes in
                result = try withExtendedLifetime(context) {
                    try call(
                        sqliteConnection, context.filters ? Self.includesChange : nil,
                        Unmanaged.passUnretained(context).toOpaque(), bytes, count, flags)
                }
            }
            code = result
        }
        let isComplete = code == SQLITE_OK && context.error == nil && isInsideTransaction
        if isComplete {
            try recording?.finish()
            return ChangesetApplication(
                conflictCount: context.conflictCount, resolutions: ConflictResolutions(bytes: resolutions))
        }
        let failure = failure(code, applicationError(code))
        // What was changed before the failure stays where there is no savepoint.
        let undoesChanges = !options.contains(.withoutSavepoint)
        try recording?.fail(undoesChanges: undoesChanges, failsOnConflict: false)
        throw context.error ?? failure
    }

    /// A trigger that rolls back leaves no reason; when memory or the disk is exhausted, SQLite rolls back by itself.
    private func applicationError(_ code: CInt) -> DatabaseError {
        let resultCode = ResultCode(rawValue: code).primaryResultCode
        let rollsBack = [.SQLITE_NOMEM, .SQLITE_IOERR, .SQLITE_FULL].contains(resultCode)
        if !isInsideTransaction && !rollsBack {
            return DatabaseError(resultCode: .SQLITE_ABORT, message: "Transaction was aborted")
        }
        return resultCode == .SQLITE_CORRUPT ? DatabaseError(code: code, message: "malformed changeset") : error(code)
    }

    /// Runs a closure of an application. SQLite applies changes with primary result codes: where it looks whether an
    /// update that is possible together with others only has failed, it does not know the extended ones.
    func withExtendedCodes<T>(_ body: () throws -> T) rethrows -> T {
        sqlite3_extended_result_codes(sqliteConnection, 1)
        defer { sqlite3_extended_result_codes(sqliteConnection, 0) }
        return try body()
    }

    /// SQLite has rolled back the transaction in which changes are applied (`RAISE(ROLLBACK)` in a trigger). It goes on
    /// applying them, and would commit those that are left one by one: writing is switched off meanwhile.
    func stopApplying() {
        hasStoppedApplying = true
        amalgam_set_query_only(sqliteConnection, 1)
    }

    private func restoreWriting() {
        hasStoppedApplying = false
        amalgam_set_query_only(sqliteConnection, readOnlyDepth > 0 ? 1 : 0)
    }

    /// Code in a closure of `apply` must not end the transaction that the changes are made in.
    ///
    /// - Throws: `SQLITE_MISUSE`
    func checkApplication(_ effect: TransactionEffect?, sql: String? = nil) throws {
        guard applicationDepth > 0, let effect, !observationBroker.preservesApplication(effect) else { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "a transaction or savepoint cannot be ended while changes are applied in it", sql: sql)
    }
}
