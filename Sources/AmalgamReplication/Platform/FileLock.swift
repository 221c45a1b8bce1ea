#if Replication && (os(Linux) || os(macOS))
import Foundation

/// A lock on a file, which the operating system releases when this process ends by any cause.
final class FileLock: Sendable {
    private let descriptor: CInt

    /// Returns nil if another process, or another object of this process, holds the lock.
    init?(path: String) throws {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor < 0 {
            throw ReplicationError(
                .invalidConfiguration, "\(path) can't be opened: \(String(cString: strerror(errno))).")
        }
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0 { return nil }
    }

    /// Locks a folder. Returns nil if another object holds the lock, or if the folder doesn't exist.
    init?(folder: String) {
        descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor < 0 || flock(descriptor, LOCK_EX | LOCK_NB) != 0 { return nil }
    }

    deinit { close(descriptor) }
}
#endif
