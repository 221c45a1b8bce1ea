import AmalgamCore
import Dispatch
import Synchronization

/// A connection used by one access at a time, in the order in which accesses are asked for.
///
/// Accesses run on a serial queue. The one that runs owns the connection, under the identity of its thread: an
/// access asked for from inside another one is recognised, and so is a connection used outside of its access.
final class SerialConnection: @unchecked Sendable {
    // Sendable: `db` is used inside of accesses only, and these run one after the other. `suspensionObserver` does not
    // change once the connection is made.
    private let db: Database
    let queue: DispatchQueue

    /// Whether accesses are to run on a queue that the application has chosen.
    private let hasTarget: Bool
    /// The number of maintenance accesses that are queued or run.
    private let maintenanceCount = Atomic<Int>(0)

    private var suspensionObserver: SuspensionObserver?

    let configuration: Configuration
    let path: String

    private let closed = Atomic<Bool>(false)
    let meter = AccessMeter()
    let sample = ConnectionSample()

    /// The observer of the writes.
    let writeObserver = WriteObserverSlot()

    /// Runs the checkpoints of a policy; nil without one.
    let checkpointer: Checkpointer?

    /// The read mark of a snapshot's connection, for the WAL policy of its pool: it reads as long as it is open.
    private let walMark: WALReadMark?

    /// Reports commits of other connections; nil without a listener. Used inside of accesses only.
    weak var externalChangeWatch: ExternalChangeWatch?

    /// - Parameter isSnapshot: whether the connection will keep one state of the database.
    init(
        path: String, label: String, purpose: String? = nil, configuration: Configuration, isURI: Bool = false,
        isSnapshot: Bool = false, checkpointer: Checkpointer? = nil, content: ((Database) throws -> Void)? = nil
    ) throws {
        let name = [configuration.label ?? label, purpose].compactMap(\.self).joined(separator: ".")
        db = try Database(
            path: path, description: name, configuration: configuration, isURI: isURI, content: content)
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
        // No access is under way: accesses retain the connection.
        externalChangeWatch?.end()
        db.claim()
        db.close()
        db.release()
        walMark?.end()
        checkpointer?.close()
    }

    /// Interrupts the statements of the connection from another thread.
    var interrupter: Interrupter { db.access.interrupter }

    /// Whether the current thread is inside an access.
    var isCurrent: Bool { db.isAccessible }

    /// Whether the current thread is inside an access, and has not begun a read of a pool since.
    var isInnermost: Bool { isCurrent && Reader.innermostOfThread.map(ObjectIdentifier.init) == enclosingReader }

    /// The reader that the thread of the access under way used when the access began. Used inside of accesses only.
    private var enclosingReader: ObjectIdentifier?

    /// Runs an access, and waits for its result. From inside an access of the same connection it traps, or throws
    /// when it can.
    func sync<T>(_ access: (Database) throws -> T) rethrows -> T {
        require(!isCurrent, reentrancy)
        let ticket = meter.ask()
        return try queue.sync { try counted(ticket) { try run(access) } }
    }

    /// Runs an access, and waits for its result.
    ///
    /// - throws: `SQLITE_MISUSE` from inside an access of the same connection.
    func throwingSync<T>(_ access: (Database) throws -> T) throws -> T {
        if isCurrent { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: reentrancy) }
        let ticket = meter.ask()
        return try queue.sync { try counted(ticket) { try throwingRun(access) } }
    }

    /// Runs an access, also from inside another one of the same connection.
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

    /// Runs an access without blocking a thread that is not there for it. The cancellation of the task ends it.
    ///
    /// - Parameter mayRunOnCurrentThread: whether the access may run on the thread of the task. Pass false for an access that
    ///   waits for other accesses.
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

    /// The turn of an access that was cancelled in the queue.
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

    /// A ticket for an access on this thread, if it is one that may be blocked, and the queue is empty.
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

    /// Runs an access that was dispatched on the queue.
    func run<T>(_ access: (Database) throws -> T) rethrows -> T {
        db.claim()
        enclosingReader = Reader.innermostOfThread.map(ObjectIdentifier.init)
        defer {
            enclosingReader = nil
            checkpointer?.accessDidEnd(db)
            db.release()
        }
        let wasInsideTransaction = db.isInsideTransaction
        do {
            let result = try access(db)
            require(!hasLeftTransactionOpen(wasInsideTransaction), transactionLeftOpen)
            return result
        } catch {
            if hasLeftTransactionOpen(wasInsideTransaction) { try? db.rollback() }
            throw error
        }
    }

    /// Runs an access that can throw: a transaction left open is rolled back, and reported.
    private func throwingRun<T>(_ access: (Database) throws -> T) throws -> T {
        try run { db in
            let wasInsideTransaction = db.isInsideTransaction
            let result = try access(db)
            if hasLeftTransactionOpen(wasInsideTransaction) {
                try db.rollback()
                throw DatabaseError(resultCode: .SQLITE_MISUSE, message: transactionLeftOpen)
            }
            return result
        }
    }

    /// Whether an access has left a transaction open. It would swallow the writes of the next accesses.
    private func hasLeftTransactionOpen(_ wasInsideTransaction: Bool) -> Bool {
        db.isInsideTransaction && !wasInsideTransaction && !db.configuration.allowsUnsafeTransactions
    }

    // MARK: Maintenance

    /// Runs the first access, and waits for its end, before the connection is shared.
    func setUp(_ access: (Database) throws -> Void) throws {
        try queue.sync {
            try run(access)
            sample.take(db)
        }
    }

    /// Schedules an access of the library itself. It does not run if the connection is closed or released before.
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

    /// Samples the counters of the connection: now if it is idle, otherwise at the end of the access under way.
    func sampleConnection() {
        if isCurrent { return sample.take(db) }
        if meter.isBusy { return sample.want() }
        let look = DispatchWorkItem { [self] in sample.take(db) }
        queue.async(execute: look)
        // It runs at once, unless an access comes right now, or other work blocks the target queue.
        _ = look.wait(timeout: .now() + .milliseconds(2))
    }

    // MARK: Suspension

    /// Keeps the connection from locking files.
    func suspend() { interrupter.suspend() }

    /// Ends a suspension, and does the work that it deferred.
    func resume() {
        guard interrupter.resume() else { return }
        maintenance { [weak self] db in
            self?.checkpointer?.connectionDidResume(db)
            self?.externalChangeWatch?.connectionDidResume(db)
            self?.writeObserver.connectionDidResume()
        }
    }

    // MARK: Closing

    /// Refuses all accesses to come, for a connection that is closed once others are.
    ///
    /// - throws: when statements are still in use. Nothing is refused, then.
    func prepareToClose() throws {
        try reentrantSync { db in
            try db.prepareToClose()
            externalChangeWatch?.end()
        }
    }

    /// Ends the connection, and throws when statements are still in use.
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

let transactionLeftOpen = "A transaction has been left opened at the end of a database access"
