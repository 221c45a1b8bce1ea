import AmalgamConcurrency
import AmalgamCore
import Foundation

/// Temporary databases, on which migrations can run without a trace. Their files are removed together with the object.
///
/// A temporary database is a file, as the database that it stands for: what an application prepares for files, such as
/// `SQLITE_FCNTL_PERSIST_WAL`, would fail in memory. Nothing waits for the disk.
final class TemporaryDatabases {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "GRDB.DatabaseMigrator." + UUID().uuidString)

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Makes an empty database.
    ///
    /// - Throws: errors of the file and of the preparation closures.
    func make(_ configuration: Configuration) throws -> DatabaseQueue {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appendingPathComponent(UUID().uuidString + ".sqlite").path
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY")
        }
        return queue
    }

    /// Runs a closure with an empty database that stands for one with a configuration, and closes the database.
    static func withOne<T>(like configuration: Configuration, _ body: (DatabaseQueue) throws -> T) throws -> T {
        let databases = TemporaryDatabases()
        defer { withExtendedLifetime(databases) {} }
        let queue = try databases.make(configuration.forCopies)
        defer { try? queue.close() }
        return try body(queue)
    }
}

extension Configuration {
    /// The configuration of a temporary database that does what those with this one do.
    var forCopies: Configuration {
        var configuration = self
        configuration.readonly = false
        configuration.label = "GRDB.DatabaseMigrator.temporary"
        configuration.journalMode = .default
        // The current thread may have them, and would wait for itself.
        configuration.targetQueue = nil
        configuration.writeTargetQueue = nil
        return configuration
    }
}
