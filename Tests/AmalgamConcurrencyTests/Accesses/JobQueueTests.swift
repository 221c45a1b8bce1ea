import Testing

@testable import AmalgamConcurrency

/// The order in which the threads of `taskExecutor` take jobs.
struct JobQueueTests {
    private let high = TaskPriority.high.rawValue
    private let medium = TaskPriority.medium.rawValue
    private let background = TaskPriority.background.rawValue

    @Test func urgentJobsComeFirst() {
        var queue = JobQueue<String>()
        queue.append("background", background)
        queue.append("none", 0)
        queue.append("medium", medium)
        queue.append("high", high)
        #expect((1...5).map { _ in queue.popFirst() } == ["high", "none", "medium", "background", nil])
    }

    @Test func jobsOfOnePriorityKeepTheirOrder() {
        var queue = JobQueue<Int>()
        for number in 1...40 { queue.append(number, medium) }
        #expect((1...40).map { _ in queue.popFirst() } == Array(1...40))
    }

    /// Other jobs start even if urgent jobs arrive as fast as they are started.
    @Test func urgentJobsDoNotStarveOthers() {
        var queue = JobQueue<String>()
        for _ in 1...4 {
            queue.append("medium", medium)
            queue.append("background", background)
        }
        var started: [String: Int] = [:]
        for _ in 1...64 {
            queue.append("high", high)
            started[queue.popFirst() ?? "none", default: 0] += 1
        }
        #expect(started == ["high": 56, "medium": 4, "background": 4])
    }
}
