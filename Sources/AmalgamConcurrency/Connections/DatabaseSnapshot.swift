public import AmalgamCore
import Dispatch

/// A read-only connection that sees one snapshot of a database, and no later commit.
///
/// ```swift
/// let snapshot = try dbPool.makeSnapshot()
/// let (players, teams) = try snapshot.read { db in
///     try (Row.fetchAll(db, sql: "SELECT * FROM player"), Row.fetchAll(db, sql: "SELECT * FROM team"))
/// }
/// ```
///
/// ``DatabasePool/makeSnapshot()`` makes snapshots. The accesses of a snapshot are serialized; those of a
/// ``DatabaseSnapshotPool`` run in parallel. An open snapshot prevents SQLite from reusing the WAL file, so close or
/// release the snapshot as soon as possible.
///
/// A snapshot is a read transaction that stays open. A checkpoint can't end the transaction, but a `ROLLBACK` in an
/// access does. Later reads then throw `SQLITE_ERROR_SNAPSHOT` with the message "Snapshot is lost", and a new snapshot
/// must be made.
///
/// A snapshot remains usable after its pool is closed. If the snapshot is the last connection to be closed, the WAL
/// file remains next to the database file, because a snapshot can't write. Close all snapshots before their pool, so
/// that all content is in the database file. Otherwise, the next pool or queue that opens the database uses the WAL
/// file, and removes the WAL file when the pool or queue is closed.
///
/// If the database isn't in WAL mode, an open snapshot blocks all writes.
public final class DatabaseSnapshot: DatabaseSnapshotReader {
    let connection: SerialConnection
    private let versionInWAL: SnapshotVersion?
    private let executor = AccessExecutor(label: "GRDB.DatabaseSnapshot", accessCount: 1)

    public var path: String { connection.path }

    /// The configuration of the connection.
    public var configuration: Configuration {
        var configuration = connection.configuration
        configuration.maximumReaderCount = 1
        return configuration
    }

    init(path: String, _ file: DatabaseFile?, label: String, number: Int, configuration: Configuration) throws {
        var configuration = configuration
        // The read transaction that holds the snapshot stays open from one access to the next.
        configuration.allowsUnsafeTransactions = true
        connection = try SerialConnection(
            path: path, label: label, purpose: "snapshot.\(number)", configuration: configuration, file: file,
            isSnapshot: true)
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
        try connection.sync { try $0.readInOpenTransaction(block) }
    }

    public func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await connection.perform { try $0.readInOpenTransaction(value) }
    }

    public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        connection.async { db in db.readInOpenTransaction { value(Result(accessTo: $0)) } }
    }

    @_disfavoredOverload
    public func unsafeRead<T>(_ value: (Database) throws -> T) rethrows -> T {
        try connection.sync(value)
    }

    public func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await connection.perform(value)
    }

    public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        connection.async { value(Result(accessTo: $0)) }
    }

    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        try connection.reentrantSync(value)
    }

    public func reentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        try connection.reentrantSync { try $0.readInOpenTransaction(value) }
    }
}
