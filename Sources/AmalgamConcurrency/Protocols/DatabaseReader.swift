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

    /// Threads for tasks that use this database: asynchronous accesses of tasks that prefer them run without a change of
    /// thread.
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
    /// Task(executorPreference: dbPool.taskExecutor) { try await importPlayers(into: dbPool) }
    /// ```
    ///
    /// A task usually runs on threads of which the process has one for each core. An access could block them for any time,
    /// so it runs elsewhere: the task goes to another thread and comes back, which takes some microseconds, more than a small
    /// read does. These threads may be blocked. Where a task runs on them, an access costs about what a synchronous one
    /// does.
    ///
    /// - It goes for `read`, `unsafeRead`, `write`, `writeWithoutTransaction`, `read(at:_:)` and what rests on them. A
    ///   barrier waits for others, and runs elsewhere.
    /// - When no connection is free, the task waits in the queue, and its thread continues with another task: the access
    ///   then runs elsewhere. No thread of the executor waits for a connection, so tasks that prefer it cannot wait for each
    ///   other, however many there are.
    /// - Child tasks (`async let`, task groups) prefer the same threads. `Task { }` and `Task.detached` do not, and code on the
    ///   main actor, or on an actor with an executor of its own, leaves them. See
    ///   <https://github.com/swiftlang/swift-evolution/blob/main/proposals/0417-task-executor-preference.md>.
    /// - The preference for one database serves all: what counts is the thread.
    /// - Cancellation, priorities and the order of accesses are what they are without it.
    /// - With `Configuration.targetQueue`, accesses run on that queue, whatever a task prefers.
    ///
    /// There are as many threads as accesses to the database run at a time, and no fewer than cores. They exist as long as
    /// there is work. What else the task computes runs on them, too.
    var taskExecutor: any TaskExecutor { get }

    /// Closes the connections, once the accesses under way have ended. Further accesses throw `SQLITE_MISUSE`.
    ///
    /// ```swift
    /// try dbPool.close()
    /// try FileManager.default.copyItem(atPath: dbPool.path, toPath: copy)
    /// ```
    ///
    /// The last connection to a database in WAL mode, whoever has it, copies the WAL file into the database file, and
    /// removes it, unless it is read-only: <https://sqlite.org/wal.html#the_wal_file>. So the file is complete once all
    /// pools, queues and snapshots on it are closed, and the last one was a pool or a queue.
    ///
    /// Closing twice does nothing. What is not closed is closed when it is released.
    ///
    /// - throws: `SQLITE_BUSY` when a statement is still alive. If it is one of a queue, a snapshot, or the writer of a
    ///   pool, nothing is closed, and closing may be tried again. If it is one of a reader of a pool, all is closed
    ///   nevertheless, and SQLite keeps the file open until the statement is released. `SQLITE_MISUSE` from inside a read
    ///   of the same pool.
    func close() throws

    /// Stops the statements under way, which throw `SQLITE_INTERRUPT`. One that writes is undone, together with its
    /// transaction.
    ///
    /// ```swift
    /// Task {
    ///     try await Task.sleep(for: .seconds(5))
    ///     dbPool.interrupt()
    /// }
    /// let rows = try await dbPool.read { db in try Row.fetchAll(db, sql: longQuery) }
    /// ```
    ///
    /// It may be called from any thread, returns at once, and does nothing when nothing runs. Accesses go on: what they
    /// run next is not stopped. Cancelling the task of one asynchronous access stops that access only;
    /// `Database.withLimits(_:_:)` ends a statement after a time. See <https://sqlite.org/c3ref/interrupt.html>.
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
    /// The closure runs on another thread, and the task comes back from there: some microseconds. In tasks that prefer
    /// ``taskExecutor``, it runs on the thread of the task.
    ///
    /// A task that is cancelled while it waits in the queue is removed from it at once.
    ///
    /// - throws: the error thrown by the closure; `CancellationError` when the task is cancelled.
    func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T

    /// Schedules a read, and returns at once.
    ///
    /// ```swift
    /// reader.asyncRead { result in
    ///     do {
    ///         let db = try result.get()
    ///         print(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!)
    ///     } catch {
    ///         print("no access:", error)
    ///     }
    /// }
    /// ```
    ///
    /// The closure runs on another thread. It receives the connection, or the error that prevents the access:
    /// `SQLITE_MISUSE` of a closed database, or an error of a new connection.
    func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

    /// Reads outside of a transaction, and waits for the result: two queries of the closure may see different states.
    ///
    /// ```swift
    /// try dbPool.unsafeRead { db in
    ///     try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN SELECT * FROM player")
    /// }
    /// ```
    ///
    /// It is for what a transaction stands in the way of, and saves its cost. On a queue, nothing keeps the closure
    /// from writing.
    ///
    /// - throws: the error thrown by the closure; `SQLITE_MISUSE` from inside another access of the same object, and when
    ///   it is closed.
    func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T

    /// Reads outside of a transaction, without blocking a thread.
    ///
    /// - throws: the errors of the other method; `CancellationError` when the task is cancelled.
    func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T

    /// Schedules a read outside of a transaction: see ``asyncRead(_:)`` and ``unsafeRead(_:)``.
    func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

    /// Reads outside of a transaction, also from inside another access of the same object.
    ///
    /// ```swift
    /// func playerCount() throws -> Int {
    ///     try dbQueue.unsafeReentrantRead { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")! }
    /// }
    /// try dbQueue.write { db in
    ///     try db.execute(sql: "DELETE FROM player")
    ///     print(try playerCount())                // 0: it sees the write under way
    /// }
    /// ```
    ///
    /// Inside an access of the same database, the closure receives the connection of that access: of the innermost one,
    /// when a write of a pool runs inside of a read, or a read inside of a write.
    ///
    /// - throws: the error thrown by the closure; `SQLITE_MISUSE` when the database is closed.
    func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T

    // MARK: Wrapping

    /// The reader that this one wraps; by default the reader itself.
    ///
    /// A type that wraps a queue or a pool returns it here, so that observations find the connection whose changes they
    /// track. Without it, observations of a wrapper deliver their initial value only.
    var _wrappedReader: any DatabaseReader { get }
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
    @_disfavoredOverload  // The method of ``DatabaseSnapshot`` throws only what its closure throws.
    public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
        try read(value)
    }

    /// Schedules a read. The content does not change: there is nothing unsafe.
    public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        asyncRead(value)
    }
}
