public import AmalgamCore

/// A type that reads and writes a database: a queue or a pool.
///
/// ```swift
/// func addPlayer(_ name: String, to writer: some DatabaseWriter) throws {
///     try writer.write { db in
///         try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: [name])
///     }
/// }
/// ```
///
/// The writes of one object are serialized, in the order of the calls.
///
/// Conforming to this protocol outside of the library isn't supported.
public protocol DatabaseWriter: DatabaseReader {
    /// Runs a closure in a transaction, and waits for its result.
    ///
    /// ```swift
    /// try writer.write { db in
    ///     try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Anna"])
    /// }
    /// // BEGIN IMMEDIATE TRANSACTION, INSERT …, COMMIT TRANSACTION
    /// ```
    ///
    /// - Throws: the error thrown by the closure, after its changes were rolled back; an error of the commit;
    ///   `SQLITE_MISUSE` from inside another database access of the same object, unless that access is a read of a
    ///   pool.
    func write<T>(_ updates: (Database) throws -> T) throws -> T

    /// Runs a closure in a transaction, without blocking a thread.
    ///
    /// ```swift
    /// let id = try await writer.write { db in
    ///     try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Anna"])
    ///     return db.lastInsertedRowID
    /// }
    /// ```
    ///
    /// A task that is cancelled while it waits for the connection stops waiting immediately.
    ///
    /// - Throws: the error thrown by the closure, after its changes were rolled back; an error of the commit;
    ///   `CancellationError`, after the changes were rolled back, if the task is cancelled before the commit.
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
    /// Each statement runs in autocommit mode, unless the closure opens a transaction. If the closure throws, an open
    /// transaction is rolled back. If the closure returns with an open transaction, the method traps, unless
    /// `Configuration.allowsUnsafeTransactions` is true. A statement with `RETURNING` whose cursor outlives the closure
    /// ends, and is committed, when the closure returns. If this commit fails, the error is reported to
    /// ``Database/logError``; the asynchronous method and `barrierWriteWithoutTransaction` throw it.
    ///
    /// - Throws: the error thrown by the closure.
    /// - Precondition: not called from inside another database access of the same object, except from inside a read of
    ///   a pool.
    func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T

    /// Runs a closure on the writing connection, outside of a transaction, without blocking a thread.
    ///
    /// ```swift
    /// try await writer.writeWithoutTransaction { db in
    ///     try db.execute(sql: "PRAGMA optimize")
    /// }
    /// ```
    ///
    /// - Throws: the error thrown by the closure; `SQLITE_MISUSE` if the closure leaves a transaction open (the
    ///   transaction is rolled back), and if the database is closed; `CancellationError` if the task is cancelled.
    func writeWithoutTransaction<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T

    /// Runs a closure on the writing connection, outside of a transaction and without concurrent reads, and waits for
    /// its result.
    ///
    /// ```swift
    /// let frames = try dbPool.barrierWriteWithoutTransaction { db in
    ///     try db.checkpoint(.truncate)
    /// }
    /// ```
    ///
    /// The method waits for the running reads of the pool, and delays all other reads until the closure has returned.
    /// Snapshots, and other connections to the file, aren't affected. On a queue, this method is the same as
    /// `writeWithoutTransaction`, but throws errors where `writeWithoutTransaction` traps.
    ///
    /// The closure may read from the pool synchronously. Asynchronous reads that the closure schedules, and fetches of
    /// observations after commits of the closure, start after the closure has returned, so the closure must not wait
    /// for them. In the closure, `spawnConcurrentRead` reports `SQLITE_MISUSE`.
    ///
    /// If a running read writes to the same pool with a synchronous method, this method lets that write run first. It
    /// can't detect a read that waits for a write in another way, for example for an asynchronous write. In this case,
    /// the read and this method deadlock.
    ///
    /// - Throws: the error thrown by the closure; `SQLITE_MISUSE` from inside another database access of the same
    ///   object, if the closure leaves a transaction open, and if the database is closed.
    func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T

    /// Runs a closure on the writing connection, outside of a transaction and without concurrent reads, without
    /// blocking the thread of the task.
    ///
    /// ```swift
    /// try await dbPool.barrierWriteWithoutTransaction { db in
    ///     _ = try db.checkpoint(.truncate)
    /// }
    /// ```
    ///
    /// - Throws: the errors of the synchronous method; `CancellationError` if the task is cancelled.
    func barrierWriteWithoutTransaction<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T

    /// Schedules a closure on the writing connection, outside of a transaction and without concurrent reads, and
    /// returns immediately.
    ///
    /// The closure receives the connection, or `SQLITE_MISUSE` if the database is closed.
    func asyncBarrierWriteWithoutTransaction(_ updates: @escaping @Sendable (Result<Database, any Error>) -> Void)

    /// Schedules a closure on the writing connection, outside of a transaction, and returns immediately.
    ///
    /// ```swift
    /// writer.asyncWriteWithoutTransaction { db in
    ///     do {
    ///         try db.execute(sql: "DELETE FROM player")
    ///     } catch {
    ///         print("The players were not deleted:", error)
    ///     }
    /// }
    /// ```
    ///
    /// If the database is closed, all statements of the closure throw `SQLITE_MISUSE`.
    func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void)

    /// Runs a closure on the writing connection. May be called from inside another write of the same object.
    ///
    /// ```swift
    /// func addPlayer(_ name: String) throws {
    ///     try dbQueue.unsafeReentrantWrite { db in
    ///         try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: [name])
    ///     }
    /// }
    /// try dbQueue.write { _ in try addPlayer("Anna") }        // inside the transaction
    /// try addPlayer("Bo")                                     // in autocommit mode
    /// ```
    ///
    /// - Throws: the error thrown by the closure.
    func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T

    /// Reads the last commit from inside a write access, concurrently with the write if possible.
    ///
    /// ```swift
    /// try writer.writeWithoutTransaction { db in
    ///     try db.execute(sql: "INSERT INTO player (name) VALUES ('Anna')")
    ///     writer.spawnConcurrentRead { result in
    ///         let count = try? Int.fetchOne(result.get(), sql: "SELECT COUNT(*) FROM player")
    ///         // the number of players at the time of the call
    ///     }
    /// }
    /// ```
    ///
    /// A pool runs the closure concurrently with the write: see `DatabasePool.asyncConcurrentRead(_:)`. A queue has one
    /// connection, and runs the closure before the method returns. The closure receives the connection, or the error
    /// that prevents the read.
    ///
    /// - Precondition: called from the writing connection, outside of a transaction.
    func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

    /// Returns a sequence of the commits that other connections make to the database file, in this process or in
    /// others.
    ///
    /// ```swift
    /// let changes = try await dbPool.externalChanges()
    /// var names = try await dbPool.read { db in try String.fetchAll(db, sql: "SELECT name FROM player") }
    /// for try await _ in changes {
    ///     names = try await dbPool.read { db in try String.fetchAll(db, sql: "SELECT name FROM player") }
    /// }
    /// ```
    ///
    /// The sequence reports all commits made after this method has returned, even if the iteration begins later.
    /// Commits of this queue or pool aren't reported. ``ExternalChanges`` describes the elements, and their cost.
    ///
    /// - Throws: `SQLITE_MISUSE` if the database is in memory or temporary, because no other process can write to it,
    ///   and if the connection is closed; `SQLITE_CANTOPEN` if the system can't watch the files, because a limit of the
    ///   process or of the user is reached, or because the folder can't be listed; `CancellationError`; I/O errors.
    ///
    /// See <https://sqlite.org/pragma.html#pragma_data_version>.
    func externalChanges() async throws -> ExternalChanges
}

extension DatabaseWriter {
    /// Schedules a closure that runs in a transaction, and returns immediately.
    ///
    /// ```swift
    /// writer.asyncWrite { db in
    ///     try db.execute(sql: "DELETE FROM player WHERE score = 0")
    ///     return db.changesCount
    /// } completion: { _, result in
    ///     print("number of deleted players:", result)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - updates: the closure that runs in the transaction.
    ///   - completion: called on the writing connection, after the transaction, with the result of `updates`, or the
    ///     error that `write(_:)` would throw. It must not leave a transaction open.
    public func asyncWrite<T>(
        _ updates: @escaping @Sendable (Database) throws -> T,
        completion: @escaping @Sendable (Database, Result<T, any Error>) -> Void
    ) {
        asyncWriteWithoutTransaction { db in
            completion(db, db.resultOfWrite(updates))
        }
    }

    /// Adds an observer of the row changes and transactions of the writing connection.
    ///
    /// ```swift
    /// writer.add(transactionObserver: observer, extent: .databaseLifetime)
    /// ```
    ///
    /// The method waits for the accesses that were queued before the call. It may be called from inside a write. See
    /// ``TransactionObserver``.
    ///
    /// - Parameters:
    ///   - transactionObserver: the observer.
    ///   - extent: how long the connection retains the observer. By default, the observer isn't retained.
    public func add(
        transactionObserver: some TransactionObserver,
        extent: Database.TransactionObservationExtent = .observerLifetime
    ) {
        unsafeReentrantWrite { $0.add(transactionObserver: transactionObserver, extent: extent) }
    }

    /// Removes an observer that ``add(transactionObserver:extent:)`` added.
    ///
    /// ```swift
    /// writer.remove(transactionObserver: observer)
    /// ```
    public func remove(transactionObserver: some TransactionObserver) {
        unsafeReentrantWrite { $0.remove(transactionObserver: transactionObserver) }
    }
}
