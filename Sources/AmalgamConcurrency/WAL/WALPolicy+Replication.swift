extension WALPolicy {
    /// The limit of a WAL file whose checkpoints are left to a replication engine. The limit counts when the engine
    /// doesn't run: no checkpoint copies frames then, and each write makes the file larger.
    public struct ReplicationLimit: Hashable, Sendable {
        enum Reaction: Hashable {
            case grow
            case wait(Duration)
            case startOver
        }

        let size: Int
        let reaction: Reaction

        /// The file grows until the engine runs again, or until the disk is full. No transaction is missing in the
        /// replica.
        public static let none = ReplicationLimit(size: .max, reaction: .grow)

        /// Writes wait while the frames that aren't checkpointed exceed a size.
        ///
        /// ```swift
        /// config.walPolicy = .replicated(limit: .writesWait(beyond: 1 << 30, atMost: .seconds(5)))
        /// ```
        ///
        /// - Parameters:
        ///   - size: the size in bytes.
        ///   - maximumWait: the maximum time that a write waits. After this time, the write runs, and the file grows
        ///     further.
        public static func writesWait(beyond size: Int, atMost maximumWait: Duration) -> ReplicationLimit {
            ReplicationLimit(size: max(0, size), reaction: .wait(maximumWait))
        }

        /// When the frames that aren't checkpointed exceed a size, in bytes, the policy checkpoints them itself. The
        /// engine uploads the whole database when it runs again. The replica can't restore the states in between.
        ///
        /// ```swift
        /// config.walPolicy = .replicated(limit: .replicationStartsOver(beyond: 1 << 30))
        /// ```
        public static func replicationStartsOver(beyond size: Int) -> ReplicationLimit {
            ReplicationLimit(size: max(0, size), reaction: .startOver)
        }
    }

    /// The policy of a database that a replication engine such as Litestream follows. The WAL file has no limit while
    /// the engine doesn't run: see ``replicated(limit:onReport:)``.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.walPolicy = .replicated
    /// let dbPool = try DatabasePool(path: "/path/to/db.sqlite", configuration: config)
    /// ```
    public static var replicated: WALPolicy { .replicated() }

    /// The policy of a database that a replication engine such as Litestream follows.
    ///
    /// The engine reads transactions from the WAL file, and checkpoints the file. With this policy, the connection runs
    /// no checkpoints, neither after commits nor when it is closed, and leaves the WAL file in place at the close. A
    /// checkpoint while the engine doesn't run makes the engine upload the whole database again.
    ///
    /// The engine also writes to the database for its checkpoints, and holds SQLite's lock of the writer for some
    /// milliseconds. So the busy mode `immediateError` is replaced with a timeout of ten seconds.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.walPolicy = .replicated(limit: .writesWait(beyond: 1 << 30, atMost: .seconds(5)))
    /// let dbPool = try DatabasePool(path: "/path/to/db.sqlite", configuration: config)
    /// ```
    ///
    /// - Parameters:
    ///   - limit: what happens when the WAL file is large, because the engine doesn't run.
    ///   - onReport: called after a checkpoint, with its report. Without
    ///     ``ReplicationLimit/replicationStartsOver(beyond:)``, the policy runs none.
    public static func replicated(
        limit: ReplicationLimit = .none, onReport: (@Sendable (WALReport) -> Void)? = nil
    ) -> WALPolicy {
        var policy = WALPolicy(maximumAge: nil, onReport: onReport)
        policy.replicationLimit = limit
        return policy
    }

    /// Whether the checkpoints are left to a replication engine: see ``replicated``.
    public var isReplicated: Bool { replicationLimit != nil }
}
