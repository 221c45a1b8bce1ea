import AmalgamCore
import Dispatch
import Synchronization

/// A reader of a pool: a connection that one access uses at a time.
final class Reader: @unchecked Sendable {
    // Sendable: the connection is used only by the access that has acquired the reader.
    fileprivate let db: Database

    /// The generation of the pool when the reader was opened.
    fileprivate let generation: Int

    /// Since when it reads, for the WAL policy of the pool; nil without one.
    fileprivate let walMark: WALReadMark?

    /// What the page cache had counted when it was last looked at. Guarded by the pool.
    fileprivate var cacheCounts = CacheCounts()

    fileprivate init(_ db: Database, generation: Int, queue: DispatchQueue, walMark: WALReadMark?) {
        self.walMark = walMark
        self.db = db
        self.generation = generation
        self.queue = queue
        db.release()
    }

    /// Interrupts the statements of the connection from another thread.
    var interrupter: Interrupter { db.interrupter }

    /// Where asynchronous accesses run. A serial queue gets a separate thread when it needs one: an access that holds
    /// a permit never waits for a thread that waits for a permit.
    fileprivate let queue: DispatchQueue

    /// Uses the connection on this thread. A transaction that the access leaves open is rolled back.
    func use<T>(_ access: (Database) throws -> T) rethrows -> T {
        try useKeepingTransaction { db in
            defer { if db.isInsideTransaction && !db.holdsSnapshot { try? db.rollback() } }
            return try access(db)
        }
    }

    /// Uses the connection on this thread, for an access that goes on later.
    func useKeepingTransaction<T>(_ access: (Database) throws -> T) rethrows -> T {
        try Self.ofThread.withValue(self) {
            db.claim()
            defer { db.release() }
            return try access(db)
        }
    }

    private static let ofThread = ThreadLocal<Reader>()

    /// The connection of the innermost read of the current thread, in any pool.
    static var innermostOfThread: Database? { ofThread.value?.db }

    /// Whether the current thread uses readers, of any pool.
    fileprivate static var areUsedByThread: Bool { ofThread.value != nil }

    /// Whether the reader cannot serve any more: it has lost the state of the database that it was made for.
    fileprivate var isLost: Bool { db.holdsSnapshot && !db.isInsideTransaction }
}

/// The readers of a pool: opened when needed, used by one access at a time, and kept open.
///
/// The thread that acquires a reader uses it right there: nothing is dispatched in order to read. When all readers are in
/// use, accesses wait in a queue. A barrier waits until no reader is in use, and lets no read begin before its end, except
/// for the synchronous reads of its own thread.
///
/// A permit is released once its reader is idle again, or closed: after a barrier has begun, no reader is open that isn't
/// idle. `state` guards everything, and no closure of the application runs under it.
final class ReaderPool: Sendable {
    /// The right to use a reader.
    private enum Permit: Sendable {
        case reader(Reader)
        /// No reader is idle, but one may be opened.
        case unopened
        case closed
    }

    /// Resumes a waiting access.
    private typealias Waiter = @Sendable (Permit) -> Void

    /// A barrier that waits for the reads under way.
    final class BarrierWaiter: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let isCancelled = Atomic<Bool>(false)
        /// Whether it waits on the writing connection, which a read may ask for.
        let blocksWriter: Bool
        /// Whether the barrier was cancelled. Guarded by the pool.
        fileprivate let isWithdrawn = Atomic<Bool>(false)

        init(blocksWriter: Bool) {
            self.blocksWriter = blocksWriter
        }

        fileprivate func resume() { semaphore.signal() }

        fileprivate func cancel() {
            isCancelled.store(true, ordering: .releasing)
            semaphore.signal()
        }

        /// - Returns: whether it is the turn of the barrier.
        fileprivate func wait() -> Bool {
            semaphore.wait()
            return !isCancelled.load(ordering: .acquiring)
        }
    }

    private struct State {
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
    }

    private let state = RankedMutex(.readers, State())
    let capacity: Int
    /// Counts the acquired permits, for the writer.
    private let activity: ReadActivity
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
        self.capacity = capacity
        self.activity = activity
        self.walReaders = walReaders
        self.hasTarget = hasTarget
        self.makeQueue = makeQueue
        self.open = open
    }

    // MARK: Accesses

    /// Runs an access, and waits for a reader if needed.
    ///
    /// - Parameter isInsideWrite: see ``acquire(isInsideWrite:)``.
    func sync<T>(isInsideWrite: Bool = false, _ access: (Database) throws -> T) throws -> T {
        let reader = try acquire(isInsideWrite: isInsideWrite)
        defer { release(reader) }
        return try run(reader, access)
    }

    /// - Throws: `SQLITE_MISUSE` for an access that leaves a transaction open. The reader ends it afterwards.
    private func run<T>(_ reader: Reader, _ access: (Database) throws -> T) throws -> T {
        try reader.use { db in
            let result = try access(db)
            if db.isInsideTransaction && !db.holdsSnapshot {
                throw DatabaseError(resultCode: .SQLITE_MISUSE, message: transactionLeftOpen)
            }
            return result
        }
    }

    /// Schedules an access. No thread waits for a reader.
    func async(_ access: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        requestPermit { permit in
            let queue = self.queue(of: permit)
            queue.async {
                do {
                    let reader = try self.reader(permit, queue)
                    defer { self.release(reader) }
                    reader.use { access(.success($0)) }
                } catch {
                    access(.failure(error))
                }
            }
        }
    }

    /// Runs an access as a part of the current task, without blocking a thread that is not there for it: a waiting task
    /// occupies no thread, and one that has a permit needs none of the threads that other accesses block.
    func perform<T: Sendable>(
        _ cancellation: AccessCancellation, _ access: @Sendable (Database) throws -> T
    ) async throws -> T {
        try cancellation.check()
        if let reader = try acquireOnCurrentThread() {
            defer { release(reader) }
            return try run(reader) { try cancellation.run($0, access) }
        }
        let task = AccessTask<Turn>(cancellation) { [self] task in
            let number = requestPermit { permit in
                let queue = self.queue(of: permit)
                queue.async { if !task.run(Turn(permit: permit, queue: queue)) { self.release(permit) } }
            }
            return { number.map(self.dequeue) }
        }
        return try await task.perform { turn in
            let reader = try self.reader(turn.permit, turn.queue)
            defer { self.release(reader) }
            return try run(reader) { try cancellation.run($0, access) }
        }
    }

    /// Where the access of a task runs.
    private struct Turn: Sendable {
        let permit: Permit
        let queue: DispatchQueue
    }

    /// Where an asynchronous access runs.
    private func queue(of permit: Permit) -> DispatchQueue {
        if case .reader(let reader) = permit { reader.queue } else { makeQueue() }
    }

    /// Acquires a reader, which the caller releases.
    ///
    /// - Parameter isInsideWrite: whether the current thread holds the writing connection of the same pool. While a read
    ///   waits for that connection, the thread gets a reader beyond the capacity: both would wait forever otherwise.
    func acquire(isInsideWrite: Bool = false) throws -> Reader {
        try reader(acquirePermit(isInsideWrite: isInsideWrite), nil)
    }

    /// Acquires a reader for a task on a thread that may be blocked; nil if the task would have to wait.
    private func acquireOnCurrentThread() throws -> Reader? {
        guard AccessExecutor.ownsCurrentThread, !hasTarget else { return nil }
        return try state.withLock { immediatePermit(&$0) }.map { try reader($0, nil) }
    }

    /// Acquires a reader without waiting, if one is open and idle.
    func acquireIfIdle() -> Reader? {
        let permit = state.withLock { $0.idle.isEmpty ? nil : immediatePermit(&$0) }
        return try? permit.map { try reader($0, nil) }
    }

    /// Schedules work on the queue of an acquired reader.
    func async(on reader: Reader, _ work: @escaping @Sendable () -> Void) {
        reader.queue.async(execute: work)
    }

    /// Releases a reader, and resumes the next access in the queue.
    func release(_ reader: Reader) {
        release(reader, after: 1)
    }

    /// The reader of a permit, which is opened if needed.
    private func reader(_ permit: Permit, _ queue: DispatchQueue?) throws -> Reader {
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
                release(nil, after: 1)
                throw error
            }
        }
    }

    // MARK: Permits

    private func acquirePermit(isInsideWrite: Bool) -> Permit {
        let promise = Promise()
        let permit: Permit? = state.withLock { state in
            if let permit = immediatePermit(&state) ?? exceptionalPermit(&state, isInsideWrite: isInsideWrite) {
                return permit
            }
            let number = enqueue({ promise.fulfil($0) }, &state)
            if isInsideWrite { state.readOfWriter = number }
            return nil
        }
        return permit ?? promise.wait()
    }

    /// A permit for a thread that would wait for itself: the thread of a barrier, which keeps all other threads from reading,
    /// and the thread of the writer, while a read waits for the writer.
    private func exceptionalPermit(_ state: inout State, isInsideWrite: Bool) -> Permit? {
        let isInsideBarrier = state.barrierThread == ThreadID.current
        guard isInsideBarrier || isInsideWrite && state.writingReads > 0 else { return nil }
        return permit(&state)
    }

    /// The value that a waiting thread is given.
    private final class Promise: Sendable {
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

    /// - Returns: the number in the queue; nil if a permit is available at once.
    @discardableResult
    private func requestPermit(_ waiter: @escaping Waiter) -> Int? {
        let (permit, number): (Permit?, Int?) = state.withLock { state in
            if let permit = immediatePermit(&state) { return (permit, nil) }
            return (nil, enqueue(waiter, &state))
        }
        if let permit { waiter(permit) }
        return number
    }

    private func enqueue(_ waiter: @escaping Waiter, _ state: inout State) -> Int {
        let number = state.waiters.append(waiter)
        state.waitTimes.begin(number)
        return number
    }

    private func dequeue(_ number: Int) {
        state.withLock { state in
            guard state.waiters.remove(number) != nil else { return }
            state.waitTimes.end(number)
            state.done += 1
        }
    }

    /// Releases an unused permit.
    private func release(_ permit: Permit) {
        switch permit {
        case .reader(let reader): release(reader, after: 0)
        case .unopened: release(nil, after: 0)
        case .closed: break
        }
    }

    private func immediatePermit(_ state: inout State) -> Permit? {
        if state.isClosed { return .closed }
        if state.barriers > 0 || state.permitCount >= capacity { return nil }
        return permit(&state)
    }

    private func permit(_ state: inout State) -> Permit {
        if state.isClosed { return .closed }
        state.permitCount += 1
        activity.begin()
        return state.idle.popLast().map(Permit.reader) ?? .unopened
    }

    /// Releases a permit, with its reader if it has one. A reader that can't serve any more is closed first.
    private func release(_ reader: Reader?, after accessCount: Int) {
        reader?.walMark?.end()
        let call: (() -> Void)? = state.withLock { state in
            if let reader {
                guard keeps(reader, state) else { return nil }
                state.idle.append(reader)
            }
            return releasePermit(&state, after: accessCount)
        }
        if let call { return call() }
        if let reader { close(reader, after: accessCount) }
    }

    /// Closes a reader, and releases its permit afterwards. `close()` of the pool waits for all permits, and closes the writer
    /// then, which must be the last connection to the file.
    private func close(_ reader: Reader, after accessCount: Int) {
        state.withLock { _ in reader.cacheCounts = reader.db.cacheCounts ?? reader.cacheCounts }
        reader.use { $0.close() }
        let call = state.withLock { state in
            Self.forget(reader, &state)
            return releasePermit(&state, after: accessCount)
        }
        call()
    }

    /// Whether a reader will serve other accesses.
    private func keeps(_ reader: Reader, _ state: State) -> Bool {
        reader.generation == state.generation && !state.isClosed && !reader.isLost
            && state.permitCount + state.idle.count <= capacity
    }

    private func releasePermit(_ state: inout State, after accessCount: Int) -> () -> Void {
        state.done += accessCount
        state.permitCount -= 1
        activity.end()
        return next(&state)
    }

    /// Returns the closure that resumes the barrier or the accesses that wait for a permit.
    private func next(_ state: inout State) -> () -> Void {
        if state.barriers > 0 {
            guard !Self.barrierIsUnderWay(state), state.permitCount == 0, !state.barrierWaiters.isEmpty else {
                return {}
            }
            let waiter = state.barrierWaiters.removeFirst()
            state.barrierIsGranted = true
            return { waiter.resume() }
        }
        var calls: [() -> Void] = []
        while !state.waiters.isEmpty, let permit = immediatePermit(&state), let waiter = state.waiters.popFirst() {
            state.waitTimes.end(waiter.number)
            calls.append { waiter.element(permit) }
        }
        if calls.isEmpty { return {} }
        return { calls.forEach { $0() } }
    }

    // MARK: Metrics

    /// Drops an unused reader.
    private static func forget(_ reader: Reader, _ state: inout State) {
        state.open[ObjectIdentifier(reader)] = nil
        state.closedCounts += reader.db.cacheCounts ?? reader.cacheCounts
    }

    /// Fills in the metrics of the readers.
    func fill(_ metrics: inout DatabaseMetrics) {
        state.withLock { state in
            metrics.readers.running = state.permitCount
            metrics.readers.waiting = state.waiters.count
            metrics.readers.done = state.done
            state.waitTimes.fill(&metrics.readers)
            metrics.connectionCount += state.open.count
            // No access can acquire an idle reader while the lock is held.
            for reader in state.idle { reader.cacheCounts = reader.db.cacheCounts ?? reader.cacheCounts }
            let counts = state.open.values.reduce(into: state.closedCounts) { $0 += $1.cacheCounts }
            metrics.cache.hits += counts.hits
            metrics.cache.misses += counts.misses
        }
    }

    // MARK: The whole pool

    /// A barrier of the writing connection would wait for a read that waits for this connection.
    struct BarrierYielded: Error {}

    /// Runs a closure while no reader is in use. Barriers run one at a time; one may run inside another.
    func barrier<T>(_ body: () throws -> T) rethrows -> T {
        let thread = ThreadID.current
        if state.withLock({ $0.barrierThread == thread }) { return try body() }
        _ = beginBarrier(thread, BarrierWaiter(blocksWriter: false))
        defer { endBarrier() }
        return try body()
    }

    /// Runs a closure on the writing connection, while no reader is in use.
    ///
    /// - Parameter waiter: identifies the barrier for ``cancel(_:)``.
    /// - throws: ``BarrierYielded`` when a read under way asks for the writing connection, or when the barrier was
    ///   cancelled: the closure has not run. The caller tries again, behind that read in the queue of the connection.
    func writerBarrier<T>(
        _ waiter: BarrierWaiter = BarrierWaiter(blocksWriter: true), _ body: () throws -> T
    ) throws -> T {
        let thread = ThreadID.current
        if state.withLock({ $0.barrierThread == thread }) { return try body() }
        guard beginBarrier(thread, waiter) else { throw BarrierYielded() }
        defer { endBarrier() }
        return try body()
    }

    /// Runs a closure that asks for the writing connection, from any thread.
    func asksForWriter<T>(_ body: () throws -> T) rethrows -> T {
        guard currentReader() != nil else { return try body() }
        beginWritingRead()
        defer { state.withLock { $0.writingReads -= 1 } }
        return try body()
    }

    /// Cancels the barriers that would wait for this read on the writing connection, and resumes the read that the thread of
    /// this connection waits for.
    private func beginWritingRead() {
        let (waiters, calls): ([BarrierWaiter], [() -> Void]) = state.withLock { state in
            state.writingReads += 1
            let readOfWriter = beginReadOfWriter(&state)
            let waiters = state.barrierWaiters.filter(\.blocksWriter)
            if waiters.isEmpty { return ([], [readOfWriter]) }
            state.barrierWaiters.removeAll(where: \.blocksWriter)
            state.barriers -= waiters.count
            return (waiters, [readOfWriter, next(&state)])
        }
        waiters.forEach { $0.cancel() }
        calls.forEach { $0() }
    }

    private func beginReadOfWriter(_ state: inout State) -> () -> Void {
        guard let number = state.readOfWriter else { return {} }
        state.readOfWriter = nil
        // Its turn may have come before.
        guard let waiter = state.waiters.remove(number) else { return {} }
        state.waitTimes.end(number)
        let permit = permit(&state)
        return { waiter(permit) }
    }

    /// - Returns: whether the barrier has begun.
    private func beginBarrier(_ thread: ThreadID, _ waiter: BarrierWaiter) -> Bool {
        let begins: Bool? = state.withLock { state in
            if waiter.isWithdrawn.load(ordering: .relaxed) { return false }
            if waiter.blocksWriter && state.writingReads > 0 { return false }
            state.barriers += 1
            if state.permitCount == 0 && !Self.barrierIsUnderWay(state) {
                state.barrierThread = thread
                return true
            }
            state.barrierWaiters.append(waiter)
            return nil
        }
        if let begins { return begins }
        guard waiter.wait() else { return false }
        state.withLock { state in
            state.barrierIsGranted = false
            state.barrierThread = thread
        }
        return true
    }

    /// Cancels a barrier that waits, or is about to.
    func cancel(_ waiter: BarrierWaiter) {
        let call: (() -> Void)? = state.withLock { state in
            waiter.isWithdrawn.store(true, ordering: .relaxed)
            guard let index = state.barrierWaiters.firstIndex(where: { $0 === waiter }) else { return nil }
            state.barrierWaiters.remove(at: index)
            state.barriers -= 1
            return next(&state)
        }
        guard let call else { return }
        waiter.cancel()
        call()
    }

    private func endBarrier() {
        let call = state.withLock { state in
            state.barriers -= 1
            state.barrierThread = nil
            return next(&state)
        }
        call()
    }

    private static func barrierIsUnderWay(_ state: State) -> Bool {
        state.barrierThread != nil || state.barrierIsGranted
    }

    /// Interrupts all open readers.
    func interrupt() {
        let interrupters = state.withLock { $0.open.values.map(\.interrupter) }
        interrupters.forEach { $0.interrupt() }
    }

    /// Whether the current thread runs a barrier.
    var isInsideBarrier: Bool { state.withLock { $0.barrierThread == ThreadID.current } }

    /// How many accesses, and how many barriers, wait for their turn.
    var waiting: (accesses: Int, barriers: Int) {
        state.withLock { ($0.waiters.count, $0.barrierWaiters.count) }
    }

    /// Whether the current thread uses one of the readers.
    func currentReader() -> Database? {
        // Each access asks. The lock is for those who read: threads that wait for it are put to sleep, and woken one by one.
        guard Reader.areUsedByThread else { return nil }
        let reader: Reader? = state.withLock { state in
            if state.permitCount == 0 { return nil }
            return state.open.values.first { $0.db.isAccessible }
        }
        return reader?.db
    }

    /// Makes later accesses open new readers.
    func invalidate() {
        discardIdle { $0.generation += 1 }
    }

    /// Closes the idle readers.
    func closeIdle() {
        discardIdle { _ in }
    }

    private func discardIdle(_ change: (inout State) -> Void) {
        let discarded = state.withLock { state in
            change(&state)
            return takeIdle(&state)
        }
        for reader in discarded { close(reader, after: 0) }
    }

    /// Frees memory of the idle readers.
    func releaseMemory() {
        for reader in state.withLock({ takeIdle(&$0) }) {
            reader.use { $0.releaseMemory() }
            release(reader, after: 0)
        }
    }

    /// Acquires the permits of all idle readers.
    private func takeIdle(_ state: inout State) -> [Reader] {
        defer { state.idle = [] }
        state.permitCount += state.idle.count
        state.idle.forEach { _ in activity.begin() }
        return state.idle
    }

    /// Refuses further accesses, waits for the ones under way, and closes all readers.
    ///
    /// - throws: the first error met; the pool stays closed.
    func close() throws {
        let (readers, waiters) = barrier {
            state.withLock { state in
                state.isClosed = true
                for reader in state.idle { Self.forget(reader, &state) }
                let waiters = state.waiters.popAll()
                for waiter in waiters { state.waitTimes.end(waiter.number) }
                defer { (state.idle, state.open) = ([], [:]) }
                return (state.idle, waiters)
            }
        }
        waiters.forEach { $0.element(.closed) }
        var failure: (any Error)?
        for reader in readers {
            do {
                try reader.use { try $0.closeOrThrow() }
            } catch {
                failure = failure ?? error
                reader.use { $0.close() }
            }
        }
        if let failure { throw failure }
    }
}
