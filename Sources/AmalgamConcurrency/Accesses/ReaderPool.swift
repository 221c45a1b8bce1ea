import AmalgamCore
import AmalgamInspection
import Dispatch
import Synchronization

/// The readers of a pool: opened when needed, used by one access at a time, and kept open.
///
/// An access passes this file from top to bottom: it acquires a permit, gets the reader of the permit, uses the connection,
/// and releases both. The thread that acquires a reader uses it right there: nothing is dispatched in order to read. When
/// all readers are in use, or a barrier waits (`ReaderPool+Barriers.swift`), accesses wait in a queue.
///
/// `state` guards everything, and no closure of the application runs under it.
final class ReaderPool: Sendable {
    let state: RankedMutex<State>
    /// Records all reads with their times; nil without a WAL policy.
    private let walReaders: WALReaders?
    private let open: @Sendable () throws -> Database
    private let makeQueue: @Sendable () -> DispatchQueue
    /// Whether asynchronous accesses are to run on queues that the application has chosen.
    private let hasTarget: Bool

    /// - Parameters:
    ///   - activity: counts all reads.
    ///   - hasTarget: whether the queues of readers have a target, which asynchronous accesses are to run on.
    ///   - makeQueue: makes the serial queue of a reader.
    ///   - open: opens a connection.
    init(
        capacity: Int, activity: ReadActivity = ReadActivity(), walReaders: WALReaders? = nil, hasTarget: Bool = false,
        makeQueue: @escaping @Sendable () -> DispatchQueue,
        open: @escaping @Sendable () throws -> Database
    ) {
        state = RankedMutex(.readers, State(capacity: capacity, activity: activity))
        self.walReaders = walReaders
        self.hasTarget = hasTarget
        self.makeQueue = makeQueue
        self.open = open
    }

    // MARK: Accesses

    /// The connection that the current thread reads from; nil if it uses no reader of this pool.
    func currentReader() -> Database? {
        // Each access asks. The lock is for threads that read: those that wait for it are put to sleep, and woken one by one.
        guard Reader.areUsedByThread else { return nil }
        let reader: Reader? = state.withLock { state in
            if state.permitCount == 0 { return nil }
            return state.open.values.first { $0.db.isAccessible }
        }
        return reader?.db
    }

    /// Refuses an access inside an access, which could wait for a reader forever.
    func checkNotReading() throws {
        guard currentReader() != nil else { return }
        throw DatabaseError(resultCode: .SQLITE_MISUSE, message: reentrancy)
    }

    /// Runs an access on this thread, and waits for a reader if needed.
    ///
    /// - Parameter isInsideWrite: see ``acquire(isInsideWrite:)``.
    /// - Throws: the errors of ``acquire(isInsideWrite:)`` and of ``Reader/run(_:)``.
    func sync<T>(isInsideWrite: Bool = false, _ access: (Database) throws -> T) throws -> T {
        let reader = try acquire(isInsideWrite: isInsideWrite)
        defer { release(reader) }
        return try reader.run(access)
    }

    /// Schedules an access. No thread waits for a reader.
    func async(_ access: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        enqueue { turn in
            do {
                let reader = try self.reader(of: turn.permit, turn.queue)
                defer { self.release(reader) }
                reader.use { access(.success($0)) }
            } catch {
                access(.failure(error))
            }
        }
    }

    /// Runs an access as a part of the current task, and ends it when the task is cancelled.
    ///
    /// It blocks no thread that is not there for it: the task waits in an `AccessTask`, without a thread, and then runs on the
    /// queue of its reader, which needs none of the threads that other accesses block.
    func perform<T: Sendable>(_ access: @Sendable (Database) throws -> T) async throws -> T {
        try await withCancellableAccess { cancellation in
            try cancellation.check()
            if let reader = try acquireOnCurrentThread() {
                defer { release(reader) }
                return try reader.run { try cancellation.run($0, access) }
            }
            let task = AccessTask<Turn>(cancellation) { [self] task in
                let number = enqueue { turn in if !task.run(turn) { self.releaseUnused(turn.permit) } }
                return { number.map(self.dequeue) }
            }
            return try await task.perform { turn in
                let reader = try reader(of: turn.permit, turn.queue)
                defer { release(reader) }
                return try reader.run { try cancellation.run($0, access) }
            }
        }
    }

    // MARK: Acquiring a reader

    /// Acquires a reader, which the caller releases. Waits while none is available.
    ///
    /// - Parameter isInsideWrite: whether the current thread holds the writing connection of the same pool. While a read
    ///   waits for that connection, the thread gets a reader beyond the capacity: both would wait forever otherwise.
    /// - Throws: `SQLITE_MISUSE` when the pool is closed; errors of a new connection.
    func acquire(isInsideWrite: Bool = false) throws -> Reader {
        let answer: Answer = state.withLock { state in
            if let permit = state.availablePermit() ?? state.exceptionalPermit(isInsideWrite: isInsideWrite) {
                return .permit(permit)
            }
            let promise = Promise()
            let number = state.enqueue(.thread(promise))
            if isInsideWrite { state.readOfWriter = number }
            return .promise(promise)
        }
        switch answer {
        case .permit(let permit): return try reader(of: permit)
        case .promise(let promise): return try reader(of: promise.wait())
        }
    }

    /// Acquires a reader for a task on a thread that may be blocked; nil if the task would have to wait.
    private func acquireOnCurrentThread() throws -> Reader? {
        guard AccessExecutor.ownsCurrentThread, !hasTarget else { return nil }
        return try state.withLock { $0.availablePermit() }.map { try reader(of: $0) }
    }

    /// Acquires a reader without waiting, if one is open and idle.
    func acquireIfIdle() -> Reader? {
        let permit = state.withLock { $0.idle.isEmpty ? nil : $0.availablePermit() }
        return try? permit.map { try reader(of: $0) }
    }

    /// Runs an access on the queue of a reader, as soon as there is a permit for it.
    ///
    /// - Parameter access: uses the permit, or releases it.
    /// - Returns: the number that ``dequeue(_:)`` takes; nil if a permit was available at once.
    @discardableResult
    private func enqueue(_ access: @escaping @Sendable (Turn) -> Void) -> Int? {
        let (permit, number): (Permit?, Int?) = state.withLock { state in
            if let permit = state.availablePermit() { return (permit, nil) }
            return (nil, state.enqueue(.queue(access)))
        }
        if let permit { dispatch(access, permit) }
        return number
    }

    /// Removes an access from the queue, if it still waits there.
    private func dequeue(_ number: Int) {
        state.withLock { $0.dequeue(number) }
    }

    private func dispatch(_ access: @escaping @Sendable (Turn) -> Void, _ permit: Permit) {
        let queue = if case .reader(let reader) = permit { reader.queue } else { makeQueue() }
        queue.async { access(Turn(permit: permit, queue: queue)) }
    }

    /// The reader of a permit, which is opened if needed.
    ///
    /// - Parameter queue: the queue of a new reader.
    private func reader(of permit: Permit, _ queue: DispatchQueue? = nil) throws -> Reader {
        switch permit {
        case .reader(let reader):
            reader.walMark?.begin()
            return reader
        case .closed:
            throw Database.connectionIsClosed
        case .unopened:
            do {
                let generation = state.withLock { $0.generation }
                let db = try open()
                let reader = Reader(
                    db, generation: generation, queue: queue ?? makeQueue(), walMark: walReaders?.add(db))
                state.withLock { $0.open[ObjectIdentifier(reader)] = reader }
                reader.walMark?.begin()
                return reader
            } catch {
                release(nil)
                throw error
            }
        }
    }

    // MARK: Releasing a reader

    /// Releases a permit, with its reader if it has one, and resumes the accesses that it is granted to. A reader that can't
    /// serve any more is closed first.
    ///
    /// - Parameter accessCount: how many accesses end here.
    func release(_ reader: Reader?, accessCount: Int = 1) {
        reader?.walMark?.end()
        let grants: Grants? = state.withLock { state in
            if let reader {
                guard state.keeps(reader) else { return nil }
                state.idle.append(reader)
            }
            return state.releasePermit(accessCount: accessCount)
        }
        if let grants { return resume(grants) }
        if let reader { close(reader, accessCount: accessCount) }
    }

    private func releaseUnused(_ permit: Permit) {
        switch permit {
        case .reader(let reader): release(reader, accessCount: 0)
        case .unopened: release(nil, accessCount: 0)
        case .closed: break
        }
    }

    /// Closes a reader, and releases its permit afterwards. `close()` of the pool waits for all permits, and closes the writer
    /// then, which must be the last connection to the file.
    func close(_ reader: Reader, accessCount: Int) {
        state.withLock { _ in reader.cacheCounts = reader.db.cacheCounts ?? reader.cacheCounts }
        reader.use { $0.close() }
        let grants = state.withLock { state in
            state.forget(reader)
            return state.releasePermit(accessCount: accessCount)
        }
        resume(grants)
    }

    /// Resumes the accesses and the barrier that were granted permits, once `state` is unlocked.
    func resume(_ grants: Grants) {
        grants.barrier?.resume()
        for (waiter, permit) in grants.accesses { resume(waiter, permit) }
    }

    func resume(_ waiter: Waiter, _ permit: Permit) {
        switch waiter {
        case .thread(let promise): promise.fulfil(permit)
        case .queue(let access): dispatch(access, permit)
        }
    }
}

// MARK: Permits

extension ReaderPool {
    /// The right to use a reader.
    enum Permit: Sendable {
        case reader(Reader)
        /// No reader is idle, but one may be opened.
        case unopened
        case closed
    }

    /// A permit for an asynchronous access, and the queue that the access runs on.
    struct Turn: Sendable {
        let permit: Permit
        let queue: DispatchQueue
    }

    /// An access that waits for a permit.
    enum Waiter: Sendable {
        /// A thread, which is blocked.
        case thread(Promise)
        /// An asynchronous access, which will run on the queue of its reader.
        case queue(@Sendable (Turn) -> Void)
    }

    /// The answer to a thread that asks for a permit.
    private enum Answer: Sendable {
        case permit(Permit)
        case promise(Promise)
    }

    /// The permit that a waiting thread will be granted.
    final class Promise: Sendable {
        private let permit = Mutex<Permit?>(nil)
        private let semaphore = DispatchSemaphore(value: 0)

        func fulfil(_ newPermit: Permit) {
            permit.withLock { $0 = newPermit }
            semaphore.signal()
        }

        func wait() -> Permit {
            semaphore.wait()
            return permit.withLock { $0! }
        }
    }

    /// The waiting accesses that were granted permits, or the barrier that may begin.
    struct Grants: Sendable {
        var barrier: BarrierWaiter?
        var accesses: [(Waiter, Permit)] = []
    }

    /// The readers, and the accesses and barriers that use them or wait for them.
    ///
    /// A permit is released once its reader is idle again, or closed: after a barrier has begun, no reader is open that isn't
    /// idle.
    struct State {
        /// How many accesses may read at a time.
        let capacity: Int
        /// Counts the acquired permits, for the writer.
        let activity: ReadActivity

        var idle: [Reader] = []
        /// All readers that are open.
        var open: [ObjectIdentifier: Reader] = [:]
        /// The number of acquired permits, with or without an open reader.
        var permitCount = 0
        /// The accesses that wait, first come first served.
        var waiters = CancellableQueue<Waiter>()
        /// The number in `waiters` of the read that the thread of the writer waits for.
        var readOfWriter: Int?
        var waitTimes = WaitTimes()
        /// How many accesses have ended.
        var done = 0
        /// What the page caches of the readers had counted that are closed.
        var closedCounts = CacheCounts()
        /// The number of barriers that wait or run.
        var barriers = 0
        /// The thread that runs a barrier: it may read synchronously, and run another barrier.
        var barrierThread: ThreadID?
        /// Whether a waiting barrier was resumed, and has not begun yet.
        var barrierIsGranted = false
        var barrierWaiters: [BarrierWaiter] = []
        /// How many reads under way write to the same pool, or wait for that.
        var writingReads = 0
        var isClosed = false
        /// Grows when the readers opened before must be closed after use.
        var generation = 0

        init(capacity: Int, activity: ReadActivity) {
            self.capacity = capacity
            self.activity = activity
        }

        /// A permit for an access that doesn't have to wait.
        mutating func availablePermit() -> Permit? {
            if isClosed { return .closed }
            if barriers > 0 || permitCount >= capacity { return nil }
            return permit()
        }

        /// A permit for a thread that would wait for itself: the thread of a barrier, which keeps all other threads from
        /// reading, and the thread of the writer, while a read waits for the writer.
        mutating func exceptionalPermit(isInsideWrite: Bool) -> Permit? {
            let isInsideBarrier = barrierThread == ThreadID.current
            guard isInsideBarrier || isInsideWrite && writingReads > 0 else { return nil }
            return permit()
        }

        mutating func permit() -> Permit {
            if isClosed { return .closed }
            permitCount += 1
            activity.begin()
            return idle.popLast().map(Permit.reader) ?? .unopened
        }

        mutating func enqueue(_ waiter: Waiter) -> Int {
            let number = waiters.append(waiter)
            waitTimes.begin(number)
            return number
        }

        mutating func dequeue(_ number: Int) {
            guard waiters.remove(number) != nil else { return }
            waitTimes.end(number)
            done += 1
        }

        /// Whether a reader will serve other accesses.
        func keeps(_ reader: Reader) -> Bool {
            reader.generation == generation && !isClosed && !reader.isLost && permitCount + idle.count <= capacity
        }

        /// Drops an unused reader.
        mutating func forget(_ reader: Reader) {
            open[ObjectIdentifier(reader)] = nil
            closedCounts += reader.db.cacheCounts ?? reader.cacheCounts
        }

        mutating func releasePermit(accessCount: Int) -> Grants {
            done += accessCount
            permitCount -= 1
            activity.end()
            return grantPermits()
        }

        /// Grants the permits that are left to the accesses that wait, unless a barrier does: it begins after the last access.
        mutating func grantPermits() -> Grants {
            if barriers > 0 { return Grants(barrier: nextBarrier()) }
            var grants = Grants()
            while !waiters.isEmpty, let permit = availablePermit(), let waiter = waiters.popFirst() {
                waitTimes.end(waiter.number)
                grants.accesses.append((waiter.element, permit))
            }
            return grants
        }
    }
}

// MARK: Readers

/// A reader of a pool: a connection that one access uses at a time.
final class Reader: @unchecked Sendable {
    // Sendable: the connection is used only by the access that has acquired the reader.
    let db: Database

    /// The generation of the pool when the reader was opened.
    let generation: Int

    /// Where asynchronous accesses run. A serial queue gets a separate thread when it needs one: an access that holds
    /// a permit never waits for a thread that waits for a permit.
    let queue: DispatchQueue

    /// Since when it reads, for the WAL policy of the pool; nil without one.
    let walMark: WALReadMark?

    /// What the page cache had counted when it was last looked at. Guarded by the pool.
    var cacheCounts = CacheCounts()

    init(_ db: Database, generation: Int, queue: DispatchQueue, walMark: WALReadMark?) {
        self.walMark = walMark
        self.db = db
        self.generation = generation
        self.queue = queue
        db.release()
    }

    /// Runs an access of the application on this thread.
    ///
    /// - Throws: `SQLITE_MISUSE` for an access that leaves a transaction open, which is rolled back.
    func run<T>(_ access: (Database) throws -> T) throws -> T {
        try use { db in
            let result = try access(db)
            if db.isInsideTransaction && !db.holdsSnapshot {
                throw DatabaseError(resultCode: .SQLITE_MISUSE, message: transactionLeftOpen)
            }
            return result
        }
    }

    /// Uses the connection on this thread.
    ///
    /// - Parameter keepsTransaction: whether a transaction that is left open goes on. Otherwise it is rolled back.
    func use<T>(keepsTransaction: Bool = false, _ access: (Database) throws -> T) rethrows -> T {
        try Self.ofThread.withValue(self) {
            db.claim()
            defer {
                if !keepsTransaction && db.isInsideTransaction && !db.holdsSnapshot { try? db.rollback() }
                db.release()
            }
            return try access(db)
        }
    }

    private static let ofThread = ThreadLocal<Reader>()

    /// The connection of the innermost read of the current thread, in any pool.
    static var innermostOfThread: Database? { ofThread.value?.db }

    /// Whether the current thread uses readers, of any pool.
    static var areUsedByThread: Bool { ofThread.value != nil }

    /// Interrupts the statements of the connection from another thread.
    var interrupter: Interrupter { db.access.interrupter }

    /// Whether the reader cannot serve any more: it has lost the state of the database that it was made for.
    var isLost: Bool { db.holdsSnapshot && !db.isInsideTransaction }
}
