package import AmalgamCore
import Dispatch
import Synchronization

/// A connection that may keep the WAL file from being reused: since when it reads.
package final class WALReadMark: Sendable {
    package let name: String

    /// What identifies the connection among ``Database/walHolders``.
    fileprivate let connection: UInt

    /// Nanoseconds of a clock that only goes forward; 0 while the connection does not read.
    private let start = Atomic<UInt64>(0)

    /// Its other readers.
    private let readers: WALReaders

    fileprivate init(_ name: String, _ connection: UInt, _ readers: WALReaders) {
        self.name = name
        self.connection = connection
        self.readers = readers
    }

    /// Since when the connection reads; 0 when it does not.
    package var since: UInt64 { start.load(ordering: .sequentiallyConsistent) }

    package func begin() { start.store(WALReaders.now, ordering: .sequentiallyConsistent) }

    package func end() {
        let since = start.exchange(0, ordering: .sequentiallyConsistent)
        if since != 0 { readers.readDidEnd(since) }
    }
}

/// The connections that may keep a WAL file from being reused.
///
/// A read writes the time of its beginning to a place of its own: reads do not meet here.
package final class WALReaders: Sendable {
    private struct WeakMark {
        weak var mark: WALReadMark?
    }

    private struct State {
        var marks: [WeakMark] = []
        /// What is called when a read ends that began before `awaitedStart`.
        var call: (@Sendable () -> Void)?
    }

    private let state = RankedMutex(.reads, State())

    /// Somebody waits for the end of a read that began no later than this; 0 for nobody. A read that ends looks here
    /// after it has cleared its place, and who waits looks at the places afterwards: one of them sees the other.
    private let awaitedStart = Atomic<UInt64>(0)

    package init() {}

    /// Now, in nanoseconds of a clock that only goes forward.
    package static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// The mark of a new connection, for as long as it is retained.
    package func add(_ db: Database) -> WALReadMark { add(db.description, db.walConnection) }

    /// - Parameter connection: what identifies the connection among ``Database/walHolders``.
    package func add(_ name: String, _ connection: UInt = 0) -> WALReadMark {
        let mark = WALReadMark(name, connection, self)
        state.withLock { state in
            state.marks.removeAll { $0.mark == nil }
            state.marks.append(WeakMark(mark: mark))
        }
        return mark
    }

    /// A read under way.
    package struct Read: Sendable {
        package let name: String

        /// What identifies the connection among ``Database/walHolders``.
        package let connection: UInt

        /// When the read began: a value of ``WALReaders/now``.
        package let since: UInt64
    }

    /// The reads under way, the oldest first.
    package var underWay: [Read] {
        let marks = state.withLock { $0.marks.compactMap(\.mark) }
        return marks.map { Read(name: $0.name, connection: $0.connection, since: $0.since) }.filter { $0.since != 0 }
            .sorted { $0.since < $1.since }
    }

    /// Calls a closure once, when a read ends that began no later than a time; now, when there is none. Nobody else is
    /// called any more.
    package func whenReadEnds(begunBy start: UInt64, _ call: @escaping @Sendable () -> Void) {
        state.withLock { $0.call = call }
        awaitedStart.store(start, ordering: .sequentiallyConsistent)
        if (underWay.first?.since ?? .max) > start { callWaiting() }
    }

    /// Calls nobody any more.
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
