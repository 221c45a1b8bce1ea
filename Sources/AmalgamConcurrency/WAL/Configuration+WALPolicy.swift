public import AmalgamCore

extension Configuration {
    private enum WALPolicyKey: ConfigurationKey {
        typealias Value = WALPolicy
    }

    private enum WALReadersKey: ConfigurationKey {
        typealias Value = WALReaders
    }

    /// The policy by which a `DatabasePool`, or a `DatabaseQueue` in WAL mode, checkpoints the WAL file. If nil, the
    /// default, SQLite runs automatic checkpoints: see ``automaticCheckpoint``.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.walPolicy = WALPolicy(maximumSize: 32 << 20)
    /// ```
    public var walPolicy: WALPolicy? {
        get { self[WALPolicyKey.self] }
        set { self[WALPolicyKey.self] = newValue }
    }

    /// The start times of the running reads, for the WAL policy of the pool. Nil without a policy.
    var walReaders: WALReaders? {
        get { self[WALReadersKey.self] }
        set { self[WALReadersKey.self] = newValue }
    }
}
