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
    /// How many accesses of our own are in line, or run.
    private let upkeeps = Atomic<Int>(0)

    private var suspensionObserver: SuspensionObserver?

    let configuration: Configuration
    let path: String

    private let closed = Atomic<Bool>(false)
    let meter = AccessMeter()
    let sample = ConnectionSample()

    /// Who follows what is written.
    let followers = FollowerSlot()

    /// Who runs the checkpoints of a policy; nil without one.
    let walKeeper: WALKeeper?

    /// What the connection of a snapshot tells the WAL policy of its pool: it reads as long as it is open.
    private let walMark: WALReadMark?

    /// Tells of commits of others; nil unless somebody listens. Used inside of accesses only.
    weak var externalChangeWatch: ExternalChangeWatch?

    /// - Parameter isSnapshot: whether the connection will keep one state of the database.
    init(
        path: String, label: String, purpose: String? = nil, configuration: Configuration, isURI: Bool = false,
        isSnapshot: Bool = false, walKeeper: WALKeeper? = nil, content: ((Database) throws -> Void)? = nil
    ) throws {
        let name = [configuration.label ?? label, purpose].compactMap(\.self).joined(separator: ".")
        db = try Database(
            path: path, description: name, configuration: configuration, isURI: isURI, content: content)
        db.release()
        walMark = isSnapshot ? configuration.walReaders?.add(db) : nil
        walMark?.begin()
        self.walKeeper = walKeeper
        self.path = path
        self.configuration = db.configuration
        let target =
            configuration.readonly
            ? configuration.targetQueue : configuration.writeTargetQueue ?? configuration.targetQueue
        queue = DispatchQueue(
            label: name, qos: target == nil ? configuration.qos.ofQueues : .unspecified, target: target)
        hasTarget = target != nil
        walKeeper?.attach(self)
        if configuration.observesSuspensionNotifications { suspensionObserver = SuspensionObserver(self) }
    }

    deinit {
        // Nobody can be inside an access: accesses retain the connection.
        externalChangeWatch?.end()
        db.claim()
        db.close()
        db.release()
        walMark?.end()
        walKeeper?.close()
    }

    /// What stops the statements of another thread.
    var remote: RemoteControl { db.remote }

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
    /// - Parameter mayStay: whether the access may run on the thread of the task. One that waits for others had better not.
    func perform<T: Sendable>(
        mayStay: Bool = true, _ access: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await withCancellableAccess { cancellation in
            try cancellation.check()
            if mayStay, let ticket = ticketToStay() {
                return try queue.sync { try perform(ticket, cancellation, access) }
            }
            let ticket = meter.ask()
            let task = AccessTask<Void>(cancellation) { [self] task in
                // The access sees the task-local values of the task, and the queue sees its priority.
                queue.async { if !task.run(()) { self.pass(ticket) } }
                return { self.meter.leave(ticket) }
            }
            return try await task.perform { try self.perform(ticket, cancellation, access) }
        }
    }

    /// The turn of an access that has left the line.
    private func pass(_ ticket: AccessMeter.Ticket) {
        meter.pass(ticket)
        if sample.isWanted { sample.take(db) }
        meter.end()
    }

    private func perform<T>(
        _ ticket: AccessMeter.Ticket, _ cancellation: AccessCancellation, _ access: (Database) throws -> T
    ) throws -> T {
        try counted(ticket) { try throwingRun { try cancellation.run($0, access) } }
    }

    /// The right to an access on this thread, if it is one that may be blocked, and nothing is in line.
    private func ticketToStay() -> AccessMeter.Ticket? {
        guard AccessExecutor.ownsCurrentThread, !hasTarget, upkeeps.load(ordering: .relaxed) == 0 else { return nil }
        return meter.askIfIdle()
    }

    // MARK: Accesses of our own, which nobody has asked for

    /// Runs an access, and waits for its end, before anybody else can ask for one.
    func setUp(_ access: (Database) throws -> Void) throws {
        try queue.sync {
            try run(access)
            sample.take(db)
        }
    }

    /// Schedules an access, which does not run when the connection is closed or released before.
    func upkeep(_ access: @escaping @Sendable (Database) -> Void) {
        upkeeps.add(1, ordering: .relaxed)
        queue.async { [weak self] in
            guard let self else { return }
            defer { upkeeps.subtract(1, ordering: .relaxed) }
            if db.isClosed { return }
            db.claim()
            defer { db.release() }
            access(db)
        }
    }

    /// Has a connection looked at that nobody uses, or else at the end of the access under way.
    func lookAtConnection() {
        if isCurrent { return sample.take(db) }
        if meter.isBusy { return sample.want() }
        let look = DispatchWorkItem { [self] in sample.take(db) }
        queue.async(execute: look)
        // It runs at once, unless an access comes right now, or somebody else keeps the target queue.
        _ = look.wait(timeout: .now() + .milliseconds(2))
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
            walKeeper?.accessDidEnd(db)
            db.release()
        }
        let wasInsideTransaction = db.isInsideTransaction
        do {
            let result = try access(db)
            require(!db.hasLeftTransactionOpen(wasInsideTransaction), transactionLeftOpen)
            return result
        } catch {
            if db.hasLeftTransactionOpen(wasInsideTransaction) { try? db.rollback() }
            throw error
        }
    }

    /// Runs an access that can throw: a transaction left open is rolled back, and reported.
    private func throwingRun<T>(_ access: (Database) throws -> T) throws -> T {
        try run { db in
            let wasInsideTransaction = db.isInsideTransaction
            let result = try access(db)
            if db.hasLeftTransactionOpen(wasInsideTransaction) {
                try db.rollback()
                throw DatabaseError(resultCode: .SQLITE_MISUSE, message: transactionLeftOpen)
            }
            return result
        }
    }

    // MARK: Suspension

    /// Keeps the connection from locking files.
    func suspend() { remote.suspend() }

    /// Ends a suspension, and does what was put off meanwhile.
    func resume() {
        guard remote.resume() else { return }
        upkeep { [weak self] db in
            self?.walKeeper?.connectionDidResume(db)
            self?.externalChangeWatch?.connectionDidResume(db)
            self?.followers.connectionDidResume()
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
        walKeeper?.close()
        suspensionObserver?.stop()
    }

    var isOpen: Bool { !closed.load(ordering: .relaxed) }
}

let reentrancy = "Database methods are not reentrant."

let transactionLeftOpen = "A transaction has been left opened at the end of a database access"

extension Database {
    /// A transaction that outlives its access would swallow the writes of the next ones.
    func hasLeftTransactionOpen(_ wasInsideTransaction: Bool) -> Bool {
        isInsideTransaction && !wasInsideTransaction && !configuration.allowsUnsafeTransactions
    }
}
