import AmalgamConcurrency
import Foundation
import Synchronization
import TestSupport
import Testing

/// The readers that keep a WAL file from being reused, and the notification when they end.
struct WALReadersTests {
    let readers = WALReaders()

    @Test func theOldestFirst() {
        let (first, second) = (readers.add("first"), readers.add("second"))
        #expect(readers.underWay.isEmpty)
        second.begin()
        first.begin()
        #expect(readers.underWay.map(\.name) == ["second", "first"])
        #expect(readers.underWay[0].since <= readers.underWay[1].since)
        second.end()
        #expect(readers.underWay.map(\.name) == ["first"])
        second.begin()
        #expect(readers.underWay.map(\.name) == ["first", "second"])
        first.end()
        second.end()
        #expect(readers.underWay.isEmpty)
    }

    @Test func connectionsThatAreGone() {
        var mark: WALReadMark? = readers.add("mark")
        mark?.begin()
        #expect(readers.underWay.count == 1)
        mark = nil
        #expect(readers.underWay.isEmpty)
    }

    @Test func oneCallPerEnd() {
        let (first, second) = (readers.add("first"), readers.add("second"))
        let count = Mutex(0)
        first.begin()
        let start = first.since
        while WALReaders.now == start {}
        second.begin()
        readers.whenReadEnds(begunBy: start) { count.withLock { $0 += 1 } }
        second.end()
        #expect(count.withLock { $0 } == 0)
        first.end()
        #expect(count.withLock { $0 } == 1)
        first.begin()
        first.end()
        #expect(count.withLock { $0 } == 1)
    }

    @Test func aReadThatHasEndedAlready() {
        let mark = readers.add("mark")
        let count = Mutex(0)
        mark.begin()
        let start = mark.since
        mark.end()
        readers.whenReadEnds(begunBy: start) { count.withLock { $0 += 1 } }
        #expect(count.withLock { $0 } == 1)
        mark.begin()
        readers.whenReadEnds(begunBy: mark.since) { count.withLock { $0 += 1 } }
        readers.forgetWaiting()
        mark.end()
        #expect(count.withLock { $0 } == 1)
        // An end without a beginning has no effect.
        mark.end()
        #expect(mark.since == 0)
    }

    /// A waiter is always notified: either the thread that ends a read sees the waiter, or the waiter sees the end.
    @Test func endsOnOtherThreads() {
        let mark = readers.add("mark")
        for _ in 1...2000 {
            mark.begin()
            let end = DispatchSemaphore(value: 0)
            let start = mark.since
            DispatchQueue.global().async { mark.end() }
            readers.whenReadEnds(begunBy: start) { end.signal() }
            #expect(end.wait(timeout: .now() + patience) == .success)
            while mark.since != 0 {}
        }
    }
}
