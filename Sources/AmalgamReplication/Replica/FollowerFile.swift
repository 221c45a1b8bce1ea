#if Replication && (os(Linux) || os(macOS))
import Foundation

/// The names of the files in the folder of a follower.
enum FollowerFile {
    static let prefix = "copy-"
    static let lockName = "lock"

    /// Whether a file is that of a follower, now or after a restart.
    static func isCopy(_ file: URL) -> Bool {
        let lock = file.deletingLastPathComponent().appendingPathComponent(lockName).path
        return file.lastPathComponent.hasPrefix(prefix) && FileManager.default.fileExists(atPath: lock)
    }
}
#endif
