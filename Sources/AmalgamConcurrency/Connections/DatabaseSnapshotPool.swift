public import AmalgamCore
import Dispatch
import Synchronization

/// A pool of read-only connections that see one snapshot of a database, and no later commit.
///
/// ```swift
/// let snapshot = try dbPool.makeSnapshotPool()
/// async let players = snapshot.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")! }
/// async let teams = snapshot.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM team")! }
/// try await print(players, "players in", teams, "teams")
/// ```
///
/// At most `Configuration.maximumReaderCount` reads run concurrently; other reads wait in a queue. Connections are
/// opened on demand, and stay open.
///
/// A snapshot pool requires WAL mode, because it uses SQLite's snapshots (<https://sqlite.org/c3ref/snapshot.html>). A
/// snapshot pool prevents SQLite from reusing the WAL file, so close or release the pool as soon as possible.
///
/// ### Lifetime of the snapshot
///
/// A separate connection holds a read transaction open until the snapshot pool is closed. During this time, no
/// checkpoint of any process can overwrite the snapshot, and new connections of the pool can open the snapshot, even
/// after a writer has restarted the WAL file. `DatabasePool.read(at:_:)` can read at the version of the snapshot,
/// too.
///
/// The first read of each connection opens the snapshot, which needs SQLite's checkpoint lock for a moment. A checkpoint of
/// the modes `full`, `restart` and `truncate` that finds frames after the snapshot holds this lock while it waits for the
/// transaction of the snapshot, which doesn't end. So both wait: until the busy timeout of the checkpoint ends, or
/// until the read throws `SQLITE_BUSY` after its own. Run passive checkpoints while a snapshot pool is open, or checkpoints
/// with a short busy timeout. Those of a ``WALPolicy`` don't wait.
///
/// The snapshot pool remains usable after the ``DatabasePool`` is closed. If a connection of the snapshot pool is the
/// last one to be closed, the WAL file remains, as for a ``DatabaseSnapshot``.
///
/// A closure may end the transaction of its connection with `COMMIT` or `ROLLBACK`. The next statement of the closure
/// starts a new transaction on the same snapshot.
public final class DatabaseSnapshotPool: DatabaseSnapshotReader {
    public let configuration: Configuration
    public let path: String
    public let version: SnapshotVersion

    private let pinned: PinnedConnection

    /// The connection that keeps checkpoints from overwriting the snapshot.
    var pinnedConnection: SerialConnection { pinned.connection }

    private let readers: ReaderPool
    private let executor: AccessExecutor

    /// Creates a pool that sees the snapshot of a connection.
    ///
    /// ```swift
    /// let snapshot = try dbPool.read { db in try DatabaseSnapshotPool(db) }
    /// ```
    ///
    /// If the connection is in a transaction, the pool sees the snapshot of this transaction. Otherwise, the pool sees
    /// the last commit.
    ///
    /// - Parameters:
    ///   - db: the connection whose snapshot is shared.
    ///   - configuration: the configuration of the new connections. If nil, it is that of `db`.
    /// - Throws: `SQLITE_ERROR` if the database isn't in WAL mode, if its WAL file is missing or empty, and from inside
    ///   a write transaction; `SQLITE_BUSY` if a checkpoint runs for longer than the busy timeout of the connection.
    public convenience init(_ db: Database, configuration: Configuration? = nil) throws {
        let configuration = configuration ?? db.configuration
        let (path, file) = (db.path, db.file)
        self.init(
            try Self.inTransaction(db) {
                // While this transaction is open, no checkpoint can overwrite the snapshot that is about to be pinned.
                let version = try db.snapshotVersion()
                return try Self.pin(
                    path: path, file, configuration, version: version, db.seesFileOnly ? .inFile : .held)
            },
            path: path, configuration: configuration, activity: configuration.ownReads ?? ReadActivity())
    }

    /// Creates a pool that sees the last commit of a database file.
    ///
    /// ```swift
    /// let snapshot = try DatabaseSnapshotPool(path: "/path/to/db.sqlite")
    /// ```
    ///
    /// - Throws: `SQLITE_ERROR` if the database isn't in WAL mode, or if its WAL file is missing or empty.
    public convenience init(path: String, configuration: Configuration = Configuration()) throws {
        try self.init(path: path, nil, configuration: configuration, activity: ReadActivity())
    }

    convenience init(path: String, _ file: DatabaseFile?, configuration: Configuration, activity: ReadActivity) throws {
        self.init(
            try Self.pin(path: path, file, configuration, version: nil), path: path, configuration: configuration,
            activity: activity)
    }

    private init(_ pinned: PinnedConnection, path: String, configuration: Configuration, activity: ReadActivity) {
        let version = pinned.version
        let file = pinned.connection.file
        let opening: SnapshotVersion.Opening = pinned.seesFileOnly ? .inFile : .held
        self.pinned = pinned
        self.version = version
        self.path = path
        self.configuration = configuration.forReading
        let reading = configuration.forReading
        let label = configuration.poolLabel
        let counter = Counter()
        let capacity = max(1, configuration.maximumReaderCount)
        executor = AccessExecutor(label: label + ".snapshot", accessCount: capacity)
        readers = ReaderPool(
            capacity: capacity, activity: activity, hasTarget: configuration.targetQueue != nil,
            makeQueue: reading.makeReadQueue(label + ".snapshot")
        ) {
            let db = try Database(
                path: path, description: "\(label).snapshot.\(counter.next())", configuration: reading, file: file)
            do {
                try db.beginTransaction(at: version, opening)
                db.openSnapshot = { try $0.beginTransaction(at: version, opening) }
                db.holdsSnapshot = true
                return db
            } catch {
                db.close()
                throw error
            }
        }
    }

    /// The connection whose open transaction prevents checkpoints from overwriting the snapshot. It runs no reads.
    private struct PinnedConnection {
        let connection: SerialConnection
        let version: SnapshotVersion

        /// Whether the database file contains the whole snapshot. If so, other connections can read the snapshot while
        /// the transaction of `connection` is open, even if `sqlite3_snapshot_open` fails after a restart of the WAL
        /// file.
        let seesFileOnly: Bool

        /// Registers the snapshot as pinned in the database file, for the readers of other pools.
        let snapshot: PinnedSnapshot?
    }

    /// Opens a connection with a read transaction that pins a snapshot: no checkpoint can overwrite the snapshot.
    ///
    /// - Parameters:
    ///   - version: the version to pin. If nil, the version of the last commit is pinned.
    ///   - opening: `inFile` if the database file contains the whole snapshot of the given version; otherwise `held`.
    private static func pin(
        path: String, _ file: DatabaseFile?, _ configuration: Configuration, version: SnapshotVersion?,
        _ opening: SnapshotVersion.Opening = .held
    ) throws -> PinnedConnection {
        if let version, !version.isKnown { throw SnapshotVersion.needsCommit }
        var configuration = configuration.forReading
        configuration.allowsUnsafeTransactions = true
        let connection = try SerialConnection(
            path: path, label: configuration.poolLabel, purpose: "snapshot.0", configuration: configuration, file: file,
            isSnapshot: true)
        return try connection.sync { db in
            let version = try openTransaction(db, at: version, opening)
            let seesFileOnly = db.seesFileOnly
            return PinnedConnection(
                connection: connection, version: version, seesFileOnly: seesFileOnly,
                snapshot: seesFileOnly ? PinnedSnapshot(version) : nil)
        }
    }

    /// Opens a transaction that sees the given version, or the last commit, and returns the version that it sees.
    private static func openTransaction(
        _ db: Database, at version: SnapshotVersion?, _ opening: SnapshotVersion.Opening
    ) throws -> SnapshotVersion {
        if let version {
            try db.beginTransaction(at: version, opening)
        } else {
            try db.beginTransaction(.deferred)
        }
        // If a writer has restarted the WAL file, this version may differ from the parameter `version`. The content of
        // both versions is the same.
        let version = try db.snapshotVersion()
        guard version.isKnown else { throw SnapshotVersion.needsCommit }
        return version
    }

    /// Runs a closure in the current transaction, or in a new read transaction.
    private static func inTransaction<T>(_ db: Database, _ body: () throws -> T) throws -> T {
        if db.isInsideTransaction { return try body() }
        try db.beginTransaction(.deferred)
        defer { try? db.rollback() }
        return try body()
    }

    deinit {
        try? readers.close()
        pinned.snapshot?.end()
    }

    public var taskExecutor: any TaskExecutor { executor }

    /// Closes the connections, after the running reads have ended.
    ///
    /// Inside a write of the original pool, this method deadlocks if a read of the snapshot waits for this write.
    ///
    /// - Throws: `SQLITE_MISUSE` from inside a read of the snapshot; the first error of closing a connection.
    public func close() throws {
        try readers.checkNotReading()
        let result = Result { try readers.close() }
        pinned.snapshot?.end()
        try pinned.connection.close()
        try result.get()
    }

    public func interrupt() { readers.interrupt() }

    public func read<T>(_ value: (Database) throws -> T) throws -> T {
        try readers.checkNotReading()
        return try readers.sync { try $0.readInOpenTransaction(value) }
    }

    public func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await readers.perform { try $0.readInOpenTransaction(value) }
    }

    public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        readers.async { [self] result in
            withExtendedLifetime(self) {
                switch result {
                case .success(let db): db.readInOpenTransaction { value(.success($0)) }
                case .failure: value(result)
                }
            }
        }
    }

    public func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await read(value)
    }

    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        try reentrantRead(value)
    }

    public func reentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        if let db = readers.currentReader() { return try value(db) }
        return try readers.sync { try $0.readInOpenTransaction(value) }
    }
}
