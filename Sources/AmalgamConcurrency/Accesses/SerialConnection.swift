import AmalgamCore
import Dispatch
import Synchronization

/// A connection that runs accesses (closures that use the connection) one at a time, in the order of the requests.
///
/// Accesses run on a serial dispatch queue. During an access, the connection belongs to the thread of the access, and
/// detects nested accesses and uses on other threads.
final class SerialConnection: @unchecked Sendable {
    // Sendable: `db` is used only in accesses, which run one at a time. `suspensionObserver` doesn't change after the
    // initialization.
    private let db: Database
    let queue: DispatchQueue

    /// Whether accesses must run on a target queue that the application has chosen.
    private let hasTarget: Bool
    /// The number of queued and running maintenance accesses.
    private let maintenanceCount = Atomic<Int>(0)

    private var suspensionObserver: SuspensionObserver?

    let configuration: Configuration
    let path: String

    /// The file that the connection has open; nil if the database is temporary or in memory.
    let file: DatabaseFile?

    private let closed = Atomic<Bool>(false)
    let meter = AccessMeter()
    let sample = ConnectionSample()

    /// The observer of the connection's writes.
    let writeObserver = WriteObserverSlot()

    /// Runs the checkpoints of a WAL policy. Nil without a policy.
    let checkpointer: Checkpointer?

    /// Records when the connection acquired its snapshot, for the WAL policy of the pool. Nil if the connection holds
    /// no snapshot, or if the pool has no policy.
    private let walMark: WALReadMark?

    /// Reports commits of other connections. Nil without a consumer. Used in accesses only.
    weak var externalChangeWatch: ExternalChangeWatch?

    /// - Parameters:
    ///   - file: the file of another connection, which is opened in place of the file at `path`.
    ///   - isSnapshot: whether the connection is to hold a snapshot.
    ///   - content: writes the initial content of the database.
    init(
        path: String, label: String, purpose: String? = nil, configuration: Configuration, isURI: Bool = false,
        file: DatabaseFile? = nil, isSnapshot: Bool = false, checkpointer: Checkpointer? = nil,
        content: ((Database) throws -> Void)? = nil
    ) throws {
        let name = [configuration.label ?? label, purpose].compactMap(\.self).joined(separator: ".")
        db = try Database(
            path: path, description: name, configuration: configuration, isURI: isURI, file: file, content: content)
        self.file = db.file
        db.release()
        walMark = isSnapshot ? configuration.walReaders?.add(db) : nil
        walMark?.begin()
        self.checkpointer = checkpointer
        self.path = path
        self.configuration = db.configuration
        let target =
            configuration.readonly
            ? configuration.targetQueue : configuration.writeTargetQueue ?? configuration.targetQueue
        queue = DispatchQueue(
            label: name, qos: target == nil ? configuration.qos.ofQueues : .unspecified, target: target)
        hasTarget = target != nil
        checkpointer?.attach(self)
        if configuration.observesSuspensionNotifications { suspensionObserver = SuspensionObserver(self) }
    }

    deinit {
        // No access is running, because accesses retain this object.
        externalChangeWatch?.end()
        db.claim()
        db.close()
        db.release()
        walMark?.end()
        checkpointer?.close()
    }

    /// The interrupter of the connection, which any thread may use.
    var interrupter: Interrupter { db.access.interrupter }

    /// Whether the current thread is in an access.
    var isCurrent: Bool { db.isAccessible }

    /// Whether the current thread is in an access of this connection, and hasn't started a read of a pool inside it.
    var isInnermost: Bool { isCurrent && Reader.innermostOfThread.map(ObjectIdentifier.init) == enclosingReader }

    /// The reader that the thread used when the running access began. Used in accesses only.
    private var enclosingReader: ObjectIdentifier?

    /// Runs an access, and waits for its result. Traps in a nested access, and if the access leaves a transaction open.
    func sync<T>(_ access: (Database) throws -> T) rethrows -> T {
        require(!isCurrent, reentrancy)
        let ticket = meter.ask()
        return try queue.sync { try counted(ticket) { try run(access) } }
    }

    /// Runs a database access, and waits for its result.
    ///
    /// - Throws: the error thrown by the access; `SQLITE_MISUSE` if called in another database access of this
    ///   connection, or if the access leaves a transaction open, which is rolled back.
    func throwingSync<T>(_ access: (Database) throws -> T) throws -> T {
        if isCurrent { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: reentrancy) }
        let ticket = meter.ask()
        return try queue.sync { try counted(ticket) { try throwingRun(access) } }
    }

    /// Runs a closure in the current access of this thread, if there is one. Otherwise, runs it in a new access.
    func reentrantSync<T>(_ access: (Database) throws -> T) rethrows -> T {
        if isCurrent { return try access(db) }
        let ticket = meter.ask()
        return try queue.sync { try counted(ticket) { try run(access) } }
    }

    /// Schedules an access.
    func async(_ access: @escaping @Sendable (Database) -> Void) {
        let ticket = meter.ask()
        queue.async { self.counted(ticket) { self.run(access) } }
    }

    /// Runs a database access as part of the current task, and interrupts the access when the task is cancelled. While
    /// the access is queued, the task is suspended, and blocks no thread.
    ///
    /// - Parameter mayRunOnCurrentThread: whether the access may run on the thread of the task. Pass false for an
    ///   access that waits for other accesses, such as a barrier.
    func perform<T: Sendable>(
        mayRunOnCurrentThread: Bool = true, _ access: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await withCancellableAccess { cancellation in
            try cancellation.check()
            if mayRunOnCurrentThread, let ticket = ticketOnCurrentThread() {
                return try queue.sync { try perform(ticket, cancellation, access) }
            }
            let ticket = meter.ask()
            let task = AccessTask<Void>(cancellation) { [self] task in
                // The access sees the task-local values of the task, and the queue sees its priority.
                queue.async { if !task.run(()) { self.endCancelled(ticket) } }
                return { self.meter.cancel(ticket) }
            }
            return try await task.perform { try self.perform(ticket, cancellation, access) }
        }
    }

    /// Called at the turn of an access that was cancelled while it waited: only counts the access.
    private func endCancelled(_ ticket: AccessMeter.Ticket) {
        meter.endCancelled(ticket)
        if sample.isWanted { sample.take(db) }
        meter.end()
    }

    private func perform<T>(
        _ ticket: AccessMeter.Ticket, _ cancellation: AccessCancellation, _ access: (Database) throws -> T
    ) throws -> T {
        try counted(ticket) { try throwingRun { try cancellation.run($0, access) } }
    }

    /// Returns a ticket for an access on the current thread, if this thread may block, and no access runs or waits.
    private func ticketOnCurrentThread() -> AccessMeter.Ticket? {
        guard AccessExecutor.ownsCurrentThread, !hasTarget, maintenanceCount.load(ordering: .relaxed) == 0 else {
            return nil
        }
        return meter.askIfIdle()
    }

    // MARK: Running

    private func counted<T>(_ ticket: AccessMeter.Ticket, _ body: () throws -> T) rethrows -> T {
        meter.begin(ticket)
        defer {
            if sample.isWanted { sample.take(db) }
            meter.end()
        }
        return try body()
    }

    /// Runs a closure in an access. Must be called on the queue.
    func run<T>(_ access: (Database) throws -> T) rethrows -> T {
        db.claim()
        enclosingReader = Reader.innermostOfThread.map(ObjectIdentifier.init)
        let wasInsideTransaction = db.isInsideTransaction
        defer {
            enclosingReader = nil
            endActiveStatements(wasInsideTransaction)
            checkpointer?.accessDidEnd(db)
            db.release()
        }
        do {
            let result = try access(db)
            require(!hasLeftTransactionOpen(wasInsideTransaction), transactionLeftOpen)
            return result
        } catch {
            if hasLeftTransactionOpen(wasInsideTransaction) { db.rollbackLeftTransaction() }
            throw error
        }
    }

    /// Resets the statements that the access has left active: otherwise, the statements of later accesses couldn't
    /// commit. The reset may commit, and an observer of this commit may leave a transaction open.
    private func endActiveStatements(_ wasInsideTransaction: Bool) {
        db.endActiveStatements()
        if hasLeftTransactionOpen(wasInsideTransaction) { db.rollbackLeftTransaction() }
    }

    /// Runs an access. If the access leaves a transaction open, rolls the transaction back, and throws `SQLITE_MISUSE`.
    /// If the access leaves a statement active, ends it, and throws the error of its commit.
    private func throwingRun<T>(_ access: (Database) throws -> T) throws -> T {
        try run { db in
            let wasInsideTransaction = db.isInsideTransaction
            let result = try access(db)
            try db.resetActiveStatements()
            if hasLeftTransactionOpen(wasInsideTransaction) {
                db.rollbackLeftTransaction()
                throw DatabaseError(resultCode: .SQLITE_MISUSE, message: transactionLeftOpen)
            }
            return result
        }
    }

    /// Whether the database access that ends has left a transaction open, although `allowsUnsafeTransactions` is false.
    /// Later accesses would write in this transaction.
    private func hasLeftTransactionOpen(_ wasInsideTransaction: Bool) -> Bool {
        db.isInsideTransaction && !wasInsideTransaction && !db.configuration.allowsUnsafeTransactions
    }

    // MARK: Maintenance

    /// Runs a first access before the connection is shared with other threads, and waits for its end.
    func setUp(_ access: (Database) throws -> Void) throws {
        try queue.sync {
            try run(access)
            sample.take(db)
        }
    }

    /// Schedules an internal access, which doesn't run if the connection is closed or released before its turn.
    func maintenance(_ access: @escaping @Sendable (Database) -> Void) {
        maintenanceCount.add(1, ordering: .relaxed)
        queue.async { [weak self] in
            guard let self else { return }
            defer { maintenanceCount.subtract(1, ordering: .relaxed) }
            if db.isClosed { return }
            db.claim()
            defer { db.release() }
            access(db)
        }
    }

    /// Samples the counters of the connection: immediately if it is idle, otherwise at the end of the running access.
    func sampleConnection() {
        if isCurrent { return sample.take(db) }
        if meter.isBusy { return sample.want() }
        let look = DispatchWorkItem { [self] in sample.take(db) }
        queue.async(execute: look)
        // The sample is taken immediately, unless an access starts at the same time, or the target queue is busy.
        _ = look.wait(timeout: .now() + .milliseconds(2))
    }

    // MARK: Suspension

    /// Prevents the connection from locking files.
    func suspend() { interrupter.suspend() }

    /// Ends a suspension, and performs the work that was deferred.
    func resume() {
        guard interrupter.resume() else { return }
        maintenance { [weak self] db in
            self?.checkpointer?.connectionDidResume(db)
            self?.externalChangeWatch?.connectionDidResume(db)
            self?.writeObserver.connectionDidResume()
        }
    }

    // MARK: Closing

    /// Refuses all later database accesses. Used for the writer of a pool, which is closed after the readers.
    ///
    /// - Throws: `SQLITE_BUSY` if statements are still in use. In this case, accesses are still allowed.
    func prepareToClose() throws {
        try reentrantSync { db in
            try db.prepareToClose()
            externalChangeWatch?.end()
        }
    }

    /// Closes the connection.
    ///
    /// - Throws: `SQLITE_BUSY` if statements are still in use.
    func close() throws {
        try reentrantSync { db in
            sample.take(db)
            try db.closeOrThrow()
            externalChangeWatch?.end()
        }
        closed.store(true, ordering: .relaxed)
        walMark?.end()
        checkpointer?.close()
        suspensionObserver?.stop()
    }

    var isOpen: Bool { !closed.load(ordering: .relaxed) }
}

let reentrancy = "Database methods are not reentrant."
