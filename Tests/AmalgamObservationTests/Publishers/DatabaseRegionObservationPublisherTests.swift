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

@Suite struct DatabaseRegionObservationPublisherTests {
    private let observation = DatabaseRegionObservation(tracking: Table("player"))

    @Test(arguments: Store.allCases)
    func aSubscriberHearsOfEachTransactionInItsTurn(_ store: Store) throws {
        try store.withWriter { writer in
            let probe = SubscriberProbe<Int>(.unlimited)
            observation.publisher(in: writer).tryMap { try $0.playerCount() }.subscribe(probe)
            for _ in 0..<3 { try writer.write { try $0.addPlayer() } }
            try writer.write { try $0.execute(sql: "INSERT INTO team DEFAULT VALUES") }
            try? writer.write { db in
                try db.addPlayer()
                throw Oops()
            }
            // Each commit is published before the write returns.
            #expect(probe.values == [1, 2, 3])
            #expect(probe.completion == nil)
            #expect(probe.faults == [])
            probe.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func theConnectionMayWrite(_ store: Store) throws {
        try store.withWriter { writer in
            let cancellable = observation.publisher(in: writer).sink { _ in
            } receiveValue: { db in
                do {
                    try db.execute(sql: "INSERT INTO team (name) VALUES ('of one player')")
                } catch {
                    Issue.record(error)
                }
            }
            try writer.write { try $0.addPlayer() }
            expectEqual(try writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM team") }, 1)
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func whatNobodyAsksForIsNotTold(_ store: Store) throws {
        try store.withWriter { writer in
            let probe = SubscriberProbe<Int>()
            observation.publisher(in: writer).tryMap { try $0.playerCount() }.subscribe(probe)
            try writer.write { try $0.addPlayer() }
            #expect(probe.values == [])
            probe.request(.max(2))
            for _ in 0..<4 { try writer.write { try $0.addPlayer() } }
            #expect(probe.values == [2, 3])
            probe.request(.max(1))
            #expect(probe.values == [2, 3])
            try writer.write { try $0.addPlayer() }
            #expect(probe.values == [2, 3, 6])
            #expect(probe.faults == [])
            probe.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func aSubscriberMayCancelWithAValue(_ store: Store) throws {
        try store.withWriter { writer in
            let probe = SubscriberProbe<Int>(.unlimited) { probe, _ in
                probe.cancel()
                return .none
            }
            observation.publisher(in: writer).tryMap { try $0.playerCount() }.subscribe(probe)
            for _ in 0..<3 { try writer.write { try $0.addPlayer() } }
            #expect(probe.values == [1])
            #expect(probe.completion == nil)
        }
    }

    @Test func itStartsAtOnceInAWriteAndElseWaitsForOne() throws {
        try Store.pool.withWriter { writer in
            let inside = SubscriberProbe<Int>(.unlimited)
            let outside = SubscriberProbe<Int>(.unlimited)
            let started = Box(false)
            let worker = try writer.writeWithoutTransaction { db in
                observation.publisher(in: writer).tryMap { try $0.playerCount() }.subscribe(inside)
                let worker = Worker {
                    observation.publisher(in: writer).tryMap { try $0.playerCount() }.subscribe(outside)
                    started.value = true
                }
                try db.inTransaction {
                    try db.addPlayer()
                    return .commit
                }
                #expect(!started.value)
                return worker
            }
            try worker.join()
            try writer.write { try $0.addPlayer() }
            #expect(inside.values == [1, 2])
            #expect(outside.values == [2])
            inside.cancel()
            outside.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func aRegionThatCannotBeComputedIsAnError(_ store: Store) throws {
        try store.withWriter { writer in
            let probe = SubscriberProbe<Int>(.unlimited)
            DatabaseRegionObservation(tracking: SQLRequest<Row>("SELECT * FROM missing"))
                .publisher(in: writer).tryMap { try $0.playerCount() }.subscribe(probe)
            let error = try #require(probe.error as? DatabaseError)
            #expect(error.message == "no such table: missing")
            try writer.write { try $0.addPlayer() }
            #expect(probe.values == [])
            #expect(probe.faults == [])
        }
    }

    @Test(arguments: [true, false])
    func whatItHasIsReleasedAtTheEnd(isCancelled: Bool) throws {
        weak var probe: SubscriberProbe<Int>?
        weak var database: DatabaseQueue?
        do {
            let (subscriber, writer) = (SubscriberProbe<Int>(.unlimited), try DatabaseQueue())
            (probe, database) = (subscriber, writer)
            let region: any DatabaseRegionConvertible = isCancelled ? .fullDatabase : SQLRequest<Row>("SELECT missing")
            DatabaseRegionObservation(tracking: region).publisher(in: writer).map { _ in 1 }.subscribe(subscriber)
            if isCancelled { subscriber.cancel() }
            #expect((subscriber.error == nil) == isCancelled)
        }
        #expect(probe == nil)
        #expect(database == nil)
    }

    @Test(arguments: [Store.memoryQueue, .pool])
    func subscriptionsAreUsedFromAnyThread(_ store: Store) throws {
        try store.withWriter { writer in
            try writer.whileOthersWrite {
                for round in 0..<40 {
                    let probe = SubscriberProbe<Int>()
                    observation.publisher(in: writer).tryMap { try $0.playerCount() }.subscribe(probe)
                    try onThreads(3) { index in
                        for _ in 0..<5 { probe.request(.max(1)) }
                        if index == 2 && round % 2 == 0 { probe.cancel() }
                    }
                    if round % 2 == 1 { try probe.wait(count: 15) }
                    probe.cancel()
                    let counts = probe.values
                    #expect(counts == Set(counts).sorted())
                    #expect(probe.faults == [])
                }
            }
        }
    }
}
#endif
