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
    /// If the export fails, the new file is removed. No file that was there before is changed.
    ///
    /// - Parameters:
    ///   - path: The path of the new file.
    ///   - passphrase: The pass phrase of the new file, as UTF-8; nil for a file without encryption.
    /// - Throws: `SQLITE_CANTOPEN` if there is a file at the path already, or its WAL file or journal, or if none can be
    ///   created; `SQLITE_MISUSE` if the pass phrase is empty, and inside another database access; `SQLITE_BUSY`; `SQLITE_FULL`; I/O errors.
    public func export(to path: String, passphrase: String?) throws {
        if let pool = unerased as? DatabasePool {
            return try Database.exportFile(pool.path, pool.configuration, to: path, passphrase)
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
        try checkMayRead()
        if isInsideTransaction { throw DatabaseError.misuse("A database can't be exported inside a transaction.") }
        // A separate connection has no observers, which would be notified of the new file's rows.
        if filePath() != nil { return try Self.exportFile(self.path, configuration, to: path, passphrase) }
        try exportContent(to: path, passphrase)
    }

    fileprivate static func exportFile(
        _ source: String, _ configuration: Configuration, to path: String, _ passphrase: String?
    ) throws {
        var configuration = configuration
        // The connection writes to the attached file.
        configuration.readonly = false
        let label = configuration.label ?? "Amalgam"
        let db = try Database(path: source, description: "\(label).export", configuration: configuration)
        defer { db.close() }
        try db.exportContent(to: path, passphrase)
    }

    private func exportContent(to path: String, _ passphrase: String?) throws {
        let file = try ExportedFile(path, like: filePath())
        do {
            try attach(path: path, as: Self.exportSchema, passphrase: passphrase)
            defer { try? execute(sql: "DETACH DATABASE \(Self.exportSchema)") }
            try exportContent()
        } catch {
            file.remove()
            throw error
        }
    }

    private static let exportSchema = "amalgam_export"

    private func exportContent() throws {
        let schema = Self.exportSchema
        let autoVacuum = try Int.fetchOne(self, sql: "PRAGMA main.auto_vacuum") ?? 0
        try execute(sql: "PRAGMA \(schema).auto_vacuum = \(autoVacuum)")
        try inTransaction(.deferred) {
            try execute(sql: "SELECT sqlcipher_export('\(schema)')")
            for pragma in ["user_version", "application_id"] {
                let value = try Int32.fetchOne(self, sql: "PRAGMA main.\(pragma)") ?? 0
                try execute(sql: "PRAGMA \(schema).\(pragma) = \(value)")
            }
            return .commit
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
