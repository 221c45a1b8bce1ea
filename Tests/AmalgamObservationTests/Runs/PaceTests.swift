import Amalgam
import TestSupport
import Testing

@Suite struct PaceTests {
    @Test(arguments: Store.allCases)
    func debounceWaitsForSilence(_ store: Store) async throws {
        try await store.withWriter { writer in
            let clock = ManualClock()
            let recorder = Recorder<Int>()
            let observation = counting.debounce(for: .seconds(1), clock: clock)
            let cancellable = recorder.startImmediately(observation, in: writer)
            #expect(recorder.values == [0])
            for number in 1...3 {
                try await writer.write { try $0.addPlayer() }
                try await waitUntil("timer") { clock.sleepCount == number && clock.sleeperCount == 1 }
            }
            clock.advance(by: .seconds(1))
            try await recorder.expect([0, 3])
            try await writer.write { try $0.addPlayer() }
            try await waitUntil("timer") { clock.sleeperCount == 1 }
            clock.advance(by: .seconds(1))
            try await recorder.expect([0, 3, 4])
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func throttlePausesAfterAFetch(_ store: Store) async throws {
        try await store.withWriter { writer in
            let clock = ManualClock()
            let recorder = Recorder<Int>()
            let observation = counting.throttle(for: .seconds(1), clock: clock)
            let cancellable = recorder.startImmediately(observation, in: writer)
            try await waitUntil("timer") { clock.sleeperCount == 1 }
            for _ in 1...3 { try await writer.write { try $0.addPlayer() } }
            #expect(recorder.values == [0])
            clock.advance(by: .seconds(1))
            try await recorder.expect([0, 3])
            // The next interval, without commits.
            try await waitUntil("timer") { clock.sleeperCount == 1 }
            clock.advance(by: .seconds(1))
            try await waitUntil("end of timer") { clock.sleeperCount == 0 }
            try await writer.write { try $0.addPlayer() }
            // At once, or at the end of the interval if the timer hasn't been handled yet.
            try await recorder.expect([0, 3, 4])
            cancellable.cancel()
            clock.advance(by: .seconds(1))
        }
    }

    @Test(arguments: Store.allCases)
    func aTimerEndsWithItsObservation(_ store: Store) async throws {
        try await store.withWriter { writer in
            let clock = ManualClock()
            let recorder = Recorder<Int>()
            let cancellable = recorder.startImmediately(counting.debounce(for: .seconds(1), clock: clock), in: writer)
            try await writer.write { try $0.addPlayer() }
            try await waitUntil("timer") { clock.sleeperCount == 1 }
            cancellable.cancel()
            try await waitUntil("end of timer") { clock.sleeperCount == 0 }
            clock.advance(by: .seconds(1))
            #expect(recorder.values == [0])
        }
    }

    @Test func theContinuousClockIsTheDefault() async throws {
        try await Store.pool.withWriter { writer in
            let recorder = Recorder<Int>()
            var observation = counting.debounce(for: .milliseconds(1))
            observation.requiresWriteAccess = true
            let cancellable = recorder.start(observation, in: writer)
            try await recorder.expect([0])
            try await writer.write { try $0.addPlayer() }
            try await recorder.expect([0, 1])
            cancellable.cancel()
        }
    }
}
