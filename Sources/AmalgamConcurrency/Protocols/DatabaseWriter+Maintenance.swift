import AmalgamBackup
import AmalgamCore

extension DatabaseWriter {
    /// Writes the database file anew, without the space that deleted rows have left, and waits until it is done.
    ///
    /// ```swift
    /// try dbQueue.vacuum()
    /// // VACUUM
    /// ```
    ///
    /// It takes up to twice the size of the file on disk meanwhile. See <https://sqlite.org/lang_vacuum.html>.
    ///
    /// - throws: `SQLITE_ERROR` inside a transaction; `SQLITE_BUSY` when another connection uses the file; errors of
    ///   the disk.
    public func vacuum() throws {
        try unsafeReentrantWrite { try $0.execute(sql: "VACUUM") }
    }

    /// Writes the database file anew, without blocking a thread.
    ///
    /// - throws: the errors of the other method; `CancellationError` when the task is cancelled.
    public func vacuum() async throws {
        try await writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
    }

    /// Writes a copy of the database to a new file, as small as can be, and waits until it is done.
    ///
    /// ```swift
    /// try dbQueue.vacuum(into: "/path/to/copy.sqlite")
    /// // VACUUM INTO '/path/to/copy.sqlite'
    /// ```
    ///
    /// - Parameter filePath: a file that is missing or empty, or a URI if the connection was opened with one.
    /// - throws: `SQLITE_ERROR` when the file exists and is not empty, and inside a transaction; `SQLITE_MISUSE` for a
    ///   path with a NUL character; errors of the disk.
    ///
    /// See <https://sqlite.org/lang_vacuum.html#vacuuminto>.
    public func vacuum(into filePath: String) throws {
        try unsafeReentrantWrite { try writeCompactCopy(of: $0, to: filePath) }
    }

    /// Writes a copy of the database to a new file, without blocking a thread.
    ///
    /// - throws: the errors of the other method; `CancellationError` when the task is cancelled.
    public func vacuum(into filePath: String) async throws {
        try await writeWithoutTransaction { try writeCompactCopy(of: $0, to: filePath) }
    }

    /// Removes everything from the database, and waits until it is done: tables, views, triggers, data, and the
    /// settings of the file, such as `user_version`.
    ///
    /// ```swift
    /// try dbQueue.erase()
    /// ```
    ///
    /// The file is as small as that of a new database then. Whatever the content is, it goes: also virtual
    /// tables, and rows that foreign keys refer to. The connections stay open, and the journal mode is kept.
    /// Transaction observers hear of no row.
    ///
    /// - throws: `SQLITE_MISUSE` from inside an access; `SQLITE_READONLY`; `SQLITE_BUSY` when another connection uses
    ///   the file; errors of the disk: then nothing is removed.
    public func erase() throws {
        try barrierWriteWithoutTransaction { try $0.erase() }
    }

    /// Removes everything from the database, without blocking a thread.
    ///
    /// - throws: the errors of the other method; `CancellationError` when the task is cancelled.
    public func erase() async throws {
        try await barrierWriteWithoutTransaction { try $0.erase() }
    }
}

private func writeCompactCopy(of db: Database, to filePath: String) throws {
    if filePath.utf8.contains(0) {
        throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "A path must not contain a NUL character.")
    }
    try db.execute(sql: "VACUUM INTO ?", arguments: [filePath])
}
