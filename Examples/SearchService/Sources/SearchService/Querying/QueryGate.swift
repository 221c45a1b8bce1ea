import Synchronization

/// Counts the statements that run, and refuses more of them than the limit.
final class QueryGate: Sendable {
    private let limit: Int
    private let running = Mutex(0)

    init(limit: Int) { self.limit = limit }

    func enter() -> Bool {
        running.withLock { running in
            if running >= limit { return false }
            running += 1
            return true
        }
    }

    func leave() { running.withLock { $0 -= 1 } }
}
