import Testing

@testable import AmalgamConcurrency

/// The order in which the threads of `taskExecutor` take jobs.
struct JobLineTests {
    private let high = TaskPriority.high.rawValue
    private let medium = TaskPriority.medium.rawValue
    private let background = TaskPriority.background.rawValue

    @Test func urgentJobsComeFirst() {
        var line = JobLine<String>()
        line.append("background", background)
        line.append("none", 0)
        line.append("medium", medium)
        line.append("high", high)
        #expect((1...5).map { _ in line.popFirst() } == ["high", "none", "medium", "background", nil])
    }

    @Test func jobsOfOnePriorityKeepTheirOrder() {
        var line = JobLine<Int>()
        for number in 1...40 { line.append(number, medium) }
        #expect((1...40).map { _ in line.popFirst() } == Array(1...40))
    }

    /// Urgent jobs come as fast as they are started. The others start nevertheless.
    @Test func urgentJobsDoNotStarveOthers() {
        var line = JobLine<String>()
        for _ in 1...4 {
            line.append("medium", medium)
            line.append("background", background)
        }
        var started: [String: Int] = [:]
        for _ in 1...64 {
            line.append("high", high)
            started[line.popFirst() ?? "none", default: 0] += 1
        }
        #expect(started == ["high": 56, "medium": 4, "background": 4])
    }
}
