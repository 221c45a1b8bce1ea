import Foundation

/// A file that a copy of a database is written to. It has the permissions of the database, so that users who can't read
/// the database can't read the copy.
struct NewFile {
    private let path: String

    /// Creates an empty file. SQLite itself creates files that all users can read.
    ///
    /// - Parameter database: the path of the database file.
    /// - Returns: nil if there is a file at the path, or if the system doesn't let it be created. SQLite then reports the
    ///   error.
    init?(_ path: String, like database: String) {
        guard !path.isEmpty, path != ":memory:",
            let attributes = try? FileManager.default.attributesOfItem(atPath: database),
            let permissions = (attributes[.posixPermissions] as? NSNumber)?.uint32Value
        else { return nil }
        // No connection has the file, which is new: closing the descriptor releases no lock of SQLite.
        let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode_t(permissions & 0o777))
        guard descriptor >= 0 else { return nil }
        close(descriptor)
        self.path = path
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
