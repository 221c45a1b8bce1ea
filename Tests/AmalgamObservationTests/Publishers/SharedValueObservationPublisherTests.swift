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
#endif

@Suite struct SharedValueObservationPublisherTests {
    private let queue = DispatchQueue(label: "subscribers")

    private func shared(
        _ writer: any DatabaseWriter, _ extent: SharedValueObservationExtent = .whileObserved,
        fetches: Box<Int> = Box(0), fails: Box<Bool> = Box(false)
    ) -> SharedValueObservation<Int> {
        ValueObservation.tracking { db in
            fetches.increment()
            if fails.value { throw Oops() }
            return try db.playerCount()
        }.shared(in: writer, scheduling: .async(onQueue: queue), extent: extent)
    }

    @Test(arguments: Store.allCases, [SharedValueObservationExtent.whileObserved, .observationLifetime])
    func aChangeIsFetchedOnceForAllSubscribers(_ store: Store, _ extent: SharedValueObservationExtent) throws {
        try store.withWriter { writer in
            let fetches = Box(0)
            let publisher = shared(writer, extent, fetches: fetches).publisher()
            let (first, second) = (SubscriberProbe<Int>(), SubscriberProbe<Int>())
            publisher.subscribe(first)
            publisher.subscribe(second)
            try writer.write { _ in }
            #expect(fetches.value == 0)
            first.request(.unlimited)
            try first.wait(count: 1)
            second.request(.unlimited)
            try second.wait(count: 1)
            try writer.write { try $0.addPlayer() }
            expectEqual(try first.wait(count: 2), [0, 1])
            expectEqual(try second.wait(count: 2), [0, 1])
            #expect(fetches.value == 2)
            first.cancel()
            try writer.write { try $0.addPlayer() }
            expectEqual(try second.wait(count: 3), [0, 1, 2])
            #expect(first.values == [0, 1])
            #expect(first.faults + second.faults == [])
            second.cancel()
        }
    }

    /// The observation doesn't wait for a slow subscriber: newer values replace those without demand.
    @Test(arguments: Store.allCases)
    func aSlowSubscriberGetsTheNewestValue(_ store: Store) throws {
        try store.withWriter { writer in
            let publisher = shared(writer).publisher()
            let (fast, slow) = (SubscriberProbe<Int>(.unlimited), SubscriberProbe<Int>(.max(1)))
            publisher.subscribe(slow)
            try slow.wait(count: 1)
            publisher.subscribe(fast)
            for count in 1...5 {
                try fast.wait(count: count)
                try writer.write { try $0.addPlayer() }
            }
            try fast.wait(count: 6)
            queue.sync {}
            #expect(slow.values == [0])
            slow.request(.max(1))
            expectEqual(try slow.wait(count: 2), [0, 5])
            // It has received the value, so the next one is newer.
            slow.request(.max(1))
            queue.sync {}
            #expect(slow.values == [0, 5])
            try writer.write { try $0.addPlayer() }
            expectEqual(try slow.wait(count: 3), [0, 5, 6])
            #expect(fast.faults + slow.faults == [])
            fast.cancel()
            slow.cancel()
        }
    }

    @Test func anImmediateSubscriberGetsTheLastValueAtOnce() async throws {
        try await Store.pool.withWriter { writer in
            await MainActor.run {
                let publisher = counting.shared(in: writer, scheduling: .immediate).publisher()
                let probes = [SubscriberProbe<Int>(.unlimited), SubscriberProbe<Int>(.unlimited)]
                for probe in probes {
                    publisher.subscribe(probe)
                    #expect(probe.values == [0])
                }
                for probe in probes { probe.cancel() }
            }
        }
    }

    @Test func anErrorIsTheEndForAll() throws {
        try Store.memoryQueue.withWriter { writer in
            let fails = Box(false)
            let publisher = shared(writer, fails: fails).publisher()
            let (first, second) = (SubscriberProbe<Int>(.unlimited), SubscriberProbe<Int>(.max(1)))
            for probe in [first, second] {
                publisher.subscribe(probe)
                try probe.wait(count: 1)
            }
            fails.value = true
            try writer.write { try $0.addPlayer() }
            for probe in [first, second] {
                let error = try probe.waitForError()
                #expect(error is Oops)
                #expect(probe.values == [0])
                #expect(probe.faults == [])
            }
            // It recovers for later subscribers.
            fails.value = false
            let third = SubscriberProbe<Int>(.unlimited)
            publisher.subscribe(third)
            expectEqual(try third.wait(count: 1), [1])
            third.cancel()
        }
    }

    @Test func anErrorComesAfterTheValueThatWaits() throws {
        try Store.memoryQueue.withWriter { writer in
            let fails = Box(false)
            let publisher = shared(writer, fails: fails).publisher()
            let (fast, slow) = (SubscriberProbe<Int>(.unlimited), SubscriberProbe<Int>(.max(1)))
            for probe in [fast, slow] {
                publisher.subscribe(probe)
                try probe.wait(count: 1)
            }
            try writer.write { try $0.addPlayer() }
            try fast.wait(count: 2)
            fails.value = true
            try writer.write { try $0.addPlayer() }
            _ = try fast.waitForError()
            queue.sync {}
            #expect(slow.completion == nil)
            slow.request(.max(1))
            _ = try slow.waitForError()
            #expect(slow.values == [0, 1])
            #expect(slow.faults == [])
        }
    }

    @Test func theObservationEndsWithTheLastSubscriber() throws {
        try Store.pool.withWriter { writer in
            let cancelled = Signal("end of observation")
            let shared = counting.handleEvents(didCancel: { cancelled.fire() })
                .shared(in: writer, scheduling: .async(onQueue: queue))
            let probes = [SubscriberProbe<Int>(.unlimited), SubscriberProbe<Int>(.unlimited)]
            for probe in probes {
                shared.publisher().subscribe(probe)
                try probe.wait(count: 1)
            }
            probes[0].cancel()
            #expect(!cancelled.hasFired)
            probes[1].cancel()
            try cancelled.wait()
        }
    }

    @Test func thePublisherKeepsTheSharedObservation() throws {
        try Store.memoryQueue.withWriter { writer in
            weak var observation: SharedValueObservation<Int>?
            var publisher: DatabasePublishers.Value<Int>?
            do {
                let shared = shared(writer, .observationLifetime)
                observation = shared
                publisher = shared.publisher()
            }
            #expect(observation != nil)
            let probe = SubscriberProbe<Int>(.unlimited)
            publisher?.subscribe(probe)
            try probe.wait(count: 1)
            publisher = nil
            #expect(observation == nil)
            // The subscription retains the objects that it needs.
            try writer.write { try $0.addPlayer() }
            expectEqual(try probe.wait(count: 2), [0, 1])
            probe.cancel()
        }
    }

    @Test func operatorsTakeThePlaceOfThoseOfObservations() throws {
        try Store.pool.withWriter { writer in
            let recorder = Recorder<String>()
            let cancellable = shared(writer).publisher()
                .map { "\($0) players" }
                .sink(receiveCompletion: { _ in }, receiveValue: { recorder.append($0) })
            try recorder.wait(last: "0 players")
            try writer.write { try $0.addPlayer() }
            try recorder.wait(last: "1 players")
            cancellable.cancel()
        }
    }

    @Test func subscriptionsAreUsedFromAnyThread() throws {
        try Store.pool.withWriter { writer in
            try writer.whileOthersWrite {
                let publisher = shared(writer).publisher()
                for round in 0..<40 {
                    let probe = SubscriberProbe<Int>()
                    publisher.subscribe(probe)
                    try onThreads(3) { index in
                        for _ in 0..<5 { probe.request(.max(1)) }
                        if index == 2 && round % 2 == 0 { probe.cancel() }
                    }
                    if round % 2 == 1 { try probe.wait(count: 15) }
                    probe.cancel()
                    let values = probe.values
                    #expect(values == values.sorted())
                    #expect(probe.faults == [])
                }
            }
        }
    }
}
#endif
