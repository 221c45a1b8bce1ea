import AmalgamCore
import Dispatch
import Foundation
import Synchronization

/// A task executor for tasks that use a database. Its threads may block, unlike those of Swift's default executor.
///
/// A task on such a thread runs its access there, without a dispatch. Three rules prevent deadlocks. A thread never
/// waits for a connection: the task is suspended instead. A suspended access resumes on the dispatch queue of its
/// connection, so no task in the queue of this executor holds a connection. An access has no suspension point. The
/// threads belong to serial dispatch queues, because concurrent queues would block threads that all tasks share.
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

    /// Creates an executor for at least one job per core, because tasks also run code that doesn't access the database.
    ///
    /// - Parameter accessCount: the maximum number of concurrent accesses.
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

/// The jobs that wait for a thread. Jobs of the same priority start in the order in which they were enqueued.
///
/// Jobs of a higher priority start first. To prevent starvation, every fourth job to start is one of usual priority,
/// and every sixteenth is one of background priority, if such jobs wait.
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
