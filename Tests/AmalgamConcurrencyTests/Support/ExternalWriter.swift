import Amalgam
import ChildProcesses
import Foundation
import Testing

/// Another process that runs SQL on a database file: see Tests/ExternalWriter.
///
/// Its methods wait on a separate thread.
final class ExternalWriter: Sendable {
    private let process: ChildProcess

    init(_ path: String) throws {
        process = try ChildProcess("amalgam-external-writer", [path])
    }

    /// Runs SQL, and waits until it has ended.
    func execute(_ sql: String) async throws {
        try await onThread { [process] in
            try process.say(sql)
            try Self.check(process.readLine())
        }
    }

    private static func check(_ answer: String?) throws {
        guard answer == "ok" else { throw ChildProcess.Failure(answer ?? "the writer has ended") }
    }

    /// Runs SQL. The process stops itself after each write to a file, and once more when the SQL has ended.
    func executeStopping(_ sql: String) async throws {
        try await onThread { [process] in
            try process.say(".stop")
            try process.say(sql)
            try process.waitForStop()
        }
    }

    /// Continues to the next stop.
    func goOn() async throws {
        try await onThread { [process] in
            process.resume()
            try process.waitForStop()
        }
    }

    /// Continues from the last stop.
    func end() async throws {
        try await onThread { [process] in
            process.resume()
            try Self.check(process.readLine())
        }
    }

    /// Kills the process in any state.
    func kill() async throws {
        try await onThread { [process] in
            process.kill()
            process.wait()
        }
    }
}

/// Runs a closure that blocks on a separate thread.
func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}
