public import AmalgamCore

/// A type that reads a database: a queue, a pool or a snapshot.
///
/// ```swift
/// func playerCount(in reader: some DatabaseReader) throws -> Int {
///     try reader.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")! }
/// }
/// ```
///
/// All methods may be called from any thread and any task. A running closure has exclusive use of its connection.
///
/// Conforming to this protocol outside of the library isn't supported.
public protocol DatabaseReader: AnyObject, Sendable {
    /// The configuration of the connections.
    var configuration: Configuration { get }

    /// The path of the database file, `:memory:`, or a URI.
    var path: String { get }

    /// An executor for tasks that use this database. On its threads, asynchronous accesses need no switch of threads.
    ///
    /// ```swift
    /// let names = try await withTaskExecutorPreference(dbPool.taskExecutor) {
    ///     var names: [String] = []
    ///     for id in ids {
    ///         let name = try await dbPool.read { db in
    ///             try String.fetchOne(db, sql: "SELECT name FROM player WHERE id = ?", arguments: [id])
    ///         }
    ///         if let name { names.append(name) }
    ///     }
    ///     return names
    /// }
    /// Task(executorPreference: dbPool.taskExecutor) {
    ///     try await dbPool.write { db in try db.execute(sql: "DELETE FROM player WHERE score = 0") }
    /// }
    /// ```
    ///
    /// Tasks usually run on the cooperative thread pool, which has one thread per core. A database access may block its
    /// thread, so accesses run on other threads. Switching to such a thread and back takes some microseconds, more than
    /// a small read. The threads of this executor may block: for a task that runs on them, an asynchronous access costs
    /// about as much as a synchronous one.
    ///
    /// - The closures of `read`, `unsafeRead`, `write`, `writeWithoutTransaction`, `read(at:_:)`, and of methods that
    ///   call them, run on the thread of the task. In a pool, `barrierWriteWithoutTransaction` waits for other
    ///   accesses, so its closure runs on a separate thread.
    /// - If no connection is available, the task is suspended, and its thread runs other tasks. When a connection
    ///   becomes available, the access runs on the dispatch queue of that connection. No thread of the executor waits
    ///   for a connection, so any number of tasks can prefer the executor without a deadlock.
    /// - Child tasks (`async let`, task groups) inherit the preference. `Task { }` and `Task.detached` don't. Code on
    ///   the main actor, or on an actor with a custom executor, doesn't run on these threads. See
    ///   <https://github.com/swiftlang/swift-evolution/blob/main/proposals/0417-task-executor-preference.md>.
    /// - A task that prefers the executor of one database can access all other databases without a switch of threads,
    ///   too.
    /// - Cancellation, priorities and the order of accesses don't depend on the executor.
    /// - If `Configuration.targetQueue` is set, all accesses run on that queue.
    ///
    /// The maximum number of threads is the maximum number of concurrent accesses, or the number of cores if that is
    /// larger. Threads exist only while they have work. They also run the code of the task outside of accesses.
    var taskExecutor: any TaskExecutor { get }

    /// Closes the connections, after the running accesses have ended. Later accesses throw `SQLITE_MISUSE`.
    ///
    /// ```swift
    /// try dbPool.close()
    /// try FileManager.default.copyItem(atPath: dbPool.path, toPath: "copy.sqlite")
    /// ```
    ///
    /// When the last connection to a WAL mode database is closed, by any process, SQLite copies the WAL file into the
    /// database file, and deletes the WAL file, unless that last connection is read-only:
    /// <https://sqlite.org/wal.html#the_wal_file>. Snapshots are read-only connections, so close them before their pool
    /// or queue. The database file is then complete.
    ///
    /// Closing a closed database has no effect. A database that isn't closed explicitly is closed when its object is
    /// deallocated.
    ///
    /// - Throws: `SQLITE_BUSY` if a statement is still in use. If the statement belongs to a queue, a snapshot, or the
    ///   writer of a pool, nothing is closed, and the method can be called again. If the statement belongs to a reader
    ///   of a pool, the pool is closed nevertheless, and SQLite keeps the file open until the statement is deallocated.
    ///   `SQLITE_MISUSE` from inside a read of the same pool.
    func close() throws

    /// Interrupts the running statements of all connections: they throw `SQLITE_INTERRUPT`. An interrupted statement
    /// that writes rolls back its transaction.
    ///
    /// ```swift
    /// Task {
    ///     try await Task.sleep(for: .seconds(5))
    ///     dbPool.interrupt()
    /// }
    /// let best = try await dbPool.read { db in
    ///     try Int.fetchOne(db, sql: "SELECT MAX(a.score * b.score) FROM player AS a, player AS b")
    /// }
    /// ```
    ///
    /// The method may be called from any thread, returns immediately, and has no effect if no statement runs. The
    /// closures that run the statements continue, and their later statements aren't interrupted. Between two rows of a
    /// cursor, the method interrupts the statement that runs next, once: the cursor, or another statement. To stop a single
    /// asynchronous access, cancel its task. To limit the time of statements, use `Database.withLimits(_:_:)`. See
    /// <https://sqlite.org/c3ref/interrupt.html>.
    func interrupt()

    /// Runs a closure in a read transaction, and waits for its result.
    ///
    /// The closure sees one snapshot of the database, without concurrent changes. Statements that write throw
    /// `SQLITE_READONLY`, also those that create or change temporary tables: another read, on the same connection, would
    /// see them. Create temporary tables in a write, or in `unsafeRead(_:)`. A ``DatabaseSnapshotPool``
    /// refuses them in both methods.
    ///
    /// If databases in WAL mode are attached, the transaction acquires their snapshots at its beginning, too. SQLite
    /// commits to one WAL file after the other: a read that begins in the middle of a commit to several files may see a
    /// part of this commit. See <https://sqlite.org/lang_attach.html>.
    ///
    /// ```swift
    /// let count = try reader.read { db in
    ///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
    /// }
    /// ```
    ///
    /// - Throws: the error thrown by the closure; `SQLITE_MISUSE` from inside another database access of the same
    ///   object, unless that access is a write of a pool.
    func read<T>(_ value: (Database) throws -> T) throws -> T

    /// Runs a closure in a read transaction, without blocking a thread.
    ///
    /// ```swift
    /// let count = try await reader.read { db in
    ///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
    /// }
    /// ```
    ///
    /// The closure runs on another thread: switching to that thread and back takes some microseconds. In tasks that
    /// prefer ``taskExecutor``, the closure runs on the thread of the task.
    ///
    /// A task that is cancelled while it waits for a connection stops waiting immediately.
    ///
    /// - Throws: the error thrown by the closure; `CancellationError` if the task is cancelled.
    func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T

    /// Schedules a closure that runs in a read transaction, and returns immediately.
    ///
    /// ```swift
    /// reader.asyncRead { result in
    ///     do {
    ///         let db = try result.get()
    ///         print(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!)
    ///     } catch {
    ///         print("The database can't be read:", error)
    ///     }
    /// }
    /// ```
    ///
    /// The closure runs on another thread. It receives the connection, or the error that prevents the access:
    /// `SQLITE_MISUSE` if the database is closed, or an error of opening a connection.
    func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

    /// Runs a closure outside of a transaction, so two queries may see different commits. Waits for the result.
    ///
    /// ```swift
    /// try dbPool.unsafeRead { db in
    ///     try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN SELECT * FROM player")
    /// }
    /// ```
    ///
    /// Use this method for statements that don't work in a transaction, or to avoid the cost of a transaction. On a
    /// ``DatabaseQueue``, the closure can write.
    ///
    /// If the closure leaves a transaction open, without `Configuration.allowsUnsafeTransactions`, a pool rolls the
    /// transaction back, and throws. The methods of queues and snapshots that only rethrow end the process, and so do
    /// ``asyncUnsafeRead(_:)`` of a queue and `unsafeReentrantRead(_:)` of a queue.
    ///
    /// - Throws: the error thrown by the closure; `SQLITE_MISUSE` if the database is closed, if the closure leaves a
    ///   transaction open, and from inside another database access of the same object, unless that access is a write of
    ///   a pool.
    func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T

    /// Runs a closure outside of a transaction, without blocking a thread.
    ///
    /// ```swift
    /// let columns = try await dbPool.unsafeRead { db in
    ///     try String.fetchAll(db, sql: "SELECT name FROM pragma_table_info('player')")
    /// }
    /// ```
    ///
    /// - Throws: the errors of the synchronous method; `CancellationError` if the task is cancelled.
    func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T

    /// Schedules a closure that runs outside of a transaction: see ``asyncRead(_:)`` and `unsafeRead(_:)`.
    func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

    /// Runs a closure, and starts no transaction. May be called from inside another database access of the same object.
    ///
    /// ```swift
    /// func playerCount() throws -> Int {
    ///     try dbQueue.unsafeReentrantRead { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")! }
    /// }
    /// try dbQueue.write { db in
    ///     try db.execute(sql: "DELETE FROM player")
    ///     print(try playerCount())                // 0: it sees the uncommitted deletion
    /// }
    /// ```
    ///
    /// From inside an access of the same object, the closure receives the connection of that access. If accesses of a
    /// pool are nested (a write in a read, or a read in a write), the closure receives the connection of the inner
    /// access.
    ///
    /// - Throws: the error thrown by the closure; `SQLITE_MISUSE` if the database is closed.
    func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T

    // MARK: Wrapping

    /// The queue, pool or snapshot that this object wraps. By default, it is the object itself.
    ///
    /// A type that wraps a queue or a pool returns that queue or pool here, so that observations can track changes of
    /// the database. If the type keeps the default, observations of the wrapper deliver only their initial value.
    var _wrappedReader: any DatabaseReader { get }
}

/// A reader of an immutable snapshot of a database.
///
/// ```swift
/// func playerCount(in snapshot: some DatabaseSnapshotReader) throws -> Int {
///     try snapshot.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")! }
/// }
/// ```
public protocol DatabaseSnapshotReader: DatabaseReader {
    /// The version of the snapshot, which identifies the last commit that the snapshot sees.
    ///
    /// ```swift
    /// let snapshot = try dbPool.makeSnapshot()
    /// try dbPool.currentVersion().order(relativeTo: snapshot.version)     // .newer after the next commit
    /// ```
    ///
    /// - Throws: `SQLITE_ERROR` if the database isn't in WAL mode. A ``DatabaseSnapshotPool`` never throws.
    var version: SnapshotVersion { get throws }

    /// Runs a closure that reads the snapshot. The method may be called from inside another database access of the same
    /// object.
    ///
    /// ```swift
    /// let snapshot = try dbPool.makeSnapshot()
    /// try snapshot.read { db in
    ///     let count = try snapshot.reentrantRead { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")! }
    /// }
    /// ```
    ///
    /// - Throws: the error thrown by the closure; `SQLITE_MISUSE` if the snapshot is closed.
    func reentrantRead<T>(_ value: (Database) throws -> T) throws -> T
}

extension DatabaseSnapshotReader {
    /// Runs a closure that reads the snapshot, like `DatabaseReader.read(_:)`: all accesses see the same content.
    ///
    /// - Throws: the errors of `DatabaseReader.read(_:)`.
    @_disfavoredOverload  // The method of ``DatabaseSnapshot`` throws only what its closure throws.
    public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
        try read(value)
    }

    /// Calls ``DatabaseReader/asyncRead(_:)``, because all accesses of a snapshot see the same content anyway.
    public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        asyncRead(value)
    }
}
