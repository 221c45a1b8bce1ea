public import AmalgamCore
import Foundation
import Synchronization

/// One run of a test in which at most one point fails: see ``FailingDisk/everyFailure(_:stride:fileID:filePath:line:column:_:)``.
///
/// ```
/// try FailingDisk.everyFailure(.full) { attempt in
///     let dbQueue = try DatabaseQueue(path: attempt.path("db.sqlite"), configuration: attempt.configuration())
///     try dbQueue.write { db in try db.create(table: "note") { t in t.column("text", .text) } }
///     _ = try? attempt.failing { try dbQueue.write { db in try db.execute(sql: "INSERT INTO note VALUES ('a')") } }
///     let problems = try dbQueue.read { db in try db.integrityCheck() }
///     #expect(problems.isEmpty)
/// }
/// ```
public final class FailureAttempt: Sendable {
    /// The disk. It is a new one in each attempt.
    public let disk: FailingDisk

    /// The number of the operation that fails, from 1; 0 for the first attempt, in which none fails.
    public let number: Int

    private let failure: DiskFailure
    private let folder: URL
    private let counts = Mutex(Counts())

    private struct Counts {
        var operations = 0
        var failures = 0
    }

    init(_ failure: DiskFailure, number: Int) throws {
        disk = try FailingDisk()
        self.failure = failure
        self.number = number
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("AmalgamTesting." + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Returns the path of a file in a temporary folder, which is empty when the attempt begins, and removed when the attempt
    /// ends.
    ///
    /// ```swift
    /// let path = attempt.path("db.sqlite")
    /// ```
    public func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Returns a configuration with the disk of this attempt.
    ///
    /// ```swift
    /// let dbPool = try DatabasePool(path: attempt.path("db.sqlite"), configuration: attempt.configuration(config))
    /// ```
    ///
    /// - Parameter configuration: The other settings.
    public func configuration(_ configuration: Configuration = Configuration()) -> Configuration {
        var configuration = configuration
        configuration.disk = disk
        return configuration
    }

    /// Runs a closure in which the disk fails. Outside of such closures, nothing fails.
    ///
    /// ```swift
    /// try attempt.failing { try app.addPlayer(named: "Anna") }
    /// ```
    ///
    /// Operations are counted across all calls in an attempt. Calls aren't nested.
    ///
    /// - Throws: The error of the closure.
    public func failing<T>(_ body: () throws -> T) rethrows -> T {
        begin()
        defer { end() }
        return try body()
    }

    /// Runs a closure in which the disk fails. Outside of such closures, nothing fails.
    ///
    /// ```swift
    /// try await attempt.failing { try await app.addPlayer(named: "Anna") }
    /// ```
    ///
    /// Operations are counted across all calls in an attempt. Calls aren't nested.
    ///
    /// - Throws: The error of the closure.
    public func failing<T>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> sending T
    ) async rethrows -> sending T {
        begin()
        defer { end() }
        return try await body()
    }

    /// Whether an operation has failed in this attempt.
    public var hasFailed: Bool { counts.withLock { $0.failures } > 0 || disk.failureCount > 0 }

    /// The number of operations that could fail.
    var operationCount: Int { counts.withLock { $0.operations } }

    private func begin() {
        let passed = counts.withLock { $0.operations }
        let next = number == 0 ? 0 : failure.persists ? max(1, number - passed) : max(0, number - passed)
        disk.plan(failure, at: next)
    }

    private func end() {
        let (operations, failures) = (disk.operationCount, disk.failureCount)
        disk.endFailures()
        counts.withLock { counts in
            counts.operations += operations
            counts.failures += failures
        }
    }
}
