#if Replication && (os(Linux) || os(macOS))
import Foundation
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// A running Litestream process, as its supervisor sees it.
struct EngineProcess: Sendable {
    /// A line of the log that Litestream writes to its standard error.
    struct LogLine: Decodable, Sendable {
        let level: String?
        let msg: String?
        let path: String?
        let db: String?
        let error: String?
        let replicaTransaction: String?

        private enum CodingKeys: String, CodingKey {
            case level, msg, path, db, error
            case replicaTransaction = "replica_txid"
        }

        var isError: Bool { level == "ERROR" || level == "WARN" }

        /// The message and the error.
        var text: String { [msg, error].compactMap(\.self).joined(separator: ": ") }

        init(text: String) {
            (level, msg, path, db, error, replicaTransaction) = ("INFO", text, nil, nil, nil, nil)
        }

        static func parse(_ line: String) -> LogLine {
            (try? JSONDecoder().decode(LogLine.self, from: Data(line.utf8))) ?? LogLine(text: line)
        }
    }

    let program: String
    let arguments: [String]
    let environment: [String: String]
    /// The time in which the process ends by itself after `SIGTERM`.
    let terminationTime: Duration
    /// Whether only this user can read the files that the process creates.
    var isPrivate = false

    /// Runs the process until it ends. If the task is cancelled, the process receives `SIGTERM`, and `SIGKILL` after
    /// the termination time. If this process ends, it receives `SIGTERM`.
    ///
    /// - Parameter body: reads the log. The process is killed if it throws an error.
    func run(_ body: (Running) async throws -> Void) async throws -> TerminationStatus {
        var options = PlatformOptions.ownGroup
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: terminationTime)]
        let lifeline = try Lifeline()
        defer { lifeline.processDidEnd() }
        return try await Subprocess.run(
            .path("/bin/sh"),
            arguments: Arguments(["-c", isPrivate ? Lifeline.privateScript : Lifeline.script, program] + arguments),
            environment: .with(environment), platformOptions: options, input: .none,
            output: .fileDescriptor(FileDescriptor(rawValue: lifeline.engineEnd), closeAfterSpawningProcess: true),
            error: .sequence
        ) { execution in
            try await body(Running(execution: execution))
        }.terminationStatus
    }

    struct Running: Sendable {
        fileprivate let execution: Execution<NoInput, FileDescriptorOutput, SequenceOutput>

        var log: some AsyncSequence<String, any Error> { execution.standardError.strings(bufferingPolicy: .unbounded) }

        /// Ends the process by `SIGTERM`, or by `SIGKILL` after a time, and waits for its end.
        func end(_ time: Duration) async {
            await execution.teardown(using: [.gracefulShutDown(allowedDurationToNextStep: time)])
        }

        /// Ends the process by `SIGKILL`, and waits for its end.
        func kill() async { await execution.teardown(using: []) }
    }
}
#endif
