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
/// It rests on the snapshots of SQLite (<https://sqlite.org/c3ref/snapshot.html>): the database is in WAL mode. A
/// snapshot keeps SQLite from reusing the WAL file: release it when it is of no more use.
public final class DatabaseSnapshotPool: DatabaseSnapshotReader {
    public let configuration: Configuration
    public let path: String

    /// Its open transaction protects the state from checkpoints.
    private let holder: SerialConnection
    private let readers: ReaderPool

    /// Takes the state that a connection sees.
    ///
    /// ```swift
    /// let snapshot = try dbPool.read { db in try DatabaseSnapshotPool(db) }
    /// ```
    ///
    /// - Parameter configuration: that of the connection when nil.
    /// - throws: `SQLITE_ERROR` when the database is not in WAL mode, when its WAL file is missing or empty, and from
    ///   inside a write transaction.
    public convenience init(_ db: Database, configuration: Configuration? = nil) throws {
        let configuration = configuration ?? db.configuration
        let path = db.path
        self.init(
            try db.withSnapshotTransaction {
                // While this transaction is open, no checkpoint can overwrite what the holder is about to open.
                try Self.makeHolder(path: path, configuration, snapshot: WALSnapshot(db))
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
            try Self.makeHolder(path: path, configuration, snapshot: nil), path: path, configuration: configuration,
            activity: activity)
    }

    private init(
        _ holder: (SerialConnection, WALSnapshot), path: String, configuration: Configuration, activity: ReadActivity
    ) {
        let snapshot = holder.1
        self.holder = holder.0
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
                try snapshot.beginTransaction(db)
                db.holdsSnapshot = true
                return db
            } catch {
                db.close()
                throw error
            }
        }
    }

    private static func makeHolder(
        path: String, _ configuration: Configuration, snapshot: WALSnapshot?
    ) throws -> (SerialConnection, WALSnapshot) {
        var configuration = configuration.forReading
        configuration.allowsUnsafeTransactions = true
        let holder = try SerialConnection(
            path: path, label: "GRDB.DatabasePool", purpose: "snapshot.0", configuration: configuration)
        let held = try holder.sync { db in
            if let snapshot {
                try snapshot.beginTransaction(db)
                return snapshot
            }
            // The snapshot opens the read transaction itself: one opened by a query may see the database file only,
            // when all of the WAL is in it already, and that does not keep writers from starting the WAL again.
            try db.beginTransaction(.deferred)
            return try WALSnapshot(db)
        }
        return (holder, held)
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
    /// Runs a closure in a transaction that holds one state of the database: the current one, or a new one.
    fileprivate func withSnapshotTransaction<T>(_ body: () throws -> T) throws -> T {
        if isInsideTransaction { return try body() }
        try beginTransaction(.deferred)
        defer { try? rollback() }
        return try body()
    }
}
