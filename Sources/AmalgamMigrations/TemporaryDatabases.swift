import AmalgamConcurrency
import AmalgamCore
import Foundation

/// Creates temporary databases, on which migrations run without changing the application's database. The files are
/// removed when this object is released.
///
/// The databases aren't in memory, because a closure that the application has passed to `Configuration.prepareDatabase`
/// may require a file, for example to set `SQLITE_FCNTL_PERSIST_WAL`. The files aren't synced to disk.
final class TemporaryDatabases {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "GRDB.DatabaseMigrator." + UUID().uuidString)

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Creates an empty database.
    ///
    /// - Throws: an error if the file can't be created, or an error of a closure passed to
    ///   `Configuration.prepareDatabase`.
    func make(_ configuration: Configuration) throws -> DatabaseQueue {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appendingPathComponent(UUID().uuidString + ".sqlite").path
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY")
        }
        return queue
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
    var forCopies: Configuration {
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
