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

/// The closure of an asynchronous access.
///
/// The closure belongs to a caller that waits for its result: it must be gone when the caller goes on. So it is
/// taken out of the job to be run, and the job is emptied before the result is told.
final class AccessJob<T: Sendable>: Sendable {
    typealias Access = @Sendable (Database) throws -> T

    private let access: Mutex<Access?>
    let cancellation = AccessCancellation()

    init(_ access: @escaping Access) {
        self.access = Mutex(access)
    }

    /// Runs the access on the connection, or fails with the error that prevents it.
    func run(_ db: Result<Database, any Error>) -> Result<T, any Error> {
        let access = access.withLock { access in
            defer { access = nil }
            return access!
        }
        return Result { try cancellation.run(db.get(), access) }
    }
}

/// Waits for an access without blocking a thread, and cancels it with the task.
///
/// - Parameter start: schedules the job, and calls its second argument once, with the result.
func withCancellableAccess<T: Sendable>(
    _ access: AccessJob<T>.Access,
    _ start: (AccessJob<T>, @escaping @Sendable (Result<T, any Error>) -> Void) -> Void
) async throws -> T {
    try await withoutActuallyEscaping(access) { access in
        let job = AccessJob(access)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                start(job) { continuation.resume(with: $0) }
            }
        } onCancel: {
            job.cancellation.cancel()
        }
    }
}
