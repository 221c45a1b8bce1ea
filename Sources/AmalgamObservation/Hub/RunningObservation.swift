import AmalgamConcurrency
import AmalgamCore

/// A started observation, as its hub uses it.
protocol RunningObservation: AnyObject, Sendable {
    var trigger: ValueObservationTrigger { get }

    var commitPhase: CommitPhase { get }

    /// Whether each fetch computes the tracked region. Otherwise the hub calls `region(_:)`.
    var findsOutRegions: Bool { get }

    /// Returns the tracked region, or nil if it can't be computed. Called on the writing connection.
    func region(_ db: Database) -> DatabaseRegion?

    /// Discards the computed regions, because tables or views may have been redefined. Called while the hub is locked.
    func forgetDefinitions()

    /// Called after a commit that has changed the tracked region, while the hub is locked.
    func commitCame() -> ObservationAction

    /// Called after a commit that has changed the tracked region, when the hub isn't locked any more.
    func databaseDidChange()

    /// Called at the end of the first fetch, with the snapshots of the commits made during this fetch, if any.
    ///
    /// With `.everyCommit`, the observation reserves one ticket for each of these commits. A ticket is a position in
    /// the order of delivered values. The hub is locked during the call, so that later commits receive later tickets.
    ///
    /// - Returns: true if the observation has reserved the tickets, and fetches a separate value for each of these
    ///   commits. False if it has reserved no ticket, and one later fetch covers all these commits.
    func reserveTickets(for versions: [SnapshotVersion]) -> Bool

    /// Performs the action returned by `commitCame`, during the commit, on the writing connection.
    func act(_ action: ObservationAction, at commit: HubCommit)
}

extension RunningObservation {
    func reserveTickets(for versions: [SnapshotVersion]) -> Bool { false }

    var id: ObjectIdentifier { ObjectIdentifier(self) }
}

/// The phase of a commit in which an observation acts. The hub runs the phases in this order.
enum CommitPhase {
    case reads
    case fetchesWithWrites
    /// The observation runs code of the application, which may write.
    case callsBack
}

/// A commit, while the hub handles it on the writing connection.
struct HubCommit {
    let db: Database
    /// The fetches that must read exactly the state after this commit, in one shared read.
    let reads = CommitReads()
    /// The observations that fetch the last state, in another shared read.
    let batch = FetchBatch()
}

/// The fetches that must read exactly the state after one commit, in one shared read.
final class CommitReads {
    typealias Fetch = @Sendable (Database) -> Void

    private var fetches: [Fetch] = []
    private var database: (any ObservableDatabase)?

    func add(in database: any ObservableDatabase, _ fetch: @escaping Fetch) {
        self.database = database
        fetches.append(fetch)
    }

    /// Starts the fetches on a reader connection, and returns when this connection has acquired the snapshot of the
    /// commit. If no reader is available, runs the fetches on the writing connection.
    func begin(_ db: Database) {
        guard let database else { return }
        let fetches = fetches
        if database.spawnReadWithoutWaiting(opensReader: false, { db in for fetch in fetches { fetch(db) } }) { return }
        for fetch in fetches { fetch(db) }
    }
}
