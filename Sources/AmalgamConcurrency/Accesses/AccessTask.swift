import AmalgamCore
import Dispatch
import Synchronization

/// The part of a task that is one access: it waits in line, without a thread, and then runs where it was let in.
///
/// A task that is cancelled in line leaves it: it goes on at once, elsewhere, and nobody waits for it.
final class AccessTask<Turn: Sendable>: TaskExecutor {
    private enum State {
        case waiting(UnownedJob?)
        case running(Turn)
        case gone
    }

    private let state = Mutex(State.waiting(nil))
    private let cancellation: AccessCancellation
    private let joinLine: @Sendable (AccessTask) -> (@Sendable () -> Void)

    /// - Parameter joinLine: asks for a turn, at which ``run(_:)`` is called, and gives what to do when the task has left
    ///   the line before.
    init(
        _ cancellation: AccessCancellation,
        joinLine: @escaping @Sendable (AccessTask) -> (@Sendable () -> Void)
    ) {
        self.cancellation = cancellation
        self.joinLine = joinLine
    }

    /// Runs a closure when it is its turn.
    ///
    /// - throws: `CancellationError` when the task has left the line.
    func perform<T: Sendable>(_ access: @Sendable (Turn) throws -> T) async throws -> T {
        try await withTaskExecutorPreference(self) {
            guard case .running(let turn) = state.withLock({ $0 }) else { throw CancellationError() }
            return try access(turn)
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The job may run, and let go of this executor, before the line is joined from here.
        let executor = Unmanaged.passRetained(self)
        defer { executor.release() }
        state.withLock { $0 = .waiting(job) }
        let leaveLine = joinLine(self)
        cancellation.whenCancelledInLine { [self] in
            guard let job = takeJob(.gone) else { return }
            leaveLine()
            cancelledTasks.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    /// Runs the access on this thread.
    ///
    /// - Returns: whether there is one: false when it has left the line.
    func run(_ turn: Turn) -> Bool {
        guard let job = takeJob(.running(turn)) else { return false }
        job.runSynchronously(on: asUnownedTaskExecutor())
        return true
    }

    /// The job, for the one who comes first.
    private func takeJob(_ newState: State) -> UnownedJob? {
        state.withLock { state in
            guard case .waiting(let job?) = state else { return nil }
            state = newState
            return job
        }
    }
}

/// Where tasks go on that have left a line: a serial queue has a thread, however many accesses block others.
private let cancelledTasks = DispatchQueue(label: "GRDB.cancelledTasks")
