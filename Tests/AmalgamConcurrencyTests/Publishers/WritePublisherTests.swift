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

@Suite(.watchdog)
struct WritePublisherTests {
    private let queue = DispatchQueue(label: "subscriber")

    @Test(arguments: Store.allCases)
    func theValueComesAfterTheCommit(store: Store) throws {
        try store.withWriter { writer in
            let counts = Log<Int>()
            let probe = SubscriberProbe<String>(.unlimited) { _, _ in
                counts.append((try? writer.read { try $0.playerCount() }) ?? -1)
                return .none
            }
            writer.writePublisher(receiveOn: queue) { db in
                try db.addPlayer()
                return "done"
            }.subscribe(probe)
            try probe.waitForCompletion()
            #expect(probe.values == ["done"])
            #expect(probe.isFinished)
            #expect(counts.elements == [1])
            #expect(probe.faults == [])
        }
    }

    @Test func itIsOneTransaction() throws {
        let statements = Log<String>()
        let database = try DatabaseQueue(configuration: .traced(statements))
        try database.write { try $0.createPlayers() }
        _ = statements.take()
        let probe = SubscriberProbe<Void>(.unlimited)
        database.writePublisher(receiveOn: queue) { try $0.addPlayer() }.subscribe(probe)
        try probe.waitForCompletion()
        let sql = statements.take()
        #expect(sql.first == "BEGIN IMMEDIATE TRANSACTION")
        #expect(sql.last == "COMMIT TRANSACTION")
        #expect(sql.count == 3)
    }

    @Test(arguments: Store.allCases)
    func nothingIsWrittenBeforeThereIsDemand(store: Store) throws {
        try store.withWriter { writer in
            let probe = SubscriberProbe<Void>()
            writer.writePublisher(receiveOn: queue) { try $0.addPlayer() }.subscribe(probe)
            #expect(try writer.write { try $0.playerCount() } == 0)
            probe.request(.max(1))
            probe.request(.unlimited)
            try probe.waitForCompletion()
            #expect(try writer.write { try $0.playerCount() } == 1)
            #expect(probe.faults == [])
        }
    }

    @Test func byDefaultSubscribersAreCalledOnTheMainQueue() async throws {
        try await Store.pool.withWriter { writer in
            let calls = Log<Int>()
            let probe = SubscriberProbe<Int>(.unlimited) { _, count in
                MainActor.assertIsolated()
                calls.append(count)
                return .none
            }
            writer.writePublisher { db in
                try db.addPlayer()
                return try db.playerCount()
            }.subscribe(probe)
            try await probe.completed()
            let last = SubscriberProbe<Int>(.unlimited) { _, count in
                MainActor.assertIsolated()
                calls.append(count)
                return .none
            }
            writer.writePublisher {
                try $0.addPlayer()
            } thenRead: { db, _ in
                try db.playerCount()
            }.subscribe(last)
            try await last.completed()
            #expect(calls.elements == [1, 2])
        }
    }

    // MARK: Errors

    @Test(arguments: Store.allCases)
    func anErrorUndoesTheWrite(store: Store) throws {
        try store.withWriter { writer in
            let probe = SubscriberProbe<Int>(.unlimited)
            writer.writePublisher(receiveOn: queue) { db -> Int in
                try db.addPlayer()
                throw Oops()
            }.subscribe(probe)
            let error = try probe.waitForError()
            #expect(error is Oops)
            #expect(probe.values == [])
            #expect(try writer.read { try $0.playerCount() } == 0)
        }
    }

    @Test(arguments: Store.allCases)
    func aClosedDatabaseIsAnError(store: Store) throws {
        try store.withWriter { writer in
            try writer.close()
            let (write, readBack) = (SubscriberProbe<Void>(.unlimited), SubscriberProbe<Int>(.unlimited))
            writer.writePublisher(receiveOn: queue) { try $0.addPlayer() }.subscribe(write)
            writer.writePublisher(receiveOn: queue) {
                try $0.addPlayer()
            } thenRead: { db, _ in
                try db.playerCount()
            }
            .subscribe(readBack)
            for error in [try write.waitForError(), try readBack.waitForError()] {
                #expect((error as? DatabaseError)?.resultCode == .SQLITE_MISUSE)
            }
        }
    }

    // MARK: Cancellation

    @Test func aWriteThatWasAskedForIsDone() throws {
        let database = try DatabaseQueue()
        try database.write { try $0.createPlayers() }
        let (began, goOn) = (Signal("write"), Signal("end of write"))
        let other = Worker {
            try database.write { _ in
                began.fire()
                try goOn.wait()
            }
        }
        try began.wait()
        let reads = Box(0)
        let (write, readBack) = (SubscriberProbe<Void>(.unlimited), SubscriberProbe<Int>(.unlimited))
        database.writePublisher(receiveOn: queue) { try $0.addPlayer() }.subscribe(write)
        database.writePublisher(receiveOn: queue) {
            try $0.addPlayer()
        } thenRead: { _, _ in
            reads.increment()
        }
        .subscribe(readBack)
        write.cancel()
        readBack.cancel()
        goOn.fire()
        try other.join()
        #expect(try database.read { try $0.playerCount() } == 2)
        queue.sync {}
        #expect(write.completion == nil && readBack.completion == nil)
        // Without demand.
        #expect(reads.value == 0)
    }

    // MARK: Reading back

    @Test(arguments: Store.allCases)
    func aReadSeesWhatTheWriteHasLeft(store: Store) throws {
        try store.withWriter { writer in
            let probe = SubscriberProbe<String>(.unlimited)
            writer.writePublisher(receiveOn: queue) { db in
                try db.addPlayer()
                return "Anna"
            } thenRead: { db, name in
                "\(name) is one of \(try db.playerCount())"
            }.subscribe(probe)
            try probe.waitForCompletion()
            #expect(probe.values == ["Anna is one of 1"])
            #expect(probe.isFinished)
            #expect(probe.faults == [])
        }
    }

    @Test(arguments: Store.allCases)
    func aReadMustNotWriteAndItsErrorUndoesNothing(store: Store) throws {
        try store.withWriter { writer in
            let probe = SubscriberProbe<Void>(.unlimited)
            writer.writePublisher(receiveOn: queue) {
                try $0.addPlayer()
            } thenRead: { db, _ in
                try db.addPlayer()
            }
            .subscribe(probe)
            let error = try #require(try probe.waitForError() as? DatabaseError)
            #expect(error.resultCode == .SQLITE_READONLY)
            #expect(try writer.read { try $0.playerCount() } == 1)
        }
    }

    @Test(arguments: Store.allCases)
    func anErrorOfTheWriteIsTheEnd(store: Store) throws {
        try store.withWriter { writer in
            let reads = Box(0)
            let probe = SubscriberProbe<Int>(.unlimited)
            writer.writePublisher(receiveOn: queue) { db in
                try db.addPlayer()
                throw Oops()
            } thenRead: { _, _ in
                reads.increment()
            }.subscribe(probe)
            let error = try probe.waitForError()
            #expect(error is Oops)
            #expect(reads.value == 0)
            #expect(try writer.read { try $0.playerCount() } == 0)
        }
    }

    /// In a pool, the read runs concurrently with later writes, and doesn't see them.
    @Test func theNextWriteDoesNotWaitForTheRead() throws {
        try withPool { pool, _ in
            let (began, goOn) = (Signal("read"), Signal("end of read"))
            let probe = SubscriberProbe<Int>(.unlimited)
            pool.writePublisher(receiveOn: queue) {
                try $0.addPlayer()
            } thenRead: { db, _ in
                began.fire()
                try goOn.wait()
                return try db.playerCount()
            }.subscribe(probe)
            try began.wait()
            try pool.write { try $0.addPlayer() }
            goOn.fire()
            try probe.waitForCompletion()
            #expect(probe.values == [1])
        }
    }

    // MARK: Lifetimes and threads

    @Test func theSubscriberAndTheDatabaseAreReleasedAtTheEnd() throws {
        weak var probe: SubscriberProbe<Int>?
        weak var database: DatabaseQueue?
        do {
            let (subscriber, queue) = (SubscriberProbe<Int>(.unlimited), try DatabaseQueue())
            (probe, database) = (subscriber, queue)
            queue.writePublisher(receiveOn: self.queue) { _ in
                1
            } thenRead: { _, value in
                value + 1
            }
            .subscribe(subscriber)
            try subscriber.waitForCompletion()
            #expect(subscriber.values == [2])
        }
        try waitUntil("end of subscriber and database") { probe == nil && database == nil }
    }

    @Test(arguments: [Store.memoryQueue, .pool])
    func eachSubscriptionOfAnyThreadWritesOnce(store: Store) throws {
        try store.withWriter { writer in
            try onThreads(4) { _ in
                for _ in 0..<20 {
                    let probe = SubscriberProbe<Int>(.unlimited)
                    writer.writePublisher(receiveOn: DispatchQueue.global()) { db in
                        try db.addPlayer()
                        return try db.playerCount()
                    }.subscribe(probe)
                    probe.request(.max(1))
                    try probe.waitForCompletion()
                    if !probe.faults.isEmpty { throw Oops() }
                }
            }
            #expect(try writer.read { try $0.playerCount() } == 80)
        }
    }
}
#endif
