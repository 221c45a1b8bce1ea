import Synchronization

/// Counts the reads under way beside a writing connection, in the same process.
///
/// A reader in WAL mode that looks at the header of the WAL index while the writer changes it takes the write lock, for
/// some microseconds, to look again ("walIndexReadHdr" in SQLite's wal.c). On a busy machine it may be put aside
/// just then, and the writer of its own pool would fail with `SQLITE_BUSY`. So a writer that does not wait for
/// others waits for its own readers, for a while.
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
