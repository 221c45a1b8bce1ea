public import AmalgamBackup
import AmalgamCore
public import Foundation

extension DatabaseReader {
    /// Replaces the content of another database with the content of this one, and waits for the end of the backup.
    ///
    /// ```swift
    /// let source = try DatabaseQueue(path: "/path/to/source.sqlite")
    /// let destination = try DatabaseQueue(path: "/path/to/copy.sqlite")
    /// try source.backup(to: destination, pagesPerStep: 1000) { progress in
    ///     print(progress.completedPageCount, "of", progress.totalPageCount)
    /// }
    /// ```
    ///
    /// The backup copies one snapshot of the source. If the source is a pool, writes to the pool run concurrently with
    /// the backup, and aren't copied. During the backup, no other access reads or writes the destination. If an error
    /// is thrown, the destination is unchanged.
    ///
    /// The progress closure runs inside an access to both databases, so it can't access these databases itself.
    ///
    /// See <https://sqlite.org/backup.html>.
    ///
    /// - Parameters:
    ///   - writer: the destination, whose content is replaced.
    ///   - pagesPerStep: the number of pages copied per step. If negative, one step copies all pages.
    ///   - progress: called after each step, including the last one. If it throws an error, the backup ends, and this
    ///     method throws the error, unless the backup is already completed.
    /// - Throws: `SQLITE_MISUSE` from inside an access to one of the databases, if both are the same object or use the
    ///   same file, or if `pagesPerStep` is 0; `CancellationError` if the task is cancelled; I/O errors: see
    ///   ``Database/backup(to:pagesPerStep:progress:)``.
    public func backup(
        to writer: any DatabaseWriter, pagesPerStep: CInt = -1,
        progress: ((DatabaseBackupProgress) throws -> Void)? = nil
    ) throws {
        let (reader, destination) = (unerased, writer.unerased)
        if reader === destination {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "A database cannot be backed up to itself.")
        }
        let pool = destination as? DatabasePool
        // Two backups in opposite directions could deadlock if each first accessed its source. So each first accesses
        // the database whose object has the smaller identifier; type-erasing wrappers are ignored.
        if ObjectIdentifier(reader) < ObjectIdentifier(destination) {
            try read { source in
                try writer.barrierWriteWithoutTransaction {
                    // An open reader would keep the page size from changing.
                    pool?.invalidateReadOnlyConnections()
                    try source.backup(to: $0, pagesPerStep: pagesPerStep, progress: progress)
                }
            }
        } else {
            try writer.barrierWriteWithoutTransaction { destination in
                pool?.invalidateReadOnlyConnections()
                try read { try $0.backup(to: destination, pagesPerStep: pagesPerStep, progress: progress) }
            }
        }
        pool?.invalidateReadOnlyConnections()
    }

    /// Returns the bytes that the database file would have if the database were closed now.
    ///
    /// ```swift
    /// let copy = try DatabaseQueue(deserializing: dbQueue.serialize())
    /// ```
    ///
    /// - Throws: the errors of ``Database/serialize(schema:)``; `SQLITE_MISUSE` from inside another database access.
    public func serialize() throws -> Data {
        try read { try $0.serialize() }
    }

    /// Returns the bytes that the database file would have if the database were closed now, without blocking a thread.
    ///
    /// - Throws: the errors of ``Database/serialize(schema:)``; `CancellationError` if the task is cancelled.
    public func serialize() async throws -> Data {
        try await read { try $0.serialize() }
    }
}
