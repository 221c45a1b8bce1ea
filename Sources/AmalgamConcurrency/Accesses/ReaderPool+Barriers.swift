import AmalgamCore
import Dispatch
import Synchronization

/// A barrier is a closure that runs while no reader is in use. Until the closure returns, only the thread that runs it
/// can read. Barriers run one at a time, but a barrier started inside another one runs immediately, as a part of it.
extension ReaderPool {
    /// Thrown if a barrier would deadlock: the barrier holds the writing connection, for which a running read waits.
    struct BarrierYielded: Error {}

    /// A barrier that waits for the running reads.
    final class BarrierWaiter: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let isCancelled = Atomic<Bool>(false)
        /// Whether the barrier waits on the writing connection, which a read may need.
        let blocksWriter: Bool
        /// Whether the barrier was cancelled. Guarded by the lock of the pool.
        fileprivate let isWithdrawn = Atomic<Bool>(false)

        init(blocksWriter: Bool) {
            self.blocksWriter = blocksWriter
        }

        func resume() { semaphore.signal() }

        fileprivate func cancel() {
            isCancelled.store(true, ordering: .releasing)
            semaphore.signal()
        }

        /// - Returns: whether the barrier may begin. False if it was cancelled.
        fileprivate func wait() -> Bool {
            semaphore.wait()
            return !isCancelled.load(ordering: .acquiring)
        }
    }

    /// Whether the current thread runs a barrier.
    var isInsideBarrier: Bool { state.withLock { $0.barrierThread == ThreadID.current } }

    /// Runs a closure while no reader is in use.
    func barrier<T>(_ body: () throws -> T) rethrows -> T {
        if isInsideBarrier { return try body() }
        _ = beginBarrier(BarrierWaiter(blocksWriter: false))
        defer { endBarrier() }
        return try body()
    }

    /// Runs a closure on the writing connection, while no reader is in use.
    ///
    /// - Parameter waiter: identifies the barrier for ``cancel(_:)``.
    /// - Throws: the error thrown by the closure; ``BarrierYielded`` if a running read waits for the writing
    ///   connection, or if the barrier was cancelled. If ``BarrierYielded`` is thrown, the closure hasn't run. The
    ///   caller must release the writing connection, so that the read can write, and may then try again.
    func writerBarrier<T>(
        _ waiter: BarrierWaiter = BarrierWaiter(blocksWriter: true), _ body: () throws -> T
    ) throws -> T {
        if isInsideBarrier { return try body() }
        guard beginBarrier(waiter) else { throw BarrierYielded() }
        defer { endBarrier() }
        return try body()
    }

    /// - Returns: whether the barrier has begun.
    private func beginBarrier(_ waiter: BarrierWaiter) -> Bool {
        let begins: Bool? = state.withLock { state in
            if waiter.isWithdrawn.load(ordering: .relaxed) { return false }
            if waiter.blocksWriter && state.writingReads > 0 { return false }
            state.barriers += 1
            if state.permitCount == 0 && !state.barrierIsUnderWay {
                state.barrierThread = ThreadID.current
                return true
            }
            state.barrierWaiters.append(waiter)
            return nil
        }
        if let begins { return begins }
        guard waiter.wait() else { return false }
        state.withLock { state in
            state.barrierIsGranted = false
            state.barrierThread = ThreadID.current
        }
        return true
    }

    private func endBarrier() {
        let grants = state.withLock { state in
            state.barriers -= 1
            state.barrierThread = nil
            return state.grantPermits()
        }
        resume(grants)
    }

    /// Cancels a barrier that waits, or is about to wait.
    func cancel(_ waiter: BarrierWaiter) {
        let grants: Grants? = state.withLock { state in
            waiter.isWithdrawn.store(true, ordering: .relaxed)
            guard let index = state.barrierWaiters.firstIndex(where: { $0 === waiter }) else { return nil }
            state.barrierWaiters.remove(at: index)
            state.barriers -= 1
            return state.grantPermits()
        }
        guard let grants else { return }
        waiter.cancel()
        resume(grants)
    }

    // MARK: Reads that write

    /// Runs a closure that accesses the writing connection. If the current thread uses a reader, first cancels the
    /// barriers (closures that run while no reader is in use) that hold the writing connection and wait for this
    /// reader.
    func asksForWriter<T>(_ body: () throws -> T) rethrows -> T {
        guard currentReader() != nil else { return try body() }
        beginWritingRead()
        defer { state.withLock { $0.writingReads -= 1 } }
        return try body()
    }

    /// Registers that the current read waits for the writing connection, and prevents two deadlocks:
    ///
    /// - A barrier (a closure that runs while no reader is in use) may hold the writing connection, and wait for the
    ///   read. Such barriers are cancelled.
    /// - A thread that holds the writing connection may wait for a reader. That thread receives a permit (the right to
    ///   use a reader).
    private func beginWritingRead() {
        let (waiters, grants): ([BarrierWaiter], Grants) = state.withLock { state in
            state.writingReads += 1
            let readOfWriter = state.grantReadOfWriter()
            let waiters = state.barrierWaiters.filter(\.blocksWriter)
            if waiters.isEmpty { return ([], Grants(accesses: readOfWriter)) }
            state.barrierWaiters.removeAll(where: \.blocksWriter)
            state.barriers -= waiters.count
            var grants = state.grantPermits()
            grants.accesses.insert(contentsOf: readOfWriter, at: 0)
            return (waiters, grants)
        }
        waiters.forEach { $0.cancel() }
        resume(grants)
    }
}

extension ReaderPool.State {
    var barrierIsUnderWay: Bool { barrierThread != nil || barrierIsGranted }

    /// Returns the first waiting barrier, if no barrier runs and no access holds a permit.
    mutating func nextBarrier() -> ReaderPool.BarrierWaiter? {
        guard !barrierIsUnderWay, permitCount == 0, !barrierWaiters.isEmpty else { return nil }
        barrierIsGranted = true
        return barrierWaiters.removeFirst()
    }

    /// Grants a permit to the read that the thread of the writing connection waits for, if any.
    fileprivate mutating func grantReadOfWriter() -> [(ReaderPool.Waiter, ReaderPool.Permit)] {
        guard let number = readOfWriter else { return [] }
        readOfWriter = nil
        guard let waiter = waiters.remove(number) else { return [] }
        waitTimes.end(number)
        return [(waiter, permit())]
    }
}
