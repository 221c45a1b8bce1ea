public import AmalgamCore
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
        let flags = options.union(.withoutSavepoint).rawValue
        var resolutions: ChangesetBytes?
        // Without a savepoint, the changes made before a failure stay.
        let undoesChanges = !options.contains(.withoutSavepoint)
        try applyChanges(undoesChanges: undoesChanges, closureError: { context.error }) { connection in
            var code = SQLITE_OK
            resolutions = try ChangesetBytes { count, bytes in
                code = try withExtendedLifetime(context) {
                    try call(
                        connection, context.filters ? Self.includesChange : nil,
                        Unmanaged.passUnretained(context).toOpaque(), bytes, count, flags)
                }
            }
            return code
        }
        return ChangesetApplication(
            conflictCount: context.conflictCount, resolutions: ConflictResolutions(bytes: resolutions!))
    }
}
