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
            try FileManager.default.createPrivateDirectory(atPath: path)
            if let lock = FileLock(folder: path), FileManager.default.fileExists(atPath: path) {
                (folder, self.lock) = (path, lock)
                return
            }
            try? FileManager.default.removeItem(atPath: path)
        }
        throw ReplicationError(.engineFailed, "A temporary folder in \(parent.path) can't be locked.")
    }

    /// Renames the file, unless there is a file at the path.
    ///
    /// - Throws: ``ReplicationError`` with the code `fileExists`; an error of the system.
    func move(to path: String) throws {
        // Unlike a renaming, a link fails if there is a file now. Some file systems have no links.
        if link(self.path, path) == 0 { return }
        if errno != EEXIST && !FileManager.default.fileExists(atPath: path) {
            return try FileManager.default.moveItem(atPath: self.path, toPath: path)
        }
        throw ReplicationError(
            .fileExists, "There is a file at \(path). Move it away, or restore to another path.")
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

extension FileManager {
    /// Creates a folder that only this user can read, and its parents. A folder that exists stays as it is.
    func createPrivateDirectory(atPath path: String) throws {
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent()
        try createDirectory(at: parent, withIntermediateDirectories: true)
        var isFolder: ObjCBool = false
        if fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue { return }
        try createDirectory(atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
}
#endif
