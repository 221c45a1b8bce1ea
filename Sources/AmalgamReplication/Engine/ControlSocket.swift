#if Replication && (os(Linux) || os(macOS))
import Dispatch
import Foundation

/// The control socket of a Litestream process, which answers HTTP requests.
struct ControlSocket: Sendable {
    let path: String

    /// The answer to a request for an upload.
    struct Synced: Decodable {
        /// The last transaction in the local files of the engine.
        let txid: UInt64
        /// The last transaction in the replica.
        let replicated: UInt64

        private enum CodingKeys: String, CodingKey {
            case txid
            case replicated = "replicated_txid"
        }
    }

    /// The answer to a request for the process.
    struct Information: Decodable {
        let pid: Int32
    }

    private struct Failure: Decodable {
        let error: String
    }

    private struct Request: Encodable {
        let path: String
        let wait: Bool
        let timeout: Int
    }

    /// Uploads the transactions that are committed, and waits for the end of the upload.
    ///
    /// - Parameter timeout: in seconds. The engine cancels the upload after this time.
    func sync(_ database: String, timeout: Int) async throws -> Synced {
        try await onThread {
            let body = try JSONEncoder().encode(Request(path: database, wait: true, timeout: timeout))
            return try request("POST /sync", body, timeout: timeout)
        }
    }

    /// Copies the transactions that are committed to local files of the engine, which takes milliseconds, and doesn't
    /// wait for the store. Blocks the thread.
    func readWAL(of database: String) throws -> Synced {
        let body = try JSONEncoder().encode(Request(path: database, wait: false, timeout: 5))
        return try request("POST /sync", body, timeout: 5)
    }

    /// Blocks the thread.
    func information() throws -> Information { try request("GET /info", Data(), timeout: 2) }

    private static let queue = DispatchQueue(label: "Amalgam.replication", attributes: .concurrent)

    private func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            Self.queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }

    /// Sends a request, and blocks the thread until the answer is complete.
    private func request<Answer: Decodable>(_ line: String, _ body: Data, timeout: Int) throws -> Answer {
        let descriptor = try connect(timeout: timeout + 5)
        defer { close(descriptor) }
        let head = "\(line) HTTP/1.1\r\nHost: engine\r\nConnection: close\r\nContent-Length: \(body.count)\r\n\r\n"
        try send(Data(head.utf8) + body, descriptor)
        let answer = try receive(descriptor)
        guard let end = answer.range(of: Data("\r\n\r\n".utf8)) else { throw Self.failure("no answer") }
        let status = String(decoding: answer[..<end.lowerBound], as: UTF8.self).split(separator: " ").dropFirst().first
        let content = answer[end.upperBound...]
        guard status == "200" else {
            let failure = try? JSONDecoder().decode(Failure.self, from: content)
            throw Self.failure(failure?.error ?? String(decoding: content, as: UTF8.self))
        }
        return try JSONDecoder().decode(Answer.self, from: content)
    }

    private static func failure(_ message: String) -> ReplicationError {
        ReplicationError(.engineFailed, "Litestream: \(message)")
    }

    // MARK: System calls

    private func connect(timeout: Int) throws -> CInt {
        #if os(Linux)
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #else
        let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #endif
        Lifeline.preventSignals(of: descriptor)
        var limit = timeval(tv_sec: timeout, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let code = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if code != 0 {
            defer { close(descriptor) }
            throw Self.failure("the process doesn't answer: \(String(cString: strerror(errno)))")
        }
        return descriptor
    }

    private func send(_ data: Data, _ descriptor: CInt) throws {
        try data.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let rest = bytes.baseAddress?.advanced(by: sent)
                let count = Foundation.send(descriptor, rest, bytes.count - sent, Lifeline.flags)
                if count <= 0 { throw Self.failure(String(cString: strerror(errno))) }
                sent += count
            }
        }
    }

    private func receive(_ descriptor: CInt) throws -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count == 0 { return data }
            if count < 0 { throw Self.failure(String(cString: strerror(errno))) }
            data += buffer[..<count]
        }
    }
}
#endif
