/// A sequence of the commits that other processes, and other connections of this process, make to a database file.
///
/// ```swift
/// for try await change in try await dbPool.externalChanges() {
///     let count = try await dbPool.read { db in
///         try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
///     }
///     print("version \(change.dataVersion): \(count) players")
/// }
/// ```
///
/// A change is delivered when its commit can be read. A change before the start of the iteration, or during the loop
/// body, is delivered as the next element. Several changes may become one element, so a slow loop doesn't lag behind.
/// No change is missed. Attached databases aren't observed.
///
/// The elements contain SQLite's data version. This version may also change without a change of content: when another
/// process empties or restarts the WAL file, and when the queue or pool changes its own journal mode.
///
/// If the database isn't in WAL mode, changes made while the queue or pool is suspended (``DatabaseQueue/suspend()``)
/// are delivered after the queue or pool is resumed.
///
/// The sequence ends when the task is cancelled, and when the queue or pool is closed or deallocated. It throws
/// `SQLITE_READONLY_DBMOVED` if the database file was moved, replaced or removed, and errors of watching or reading the
/// files.
///
/// All iterations of a database share one watch on its files, which ends with the last iteration. The watch needs
/// neither a thread nor polling: the system reports writes to the files (inotify on Linux and Android, kqueue on Apple
/// platforms), and the writing connection then checks for commits, in a database access on its queue. A check that
/// finds no commit acquires no lock, and takes about a microsecond. While another process is committing, the check is
/// repeated, at increasing intervals from 0.1 to 100 milliseconds.
///
/// On Apple platforms, commits by connections with `PRAGMA journal_mode` `OFF` or `MEMORY` aren't detected. On network
/// file systems, the writes of other computers aren't reported by the system.
public struct ExternalChanges: AsyncSequence, Sendable {
    public typealias Element = ExternalChange
    public typealias Failure = any Error

    private let watch: ExternalChangeWatch
    private let dataVersion: Int

    /// - Parameter dataVersion: the data version that the consumer knows. Changes to other versions are delivered.
    init(_ watch: ExternalChangeWatch, after dataVersion: Int) {
        self.watch = watch
        self.dataVersion = dataVersion
    }

    public func makeAsyncIterator() -> Iterator { Iterator(watch: watch, dataVersion: dataVersion) }

    /// An iterator that waits for one change after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private var watch: ExternalChangeWatch?
        private var dataVersion: Int

        fileprivate init(watch: ExternalChangeWatch, dataVersion: Int) {
            self.watch = watch
            self.dataVersion = dataVersion
        }

        /// Waits for the next change.
        ///
        /// - Returns: nil if the task is cancelled, or the database is closed.
        /// - Throws: the error that ends the watch. The next call returns nil.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> ExternalChange? {
            guard let watch else { return nil }
            self.watch = nil
            guard let change = try await watch.change(after: dataVersion, isolation: actor) else { return nil }
            self.watch = watch
            dataVersion = change.dataVersion
            return change
        }
    }
}
