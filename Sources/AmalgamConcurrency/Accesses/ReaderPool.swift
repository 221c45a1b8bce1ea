import AmalgamCore
import Dispatch
import Synchronization

/// A reader of a pool: a connection that is lent to one access at a time.
final class Reader: @unchecked Sendable {
    // Sendable: the connection is used by the access that the reader is lent to, only.
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

    /// What stops the statements of another thread.
    var remote: RemoteControl { db.remote }

    /// Where asynchronous accesses run. A serial queue has a thread of its own when it needs one: an access that holds
    /// a place never waits for a thread that waits for a place.
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

/// The readers of a pool: opened when needed, lent to one access at a time, and kept.
///
/// The thread that acquires a reader uses it right there: nothing is dispatched in order to read. When all readers are in
/// use, accesses wait in a queue. A barrier waits until no reader is in use, and lets no read begin before its end, except
/// for the synchronous reads of its own thread.
///
/// A permit is released once its reader is idle again, or closed: after a barrier has begun, no reader is open that isn't
/// idle. `state` guards everything, and no closure of the application runs under it.
final class ReaderPool: Sendable {
    /// The right to use a reader.
    private enum Place: Sendable {
        case reader(Reader)
        /// No reader is idle, but one may be opened.
        case unopened
        case closed
    }

    /// Lets an access go on that waits.
    private typealias Waiter = @Sendable (Place) -> Void

    /// A barrier that waits for the reads under way.
    final class BarrierWaiter: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let givesUp = Atomic<Bool>(false)
        /// Whether it waits on the writing connection, which a read may ask for.
        let blocksWriter: Bool
        /// Whether nobody wants it any more. Guarded by the pool.
        fileprivate let isUnwanted = Atomic<Bool>(false)

        init(blocksWriter: Bool) {
            self.blocksWriter = blocksWriter
        }

        fileprivate func goOn() { semaphore.signal() }

        fileprivate func giveUp() {
            givesUp.store(true, ordering: .releasing)
            semaphore.signal()
        }

        /// - Returns: whether it is the turn of the barrier.
        fileprivate func wait() -> Bool {
            semaphore.wait()
            return !givesUp.load(ordering: .acquiring)
        }
    }

    private struct State {
        var idle: [Reader] = []
        /// All readers that are open.
        var open: [ObjectIdentifier: Reader] = [:]
        /// How many places are taken, with or without an open reader.
        var takenPlaces = 0
        /// The accesses that wait, first come first served.
        var waiters = OpenLine<Waiter>()
        /// The number in `waiters` of the read that the thread of the writer waits for.
        var readOfWriter: Int?
        var waitLine = WaitLine()
        /// How many accesses have ended.
        var done = 0
        /// What the page caches of the readers had counted that are closed.
        var closedCounts = CacheCounts()
        /// The number of barriers that wait or run, and how the waiting ones are told to go on.
        var barriers = 0
        /// The thread that runs a barrier: it may read synchronously, and run another barrier.
        var barrierThread: ThreadID?
        /// Whether a waiting barrier was told to go on, and has not begun yet.
        var barrierIsGranted = false
        var barrierWaiters: [BarrierWaiter] = []
        /// How many reads under way write to the same pool, or wait for that.
        var writingReads = 0
        var isClosed = false
        /// Grows when the readers opened before must not be kept any more.
        var generation = 0
    }

    private let state = RankedMutex(.readers, State())
    let capacity: Int
    /// Counts the places that are taken, for the writer.
    private let activity: ReadActivity
    /// Told of all reads, with their times; nil without a WAL policy.
    private let walReaders: WALReaders?
    private let open: @Sendable () throws -> Database
    private let makeQueue: @Sendable () -> DispatchQueue
    /// Whether asynchronous accesses are to run on queues that the application has chosen.
    private let hasTarget: Bool

    /// - Parameters:
    ///   - activity: is told of all reads.
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
    /// - Parameter isInsideWrite: see ``lend(isInsideWrite:)``.
    func sync<T>(isInsideWrite: Bool = false, _ access: (Database) throws -> T) throws -> T {
        let reader = try lend(isInsideWrite: isInsideWrite)
        defer { giveBack(reader) }
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
        requestPlace { place in
            let queue = self.queue(of: place)
            queue.async {
                do {
                    let reader = try self.reader(place, queue)
                    defer { self.giveBack(reader) }
                    reader.use { access(.success($0)) }
                } catch {
                    access(.failure(error))
                }
            }
        }
    }

    /// Runs an access as a part of the current task, without blocking a thread that is not there for it: a task that waits
    /// in line takes no thread, and one that has a place needs none of those that others block.
    func perform<T: Sendable>(
        _ cancellation: AccessCancellation, _ access: @Sendable (Database) throws -> T
    ) async throws -> T {
        try cancellation.check()
        if let reader = try lendToStay() {
            defer { giveBack(reader) }
            return try run(reader) { try cancellation.run($0, access) }
        }
        let task = AccessTask<Turn>(cancellation) { [self] task in
            let number = requestPlace { place in
                let queue = self.queue(of: place)
                queue.async { if !task.run(Turn(place: place, queue: queue)) { self.giveBack(place) } }
            }
            return { number.map(self.leaveLine) }
        }
        return try await task.perform { turn in
            let reader = try self.reader(turn.place, turn.queue)
            defer { self.giveBack(reader) }
            return try run(reader) { try cancellation.run($0, access) }
        }
    }

    /// Where the access of a task runs.
    private struct Turn: Sendable {
        let place: Place
        let queue: DispatchQueue
    }

    /// Where an asynchronous access runs.
    private func queue(of place: Place) -> DispatchQueue {
        if case .reader(let reader) = place { reader.queue } else { makeQueue() }
    }

    /// Lends a reader to a caller that gives it back.
    ///
    /// - Parameter isInsideWrite: whether the current thread holds the writing connection of the same pool. While a read
    ///   waits for that connection, the thread gets a reader beyond the capacity: both would wait forever otherwise.
    func lend(isInsideWrite: Bool = false) throws -> Reader {
        try reader(takePlace(isInsideWrite: isInsideWrite), nil)
    }

    /// Lends a reader to a task on a thread that may be blocked, unless it would have to wait in line.
    private func lendToStay() throws -> Reader? {
        guard AccessExecutor.ownsCurrentThread, !hasTarget else { return nil }
        return try state.withLock { immediatePlace(&$0) }.map { try reader($0, nil) }
    }

    /// Lends a reader to a caller that must not wait, if one is open and idle.
    func lendIfIdle() -> Reader? {
        let place = state.withLock { $0.idle.isEmpty ? nil : immediatePlace(&$0) }
        return try? place.map { try reader($0, nil) }
    }

    /// Schedules work on the queue of a reader that is lent.
    func async(on reader: Reader, _ work: @escaping @Sendable () -> Void) {
        reader.queue.async(execute: work)
    }

    /// Takes a reader back, for the next in line.
    func giveBack(_ reader: Reader) {
        free(reader, after: 1)
    }

    /// The reader of a place, which is opened if needed.
    private func reader(_ place: Place, _ queue: DispatchQueue?) throws -> Reader {
        switch place {
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
                free(nil, after: 1)
                throw error
            }
        }
    }

    // MARK: Places

    private func takePlace(isInsideWrite: Bool) -> Place {
        let promise = Promise()
        let place: Place? = state.withLock { state in
            if let place = immediatePlace(&state) ?? exceptionalPlace(&state, isInsideWrite: isInsideWrite) {
                return place
            }
            let number = enqueue({ promise.fulfil($0) }, &state)
            if isInsideWrite { state.readOfWriter = number }
            return nil
        }
        return place ?? promise.wait()
    }

    /// A permit for a thread that would wait for itself: the thread of a barrier, which keeps all other threads from reading,
    /// and the thread of the writer, while a read waits for the writer.
    private func exceptionalPlace(_ state: inout State, isInsideWrite: Bool) -> Place? {
        let isInsideBarrier = state.barrierThread == ThreadID.current
        guard isInsideBarrier || isInsideWrite && state.writingReads > 0 else { return nil }
        return place(&state)
    }

    /// The value that a waiting thread is given.
    private final class Promise: Sendable {
        private let place = Mutex<Place?>(nil)
        private let semaphore = DispatchSemaphore(value: 0)

        func fulfil(_ newPlace: Place) {
            place.withLock { $0 = newPlace }
            semaphore.signal()
        }

        func wait() -> Place {
            semaphore.wait()
            return place.withLock { $0! }
        }
    }

    /// - Returns: the number in line; nil when there is a place right now.
    @discardableResult
    private func requestPlace(_ waiter: @escaping Waiter) -> Int? {
        let (place, number): (Place?, Int?) = state.withLock { state in
            if let place = immediatePlace(&state) { return (place, nil) }
            return (nil, enqueue(waiter, &state))
        }
        if let place { waiter(place) }
        return number
    }

    private func enqueue(_ waiter: @escaping Waiter, _ state: inout State) -> Int {
        let number = state.waiters.append(waiter)
        state.waitLine.begin(number)
        return number
    }

    private func leaveLine(_ number: Int) {
        state.withLock { state in
            guard state.waiters.remove(number) != nil else { return }
            state.waitLine.end(number)
            state.done += 1
        }
    }

    /// Takes a place back that was not used.
    private func giveBack(_ place: Place) {
        switch place {
        case .reader(let reader): free(reader, after: 0)
        case .unopened: free(nil, after: 0)
        case .closed: break
        }
    }

    private func immediatePlace(_ state: inout State) -> Place? {
        if state.isClosed { return .closed }
        if state.barriers > 0 || state.takenPlaces >= capacity { return nil }
        return place(&state)
    }

    private func place(_ state: inout State) -> Place {
        if state.isClosed { return .closed }
        state.takenPlaces += 1
        activity.begin()
        return state.idle.popLast().map(Place.reader) ?? .unopened
    }

    /// Releases a permit, with its reader if it has one. A reader that can't serve any more is closed first.
    private func free(_ reader: Reader?, after accessCount: Int) {
        reader?.walMark?.end()
        let call: (() -> Void)? = state.withLock { state in
            if let reader {
                guard keeps(reader, state) else { return nil }
                state.idle.append(reader)
            }
            return freePlace(&state, after: accessCount)
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
            return freePlace(&state, after: accessCount)
        }
        call()
    }

    /// Whether a reader will serve other accesses.
    private func keeps(_ reader: Reader, _ state: State) -> Bool {
        reader.generation == state.generation && !state.isClosed && !reader.isLost
            && state.takenPlaces + state.idle.count <= capacity
    }

    private func freePlace(_ state: inout State, after accessCount: Int) -> () -> Void {
        state.done += accessCount
        state.takenPlaces -= 1
        activity.end()
        return next(&state)
    }

    /// What to do now that a place is free: let barriers, or accesses, go on.
    private func next(_ state: inout State) -> () -> Void {
        if state.barriers > 0 {
            guard !Self.barrierIsUnderWay(state), state.takenPlaces == 0, !state.barrierWaiters.isEmpty else {
                return {}
            }
            let waiter = state.barrierWaiters.removeFirst()
            state.barrierIsGranted = true
            return { waiter.goOn() }
        }
        var calls: [() -> Void] = []
        while !state.waiters.isEmpty, let place = immediatePlace(&state), let waiter = state.waiters.popFirst() {
            state.waitLine.end(waiter.number)
            calls.append { waiter.element(place) }
        }
        if calls.isEmpty { return {} }
        return { calls.forEach { $0() } }
    }

    // MARK: Metrics

    /// Drops a reader that nobody uses.
    private static func forget(_ reader: Reader, _ state: inout State) {
        state.open[ObjectIdentifier(reader)] = nil
        state.closedCounts += reader.db.cacheCounts ?? reader.cacheCounts
    }

    /// Fills in what there is to say of the readers.
    func fill(_ metrics: inout DatabaseMetrics) {
        state.withLock { state in
            metrics.readers.running = state.takenPlaces
            metrics.readers.waiting = state.waiters.count
            metrics.readers.done = state.done
            state.waitLine.fill(&metrics.readers)
            metrics.connectionCount += state.open.count
            // Nobody can get an idle reader before this is over.
            for reader in state.idle { reader.cacheCounts = reader.db.cacheCounts ?? reader.cacheCounts }
            let counts = state.open.values.reduce(into: state.closedCounts) { $0 += $1.cacheCounts }
            metrics.cache.hits += counts.hits
            metrics.cache.misses += counts.misses
        }
    }

    // MARK: The whole pool

    /// A barrier of the writing connection would wait for a read that waits for this connection.
    struct BarrierIsInTheWay: Error {}

    /// Runs a closure while no reader is lent. Barriers run one at a time; one may run inside another.
    func barrier<T>(_ body: () throws -> T) rethrows -> T {
        let thread = ThreadID.current
        if state.withLock({ $0.barrierThread == thread }) { return try body() }
        _ = beginBarrier(thread, BarrierWaiter(blocksWriter: false))
        defer { endBarrier() }
        return try body()
    }

    /// Runs a closure on the writing connection, while no reader is lent.
    ///
    /// - Parameter waiter: what ``dismiss(_:)`` is to send away while the barrier waits.
    /// - throws: ``BarrierIsInTheWay`` when a read under way asks for the writing connection, or when the barrier was
    ///   dismissed: the closure has not run. It is to be tried again, behind that read in line for the connection.
    func writerBarrier<T>(
        _ waiter: BarrierWaiter = BarrierWaiter(blocksWriter: true), _ body: () throws -> T
    ) throws -> T {
        let thread = ThreadID.current
        if state.withLock({ $0.barrierThread == thread }) { return try body() }
        guard beginBarrier(thread, waiter) else { throw BarrierIsInTheWay() }
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

    /// Sends the barriers away that would wait for this read on the writing connection, and lets the read go on that the
    /// thread of this connection waits for.
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
        waiters.forEach { $0.giveUp() }
        calls.forEach { $0() }
    }

    private func beginReadOfWriter(_ state: inout State) -> () -> Void {
        guard let number = state.readOfWriter else { return {} }
        state.readOfWriter = nil
        // Its turn may have come before.
        guard let waiter = state.waiters.remove(number) else { return {} }
        state.waitLine.end(number)
        let place = place(&state)
        return { waiter(place) }
    }

    /// - Returns: whether the barrier has begun.
    private func beginBarrier(_ thread: ThreadID, _ waiter: BarrierWaiter) -> Bool {
        let begins: Bool? = state.withLock { state in
            if waiter.isUnwanted.load(ordering: .relaxed) { return false }
            if waiter.blocksWriter && state.writingReads > 0 { return false }
            state.barriers += 1
            if state.takenPlaces == 0 && !Self.barrierIsUnderWay(state) {
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

    /// Sends a barrier away that waits, or is about to.
    func dismiss(_ waiter: BarrierWaiter) {
        let call: (() -> Void)? = state.withLock { state in
            waiter.isUnwanted.store(true, ordering: .relaxed)
            guard let index = state.barrierWaiters.firstIndex(where: { $0 === waiter }) else { return nil }
            state.barrierWaiters.remove(at: index)
            state.barriers -= 1
            return next(&state)
        }
        guard let call else { return }
        waiter.giveUp()
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

    /// Calls a closure with what stops the readers that are lent.
    func interrupt() {
        let remotes = state.withLock { $0.open.values.map(\.remote) }
        remotes.forEach { $0.interrupt() }
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
            if state.takenPlaces == 0 { return nil }
            return state.open.values.first { $0.db.isAccessible }
        }
        return reader?.db
    }

    /// Makes later accesses open new readers.
    func invalidate() {
        discardIdle { $0.generation += 1 }
    }

    /// Closes the readers that are not lent.
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

    /// Frees memory of the readers that are not lent.
    func releaseMemory() {
        for reader in state.withLock({ takeIdle(&$0) }) {
            reader.use { $0.releaseMemory() }
            free(reader, after: 0)
        }
    }

    /// Takes the places of all idle readers.
    private func takeIdle(_ state: inout State) -> [Reader] {
        defer { state.idle = [] }
        state.takenPlaces += state.idle.count
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
                for waiter in waiters { state.waitLine.end(waiter.number) }
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
