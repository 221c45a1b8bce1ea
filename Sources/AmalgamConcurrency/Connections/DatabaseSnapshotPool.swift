public import AmalgamCore
import Dispatch
import Synchronization

/// Connections that see one state of a database, whatever is written later, and read it in parallel.
///
/// ```swift
/// let snapshot = try dbPool.makeSnapshotPool()
/// async let players = snapshot.read { db in try Row.fetchAll(db, sql: "SELECT * FROM player").count }
/// async let teams = snapshot.read { db in try Row.fetchAll(db, sql: "SELECT * FROM team").count }
/// ```
///
/// At most `Configuration.maximumReaderCount` reads run at a time; other reads wait in a queue. Connections are opened when
/// needed, and kept.
///
/// It rests on the snapshots of SQLite (<https://sqlite.org/c3ref/snapshot.html>): the database is in WAL mode. A
/// snapshot keeps SQLite from reusing the WAL file: release it when it is of no more use.
///
/// ### What keeps it
///
/// A transaction stays open for the snapshot, until it is closed. No checkpoint of any process can overwrite its state
/// meanwhile, and connections that are opened later find it, whatever becomes of the WAL file: also when that was empty as
/// the snapshot was made. ``DatabasePool/read(at:_:)`` with the version of the snapshot finds it as well.
///
/// It reads on when the pool that it was taken from is closed. Where it is the last to have the file open, the WAL file
/// stays, as for a ``DatabaseSnapshot``.
///
/// A read that ends the transaction of its connection, with `COMMIT` or `ROLLBACK`, may go on: its next statement begins a
/// transaction that sees the same state.
public final class DatabaseSnapshotPool: DatabaseSnapshotReader {
    public let configuration: Configuration
    public let path: String
    public let version: SnapshotVersion

    private let pinned: PinnedConnection
    private let readers: ReaderPool
    private let executor: AccessExecutor

    /// Takes the state that a connection sees.
    ///
    /// ```swift
    /// let snapshot = try dbPool.read { db in try DatabaseSnapshotPool(db) }
    /// ```
    ///
    /// Inside a transaction, it is the state of the transaction, whatever others have written since.
    ///
    /// - Parameter configuration: that of the connection when nil.
    /// - throws: `SQLITE_ERROR` when the database is not in WAL mode, when its WAL file is missing or empty, and from
    ///   inside a write transaction; `SQLITE_BUSY` when a checkpoint runs for longer than the connection waits.
    public convenience init(_ db: Database, configuration: Configuration? = nil) throws {
        let configuration = configuration ?? db.configuration
        let path = db.path
        self.init(
            try Self.inTransaction(db) {
                // While this transaction is open, no checkpoint can overwrite the snapshot that is about to be pinned.
                let version = try db.snapshotVersion()
                return try Self.pin(
                    path: path, configuration, version: version, db.seesFileOnly ? .inFile : .held)
            },
            path: path, configuration: configuration, activity: configuration.ownReads ?? ReadActivity())
    }

    /// Takes the last committed state of a database file.
    ///
    /// - throws: `SQLITE_ERROR` when the database is not in WAL mode, or when its WAL file is missing or empty.
    public convenience init(path: String, configuration: Configuration = Configuration()) throws {
        try self.init(path: path, configuration: configuration, activity: ReadActivity())
    }

    convenience init(path: String, configuration: Configuration, activity: ReadActivity) throws {
        self.init(
            try Self.pin(path: path, configuration, version: nil), path: path, configuration: configuration,
            activity: activity)
    }

    private init(_ pinned: PinnedConnection, path: String, configuration: Configuration, activity: ReadActivity) {
        let version = pinned.version
        let opening: SnapshotVersion.Opening = pinned.seesFileOnly ? .inFile : .held
        self.pinned = pinned
        self.version = version
        self.path = path
        self.configuration = configuration.forReading
        let reading = configuration.forReading
        let label = configuration.label ?? "GRDB.DatabasePool"
        let counter = Counter()
        let capacity = max(1, configuration.maximumReaderCount)
        executor = AccessExecutor(label: label + ".snapshot", accessCount: capacity)
        readers = ReaderPool(
            capacity: capacity, activity: activity, hasTarget: configuration.targetQueue != nil,
            makeQueue: reading.makeReadQueue(label + ".snapshot")
        ) {
            let db = try Database(
                path: path, description: "\(label).snapshot.\(counter.next())", configuration: reading)
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

    /// The connection whose open transaction protects the state from checkpoints. It runs no reads.
    private struct PinnedConnection {
        let connection: SerialConnection
        let version: SnapshotVersion

        /// Whether the state is all in the database file. While the transaction is open it stays there, but writers
        /// may restart the WAL file: SQLite would then report the version as gone.
        let seesFileOnly: Bool

        /// Marks the version as pinned in the file, for the readers of other pools.
        let snapshot: PinnedSnapshot?
    }

    /// - Parameters:
    ///   - version: the version to pin; the last commit when nil.
    ///   - opening: how it is opened.
    private static func pin(
        path: String, _ configuration: Configuration, version: SnapshotVersion?,
        _ opening: SnapshotVersion.Opening = .held
    ) throws -> PinnedConnection {
        if let version, !version.isKnown { throw SnapshotVersion.needsCommit }
        var configuration = configuration.forReading
        configuration.allowsUnsafeTransactions = true
        let connection = try SerialConnection(
            path: path, label: "GRDB.DatabasePool", purpose: "snapshot.0", configuration: configuration,
            isSnapshot: true)
        return try connection.sync { db in
            let version = try openTransaction(db, at: version, opening)
            let seesFileOnly = db.seesFileOnly
            return PinnedConnection(
                connection: connection, version: version, seesFileOnly: seesFileOnly,
                snapshot: seesFileOnly ? PinnedSnapshot(version) : nil)
        }
    }

    /// Opens a transaction that holds a version: the given one, or the last commit.
    ///
    /// A transaction that begins with the version holds the frames of the WAL file. A query reads the database file only, if
    /// it contains all frames already, and then writers may overwrite the WAL file from its beginning.
    private static func openTransaction(
        _ db: Database, at version: SnapshotVersion?, _ opening: SnapshotVersion.Opening
    ) throws -> SnapshotVersion {
        if let version {
            try db.beginTransaction(at: version, opening)
        } else {
            try db.beginTransaction(.deferred)
        }
        // Writers may have started at the beginning of the WAL file again, with the same content: the held version counts.
        let version = try db.snapshotVersion()
        guard version.isKnown else { throw SnapshotVersion.needsCommit }
        return version
    }

    /// Runs a closure in a transaction that holds one state of the database: the current one, or a new one.
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

    /// Closes the connections, once the reads under way have ended.
    ///
    /// A read of the snapshot that waits for a write of its pool must not be awaited from inside this write.
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
        return try readers.sync(value)
    }

    public func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await readers.perform(value)
    }

    public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        readers.async { [self] result in
            withExtendedLifetime(self) { value(result) }
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
        return try readers.sync(value)
    }
}
