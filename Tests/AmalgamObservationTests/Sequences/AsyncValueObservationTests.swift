import Amalgam
import TestSupport
import Testing

@Suite struct AsyncValueObservationTests {
    @Test(arguments: Store.allCases)
    func aLoopGetsValues(_ store: Store) async throws {
        try await store.withWriter { writer in
            var counts: [Int] = []
            for try await count in counting.values(in: writer) {
                counts.append(count)
                if count == 3 { break }
                try await writer.write { try $0.addPlayer() }
            }
            expectLoosely(counts, [0, 1, 2, 3])
        }
    }

    @Test func theEndOfALoopEndsTheObservation() async throws {
        try await Store.pool.withWriter { writer in
            let cancelled = Signal("cancellation")
            let observation = counting.handleEvents(didCancel: { cancelled.fire() })
            func first() async throws -> Int? {
                for try await count in observation.values(in: writer) { return count }
                return nil
            }
            let count = try await first()
            #expect(count == 0)
            try await cancelled.value()
        }
    }

    @Test func theCancellationOfTheTaskEndsTheObservation() async throws {
        try await Store.pool.withWriter { writer in
            let (began, cancelled) = (Signal("value"), Signal("cancellation"))
            let observation = counting.handleEvents(didCancel: { cancelled.fire() })
            let task = Task {
                for try await _ in observation.values(in: writer) { began.fire() }
            }
            try await began.value()
            task.cancel()
            try await cancelled.value()
            try await task.value
        }
    }

    @Test(arguments: Store.allCases)
    func theLoopThrowsTheErrorOfTheObservation(_ store: Store) async throws {
        try await store.withWriter { writer in
            let observation = ValueObservation.tracking { _ -> Int in throw Oops() }
            await #expect(throws: Oops.self) {
                for try await _ in observation.values(in: writer) {}
            }
        }
    }

    @Test func theNewestValueMayBeEnough() async throws {
        try await Store.memoryQueue.withWriter { writer in
            let recorder = Recorder<Int>()
            var iterator = counting.values(in: writer, bufferingPolicy: .bufferingNewest(1)).makeAsyncIterator()
            let cancellable = recorder.start(counting, in: writer)
            for _ in 1...5 { try await writer.write { try $0.addPlayer() } }
            try await waitUntil("values") { recorder.values.last == 5 }
            var last = try await iterator.next()
            while let value = last, value < 5 { last = try await iterator.next() }
            #expect(last == 5)
            cancellable.cancel()
        }
    }
}
