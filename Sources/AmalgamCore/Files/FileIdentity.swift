#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif

/// The identity of a file, which stays the same when the file is renamed. If another file takes the path of this file,
/// the identity at the path differs.
package struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    private let number: UInt64

    init(device: UInt64, number: UInt64) {
        self.device = device
        self.number = number
    }

    /// Asks for the identity of the file at a path.
    ///
    /// - Returns: Nil if no file is at the path.
    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(
            device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino))
    }
}
