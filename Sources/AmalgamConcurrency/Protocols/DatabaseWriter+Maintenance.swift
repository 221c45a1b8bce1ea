import AmalgamBackup
import AmalgamCore

extension DatabaseWriter {
    /// Rebuilds the database file without its unused space, and waits for the end.
    ///
    /// ```swift
    /// try dbQueue.vacuum()
    /// // VACUUM
    /// ```
    ///
    /// SQLite needs up to twice the size of the file as temporary disk space. See
    /// <https://sqlite.org/lang_vacuum.html>.
    ///
    /// The rowids of a table without an `INTEGER PRIMARY KEY` may change. A full-text table whose content is such a table
    /// must be rebuilt afterwards.
    ///
    /// - Throws: `SQLITE_ERROR` inside a transaction; `SQLITE_BUSY` if another connection uses the file; I/O errors.
    public func vacuum() throws {
        try unsafeReentrantWrite { try $0.execute(sql: "VACUUM") }
    }

    /// Rebuilds the database file without its unused space, without blocking a thread.
    ///
    /// - Throws: the errors of the synchronous method; `CancellationError` if the task is cancelled.
    public func vacuum() async throws {
        try await writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
    }

    /// Writes a compact copy of the database to a new file, and waits for the end.
    ///
    /// ```swift
    /// try dbQueue.vacuum(into: "/path/to/copy.sqlite")
    /// // VACUUM INTO '/path/to/copy.sqlite'
    /// ```
    ///
    /// The new file has the permissions of the database file. If an error is thrown, it is removed. See
    /// <https://sqlite.org/lang_vacuum.html#vacuuminto>.
    ///
    /// - Parameter filePath: the path of a file that doesn't exist or is empty, or a URI if the connection was opened
    ///   with a URI.
    /// - Throws: `SQLITE_ERROR` if the file exists and isn't empty, and inside a transaction; `SQLITE_MISUSE` for a
    ///   path with a NUL character; I/O errors.
    public func vacuum(into filePath: String) throws {
        try unsafeReentrantWrite { try writeCompactCopy(of: $0, to: filePath) }
    }

    /// Writes a compact copy of the database to a new file, without blocking a thread.
    ///
    /// ```swift
    /// try await dbQueue.vacuum(into: "/path/to/copy.sqlite")
    /// ```
    ///
    /// - Throws: the errors of the synchronous method; `CancellationError` if the task is cancelled.
    public func vacuum(into filePath: String) async throws {
        try await writeWithoutTransaction { try writeCompactCopy(of: $0, to: filePath) }
    }

    /// Removes all tables, views, triggers and rows of the database, and the settings in the file header, such as
    /// `user_version`. Waits for the end.
    ///
    /// ```swift
    /// try dbQueue.erase()
    /// ```
    ///
    /// The file then has the size of a new database. Virtual tables are removed as well, and foreign keys aren't
    /// checked. The connections stay open, and the journal mode doesn't change. Transaction observers receive no row
    /// events.
    ///
    /// - Throws: `SQLITE_MISUSE` from inside a database access; `SQLITE_READONLY` if the database can't be written;
    ///   `SQLITE_BUSY` if another connection uses the file; I/O errors. If an error is thrown, nothing is removed.
    public func erase() throws {
        try barrierWriteWithoutTransaction { try $0.erase() }
    }

    /// Removes all content of the database, without blocking a thread.
    ///
    /// - Throws: the errors of the synchronous method; `CancellationError` if the task is cancelled.
    public func erase() async throws {
        try await barrierWriteWithoutTransaction { try $0.erase() }
    }
}

private func writeCompactCopy(of db: Database, to filePath: String) throws {
    if filePath.utf8.contains(0) {
        throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "A path must not contain a NUL character.")
    }
    let file = db.filePath().flatMap { NewFile(filePath, like: $0) }
    do {
        try db.execute(sql: "VACUUM INTO ?", arguments: [filePath])
    } catch {
        file?.remove()
        throw error
    }
}
