#if Replication && (os(Linux) || os(macOS))
import Foundation

/// A socket that listens on a port of this machine.
final class Listener: Sendable {
    private let descriptor: CInt
    let port: UInt16

    /// - Parameter port: the port, or 0 for one that is free.
    init(port: UInt16) throws {
        #if os(Linux)
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) | listen(descriptor, 10) | getsockname(descriptor, address, &size)
            }
        }
        self.port = UInt16(bigEndian: address.sin_port)
        if code != 0 { throw CancellationError() }
    }

    deinit { close(descriptor) }
}
#endif
