import Amalgam
import Dispatch
import Foundation
import TestSupport
import Testing

@Suite struct SchedulerTests {
    @Test func theDefaultIsTheMainActorLater() async throws {
        try await Store.pool.withWriter { writer in
            let recorder = Recorder<Int>()
            let cancellable = await MainActor.run {
                let cancellable = counting.start(in: writer) { error in
                    recorder.append(error)
                } onChange: { count in
                    MainActor.assertIsolated()
                    recorder.append(count)
                }
                #expect(recorder.values.isEmpty)
                return cancellable
            }
            try await waitUntil("initial value") { recorder.values == [0] }
            try await writer.write { try $0.addPlayer() }
            try await waitUntil("second value") { recorder.values == [0, 1] }
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func immediateGivesTheInitialValueBeforeStartReturns(_ store: Store) async throws {
        try await store.withWriter { writer in
            let recorder = Recorder<Int>()
            let cancellable = await MainActor.run {
                let cancellable = counting.start(in: writer, scheduling: .immediate) { error in
                    recorder.append(error)
                } onChange: { count in
                    MainActor.assertIsolated()
                    recorder.append(count)
                    // No access is running, so the consumer may write.
                    do {
                        if count < 2 { try writer.write { try $0.addPlayer() } }
                    } catch {
                        recorder.append(error)
                    }
                }
                #expect(recorder.values == [0])
                return cancellable
            }
            try await waitUntil("last value") { recorder.values.last == 2 }
            #expect(recorder.values == [0, 1, 2])
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func immediateGivesTheInitialErrorBeforeStartReturns(_ store: Store) async throws {
        try await store.withWriter { writer in
            await MainActor.run {
                let recorder = Recorder<Int>()
                let observation = ValueObservation.tracking { _ -> Int in throw Oops() }
                let cancellable = observation.start(
                    in: writer, scheduling: .immediate, onError: { recorder.append($0) },
                    onChange: { recorder.append($0) })
                #expect(recorder.error is Oops)
                cancellable.cancel()
            }
        }
    }

    @Test func immediateOffTheMainActorIsLater() async throws {
        try await Store.pool.withWriter { writer in
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(counting, in: writer, .immediate)
            try await waitUntil("initial value") { recorder.values == [0] }
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func anImmediateStartInsideAnAccessIsAnError(_ store: Store) throws {
        try store.withWriter { writer in
            let recorder = Recorder<Int>()
            let cancellable = try writer.read { _ in recorder.startImmediately(counting, in: writer) }
            let error = try #require(recorder.error as? DatabaseError)
            #expect(error.resultCode == .SQLITE_MISUSE)
            #expect(error.message == "Database methods are not reentrant.")
            cancellable.cancel()
        }
    }

    @Test func valuesAndErrorsComeOnTheQueue() throws {
        try Store.pool.withWriter { writer in
            let key = DispatchSpecificKey<Bool>()
            let recorder = Recorder<Int>()
            recorder.queue.setSpecific(key: key, value: true)
            let isOnQueue = Log<Bool>()
            let observation = counting.map { count in
                if count == 2 { throw Oops() }
                return count
            }
            let cancellable = observation.start(
                in: writer, scheduling: .async(onQueue: recorder.queue),
                onError: { error in
                    isOnQueue.append(DispatchQueue.getSpecific(key: key) == true)
                    recorder.append(error)
                },
                onChange: { count in
                    isOnQueue.append(DispatchQueue.getSpecific(key: key) == true)
                    recorder.append(count)
                })
            try recorder.wait(count: 1)
            try writer.write { try $0.addPlayer() }
            try recorder.wait(count: 2)
            try writer.write { try $0.addPlayer() }
            _ = try recorder.waitForError()
            #expect(isOnQueue.elements == [true, true, true])
            cancellable.cancel()
        }
    }

    @Test func tasksKeepTheOrder() async throws {
        let log = Log<Int>()
        for scheduler in [TaskValueObservationScheduler.task, .task(priority: .high)] {
            let done = Signal()
            for number in 1...1000 { scheduler.schedule { log.append(number) } }
            scheduler.schedule { done.fire() }
            try await done.value()
            #expect(log.take() == Array(1...1000))
        }
    }

    @Test @MainActor func schedulersKnowWhetherTheyAreImmediate() {
        #expect(ImmediateValueObservationScheduler().immediateInitialValue())
        #expect(!AsyncValueObservationScheduler(queue: .main).immediateInitialValue())
        #expect(!TaskValueObservationScheduler.task.immediateInitialValue())
        #expect(!DelayedMainActorValueObservationScheduler.mainActor.immediateInitialValue())
    }

    /// Callbacks never overlap, and never change their order, on a queue that runs several blocks at a time.
    @Test(arguments: Store.allCases)
    func concurrentQueuesKeepTheOrder(_ store: Store) throws {
        let queues = [
            DispatchQueue.global(), DispatchQueue(label: "concurrent", attributes: .concurrent),
            DispatchQueue(label: "serial"),
        ]
        for queue in queues {
            try store.withWriter { writer in
                let (recorder, running) = (Recorder<Int>(), Box(0))
                let cancellable = counting.start(in: writer, scheduling: .async(onQueue: queue)) { error in
                    recorder.append(error)
                } onChange: { count in
                    running.withLock { $0 += 1 }
                    #expect(running.value == 1)
                    // Lets the callback of a later value overtake this one, if nothing prevents it.
                    if count % 3 == 0 { Thread.sleep(forTimeInterval: 0.0005) }
                    recorder.append(count)
                    running.withLock { $0 -= 1 }
                }
                for _ in 1...200 { try writer.write { try $0.addPlayer() } }
                let values = try recorder.wait(last: 200)
                #expect(values == values.sorted())
                cancellable.cancel()
            }
        }
    }

    /// The subscribers of a shared observation receive the first value in order, too.
    @Test func concurrentQueuesKeepTheOrderOfSharedObservations() throws {
        try Store.pool.withWriter { writer in
            let shared = counting.shared(in: writer, scheduling: .async(onQueue: .global()))
            let first = Recorder<Int>()
            let cancellable = shared.start(onError: { first.append($0) }, onChange: { first.append($0) })
            var others: [(Recorder<Int>, AnyDatabaseCancellable)] = []
            for _ in 1...50 {
                try writer.write { try $0.addPlayer() }
                let (recorder, running) = (Recorder<Int>(), Box(0))
                let other = shared.start(onError: { recorder.append($0) }) { count in
                    running.withLock { $0 += 1 }
                    #expect(running.value == 1)
                    recorder.append(count)
                    running.withLock { $0 -= 1 }
                }
                others.append((recorder, other))
            }
            for (recorder, other) in others {
                let values = try recorder.wait(last: 50)
                #expect(values == values.sorted())
                other.cancel()
            }
            try first.wait(last: 50)
            cancellable.cancel()
        }
    }
}
