import AmalgamCore
import CAmalgam

/// A backup under way: pages travel from one connection to another, some at each step.
///
/// Get one from ``Database/withBackup(to:schema:intoSchema:_:)``, which ends it.
///
/// ```swift
/// try source.withBackup(to: destination) { backup in
///     while try !backup.step(pages: 100).isCompleted {
///         print(backup.progress.completedPageCount, "of", backup.progress.totalPageCount)
///     }
/// }
/// ```
///
/// Both connections are used by the thread that steps. SQLite trusts its caller not to touch the destination
/// meanwhile, where a transaction is open that no statement has begun: so the destination refuses all use
/// until the backup has ended. See <https://sqlite.org/backup.html>.
public final class DatabaseBackup {
    private let source: Database
    private let destination: Database
    private let destinationSchema: String

    /// What observers of the destination may have to hear of its old content.
    private let replacedKinds: [DatabaseEventKind]

    /// SQLite's object; nil once the backup has ended.
    private var backup: OpaquePointer?

    /// How far the backup has come. Before the first step, all numbers are 0.
    public private(set) var progress = DatabaseBackupProgress(
        remainingPageCount: 0, totalPageCount: 0, isCompleted: false)

    /// How many pages are copied between two looks at cancellations: a matter of a millisecond.
    private static let pagesPerChunk: CInt = 256

    init(_ source: Database, _ sourceSchema: String, to destination: Database, _ destinationSchema: String) throws {
        self.source = source
        self.destination = destination
        self.destinationSchema = destinationSchema
        replacedKinds = destination.eventKindsOfContent
        backup = sqlite3_backup_init(
            destination.sqliteConnection, destinationSchema, source.sqliteConnection, sourceSchema)
        if backup == nil { throw destination.error(destination.lastErrorCode.rawValue) }
        destination.isReceivingBackup = true
        // An interruption that came before is none of ours.
        source.clearInterruption()
        destination.clearInterruption()
    }

    deinit { end() }

    /// Copies pages, and commits when none remains.
    ///
    /// A step that finds a lock in its way waits as the busy mode of the connections says, then throws `SQLITE_BUSY`.
    /// It may be tried again. Other errors are final.
    ///
    /// When another connection writes to the source between two steps, the next one begins again with the first page,
    /// unless the source connection is in a transaction: then the backup is of the state that this transaction sees.
    /// Writes of the source connection itself are copied without beginning again.
    ///
    /// - Parameter pages: how many pages are copied at most; all that remain when negative. A step of all pages of a
    ///   source that is not in a transaction cannot be cancelled.
    /// - throws: `SQLITE_MISUSE` once the backup has ended; `SQLITE_INTERRUPT` when one of the connections was
    ///   interrupted; `CancellationError` when the task or the access was cancelled; errors of the files.
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
            // A suspended connection does not wait for locks.
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

    /// Ends the backup: the destination is what it was before, unless the backup was completed.
    func end() {
        guard let backup else { return }
        self.backup = nil
        sqlite3_backup_finish(backup)
        destination.isReceivingBackup = false
        guard progress.isCompleted else { return }
        destination.schemaDidChange()
        destination.contentWasReplaced(replacedKinds)
    }
}
