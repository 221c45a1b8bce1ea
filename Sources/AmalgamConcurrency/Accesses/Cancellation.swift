import AmalgamCore
import Dispatch
import Synchronization

/// The cancellation of one access, requested before the access begins, while the access runs, or after its end.
final class AccessCancellation: Sendable {
    private enum State {
        /// The access is queued, or about to be. The closure removes it from the queue.
        case waiting((@Sendable () -> Void)?)
        case cancelled
        case running(Interrupter)
        case ended
    }

    private let state = RankedMutex(.cancellation, State.waiting(nil))

    /// Cancels the access. May be called from any thread.
    func cancel() {
        let dequeue: (@Sendable () -> Void)? = state.withLock { state in
            switch state {
            case .waiting(let dequeue):
                state = .cancelled
                return dequeue
            case .running(let interrupter):
                interrupter.cancel()
                interruptAgain(after: 1)
            case .cancelled, .ended: break
            }
            return nil
        }
        dequeue?()
    }

    /// Interrupts the running database access repeatedly until the access ends.
    ///
    /// SQLite forgets an interruption when a statement begins while no other statement runs. So if the access were
    /// interrupted only once, just before a statement begins, this statement would run to its end.
    ///
    /// - Parameter delay: the time before the next interruption, in milliseconds.
    private func interruptAgain(after delay: Int) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(delay)) { [weak self] in
            self?.state.withLock { state in
                guard case .running(let interrupter) = state else { return }
                interrupter.interrupt()
                self?.interruptAgain(after: min(2 * delay, 100))
            }
        }
    }

    /// Throws `CancellationError` if the access was cancelled before it is enqueued.
    func check() throws {
        try state.withLock { if case .cancelled = $0 { throw CancellationError() } }
    }

    /// Registers a closure that removes the database access from the queue of a connection. The closure is called when
    /// the access is cancelled before it begins, or immediately if the access is already cancelled.
    func whenCancelledInQueue(_ dequeue: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            switch state {
            case .waiting: state = .waiting(dequeue)
            case .cancelled: return true
            case .running, .ended: break
            }
            return false
        }
        if isCancelled { dequeue() }
    }

    /// Runs the access, unless it was cancelled already.
    func run<T>(_ db: Database, _ access: (Database) throws -> T) throws -> T {
        try state.withLock { state in
            if case .cancelled = state { throw CancellationError() }
            state = .running(db.access.interrupter)
        }
        defer {
            state.withLock { $0 = .ended }
            db.access.interrupter.endCancellation()
        }
        return try access(db)
    }

    /// Must be called when the database access has ended, or won't begin. Later calls of `cancel()` have no effect.
    ///
    /// This object and the closure passed to `whenCancelledInQueue(_:)` retain each other. This method releases the
    /// closure, and so breaks the cycle.
    func end() { state.withLock { $0 = .ended } }
}

/// Runs an asynchronous access, and cancels it when the task is cancelled.
func withCancellableAccess<T: Sendable>(
    _ access: @Sendable (AccessCancellation) async throws -> T
) async throws -> T {
    let cancellation = AccessCancellation()
    defer { cancellation.end() }
    return try await withTaskCancellationHandler {
        try await access(cancellation)
    } onCancel: {
        cancellation.cancel()
    }
}
