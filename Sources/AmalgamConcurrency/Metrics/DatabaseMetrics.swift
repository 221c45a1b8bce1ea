/// What a queue or pool is doing, and has done: numbers for a server to export.
///
/// ```swift
/// let metrics = dbPool.metrics
/// gauge("db_reads_running", metrics.readers.running)
/// gauge("db_reads_waiting", metrics.readers.waiting)
/// gauge("db_writer_queue_length", metrics.writer.waiting)
/// counter("db_reads_total", metrics.readers.done)
/// gauge("db_longest_wait_seconds", metrics.readers.longestWait / .seconds(1))
/// gauge("db_wal_bytes", metrics.wal?.fileSize ?? 0)
/// gauge("db_cache_hit_rate", metrics.cache.hitRate ?? 1)
/// ```
///
/// Each number is exact, but they are not taken at the same instant: while accesses come and go, they may disagree by
/// one.
public struct DatabaseMetrics: Hashable, Sendable {
    /// The accesses to the writer, or to the readers.
    public struct Accesses: Hashable, Sendable {
        /// How many accesses run.
        public var running = 0

        /// How many wait for their turn.
        public var waiting = 0

        /// How many have ended, with or without an error.
        public var done = 0

        /// How long an access has waited at most, until it began, since the database was opened. Accesses that did not
        /// find others before them count as nothing.
        public var longestWait = Duration.zero

        /// How long the one has been waiting that waits longest now.
        public var currentWait = Duration.zero

        /// Nothing has happened.
        public init() {}
    }

    /// The WAL file.
    public struct WAL: Hashable, Sendable {
        /// How many frames (of one page each) it holds.
        public var frameCount: Int

        /// How many of the frames are in the database file.
        public var checkpointedFrameCount: Int

        /// Its bytes.
        public var fileSize: Int

        /// What a WAL file holds.
        public init(frameCount: Int, checkpointedFrameCount: Int, fileSize: Int) {
            self.frameCount = frameCount
            self.checkpointedFrameCount = checkpointedFrameCount
            self.fileSize = fileSize
        }
    }

    /// The page caches of the connections.
    public struct Cache: Hashable, Sendable {
        /// How often a page was found there: <https://sqlite.org/c3ref/c_dbstatus_options.html>.
        public var hits = 0

        /// How often a page was read from a file.
        public var misses = 0

        /// Nothing has happened.
        public init() {}

        /// The part of pages that were found, from 0 to 1; nil before the first page.
        public var hitRate: Double? { hits + misses == 0 ? nil : Double(hits) / Double(hits + misses) }
    }

    /// The readers of a pool. A queue has none: its reads are accesses to the ``writer``.
    public var readers = Accesses()

    /// The connection that writes; on a queue, the one that there is.
    public var writer = Accesses()

    /// The WAL file, as the writer has last seen it; nil when there is none. See ``cache``.
    public var wal: WAL?

    /// The page caches of all connections since the database was opened, those too that have been closed since.
    ///
    /// Who uses a connection counts. So these numbers, and ``wal``, are of now for connections that nobody uses; for
    /// others, of the last time that they were looked at: they are looked at again at the end of the access.
    public var cache = Cache()

    /// How many connections are open. Snapshots count for themselves.
    public var connectionCount = 0

    /// Nothing has happened.
    public init() {}
}
