/// The commits that other processes, and other connections of this one, make to a database file.
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
/// A change is told once it can be read. One that comes before the iteration has begun, or while the body of the loop
/// runs, is told by the next element; several of them are told by one, so a slow loop is never behind. No change
/// is missed. The data version is SQLite's: it may also change when another process empties or restarts the WAL file,
/// which changes no content, and when the connection itself changes its journal mode. Attached databases are not looked
/// at.
///
/// While the database is suspended, and not in WAL mode, nobody looks: what was missed is told when it is resumed.
///
/// The sequence ends when the task is cancelled, and when the queue or pool is closed or released. It throws
/// `SQLITE_READONLY_DBMOVED` when the file is not at its path any more, and errors of files that cannot be watched or
/// read.
///
/// Any number of loops share one watch on the files, which goes away with the last of them. It waits without a thread and
/// without polling: the system tells of writes to the files (inotify on Linux and Android, kqueue on Apple platforms), and
/// then the writing connection checks for commits, in an access of its queue. A check that finds nothing takes no lock, and
/// about a microsecond. While another process is in the middle of a commit, the check is repeated, at growing intervals
/// of 0.1 to 100 milliseconds.
///
/// On Apple platforms, commits of connections with `PRAGMA journal_mode` `OFF` or `MEMORY` are not noticed. On network
/// file systems, the system does not know what other computers write.
public struct ExternalChanges: AsyncSequence, Sendable {
    public typealias Element = ExternalChange
    public typealias Failure = any Error

    private let watch: ExternalChangeWatch
    private let dataVersion: Int

    /// - Parameter dataVersion: what is known already.
    init(_ watch: ExternalChangeWatch, after dataVersion: Int) {
        self.watch = watch
        self.dataVersion = dataVersion
    }

    public func makeAsyncIterator() -> Iterator { Iterator(watch: watch, dataVersion: dataVersion) }

    /// Waits for one change after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private var watch: ExternalChangeWatch?
        private var dataVersion: Int

        fileprivate init(watch: ExternalChangeWatch, dataVersion: Int) {
            self.watch = watch
            self.dataVersion = dataVersion
        }

        /// Waits for a change.
        ///
        /// - Returns: nil when the task is cancelled, or the database closed.
        /// - throws: the error that ends the watch; `nil` follows.
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
