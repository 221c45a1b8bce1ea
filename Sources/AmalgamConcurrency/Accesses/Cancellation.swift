import AmalgamCore
import Synchronization

/// The cancellation of one access: it may come before the access begins, while it runs, or too late.
final class AccessCancellation: Sendable {
    private enum State {
        case waiting
        case cancelled
        case running(RemoteControl)
        case ended
    }

    private let state = Mutex(State.waiting)

    /// Called from any thread.
    func cancel() {
        state.withLock { state in
            switch state {
            case .waiting: state = .cancelled
            case .running(let remote): remote.cancel()
            case .cancelled, .ended: break
            }
        }
    }

    /// Runs the access, unless it was cancelled already.
    func run<T>(_ db: Database, _ access: (Database) throws -> T) throws -> T {
        try state.withLock { state in
            if case .cancelled = state { throw CancellationError() }
            state = .running(db.remote)
        }
        defer {
            state.withLock { $0 = .ended }
            db.remote.endCancellation()
        }
        return try access(db)
    }
}

/// Runs an access without blocking a thread, and cancels it with the task.
func withCancellableAccess<T: Sendable>(
    _ access: @Sendable (AccessCancellation) async throws -> T
) async throws -> T {
    let cancellation = AccessCancellation()
    return try await withTaskCancellationHandler {
        try await access(cancellation)
    } onCancel: {
        cancellation.cancel()
    }
}
