public import AmalgamCore

/// A type that gives access to a database for reading and writing: a queue, a pool.
///
/// Writes of one object are serialized: they run one after the other, in the order in which they were asked for.
///
/// Adopting this protocol outside of the library is not supported.
public protocol DatabaseWriter: DatabaseReader {
    /// Writes in a transaction, and waits for the result.
    ///
    /// ```swift
    /// try writer.write { db in
    ///     try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Anna"])
    /// }
    /// // BEGIN IMMEDIATE TRANSACTION, INSERT …, COMMIT TRANSACTION
    /// ```
    ///
    /// - throws: the error thrown by the closure, once its changes are undone; an error of the commit;
    ///   `SQLITE_MISUSE` from inside another access of the same object.
    func write<T>(_ updates: (Database) throws -> T) throws -> T

    /// Writes in a transaction, without blocking a thread.
    ///
    /// ```swift
    /// let id = try await writer.write { db in
    ///     try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Anna"])
    ///     return db.lastInsertedRowID
    /// }
    /// ```
    ///
    /// A task that is cancelled while it waits in the queue is removed from it at once.
    ///
    /// - throws: the error thrown by the closure, once its changes are undone; `CancellationError`, once its changes
    ///   are undone, when the task is cancelled before the commit.
    func write<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T

    /// Runs a closure on the writing connection, outside of a transaction, and waits for its result.
    ///
    /// ```swift
    /// try writer.writeWithoutTransaction { db in
    ///     try db.execute(sql: "PRAGMA optimize")
    ///     try db.inTransaction {
    ///         try db.execute(sql: "DELETE FROM player")
    ///         return .commit
    ///     }
    /// }
    /// ```
    ///
    /// Each statement is a transaction of its own, unless the closure opens one. A transaction that the closure leaves
    /// open is a programmer error and traps, unless `Configuration.allowsUnsafeTransactions` is true; when the closure
    /// throws, it is rolled back.
    ///
    /// - throws: the error thrown by the closure.
    /// - Precondition: not called from inside another access of the same object.
    func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T

    /// Runs a closure on the writing connection, outside of a transaction, without blocking a thread.
    ///
    /// - throws: the error thrown by the closure; `SQLITE_MISUSE` when it leaves a transaction open, which is rolled back,
    ///   and when the database is closed; `CancellationError` when the task is cancelled.
    func writeWithoutTransaction<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T

    /// Runs a closure on the writing connection, outside of a transaction, while nobody reads, and waits for its result.
    ///
    /// ```swift
    /// let frames = try dbPool.barrierWriteWithoutTransaction { db in
    ///     try db.checkpoint(.truncate)
    /// }
    /// ```
    ///
    /// It waits for the reads of the pool under way, and lets no other one begin until the closure has returned.
    /// Snapshots, and other connections to the file, go on. On a queue, it is
    /// `writeWithoutTransaction`, with errors in the place of traps.
    ///
    /// The closure itself may read from the pool: a synchronous read runs at once. Asynchronous reads that it asks for,
    /// and the fetches of observations that its commits cause, begin after the barrier: the closure must not wait for
    /// them. `spawnConcurrentRead` gives `SQLITE_MISUSE` there.
    ///
    /// A read under way may write to the same pool: the barrier lets it, and waits for both. It has lost its place in
    /// the queue of writes, then. It cannot know of a read that waits for a write in another way, such as an asynchronous
    /// one: these two wait forever.
    ///
    /// - throws: the error thrown by the closure; `SQLITE_MISUSE` from inside another access of the same object, when the
    ///   closure leaves a transaction open, and when the database is closed.
    func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T

    /// Runs a closure on the writing connection, outside of a transaction, while nobody reads, without blocking the
    /// thread of the task.
    ///
    /// - throws: the errors of the other method; `CancellationError` when the task is cancelled.
    func barrierWriteWithoutTransaction<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T

    /// Schedules a closure on the writing connection, outside of a transaction, while nobody reads, and returns at once.
    ///
    /// The closure receives the connection, or `SQLITE_MISUSE` when the database is closed.
    func asyncBarrierWriteWithoutTransaction(_ updates: @escaping @Sendable (Result<Database, any Error>) -> Void)

    /// Schedules a closure on the writing connection, outside of a transaction, and returns at once.
    ///
    /// ```swift
    /// writer.asyncWriteWithoutTransaction { db in
    ///     do {
    ///         try db.execute(sql: "DELETE FROM player")
    ///     } catch {
    ///         print("players are still there:", error)
    ///     }
    /// }
    /// ```
    ///
    /// When the database is closed, all that the closure runs throws `SQLITE_MISUSE`.
    func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void)

    /// Runs a closure on the writing connection, also from inside another write of the same object.
    ///
    /// ```swift
    /// func addPlayer(_ name: String) throws {
    ///     try dbQueue.unsafeReentrantWrite { db in
    ///         try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: [name])
    ///     }
    /// }
    /// try dbQueue.write { _ in try addPlayer("Anna") }        // a part of the transaction
    /// try addPlayer("Bo")                                     // a transaction of its own
    /// ```
    ///
    /// - throws: the error thrown by the closure.
    func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T

    /// Reads the last committed state, from inside a write access, while the write goes on if the writer can.
    ///
    /// ```swift
    /// try writer.writeWithoutTransaction { db in
    ///     try db.execute(sql: "INSERT INTO player (name) VALUES ('Anna')")
    ///     writer.spawnConcurrentRead { result in
    ///         let count = try? Int.fetchOne(result.get(), sql: "SELECT COUNT(*) FROM player")
    ///         // as many as there were at the time of the call
    ///     }
    /// }
    /// ```
    ///
    /// A pool reads beside the write: see `DatabasePool.asyncConcurrentRead(_:)`. A queue has one connection: the closure
    /// has run when the method returns. The closure receives the connection, or the error that prevents the read.
    ///
    /// - Precondition: called from the writing connection, outside of a transaction.
    func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

    /// The commits that others make to the database file: other processes, and other connections of this process.
    ///
    /// ```swift
    /// let changes = try await dbPool.externalChanges()
    /// var names = try await dbPool.read { db in try String.fetchAll(db, sql: "SELECT name FROM player") }
    /// for try await _ in changes {
    ///     names = try await dbPool.read { db in try String.fetchAll(db, sql: "SELECT name FROM player") }
    /// }
    /// ```
    ///
    /// A commit that comes after this method has returned is told, also when the iteration begins later. What this queue
    /// or pool writes itself is not. See ``ExternalChanges`` for what a change means, and for what it costs.
    ///
    /// - throws: `SQLITE_MISUSE` for a database in memory or a temporary one, which others cannot write, and when
    ///   the connection is closed; `SQLITE_CANTOPEN` when the system cannot watch the files, because the process or the
    ///   user has reached a limit, or must not list the folder; `CancellationError`; errors of the files.
    ///
    /// See <https://sqlite.org/pragma.html#pragma_data_version>.
    func externalChanges() async throws -> ExternalChanges
}

extension DatabaseWriter {
    /// Schedules a write in a transaction, and returns at once.
    ///
    /// ```swift
    /// writer.asyncWrite { db in
    ///     try db.execute(sql: "DELETE FROM player WHERE score = 0")
    ///     return db.changesCount
    /// } completion: { _, result in
    ///     print("deleted:", result)
    /// }
    /// ```
    ///
    /// - Parameter completion: called on the writing connection, after the transaction, with the result of `updates`.
    public func asyncWrite<T>(
        _ updates: @escaping @Sendable (Database) throws -> T,
        completion: @escaping @Sendable (Database, Result<T, any Error>) -> Void
    ) {
        asyncWriteWithoutTransaction { db in
            completion(db, Result { try db.write(updates) })
        }
    }

    /// Adds an observer of the changes and transactions of the writing connection.
    ///
    /// ```swift
    /// writer.add(transactionObserver: observer, extent: .databaseLifetime)
    /// ```
    ///
    /// It waits for the accesses queued before it, and may be called from inside a write. See ``TransactionObserver``.
    ///
    /// - Parameter extent: how long the observer is kept. By default the connection does not retain it.
    public func add(
        transactionObserver: some TransactionObserver,
        extent: Database.TransactionObservationExtent = .observerLifetime
    ) {
        unsafeReentrantWrite { $0.add(transactionObserver: transactionObserver, extent: extent) }
    }

    /// Removes an observer.
    public func remove(transactionObserver: some TransactionObserver) {
        unsafeReentrantWrite { $0.remove(transactionObserver: transactionObserver) }
    }
}
