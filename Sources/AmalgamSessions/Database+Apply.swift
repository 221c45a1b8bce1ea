public import AmalgamCore
import CAmalgam

extension Database {
    /// Applies a changeset or patchset to the main database:
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
    /// The changes are made in a savepoint: if the method throws, no change remains. ``ApplyOptions/withoutSavepoint``
    /// disables the savepoint. Transaction observers are notified of the changes. Triggers fire. Foreign keys are
    /// checked at the end.
    ///
    /// A table of the changeset is skipped, with a message in SQLite's log, if the database has no table with this
    /// name, or if its table has fewer columns or a different primary key. Additional columns get their defaults.
    ///
    /// The closures may use the connection. Ending the transaction, or a savepoint that was opened before this call,
    /// throws `SQLITE_MISUSE`. If a closure throws, the savepoint is rolled back, and the method throws the error.
    ///
    /// - Parameters:
    ///   - changes: the changeset or patchset.
    ///   - options: options.
    ///   - tables: returns whether to change a table, and is called once for each table; nil to change all tables.
    ///   - filter: returns whether to apply a change; nil to apply all changes.
    ///   - onConflict: returns the resolution of a conflict.
    /// - Returns: the number of conflicts, and their resolutions.
    /// - Throws: the error of a closure, an error of SQLite, or:
    ///   - `SQLITE_ABORT` if a conflict is resolved with ``ChangeConflict/Resolution/abort``;
    ///   - `SQLITE_MISUSE` if a conflict is resolved with ``ChangeConflict/Resolution/replace``, and its
    ///     ``ChangeConflict/allowsReplacement`` is false;
    ///   - `SQLITE_MISUSE` if a patchset is applied with ``ApplyOptions/inverted``.
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

    /// Applies a changeset or patchset to the main database, and fails if there is a conflict.
    ///
    /// ```swift
    /// try db.apply(changeset.inverted())
    /// ```
    ///
    /// Calls ``apply(_:options:tables:where:onConflict:)``, and resolves conflicts with
    /// ``ChangeConflict/Resolution/abort``.
    ///
    /// - Throws: `SQLITE_ABORT` after a conflict; errors of SQLite. All changes are rolled back, unless the options
    ///   contain ``ApplyOptions/withoutSavepoint``.
    @discardableResult
    public func apply<Changes: RecordedChanges>(
        _ changes: Changes, options: ApplyOptions = []
    ) throws -> ChangesetApplication {
        try apply(changes, options: options, onConflict: { _ in .abort })
    }

    /// Applies a changeset or patchset that is read in chunks, and fails if there is a conflict.
    ///
    /// ```swift
    /// try db.apply(from: .file(url))
    /// ```
    ///
    /// Calls ``apply(from:options:tables:where:onConflict:)``, and resolves conflicts with
    /// ``ChangeConflict/Resolution/abort``.
    ///
    /// - Throws: the error of the input; `SQLITE_CORRUPT` if the bytes aren't a changeset; `SQLITE_ABORT` after a
    ///   conflict. All changes are rolled back, unless the options contain ``ApplyOptions/withoutSavepoint``.
    @discardableResult
    public func apply(from input: ChangesetInput, options: ApplyOptions = []) throws -> ChangesetApplication {
        try apply(from: input, options: options, onConflict: { _ in .abort })
    }

    /// Applies a changeset or patchset that is read in chunks.
    ///
    /// ```swift
    /// try db.apply(from: .file(url)) { conflict in conflict.replaceOrOmit }
    /// ```
    ///
    /// The parameters are those of ``apply(_:options:tables:where:onConflict:)``.
    ///
    /// - Throws: the error of the input, or of a closure; `SQLITE_CORRUPT` if the bytes aren't a changeset. All changes
    ///   are rolled back, unless the options contain ``ApplyOptions/withoutSavepoint``.
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

    /// A call of an SQLite function that applies changes.
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

    /// Applies changes in a savepoint that `Database` opens, and not SQLite, so that observers are notified as usual.
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
        // Without a savepoint, the changes made before a failure remain.
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
