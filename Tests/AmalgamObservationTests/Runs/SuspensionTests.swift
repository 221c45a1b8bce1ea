@testable import AmalgamObservation
import Amalgam
import AmalgamConcurrency
import TestSupport
import Testing

/// An observation whose fetch is refused during a suspension continues when the suspension ends.
@Suite struct SuspensionTests {
    /// Suspends a writer whose file isn't in WAL mode: a suspended queue refuses to read it.
    private static func suspend(_ writer: any DatabaseWriter) {
        switch writer {
        case let queue as DatabaseQueue: queue.suspend()
        case let pool as DatabasePool: pool.suspend()
        default: Issue.record("\(writer) cannot be suspended")
        }
    }

    private static func resume(_ writer: any DatabaseWriter) {
        switch writer {
        case let queue as DatabaseQueue: queue.resume()
        case let pool as DatabasePool: pool.resume()
        default: Issue.record("\(writer) cannot be resumed")
        }
    }

    /// Waits until a fetch was refused, and waits for the end of the suspension.
    private static func waitForRefusal(_ writer: any DatabaseWriter) async throws {
        let hub = ObservationHub.of(try #require(writer as? any ObservableDatabase))
        try await waitUntil("a fetch in the suspension") { hub.suspendedFetchCount == 1 }
    }

    /// Counts the players. If the fetch writes, a suspended pool refuses it as well, because it only allows reading.
    private static func counter(writes: Bool) -> ValueObservation<ValueReducers.Fetch<Int>> {
        var observation = ValueObservation.tracking(region: Table("player")) { db in
            if writes { try db.execute(sql: "UPDATE team SET name = name") }
            return try db.playerCount()
        }
        observation.requiresWriteAccess = writes
        return observation
    }

    enum Pace: CaseIterable { case debounce, throttle }

    @Test(arguments: [Store.memoryQueue, .fileQueue, .pool], Pace.allCases)
    func aPacedObservationGoesOnAfterASuspension(_ store: Store, pace: Pace) async throws {
        try await store.withWriter { writer in
            let clock = ManualClock()
            let base = Self.counter(writes: store == .pool)
            let observation =
                pace == .debounce
                ? base.debounce(for: .seconds(1), clock: clock) : base.throttle(for: .seconds(1), clock: clock)
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(observation, in: writer)
            try await recorder.expect([0])
            if pace == .throttle { try await waitUntil("pause") { clock.sleeperCount == 1 } }
            try await writer.write { try $0.addPlayer() }
            try await waitUntil("timer") { clock.sleeperCount == 1 }

            Self.suspend(writer)
            clock.advance(by: .seconds(1))
            try await Self.waitForRefusal(writer)
            #expect(recorder.values == [0])
            Self.resume(writer)
            try await recorder.expect([0, 1])

            try await waitUntil("end of timers") {
                clock.advance(by: .seconds(1))
                return clock.sleeperCount == 0
            }
            try await writer.write { try $0.addPlayer() }
            try await waitUntil("the next value") {
                clock.advance(by: .seconds(1))
                return recorder.values.last == 2
            }
            #expect(recorder.error == nil)
            cancellable.cancel()
        }
    }

    /// A second suspension begins before the fetch is repeated.
    @Test func aFetchWaitsForTheEndOfEachSuspension() async throws {
        try await Store.fileQueue.withWriter { writer in
            let clock = ManualClock()
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(
                counting.debounce(for: .seconds(1), clock: clock), in: writer)
            try await recorder.expect([0])
            try await writer.write { try $0.addPlayer() }
            try await waitUntil("timer") { clock.sleeperCount == 1 }
            Self.suspend(writer)
            clock.advance(by: .seconds(1))
            try await Self.waitForRefusal(writer)
            for _ in 1...3 {
                Self.resume(writer)
                Self.suspend(writer)
            }
            Self.resume(writer)
            try await recorder.expect([0, 1])
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.queues)
    func anObservationMayStartInASuspension(_ store: Store) async throws {
        try await store.withWriter { writer in
            Self.suspend(writer)
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(counting, in: writer)
            try await Self.waitForRefusal(writer)
            Self.resume(writer)
            try await recorder.expect([0])
            try await writer.write { try $0.addPlayer() }
            try await recorder.expect([0, 1])
            cancellable.cancel()
        }
    }

    /// An immediate start fails, because no value can be delivered before it returns.
    @Test(arguments: Store.queues)
    func anImmediateStartFailsInASuspension(_ store: Store) throws {
        try store.withWriter { writer in
            Self.suspend(writer)
            let recorder = Recorder<Int>()
            let cancellable = recorder.startImmediately(counting, in: writer)
            #expect((recorder.error as? DatabaseError)?.resultCode == .SQLITE_ABORT)
            Self.resume(writer)
            cancellable.cancel()
        }
    }

    /// A suspension interrupts a running fetch, which is repeated.
    @Test(arguments: [Store.memoryQueue, .fileQueue])
    func aFetchThatIsInterruptedBySuspensionIsRepeated(_ store: Store) async throws {
        try await store.withWriter { writer in
            let (hasBegun, fetches) = (Signal("fetch"), Box(0))
            let observation = ValueObservation.tracking { db in
                if fetches.increment() == 1 {
                    hasBegun.fire()
                    try db.runUntilInterrupted()
                }
                return try db.playerCount()
            }
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(observation, in: writer)
            try await waitUntil("fetch") { hasBegun.hasFired }
            Self.suspend(writer)
            Self.resume(writer)
            // The interruption may come before the statement runs.
            while recorder.values.isEmpty && recorder.error == nil {
                writer.interrupt()
                try await Task.sleep(for: .milliseconds(1))
            }
            try await recorder.expect([0])
            cancellable.cancel()
        }
    }

    @Test func anObservationThatIsCancelledInASuspensionIsReleased() async throws {
        try await Store.fileQueue.withWriter { writer in
            final class Token: Sendable {}
            weak var token: Token?
            do {
                let strong = Token()
                token = strong
                Self.suspend(writer)
                let recorder = Recorder<Int>()
                let observation = counting.map { [strong] count in
                    withExtendedLifetime(strong) { count }
                }
                let cancellable = recorder.start(observation, in: writer)
                try await Self.waitForRefusal(writer)
                cancellable.cancel()
            }
            try await waitUntil("release") { token == nil }
            Self.resume(writer)
            try await writer.write { try $0.addPlayer() }
        }
    }

    @Test func commitsOfOthersInASuspensionAreFetchedAfterIt() async throws {
        var patient = Configuration()
        patient.busyMode = .timeout(600)
        try await Store.fileQueue.withWriter(patient) { [patient] writer in
            let other = try DatabaseQueue(path: writer.path, configuration: patient)
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(counting.includingExternalChanges(), in: writer)
            try await recorder.expect([0])
            try await other.write { try $0.addPlayer() }
            try await waitUntil("first change") { recorder.values.last == 1 }
            for count in 2...5 {
                Self.suspend(writer)
                try await other.write { try $0.addPlayer() }
                Self.resume(writer)
                try await waitUntil("change \(count)") { recorder.values.last == count || recorder.error != nil }
            }
            #expect(recorder.error == nil)
            cancellable.cancel()
            try other.close()
        }
    }
}

/// A fetch that another thread interrupts is repeated.
@Suite struct InterruptionTests {
    @Test(arguments: Store.allCases)
    func theFirstFetchIsRepeated(_ store: Store) async throws {
        try await store.withWriter { writer in
            let fetches = Box(0)
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(Self.interruptible(fetches, at: 1), in: writer)
            try await Self.interrupt(writer) { recorder.values.last == 0 || recorder.error != nil }
            try await recorder.expect([0])
            #expect(fetches.value >= 2)
            try await writer.write { try $0.addPlayer() }
            try await recorder.expect([0, 1])
            cancellable.cancel()
        }
    }

    /// A later fetch is repeated, and the other observation of the shared fetch receives its value as well.
    @Test(arguments: [Store.pool, .erasedPool], [ValueObservationDelivery.latest, .everyCommit])
    func aLaterFetchIsRepeated(_ store: Store, delivery: ValueObservationDelivery) async throws {
        try await store.withWriter { writer in
            let fetches = Box(0)
            let (recorder, other) = (Recorder<Int>(), Recorder<Int>())
            let cancellable = recorder.start(Self.interruptible(fetches, at: 2).delivering(delivery), in: writer)
            let otherCancellable = other.start(counting, in: writer)
            try await recorder.expect([0])
            try await other.expect([0])
            try await writer.write { try $0.addPlayer() }
            try await Self.interrupt(writer) { recorder.values.last == 1 || recorder.error != nil }
            try await recorder.expect([0, 1])
            try await waitUntil("the other value") { other.values.last == 1 || other.error != nil }
            #expect(other.error == nil)
            cancellable.cancel()
            otherCancellable.cancel()
        }
    }

    /// An error of the fetch ends the observation if no interruption explains it.
    @Test(arguments: Store.allCases)
    func aFetchThatExceedsItsLimitFails(_ store: Store) throws {
        try store.withWriter { writer in
            let observation = ValueObservation.tracking { db in
                try db.withLimits(ExecutionLimits(instructions: 10_000)) { try db.runUntilInterrupted() }
                return 0
            }
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(observation, in: writer)
            let error = try recorder.waitForError() as? DatabaseError
            #expect(error?.resultCode == .SQLITE_INTERRUPT)
            cancellable.cancel()
        }
    }

    /// An observation with one fetch that runs until it is interrupted.
    private static func interruptible(_ fetches: Box<Int>, at number: Int) -> ValueObservation<ValueReducers.Fetch<Int>>
    {
        ValueObservation.tracking { db in
            let count = try db.playerCount()
            if fetches.increment() == number { try db.runUntilInterrupted() }
            return count
        }
    }

    /// Interrupts repeatedly until a condition is true.
    private static func interrupt(_ writer: any DatabaseWriter, until isTrue: () -> Bool) async throws {
        try await waitUntil("the value after an interruption") {
            writer.interrupt()
            return isTrue()
        }
    }
}

extension Database {
    /// Runs a statement that has no end of its own.
    fileprivate func runUntilInterrupted() throws {
        _ = try Int.fetchOne(
            self,
            sql: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT MAX(i) FROM n")
    }
}
