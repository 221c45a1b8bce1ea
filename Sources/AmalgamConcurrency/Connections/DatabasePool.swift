public import AmalgamCore
import Dispatch
import Foundation
import Synchronization

/// A writing connection to a database, and reading ones beside it.
///
/// ```swift
/// let dbPool = try DatabasePool(path: "/path/to/db.sqlite")
///
/// try dbPool.write { db in
///     try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Anna"])
/// }
/// let count = try dbPool.read { db in
///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
/// }
/// ```
///
/// The database is in WAL mode (<https://sqlite.org/wal.html>): reads run in parallel, and beside a write; each sees
/// one state, which was committed when its first statement ran. Writes run one after the other.
///
/// Open one pool for a file, and keep it. The connections are closed when the pool is released.
public final class DatabasePool: DatabaseWriter {
    let writer: SerialConnection
    let readers: ReaderPool
    private let readActivity: ReadActivity
    private let snapshotCount = Atomic<Int>(0)
    private let executor: AccessExecutor
    private let memoryReleaser = MemoryReleaser()

    public let configuration: Configuration

    public var path: String { writer.path }

    /// Opens a database file, which is created when it is missing, and sets its WAL mode.
    ///
    /// A read-only pool takes the file as it is.
    ///
    /// - throws: `SQLITE_CANTOPEN` when the file cannot be opened or created, `SQLITE_NOTADB` when it is no database;
    ///   an error when its file system does not support the WAL mode; errors thrown by the preparation closures;
    ///   `SQLITE_MISUSE` when `configuration.maximumReaderCount` is less than 1.
    public init(path: String, configuration: Configuration = Configuration()) throws {
        if configuration.maximumReaderCount < 1 {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "configuration.maximumReaderCount must be at least 1")
        }
        readActivity = ReadActivity()
        var (writerConfiguration, checkpointer) = configuration.writing(label: "GRDB.DatabasePool")
        writerConfiguration.ownReads = readActivity
        let writer = try SerialConnection(
            path: path, label: "GRDB.DatabasePool", purpose: "writer", configuration: writerConfiguration,
            checkpointer: checkpointer)
        if !configuration.readonly {
            try writer.setUp { db in
                try db.activateWAL()
                try db.touchWAL()
                try checkpointer.map { try db.limitWALFile(to: $0.policy.maximumSize) }
            }
        }
        self.writer = writer
        self.configuration = configuration
        executor = AccessExecutor(
            label: configuration.label ?? "GRDB.DatabasePool", accessCount: configuration.maximumReaderCount + 1)
        readers = Self.makeReaders(
            path: path, configuration.reading(besides: checkpointer), readActivity)
        memoryReleaser.start(isWanted: configuration.automaticMemoryManagement) { [weak self] in
            self?.releaseMemoryEventually()
        }
    }

    deinit {
        // Accesses retain the pool, scheduled ones too: nobody uses the readers any more.
        try? readers.close()
    }

    private static func makeReaders(
        path: String, _ configuration: Configuration, _ activity: ReadActivity
    ) -> ReaderPool {
        let readerConfiguration = configuration.forReading
        let walReaders = configuration.walReaders
        let label = configuration.label ?? "GRDB.DatabasePool"
        let counter = Counter()
        return ReaderPool(
            capacity: configuration.maximumReaderCount, activity: activity, walReaders: walReaders,
            hasTarget: configuration.targetQueue != nil, makeQueue: configuration.makeReadQueue(label)
        ) {
            try Database(
                path: path, description: "\(label).reader.\(counter.next())", configuration: readerConfiguration)
        }
    }

    public var taskExecutor: any TaskExecutor { executor }

    // MARK: Life

    /// Closes the pool, once the enqueued writes and the reads under way have ended.
    ///
    /// It may be called from inside a write of the pool. The closing then fails while a read waits for this write: each
    /// would wait for the other.
    ///
    /// - Throws: `SQLITE_BUSY` when a statement of the writing connection is still in use: the pool stays open then;
    ///   `SQLITE_MISUSE` from inside a read, and from inside a write that a read under way waits for: the pool stays open,
    ///   too; the first error of closing a reader.
    public func close() throws {
        try readers.checkNotReading()
        if !writer.isCurrent { return try closeConnections() }
        do {
            try readers.writerBarrier { try closeConnections() }
        } catch is ReaderPool.BarrierYielded {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "The pool cannot be closed inside of this write: a read waits for the write to end. "
                    + "Close the pool after the write.")
        }
    }

    private func closeConnections() throws {
        // When the writer cannot be closed, the pool stays as it is.
        try writer.prepareToClose()
        // The writer last: readers must not write, and so they cannot remove the WAL file.
        memoryReleaser.stop()
        let result = Result { try readers.close() }
        try writer.close()
        try result.get()
    }

    public func interrupt() {
        writer.interrupter.interrupt()
        readers.interrupt()
    }

    /// Keeps the database from writing, until ``resume()``: see ``DatabaseQueue/suspend()`` for what becomes of the
    /// statements of the writing connection, in WAL mode.
    ///
    /// ```swift
    /// dbPool.suspend()
    /// let count = try dbPool.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")! }
    /// try dbPool.write { db in try db.execute(sql: "DELETE FROM player") }
    /// // SQLite error 4: Database is suspended - while executing `BEGIN IMMEDIATE TRANSACTION`
    /// ```
    ///
    /// Reads of the pool go on, those of its snapshots included: in WAL mode, they keep nobody from writing. So they do
    /// in a read-only pool, whatever its mode.
    ///
    /// It returns at once, and may be called from any thread, and more than once. It does nothing on a closed database.
    public func suspend() { writer.suspend() }

    /// Ends what ``suspend()`` has begun: all statements are allowed again. It may be called from any thread.
    public func resume() { writer.resume() }

    /// Frees as much memory as possible, once the accesses under way have ended. Readers are closed, unless
    /// `Configuration.persistentReadOnlyConnections` is true.
    ///
    /// From inside a read, and from inside a write that a read under way waits for, the method doesn't wait: readers in use
    /// keep their memory.
    public func releaseMemory() {
        // A read that waits for the writer could wait for itself: a barrier of the writer waits for all reads.
        if readers.currentReader() != nil { return releaseReaders() }
        writer.reentrantSync { $0.releaseMemory() }
        if !writer.isCurrent { return readers.barrier { releaseReaders() } }
        do {
            try readers.writerBarrier { releaseReaders() }
        } catch {
            releaseReaders()
        }
    }

    /// Frees as much memory as possible, without waiting: readers in use are left alone.
    public func releaseMemoryEventually() {
        writer.async { $0.releaseMemory() }
        releaseReaders()
    }

    private func releaseReaders() {
        if configuration.persistentReadOnlyConnections { readers.releaseMemory() } else { readers.closeIdle() }
    }

    /// Makes later reads open new connections, which are prepared again.
    public func invalidateReadOnlyConnections() { readers.invalidate() }

    // MARK: Writing

    public func write<T>(_ updates: (Database) throws -> T) throws -> T {
        try readers.asksForWriter { try writer.throwingSync { try $0.write(updates) } }
    }

    public func write<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T {
        try await writeWithoutTransaction { db in try db.write(updates) }
    }

    public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try readers.asksForWriter { try writer.sync(updates) }
    }

    public func writeWithoutTransaction<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T {
        try await writer.perform(updates)
    }

    /// Runs a closure in a transaction, and waits for its end.
    ///
    /// ```swift
    /// try dbPool.writeInTransaction { db in
    ///     try db.execute(sql: "DELETE FROM player")
    ///     return .commit
    /// }
    /// ```
    ///
    /// - Parameter kind: immediate when nil.
    /// - throws: the error thrown by `updates`, once its changes are undone; an error of the commit; `SQLITE_MISUSE` from
    ///   inside another write of the pool, and when it is closed.
    public func writeInTransaction(
        _ kind: Database.TransactionKind? = nil, _ updates: (Database) throws -> Database.TransactionCompletion
    ) throws {
        try readers.asksForWriter {
            try writer.throwingSync { db in
                try db.inTransaction(kind) { try updates(db) }
            }
        }
    }

    public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        try readers.checkNotReading()
        while true {
            do {
                return try writer.throwingSync { db in try barrier(db, updates) }
            } catch is ReaderPool.BarrierYielded {
                // A read is about to be enqueued on the writer.
                sched_yield()
            }
        }
    }

    public func barrierWriteWithoutTransaction<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        while true {
            // It waits for the reads under way while it holds the writing connection, unless it is cancelled.
            let waiter = ReaderPool.BarrierWaiter(blocksWriter: true)
            do {
                return try await withTaskCancellationHandler {
                    try await writer.perform(mayRunOnCurrentThread: false) { [self] db in
                        try barrier(db, updates, waiter)
                    }
                } onCancel: {
                    readers.cancel(waiter)
                }
            } catch is ReaderPool.BarrierYielded {
                await Task.yield()
            }
        }
    }

    public func asyncBarrierWriteWithoutTransaction(
        _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        writer.async { db in
            if db.isClosed { return updates(Result(accessTo: db)) }
            do {
                try self.readers.writerBarrier { updates(Result(accessTo: db)) }
            } catch {
                self.asyncBarrierWriteWithoutTransaction(updates)
            }
        }
    }

    /// While the pool is being closed, reads under way may wait for the writer: nothing waits for them there.
    private func barrier<T>(
        _ db: Database, _ updates: (Database) throws -> T,
        _ waiter: ReaderPool.BarrierWaiter = ReaderPool.BarrierWaiter(blocksWriter: true)
    ) throws -> T {
        if db.isClosed { throw Database.connectionIsClosed }
        return try readers.writerBarrier(waiter) { try updates(db) }
    }

    public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
        writer.async(updates)
    }

    public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try readers.asksForWriter { try writer.reentrantSync(updates) }
    }

    // MARK: Changes

    public func externalChanges() async throws -> ExternalChanges { try await writer.externalChanges() }

    // MARK: Snapshots

    /// A reader of the last committed state, which it keeps whatever is written later.
    ///
    /// ```swift
    /// let snapshot = try dbPool.makeSnapshot()
    /// try dbPool.write { db in try db.execute(sql: "DELETE FROM player") }
    /// let count = try snapshot.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")! }   // before
    /// ```
    ///
    /// - throws: `SQLITE_MISUSE` from inside a write transaction; errors of the new connection.
    public func makeSnapshot() throws -> DatabaseSnapshot {
        try checkNotInsideWriteTransaction()
        let number = snapshotCount.add(1, ordering: .relaxed).newValue
        return try readActivity.during {
            try DatabaseSnapshot(
                path: path, label: configuration.label ?? "GRDB.DatabasePool", number: number,
                configuration: configuration.reading(besides: writer.checkpointer).forReading)
        }
    }

    /// Readers of the last committed state, which they keep whatever is written later.
    ///
    /// - throws: `SQLITE_MISUSE` from inside a write transaction; errors of the new connection.
    public func makeSnapshotPool() throws -> DatabaseSnapshotPool {
        try checkNotInsideWriteTransaction()
        return try readActivity.during {
            try DatabaseSnapshotPool(
                path: path, configuration: configuration.reading(besides: writer.checkpointer), activity: readActivity)
        }
    }

    private func checkNotInsideWriteTransaction() throws {
        guard writer.isCurrent, writer.reentrantSync({ $0.isInsideTransaction }) else { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "makeSnapshot() must not be called from inside a transaction.")
    }
}

/// Numbers for the names of connections.
final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}

extension Configuration {
    /// Makes the queue on which a reader runs its asynchronous accesses.
    func makeReadQueue(_ label: String) -> @Sendable () -> DispatchQueue {
        let qos = targetQueue == nil ? qos.ofQueues : .unspecified
        let target = targetQueue
        return { DispatchQueue(label: label + ".reader", qos: qos, target: target) }
    }

    /// For connections that read what a writer of the same process writes: they wait when the writer holds a lock,
    /// which is a matter of milliseconds (the recovery of a WAL file).
    var forReading: Configuration {
        var configuration = self
        configuration.readonly = true
        configuration.allowsUnsafeTransactions = false
        configuration.observesSuspensionNotifications = false
        if case .immediateError = busyMode { configuration.busyMode = .timeout(10) }
        return configuration
    }
}
