import Dispatch
import Foundation
import TestSupport
import Testing

@testable import AmalgamConcurrency

@Suite(.timeLimit(.minutes(5)), .watchdog)
struct AccessQueueTests {
    private static let hasProcessors = ProcessInfo.processInfo.activeProcessorCount > 1

    private func makeQueue(hasTarget: Bool = false, patience: Duration = .seconds(3600)) -> AccessQueue {
        AccessQueue(DispatchQueue(label: "accesses"), hasTarget: hasTarget, patience: patience)
    }

    /// Two accesses of a task, the second one as soon as the first one has ended.
    private func askTwice(_ queue: AccessQueue) throws {
        for _ in 0..<2 {
            let done = Signal()
            queue.asyncForTask { done.fire() }
            try done.wait()
        }
    }

    /// Something that happens as soon as the thread looks out no more, and that is not an access itself.
    private func schedule(on queue: AccessQueue) -> Signal {
        let signal = Signal()
        let queue = queue.queue
        // The last access may not have ended yet: what it puts into the queue comes before the signal.
        queue.async { queue.async { signal.fire() } }
        return signal
    }

    enum Ask: CaseIterable { case sync, async, asyncForTask }

    @Test(.enabled(if: hasProcessors), arguments: Ask.allCases)
    func theThreadLooksOutUntilSomebodyAsks(ask: Ask) throws {
        let queue = makeQueue()
        try askTwice(queue)
        let rest = schedule(on: queue)
        Signal.giveOthersAChance()
        #expect(!rest.hasFired)

        let done = Signal()
        switch ask {
        case .sync: queue.sync { done.fire() }
        case .async: queue.async { done.fire() }
        case .asyncForTask: queue.asyncForTask { done.fire() }
        }
        try done.wait()
        try rest.wait()
    }

    @Test(.enabled(if: hasProcessors))
    func theThreadLooksOutForAMoment() throws {
        let queue = makeQueue(patience: .milliseconds(200))
        try askTwice(queue)
        try schedule(on: queue).wait()
    }

    /// Whoever drops the last reference to a connection may delete its file.
    @Test(.enabled(if: hasProcessors))
    func whatTheAccessHasUsedIsReleasedAtOnce() throws {
        final class Connection: Sendable {}
        let queue = makeQueue()
        try askTwice(queue)
        let done = Signal()
        let released: () -> Bool
        do {
            let connection = Connection()
            queue.asyncForTask { withExtendedLifetime(connection) { done.fire() } }
            released = { [weak connection] in connection == nil }
        }
        try done.wait()
        let rest = schedule(on: queue)
        Signal.giveOthersAChance()
        #expect(!rest.hasFired)
        #expect(released())
    }

    @Test(.enabled(if: hasProcessors))
    func theThreadSleepsWhenTheQueueIsGone() throws {
        var queue: AccessQueue? = makeQueue()
        try askTwice(#require(queue))
        let rest = try schedule(on: #require(queue))
        Signal.giveOthersAChance()
        #expect(!rest.hasFired)
        queue = nil
        try rest.wait()
    }

    @Test func nobodyIsLookedOutForAfterOneAccess() throws {
        let queue = makeQueue()
        let done = Signal()
        queue.asyncForTask { done.fire() }
        try done.wait()
        try schedule(on: queue).wait()
    }

    /// A queue of the application has other work to do.
    @Test func theThreadOfATargetQueueDoesNotLookOut() throws {
        let queue = makeQueue(hasTarget: true)
        try askTwice(queue)
        try schedule(on: queue).wait()
    }

    @Test func accessesRunOneByOneInTheOrderOfTheirCalls() throws {
        let queue = makeQueue()
        let log = Log<Int>()
        for index in 0..<300 {
            switch index % 3 {
            case 0: queue.asyncForTask { log.append(index) }
            case 1: queue.async { log.append(index) }
            default: queue.sync { log.append(index) }
            }
        }
        queue.sync {}
        #expect(log.elements == Array(0..<300))
    }
}
