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
/// At most `Configuration.maximumReaderCount` reads run at a time; others wait in line. Connections are opened when
/// needed, and kept.
///
/// It rests on the snapshots of SQLite (<https://sqlite.org/c3ref/snapshot.html>): the database is in WAL mode. A
/// snapshot keeps SQLite from reusing the WAL file: release it when it is of no more use.
///
/// ### When it is lost
///
/// A transaction stays open for the snapshot, and keeps checkpoints from overwriting its state. It cannot when the WAL
/// file was empty as the snapshot was made, and was emptied by another connection than the one that writes to it next
/// (another process that runs `PRAGMA wal_checkpoint(TRUNCATE)`). A connection that is opened later finds the state
/// gone, then, and the read throws `SQLITE_ERROR_SNAPSHOT`, "Snapshot is lost". All else goes on working. Make another
/// snapshot, and do all reads again that belong together:
///
/// ```swift
/// var snapshot = try dbPool.makeSnapshotPool()
/// do {
///     try show(snapshot)
/// } catch DatabaseError.SQLITE_ERROR_SNAPSHOT {
///     snapshot = try dbPool.makeSnapshotPool()
///     try show(snapshot)
/// }
/// ```
public final class DatabaseSnapshotPool: DatabaseSnapshotReader {
    public let configuration: Configuration
    public let path: String
    public let version: SnapshotVersion

    /// Its open transaction protects the state from checkpoints.
    private let holder: SerialConnection
    private let readers: ReaderPool

    /// Takes the state that a connection sees.
    ///
    /// ```swift
    /// let snapshot = try dbPool.read { db in try DatabaseSnapshotPool(db) }
    /// ```
    ///
    /// Inside a transaction, do it before the first query: the transaction keeps the state for others then, as
    /// ``Database/snapshotVersion()`` tells. Later, the state may be lost already.
    ///
    /// - Parameter configuration: that of the connection when nil.
    /// - throws: `SQLITE_ERROR` when the database is not in WAL mode, when its WAL file is missing or empty, and from
    ///   inside a write transaction; `SQLITE_ERROR_SNAPSHOT` when others have written, and the state that
    ///   the connection sees cannot be opened by another one any more.
    public convenience init(_ db: Database, configuration: Configuration? = nil) throws {
        let configuration = configuration ?? db.configuration
        let path = db.path
        self.init(
            try db.withSnapshotTransaction {
                // While this transaction is open, no checkpoint can overwrite what the holder is about to open.
                try Self.makeHolder(path: path, configuration, version: db.snapshotVersion())
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
            try Self.makeHolder(path: path, configuration, version: nil), path: path, configuration: configuration,
            activity: activity)
    }

    private init(
        _ held: (SerialConnection, SnapshotVersion), path: String, configuration: Configuration, activity: ReadActivity
    ) {
        let version = held.1
        self.holder = held.0
        self.version = version
        self.path = path
        self.configuration = configuration.forReading
        let reading = configuration.forReading
        let label = configuration.label ?? "GRDB.DatabasePool"
        let counter = Counter()
        readers = ReaderPool(
            capacity: max(1, configuration.maximumReaderCount), activity: activity,
            makeQueue: reading.makeReadQueue(label + ".snapshot")
        ) {
            let db = try Database(
                path: path, description: "\(label).snapshot.\(counter.next())", configuration: reading)
            do {
                try db.beginTransaction(at: version)
                db.holdsSnapshot = true
                return db
            } catch {
                db.close()
                throw error
            }
        }
    }

    /// - Parameter version: the one to hold; the last commit when nil.
    private static func makeHolder(
        path: String, _ configuration: Configuration, version: SnapshotVersion?
    ) throws -> (SerialConnection, SnapshotVersion) {
        if let version, !version.isKnown { throw SnapshotVersion.needsCommit }
        var configuration = configuration.forReading
        configuration.allowsUnsafeTransactions = true
        let holder = try SerialConnection(
            path: path, label: "GRDB.DatabasePool", purpose: "snapshot.0", configuration: configuration,
            isSnapshot: true)
        return (holder, try holder.sync { try $0.hold(version) })
    }

    deinit { try? readers.close() }

    public func close() throws {
        if readers.currentReader() != nil { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: reentrancy) }
        let result = Result { try readers.close() }
        try holder.close()
        try result.get()
    }

    public func interrupt() { readers.interrupt() }

    public func read<T>(_ value: (Database) throws -> T) throws -> T {
        if readers.currentReader() != nil {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: reentrancy)
        }
        return try readers.sync(value)
    }

    public func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await withCancellableAccess { cancellation in
            try await readers.perform { try cancellation.run($0, value) }
        }
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

extension Database {
    /// Opens a transaction that holds a version: the given one, or the last commit.
    ///
    /// A transaction that begins with the version holds it as it is. A query would see the database file only, when all
    /// of the WAL is in it already, and that does not keep writers from beginning the WAL anew.
    fileprivate func hold(_ version: SnapshotVersion?) throws -> SnapshotVersion {
        if let version { try beginTransaction(at: version) } else { try beginTransaction(.deferred) }
        // The WAL file may have been begun anew since, with the same content: what counts is what is held.
        let version = try snapshotVersion()
        guard version.isKnown else { throw SnapshotVersion.needsCommit }
        return version
    }

    /// Runs a closure in a transaction that holds one state of the database: the current one, or a new one.
    fileprivate func withSnapshotTransaction<T>(_ body: () throws -> T) throws -> T {
        if isInsideTransaction { return try body() }
        try beginTransaction(.deferred)
        defer { try? rollback() }
        return try body()
    }
}
