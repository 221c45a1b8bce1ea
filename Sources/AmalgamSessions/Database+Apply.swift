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
    /// A table of the changeset is skipped if the database has no table with this name, or if its table has fewer columns
    /// or a different primary key: see ``ChangesetApplication/skippedTables``, and
    /// ``ApplyOptions/requiringTables`` for an error. Additional columns get their defaults. `ON CONFLICT` clauses of
    /// tables have no effect: a change that violates a constraint is a conflict.
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
    /// - Returns: the number of conflicts, their resolutions, and the skipped tables.
    /// - Throws: the error of a closure, an error of SQLite, or:
    ///   - `SQLITE_ABORT` if a conflict is resolved with ``ChangeConflict/Resolution/abort``;
    ///   - `SQLITE_MISUSE` if a conflict is resolved with ``ChangeConflict/Resolution/replace``, and its
    ///     ``ChangeConflict/allowsReplacement`` is false;
    ///   - `SQLITE_SCHEMA` if a table is skipped, with ``ApplyOptions/requiringTables``;
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
            return try apply(context, options) { connection, application in
                changes.bytes.withSQLiteBytes { count, bytes in
                    application.count = count
                    application.bytes = UnsafeRawPointer(bytes)
                    return amalgam_session_apply(connection, &application)
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
                    return try apply(context, options) { connection, application in
                        application.read = read
                        application.source = source.pointer
                        return amalgam_session_apply(connection, &application)
                    }
                } catch {
                    throw source.error ?? error
                }
            }
        }
    }

    /// Adds the changes to the description of a call, and calls SQLite.
    private typealias Call = (SQLiteConnection?, inout amalgam_application) throws -> CInt

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
        var application = context.application
        application.flags = options.union(.withoutSavepoint).subtracting(.requiringTables).rawValue
        context.requiresTables = options.contains(.requiringTables)
        var resolutions: ChangesetBytes?
        // Without a savepoint, the changes made before a failure remain.
        let undoesChanges = !options.contains(.withoutSavepoint)
        try applyChanges(undoesChanges: undoesChanges, closureError: { context.error }) { connection in
            var code = SQLITE_OK
            resolutions = try ChangesetBytes { count, bytes in
                defer { (count.pointee, bytes.pointee) = (application.resolution_count, application.resolutions) }
                code = try withExtendedLifetime(context) { try call(connection, &application) }
            }
            return code
        }
        return ChangesetApplication(
            conflictCount: context.conflictCount, resolutions: ConflictResolutions(bytes: resolutions!),
            skippedTables: context.skippedTables)
    }
}
