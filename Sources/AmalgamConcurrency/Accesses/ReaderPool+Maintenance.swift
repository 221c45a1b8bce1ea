import AmalgamCore
import AmalgamInspection

/// Operations on all readers of a pool.
extension ReaderPool {
    /// The numbers of waiting accesses and barriers.
    var waiting: (accesses: Int, barriers: Int) {
        state.withLock { ($0.waiters.count, $0.barrierWaiters.count) }
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

    /// Interrupts the statements of all open readers.
    func interrupt() {
        let interrupters = state.withLock { $0.open.values.map(\.interrupter) }
        interrupters.forEach { $0.interrupt() }
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
            return state.takeIdle()
        }
        for reader in discarded { close(reader, accessCount: 0) }
    }

    /// Frees the memory of the idle readers.
    func releaseMemory() {
        for reader in state.withLock({ $0.takeIdle() }) {
            reader.use { $0.releaseMemory() }
            release(reader, accessCount: 0)
        }
    }

    /// Refuses further database accesses, waits for the running ones, and closes all readers.
    ///
    /// - Throws: the first error of closing a reader. The pool is closed nevertheless.
    func close() throws {
        let (readers, waiters) = barrier {
            state.withLock { state in
                state.isClosed = true
                for reader in state.idle { state.forget(reader) }
                let waiters = state.waiters.popAll()
                for waiter in waiters { state.waitTimes.end(waiter.number) }
                defer { (state.idle, state.open) = ([], [:]) }
                return (state.idle, waiters)
            }
        }
        for waiter in waiters { resume(waiter.element, .closed) }
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

extension ReaderPool.State {
    /// Returns all idle readers, after acquiring a permit for each.
    fileprivate mutating func takeIdle() -> [Reader] {
        defer { idle = [] }
        permitCount += idle.count
        idle.forEach { _ in activity.begin() }
        return idle
    }
}
