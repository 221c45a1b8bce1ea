import Amalgam
import Dispatch
import TestSupport
import Testing

/// The release of an observation may end other observations.
@Suite struct ReleaseTests {
    @Test func anObservationThatDiesInLineForAReadMayEndAnotherOne() throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        try withPool { first, _ in
            let pool = try DatabasePool(path: first.path, configuration: configuration)
            let didCancel = Signal("end of the other observation")
            let recorder = Recorder<Int>()
            // Only the closure of one observation retains the other one.
            var other: AnyDatabaseCancellable? = recorder.startImmediately(
                counting.handleEvents(didCancel: { didCancel.fire() }), in: pool)
            let cancellable = counting.start(
                in: pool, scheduling: RecorderScheduler(queue: recorder.queue), onError: { Issue.record($0) },
                onChange: { [other] _ in withExtendedLifetime(other) {} })
            other = nil

            // Both wait for the only reader, when one of them ends.
            let (began, mayEnd) = (Signal("read"), Signal("end of read"))
            let reader = Worker {
                try pool.read { _ in
                    began.fire()
                    try mayEnd.wait()
                }
            }
            try began.wait()
            try pool.write { try $0.addPlayer() }
            cancellable.cancel()
            #expect(!didCancel.hasFired)
            mayEnd.fire()
            try reader.join()
            try didCancel.wait()
            try pool.close()
        }
    }

    @Test(arguments: [SharedValueObservationExtent.whileObserved, .observationLifetime])
    func aSharedValueThatDiesMaySubscribe(_ extent: SharedValueObservationExtent) throws {
        try Store.pool.withWriter { writer in
            let recorder = Recorder<Int>()
            let shared = Box<SharedValueObservation<Farewell>?>(nil)
            let hasSubscribed = Signal("subscription of a value that dies")
            shared.value = counting.map { count in
                Farewell(count) {
                    if count > 0 { return }
                    shared.value?.start(onError: { _ in }, onChange: { _ in }).cancel()
                    hasSubscribed.fire()
                }
            }.shared(in: writer, scheduling: .async(onQueue: recorder.queue), extent: extent)
            let cancellable = shared.value!.start(
                onError: { Issue.record($0) }, onChange: { recorder.append($0.count) })
            try recorder.wait(count: 1)
            recorder.queue.sync {}
            // The observation retains the first value until the next one replaces it.
            try writer.write { try $0.addPlayer() }
            try recorder.wait(last: 1)
            try hasSubscribed.wait()
            cancellable.cancel()
            shared.value = nil
        }
    }
}

/// A value that reports its deallocation.
private final class Farewell: Sendable {
    let count: Int
    private let willDie: @Sendable () -> Void

    init(_ count: Int, willDie: @escaping @Sendable () -> Void) {
        self.count = count
        self.willDie = willDie
    }

    deinit { willDie() }
}
