public import AmalgamCore

/// A type that gives access to a database for reading: a queue, a pool, a snapshot.
///
/// ```swift
/// func playerCount(in reader: some DatabaseReader) throws -> Int {
///     try reader.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")! }
/// }
/// ```
///
/// Methods may be called from any thread and any task. The closures run while no one else uses the connection.
///
/// Adopting this protocol outside of the library is not supported.
public protocol DatabaseReader: AnyObject, Sendable {
    /// The configuration of the connections.
    var configuration: Configuration { get }

    /// The path of the database file, `:memory:`, or a URI.
    var path: String { get }

    /// Closes the connections. Further accesses throw `SQLITE_MISUSE`.
    ///
    /// Closing twice does nothing.
    ///
    /// - throws: `SQLITE_BUSY` when a statement is still in use.
    func close() throws

    /// Stops the statements under way, which throw `SQLITE_INTERRUPT`.
    func interrupt()

    /// Reads, and waits for the result.
    ///
    /// The closure sees one state of the database, whatever is written meanwhile. Writing throws `SQLITE_READONLY`.
    ///
    /// ```swift
    /// let count = try reader.read { db in
    ///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
    /// }
    /// ```
    ///
    /// - throws: the error thrown by the closure; `SQLITE_MISUSE` from inside another access of the same object.
    func read<T>(_ value: (Database) throws -> T) throws -> T

    /// Reads, without blocking a thread.
    ///
    /// ```swift
    /// let count = try await reader.read { db in
    ///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
    /// }
    /// ```
    ///
    /// - throws: the error thrown by the closure; `CancellationError` when the task is cancelled.
    func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T

    /// Schedules a read. The closure receives the connection, or the error that prevents the access.
    func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

    /// Reads outside of a transaction, and waits for the result: two reads of the closure may see different states.
    func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T

    /// Reads outside of a transaction, without blocking a thread.
    func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T

    /// Schedules a read outside of a transaction.
    func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

    /// Reads outside of a transaction, also from inside another access of the same object.
    func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T
}

/// A reader of a database content that does not change.
public protocol DatabaseSnapshotReader: DatabaseReader {
    /// The moment of the database that is read.
    ///
    /// ```swift
    /// let snapshot = try dbPool.makeSnapshot()
    /// try dbPool.currentVersion().order(relativeTo: snapshot.version)     // .newer once something was written
    /// ```
    ///
    /// - throws: `SQLITE_ERROR` when the database is not in WAL mode. A ``DatabaseSnapshotPool`` never throws.
    var version: SnapshotVersion { get throws }

    /// Reads, also from inside another access of the same object.
    func reentrantRead<T>(_ value: (Database) throws -> T) throws -> T
}

extension DatabaseSnapshotReader {
    /// Reads. The content does not change: there is nothing unsafe.
    public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
        try read(value)
    }

    /// Schedules a read. The content does not change: there is nothing unsafe.
    public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        asyncRead(value)
    }
}
