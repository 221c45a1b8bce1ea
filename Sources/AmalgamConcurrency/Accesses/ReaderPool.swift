import AmalgamCore
import AmalgamInspection
import Dispatch
import Synchronization

/// The reader connections of a pool. A reader is opened on demand, used by one access at a time, and stays open.
///
/// An access acquires a permit (the right to use one reader), uses the reader, and then releases the permit with the
/// reader. A synchronous access uses the reader on its own thread, without a dispatch. Accesses wait in a queue while
/// all readers are in use, and while a barrier, which excludes all reads, waits or runs.
///
/// The mutex of `state` guards all mutable state. No closure of the application runs while the mutex is locked.
final class ReaderPool: Sendable {
    let state: RankedMutex<State>
    /// Records the start times of all reads. Nil without a WAL policy.
    private let walReaders: WALReaders?
    private let open: @Sendable () throws -> Database
    private let makeQueue: @Sendable () -> DispatchQueue
    /// Whether the application has chosen a target queue, on which asynchronous accesses must run.
    private let hasTarget: Bool

    /// - Parameters:
    ///   - capacity: the maximum number of concurrent database accesses.
    ///   - activity: counts all reads.
    ///   - walReaders: records the start times of all reads.
    ///   - hasTarget: whether the application has chosen a target queue, on which asynchronous accesses must run.
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

    /// The connection with which the current thread reads. Nil if the thread uses no reader of this pool.
    func currentReader() -> Database? {
        // Each access calls this method. Only threads that use a reader take the lock, which reduces contention.
        guard Reader.areUsedByThread else { return nil }
        let reader: Reader? = state.withLock { state in
            if state.permitCount == 0 { return nil }
            return state.open.values.first { $0.db.isAccessible }
        }
        return reader?.db
    }

    /// Throws if the current thread uses a reader of this pool: a nested access could wait forever for another reader.
    func checkNotReading() throws {
        guard currentReader() != nil else { return }
        throw DatabaseError(resultCode: .SQLITE_MISUSE, message: reentrancy)
    }

    /// Runs a database access on this thread, and waits for a reader if needed.
    ///
    /// - Parameter isInsideWrite: see ``acquire(isInsideWrite:)``.
    /// - Throws: the errors of ``acquire(isInsideWrite:)`` and of ``Reader/run(_:)``.
    func sync<T>(isInsideWrite: Bool = false, _ access: (Database) throws -> T) throws -> T {
        let reader = try acquire(isInsideWrite: isInsideWrite)
        defer { release(reader) }
        return try reader.run(access)
    }

    /// Schedules an access, which waits for a reader without blocking a thread.
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

    /// Runs a database access as part of the current task, and interrupts the access when the task is cancelled.
    ///
    /// A task that has to wait is suspended (see `AccessTask`). Its access then runs on the dispatch queue of the
    /// reader, which gets a thread even if other accesses block many threads.
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

    /// Acquires a reader, which the caller must release. Waits until a permit, the right to use a reader, is available.
    ///
    /// - Parameter isInsideWrite: whether the current thread holds the writing connection of the same pool. If a
    ///   running read waits for that connection, the thread gets a permit beyond the capacity, to prevent a deadlock.
    /// - Throws: `SQLITE_MISUSE` if the pool is closed; errors of opening a connection.
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

    /// Acquires a reader for a task on a thread that may block. Nil if the task would have to wait.
    private func acquireOnCurrentThread() throws -> Reader? {
        guard AccessExecutor.ownsCurrentThread, !hasTarget else { return nil }
        return try state.withLock { $0.availablePermit() }.map { try reader(of: $0) }
    }

    /// Acquires an idle reader without waiting for a running access. Nil if there is none.
    ///
    /// - Parameter opensReader: whether a connection may be opened, if no open reader is idle, and not all are in use.
    func acquireIfIdle(opensReader: Bool = false) -> Reader? {
        let permit = state.withLock { $0.idle.isEmpty && !opensReader ? nil : $0.availablePermit() }
        return try? permit.map { try reader(of: $0) }
    }

    /// Schedules a database access on the dispatch queue of a reader, when a permit (the right to use a reader) is
    /// available.
    ///
    /// - Parameter access: receives the permit, and must release it.
    /// - Returns: the number by which ``dequeue(_:)`` identifies the access. Nil if the access didn't have to wait.
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

    /// Returns the reader of a permit. If the permit is `unopened`, opens a new reader.
    ///
    /// - Parameter queue: the dispatch queue for a new reader. If nil, a queue is made.
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

    /// Returns a permit (the right to use one reader) and its reader, if any, to the pool, and resumes the access that
    /// was waiting for the permit. A reader that can't be used again is closed.
    ///
    /// - Parameter accessCount: the number to add to the count of finished database accesses, 0 or 1.
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

    /// Closes a reader, and then returns its permit to the pool. The order matters: `close()` of the pool closes the
    /// writer when all permits are returned, and the writer must be closed after all readers.
    func close(_ reader: Reader, accessCount: Int) {
        state.withLock { _ in reader.cacheCounts = reader.db.cacheCounts ?? reader.cacheCounts }
        reader.use { $0.close() }
        let grants = state.withLock { state in
            state.forget(reader)
            return state.releasePermit(accessCount: accessCount)
        }
        resume(grants)
    }

    /// Resumes the accesses that received permits, or the barrier that may begin. The caller must not hold the lock.
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
    /// The right of one access to use a reader.
    enum Permit: Sendable {
        case reader(Reader)
        /// No reader is idle, but a new one may be opened.
        case unopened
        case closed
    }

    /// The permit of an asynchronous access, and the queue on which the access runs.
    struct Turn: Sendable {
        let permit: Permit
        let queue: DispatchQueue
    }

    /// An access that waits for a permit.
    enum Waiter: Sendable {
        /// A blocked thread.
        case thread(Promise)
        /// An asynchronous access, which runs on the queue of its reader.
        case queue(@Sendable (Turn) -> Void)
    }

    /// The result of a thread's request for a permit.
    private enum Answer: Sendable {
        case permit(Permit)
        case promise(Promise)
    }

    /// The future permit of a waiting thread.
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

    /// The waiting accesses that receive permits, or the barrier that may begin.
    struct Grants: Sendable {
        var barrier: BarrierWaiter?
        var accesses: [(Waiter, Permit)] = []
    }

    /// The mutable state of the pool: readers, permits, waiting accesses, and barriers.
    ///
    /// A permit (the right to use one reader) is released only after its reader was closed or became idle. So all open
    /// readers are idle while no permit is in use. Only then may a barrier (a closure that excludes all reads) begin.
    struct State {
        /// The maximum number of concurrent accesses.
        let capacity: Int
        /// Counts the acquired permits, for the writer.
        let activity: ReadActivity

        var idle: [Reader] = []
        /// All open readers.
        var open: [ObjectIdentifier: Reader] = [:]
        /// The number of acquired permits, with or without an open reader.
        var permitCount = 0
        /// The waiting accesses, in FIFO order.
        var waiters = CancellableQueue<Waiter>()
        /// The number, in `waiters`, of the read that the thread of the writing connection waits for.
        var readOfWriter: Int?
        var waitTimes = WaitTimes()
        /// The number of finished accesses.
        var done = 0
        /// The page cache counters of closed readers.
        var closedCounts = CacheCounts()
        /// The number of waiting and running barriers.
        var barriers = 0
        /// The thread that runs a barrier. This thread may read synchronously, and run a nested barrier.
        var barrierThread: ThreadID?
        /// Whether a waiting barrier was resumed, and hasn't begun yet.
        var barrierIsGranted = false
        var barrierWaiters: [BarrierWaiter] = []
        /// The number of running reads that write to the same pool, or wait for such a write.
        var writingReads = 0
        var isClosed = false
        /// The current generation. Readers of earlier generations are closed after use.
        var generation = 0

        init(capacity: Int, activity: ReadActivity) {
            self.capacity = capacity
            self.activity = activity
        }

        /// Returns a permit, unless the access has to wait.
        mutating func availablePermit() -> Permit? {
            if isClosed { return .closed }
            if barriers > 0 || permitCount >= capacity { return nil }
            return permit()
        }

        /// Returns a permit beyond the capacity, if the current thread would otherwise deadlock. This is the case
        /// inside a barrier, which blocks all other reads, and inside a write while a running read waits for the
        /// writing connection.
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

        /// Whether a reader can be used again.
        func keeps(_ reader: Reader) -> Bool {
            reader.generation == generation && !isClosed && !reader.isLost && permitCount + idle.count <= capacity
        }

        /// Removes a reader that is not in use.
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

        /// Assigns the available permits (rights to use a reader) to the waiting database accesses, and returns the
        /// pairs. While a barrier (a closure that excludes all reads) waits or runs, assigns no permits, and returns
        /// the next waiting barrier if that barrier may begin.
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

/// A read-only connection of a pool, which one access uses at a time.
final class Reader: @unchecked Sendable {
    // Sendable: only the access that has acquired the reader uses the connection.
    let db: Database

    /// The generation of the pool when the reader was opened.
    let generation: Int

    /// The dispatch queue of asynchronous accesses. Dispatch creates a thread for a serial queue if necessary, so a
    /// database access that has a reader can run even if all other threads wait for readers.
    let queue: DispatchQueue

    /// The start time of the current read, for the WAL policy of the pool. Nil without a policy.
    let walMark: WALReadMark?

    /// The last sample of the page cache counters. Guarded by the lock of the pool.
    var cacheCounts = CacheCounts()

    init(_ db: Database, generation: Int, queue: DispatchQueue, walMark: WALReadMark?) {
        self.walMark = walMark
        self.db = db
        self.generation = generation
        self.queue = queue
        db.release()
    }

    /// Runs a database access of the application on the current thread.
    ///
    /// - Throws: the error thrown by the access; `SQLITE_MISUSE` if the access leaves a transaction open, which is
    ///   rolled back.
    func run<T>(_ access: (Database) throws -> T) throws -> T {
        try use { db in
            let result = try access(db)
            if db.isInsideTransaction && !db.holdsSnapshot {
                throw DatabaseError(resultCode: .SQLITE_MISUSE, message: transactionLeftOpen)
            }
            return result
        }
    }

    /// Runs a closure that uses the connection, on the current thread.
    ///
    /// - Parameter keepsTransaction: whether an open transaction stays open afterwards. If not, it is rolled back.
    func use<T>(keepsTransaction: Bool = false, _ access: (Database) throws -> T) rethrows -> T {
        try Self.ofThread.withValue(self) {
            db.claim()
            defer {
                if !db.holdsSnapshot { db.endReading() }
                if !keepsTransaction && db.isInsideTransaction && !db.holdsSnapshot {
                    db.rollbackLeftTransaction()
                }
                db.release()
            }
            return try access(db)
        }
    }

    private static let ofThread = ThreadLocal<Reader>()

    /// The connection of the current thread's innermost read, in any pool.
    static var innermostOfThread: Database? { ofThread.value?.db }

    /// Whether the current thread uses a reader of any pool.
    static var areUsedByThread: Bool { ofThread.value != nil }

    /// The interrupter of the connection, which any thread may use.
    var interrupter: Interrupter { db.access.interrupter }

    /// Whether the reader can't be used again, because its snapshot is lost.
    var isLost: Bool { db.holdsSnapshot && !db.isInsideTransaction }
}
