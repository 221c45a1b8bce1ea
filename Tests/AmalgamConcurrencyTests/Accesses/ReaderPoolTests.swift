import AmalgamCore
import Dispatch
import Foundation
import TestSupport
import Testing

@testable import AmalgamConcurrency

@Suite(.watchdog)
struct ReaderPoolTests {
    private static let makeQueue: @Sendable () -> DispatchQueue = { DispatchQueue(label: "reader") }

    private func makePool(_ capacity: Int, _ opened: Log<String> = Log()) -> ReaderPool {
        let counter = Counter()
        return ReaderPool(capacity: capacity, makeQueue: Self.makeQueue) {
            let name = "\(counter.next())"
            opened.append(name)
            return try Database(path: ":memory:", description: name, configuration: .tested)
        }
    }

    @Test func opensOnDemandAndReuses() throws {
        let opened = Log<String>()
        let pool = makePool(5, opened)
        #expect(opened.count == 0)
        let first = try pool.acquire()
        let second = try pool.acquire()
        #expect(first !== second)
        #expect(opened.elements == ["1", "2"])
        pool.release(first)
        let third = try pool.acquire()
        #expect(third === first)
        pool.release(second)
        pool.release(third)
        #expect(try pool.sync { Int($0.description)! } <= 2)
        #expect(opened.count == 2)
        try pool.close()
    }

    @Test(arguments: [1, 2])
    func waitersAreServedInTurn(capacity: Int) throws {
        let pool = makePool(capacity)
        let acquired = try (0..<capacity).map { _ in try pool.acquire() }
        let (log, done) = (Log<Int>(), Signal())
        for index in 0..<10 {
            pool.async { result in
                #expect((try? result.get()) != nil)
                log.append(index)
                if log.count == 10 { done.fire() }
            }
        }
        #expect(log.count == 0)
        pool.release(acquired[0])
        try done.wait()
        #expect(log.elements == Array(0..<10))
        for reader in acquired.dropFirst() { pool.release(reader) }
        try pool.close()
    }

    @Test func aThreadWaitsForAReader() throws {
        let pool = makePool(1)
        let reader = try pool.acquire()
        let log = Log<String>()
        let worker = Worker { try pool.sync { _ in log.append("used") } }
        Signal.giveOthersAChance()
        log.append("given back")
        pool.release(reader)
        try worker.join()
        #expect(log.elements == ["given back", "used"])
        try pool.close()
    }

    @Test func aFailureToOpenFreesThePlace() throws {
        let fails = Box(true)
        let pool = ReaderPool(capacity: 1, makeQueue: Self.makeQueue) {
            if fails.value { throw Oops() }
            return try Database(path: ":memory:", description: "", configuration: .tested)
        }
        for _ in 0..<3 { #expect(throws: Oops()) { try pool.sync { _ in } } }
        let done = Signal()
        pool.async { result in
            #expect(throws: Oops()) { try result.get() }
            done.fire()
        }
        try done.wait()
        fails.value = false
        try pool.sync { _ in }
        try pool.close()
    }

    @Test func aFailureOfAnAccessGivesTheReaderBack() throws {
        let pool = makePool(1)
        for _ in 0..<3 { #expect(throws: Oops()) { try pool.sync { _ in throw Oops() } } }
        try pool.sync { _ in }
        try pool.close()
    }

    // MARK: Barriers

    @Test(arguments: [(1, 1), (2, 1), (2, 2), (5, 3)])
    func aBarrierWaitsForTheReadersInUse(capacity: Int, used: Int) throws {
        let pool = makePool(capacity)
        let readers = try (0..<used).map { _ in try pool.acquire() }
        let log = Log<String>()
        let worker = Worker { pool.barrier { log.append("barrier") } }
        for reader in readers {
            Signal.giveOthersAChance()
            log.append("given back")
            pool.release(reader)
        }
        try worker.join()
        #expect(log.elements == Array(repeating: "given back", count: used) + ["barrier"])
        try pool.close()
    }

    @Test func aBarrierKeepsReadersOut() throws {
        let pool = makePool(2)
        let (inside, goOn, done) = (Signal("inside"), Signal("goOn"), Signal("done"))
        let log = Log<String>()
        let barrier = Worker {
            try pool.barrier {
                inside.fire()
                try goOn.wait()
                log.append("end of barrier")
            }
        }
        try inside.wait()
        let thread = Worker { try pool.sync { _ in log.append("thread") } }
        pool.async { _ in
            log.append("async")
            done.fire()
        }
        Signal.giveOthersAChance()
        goOn.fire()
        try barrier.join()
        try thread.join()
        try done.wait()
        #expect(log.elements.first == "end of barrier")
        #expect(Set(log.elements) == ["end of barrier", "thread", "async"])
        try pool.close()
    }

    @Test func aBarrierThatWaitsKeepsReadersOut() throws {
        let pool = makePool(5)
        let reader = try pool.acquire()
        let log = Log<String>()
        let barrier = Worker { pool.barrier { log.append("barrier") } }
        Signal.giveOthersAChance()
        let late = Worker { try pool.sync { _ in log.append("late") } }
        Signal.giveOthersAChance()
        let isEarly = log.elements == ["late"]
        pool.release(reader)
        try barrier.join()
        try late.join()
        // Skipped if the thread of the barrier started late.
        if !isEarly { #expect(log.elements == ["barrier", "late"]) }
        try pool.close()
    }

    @Test func barriersOfManyThreadsAndReadersEnd() throws {
        let pool = makePool(3)
        let readers = Box(0)
        try onThreads(8) { thread in
            for _ in 0..<100 {
                if thread < 2 {
                    pool.barrier { #expect(readers.value == 0) }
                } else {
                    try pool.sync { _ in
                        readers.increment()
                        readers.decrement()
                    }
                }
            }
        }
        try pool.close()
    }

    @Test func barriersRunOneAfterTheOther() throws {
        let pool = makePool(3)
        let inside = Box(0)
        try onThreads(6) { thread in
            for _ in 0..<100 {
                pool.barrier {
                    #expect(inside.increment() == 1)
                    inside.decrement()
                }
                if thread == 0 { try pool.sync { _ in } }
            }
        }
        try pool.close()
    }

    @Test func theThreadOfABarrierMayRead() throws {
        let pool = makePool(2)
        try onThreads(4) { _ in
            for _ in 0..<100 {
                try pool.barrier {
                    try pool.sync { _ in }
                    // Barriers nest.
                    try pool.barrier { try pool.sync { _ in } }
                    try pool.sync { _ in }
                }
            }
        }
        try pool.close()
    }

    @Test func readersMayBeDiscardedInsideABarrier() throws {
        let opened = Log<String>()
        let pool = makePool(1, opened)
        try pool.sync { _ in }
        pool.barrier {
            pool.closeIdle()
            pool.invalidate()
            pool.releaseMemory()
        }
        try pool.sync { #expect($0.description == "2") }
        #expect(opened.count == 2)
        try pool.close()
    }

    // MARK: Discarding

    @Test func invalidatedReadersAreNotKept() throws {
        let pool = makePool(2)
        let first = try pool.acquire()
        pool.invalidate()
        pool.release(first)
        first.use { #expect($0.sqliteConnection == nil) }
        try pool.sync { #expect($0.description == "2") }
        pool.invalidate()
        try pool.sync { #expect($0.description == "3") }
        try pool.close()
    }

    @Test func closingIdleReadersLeavesTheOthersAlone() throws {
        let pool = makePool(2)
        let (first, second) = (try pool.acquire(), try pool.acquire())
        pool.release(first)
        pool.closeIdle()
        first.use { #expect($0.sqliteConnection == nil) }
        second.use { #expect($0.sqliteConnection != nil) }
        pool.release(second)
        try pool.sync { #expect($0.description == "2") }
        try pool.close()
    }

    @Test func releasingMemoryKeepsReaders() throws {
        let opened = Log<String>()
        let pool = makePool(2, opened)
        try pool.sync { try $0.execute(sql: "CREATE TABLE t (a)") }
        pool.releaseMemory()
        try pool.sync { try $0.execute(sql: "SELECT * FROM t") }
        #expect(opened.count == 1)
        try pool.close()
    }

    // MARK: Identity

    @Test func theCurrentReaderIsThatOfTheThread() throws {
        let pool = makePool(3)
        #expect(pool.currentReader() == nil)
        try pool.sync { db in
            #expect(pool.currentReader() === db)
            try onThreads(2) { _ in
                #expect(pool.currentReader() == nil)
                try pool.sync { inner in #expect(pool.currentReader() === inner) }
            }
            #expect(pool.currentReader() === db)
        }
        #expect(pool.currentReader() == nil)
        try pool.close()
    }

    @Test func interruptionReachesTheReadersInUse() throws {
        let pool = makePool(2)
        let ended = Signal()
        let worker = Worker {
            defer { ended.fire() }
            try pool.sync { try $0.runForever() }
        }
        while !ended.hasFired { pool.interrupt() }
        try databaseError(.SQLITE_INTERRUPT) { try worker.join() }
        try pool.sync { try $0.execute(sql: "SELECT 1") }
        try pool.close()
    }

    // MARK: Closing

    @Test func aClosedPoolRefusesReaders() throws {
        let pool = makePool(1)
        try pool.sync { _ in }
        try pool.close()
        try databaseError(.SQLITE_MISUSE) { try pool.acquire() }
        try databaseError(.SQLITE_MISUSE) { try pool.sync { _ in } }
        let done = Signal()
        pool.async { result in
            #expect(throws: DatabaseError.self) { try result.get() }
            done.fire()
        }
        try done.wait()
        pool.barrier {}
        pool.interrupt()
        pool.invalidate()
        pool.releaseMemory()
        pool.closeIdle()
        try pool.close()
    }

    @Test func closingRefusesThoseWhoWait() throws {
        let pool = makePool(1)
        let reader = try pool.acquire()
        let log = Log<String>()
        let closer = Worker {
            try pool.close()
            log.append("closed")
        }
        let waiters = (0..<3).map { _ in Worker { try pool.sync { _ in } } }
        let done = Signal()
        pool.async { _ in done.fire() }
        Signal.giveOthersAChance()
        log.append("given back")
        pool.release(reader)
        try closer.join()
        try done.wait()
        for waiter in waiters {
            do {
                try waiter.join()
            } catch DatabaseError.SQLITE_MISUSE {
            }
        }
        #expect(log.elements == ["given back", "closed"])
        try databaseError(.SQLITE_MISUSE) { try pool.acquire() }
    }
}
