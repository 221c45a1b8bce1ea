#if canImport(Combine) || OpenCombine
import Amalgam
import Dispatch
import PublisherProbes
import TestSupport
import Testing

#if canImport(Combine)
import Combine
#else
import OpenCombine
import OpenCombineDispatch
#endif

@Suite struct ValueObservationPublisherTests {
    private let queue = DispatchQueue(label: "subscriber")

    private func subscribe<Reducer: ValueReducer>(
        _ probe: SubscriberProbe<Reducer.Value>, to observation: ValueObservation<Reducer>,
        in reader: any DatabaseReader
    ) {
        observation.publisher(in: reader, scheduling: .async(onQueue: queue)).subscribe(probe)
    }

    @Test(arguments: Store.allCases)
    func aSubscriberGetsTheInitialValueAndFreshOnes(_ store: Store) throws {
        try store.withWriter { writer in
            let probe = SubscriberProbe<Int>(.unlimited)
            subscribe(probe, to: counting, in: writer)
            for count in 1...3 {
                try probe.wait(count: count)
                try writer.write { try $0.addPlayer() }
            }
            expectEqual(try probe.wait(count: 4), [0, 1, 2, 3])
            #expect(probe.completion == nil)
            #expect(probe.faults == [])
            probe.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func valuesAreThoseOfCommits(_ store: Store) throws {
        try store.withWriter { writer in
            let probe = SubscriberProbe<Int>(.unlimited)
            subscribe(probe, to: counting, in: writer)
            try probe.wait(count: 1)
            try? writer.write { db in
                try db.addPlayer()
                throw Oops()
            }
            try writer.write { db in for _ in 0..<10 { try db.addPlayer() } }
            expectEqual(try probe.wait(count: 2), [0, 10])
            probe.cancel()
        }
    }

    @Test func eachSubscriptionIsAnObservation() throws {
        try Store.pool.withWriter { writer in
            let fetches = Box(0)
            let publisher = ValueObservation.tracking { db in
                fetches.increment()
                return try db.playerCount()
            }.publisher(in: writer, scheduling: .async(onQueue: queue))
            let probes = [SubscriberProbe<Int>(.unlimited), SubscriberProbe<Int>(.unlimited)]
            for probe in probes {
                publisher.subscribe(probe)
                try probe.wait(count: 1)
            }
            #expect(fetches.value == 2)
            // One is cancelled, and the other one continues.
            probes[0].cancel()
            try writer.write { try $0.addPlayer() }
            expectEqual(try probes[1].wait(count: 2), [0, 1])
            #expect(probes[0].values == [0])
            probes[1].cancel()
        }
    }

    @Test func whatDoesNotChangeGivesTheInitialValue() throws {
        try withPool { pool, _ in
            let snapshot = try pool.makeSnapshot()
            let probe = SubscriberProbe<Int>(.unlimited)
            subscribe(probe, to: counting, in: snapshot)
            try probe.wait(count: 1)
            try pool.write { try $0.addPlayer() }
            queue.sync {}
            #expect(probe.values == [0])
            #expect(probe.completion == nil)
            probe.cancel()
        }
    }

    // MARK: Demand

    @Test(arguments: Store.allCases)
    func nothingStartsBeforeThereIsDemand(_ store: Store) throws {
        try store.withWriter { writer in
            let starts = Box(0)
            let probe = SubscriberProbe<Int>()
            subscribe(probe, to: counting.handleEvents(willStart: { starts.increment() }), in: writer)
            probe.request(.none)
            try writer.write { try $0.addPlayer() }
            #expect(starts.value == 0)
            probe.request(.max(1))
            expectEqual(try probe.wait(count: 1), [1])
            #expect(starts.value == 1)
            probe.cancel()
        }
    }

    /// In a pool, one value waits for demand, and nothing is fetched until then. All writes of this time result in one
    /// more value.
    @Test func aSlowSubscriberIsOneValueBehindInAPool() throws {
        try Store.pool.withWriter { writer in
            let (fetches, fetched) = (Box(0), Signal("second fetch"))
            let observation = ValueObservation.tracking { db in
                defer { if fetches.increment() == 2 { fetched.fire() } }
                return try db.playerCount()
            }
            let probe = SubscriberProbe<Int>(.max(1))
            subscribe(probe, to: observation, in: writer)
            try probe.wait(count: 1)
            try writer.write { try $0.addPlayer() }
            try fetched.wait()
            for _ in 0..<5 { try writer.write { try $0.addPlayer() } }
            #expect(probe.values == [0])
            probe.request(.max(1))
            expectEqual(try probe.wait(count: 2), [0, 1])
            probe.request(.max(1))
            expectEqual(try probe.wait(count: 3), [0, 1, 6])
            #expect(fetches.value == 3)
            #expect(probe.faults == [])
            probe.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func aSlowSubscriberMissesNoCommitWhenItWantsEach(_ store: Store) throws {
        try store.withWriter { writer in
            let probe = SubscriberProbe<Int>(.max(1))
            subscribe(probe, to: counting.delivering(.everyCommit), in: writer)
            try probe.wait(count: 1)
            for _ in 0..<20 { try writer.write { try $0.addPlayer() } }
            #expect(probe.values == [0])
            probe.request(.max(5))
            expectEqual(try probe.wait(count: 6), [0, 1, 2, 3, 4, 5])
            queue.sync {}
            #expect(probe.values.count == 6)
            probe.request(.unlimited)
            expectEqual(try probe.wait(count: 21), Array(0...20))
            #expect(probe.faults == [])
            probe.cancel()
        }
    }

    /// No difference is lost, because each one is relative to the previous value.
    @Test(arguments: Store.allCases)
    func differencesForASlowSubscriberAddUp(_ store: Store) throws {
        try store.withWriter { writer in
            let names = ValueObservation.tracking { db in
                try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY id")
            }
            let probe = SubscriberProbe<[String]>(.max(1))
            subscribe(probe, to: names.differences(by: \.self).map { $0.insertions.map(\.element) }, in: writer)
            try probe.wait(count: 1)
            for name in ["Anna", "Ben", "Cleo"] { try writer.write { try $0.addPlayer(name) } }
            probe.request(.max(1))
            try probe.wait(count: 2)
            try writer.write { try $0.addPlayer("Dan") }
            probe.request(.unlimited)
            try waitUntil("the last one") { probe.values.last?.last == "Dan" }
            #expect(probe.values.flatMap(\.self) == ["Anna", "Ben", "Cleo", "Dan"])
            #expect(probe.faults == [])
            probe.cancel()
        }
    }

    @Test func aSubscriberMayAskForOneAfterTheOther() throws {
        try Store.memoryQueue.withWriter { writer in
            // The demand comes from the returned value, and from a call during it.
            let probe = SubscriberProbe<Int>(.max(1)) { probe, count in
                if count % 2 == 0 { return .max(1) }
                probe.request(.max(1))
                return .none
            }
            subscribe(probe, to: counting, in: writer)
            try probe.wait(count: 1)
            for _ in 0..<10 { try writer.write { try $0.addPlayer() } }
            expectEqual(try probe.wait(count: 11), Array(0...10))
            #expect(probe.faults == [])
            probe.cancel()
        }
    }

    // MARK: Where

    @Test func byDefaultSubscribersAreCalledOnTheMainQueueLater() async throws {
        try await Store.pool.withWriter { writer in
            let recorder = Recorder<Int>()
            let cancellable = await MainActor.run {
                let cancellable = counting.publisher(in: writer).sink { _ in
                } receiveValue: { count in
                    MainActor.assertIsolated()
                    recorder.append(count)
                }
                #expect(recorder.values.isEmpty)
                return Parcel(cancellable)
            }
            try await recorder.expect([0])
            try await writer.write { try $0.addPlayer() }
            try await recorder.expect([0, 1])
            cancellable.value.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func immediateGivesTheInitialValueBeforeSinkReturns(_ store: Store) async throws {
        try await store.withWriter { writer in
            let recorder = Recorder<Int>()
            let cancellable = await MainActor.run {
                let cancellable = counting.publisher(in: writer, scheduling: .immediate).sink { _ in
                } receiveValue: { count in
                    MainActor.assertIsolated()
                    recorder.append(count)
                }
                #expect(recorder.values == [0])
                return Parcel(cancellable)
            }
            try await writer.write { try $0.addPlayer() }
            try await recorder.expect([0, 1])
            cancellable.value.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func immediateGivesTheInitialErrorBeforeSinkReturns(_ store: Store) async throws {
        try await store.withWriter { writer in
            await MainActor.run {
                let probe = SubscriberProbe<Int>(.unlimited)
                ValueObservation.tracking { _ -> Int in throw Oops() }
                    .publisher(in: writer, scheduling: .immediate).subscribe(probe)
                #expect(probe.error is Oops)
                #expect(probe.faults == [])
            }
        }
    }

    /// The second value is ready while the starting thread delivers the first one: it waits for its turn.
    @Test(arguments: Store.allCases)
    func oneValueComesAfterTheOther(_ store: Store) throws {
        struct Counted: ValueObservationScheduler {
            let base: RecorderScheduler
            let count = Box(0)
            func immediateInitialValue() -> Bool { true }
            func schedule(_ action: @escaping @Sendable () -> Void) {
                count.increment()
                base.schedule(action)
            }
        }
        try store.withWriter { writer in
            let isNextOneInLine = Signal("third value")
            let observation = counting.delivering(.everyCommit)
                .handleEvents(didReceiveValue: { if $0 == 2 { isNextOneInLine.fire() } })
            let scheduler = Counted(base: RecorderScheduler(queue: queue))
            let probe = SubscriberProbe<Int>(.unlimited) { _, count in
                guard count == 0 else { return .none }
                do {
                    for _ in 0..<2 { try writer.write { try $0.addPlayer() } }
                    // When the third value arrives, the second one has been delivered.
                    try isNextOneInLine.wait()
                } catch {
                    Issue.record(error)
                }
                #expect(scheduler.count.value == 0)
                return .none
            }
            observation.publisher(in: writer, scheduling: scheduler).subscribe(probe)
            expectEqual(try probe.wait(count: 3), [0, 1, 2])
            queue.sync {}
            #expect(scheduler.count.value == 2)
            #expect(probe.faults == [])
            probe.cancel()
        }
    }

    /// With a scheduler that calls at once, many waiting values don't need a deep stack.
    @Test func manyValuesMayWaitForASchedulerThatCallsAtOnce() throws {
        struct AtOnce: ValueObservationScheduler {
            func immediateInitialValue() -> Bool { false }
            func schedule(_ action: @escaping @Sendable () -> Void) { action() }
        }
        try Store.memoryQueue.withWriter { writer in
            let commits = 5000
            let isInLine = Signal("all values")
            let observation = counting.handleEvents(didReceiveValue: { if $0 == commits { isInLine.fire() } })
            let probe = SubscriberProbe<Int>(.max(1))
            observation.publisher(in: writer, scheduling: AtOnce()).subscribe(probe)
            try probe.wait(count: 1)
            try writer.writeWithoutTransaction { db in for _ in 0..<commits { try db.addPlayer() } }
            try isInLine.wait()
            #expect(probe.values == [0])
            probe.request(.unlimited)
            expectEqual(try probe.wait(count: commits + 1), Array(0...commits))
            #expect(probe.faults == [])
            probe.cancel()
        }
    }

    // MARK: Errors

    @Test(arguments: Store.allCases)
    func anErrorIsTheEnd(_ store: Store) throws {
        try store.withWriter { writer in
            let observation = counting.map { count in
                if count == 1 { throw Oops() }
                return count
            }
            let probe = SubscriberProbe<Int>(.unlimited)
            subscribe(probe, to: observation, in: writer)
            try probe.wait(count: 1)
            try writer.write { try $0.addPlayer() }
            let error = try probe.waitForError()
            #expect(error is Oops)
            try writer.write { try $0.addPlayer() }
            queue.sync {}
            #expect(probe.values == [0])
            #expect(probe.faults == [])
        }
    }

    @Test(arguments: Store.allCases)
    func anErrorNeedsNoDemand(_ store: Store) throws {
        try store.withWriter { writer in
            let observation = counting.map { count in
                if count == 1 { throw Oops() }
                return count
            }
            let probe = SubscriberProbe<Int>(.max(1))
            subscribe(probe, to: observation, in: writer)
            try probe.wait(count: 1)
            try writer.write { try $0.addPlayer() }
            let error = try probe.waitForError()
            #expect(error is Oops)
        }
    }

    @Test func anErrorComesAfterTheValuesThatWait() throws {
        try Store.memoryQueue.withWriter { writer in
            let failed = Signal("failure")
            let observation = counting.map { count in
                if count == 3 { throw Oops() }
                return count
            }.handleEvents(didFail: { _ in failed.fire() })
            let probe = SubscriberProbe<Int>(.max(1))
            subscribe(probe, to: observation, in: writer)
            try probe.wait(count: 1)
            for _ in 0..<3 { try writer.write { try $0.addPlayer() } }
            try failed.wait()
            queue.sync {}
            #expect(probe.values == [0])
            #expect(probe.completion == nil)
            probe.request(.max(2))
            let error = try probe.waitForError()
            #expect(error is Oops)
            #expect(probe.values == [0, 1, 2])
            #expect(probe.faults == [])
        }
    }

    // MARK: The end

    @Test(arguments: Store.allCases)
    func cancellationEndsTheObservation(_ store: Store) throws {
        try store.withWriter { writer in
            let (fetches, cancelled) = (Box(0), Signal("end of observation"))
            let observation = ValueObservation.tracking { db in
                fetches.increment()
                return try db.playerCount()
            }.handleEvents(didCancel: { cancelled.fire() })
            let probe = SubscriberProbe<Int>(.unlimited)
            subscribe(probe, to: observation, in: writer)
            try probe.wait(count: 1)
            probe.cancel()
            try cancelled.wait()
            try writer.write { try $0.addPlayer() }
            try writer.barrierWriteWithoutTransaction { _ in }
            queue.sync {}
            #expect(fetches.value == 1)
            #expect(probe.values == [0])
            #expect(probe.completion == nil)
        }
    }

    @Test func aSubscriberMayCancelWithAValue() throws {
        try Store.memoryQueue.withWriter { writer in
            let probe = SubscriberProbe<Int>(.unlimited) { probe, count in
                if count == 1 { probe.cancel() }
                return .none
            }
            subscribe(probe, to: counting, in: writer)
            try probe.wait(count: 1)
            for _ in 0..<3 { try writer.write { try $0.addPlayer() } }
            try probe.wait(count: 2)
            queue.sync {}
            #expect(probe.values == [0, 1])
            #expect(probe.faults == [])
        }
    }

    @Test func releasingASinkEndsTheObservation() throws {
        try Store.pool.withWriter { writer in
            let (cancelled, recorder) = (Signal("end of observation"), Recorder<Int>())
            var sink: AnyCancellable? = counting.handleEvents(didCancel: { cancelled.fire() })
                .publisher(in: writer, scheduling: .async(onQueue: recorder.queue))
                .sink(receiveCompletion: { _ in }, receiveValue: { recorder.append($0) })
            try recorder.wait(count: 1)
            #expect(!cancelled.hasFired)
            withExtendedLifetime(sink) {}
            sink = nil
            try cancelled.wait()
        }
    }

    @Test(arguments: ["cancellation", "error", "no demand"])
    func whatItHasIsReleasedAtTheEnd(_ end: String) throws {
        weak var probe: SubscriberProbe<Int>?
        weak var database: DatabaseQueue?
        do {
            let (subscriber, writer) = (SubscriberProbe<Int>(), try DatabaseQueue())
            (probe, database) = (subscriber, writer)
            let observation = ValueObservation.tracking { db in
                if end == "error" { throw Oops() }
                return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master")!
            }
            subscribe(subscriber, to: observation, in: writer)
            switch end {
            case "cancellation":
                subscriber.request(.unlimited)
                try subscriber.wait(count: 1)
                subscriber.cancel()
            case "error":
                subscriber.request(.unlimited)
                try subscriber.waitForCompletion()
            default: subscriber.cancel()
            }
        }
        try waitUntil("end of subscriber and database") { probe == nil && database == nil }
    }

    @Test func aSubscriptionKeepsTheDatabase() throws {
        weak var database: DatabaseQueue?
        let probe = SubscriberProbe<Int>(.unlimited)
        do {
            let writer = try DatabaseQueue()
            database = writer
            subscribe(probe, to: ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT 1")! }, in: writer)
        }
        try probe.wait(count: 1)
        #expect(database != nil)
        probe.cancel()
        try waitUntil("end of the database") { database == nil }
    }

    // MARK: Threads

    /// Several threads request values, or cancel, while another thread writes.
    @Test(arguments: [Store.memoryQueue, .pool])
    func subscriptionsAreUsedFromAnyThread(_ store: Store) throws {
        try store.withWriter { writer in
            try writer.whileOthersWrite {
                for round in 0..<40 {
                    let probe = SubscriberProbe<Int>(round % 3 == 0 ? .max(1) : .none) { _, count in
                        count % 5 == 0 ? .max(1) : .none
                    }
                    subscribe(probe, to: counting, in: writer)
                    try onThreads(3) { index in
                        for _ in 0..<5 { probe.request(.max(2)) }
                        if index == 2 && round % 2 == 0 { probe.cancel() }
                    }
                    if round % 2 == 1 { try probe.wait(count: 30) }
                    probe.cancel()
                    let values = probe.values
                    #expect(values == values.sorted())
                    #expect(probe.faults == [])
                }
            }
        }
    }
}

/// A container that transfers a value to another thread.
struct Parcel<Value>: @unchecked Sendable {
    // Sendable: one thread sets the value, and a second one uses it after waiting for the first.
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
#endif
