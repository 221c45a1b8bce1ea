import AmalgamConcurrency
import AmalgamCore

/// A started observation, as its hub uses it.
protocol RunningObservation: AnyObject, Sendable {
    var trigger: ValueObservationTrigger { get }

    var commitPhase: CommitPhase { get }

    /// Whether each fetch finds out what is tracked. Otherwise the hub asks for it.
    var findsOutRegions: Bool { get }

    /// What is tracked, on the writing connection; nil when there is no such thing.
    func region(_ db: Database) -> DatabaseRegion?

    /// What fetches have found out about tables and views may not be true any more. Called while the hub is locked.
    func forgetDefinitions()

    /// A commit has changed what is tracked. Called while the hub is locked.
    func commitCame() -> ObservationAction

    /// The same, once the hub is not locked any more.
    func databaseDidChange()

    /// Commits have come during the first fetch: reserves a ticket for the value of each. Called while the hub is locked,
    /// before later commits come.
    ///
    /// - Returns: whether it wants to have a value for each.
    func reserveTickets(for versions: [SnapshotVersion]) -> Bool

    /// Does what `commitCame` has answered, at the commit, on the writing connection.
    func act(_ action: ObservationAction, at commit: HubCommit)
}

extension RunningObservation {
    func reserveTickets(for versions: [SnapshotVersion]) -> Bool { false }

    var id: ObjectIdentifier { ObjectIdentifier(self) }
}

/// The phases of a commit, in the order in which the hub runs the members of each phase.
enum CommitPhase {
    case reads
    case fetchesWithWrites
    /// It runs code of the application, which may write.
    case callsBack
}

/// A commit, while the writing connection notifies the hub.
struct HubCommit {
    let db: Database
    /// Collects the fetches of the state that the commit has left: they share one read.
    let reads = CommitReads()
    /// Collects the observations that fetch the last state: they share one read as well.
    let batch = FetchBatch()
}

/// The fetches of the state of one commit: they share one read.
final class CommitReads {
    typealias Fetch = @Sendable (Database) -> Void

    private var fetches: [Fetch] = []
    private var database: (any ObservableDatabase)?

    func add(in database: any ObservableDatabase, _ fetch: @escaping Fetch) {
        self.database = database
        fetches.append(fetch)
    }

    /// Reads on a reader that has acquired the state when this returns, or otherwise on the writing connection.
    func begin(_ db: Database) {
        guard let database else { return }
        let fetches = fetches
        if database.spawnReadWithoutWaiting({ db in for fetch in fetches { fetch(db) } }) { return }
        for fetch in fetches { fetch(db) }
    }
}
