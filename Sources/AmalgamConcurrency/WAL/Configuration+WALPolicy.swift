public import AmalgamCore

extension Configuration {
    private enum WALPolicyKey: ConfigurationKey {
        typealias Value = WALPolicy
    }

    private enum WALReadersKey: ConfigurationKey {
        typealias Value = WALReaders
    }

    /// When the WAL file is checkpointed by a `DatabasePool`, or a `DatabaseQueue` whose database is in WAL mode. With
    /// nil, the default, SQLite does it alone: see ``automaticCheckpoint``.
    public var walPolicy: WALPolicy? {
        get { self[WALPolicyKey.self] }
        set { self[WALPolicyKey.self] = newValue }
    }

    /// The reads of the same pool that its WAL policy knows; nil without a policy.
    var walReaders: WALReaders? {
        get { self[WALReadersKey.self] }
        set { self[WALReadersKey.self] = newValue }
    }
}
