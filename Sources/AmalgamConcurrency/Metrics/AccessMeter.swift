import AmalgamCore
import Synchronization

/// Counts the database accesses of a ``SerialConnection``.
///
/// A request for an access increments `asked`. The running access, and the cancellation of a waiting access, change the
/// other counters. The clock is read only for accesses that have to wait.
final class AccessMeter: Sendable {
    /// The registration of a requested access.
    struct Ticket: Sendable {
        fileprivate let number: Int
        /// Whether another access ran or waited when this one was requested.
        fileprivate let waits: Bool
    }

    private let asked = Atomic<Int>(0)
    private let begun = Atomic<Int>(0)
    private let done = Atomic<Int>(0)
    /// The number of accesses that were cancelled while they waited, and are still in the queue.
    private let cancelled = Atomic<Int>(0)
    private let waitTimes = Mutex(WaitTimes())

    func ask() -> Ticket {
        let number = asked.add(1, ordering: .relaxed).oldValue
        let waits = number != done.load(ordering: .relaxed)
        if waits { waitTimes.withLock { $0.begin(number) } }
        return Ticket(number: number, waits: waits)
    }

    /// Registers an access if no access runs or waits.
    func askIfIdle() -> Ticket? {
        let done = done.load(ordering: .relaxed)
        let (isIdle, _) = asked.compareExchange(expected: done, desired: done + 1, ordering: .relaxed)
        return isIdle ? Ticket(number: done, waits: false) : nil
    }

    func begin(_ ticket: Ticket) {
        begun.store(begun.load(ordering: .relaxed) + 1, ordering: .relaxed)
        if ticket.waits { waitTimes.withLock { $0.end(ticket.number) } }
    }

    /// Registers that an access was cancelled before its turn.
    func cancel(_ ticket: Ticket) {
        cancelled.add(1, ordering: .relaxed)
        if ticket.waits { waitTimes.withLock { $0.end(ticket.number) } }
    }

    /// Registers the turn of a cancelled access, which ends immediately.
    func endCancelled(_ ticket: Ticket) {
        begin(ticket)
        cancelled.subtract(1, ordering: .relaxed)
    }

    func end() {
        done.store(done.load(ordering: .relaxed) + 1, ordering: .relaxed)
    }

    /// Whether an access runs or waits.
    var isBusy: Bool { asked.load(ordering: .relaxed) != done.load(ordering: .relaxed) }

    var metrics: DatabaseMetrics.Accesses {
        var metrics = DatabaseMetrics.Accesses()
        // The values are read again until they are consistent, so that no access is counted twice.
        var isCurrent = false
        while !isCurrent {
            // An access first increments `asked`, then `begun`, then `done`. The counters are read in the opposite
            // order, so the values fulfil `asked` ≥ `begun` ≥ `done`.
            let done = done.load(ordering: .acquiring)
            let begun = begun.load(ordering: .acquiring)
            let cancelled = cancelled.load(ordering: .acquiring)
            let asked = asked.load(ordering: .acquiring)
            metrics.running = min(1, max(0, begun - done))
            metrics.waiting = max(0, asked - begun - cancelled)
            metrics.done = done
            isCurrent =
                begun == self.begun.load(ordering: .relaxed) && done == self.done.load(ordering: .relaxed)
        }
        waitTimes.withLock { $0.fill(&metrics) }
        return metrics
    }
}

/// The start times of the waiting accesses, and the longest wait so far.
struct WaitTimes: Sendable {
    private var starts: [Int: UInt64] = [:]
    private var longest: UInt64 = 0

    mutating func begin(_ number: Int) { starts[number] = WALReaders.now }

    mutating func end(_ number: Int) {
        guard let start = starts.removeValue(forKey: number) else { return }
        longest = max(longest, Self.time(since: start))
    }

    /// Fills in the current and the longest wait.
    func fill(_ metrics: inout DatabaseMetrics.Accesses) {
        let current = starts.values.min().map { Self.time(since: $0) } ?? 0
        metrics.currentWait = .nanoseconds(Int64(clamping: current))
        metrics.longestWait = .nanoseconds(Int64(clamping: longest))
    }

    private static func time(since start: UInt64) -> UInt64 {
        let now = WALReaders.now
        return now > start ? now - start : 0
    }
}
