import Synchronization

/// Counts the reads in progress on other connections of the same pool, for its writer.
///
/// A reader in WAL mode that reads the header of the WAL index while the writer changes it takes the write lock for
/// some microseconds, to read the header again ("walIndexReadHdr" in SQLite's wal.c). On a busy machine, its thread may
/// be suspended just then, and the writer of the same pool would fail with `SQLITE_BUSY`. So a writer that doesn't wait
/// for other connections waits for the readers of its pool, for a limited time.
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
