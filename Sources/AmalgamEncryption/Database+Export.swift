#if Encryption
public import AmalgamConcurrency
public import AmalgamCore
import CAmalgam
import Foundation

#if canImport(Android)
import Android
#endif

extension DatabaseReader {
    /// Writes the whole database to a new file, with a pass phrase or without encryption.
    ///
    /// ```swift
    /// // Encrypt a database:
    /// try clearQueue.export(to: "/path/to/encrypted.sqlite", passphrase: "secret")
    ///
    /// // Decrypt one:
    /// try encryptedQueue.export(to: "/path/to/clear.sqlite", passphrase: nil)
    /// ```
    ///
    /// The export runs `sqlcipher_export()` in one transaction, and copies `user_version` and `application_id`:
    /// <https://www.zetetic.net/sqlcipher/sqlcipher-api/#sqlcipher_export>. It takes about as long as `VACUUM INTO`.
    /// The reads and writes of a pool go on, and the export has what was committed when it began; a queue is occupied
    /// until the end. The new file has SQLCipher's default settings, such as pages of 4,096 bytes, and rollback-journal
    /// mode. It has the permissions of the database file.
    ///
    /// If the export fails, the new file is removed. No file that was there before is changed. `interrupt()` and
    /// `suspend()` of the queue or pool stop the export.
    ///
    /// - Parameters:
    ///   - path: The path of the new file.
    ///   - passphrase: The pass phrase of the new file, as UTF-8; nil for a file without encryption.
    /// - Throws: `SQLITE_CANTOPEN` if there is a file at the path already, or its WAL file or journal, or if none can be
    ///   created; `SQLITE_MISUSE` if the pass phrase is empty, and inside another database access; `SQLITE_ABORT` while the
    ///   database is suspended; `SQLITE_INTERRUPT` if it is interrupted or suspended during the export;
    ///   `SQLITE_READONLY_DBMOVED` if the database file was moved or replaced; `SQLITE_BUSY`; `SQLITE_FULL`; I/O errors.
    public func export(to path: String, passphrase: String?) throws {
        if let pool = unerased as? DatabasePool {
            let source = ExportSource(
                path: pool.path, file: pool.file, configuration: pool.configuration, interrupter: pool.interrupter,
                isAccess: false)
            return try source.export(to: path, passphrase)
        }
        try unsafeRead { try $0.export(to: path, passphrase: passphrase) }
    }
}

extension Database {
    /// Writes the whole database to a new file, with a pass phrase or without encryption.
    ///
    /// ```swift
    /// try dbQueue.writeWithoutTransaction { db in
    ///     try db.export(to: "/path/to/encrypted.sqlite", passphrase: "secret")
    /// }
    /// ```
    ///
    /// See ``DatabaseReader/export(to:passphrase:)``.
    ///
    /// - Throws: `SQLITE_MISUSE` inside a transaction; the errors of ``DatabaseReader/export(to:passphrase:)``.
    public func export(to path: String, passphrase: String?) throws {
        try checkAccess()
        if isInsideTransaction { throw DatabaseError.misuse("A database can't be exported inside a transaction.") }
        try registerAccess(to: DatabaseRegion.fullDatabase)
        guard let file else {
            try checkMayRead()
            return try exportContent(to: path, passphrase)
        }
        // A separate connection has no observers, which would be notified of the new file's rows.
        let source = ExportSource(
            path: self.path, file: file, configuration: configuration, interrupter: access.interrupter, isAccess: true)
        try source.export(to: path, passphrase)
    }

    fileprivate func exportContent(to path: String, _ passphrase: String?) throws {
        let file = try ExportedFile(path, like: filePath())
        let stopCount = access.interrupter.stopCount
        do {
            try attach(path: path, as: Self.exportSchema, passphrase: passphrase)
            defer { try? execute(sql: "DETACH DATABASE \(Self.exportSchema)") }
            try exportContent(stopCount)
        } catch {
            file.remove()
            throw access.interrupter.stopCount == stopCount ? error : stop(error)
        }
    }

    /// Returns the error of an export that was stopped: SQLCipher reports `SQLITE_ERROR` if its statements are interrupted.
    private func stop(_ error: any Error) -> any Error {
        if access.interrupter.isCancelled { return CancellationError() }
        guard let error = error as? DatabaseError, error.resultCode == .SQLITE_ERROR else { return error }
        return DatabaseError(resultCode: .SQLITE_INTERRUPT, sql: error.sql)
    }

    private static let exportSchema = "amalgam_export"

    /// - Parameter stopCount: the count of interruptions when the export began.
    private func exportContent(_ stopCount: Int) throws {
        let schema = Self.exportSchema
        let autoVacuum = try Int.fetchOne(self, sql: "PRAGMA main.auto_vacuum") ?? 0
        try execute(sql: "PRAGMA \(schema).auto_vacuum = \(autoVacuum)")
        try inTransaction(.deferred) {
            // SQLite forgets an interruption between two statements.
            if access.interrupter.stopCount != stopCount { throw DatabaseError(resultCode: .SQLITE_INTERRUPT) }
            try execute(sql: "SELECT sqlcipher_export('\(schema)')")
            for pragma in ["user_version", "application_id"] {
                let value = try Int32.fetchOne(self, sql: "PRAGMA main.\(pragma)") ?? 0
                try execute(sql: "PRAGMA \(schema).\(pragma) = \(value)")
            }
            return .commit
        }
    }
}

/// The database that is exported, by a separate connection to its file.
private struct ExportSource {
    let path: String
    let file: DatabaseFile?
    let configuration: Configuration
    /// The interrupter of the connection whose suspension and interruption stop the export.
    let interrupter: Interrupter
    /// Whether the export is part of an access of this connection.
    let isAccess: Bool

    func export(to path: String, _ passphrase: String?) throws {
        // The export would lock its files.
        try checkIsRunning()
        let stopCount = interrupter.stopCount
        var configuration = configuration
        // The connection writes to the attached file.
        configuration.readonly = false
        let label = configuration.label ?? "Amalgam"
        let db = try Database(
            path: self.path, description: "\(label).export", configuration: configuration, file: file)
        defer { db.close() }
        try interrupter.followed(by: db.access.interrupter, isOfAccess: isAccess) {
            try checkIsRunning()
            if isAccess && interrupter.stopCount != stopCount {
                if interrupter.isCancelled { throw CancellationError() }
                throw DatabaseError(resultCode: .SQLITE_INTERRUPT)
            }
            try db.exportContent(to: path, passphrase)
        }
    }

    private func checkIsRunning() throws {
        if interrupter.isSuspended {
            throw DatabaseError(resultCode: .SQLITE_ABORT, message: "Database is suspended")
        }
    }
}

/// The file that an export has created, and will remove if it fails. A file that was there before is never touched.
private struct ExportedFile {
    private let path: String
    /// Whether the file was created here. If the system doesn't let it be created, SQLite reports the error.
    private let isOwn: Bool

    /// Creates the file, with the permissions of the exported database. SQLite would delete a WAL file next to it, and
    /// roll a journal back into it, so that these may not exist either.
    init(_ path: String, like database: String?) throws {
        self.path = path
        if path.isEmpty || path == ":memory:" {
            isOwn = false
            return
        }
        for suffix in Self.suffixes where FileManager.default.fileExists(atPath: path + suffix) {
            throw Self.exists(path + suffix)
        }
        let attributes = try? database.map(FileManager.default.attributesOfItem(atPath:))
        let permissions = (attributes?[.posixPermissions] as? NSNumber)?.uint32Value ?? 0o644
        // No connection has the file, which is new: closing the descriptor releases no lock of SQLite.
        let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode_t(permissions & 0o777))
        if descriptor < 0 && errno == EEXIST { throw Self.exists(path) }
        isOwn = descriptor >= 0
        if isOwn { close(descriptor) }
    }

    private static let suffixes = ["-journal", "-wal", "-shm"]

    private static func exists(_ path: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_CANTOPEN,
            message: "There is a file at \(path) already: an export writes to a new one.")
    }

    func remove() {
        guard isOwn else { return }
        for suffix in [""] + Self.suffixes { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
}
#endif
