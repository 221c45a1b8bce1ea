#if Replication && (os(Linux) || os(macOS))
import Foundation

/// A temporary folder that only this user can read, for the engine's configuration and control socket.
final class PrivateFolder: Sendable {
    static let socketName = "control"
    private static let prefix = "amalgam-replication-"

    let path: String
    var socket: ControlSocket { ControlSocket(path: path + "/" + Self.socketName) }

    init() throws {
        var template = Array((NSTemporaryDirectory() + "/" + Self.prefix + "XXXXXX").utf8CString)
        guard let name = mkdtemp(&template) else {
            throw ReplicationError(.engineFailed, "No temporary folder: \(String(cString: strerror(errno))).")
        }
        path = URL(fileURLWithPath: String(cString: name)).standardizedFileURL.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    static func isName(_ path: String) -> Bool { URL(fileURLWithPath: path).lastPathComponent.hasPrefix(prefix) }
}
#endif
