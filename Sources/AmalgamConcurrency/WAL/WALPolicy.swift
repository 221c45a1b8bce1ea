/// A policy that determines when a WAL file is checkpointed, so that it doesn't grow without limit.
///
/// ```swift
/// var config = Configuration()
/// config.walPolicy = WALPolicy(maximumSize: 32 << 20, maximumAge: .seconds(30)) { report in
///     if let reader = report.oldestReader { print("The WAL file is held back by", reader) }
/// }
/// let dbPool = try DatabasePool(path: "/path/to/db.sqlite", configuration: config)
/// ```
///
/// SQLite appends each commit to the WAL file. A checkpoint copies the frames (one page each) into the database file.
/// When all frames are copied, and no reader uses the WAL file, the next write restarts the file from its beginning.
/// See <https://sqlite.org/wal.html#ckpt>.
///
/// With a policy, checkpoints run on the queue of the writer, between two database accesses, and never in a commit. A
/// checkpoint delays only the writes behind it in the queue, and doesn't wait for readers unless ``backpressure`` is
/// set. A checkpoint runs
///
/// - after an access of the writer, if the frames in the WAL file exceed ``maximumSize``;
/// - when frames have waited for a checkpoint for ``maximumAge``;
/// - when the read that blocked the previous checkpoint ends.
///
/// A checkpoint that is due while the database is suspended runs when the database is resumed.
///
/// The policy checks the WAL file after each access of its own writer. Frames written by other connections count, too.
/// `Configuration.automaticCheckpoint`, or `PRAGMA wal_autocheckpoint`, enables SQLite's automatic checkpoints in
/// addition to the policy.
///
/// ## Limits of all policies
///
/// A checkpoint can't copy frames beyond the snapshot of the oldest running read, and SQLite never truncates a WAL file
/// that a reader uses. The file grows with each write during a long read. It also grows if reads overlap without a gap,
/// and writes follow each other without a pause. ``WALReport/oldestReader`` names the blocking reader. ``backpressure``
/// limits the size by letting writes wait for reads. It doesn't help against reads that don't end, such as those of an
/// open snapshot or of another process.
public struct WALPolicy: Sendable {
    /// A limit beyond which writes wait for reads, so that the WAL file doesn't grow further.
    ///
    /// ```swift
    /// var policy = WALPolicy()
    /// policy.backpressure = WALPolicy.Backpressure(size: 256 << 20, maximumWait: .seconds(1))
    /// ```
    public struct Backpressure: Hashable, Sendable {
        /// The size of the frames beyond which writes wait, in bytes.
        public var size: Int

        /// The maximum time for which a write waits for reads. After this time, the write runs, and the file grows
        /// further. If a read that blocks a checkpoint itself waits for the write, neither proceeds before this time.
        public var maximumWait: Duration

        /// Creates a limit.
        public init(size: Int, maximumWait: Duration) {
            self.size = size
            self.maximumWait = maximumWait
        }
    }

    /// The size of the frames at which the WAL file is checkpointed, in bytes: 16 MB by default.
    ///
    /// When a write restarts the file, SQLite truncates the file to this size, unless the application has set
    /// `PRAGMA journal_size_limit`. A checkpoint truncates a larger file to zero bytes. A checkpoint with the trigger
    /// ``WALReport/Trigger/size`` does so only if the file is more than 50 % larger.
    ///
    /// A small size causes more checkpoints, each of which waits for the disk. A large size causes longer checkpoints.
    /// Copying 16 MB takes about 20 ms on a common SSD.
    public var maximumSize: Int

    /// The maximum time for which frames wait for a checkpoint: one minute by default. If nil, only the size counts.
    ///
    /// A timer runs only while frames wait.
    public var maximumAge: Duration?

    /// The limit beyond which writes wait for reads. Nil by default: writes never wait.
    public var backpressure: Backpressure?

    /// The limit of the WAL file if a replication engine checkpoints it. Nil if this policy does.
    var replicationLimit: ReplicationLimit?

    /// Called after each checkpoint with its report. The calls are serialized and in order, on a separate queue, so the
    /// closure may use the database.
    public var onReport: (@Sendable (WALReport) -> Void)?

    /// Creates a policy. Negative sizes and times are treated as 0.
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
