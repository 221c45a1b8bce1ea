#if Replication && (os(Linux) || os(macOS))
import Amalgam
import Foundation

/// A server that accepts connections, and sends nothing.
final class SilentServer: Sendable {
    private let listener: Listener
    let replica: Replica

    init() throws {
        listener = try Listener(port: 0)
        // Those of a process that the test starts.
        setenv("AWS_ACCESS_KEY_ID", "example", 1)
        setenv("AWS_SECRET_ACCESS_KEY", "example", 1)
        replica = Replica(
            bucket: "bucket", path: "path", region: "us-east-1", endpoint: "http://127.0.0.1:\(listener.port)",
            credentials: ReplicaCredentials(accessKeyID: "example", secretAccessKey: "example"), engine: Tools.engine)
    }
}
#endif
