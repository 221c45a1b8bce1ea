public import AmalgamCore
import Dispatch

/// A connection that sees one state of a database, whatever is written later.
///
/// Get one from ``DatabasePool/makeSnapshot()``. Its accesses run one after the other: a ``DatabaseSnapshotPool``
/// reads in parallel. A snapshot keeps SQLite from reusing the WAL file: release it when it is of no more use.
public final class DatabaseSnapshot: DatabaseSnapshotReader {
    private let connection: SerialConnection

    public var path: String { connection.path }

    /// The configuration of the connection.
    public var configuration: Configuration {
        var configuration = connection.configuration
        configuration.maximumReaderCount = 1
        return configuration
    }

    init(path: String, label: String, number: Int, configuration: Configuration) throws {
        var configuration = configuration
        // The transaction that holds the state stays open from one access to the next.
        configuration.allowsUnsafeTransactions = true
        connection = try SerialConnection(
            path: path, label: label, purpose: "snapshot.\(number)", configuration: configuration)
        try connection.sync { db in
            try db.beginSnapshotTransaction()
            db.holdsSnapshot = true
        }
    }

    public func close() throws { try connection.close() }

    public func interrupt() { connection.remote.interrupt() }

    @_disfavoredOverload
    public func read<T>(_ block: (Database) throws -> T) rethrows -> T {
        try connection.sync(block)
    }

    public func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await connection.perform(value)
    }

    public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        connection.async { value($0.accessResult) }
    }

    @_disfavoredOverload
    public func unsafeRead<T>(_ value: (Database) throws -> T) rethrows -> T {
        try connection.sync(value)
    }

    public func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await connection.perform(value)
    }

    public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        asyncRead(value)
    }

    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        try connection.reentrantSync(value)
    }

    public func reentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        try connection.reentrantSync(value)
    }
}
