/// When the WAL file of a database is checkpointed, so that it does not grow without bound.
///
/// ```swift
/// var config = Configuration()
/// config.walPolicy = WALPolicy(maximumSize: 32 << 20, maximumAge: .seconds(30)) { report in
///     if let reader = report.oldestReader { print("The WAL file is held back by", reader) }
/// }
/// let dbPool = try DatabasePool(path: "/path/to/db.sqlite", configuration: config)
/// ```
///
/// SQLite appends each commit to the WAL file. A checkpoint copies the frames (one page each) into the database file,
/// and once it has copied all of them, and nobody reads any more from the WAL file, the next write begins the file
/// anew. See <https://sqlite.org/wal.html#ckpt>.
///
/// With a policy, checkpoints run on the queue of the writer, between two accesses, and never inside of a commit. They
/// delay only the writes that are queued behind them, and don't wait for readers unless ``backpressure`` is set. One comes
///
/// - after an access that leaves more than ``maximumSize`` in the WAL file;
/// - when frames have been waiting for ``maximumAge``;
/// - as soon as the read ends that has held back the checkpoint before.
///
/// A checkpoint that is due while the database is suspended comes when it is resumed.
///
/// The policy watches the commits of its own pool or queue, and takes those of others into account when it does.
/// `Configuration.automaticCheckpoint`, or `PRAGMA wal_autocheckpoint`, brings SQLite's own checkpoints back beside it.
///
/// ## What no policy can do
///
/// A checkpoint stops at the state that the oldest read under way sees, and SQLite never cuts a WAL file from which
/// somebody reads. One read that does not end makes the file grow with each write, and so do reads that overlap
/// without a gap, when writes come without a pause. ``WALReport/oldestReader`` names who is in the way.
/// ``backpressure`` bounds the file for reads that end: then writes wait for them. Nothing but the end of
/// a read helps against a snapshot that is kept, or another process that reads forever.
public struct WALPolicy: Sendable {
    /// Lets writes wait for reads, in the place of a WAL file that goes on growing.
    public struct Backpressure: Hashable, Sendable {
        /// How many bytes of frames the WAL file may have before writes wait.
        public var size: Int

        /// How long writes wait, at most, before the file grows further. A read that waits for a write of the same pool
        /// waits for itself until then.
        public var maximumWait: Duration

        /// Lets writes wait beyond a size.
        public init(size: Int, maximumWait: Duration) {
            self.size = size
            self.maximumWait = maximumWait
        }
    }

    /// How many bytes of frames may be in the WAL file before it is checkpointed: 16 MB by default.
    ///
    /// The file is cut to this size when SQLite begins it anew, unless the application has set
    /// `PRAGMA journal_size_limit`; and to nothing by a checkpoint that finds it half as large again, or that comes once
    /// a read has ended.
    ///
    /// A small number means more checkpoints, of which each waits for the disk; a large one longer ones. Copying 16 MB
    /// takes about 20 ms on a common SSD.
    public var maximumSize: Int

    /// How long frames may wait for a checkpoint: a minute by default. With nil, size alone counts.
    ///
    /// There is a timer while frames wait, and none else.
    public var maximumAge: Duration?

    /// Lets writes wait for reads. Nil, the default, for never.
    public var backpressure: Backpressure?

    /// Called after each checkpoint, with what it did, in order and one at a time, on a queue of its own: it may use
    /// the database.
    public var onReport: (@Sendable (WALReport) -> Void)?

    /// A policy: sizes that are negative count as 0, as times do.
    public init(
        maximumSize: Int = 16 << 20, maximumAge: Duration? = .seconds(60), backpressure: Backpressure? = nil,
        onReport: (@Sendable (WALReport) -> Void)? = nil
    ) {
        self.maximumSize = maximumSize
        self.maximumAge = maximumAge
        self.backpressure = backpressure
        self.onReport = onReport
    }
}
