import Amalgam
import Foundation
import TestSupport
import Testing

// The guaranteed orders of accesses, and the test of each.
//
// Writes
//   run one after the other, from threads             DatabaseWriterTests.writesOfManyThreadsRunOneAfterTheOther
//   … and from tasks, from beginning to end           WriteOrderTests.writesOfTasksDoNotInterleave
//   run in the order of their requests                WriteOrderTests.writesRunInTheOrderOfTheirCalls
//   … whether the caller waits or not                 WriteOrderTests.aTaskWritesAfterWhatItHasScheduled
//   call their completion before the next one runs    WriteOrderTests.writesRunInTheOrderOfTheirCalls
//   are visible to later reads                        WriteOrderTests.aWriteIsSeenByTheNextReads
//   don't run if cancelled in the queue               CancellationTests.whileItWaits
//   … and end without waiting for their turn          CancellationTests.atOnceWhileItWaits
//   … without changing the order of the others        CancellationTests.othersKeepTheirPlaces
//   that are scheduled run before the database closes WriteOrderTests.closingComesAfterScheduledWrites
//
// Reads
//   see one snapshot, whatever is written             DatabasePoolTests.aReadSeesOneState, StressTests
//   of a queue are enqueued with the writes           ReadOrderTests.readsOfAQueueAreInTheLineOfTheWrites
//   of a pool don't wait for writes                   ReadOrderTests.readsOfAPoolWaitForNoWrite
//   … nor for a barrier that waits for a write        ReadOrderTests.readsOfAPoolWaitForNoWrite
//   wait for a reader in one FIFO queue               ReadOrderTests.readsOfAllKindsWaitInOneLine
//   run concurrently up to the reader count           DatabasePoolTests.readsBeyondTheReaderCountWait
//   requested by a write see its last commit          ReadOrderTests.eachConcurrentReadSeesItsOwnState
//   … and run concurrently with the write             DatabasePoolTests.aConcurrentReadSeesTheCommittedState
//   … at once in a queue                              DatabaseQueueTests.spawnedReadsRunAtOnce
//   of a snapshot see the content of its creation     DatabaseSnapshotReaderTests.theContentIsThatOfTheCreation
//   of a snapshot run one after the other             DatabaseSnapshotTests.accessesRunOneAfterTheOther
//   run at the priority of their task                 CancellationTests.thePriorityOfTheTask
//
// Barriers
//   wait for running reads, of all kinds              BarrierOrderTests.aBarrierWaitsForTheReads
//   block other accesses while they wait and run      BarrierOrderTests.aBarrierLetsNobodyIn
//   wait for writes, and writes wait for them         WriteOrderTests.writesRunInTheOrderOfTheirCalls
//   don't wait for snapshots                          DatabaseSnapshotReaderTests.writesDoNotWaitForSnapshots
//   run one at a time                                 ReaderPoolTests.barriersRunOneAfterTheOther
//
// Databases
//   close() waits for accesses, and refuses later ones  BarrierOrderTests.closingWaitsForTheReads
//   releaseMemory() waits for accesses                  BarrierOrderTests.releasingMemoryWaitsForTheReads
//   releaseMemoryEventually() doesn't                   ReadOrderTests.readsOfAPoolWaitForNoWrite
//   a release closes connections after the accesses     DatabaseQueueTests.scheduledAccessesRunAfterTheQueueIsReleased
//   the destination of a backup refuses accesses        BackupTests.nobodyUsesTheDestinationMeanwhile

@Suite(.watchdog)
struct WriteOrderTests {
    /// Methods whose thread waits for the result.
    enum Access: CaseIterable {
        case write, writeWithoutTransaction, barrier, reentrant

        func run(_ writer: any DatabaseWriter, _ body: () -> Void) throws {
            switch self {
            case .write: try writer.write { _ in body() }
            case .writeWithoutTransaction: writer.writeWithoutTransaction { _ in body() }
            case .barrier: try writer.barrierWriteWithoutTransaction { _ in body() }
            case .reentrant: writer.unsafeReentrantWrite { _ in body() }
            }
        }
    }

    @Test(arguments: Store.allCases, Access.allCases)
    func writesRunInTheOrderOfTheirCalls(store: Store, last: Access) throws {
        try store.withWriter { writer in
            let log = Log<String>()
            let goOn = Signal("goOn")
            writer.asyncWriteWithoutTransaction { _ in try? goOn.wait() }
            for _ in 0..<10 {
                writer.asyncWriteWithoutTransaction { _ in log.append("plain") }
                writer.asyncWrite { _ in
                    log.append("transaction")
                } completion: { _, _ in
                    log.append("committed")
                }
                writer.asyncBarrierWriteWithoutTransaction { _ in log.append("barrier") }
                writer.asyncWrite { _ in
                    throw Oops()
                } completion: { (_, _: Result<Void, _>) in
                    log.append("failed")
                }
            }
            #expect(log.count == 0)
            goOn.fire()
            try last.run(writer) { log.append("last") }
            let round = ["plain", "transaction", "committed", "barrier", "failed"]
            #expect(log.elements == (0..<10).flatMap { _ in round } + ["last"])
        }
    }

    @Test(arguments: Store.allCases, CancellationTests.Access.allCases.filter(\.writes))
    func aTaskWritesAfterWhatItHasScheduled(store: Store, access: CancellationTests.Access) async throws {
        try await store.withWriter { writer in
            let isAsking = Signal("asking")
            writer.asyncWriteWithoutTransaction { _ in try? isAsking.wait() }
            for _ in 0..<200 { writer.asyncWriteWithoutTransaction { try? $0.addPlayer() } }
            isAsking.fire()
            let count = try await access.run(writer) { try $0.playerCount() }
            #expect(count == 200)
        }
    }

    @Test(arguments: Store.allCases)
    func writesOfTasksDoNotInterleave(store: Store) async throws {
        try await store.withWriter { writer in
            let inside = Box(0)
            let body: @Sendable (Database) throws -> Void = { db in
                #expect(inside.increment() == 1)
                let count = try db.playerCount()
                try db.addPlayer()
                #expect(try db.playerCount() == count + 1)
                inside.decrement()
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<25 {
                    for access in CancellationTests.Access.allCases where access.writes {
                        group.addTask { try await access.run(writer, body) }
                    }
                }
                try await group.waitForAll()
            }
            let count = try await writer.read { try $0.playerCount() }
            #expect(count == 75)
        }
    }

    @Test(arguments: Store.allCases)
    func aWriteIsSeenByTheNextReads(store: Store) async throws {
        try await store.withWriter { writer in
            for count in 1...30 {
                switch count % 3 {
                case 0: try await writer.write { try $0.addPlayer() }
                case 1: try { try writer.write { try $0.addPlayer() } }()
                default: try await Self.scheduleWrite(writer)
                }
                let counts = try await Self.counts(writer)
                #expect(counts == Array(repeating: count, count: 6))
            }
        }
    }

    /// Schedules a write, and waits for its completion only.
    private static func scheduleWrite(_ writer: any DatabaseWriter) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            writer.asyncWrite {
                try $0.addPlayer()
            } completion: { _, result in
                continuation.resume(with: result)
            }
        }
    }

    /// The counts returned by reads of all kinds.
    private static func counts(_ writer: any DatabaseWriter) async throws -> [Int] {
        let scheduled = await withCheckedContinuation { continuation in
            writer.asyncRead { result in continuation.resume(returning: (try? result.get().playerCount()) ?? -1) }
        }
        let unsafelyScheduled = await withCheckedContinuation { continuation in
            writer.asyncUnsafeRead { result in continuation.resume(returning: (try? result.get().playerCount()) ?? -1) }
        }
        let synchronous = try {
            [try writer.read { try $0.playerCount() }, try writer.unsafeRead { try $0.playerCount() }]
        }()
        return [
            scheduled, unsafelyScheduled, try await writer.read { try $0.playerCount() },
            try await writer.unsafeRead { try $0.playerCount() },
        ] + synchronous
    }

    @Test(arguments: Store.allCases)
    func closingComesAfterScheduledWrites(store: Store) throws {
        try store.withWriter { writer in
            let log = Log<String>()
            let goOn = Signal("goOn")
            writer.asyncWriteWithoutTransaction { _ in try? goOn.wait() }
            for _ in 0..<20 {
                writer.asyncWrite {
                    try $0.addPlayer()
                } completion: { db, result in
                    log.append((try? result.get()) == nil ? "refused" : "written")
                }
            }
            goOn.fire()
            try writer.close()
            #expect(log.elements == Array(repeating: "written", count: 20))
        }
    }
}
