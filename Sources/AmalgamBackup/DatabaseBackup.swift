import AmalgamCore
import CAmalgam

/// A running backup, which copies the pages of one database to another database, step by step.
///
/// ``Database/withBackup(to:schema:intoSchema:_:)`` starts and ends a backup.
///
/// ```swift
/// try source.read { sourceDb in
///     try destination.barrierWriteWithoutTransaction { destDb in
///         try sourceDb.withBackup(to: destDb) { backup in
///             while try !backup.step(pages: 100).isCompleted {
///                 print(backup.progress.completedPageCount, "of", backup.progress.totalPageCount)
///             }
///         }
///     }
/// }
/// ```
///
/// The thread that calls ``step(pages:)`` uses both connections. During the backup, SQLite holds a transaction open on
/// the destination, and doesn't allow other uses of this connection. All such uses throw errors until the backup has
/// ended. See <https://sqlite.org/backup.html>.
public final class DatabaseBackup {
    private let source: Database
    private let destination: Database
    private let destinationSchema: String

    /// The kinds of change, such as the deletion of rows, that the backup makes to the destination.
    private let replacedKinds: [DatabaseEventKind]

    /// The `sqlite3_backup` object. Nil after the end of the backup.
    private var backup: OpaquePointer?

    /// A copy of the source that the pages are read from, if the pages of the source itself don't fit the destination.
    private var copy: OpaquePointer?

    /// The progress of the backup. Before the first step, all numbers are 0.
    public private(set) var progress = DatabaseBackupProgress(
        remainingPageCount: 0, totalPageCount: 0, isCompleted: false)

    /// The number of pages copied between two checks for cancellation. Copying them takes about a millisecond.
    private static let pagesPerChunk: CInt = 256

    init(_ source: Database, _ sourceSchema: String, to destination: Database, _ destinationSchema: String) throws {
        self.source = source
        self.destination = destination
        self.destinationSchema = destinationSchema
        replacedKinds = destination.eventKindsOfContent
        copy = try Self.copyForCipher(source, sourceSchema, destination, destinationSchema)
        backup = sqlite3_backup_init(
            destination.sqliteConnection, destinationSchema, copy ?? source.sqliteConnection,
            copy == nil ? sourceSchema : "main")
        if backup == nil {
            let error = destination.error(destination.lastErrorCode.rawValue)
            sqlite3_close_v2(copy)
            throw error
        }
        destination.isReceivingBackup = true
        // An earlier interruption doesn't concern this backup.
        source.clearInterruption()
        destination.clearInterruption()
    }

    deinit { end() }

    /// Returns a copy in memory of a database in memory, with as many reserved bytes on its pages as an encrypted
    /// destination wants; nil if the destination isn't encrypted, or gets the pages of another encrypted database.
    private static func copyForCipher(
        _ source: Database, _ sourceSchema: String, _ destination: Database, _ destinationSchema: String
    ) throws -> OpaquePointer? {
        let reserve = amalgam_cipher_reserve(destination.sqliteConnection, destinationSchema)
        guard reserve > 0, source.filePath(sourceSchema) == nil else { return nil }
        var copy: OpaquePointer?
        let code = amalgam_copy_with_reserve(source.sqliteConnection, sourceSchema, reserve, &copy)
        guard code == SQLITE_OK else {
            sqlite3_close_v2(copy)
            throw DatabaseError(code: code)
        }
        return copy
    }

    /// Copies pages, and commits the backup after the last one.
    ///
    /// ```swift
    /// let progress = try backup.step(pages: 100)
    /// print(progress.remainingPageCount, "pages remain")
    /// ```
    ///
    /// If another connection holds a lock, the step waits for as long as the busy mode of the connections allows, and
    /// then throws `SQLITE_BUSY`. After this error, the step may be tried again. All other errors are final.
    ///
    /// If the source connection is in a transaction, the backup copies the snapshot of this transaction. Otherwise, if
    /// another connection writes to the source between two steps, the next step starts again with the first page.
    /// Writes by the source connection itself are copied without starting again.
    ///
    /// - Parameter pages: the maximum number of pages to copy. If negative, the step copies all remaining pages. Such a
    ///   step can be cancelled only if the source is in a transaction: otherwise, a single call of SQLite copies all
    ///   pages.
    /// - Returns: the progress after the step.
    /// - Throws: `SQLITE_BUSY`; `SQLITE_MISUSE` after the end of the backup; `SQLITE_INTERRUPT` if one of the
    ///   connections was interrupted; `CancellationError` if the task or the database access was cancelled; I/O errors.
    @discardableResult
    public func step(pages: Int = -1) throws -> DatabaseBackupProgress {
        var remaining = pages < 0 ? CInt.max : CInt(clamping: pages)
        let isAtOnce = pages < 0 && !source.isInsideTransaction
        repeat {
            let chunk = isAtOnce ? -1 : min(remaining, Self.pagesPerChunk)
            try copy(pages: chunk)
            remaining -= max(0, chunk)
        } while remaining > 0 && !progress.isCompleted
        return progress
    }

    private func copy(pages: CInt) throws {
        if progress.isCompleted { return }
        guard let backup else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "The backup has ended.")
        }
        try checkConnections()
        let code = sqlite3_backup_step(backup, pages)
        guard code == SQLITE_OK || code == SQLITE_DONE else {
            // A suspended connection doesn't wait for locks.
            if ResultCode(rawValue: code).primaryResultCode == .SQLITE_BUSY { try checkSuspension() }
            throw error(code)
        }
        progress = DatabaseBackupProgress(
            remainingPageCount: Int(sqlite3_backup_remaining(backup)),
            totalPageCount: Int(sqlite3_backup_pagecount(backup)),
            isCompleted: code == SQLITE_DONE)
        if progress.isCompleted { end() }
    }

    private func checkConnections() throws {
        try source.checkAccess()
        guard destination.isAccessible else { throw Database.wrongThread(sql: nil) }
        if destination.access.interrupter.isCancelled || Task.isCancelled { throw CancellationError() }
        if source.isInterrupted || destination.isInterrupted {
            source.clearInterruption()
            destination.clearInterruption()
            throw DatabaseError(resultCode: .SQLITE_INTERRUPT)
        }
        try checkSuspension()
    }

    private func checkSuspension() throws {
        try source.checkMayRead()
        try destination.checkMayWrite()
    }

    private func error(_ code: CInt) -> DatabaseError {
        let isPageSizeConflict =
            code == SQLITE_READONLY && destination.isFileReadOnly(destinationSchema) == false
        return DatabaseError(
            code: code,
            message: isPageSizeConflict
                ? """
                the page sizes of source and destination differ, and that of the destination cannot change because it \
                is in WAL mode, or in memory: copy into a new database
                """ : nil)
    }

    /// Ends the backup. If it isn't completed, the destination is unchanged.
    func end() {
        guard let backup else { return }
        self.backup = nil
        sqlite3_backup_finish(backup)
        sqlite3_close_v2(copy)
        destination.isReceivingBackup = false
        guard progress.isCompleted else { return }
        destination.contentEncodingMayHaveChanged()
        destination.schemaDidChange()
        destination.contentWasReplaced(replacedKinds)
    }
}
