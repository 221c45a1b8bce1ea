public import AmalgamCore
import CAmalgam

extension Database {
    /// Replaces the content of a destination database with the content of this database.
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
    /// The backup replaces all content of the destination: tables, rows, and settings such as `user_version`. The
    /// backup runs in one transaction of the destination, so an error leaves the destination unchanged. Transaction
    /// observers of the destination are notified with ``TransactionObserver/databaseDidChange()`` and
    /// ``TransactionObserver/databaseDidCommit(_:)``.
    ///
    /// If the source is in a transaction, the backup copies the snapshot of this transaction. Otherwise, other
    /// connections may write to the source between two steps: see ``DatabaseBackup/step(pages:)``.
    ///
    /// The destination gets the page size of the source, unless it already has content, and is in WAL mode or in memory.
    /// In these two cases, the backup throws `SQLITE_READONLY` if the page sizes differ. The destination also gets the
    /// text encoding of the source, unless it has attached databases or temporary tables. SQLite can't change the text
    /// encoding of an open connection: after such a backup, other connections to the file of the destination, such as
    /// those of snapshots, other pools and other processes, throw `SQLITE_ERROR` ("attached databases must use the same
    /// text encoding as main database") until they are opened again. Queues and pools that are the destination open
    /// their own again.
    ///
    /// Encrypted pages are copied to a file with its own key, and as clear text to a database in memory and from there.
    /// Between an encrypted file and one without encryption, use `export(to:passphrase:)`.
    ///
    /// - Parameters:
    ///   - destDb: a connection that may write, and isn't in a transaction. All other uses of this connection fail
    ///     until the backup has ended.
    ///   - pagesPerStep: the number of pages copied per step. If negative, one step copies all pages.
    ///   - progress: called after each step, including the last one. If it throws an error, the backup ends, and this
    ///     method throws the error, unless the backup is already completed.
    /// - Throws: `SQLITE_MISUSE` if both connections are the same, or use the same file, if only one of two files is
    ///   encrypted, if the destination is in a transaction, if the source is in a write transaction, or if
    ///   `pagesPerStep` is 0; `SQLITE_BUSY` if another connection holds a lock for longer than the busy mode waits;
    ///   `SQLITE_READONLY` if the destination can't be written, or can't get the page size of the source;
    ///   `CancellationError` if the task or a database access was cancelled.
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

    /// Runs a closure that performs a backup step by step.
    ///
    /// ```swift
    /// try source.read { sourceDb in
    ///     try destination.barrierWriteWithoutTransaction { destDb in
    ///         try sourceDb.withBackup(to: destDb) { backup in
    ///             while try !backup.step(pages: 100).isCompleted {}
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// The backup ends when the closure returns or throws. If the last page wasn't copied, the destination is
    /// unchanged.
    ///
    /// - Parameters:
    ///   - destination: a connection that may write, and isn't in a transaction. All other uses of this connection fail
    ///     until the backup has ended.
    ///   - schema: the schema that is copied: `main`, or the name of an attached database.
    ///   - destinationSchema: the schema of the destination that is replaced.
    ///   - body: performs the steps of the backup.
    /// - Throws: the error thrown by the closure; the errors of ``backup(to:pagesPerStep:progress:)``.
    @discardableResult
    public func withBackup<T>(
        to destination: Database, schema: String = "main", intoSchema destinationSchema: String = "main",
        _ body: (DatabaseBackup) throws -> T
    ) throws -> T {
        try checkCanBackUp(to: destination, schema, destinationSchema)
        try registerAccess(to: DatabaseRegion.fullDatabase)
        if isInsideTransaction { try beginReading(schema) }
        return try destination.withPageSize(of: self, schema, in: destinationSchema) {
            try destination.checkEncoding(of: self, in: destinationSchema)
            let backup = try DatabaseBackup(self, schema, to: destination, destinationSchema)
            defer { backup.end() }
            return try body(backup)
        }
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
        try checkKnown(schema)
        try destination.checkKnown(destinationSchema)
    }

    /// Checks first what SQLite checks after the keys of the schemas.
    private func checkKnown(_ schema: String) throws {
        if isFileReadOnly(schema) != nil || schema.equalsIgnoringCase("temp") { return }
        throw DatabaseError(resultCode: .SQLITE_ERROR, message: "unknown database \(schema)")
    }

    private func backupDefect(to destination: Database, _ schema: String, _ destinationSchema: String) -> String? {
        if destination === self { return "A connection cannot be backed up to itself." }
        if isSameFile(schema, destination, destinationSchema) {
            return "A database cannot be backed up to its own file."
        }
        if let defect = cipherDefect(to: destination, schema, destinationSchema) { return defect }
        if destination.isInsideTransaction { return "The destination of a backup must not be in a transaction." }
        if transactionState(schema) == .write {
            return "The source of a backup must not be in a write transaction: commit it before."
        }
        return nil
    }

    /// Whether two connections use the same file, by one path or by two hard links.
    private func isSameFile(_ schema: String, _ destination: Database, _ destinationSchema: String) -> Bool {
        guard let path = filePath(schema) else { return false }
        if path == destination.filePath(destinationSchema) { return true }
        guard let identity = fileIdentity(schema) else { return false }
        return identity == destination.fileIdentity(destinationSchema)
    }

    /// Pages are copied between encrypted files, and between an encrypted file and memory, which is never encrypted. A
    /// backup must not write clear text to a file by mistake.
    private func cipherDefect(to destination: Database, _ schema: String, _ destinationSchema: String) -> String? {
        guard filePath(schema) != nil, let path = destination.filePath(destinationSchema) else { return nil }
        switch (
            amalgam_cipher_reserve(sqliteConnection, schema) > 0,
            amalgam_cipher_reserve(destination.sqliteConnection, destinationSchema) > 0
        ) {
        case (true, false):
            return """
                The database is encrypted, and the file \(path) isn't: export(to:passphrase:) writes a decrypted copy.
                """
        case (false, true):
            return """
                The file \(path) is encrypted, and the database isn't: export(to:passphrase:) writes an encrypted copy.
                """
        default: return nil
        }
    }

    /// Makes a deferred transaction acquire its snapshot now, and not at its first read.
    private func beginReading(_ schema: String) throws {
        guard transactionState(schema) == TransactionState.none else { return }
        try makeStatement(sql: "SELECT rootpage FROM \(schema.quotedDatabaseIdentifier).sqlite_master LIMIT 1")
            .execute()
    }
}
