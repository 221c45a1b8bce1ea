import AmalgamCore
import Dispatch
import Foundation
import Synchronization

/// Threads for tasks that use a database: they may be blocked by it, which the threads of other tasks must not.
///
/// A task that prefers this executor is on such a thread when it asks for an access, and so the access runs right there:
/// nothing is dispatched. There are three rules, which keep tasks from waiting for each other in a circle:
///
/// - a thread of the executor never waits in a queue for a connection. When none is free, the task is suspended, and the
///   thread goes on with another one;
/// - the access of a task that had to wait does not run here, but on the queue of the connection that it was given,
///   which has a thread of its own. So a connection is never held by a task that is queued for this executor;
/// - an access has no suspension point: the task that holds a connection is on a thread from its beginning to its end.
///
/// There are as many threads as accesses can run at a time, and no fewer than the machine has cores, since tasks do other
/// work as well. Each is that of a serial queue, and so it comes and goes with the work. A concurrent queue would take its
/// threads from those that all tasks of the process share, and blocking them is what this is for to avoid.
final class AccessExecutor: TaskExecutor {
    private struct State {
        var jobs = JobQueue<UnownedJob>()
        /// Queues on which no job runs.
        var idleQueues: [DispatchQueue] = []
        var queueCount = 0
    }

    private let state = Mutex(State())
    private let label: String
    private let capacity: Int

    /// - Parameter capacity: how many jobs run at a time.
    init(label: String, capacity: Int) {
        self.label = label + ".tasks"
        self.capacity = capacity
    }

    /// - Parameter accessCount: how many accesses run at a time.
    convenience init(label: String, accessCount: Int) {
        self.init(label: label, capacity: max(accessCount, Self.coreCount))
    }

    private static let coreCount = ProcessInfo.processInfo.activeProcessorCount

    private static let ofThread = ThreadLocal<AccessExecutor>()

    /// Whether the current thread is there to be blocked by databases: that of another database will do.
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
            // Whoever finds it here dispatches to it: it runs again as soon as this call has returned.
            state.idleQueues.append(queue)
            return nil
        }
    }
}

/// Jobs that wait for a thread. Jobs of one priority start in the order in which they were enqueued.
///
/// The most urgent priority comes first, and doesn't starve the others: of four jobs that start, one is of the next priority
/// if such a job waits, and of sixteen, one is of the lowest.
struct JobQueue<Job> {
    private var urgent = FIFOQueue<Job>()
    private var usual = FIFOQueue<Job>()
    private var background = FIFOQueue<Job>()

    private var startCount = 0

    /// - Parameter priority: that of a task, 0 when it has none.
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
