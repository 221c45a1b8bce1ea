/// The observers of a connection, and the region (tables, columns and rows) recorded during its reads.
package final class ConnectionObservation {
    /// Notifies transaction observers.
    let broker = ObservationBroker()

    /// Receives the commits to the WAL file.
    var walCommitHook: WALCommitHook?

    /// Stores the rows that change.
    var rowRecorder: (any RowChangeRecorder)?

    /// Whether there are observers, sessions, a recorder or a WAL commit hook. If not, statements run without
    /// bookkeeping.
    var isActive = false

    /// The changesets that are being applied.
    var applications = ChangesetApplications()

    /// The region read since `recordingAccess` began; nil outside of it.
    var accessedRegion: DatabaseRegion?

    /// Whether the recorded region must also hold for later reads: see `recordingAccess`.
    package internal(set) var recordsConstantAccess = false

    /// The statement and the rows passed to `withKnownRows`, during this call; otherwise nil.
    var knownRead: KnownRead?
}
