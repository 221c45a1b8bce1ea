/// Counters and current loads of a queue or pool, for monitoring.
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
/// Each value is exact, but the values aren't read at the same instant. So while accesses begin and end, two values,
/// such as `running` and `waiting`, may be inconsistent by one.
public struct DatabaseMetrics: Hashable, Sendable {
    /// The counters of the accesses to the writer, or to the readers.
    ///
    /// ```swift
    /// let isOverloaded = dbPool.metrics.readers.waiting > 100
    /// ```
    public struct Accesses: Hashable, Sendable {
        /// The number of running accesses.
        public var running = 0

        /// The number of accesses that wait for a connection.
        public var waiting = 0

        /// The number of finished accesses, with or without an error.
        public var done = 0

        /// The longest time that a database access has waited before it began, since the database was opened. Accesses
        /// that could begin immediately aren't measured.
        public var longestWait = Duration.zero

        /// The time that the longest waiting access has waited so far.
        public var currentWait = Duration.zero

        /// Creates counters of value zero.
        public init() {}
    }

    /// The state of the WAL file.
    ///
    /// ```swift
    /// if let wal = dbPool.metrics.wal {
    ///     print(wal.frameCount - wal.checkpointedFrameCount, "frames to checkpoint")
    /// }
    /// ```
    public struct WAL: Hashable, Sendable {
        /// The number of frames in the WAL file. Each contains one page.
        public var frameCount: Int

        /// The number of frames that are in the database file.
        public var checkpointedFrameCount: Int

        /// The size of the WAL file in bytes.
        public var fileSize: Int

        /// Creates a state from its values.
        public init(frameCount: Int, checkpointedFrameCount: Int, fileSize: Int) {
            self.frameCount = frameCount
            self.checkpointedFrameCount = checkpointedFrameCount
            self.fileSize = fileSize
        }
    }

    /// The counters of the page caches of the connections.
    ///
    /// ```swift
    /// if let rate = dbPool.metrics.cache.hitRate { print("hit rate: \(rate * 100) %") }
    /// ```
    public struct Cache: Hashable, Sendable {
        /// The number of pages found in the cache: <https://sqlite.org/c3ref/c_dbstatus_options.html>.
        public var hits = 0

        /// The number of pages read from a file.
        public var misses = 0

        /// Creates counters of value zero.
        public init() {}

        /// The fraction of pages found in the cache, from 0 to 1. Nil before the first page.
        public var hitRate: Double? { hits + misses == 0 ? nil : Double(hits) / Double(hits + misses) }
    }

    /// The accesses to the readers of a pool. A queue has no readers: its reads are accesses to the ``writer``.
    public var readers = Accesses()

    /// The accesses to the writing connection. For a queue, all accesses.
    public var writer = Accesses()

    /// The state of the WAL file. Nil without a WAL file. While the writer is in use, the state is that of an earlier
    /// time: see ``cache``.
    public var wal: WAL?

    /// The page cache counters of all connections since the database was opened, including closed connections.
    ///
    /// The counters of a connection in use can't be read. For such a connection, this value and ``wal`` come from an
    /// earlier sample. If the connection is the writer, a new sample is taken at the end of its current database
    /// access.
    public var cache = Cache()

    /// The number of open connections. Snapshots are not included.
    public var connectionCount = 0

    /// Creates counters of value zero.
    public init() {}
}
