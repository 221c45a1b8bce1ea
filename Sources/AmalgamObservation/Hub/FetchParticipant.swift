import AmalgamConcurrency
import AmalgamCore

/// An observation that takes part in shared fetches: one read for several observations.
protocol FetchParticipant: RunningObservation {
    /// Called when the fetch begins, while the hub is locked.
    func fetchBegins()

    /// Fetches a value.
    ///
    /// - Returns: the closure that delivers the value to its consumer, to be called once. It may be called after the
    ///   transaction.
    func fetch(
        _ db: Database, _ fetch: HubFetch, at version: SnapshotVersion?, for hub: ObservationHub
    ) -> () -> Void

    /// Called if another thread has interrupted or suspended the connection before the observation could fetch.
    func fetchWasStopped(_ db: Database, for hub: ObservationHub)

    /// Called with the error of an access that couldn't begin.
    func fail(_ error: any Error)
}

/// The observations that a commit adds to the next shared fetch.
final class FetchBatch {
    private(set) var members: [any FetchParticipant] = []
    private(set) var database: (any ObservableDatabase)?

    func add(_ member: any FetchParticipant, in database: any ObservableDatabase) {
        members.append(member)
        self.database = database
    }
}
