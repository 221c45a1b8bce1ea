public import AmalgamCore
import Dispatch

/// One connection to a database, used by one access at a time.
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
/// Open one queue for a file, and keep it. A ``DatabasePool`` reads and writes at the same time; a queue does not, and
/// takes less memory. Both have the same methods.
///
/// The connection is closed when the queue is released.
public final class DatabaseQueue: DatabaseWriter {
    let connection: SerialConnection
    private let executor = AccessExecutor(label: "GRDB.DatabaseQueue", accessCount: 1)
    private let memoryReleaser = MemoryReleaser()

    /// Opens a database file, which is created when it is missing.
    ///
    /// - throws: `SQLITE_CANTOPEN` when the file cannot be opened or created, `SQLITE_NOTADB` when it is no database;
    ///   errors thrown by the preparation closures of the configuration.
    public init(path: String, configuration: Configuration = Configuration()) throws {
        let label = "GRDB.DatabaseQueue"
        let (writing, checkpointer) = configuration.writing(label: label)
        connection = try SerialConnection(path: path, label: label, configuration: writing, checkpointer: checkpointer)
        if configuration.journalMode == .wal && !configuration.readonly {
            try connection.setUp { try $0.activateWAL() }
        }
        try checkpointer.map { checkpointer in
            try connection.setUp { try $0.limitWALFile(to: checkpointer.policy.maximumSize) }
        }
        manageMemory()
    }

    private func manageMemory() {
        memoryReleaser.start(isWanted: configuration.automaticMemoryManagement) { [weak connection] in
            connection?.async { $0.releaseMemory() }
        }
    }

    /// Opens a database in memory.
    ///
    /// ```swift
    /// let first = try DatabaseQueue(named: "cache")
    /// let second = try DatabaseQueue(named: "cache")      // the same content
    /// ```
    ///
    /// See <https://sqlite.org/inmemorydb.html>.
    ///
    /// - Parameter name: databases of the same name share their content, which goes when the last of them is closed or
    ///   released. With nil, the database is private.
    /// - throws: errors thrown by the preparation closures of the configuration.
    public init(named name: String? = nil, configuration: Configuration = Configuration()) throws {
        let uri = name.map { "file:\($0.percentEncodedPath)?mode=memory&cache=shared" }
        connection = try SerialConnection(
            path: uri ?? ":memory:", label: "GRDB.DatabaseQueue", configuration: configuration, isURI: uri != nil)
        manageMemory()
    }

    /// Opens a database of its own, and gives it its first content.
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

    /// Keeps the database from locking its file, until ``resume()``: before the process is suspended, or the file is
    /// copied or taken over by somebody else.
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
    /// Statements under way are stopped, as by ``interrupt()``: they throw `SQLITE_INTERRUPT`. One that writes is
    /// undone, together with its transaction. From then on, these statements throw `SQLITE_ABORT` with the message
    /// "Database is suspended":
    ///
    /// - in WAL mode: those that write, and `BEGIN IMMEDIATE` and `BEGIN EXCLUSIVE`; reading goes on, when all attached
    ///   files are in WAL mode, too;
    /// - in the other modes, and in memory: all of them.
    ///
    /// `COMMIT`, `ROLLBACK`, `RELEASE` and `ROLLBACK TO` are always allowed. A statement that is refused inside a
    /// transaction rolls it back, and the lock of the transaction is given up: `write` throws `SQLITE_ABORT` with the
    /// message "Transaction was aborted" when its closure has swallowed the error. A transaction in which nothing more
    /// is run keeps its lock until its end.
    ///
    /// Nobody waits for a lock any more: what would have waited, or is waiting, throws "Database is suspended", a
    /// commit as well. Opening a blob, looking the schema up, copying the database and recording differences are reads;
    /// writing to a blob, receiving a backup, checkpoints, changesets that are applied and `erase()` are writes. What is
    /// open already, a blob that is read and a cursor before its first row, may go on. Accesses run as before, those
    /// that were waiting included, and meet these errors. What the library does by itself, the checkpoints of a
    /// `Configuration.walPolicy` and looks for ``externalChanges()``, waits until ``resume()``; the checkpoint that SQLite
    /// runs at the end of a commit comes with the next commit after that.
    ///
    /// It returns at once, and may be called from any thread, and more than once. It does nothing on a closed database.
    public func suspend() { connection.suspend() }

    /// Ends what ``suspend()`` has begun: all statements are allowed again. It may be called from any thread.
    public func resume() { connection.resume() }

    /// Frees as much memory as possible, once the accesses under way have ended.
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

    /// Runs a closure outside of a transaction, and waits for its result. On a queue, it may write.
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
    public func inDatabase<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try connection.sync(updates)
    }

    /// Runs a closure in a transaction, and waits for its end.
    ///
    /// ```swift
    /// try dbQueue.inTransaction { db in
    ///     try db.execute(sql: "DELETE FROM player")
    ///     return .commit
    /// }
    /// ```
    ///
    /// - Parameter kind: immediate when nil.
    /// - throws: the error thrown by `updates`, once its changes are undone; an error of the commit; `SQLITE_MISUSE` from
    ///   inside another access of the queue, and when it is closed.
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
    /// The name with the characters that mean something in a URI, and all that is not ASCII, escaped.
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
