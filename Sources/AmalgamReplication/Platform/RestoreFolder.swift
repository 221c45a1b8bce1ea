#if Replication && (os(Linux) || os(macOS))
import Foundation

/// A temporary folder next to a database, to which the database is restored.
///
/// The process locks its folder. The next restore of the database removes those of processes that have ended.
final class RestoreFolder: Sendable {
    private let folder: String
    private let lock: FileLock

    /// The path of the file.
    var path: String { folder + "/db.sqlite" }

    init(for database: URL) throws {
        let parent = database.deletingLastPathComponent()
        let prefix = ".\(database.lastPathComponent)-restore-"
        Self.removeAbandonedFolders(in: parent, prefix)
        // Until it is locked, another process may remove the folder.
        for _ in 0..<10 {
            let path = parent.appendingPathComponent(prefix + UUID().uuidString).path
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            if let lock = FileLock(folder: path), FileManager.default.fileExists(atPath: path) {
                (folder, self.lock) = (path, lock)
                return
            }
            try? FileManager.default.removeItem(atPath: path)
        }
        throw ReplicationError(.engineFailed, "A temporary folder in \(parent.path) can't be locked.")
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    private static func removeAbandonedFolders(in parent: URL, _ prefix: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        for name in names where name.hasPrefix(prefix) && UUID(uuidString: String(name.dropFirst(prefix.count))) != nil
        {
            let path = parent.appendingPathComponent(name).path
            guard let lock = FileLock(folder: path) else { continue }
            withExtendedLifetime(lock) { try? FileManager.default.removeItem(atPath: path) }
        }
    }
}
#endif
