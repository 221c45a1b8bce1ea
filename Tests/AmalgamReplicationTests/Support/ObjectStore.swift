#if Replication && (os(Linux) || os(macOS))
import Amalgam
import Foundation
import Subprocess
import TestSupport
import Testing

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// An S3 server on this machine, which ends with this process.
final class ObjectStore: @unchecked Sendable {
    // Sendable: the properties are set in the initializer.
    static let accessKey = "tests-access-key"
    static let secretKey = "tests-secret-key"

    private let folder = Folder()
    private let input = Pipe()
    private let port: Int
    private let process = Process()
    private let server: Int32

    /// Starts a server, and waits until it answers.
    init() async throws {
        port = Self.freePort()
        let identities = """
            {"identities": [{"name": "tests", "actions": ["Admin", "Read", "Write", "List"],
            "credentials": [{"accessKey": "\(Self.accessKey)", "secretKey": "\(Self.secretKey)"}]}]}
            """
        try Data(identities.utf8).write(to: URL(fileURLWithPath: folder.path("s3.json")))
        let command = """
            "$0" server -ip=127.0.0.1 -ip.bind=127.0.0.1 -dir="$1" -s3 -s3.config="$1/s3.json" -s3.port=\(port) \
            -master.port=\(port + 1) -filer.port=\(port + 2) -volume.port=\(port + 3) -master.volumeSizeLimitMB=64 \
            -volume.max=16 -s3.port.lance=0 -s3.port.iceberg=0 >"$1/log" 2>&1 </dev/null & server=$!; echo $server; read line; kill -9 $server
            """
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command, Tools.weed, folder.url.path]
        process.standardInput = input
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        server = Int32(line.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
        try await createBucket()
    }

    deinit { try? input.fileHandleForWriting.close() }

    /// Returns a port that is free together with the next three. gRPC ports are those of HTTP plus 10,000. They are below
    /// those that the system gives to clients.
    private static func freePort() -> Int {
        while true {
            let port = 10_000 + Int.random(in: 0..<1000) * 10
            if (0..<4).allSatisfy({ isFree(port + $0) && isFree(port + $0 + 10_000) }) { return port }
        }
    }

    private static func isFree(_ port: Int) -> Bool {
        guard let server = try? Listener(port: UInt16(port)) else { return false }
        return withExtendedLifetime(server) { true }
    }

    func replica(_ path: String, secretKey: String = secretKey) -> Replica {
        Replica(
            bucket: "tests", path: path, region: "us-east-1", endpoint: "http://127.0.0.1:\(port)",
            credentials: ReplicaCredentials(accessKeyID: Self.accessKey, secretAccessKey: secretKey),
            engine: Tools.engine)
    }

    /// Stops the server without closing its connections, as when the network fails.
    func stop() { kill(server, SIGSTOP) }

    func resume() { kill(server, SIGCONT) }

    private func createBucket() async throws {
        try await wait("an S3 server") {
            let shell = Task {
                try await Subprocess.run(
                    .path(FilePath(Tools.weed)), arguments: ["shell", "-master=127.0.0.1:\(port + 1)"],
                    input: .string("s3.bucket.create -name tests\n"), output: .discarded, error: .discarded)
            }
            let limit = Task {
                try await Task.sleep(for: .seconds(30))
                shell.cancel()
            }
            _ = await shell.result
            limit.cancel()
            return (try? await replica("probe").transactions()) != nil
        }
    }
}
#endif
