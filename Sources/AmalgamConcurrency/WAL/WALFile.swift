import Foundation

/// The WAL file of a database file.
enum WALFile {
    /// Whether there is a WAL file. A connection that is opened afterwards creates a missing one with its first read.
    ///
    /// - Parameter path: the path of the database file. SQLite resolves its symbolic links, and so does this function.
    static func exists(forDatabaseAt path: String) -> Bool {
        // SQLite removes the WAL file of a missing or empty database file.
        guard let file = realpath(path, nil) else { return false }
        defer { free(file) }
        return FileManager.default.fileExists(atPath: String(cString: file) + "-wal")
    }
}
