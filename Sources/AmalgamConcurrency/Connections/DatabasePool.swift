public import AmalgamCore
import Dispatch
import Foundation
import Synchronization

/// A connection pool: one connection that writes, and several that read concurrently.
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
/// The database is in WAL mode (<https://sqlite.org/wal.html>). Reads run in parallel with each other and with a write.
/// Each read sees one snapshot of the database, the last commit at the time of its first statement. Writes are
/// serialized.
///
/// Open one pool for a database file, and retain the pool for as long as the application uses the file. The connections
/// are closed when the pool is deallocated.
///
/// All connections of a pool use the file that its first connection has opened, even if the working folder or a symbolic
/// link in the path changes. If this file is moved or replaced while the pool is open, reads and snapshots that need a
/// new connection throw `SQLITE_READONLY_DBMOVED`, or `SQLITE_CANTOPEN` if no file is at the path.
public final class DatabasePool: DatabaseWriter {
    let writer: SerialConnection
    let readers: ReaderPool
    private let readActivity: ReadActivity
    private let snapshotCount = Atomic<Int>(0)
    private let openSnapshots = OpenSnapshots()
    private let executor: AccessExecutor
    private let memoryReleaser = MemoryReleaser()

    public let configuration: Configuration

    public var path: String { writer.path }

    /// Opens a database file, creates it if it doesn't exist, and sets its WAL mode.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.maximumReaderCount = 10
    /// let dbPool = try DatabasePool(path: "/path/to/db.sqlite", configuration: config)
    /// ```
    ///
    /// A read-only pool doesn't change the journal mode of the file. Several processes or threads may open a new file at
    /// the same time: with the busy mode `immediateError`, too, opening waits up to half a second for each lock.
    ///
    /// - Throws: `SQLITE_CANTOPEN` if the file can't be opened or created, `SQLITE_NOTADB` if it isn't a database; a
    ///   ``DatabaseError`` if the file system doesn't support WAL mode; errors thrown by the preparation closures of
    ///   the configuration; `SQLITE_MISUSE` if `configuration.maximumReaderCount` is less than 1.
    public init(path: String, configuration: Configuration = Configuration()) throws {
        if configuration.maximumReaderCount < 1 {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "configuration.maximumReaderCount must be at least 1")
        }
        let activity = ReadActivity()
        readActivity = activity
        // Other connections that open the file at the same time lock it for moments, to change its journal mode.
        activity.begin()
        defer { activity.end() }
        var (writerConfiguration, checkpointer) = configuration.writing(label: configuration.poolLabel)
        writerConfiguration.ownReads = readActivity
        // A closure of `prepareDatabase` may create the file. Files of other VFSs may be at other paths.
        let isNewWAL = configuration.vfsName == nil && !WALFile.exists(forDatabaseAt: path)
        let writer = try SerialConnection(
            path: path, label: configuration.poolLabel, purpose: "writer", configuration: writerConfiguration,
            checkpointer: checkpointer)
        if !configuration.readonly {
            try writer.setUp { db in
                try db.activateWAL()
                try db.touchWAL(isNew: isNewWAL)
                try checkpointer.map { try db.setUp($0.policy) }
            }
        }
        self.writer = writer
        self.configuration = configuration
        executor = AccessExecutor(label: configuration.poolLabel, accessCount: configuration.maximumReaderCount + 1)
        readers = Self.makeReaders(
            path: path, writer.file, configuration.reading(besides: checkpointer), readActivity)
        memoryReleaser.start(isWanted: configuration.automaticMemoryManagement) { [weak self] in
            self?.releaseMemoryEventually()
        }
    }

    deinit {
        // Accesses retain the pool, including scheduled ones: no access uses the readers now.
        try? readers.close()
    }

    private static func makeReaders(
        path: String, _ file: DatabaseFile?, _ configuration: Configuration, _ activity: ReadActivity
    ) -> ReaderPool {
        let readerConfiguration = configuration.forReading
        let walReaders = configuration.walReaders
        let label = configuration.poolLabel
        let counter = Counter()
        return ReaderPool(
            capacity: configuration.maximumReaderCount, activity: activity, walReaders: walReaders,
            hasTarget: configuration.targetQueue != nil, makeQueue: configuration.makeReadQueue(label)
        ) {
            try Database(
                path: path, description: "\(label).reader.\(counter.next())", configuration: readerConfiguration,
                file: file)
        }
    }

    public var taskExecutor: any TaskExecutor { executor }

    // MARK: Life

    /// Closes all connections, after the enqueued writes and the running reads have ended.
    ///
    /// ```swift
    /// try dbPool.close()
    /// ```
    ///
    /// The method may be called from inside a write of the pool. In this case, it throws an error if a read waits for
    /// the write, because the two would deadlock.
    ///
    /// - Throws: `SQLITE_BUSY` if a statement of the writing connection is still in use; `SQLITE_MISUSE` from inside a
    ///   read, and from inside a write that a running read waits for. After these errors, the pool stays open. If a
    ///   reader can't be closed without an error, the pool is closed nevertheless, and the method throws the first such
    ///   error.
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
        // If the writer can't be closed, the pool stays open.
        try writer.prepareToClose()
        // The writer is closed last: readers are read-only, so they can't remove the WAL file.
        memoryReleaser.stop()
        let result = Result { try readers.close() }
        try writer.close()
        try result.get()
    }

    public func interrupt() {
        writer.interrupter.interrupt()
        writer.interrupter.interruptConcurrentFollowers()
        readers.interrupt()
    }

    /// Prevents the database from writing until ``resume()``. See ``DatabaseQueue/suspend()`` for the effect on the
    /// statements of the writing connection in WAL mode.
    ///
    /// ```swift
    /// dbPool.suspend()
    /// let count = try dbPool.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")! }
    /// try dbPool.write { db in try db.execute(sql: "DELETE FROM player") }
    /// // SQLite error 4: Database is suspended - while executing `BEGIN IMMEDIATE TRANSACTION`
    /// ```
    ///
    /// Reads of the pool and of its snapshots still run, because readers don't block writers in WAL mode. All reads of
    /// a read-only pool still run, in any journal mode.
    ///
    /// This method returns immediately. It may be called from any thread, and repeatedly. It has no effect on a closed
    /// pool.
    public func suspend() { writer.suspend() }

    /// Ends the suspension that ``suspend()`` started. All statements are allowed again. The method may be called from
    /// any thread.
    ///
    /// ```swift
    /// dbPool.suspend()
    /// defer { dbPool.resume() }
    /// ```
    public func resume() { writer.resume() }

    /// Waits for the running accesses, and frees as much memory as possible. Readers are closed, unless
    /// `Configuration.persistentReadOnlyConnections` is true.
    ///
    /// From inside a read, and from inside a write that a running read waits for, the method doesn't wait for other
    /// accesses, and doesn't free the memory of readers in use.
    public func releaseMemory() {
        // A read must not wait for the writer here, because a barrier on the writer may already wait for this read.
        if readers.currentReader() != nil { return releaseReaders() }
        writer.reentrantSync { $0.releaseMemory() }
        if !writer.isCurrent { return readers.barrier { releaseReaders() } }
        do {
            try readers.writerBarrier { releaseReaders() }
        } catch {
            releaseReaders()
        }
    }

    /// Frees as much memory as possible, without waiting. The memory of readers in use is not freed.
    public func releaseMemoryEventually() {
        writer.async { $0.releaseMemory() }
        releaseReaders()
    }

    private func releaseReaders() {
        if configuration.persistentReadOnlyConnections { readers.releaseMemory() } else { readers.closeIdle() }
    }

    /// Makes later reads open new connections, on which the preparation closures of the configuration run again.
    ///
    /// ```swift
    /// dbPool.invalidateReadOnlyConnections()
    /// ```
    public func invalidateReadOnlyConnections() { readers.invalidate() }

    /// The names of the open snapshots and snapshot pools that this pool has made.
    package var snapshotNames: [String] { openSnapshots.names }

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

    /// Runs a closure in a transaction. The closure decides whether the transaction is committed or rolled back.
    ///
    /// ```swift
    /// try dbPool.writeInTransaction { db in
    ///     try db.execute(sql: "DELETE FROM player WHERE score = 0")
    ///     return db.changesCount < 100 ? .commit : .rollback
    /// }
    /// // BEGIN IMMEDIATE TRANSACTION, DELETE …, COMMIT TRANSACTION (or ROLLBACK TRANSACTION)
    /// ```
    ///
    /// - Parameter kind: the kind of the transaction. If nil, the transaction is immediate.
    /// - Throws: the error thrown by `updates`, after its changes were rolled back; an error of the commit;
    ///   `SQLITE_MISUSE` from inside another write of the pool, and if the pool is closed.
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
                // A running read is about to write. Its write is enqueued before the next attempt of this barrier.
                sched_yield()
            }
        }
    }

    public func barrierWriteWithoutTransaction<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        while true {
            // The barrier waits for the running reads while it holds the writing connection, unless it is cancelled.
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

    /// Runs a closure while no reader is in use. Throws `SQLITE_MISUSE` immediately if the writer is closed.
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

    /// Opens a connection that sees the last commit, and no later one.
    ///
    /// ```swift
    /// let snapshot = try dbPool.makeSnapshot()
    /// try dbPool.write { db in try db.execute(sql: "DELETE FROM player") }
    /// let count = try snapshot.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")! }
    /// ```
    ///
    /// In the example, `count` is the number of players before the `DELETE`.
    ///
    /// - Throws: `SQLITE_MISUSE` from inside a write transaction; `SQLITE_READONLY_DBMOVED` if the database file was moved
    ///   or replaced; other errors of opening the connection.
    public func makeSnapshot() throws -> DatabaseSnapshot {
        try checkNotInsideWriteTransaction()
        let number = snapshotCount.add(1, ordering: .relaxed).newValue
        let label = configuration.poolLabel
        return try readActivity.during {
            let snapshot = try DatabaseSnapshot(
                path: path, writer.file, label: label, number: number,
                configuration: configuration.reading(besides: writer.checkpointer).forReading)
            openSnapshots.add(snapshot.connection, name: "\(label).snapshot.\(number)")
            return snapshot
        }
    }

    /// Opens a pool of readers that see the last commit, and no later one.
    ///
    /// ```swift
    /// let snapshot = try dbPool.makeSnapshotPool()
    /// let count = try snapshot.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")! }
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` from inside a write transaction; `SQLITE_READONLY_DBMOVED` if the database file was moved
    ///   or replaced; other errors of opening the connection.
    public func makeSnapshotPool() throws -> DatabaseSnapshotPool {
        try checkNotInsideWriteTransaction()
        return try readActivity.during {
            let snapshot = try DatabaseSnapshotPool(
                path: path, writer.file, configuration: configuration.reading(besides: writer.checkpointer),
                activity: readActivity)
            openSnapshots.add(snapshot.pinnedConnection, name: "\(configuration.poolLabel).snapshotPool")
            return snapshot
        }
    }

    private func checkNotInsideWriteTransaction() throws {
        guard writer.isCurrent, writer.reentrantSync({ $0.isInsideTransaction }) else { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "makeSnapshot() must not be called from inside a transaction.")
    }
}

/// A thread-safe counter that numbers connections.
final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}

extension Configuration {
    /// The name of a pool, with which the names of its connections and queues begin.
    var poolLabel: String { label ?? "GRDB.DatabasePool" }

    /// Makes the queue on which a reader runs its asynchronous accesses.
    func makeReadQueue(_ label: String) -> @Sendable () -> DispatchQueue {
        let qos = targetQueue == nil ? qos.ofQueues : .unspecified
        let target = targetQueue
        return { DispatchQueue(label: label + ".reader", qos: qos, target: target) }
    }

    /// The configuration of a read-only connection next to a writing connection of the same process.
    ///
    /// The busy mode `immediateError` is replaced with a timeout of ten seconds. A reader conflicts only with the
    /// recovery of the WAL file, during which the writer holds locks for milliseconds, so waiting is better than an
    /// error.
    var forReading: Configuration {
        var configuration = self
        configuration.readonly = true
        configuration.allowsUnsafeTransactions = false
        configuration.observesSuspensionNotifications = false
        if case .immediateError = busyMode { configuration.busyMode = .timeout(10) }
        return configuration
    }
}
