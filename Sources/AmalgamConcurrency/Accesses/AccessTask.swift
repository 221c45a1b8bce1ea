import AmalgamCore
import Dispatch
import Synchronization

/// A task executor that suspends a task while its database access waits in the queue of a connection. No thread is
/// blocked. The access then runs on the thread that calls ``run(_:)``.
///
/// If the task is cancelled during the wait, the access leaves the queue, and the task resumes on a separate queue.
final class AccessTask<Turn: Sendable>: TaskExecutor {
    private enum State {
        case waiting(UnownedJob?)
        case running(Turn)
        case gone
    }

    private let state = Mutex(State.waiting(nil))
    private let cancellation: AccessCancellation
    private let enqueueAccess: @Sendable (AccessTask) -> (@Sendable () -> Void)

    /// - Parameters:
    ///   - cancellation: the cancellation of the database access.
    ///   - enqueueAccess: enqueues the access, and returns a closure that removes the access from the queue. When it is
    ///     the turn of the access, the queue calls ``run(_:)``.
    init(
        _ cancellation: AccessCancellation,
        enqueueAccess: @escaping @Sendable (AccessTask) -> (@Sendable () -> Void)
    ) {
        self.cancellation = cancellation
        self.enqueueAccess = enqueueAccess
    }

    /// Waits until the queue of the connection calls ``run(_:)``, and then runs the database access.
    ///
    /// - Throws: the error thrown by the access; `CancellationError` if the access was cancelled before it began.
    func perform<T: Sendable>(_ access: @Sendable (Turn) throws -> T) async throws -> T {
        try await withTaskExecutorPreference(self) {
            guard case .running(let turn) = state.withLock({ $0 }) else { throw CancellationError() }
            return try access(turn)
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The job may run, and release this executor, before `enqueueAccess` returns.
        let executor = Unmanaged.passRetained(self)
        defer { executor.release() }
        state.withLock { $0 = .waiting(job) }
        let dequeue = enqueueAccess(self)
        cancellation.whenCancelledInQueue { [self] in
            guard let job = takeJob(.gone) else { return }
            dequeue()
            cancelledTasks.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    /// Runs the database access of the waiting task on the current thread.
    ///
    /// - Returns: false if the access was cancelled while it was queued. In this case, the access doesn't run.
    func run(_ turn: Turn) -> Bool {
        guard let job = takeJob(.running(turn)) else { return false }
        job.runSynchronously(on: asUnownedTaskExecutor())
        return true
    }

    /// Returns the job to the first caller only.
    private func takeJob(_ newState: State) -> UnownedJob? {
        state.withLock { state in
            guard case .waiting(let job?) = state else { return nil }
            state = newState
            return job
        }
    }
}

/// The queue on which cancelled tasks resume. A serial queue gets a thread even if accesses block many others.
private let cancelledTasks = DispatchQueue(label: "GRDB.cancelledTasks")
