#if canImport(Combine) || OpenCombine
import Amalgam
import Dispatch
import Foundation
import PublisherProbes
import TestSupport
import Testing

#if canImport(Combine)
import Combine
#else
import OpenCombine
import OpenCombineDispatch
#endif

@Suite(.watchdog)
struct ReadPublisherTests {
    private let queue = DispatchQueue(label: "subscriber")

    @Test(arguments: Store.allCases)
    func aSubscriberGetsOneValueAndTheEnd(store: Store) throws {
        try store.withWriter { writer in
            try writer.write { try $0.addPlayer() }
            let probe = SubscriberProbe<Int>(.unlimited)
            writer.readPublisher(receiveOn: queue) { try $0.playerCount() }.subscribe(probe)
            try probe.waitForCompletion()
            #expect(probe.values == [1])
            #expect(probe.isFinished)
            #expect(probe.faults == [])
        }
    }

    @Test func eachSubscriberHasAReadOfItsOwn() throws {
        try withPool { pool, _ in
            let publisher = pool.readPublisher(receiveOn: queue) { try $0.playerCount() }
            for count in 0..<3 {
                let probe = SubscriberProbe<Int>(.unlimited)
                publisher.subscribe(probe)
                try probe.waitForCompletion()
                #expect(probe.values == [count])
                try pool.write { try $0.addPlayer() }
            }
        }
    }

    @Test func snapshotsAndErasedReadersHaveItToo() throws {
        try withPool { pool, _ in
            let readers: [any DatabaseReader] = [
                try pool.makeSnapshot(), try pool.makeSnapshotPool(), AnyDatabaseReader(pool), AnyDatabaseWriter(pool),
            ]
            for reader in readers {
                let probe = SubscriberProbe<Int>(.unlimited)
                reader.readPublisher(receiveOn: queue) { try $0.playerCount() }.subscribe(probe)
                try probe.waitForCompletion()
                #expect(probe.values == [0])
            }
        }
    }

    // MARK: Demand

    @Test(arguments: Store.allCases)
    func nothingIsReadBeforeThereIsDemand(store: Store) throws {
        try store.withWriter { writer in
            let reads = Box(0)
            let publisher = writer.readPublisher(receiveOn: queue) { _ in reads.increment() }
            let probe = SubscriberProbe<Int>()
            publisher.subscribe(probe)
            probe.request(.none)
            // A queued read would have run before this barrier ends.
            try writer.barrierWriteWithoutTransaction { _ in }
            #expect(reads.value == 0)
            probe.request(.max(1))
            // One read satisfies all demand.
            probe.request(.max(3))
            try probe.waitForCompletion()
            try writer.barrierWriteWithoutTransaction { _ in }
            #expect(reads.value == 1)
            #expect(probe.values == [1])
            #expect(probe.faults == [])
        }
    }

    // MARK: Where

    @Test(arguments: Store.allCases)
    func byDefaultSubscribersAreCalledOnTheMainQueue(store: Store) async throws {
        try await store.withWriter { writer in
            let isOnMain = Log<Bool>()
            let probe = SubscriberProbe<Int>(.unlimited) { _, _ in
                MainActor.assertIsolated()
                isOnMain.append(true)
                return .none
            }
            writer.readPublisher { try $0.playerCount() }.subscribe(probe)
            try await probe.completed()
            #expect(isOnMain.elements == [true])
        }
    }

    @Test(arguments: Store.allCases)
    func subscribersAreCalledByTheScheduler(store: Store) throws {
        try store.withWriter { writer in
            let key = DispatchSpecificKey<Bool>()
            queue.setSpecific(key: key, value: true)
            let isOnQueue = Log<Bool?>()
            let ended = Signal("end")
            let cancellable = writer.readPublisher(receiveOn: queue) { try $0.playerCount() }.sink { _ in
                isOnQueue.append(DispatchQueue.getSpecific(key: key))
                ended.fire()
            } receiveValue: { _ in
                isOnQueue.append(DispatchQueue.getSpecific(key: key))
            }
            try ended.wait()
            #expect(isOnQueue.elements == [true, true])
            cancellable.cancel()
        }
    }

    @Test func aSchedulerMayCallAtOnce() throws {
        try withPool { pool, _ in
            let probe = SubscriberProbe<Int>(.unlimited)
            pool.readPublisher(receiveOn: ImmediateScheduler.shared) { try $0.playerCount() }.subscribe(probe)
            try probe.waitForCompletion()
            #expect(probe.values == [0])
        }
    }

    // MARK: Errors

    @Test(arguments: Store.allCases)
    func theErrorOfTheClosureIsTheEnd(store: Store) throws {
        try store.withWriter { writer in
            let probe = SubscriberProbe<Int>(.unlimited)
            writer.readPublisher(receiveOn: queue) { _ -> Int in throw Oops() }.subscribe(probe)
            let error = try probe.waitForError()
            #expect(error is Oops)
            #expect(probe.values == [])
            #expect(probe.faults == [])
        }
    }

    @Test(arguments: Store.allCases)
    func writingFails(store: Store) throws {
        try store.withWriter { writer in
            let probe = SubscriberProbe<Void>(.unlimited)
            writer.readPublisher(receiveOn: queue) { try $0.addPlayer() }.subscribe(probe)
            let error = try #require(try probe.waitForError() as? DatabaseError)
            #expect(error.resultCode == .SQLITE_READONLY)
            #expect(try writer.read { try $0.playerCount() } == 0)
        }
    }

    @Test(arguments: Store.allCases)
    func aClosedDatabaseIsAnError(store: Store) throws {
        try store.withWriter { writer in
            let publisher = writer.readPublisher(receiveOn: queue) { try $0.playerCount() }
            try writer.close()
            let probe = SubscriberProbe<Int>(.unlimited)
            publisher.subscribe(probe)
            let error = try #require(try probe.waitForError() as? DatabaseError)
            #expect(error.resultCode == .SQLITE_MISUSE)
        }
    }

    // MARK: Cancellation

    @Test func aReadThatHasNotBegunDoesNotBegin() throws {
        let database = try DatabaseQueue()
        let (began, goOn) = (Signal("write"), Signal("end of write"))
        let writer = Worker {
            try database.write { _ in
                began.fire()
                try goOn.wait()
            }
        }
        try began.wait()
        let reads = Box(0)
        let probe = SubscriberProbe<Int>(.unlimited)
        database.readPublisher(receiveOn: queue) { _ in reads.increment() }.subscribe(probe)
        probe.cancel()
        goOn.fire()
        try writer.join()
        // The queue has run everything before this read.
        try database.read { _ in }
        #expect(reads.value == 0)
        #expect(probe.values == [])
        #expect(probe.completion == nil)
    }

    @Test(arguments: [Store.memoryQueue, .pool])
    func nothingComesOnceItIsCancelled(store: Store) throws {
        try store.withWriter { writer in
            let (began, goOn, ended) = (Signal("read"), Signal("cancellation"), Signal("end of read"))
            let probe = SubscriberProbe<Int>(.unlimited)
            writer.readPublisher(receiveOn: queue) { db in
                defer { ended.fire() }
                began.fire()
                try goOn.wait()
                return try db.playerCount()
            }.subscribe(probe)
            try began.wait()
            probe.cancel()
            goOn.fire()
            try ended.wait()
            try writer.barrierWriteWithoutTransaction { _ in }
            queue.sync {}
            #expect(probe.values == [])
            #expect(probe.completion == nil)
        }
    }

    @Test func aSubscriberMayCancelWhenItIsAboutToBeCalled() throws {
        let database = try DatabaseQueue()
        let probe = SubscriberProbe<Int>(.unlimited)
        queue.suspend()
        database.readPublisher(receiveOn: queue) { _ in 1 }.subscribe(probe)
        // The scheduler has the result.
        try database.read { _ in }
        probe.cancel()
        queue.resume()
        queue.sync {}
        #expect(probe.values == [])
        #expect(probe.completion == nil)
    }

    @Test func aSubscriberMayCancelWithTheValue() throws {
        try withPool { pool, _ in
            let probe = SubscriberProbe<Int>(.unlimited) { probe, _ in
                probe.cancel()
                return .none
            }
            pool.readPublisher(receiveOn: queue) { try $0.playerCount() }.subscribe(probe)
            try probe.wait(count: 1)
            queue.sync {}
            #expect(probe.completion == nil)
        }
    }

    @Test func operatorsWork() throws {
        try withPool { pool, _ in
            try pool.write { db in for _ in 0..<3 { try db.addPlayer() } }
            let probe = SubscriberProbe<String>(.unlimited)
            pool.readPublisher(receiveOn: queue) { try $0.playerCount() }
                .flatMap { count in pool.readPublisher(receiveOn: queue) { try $0.playerCount() + count } }
                .map { "\($0) players" }
                .subscribe(probe)
            try probe.waitForCompletion()
            #expect(probe.values == ["6 players"])
            #expect(probe.faults == [])
        }
    }

    // MARK: Lifetimes

    @Test func theSubscriberAndTheDatabaseAreReleasedAtTheEnd() throws {
        for isCancelled in [false, true] {
            weak var probe: SubscriberProbe<Int>?
            weak var database: DatabaseQueue?
            do {
                let (subscriber, queue) = (SubscriberProbe<Int>(), try DatabaseQueue())
                (probe, database) = (subscriber, queue)
                queue.readPublisher(receiveOn: self.queue) { _ in 1 }.subscribe(subscriber)
                if isCancelled {
                    subscriber.cancel()
                } else {
                    subscriber.request(.max(1))
                    try subscriber.waitForCompletion()
                }
            }
            try waitUntil("end of subscriber and database") { probe == nil && database == nil }
        }
    }

    @Test func aReadKeepsItsDatabase() throws {
        let probe = SubscriberProbe<Int>(.unlimited)
        try DatabaseQueue().readPublisher(receiveOn: queue) { try Int.fetchOne($0, sql: "SELECT 1")! }.subscribe(probe)
        try probe.waitForCompletion()
        #expect(probe.values == [1])
    }

    // MARK: Threads

    @Test func subscriptionsAreUsedFromAnyThread() throws {
        try withPool { pool, _ in
            let started = Box(0)
            for round in 0..<100 {
                let probe = SubscriberProbe<Int>()
                pool.readPublisher(receiveOn: DispatchQueue.global()) { _ in started.increment() }.subscribe(probe)
                try onThreads(3) { index in
                    if index == 2 && round % 2 == 0 { probe.cancel() } else { probe.request(.max(1)) }
                }
                if round % 2 == 1 { try probe.waitForCompletion() }
                #expect(probe.values.count <= 1)
                #expect(probe.faults == [])
            }
            #expect(started.value >= 50 && started.value <= 100)
        }
    }
}
#endif
