public import AmalgamCore
import CAmalgam

extension Database {
    /// Replaces the content of another database with the content of this one.
    ///
    /// ```swift
    /// try source.read { sourceDb in
    ///     try destination.barrierWriteWithoutTransaction { destDb in
    ///         try sourceDb.backup(to: destDb, pagesPerStep: 100) { progress in
    ///             print(progress.completedPageCount, "of", progress.totalPageCount)
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// Everything is replaced: tables, data, and settings such as `user_version`. The destination is one transaction
    /// away from its previous content until the last page is there: an error leaves it as it was. Transaction observers
    /// of the destination hear of it by ``TransactionObserver/databaseDidChange()`` and
    /// ``TransactionObserver/databaseDidCommit(_:)``.
    ///
    /// Inside a transaction, the backup is of the state that the transaction sees. Outside of one, the source may be
    /// written between two steps: see ``DatabaseBackup/step(pages:)``.
    ///
    /// The destination takes the page size of the source when it can: not in WAL mode, nor in memory once it has
    /// content.
    ///
    /// - Parameters:
    ///   - destDb: a connection that may write, outside of a transaction. It refuses all use until the backup has
    ///     ended.
    ///   - pagesPerStep: how many pages are copied between two calls of `progress`; all of them when negative.
    ///   - progress: called after each step, the last one included. An error it throws ends the backup, and comes
    ///     out of this method, unless the backup is already completed.
    /// - throws: `SQLITE_MISUSE` when both connections are the same, or use the same file, when the destination is in a
    ///   transaction, when the source is in a write transaction, or when `pagesPerStep` is 0; `SQLITE_BUSY` when a lock
    ///   is not granted in the time set by the busy mode; `SQLITE_READONLY` when the destination cannot be written, or
    ///   not with the page size of the source; `CancellationError` when the task or an access was cancelled.
    public func backup(
        to destDb: Database, pagesPerStep: CInt = -1, progress: ((DatabaseBackupProgress) throws -> Void)? = nil
    ) throws {
        if pagesPerStep == 0 {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "pagesPerStep must not be 0: the backup would never end.")
        }
        try withBackup(to: destDb) { backup in
            repeat {
                try backup.step(pages: Int(pagesPerStep))
                do {
                    try progress?(backup.progress)
                } catch {
                    if !backup.progress.isCompleted { throw error }
                }
            } while !backup.progress.isCompleted
        }
    }

    /// Begins a backup, which the closure steps through.
    ///
    /// ```swift
    /// try source.withBackup(to: destination) { backup in
    ///     while try !backup.step(pages: 100).isCompleted {}
    /// }
    /// ```
    ///
    /// The backup ends with the closure. When it was not completed by then, the destination is what it was before.
    ///
    /// - Parameters:
    ///   - destination: a connection that may write, outside of a transaction. It refuses all use until the backup
    ///     has ended.
    ///   - schema: the schema that is copied: `main`, or the name of an attached database.
    ///   - destinationSchema: the schema of the destination that is replaced.
    /// - throws: the error thrown by the closure; those of ``backup(to:pagesPerStep:progress:)``.
    @discardableResult
    public func withBackup<T>(
        to destination: Database, schema: String = "main", intoSchema destinationSchema: String = "main",
        _ body: (DatabaseBackup) throws -> T
    ) throws -> T {
        try checkCanBackUp(to: destination, schema, destinationSchema)
        if isInsideTransaction { try beginReading(schema) }
        let backup = try DatabaseBackup(self, schema, to: destination, destinationSchema)
        defer { backup.end() }
        return try body(backup)
    }

    private func checkCanBackUp(to destination: Database, _ schema: String, _ destinationSchema: String) throws {
        try checkAccess()
        try destination.checkAccess()
        try Self.checkName(schema)
        try Self.checkName(destinationSchema)
        if destination.isReadOnlyAccess { throw DatabaseError(resultCode: .SQLITE_READONLY) }
        if let defect = backupDefect(to: destination, schema, destinationSchema) {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: defect)
        }
        try checkMayRead()
        try destination.checkMayWrite()
    }

    private func backupDefect(to destination: Database, _ schema: String, _ destinationSchema: String) -> String? {
        if destination === self { return "A connection cannot be backed up to itself." }
        if let path = filePath(schema), path == destination.filePath(destinationSchema) {
            return "A database cannot be backed up to its own file."
        }
        if destination.isInsideTransaction { return "The destination of a backup must not be in a transaction." }
        if transactionState(schema) == .write {
            return "The source of a backup must not be in a write transaction: commit it before."
        }
        return nil
    }

    /// A deferred transaction takes hold of the state of the database at its first read.
    private func beginReading(_ schema: String) throws {
        guard transactionState(schema) == TransactionState.none else { return }
        try makeStatement(sql: "SELECT rootpage FROM \(schema.quotedDatabaseIdentifier).sqlite_master LIMIT 1")
            .execute()
    }

    /// Removes everything from the database: tables, views, triggers, data, settings of the file.
    ///
    /// The file becomes that of a new database, in the same journal mode. This is the only way that works whatever
    /// there is: foreign keys, virtual tables whose module is missing, even damage. See
    /// `SQLITE_DBCONFIG_RESET_DATABASE` in <https://sqlite.org/c3ref/c_dbconfig_defensive.html>.
    ///
    /// - throws: `SQLITE_MISUSE` inside a transaction; `SQLITE_READONLY`; `SQLITE_BUSY` when the database is in use.
    package func erase() throws {
        try checkAccess()
        if isReadOnlyAccess { throw DatabaseError(resultCode: .SQLITE_READONLY) }
        if isInsideTransaction {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "A database cannot be erased inside a transaction.")
        }
        try checkMayWrite()
        // Other connections recognise a new schema by its version, which must be one that they have not seen. A
        // damaged database may have none that can be read.
        let version = (try? Int32.fetchOne(self, sql: "PRAGMA main.schema_version")) ?? 0
        clearStatements()
        try replacingContent {
            try reset()
            schemaDidChange()
        }
        try execute(sql: "PRAGMA main.schema_version = \(version &+ 1)")
    }

    private func reset() throws {
        set(SQLITE_DBCONFIG_RESET_DATABASE, true)
        defer { set(SQLITE_DBCONFIG_RESET_DATABASE, false) }
        try execute(sql: "VACUUM")
    }
}
