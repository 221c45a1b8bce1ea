import AmalgamConcurrency
import AmalgamCore

/// An observation that takes part in shared fetches. A shared fetch is one read for several observations.
protocol FetchParticipant: RunningObservation {
    /// Called when the fetch begins, while the hub is locked.
    func fetchBegins()

    /// Fetches a value.
    ///
    /// - Returns: a closure that delivers the value. The hub calls this closure once, during or after the read.
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
