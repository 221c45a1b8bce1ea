import AmalgamCore
import Dispatch
import Foundation
import Synchronization

/// A task executor for tasks that use a database. Its threads may block, unlike those of Swift's default executor.
///
/// A task on a thread of this executor runs its database access (the closure of `read` or `write`) on this thread. Two
/// rules prevent deadlocks:
///
/// - A task that has to wait for a connection is suspended. When a connection becomes available, the access runs on the
///   dispatch queue of this connection, and needs no thread of the executor. So no task that has acquired a connection
///   waits for a thread of the executor.
/// - An access is a synchronous closure, so no task is suspended while it holds a connection.
///
/// The threads belong to serial dispatch queues, because all concurrent queues of a process share a limited number of
/// threads.
final class AccessExecutor: TaskExecutor {
    private struct State {
        var jobs = JobQueue<UnownedJob>()
        /// The queues on which no job runs.
        var idleQueues: [DispatchQueue] = []
        var queueCount = 0
    }

    private let state = Mutex(State())
    private let label: String
    private let capacity: Int

    /// - Parameter capacity: the maximum number of concurrent jobs.
    init(label: String, capacity: Int) {
        self.label = label + ".tasks"
        self.capacity = capacity
    }

    /// Creates an executor with at most one thread for each concurrent database access, or one thread per core if that
    /// is more. Threads beyond the number of accesses run the code of tasks outside of database accesses.
    ///
    /// - Parameter accessCount: the maximum number of concurrent database accesses.
    convenience init(label: String, accessCount: Int) {
        self.init(label: label, capacity: max(accessCount, Self.coreCount))
    }

    private static let coreCount = ProcessInfo.processInfo.activeProcessorCount

    private static let ofThread = ThreadLocal<AccessExecutor>()

    /// Whether the current thread belongs to the executor of any database, so that it may block.
    static var ownsCurrentThread: Bool { ofThread.value != nil }

    func enqueue(_ job: consuming ExecutorJob) {
        let priority = job.priority
        let job = UnownedJob(job)
        let queue: DispatchQueue? = state.withLock { state in
            state.jobs.append(job, priority.rawValue)
            if let queue = state.idleQueues.popLast() { return queue }
            if state.queueCount == capacity { return nil }
            state.queueCount += 1
            return DispatchQueue(label: label)
        }
        if let queue { queue.async { self.runJobs(on: queue) } }
    }

    private func runJobs(on queue: DispatchQueue) {
        Self.ofThread.withValue(self) {
            while let job = nextJob(on: queue) { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }

    private func nextJob(on queue: DispatchQueue) -> UnownedJob? {
        state.withLock { state in
            if let job = state.jobs.popFirst() { return job }
            // A job that is now dispatched to this queue runs after the current block has returned.
            state.idleQueues.append(queue)
            return nil
        }
    }
}

/// The jobs that wait for a thread. Jobs of a higher priority start first, and jobs of the same priority in FIFO order.
///
/// To prevent starvation, every fourth job that starts is one of usual priority, and every sixteenth is one of
/// background priority, if such a job waits, even if jobs of higher priorities wait, too.
struct JobQueue<Job> {
    private var urgent = FIFOQueue<Job>()
    private var usual = FIFOQueue<Job>()
    private var background = FIFOQueue<Job>()

    private var startCount = 0

    /// - Parameter priority: the raw value of the task's priority, or 0 without one.
    mutating func append(_ job: Job, _ priority: UInt8) {
        if priority >= TaskPriority.high.rawValue {
            urgent.append(job)
        } else if priority > TaskPriority.utility.rawValue || priority == 0 {
            usual.append(job)
        } else {
            background.append(job)
        }
    }

    mutating func popFirst() -> Job? {
        startCount &+= 1
        if startCount.isMultiple(of: 16), let job = background.popFirst() { return job }
        if startCount.isMultiple(of: 4), let job = usual.popFirst() { return job }
        return urgent.popFirst() ?? usual.popFirst() ?? background.popFirst()
    }
}
