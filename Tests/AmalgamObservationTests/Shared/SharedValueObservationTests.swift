import Amalgam
import Dispatch
import TestSupport
import Testing

@Suite struct SharedValueObservationTests {
    private static func shared(
        _ writer: any DatabaseWriter, _ recorder: Recorder<Int>,
        _ extent: SharedValueObservationExtent = .whileObserved,
        fetches: Box<Int> = Box(0), fails: Box<Bool> = Box(false)
    ) -> SharedValueObservation<Int> {
        ValueObservation.tracking { db in
            fetches.increment()
            if fails.value { throw Oops() }
            return try db.playerCount()
        }.shared(in: writer, scheduling: .async(onQueue: recorder.queue), extent: extent)
    }

    private static func subscribe(
        _ shared: SharedValueObservation<Int>, _ recorder: Recorder<Int>
    ) -> AnyDatabaseCancellable {
        shared.start(onError: { recorder.append($0) }, onChange: { recorder.append($0) })
    }

    @Test(arguments: Store.allCases, [SharedValueObservationExtent.whileObserved, .observationLifetime])
    func aChangeIsFetchedOnceForAll(_ store: Store, _ extent: SharedValueObservationExtent) throws {
        try store.withWriter { writer in
            let fetches = Box(0)
            let (first, second) = (Recorder<Int>(), Recorder<Int>())
            let shared = Self.shared(writer, first, extent, fetches: fetches)
            #expect(fetches.value == 0)
            let firstCancellable = Self.subscribe(shared, first)
            try first.wait(count: 1)
            let secondCancellable = Self.subscribe(shared, second)
            try second.wait(count: 1)
            try writer.write { try $0.addPlayer() }
            #expect(try first.wait(count: 2) == [0, 1])
            #expect(try second.wait(count: 2) == [0, 1])
            #expect(fetches.value == 2)
            // One is cancelled, and the other one continues.
            firstCancellable.cancel()
            try writer.write { try $0.addPlayer() }
            #expect(try second.wait(count: 3) == [0, 1, 2])
            #expect(first.values == [0, 1])
            secondCancellable.cancel()
        }
    }

    @Test func itStopsWithTheLastSubscription() throws {
        try Store.pool.withWriter { writer in
            let recorder = Recorder<Int>()
            let shared = Self.shared(writer, recorder)
            // It may receive a value before it is cancelled.
            Self.subscribe(shared, Recorder<Int>()).cancel()
            try writer.write { try $0.addPlayer() }
            let cancellable = Self.subscribe(shared, recorder)
            try recorder.wait(last: 1)
            #expect(recorder.values == [1])
            cancellable.cancel()
        }
    }

    @Test func itGoesOnAsLongAsItLives() throws {
        try Store.memoryQueue.withWriter { writer in
            let (fetches, recorder) = (Box(0), Recorder<Int>())
            let cancelled = Signal()
            do {
                let shared = ValueObservation.tracking { db in
                    fetches.increment()
                    return try db.playerCount()
                }.handleEvents(didCancel: { cancelled.fire() })
                    .shared(in: writer, scheduling: .async(onQueue: recorder.queue), extent: .observationLifetime)
                let cancellable = Self.subscribe(shared, recorder)
                try recorder.wait(count: 1)
                cancellable.cancel()
                try writer.write { try $0.addPlayer() }
                #expect(fetches.value == 2)
                #expect(!cancelled.hasFired)
                withExtendedLifetime(shared) {}
            }
            try cancelled.wait()
        }
    }

    @Test func itRecoversFromErrorsWhileObserved() throws {
        try Store.pool.withWriter { writer in
            let (fails, first, second) = (Box(true), Recorder<Int>(), Recorder<Int>())
            let shared = Self.shared(writer, first, fails: fails)
            let firstCancellable = Self.subscribe(shared, first)
            let error = try first.waitForError()
            #expect(error is Oops)
            fails.value = false
            let secondCancellable = Self.subscribe(shared, second)
            expectEqual(try second.wait(count: 1), [0])
            firstCancellable.cancel()
            secondCancellable.cancel()
        }
    }

    @Test func itDoesNotRecoverWhenItLivesOn() throws {
        try Store.pool.withWriter { writer in
            let (fails, first, second) = (Box(true), Recorder<Int>(), Recorder<Int>())
            let shared = Self.shared(writer, first, .observationLifetime, fails: fails)
            let firstCancellable = Self.subscribe(shared, first)
            let firstError = try first.waitForError()
            fails.value = false
            let secondCancellable = Self.subscribe(shared, second)
            let secondError = try second.waitForError()
            #expect(firstError is Oops && secondError is Oops)
            firstCancellable.cancel()
            secondCancellable.cancel()
        }
    }

    @Test func anImmediateSubscriberGetsTheLastValueAtOnce() async throws {
        try await Store.pool.withWriter { writer in
            await MainActor.run {
                let shared = counting.shared(in: writer, scheduling: .immediate)
                let (first, second) = (Recorder<Int>(), Recorder<Int>())
                let cancellables = [Self.subscribe(shared, first), Self.subscribe(shared, second)]
                #expect(first.values == [0])
                #expect(second.values == [0])
                for cancellable in cancellables { cancellable.cancel() }
            }
        }
    }

    /// A cancellation takes the same time whatever the number of subscribers.
    @Test func manySubscribersAreCancelledInAnyOrder() async throws {
        try await Store.pool.withWriter { writer in
            await MainActor.run {
                let shared = counting.shared(in: writer, scheduling: .immediate)
                let subscriber = Recorder<Int>()
                let cancellables = (0..<20_000).map { _ in shared.start(onError: { _ in }, onChange: { _ in }) }
                let time = threadTime {
                    for cancellable in cancellables.shuffled().dropFirst(2) { cancellable.cancel() }
                }
                #expect(time < .seconds(60))
                let last = Self.subscribe(shared, subscriber)
                #expect(subscriber.values == [0])
                for cancellable in cancellables + [last] { cancellable.cancel() }
            }
        }
    }

    @Test func loopsAreSubscriptions() async throws {
        try await Store.pool.withWriter { writer in
            let shared = counting.shared(in: writer, scheduling: .task)
            var counts: [Int] = []
            for try await count in shared.values() {
                counts.append(count)
                if count == 2 { break }
                try await writer.write { try $0.addPlayer() }
            }
            expectLoosely(counts, [0, 1, 2])
        }
    }
}
