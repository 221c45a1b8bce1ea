#if Replication && (os(Linux) || os(macOS))
import Foundation

/// A temporary folder that only this user can read, for the engine's configuration and control socket.
///
/// The process locks its folder. The next folder of any service removes those of killed processes whose engine has ended.
final class PrivateFolder: Sendable {
    static let socketName = "control"
    private static let prefix = "amalgam-replication-"

    let path: String
    private let lock: FileLock

    var socket: ControlSocket { ControlSocket(path: path + "/" + Self.socketName) }

    init() throws {
        let parent = NSTemporaryDirectory()
        Self.removeAbandonedFolders(in: parent)
        // Until it is locked, another process may remove the folder.
        for _ in 0..<10 {
            var template = Array((parent + "/" + Self.prefix + "XXXXXX").utf8CString)
            guard let name = mkdtemp(&template) else { break }
            let path = URL(fileURLWithPath: String(cString: name)).standardizedFileURL.path
            if let lock = FileLock(folder: path), FileManager.default.fileExists(atPath: path) {
                (self.path, self.lock) = (path, lock)
                return
            }
        }
        throw ReplicationError(.engineFailed, "No temporary folder: \(String(cString: strerror(errno))).")
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Whether a path is that of such a folder, which no other user can have made or changed: the socket in it is that of
    /// an engine of this user.
    static func isOwn(_ path: String) -> Bool {
        var status = stat()
        guard URL(fileURLWithPath: path).lastPathComponent.hasPrefix(prefix), lstat(path, &status) == 0 else {
            return false
        }
        return status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid() && status.st_mode & 0o077 == 0
    }

    private static func removeAbandonedFolders(in parent: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let path = URL(fileURLWithPath: parent).appendingPathComponent(name).path
            guard isOwn(path), let lock = FileLock(folder: path) else { continue }
            // The next service of the same database waits for an engine that still runs.
            if (try? ControlSocket(path: path + "/" + socketName).information()) != nil { continue }
            withExtendedLifetime(lock) { try? FileManager.default.removeItem(atPath: path) }
        }
    }
}
#endif
