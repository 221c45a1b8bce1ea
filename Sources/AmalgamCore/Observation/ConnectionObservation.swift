/// What is notified of the changes on a connection, and what is recorded of its reads.
package final class ConnectionObservation {
    /// Notifies transaction observers.
    let broker = ObservationBroker()

    /// Notified of commits to the WAL file.
    var walCommitHook: WALCommitHook?

    /// Stores the rows that change.
    var rowRecorder: (any RowChangeRecorder)?

    /// Whether there are observers, sessions or a recorder of rows: without any, statements run without bookkeeping.
    var isActive = false

    /// Changesets that are being applied.
    var applications = ChangesetApplications()

    /// What was read since `recordingAccess` began; nil outside of it.
    var accessedRegion: DatabaseRegion?

    /// Whether what was read is recorded for later readings as well: see `recordingAccess`.
    package internal(set) var recordsConstantAccess = false

    /// The rows that the statement of a request is known to read, while it is recorded.
    var knownRead: KnownRead?
}
