public import AmalgamCore
import Dispatch

/// A single connection to a database, which serializes reads and writes.
///
/// ```swift
/// let dbQueue = try DatabaseQueue(path: "/path/to/db.sqlite")
///
/// try dbQueue.write { db in
///     try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
/// }
/// let names = try dbQueue.read { db in
///     try String.fetchAll(db, sql: "SELECT name FROM player")
/// }
/// ```
///
/// Open one queue for a database file, and retain the queue for as long as the application uses the file. A
/// ``DatabasePool`` has the same methods, reads and writes concurrently, and needs more memory.
///
/// The connection is closed when the queue is deallocated.
public final class DatabaseQueue: DatabaseWriter {
    let connection: SerialConnection
    private let executor = AccessExecutor(label: "GRDB.DatabaseQueue", accessCount: 1)
    private let memoryReleaser = MemoryReleaser()

    /// Opens a database file, and creates it if it doesn't exist.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.busyMode = .timeout(5)
    /// let dbQueue = try DatabaseQueue(path: "/path/to/db.sqlite", configuration: config)
    /// ```
    ///
    /// - Throws: `SQLITE_CANTOPEN` if the file can't be opened or created, `SQLITE_NOTADB` if it isn't a database;
    ///   errors thrown by the preparation closures of the configuration.
    public init(path: String, configuration: Configuration = Configuration()) throws {
        let label = "GRDB.DatabaseQueue"
        var (writing, checkpointer) = configuration.writing(label: label)
        // Other connections that open the file at the same time lock it for moments, to change its journal mode.
        let opening = ReadActivity()
        opening.begin()
        defer { opening.end() }
        if configuration.journalMode == .wal { writing.ownReads = opening }
        connection = try SerialConnection(path: path, label: label, configuration: writing, checkpointer: checkpointer)
        if configuration.journalMode == .wal && !configuration.readonly {
            try connection.setUp { try $0.activateWAL() }
        }
        try checkpointer.map { checkpointer in
            try connection.setUp { try $0.setUp(checkpointer.policy) }
        }
        manageMemory()
    }

    private func manageMemory() {
        memoryReleaser.start(isWanted: configuration.automaticMemoryManagement) { [weak connection] in
            connection?.async { $0.releaseMemory() }
        }
    }

    /// Opens an in-memory database.
    ///
    /// ```swift
    /// let first = try DatabaseQueue(named: "cache")
    /// let second = try DatabaseQueue(named: "cache")      // the same content
    /// ```
    ///
    /// See <https://sqlite.org/inmemorydb.html>.
    ///
    /// - Parameter name: the name of a database that several connections of the process share. The database is deleted
    ///   when the last of these connections is closed. If nil, the database is private to this queue.
    /// - Throws: errors thrown by the preparation closures of the configuration.
    public init(named name: String? = nil, configuration: Configuration = Configuration()) throws {
        let uri = name.map { "file:\($0.percentEncodedPath)?mode=memory&cache=shared" }
        connection = try SerialConnection(
            path: uri ?? ":memory:", label: "GRDB.DatabaseQueue", configuration: configuration, isURI: uri != nil)
        manageMemory()
    }

    /// Opens a private database, and runs a closure that writes its initial content.
    init(path: String, configuration: Configuration, content: (Database) throws -> Void) throws {
        connection = try withoutActuallyEscaping(content) { content in
            try SerialConnection(
                path: path, label: "GRDB.DatabaseQueue", configuration: configuration, content: content)
        }
        manageMemory()
    }

    /// The configuration of the connection.
    public var configuration: Configuration {
        var configuration = connection.configuration
        configuration.maximumReaderCount = 1
        return configuration
    }

    public var path: String { connection.path }

    public var taskExecutor: any TaskExecutor { executor }

    // MARK: Life

    public func close() throws {
        try connection.close()
        memoryReleaser.stop()
    }

    public func interrupt() { connection.interrupter.interrupt() }

    /// Prevents the database from locking its file until ``resume()``. Call this method before the system suspends the
    /// process, or before another process copies or takes over the file.
    ///
    /// ```swift
    /// dbQueue.suspend()
    /// do {
    ///     try dbQueue.write { db in try db.execute(sql: "DELETE FROM player") }
    /// } catch DatabaseError.SQLITE_ABORT, DatabaseError.SQLITE_INTERRUPT {
    ///     // SQLite error 4: Database is suspended - while executing `BEGIN IMMEDIATE TRANSACTION`
    /// }
    /// dbQueue.resume()
    /// ```
    ///
    /// Running statements are interrupted, as by ``interrupt()``: they throw `SQLITE_INTERRUPT`. An interrupted
    /// statement that writes rolls back its transaction. Until ``resume()``, the following statements throw
    /// `SQLITE_ABORT` with the message "Database is suspended":
    ///
    /// - in WAL mode: statements that write, `BEGIN IMMEDIATE` and `BEGIN EXCLUSIVE`. Statements that read still run if
    ///   all attached databases are in WAL mode, too;
    /// - in the other journal modes, and in an in-memory database: all statements.
    ///
    /// `COMMIT`, `ROLLBACK`, `RELEASE` and `ROLLBACK TO` are always allowed. A statement that is refused inside a
    /// transaction rolls the transaction back, which releases the lock of the transaction. If the closure of `write`
    /// catches the error of the statement, `write` throws `SQLITE_ABORT` with the message "Transaction was aborted". An
    /// open transaction that runs no further statement holds its lock until its end.
    ///
    /// During a suspension, a statement that waits or would wait for a lock, even `COMMIT`, throws "Database is
    /// suspended". Opening a blob, looking up the schema, copying the database and creating changesets count as reads.
    /// Writing to a blob, receiving a backup, checkpoints, applying changesets, `export(to:passphrase:)` and `erase()` count as
    /// writes. A blob
    /// that is already open can still be read, and a cursor that is open but hasn't fetched its first row can still be
    /// iterated. The closures of queued accesses still run, and receive these errors.
    ///
    /// The library defers its own work until ``resume()``: the checkpoints of a `Configuration.walPolicy`, and the
    /// checks for ``externalChanges()``. An automatic checkpoint of SQLite that is due runs at the end of the first
    /// commit after ``resume()``.
    ///
    /// This method returns immediately. It may be called from any thread, and repeatedly. It has no effect on a closed
    /// database.
    public func suspend() { connection.suspend() }

    /// Ends the suspension that ``suspend()`` started. All statements are allowed again. May be called from any thread.
    ///
    /// ```swift
    /// dbQueue.suspend()
    /// defer { dbQueue.resume() }
    /// ```
    public func resume() { connection.resume() }

    /// Waits for the running accesses, and frees as much memory of the connection as possible.
    public func releaseMemory() {
        connection.reentrantSync { $0.releaseMemory() }
    }

    // MARK: Reading

    public func read<T>(_ value: (Database) throws -> T) throws -> T {
        try connection.throwingSync { try $0.isolatedRead(value) }
    }

    public func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await connection.perform { try $0.isolatedRead(value) }
    }

    public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        connection.async { Result(accessTo: $0).isolatedRead(value) }
    }

    /// Runs a closure outside of a transaction, and waits for its result. The closure may write.
    ///
    /// ```swift
    /// let plan = try dbQueue.unsafeRead { db in
    ///     try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN SELECT * FROM player")
    /// }
    /// ```
    ///
    /// - Throws: the error thrown by the closure.
    /// - Precondition: not called from inside another database access of the queue. The closure leaves no transaction
    ///   open, unless `Configuration.allowsUnsafeTransactions` is true.
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

    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) rethrows -> T {
        try connection.reentrantSync(value)
    }

    public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        require(connection.isCurrent, "spawnConcurrentRead must be called from a write access")
        connection.reentrantSync { db in
            require(!db.isInsideTransaction, "must not be called from inside a transaction.")
            Result(accessTo: db).isolatedRead(value)
        }
    }

    // MARK: Writing

    /// Runs a closure outside of a transaction, and waits for its result.
    ///
    /// ```swift
    /// try dbQueue.inDatabase { db in
    ///     try db.execute(sql: "PRAGMA optimize")
    /// }
    /// ```
    ///
    /// - Throws: the error thrown by the closure.
    /// - Precondition: not called from inside another database access of the queue. The closure leaves no transaction
    ///   open, unless `Configuration.allowsUnsafeTransactions` is true.
    public func inDatabase<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try connection.sync(updates)
    }

    /// Runs a closure in a transaction. The closure decides whether the transaction is committed or rolled back.
    ///
    /// ```swift
    /// try dbQueue.inTransaction { db in
    ///     try db.execute(sql: "DELETE FROM player WHERE score = 0")
    ///     return db.changesCount < 100 ? .commit : .rollback
    /// }
    /// // BEGIN IMMEDIATE TRANSACTION, DELETE …, COMMIT TRANSACTION (or ROLLBACK TRANSACTION)
    /// ```
    ///
    /// - Parameter kind: the kind of the transaction. If nil, the transaction is immediate.
    /// - Throws: the error thrown by `updates`, after its changes were rolled back; an error of the commit;
    ///   `SQLITE_MISUSE` from inside another database access of the queue, and if the queue is closed.
    public func inTransaction(
        _ kind: Database.TransactionKind? = nil, _ updates: (Database) throws -> Database.TransactionCompletion
    ) throws {
        try connection.throwingSync { db in
            try db.inTransaction(kind) { try updates(db) }
        }
    }

    public func write<T>(_ updates: (Database) throws -> T) throws -> T {
        try connection.throwingSync { try $0.write(updates) }
    }

    public func write<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T {
        try await writeWithoutTransaction { db in try db.write(updates) }
    }

    public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try connection.sync(updates)
    }

    public func writeWithoutTransaction<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T {
        try await connection.perform(updates)
    }

    public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        try connection.throwingSync(updates)
    }

    public func barrierWriteWithoutTransaction<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await connection.perform(updates)
    }

    public func asyncBarrierWriteWithoutTransaction(
        _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        connection.async { updates(Result(accessTo: $0)) }
    }

    public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
        connection.async(updates)
    }

    public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try connection.reentrantSync(updates)
    }

    // MARK: Changes

    public func externalChanges() async throws -> ExternalChanges { try await connection.externalChanges() }
}

extension String {
    /// The string with all bytes escaped except ASCII letters, digits and `-._~`.
    fileprivate var percentEncodedPath: String {
        utf8.map { byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte)
            let hexadecimal = String(byte, radix: 16, uppercase: true)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + hexadecimal
        }.joined()
    }
}
