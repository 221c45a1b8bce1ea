import Dispatch

/// Runs parts of tasks on a serial dispatch queue.
///
/// An asynchronous access runs there as a part of the task that asks for it: it sees the task-local values, and the queue
/// sees the priority. It has no suspension point, so it holds the queue from its beginning to its end, as a synchronous
/// access does, and in the same line.
final class QueueExecutor: TaskExecutor {
    let queue: DispatchQueue

    init(_ queue: DispatchQueue) {
        self.queue = queue
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs a closure on the queue.
    func run<T: Sendable>(_ body: @Sendable () throws -> T) async throws -> T {
        try await withTaskExecutorPreference(self) { try body() }
    }
}
