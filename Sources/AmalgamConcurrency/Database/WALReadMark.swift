package import AmalgamCore
import Dispatch
import Synchronization

/// The start time of a connection's current read, for the checkpoints of a WAL policy.
package final class WALReadMark: Sendable {
    package let name: String

    /// The ``Database/walConnection`` of the connection, by which ``Database/walHolders`` identifies it.
    fileprivate let connection: UInt

    /// The start of the read, in nanoseconds of a monotonic clock. 0 while the connection doesn't read.
    private let start = Atomic<UInt64>(0)

    /// The collection that this mark belongs to.
    private let readers: WALReaders

    fileprivate init(_ name: String, _ connection: UInt, _ readers: WALReaders) {
        self.name = name
        self.connection = connection
        self.readers = readers
    }

    /// The start of the read, as a value of ``WALReaders/now``. 0 while the connection doesn't read.
    package var since: UInt64 { start.load(ordering: .sequentiallyConsistent) }

    package func begin() { start.store(WALReaders.now, ordering: .sequentiallyConsistent) }

    package func end() {
        let since = start.exchange(0, ordering: .sequentiallyConsistent)
        if since != 0 { readers.readDidEnd(since) }
    }
}

/// The read marks (start times of running reads) of the connections that may prevent a restart of the WAL file.
///
/// Each connection has its own mark, an atomic value, so concurrent reads don't contend for a lock.
package final class WALReaders: Sendable {
    private struct WeakMark {
        weak var mark: WALReadMark?
    }

    private struct State {
        var marks: [WeakMark] = []
        /// The closure called when a read ends that began at `awaitedStart` or before.
        var call: (@Sendable () -> Void)?
    }

    private let state = RankedMutex(.reads, State())

    /// The time passed to `whenReadEnds(begunBy:_:)`. The waiting closure is called when a read ends that began at this
    /// time or earlier. 0 if no closure waits.
    ///
    /// A thread that ends a read clears the mark (start time) of the read, and then loads this value. A thread that
    /// calls `whenReadEnds(begunBy:_:)` stores this value, and then loads the marks. If both happen at the same time,
    /// at least one of the threads sees what the other one has stored, so the closure is called.
    private let awaitedStart = Atomic<UInt64>(0)

    package init() {}

    /// The current time, in nanoseconds of a monotonic clock.
    package static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// Returns a mark for a new connection. The mark is tracked as long as the caller retains it.
    package func add(_ db: Database) -> WALReadMark { add(db.description, db.walConnection) }

    /// - Parameter connection: the ``Database/walConnection`` of the connection.
    package func add(_ name: String, _ connection: UInt = 0) -> WALReadMark {
        let mark = WALReadMark(name, connection, self)
        state.withLock { state in
            state.marks.removeAll { $0.mark == nil }
            state.marks.append(WeakMark(mark: mark))
        }
        return mark
    }

    /// A read in progress.
    package struct Read: Sendable {
        package let name: String

        /// The ``Database/walConnection`` of the connection, by which ``Database/walHolders`` identifies it.
        package let connection: UInt

        /// The start of the read, as a value of ``WALReaders/now``.
        package let since: UInt64
    }

    /// The reads in progress, the oldest first.
    package var underWay: [Read] {
        let marks = state.withLock { $0.marks.compactMap(\.mark) }
        return marks.map { Read(name: $0.name, connection: $0.connection, since: $0.since) }.filter { $0.since != 0 }
            .sorted { $0.since < $1.since }
    }

    /// Calls a closure once, when a read ends that began at the given time or earlier. If no such read is in progress,
    /// calls the closure immediately. Replaces the closure of an earlier call that is still waiting.
    package func whenReadEnds(begunBy start: UInt64, _ call: @escaping @Sendable () -> Void) {
        state.withLock { $0.call = call }
        awaitedStart.store(start, ordering: .sequentiallyConsistent)
        if (underWay.first?.since ?? .max) > start { callWaiting() }
    }

    /// Removes the waiting closure.
    package func forgetWaiting() { _ = takeCall() }

    fileprivate func readDidEnd(_ start: UInt64) {
        let awaited = awaitedStart.load(ordering: .sequentiallyConsistent)
        if start <= awaited { callWaiting() }
    }

    private func callWaiting() { takeCall()?() }

    private func takeCall() -> (@Sendable () -> Void)? {
        state.withLock { state in
            awaitedStart.store(0, ordering: .sequentiallyConsistent)
            defer { state.call = nil }
            return state.call
        }
    }
}
