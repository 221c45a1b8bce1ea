#if Replication && (os(Linux) || os(macOS))
import Amalgam
import Foundation
import Logging
import ServiceLifecycle
import TestSupport
import Testing

/// The programs that scripts/replication/install installs.
enum Tools {
    static let litestream = folder + "/litestream"
    static let weed = folder + "/weed"

    private static let folder: String = {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let folder = package.appendingPathComponent(".build/replication/bin").path
        if !FileManager.default.isExecutableFile(atPath: folder + "/litestream") {
            Issue.record("There is no Litestream. Run scripts/replication/install.")
        }
        return folder
    }()

    static let engine = ReplicationEngine(path: litestream)
}

extension Configuration {
    static var replicated: Configuration {
        var configuration = Configuration()
        configuration.walPolicy = .replicated
        return configuration
    }
}

extension Logger {
    static let silent = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
}

extension Replica {
    /// A replica in a folder.
    init(folder: String) { self.init(url: "file://" + folder, engine: Tools.engine) }
}

/// A service in a group that can be shut down.
final class RunningService: Sendable {
    private let group: ServiceGroup
    private let task: Task<Void, any Error>

    init(_ service: some Service) {
        let group = ServiceGroup(services: [service], logger: .silent)
        self.group = group
        task = Task { try await group.run() }
    }

    /// Shuts the service down gracefully, and waits for its end.
    func stop() async throws {
        await group.triggerGracefulShutdown()
        try await task.value
    }

    /// Waits for the end of the service.
    func wait() async throws { try await task.value }

    deinit { task.cancel() }
}

/// Waits for the end of a service, and returns its error.
func firstError(of services: [RunningService]) async throws -> ReplicationError {
    let errors = Log<ReplicationError>()
    for service in services {
        Task {
            do { try await service.wait() } catch let error as ReplicationError { errors.append(error) }
        }
    }
    try await wait("the end of a service") { errors.count > 0 }
    return errors.elements[0]
}

/// Waits until a condition holds. The limit is that of a test that hangs: the machine may be busy.
func wait(
    _ what: String, within limit: Duration = .seconds(max(300, patience)),
    sourceLocation: SourceLocation = #_sourceLocation,
    until condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while ContinuousClock.now < deadline {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("Not within \(limit): \(what)", sourceLocation: sourceLocation)
    throw CancellationError()
}

/// Expects a `ReplicationError` of a code.
@discardableResult
func expectReplicationError(
    _ code: ReplicationError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async -> ReplicationError? {
    do {
        try await body()
        Issue.record("no error", sourceLocation: sourceLocation)
    } catch let error as ReplicationError {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        return error
    } catch {
        Issue.record("another error: \(error)", sourceLocation: sourceLocation)
    }
    return nil
}
#endif
