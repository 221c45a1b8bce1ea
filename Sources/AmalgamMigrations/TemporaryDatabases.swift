import AmalgamBackup
package import AmalgamConcurrency
package import AmalgamCore
import Foundation

/// Creates temporary databases, on which migrations run without changing the application's database. The files are
/// removed when this object is released. Only the user of the process can read them.
///
/// The databases aren't in memory, because a closure that the application has passed to `Configuration.prepareDatabase`
/// may require a file, for example to set `SQLITE_FCNTL_PERSIST_WAL`. The files aren't synced to disk. Files that such a
/// closure attaches are replaced by copies, and databases that a migration attaches are read-only.
package final class TemporaryDatabases {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "GRDB.DatabaseMigrator." + UUID().uuidString)

    package init() {}

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Creates an empty database.
    ///
    /// - Throws: an error if the file can't be created, an error of a closure passed to
    ///   `Configuration.prepareDatabase`, or an error of copying an attached file.
    package func make(_ configuration: Configuration) throws -> DatabaseQueue {
        let path = try newPath()
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        // SQLite gives the journals of the file its permissions.
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        try queue.writeWithoutTransaction { db in
            // Without a schema, the second pragma concerns all attached files.
            try db.replaceAttachedFiles(byCopiesIn: folder)
            try db.execute(sql: "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY")
        }
        return queue
    }

    /// Copies a database file that no connection has open, with its WAL file and its journal.
    ///
    /// - Returns: The path of the copy.
    /// - Throws: `SQLITE_CANTOPEN` if there is no file; an error if it can't be copied.
    package func copyFile(at path: String) throws -> String {
        guard FileManager.default.fileExists(atPath: path) else {
            throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "there is no file: \(path)")
        }
        let copy = try newPath()
        for suffix in ["", "-wal", "-journal"] where FileManager.default.fileExists(atPath: path + suffix) {
            let target = copy + suffix
            try FileManager.default.copyItem(atPath: path + suffix, toPath: target)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: target)
        }
        return copy
    }

    private func newPath() throws -> String {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return folder.appendingPathComponent(UUID().uuidString + ".sqlite").path
    }

    /// Runs a closure with an empty temporary database for a configuration, and closes the database.
    static func withOne<T>(like configuration: Configuration, _ body: (DatabaseQueue) throws -> T) throws -> T {
        let databases = TemporaryDatabases()
        defer { withExtendedLifetime(databases) {} }
        let queue = try databases.make(configuration.forCopies)
        defer { try? queue.close() }
        return try body(queue)
    }
}

extension Configuration {
    /// The configuration for temporary copies of databases with this configuration.
    package var forCopies: Configuration {
        var configuration = self
        configuration.readonly = false
        configuration.label = "GRDB.DatabaseMigrator.temporary"
        configuration.journalMode = .default
        // The current thread may run on one of these queues. A database access to the copy would then wait for itself.
        configuration.targetQueue = nil
        configuration.writeTargetQueue = nil
        return configuration
    }
}
