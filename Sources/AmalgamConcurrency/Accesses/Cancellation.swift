import AmalgamCore
import Dispatch
import Synchronization

/// The cancellation of one access: it may come before the access begins, while it runs, or too late.
final class AccessCancellation: Sendable {
    private enum State {
        /// Queued, or about to be: with the closure that removes the access from the queue.
        case waiting((@Sendable () -> Void)?)
        case cancelled
        case running(Interrupter)
        case ended
    }

    private let state = RankedMutex(.cancellation, State.waiting(nil))

    /// Called from any thread.
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

    /// Interrupts the access as long as it goes on.
    ///
    /// SQLite forgets an interruption when a statement begins while no other one runs. One that comes between the last
    /// look at the cancellation and that moment would be lost, and the statement run to its end.
    ///
    /// - Parameter delay: in milliseconds.
    private func interruptAgain(after delay: Int) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(delay)) { [weak self] in
            self?.state.withLock { state in
                guard case .running(let interrupter) = state else { return }
                interrupter.interrupt()
                self?.interruptAgain(after: min(2 * delay, 100))
            }
        }
    }

    /// Throws when the access was cancelled before it is enqueued.
    func check() throws {
        try state.withLock { if case .cancelled = $0 { throw CancellationError() } }
    }

    /// Has a closure called when the cancellation comes before the access begins, at once if it has come already.
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

    /// Nothing is left to cancel, also when the access has never begun: the closure that removes it from the queue, and
    /// retains this, is released.
    func end() { state.withLock { $0 = .ended } }
}

/// Runs an access without blocking a thread, and cancels it with the task.
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
