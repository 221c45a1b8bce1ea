import AmalgamCore
import Dispatch
import Synchronization

/// The part of a task that is one access: it waits in a queue, without a thread, and then runs where it was resumed.
///
/// A task that is cancelled in the queue is removed from it: it resumes at once, on another queue.
final class AccessTask<Turn: Sendable>: TaskExecutor {
    private enum State {
        case waiting(UnownedJob?)
        case running(Turn)
        case gone
    }

    private let state = Mutex(State.waiting(nil))
    private let cancellation: AccessCancellation
    private let enqueueAccess: @Sendable (AccessTask) -> (@Sendable () -> Void)

    /// - Parameter enqueueAccess: requests a turn, at which ``run(_:)`` is called, and returns the closure that removes the
    ///   task from the queue.
    init(
        _ cancellation: AccessCancellation,
        enqueueAccess: @escaping @Sendable (AccessTask) -> (@Sendable () -> Void)
    ) {
        self.cancellation = cancellation
        self.enqueueAccess = enqueueAccess
    }

    /// Runs a closure when it is its turn.
    ///
    /// - throws: `CancellationError` when the task was cancelled in the queue.
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

    /// Runs the access on this thread.
    ///
    /// - Returns: whether there is one: false when it was cancelled in the queue.
    func run(_ turn: Turn) -> Bool {
        guard let job = takeJob(.running(turn)) else { return false }
        job.runSynchronously(on: asUnownedTaskExecutor())
        return true
    }

    /// The job, for the first caller.
    private func takeJob(_ newState: State) -> UnownedJob? {
        state.withLock { state in
            guard case .waiting(let job?) = state else { return nil }
            state = newState
            return job
        }
    }
}

/// Where cancelled tasks resume: a serial queue has a thread, however many accesses block others.
private let cancelledTasks = DispatchQueue(label: "GRDB.cancelledTasks")
