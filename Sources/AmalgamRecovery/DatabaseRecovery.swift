public import AmalgamCore
import Foundation

/// Saves the content of a damaged database file in a new file.
///
/// ```swift
/// let recovery = DatabaseRecovery(of: "/path/to/damaged.sqlite")
/// let report = try recovery.recover(into: "/path/to/recovered.sqlite")
/// print(report)
/// ```
///
/// This is SQLite's own recovery, which reads each page of the file without the help of the others:
/// <https://sqlite.org/recovery.html>. Tables get the rows that are found on their pages, indexes and full-text indexes are
/// built again, and rows on pages of no known table become rows of the table ``lostAndFoundTable``.
///
/// The damaged file isn't changed. SQLite copies it, its WAL file and its journal into a private folder next to the new file,
/// and works on the copies; so the disk needs room for the damaged file and the new one. The folder is removed at the end.
///
/// Use the configuration of the application: its closures of `prepareDatabase` set the key of an encrypted file, and register the
/// functions, collations, tokenizers and modules that the schema needs. They run on the damaged file, where errors that come of
/// the damage are ignored, and on the new, empty file.
///
/// The page <doc:DamagedFiles> tells how files are damaged, how to notice it, and what can't be had back.
public struct DatabaseRecovery: Sendable {
    /// The path of the damaged file.
    public let path: String

    /// The configuration of the connections to the damaged file and to the new one.
    public let configuration: Configuration

    /// The name of the table for rows whose table isn't known; nil if they aren't saved. If the database has a table of this
    /// name, a number is added: `lost_and_found_0`.
    ///
    /// The columns are `rootpgno` and `pgno` (pages of the damaged file), `nfield` (the number of fields), `id` (the rowid, if
    /// any), and `c0`, `c1` and so on.
    public var lostAndFoundTable: String? = "lost_and_found"

    /// Whether rows on free pages are saved as well. They are rows that were deleted, and rows of a table whose pages a damaged
    /// list of free pages contains. False by default.
    public var includesFreePages = false

    /// Creates a recovery. Nothing is read yet.
    ///
    /// ```swift
    /// var recovery = DatabaseRecovery(of: path, configuration: config)
    /// recovery.includesFreePages = true
    /// ```
    ///
    /// - Parameters:
    ///   - path: The path of the damaged file.
    ///   - configuration: The configuration of the application's connections.
    public init(of path: String, configuration: Configuration = Configuration()) {
        self.path = path
        self.configuration = configuration
    }

    /// Saves what can be read of the damaged file in a new file.
    ///
    /// ```swift
    /// let report = try DatabaseRecovery(of: path).recover(into: newPath) { progress in
    ///     print(progress.phase, progress.savedRowCount, "rows saved")
    ///     if stopButtonWasPressed { throw CancellationError() }
    /// }
    /// if let table = report.lostAndFound { print(table.rowCount, "rows without a table") }
    /// ```
    ///
    /// No connection may write to the damaged file during the recovery. If an error is thrown, there is no new file.
    ///
    /// The new file has the encoding, the page size, the `auto_vacuum` mode, the `user_version`, the `application_id` and the
    /// permissions of the damaged one, and the key that the configuration sets. It is in rollback-journal mode unless the
    /// configuration changes that.
    ///
    /// The recovery takes several times as long as reading the file and writing it.
    ///
    /// - Parameters:
    ///   - newPath: The path of the new file.
    ///   - progress: A closure that is called now and then on the calling thread. If it throws, the recovery ends.
    /// - Returns: What was saved, and what wasn't.
    /// - Throws: `SQLITE_CANTOPEN` if the damaged file doesn't exist, or a file is at the new path; `SQLITE_NOTADB` if the
    ///   file is smaller than a page, or the key is wrong; `SQLITE_BUSY` if another connection writes to the damaged
    ///   file; `SQLITE_FULL`; I/O errors; `CancellationError` if the task is cancelled; the errors of `progress`, and of the
    ///   closures of `prepareDatabase`; `SQLITE_ERROR` if the build has no recovery: see `SQLiteBuild.hasRecovery`.
    @discardableResult
    public func recover(
        into newPath: String, progress: ((RecoveryProgress) throws -> Void)? = nil
    ) throws -> RecoveryReport {
        try recover(into: newPath, RecoveryCancellation(), progress)
    }

    /// Saves what can be read of the damaged file in a new file, without blocking the task's thread.
    ///
    /// ```swift
    /// let report = try await DatabaseRecovery(of: path).recover(into: newPath) { progress in
    ///     print(progress.fractionCompleted)
    /// }
    /// ```
    ///
    /// The recovery runs on a separate thread. The cancellation of the task ends it within moments, also while SQLite creates an
    /// index.
    ///
    /// - Parameters:
    ///   - newPath: The path of the new file.
    ///   - progress: A closure that is called now and then on the thread of the recovery. If it throws, the recovery ends.
    /// - Returns: What was saved, and what wasn't.
    /// - Throws: The errors of the synchronous method.
    @discardableResult
    public func recover(
        into newPath: String, progress: (@Sendable (RecoveryProgress) throws -> Void)? = nil
    ) async throws -> RecoveryReport {
        let cancellation = RecoveryCancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let thread = Thread {
                    continuation.resume(with: Result { try recover(into: newPath, cancellation, progress) })
                }
                thread.stackSize = 8 << 20
                thread.name = "Amalgam recovery"
                thread.start()
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    private func recover(
        into newPath: String, _ cancellation: RecoveryCancellation, _ progress: ((RecoveryProgress) throws -> Void)?
    ) throws -> RecoveryReport {
        let files = try RecoveryFiles(from: path, into: newPath)
        defer { files.removeFolder() }
        let run = RecoveryRun(self, files, cancellation, progress)
        do {
            let report = try run.recover()
            try cancellation.check()
            try files.moveResult()
            return report
        } catch {
            try cancellation.check()
            throw error
        }
    }
}
