public import AmalgamCore
import Dispatch

/// A connection that sees one state of a database, whatever is written later.
///
/// Get one from ``DatabasePool/makeSnapshot()``. Its accesses run one after the other: a ``DatabaseSnapshotPool``
/// reads in parallel. A snapshot keeps SQLite from reusing the WAL file: release it when it is of no more use.
///
/// Its state is that of a transaction, which stays open. No checkpoint can end it; `ROLLBACK` in an access does. The
/// snapshot throws `SQLITE_ERROR_SNAPSHOT` then, "Snapshot is lost": make another one.
///
/// A snapshot reads on when its pool is closed. Where it is the last connection to the file, the WAL file stays beside the
/// database file: a snapshot only reads. Close snapshots before their pool to have all in one file; else the next pool or
/// queue on the file finds all that was written, and removes the WAL file when it is closed.
///
/// When the database is not in WAL mode, nobody can write while the snapshot is open.
public final class DatabaseSnapshot: DatabaseSnapshotReader {
    private let connection: SerialConnection
    private let versionInWAL: SnapshotVersion?
    private let executor = AccessExecutor(label: "GRDB.DatabaseSnapshot", accessCount: 1)

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
            path: path, label: label, purpose: "snapshot.\(number)", configuration: configuration, isSnapshot: true)
        versionInWAL = try connection.sync { db in
            let version = try db.beginSnapshotTransaction()
            db.holdsSnapshot = true
            return version
        }
    }

    public var taskExecutor: any TaskExecutor { executor }

    public var version: SnapshotVersion {
        get throws {
            guard let versionInWAL else { throw SnapshotVersion.needsWAL }
            return versionInWAL
        }
    }

    public func close() throws { try connection.close() }

    public func interrupt() { connection.interrupter.interrupt() }

    @_disfavoredOverload
    public func read<T>(_ block: (Database) throws -> T) rethrows -> T {
        try connection.sync(block)
    }

    public func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await connection.perform(value)
    }

    public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        connection.async { value(Result(accessTo: $0)) }
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
