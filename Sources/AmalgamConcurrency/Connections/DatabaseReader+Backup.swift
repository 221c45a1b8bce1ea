public import AmalgamBackup
import AmalgamCore
public import Foundation

extension DatabaseReader {
    /// Replaces the content of another database with the content of this one, and waits until it is done.
    ///
    /// ```swift
    /// let source = try DatabaseQueue(path: "/path/to/source.sqlite")
    /// let destination = try DatabaseQueue(path: "/path/to/copy.sqlite")
    /// try source.backup(to: destination, pagesPerStep: 1000) { progress in
    ///     print(progress.completedPageCount, "of", progress.totalPageCount)
    /// }
    /// ```
    ///
    /// The backup is of one state of the source. A pool may write meanwhile: what it writes is not in the copy. Nobody
    /// reads or writes the destination meanwhile. When an error is thrown, the destination is what it was before.
    ///
    /// The progress closure runs inside of accesses to both databases: from there, it cannot use either.
    ///
    /// - Parameters:
    ///   - writer: the database that is replaced.
    ///   - pagesPerStep: how many pages are copied between two calls of `progress`; all of them when negative.
    ///   - progress: called after each step, the last one included. An error it throws ends the backup, and comes
    ///     out of this method, unless the backup is already completed.
    /// - throws: `SQLITE_MISUSE` from inside an access of one of both, when both are the same or use the same file, or
    ///   when `pagesPerStep` is 0; `CancellationError` when the task is cancelled; errors of the files: see
    ///   ``Database/backup(to:pagesPerStep:progress:)``.
    ///
    /// See <https://sqlite.org/backup.html>.
    public func backup(
        to writer: any DatabaseWriter, pagesPerStep: CInt = -1,
        progress: ((DatabaseBackupProgress) throws -> Void)? = nil
    ) throws {
        let (reader, destination) = (unerased, writer.unerased)
        if reader === destination {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "A database cannot be backed up to itself.")
        }
        // Two backups in opposite directions must not wait for each other: all enter both databases in the same order,
        // which is that of the objects behind type-erased ones.
        if ObjectIdentifier(reader) < ObjectIdentifier(destination) {
            try read { source in
                try writer.barrierWriteWithoutTransaction {
                    try source.backup(to: $0, pagesPerStep: pagesPerStep, progress: progress)
                }
            }
        } else {
            try writer.barrierWriteWithoutTransaction { destination in
                try read { try $0.backup(to: destination, pagesPerStep: pagesPerStep, progress: progress) }
            }
        }
        (destination as? DatabasePool)?.invalidateReadOnlyConnections()
    }

    /// The bytes of the database: those of its file, had it been closed now.
    ///
    /// ```swift
    /// let copy = try DatabaseQueue(deserializing: dbQueue.serialize())
    /// ```
    ///
    /// - throws: errors of ``Database/serialize(schema:)``; `SQLITE_MISUSE` from inside another access.
    public func serialize() throws -> Data {
        try read { try $0.serialize() }
    }

    /// The bytes of the database, without blocking a thread.
    ///
    /// - throws: errors of ``Database/serialize(schema:)``; `CancellationError` when the task is cancelled.
    public func serialize() async throws -> Data {
        try await read { try $0.serialize() }
    }
}
