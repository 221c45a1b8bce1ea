import Synchronization

/// Counts the reads in progress on the readers of a pool, and the opening of its writer. With the busy mode
/// `.immediateError`, the writer doesn't fail immediately during these, but waits up to half a second for a lock.
///
/// A reader in WAL mode that reads the header of the WAL index while the writer changes the header takes the write lock
/// for some microseconds, to read the header again (`walIndexReadHdr` in SQLite's wal.c). If the system pauses the
/// reader's thread at this moment, a writer that doesn't wait would fail with `SQLITE_BUSY`.
package final class ReadActivity: Sendable {
    private let count = Atomic<Int>(0)

    package init() {}

    package var isUnderWay: Bool { count.load(ordering: .relaxed) > 0 }

    package func begin() { count.add(1, ordering: .relaxed) }

    package func end() { count.subtract(1, ordering: .relaxed) }

    package func during<T>(_ body: () throws -> T) rethrows -> T {
        begin()
        defer { end() }
        return try body()
    }
}
