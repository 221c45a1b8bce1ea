import AmalgamConcurrency
import AmalgamCore

/// A started observation, for its hub.
protocol HubMember: AnyObject, Sendable {
    var trigger: ValueObservationTrigger { get }

    var turn: HubTurn { get }

    /// Whether each fetch finds out what is tracked. Else the hub asks for it.
    var findsOutRegions: Bool { get }

    /// What is tracked, on the writing connection; nil when there is no such thing.
    func region(_ db: Database) -> DatabaseRegion?

    /// What fetches have found out about tables and views may not be true any more. Called while the hub is locked.
    func forgetDefinitions()

    /// A commit has changed what is tracked. Called while the hub is locked.
    func commitCame() -> ObservationState.Action

    /// The same, once the hub is not locked any more.
    func databaseDidChange()

    /// Commits have come during the first fetch: takes a place in line for the value of each. Called while the hub is
    /// locked, before others come.
    ///
    /// - Returns: whether it wants to have a value for each.
    func takePlaces(for versions: [SnapshotVersion]) -> Bool

    /// Does what `commitCame` has answered, at the commit, on the writing connection.
    func act(_ action: ObservationState.Action, at commit: HubCommit)
}

extension HubMember {
    func takePlaces(for versions: [SnapshotVersion]) -> Bool { false }

    var id: ObjectIdentifier { ObjectIdentifier(self) }
}

/// What a member may do at a commit, in the order in which members do it.
enum HubTurn {
    case reads
    case fetchesWithWrites
    /// It runs code of others, which may write.
    case callsBack
}

/// A commit, while the writing connection tells of it.
struct HubCommit {
    let db: Database
    /// Collects those who want a read of the state that the commit has left, so that they share one.
    let reads = CommitReads()
    /// Collects those who want the last state, so that they share one read as well.
    let line = PassLine()
}

/// Those who fetch the state of one commit: they share one read.
final class CommitReads {
    typealias Fetch = @Sendable (Database) -> Void

    private var fetches: [Fetch] = []
    private var database: (any ObservableDatabase)?

    func add(in database: any ObservableDatabase, _ fetch: @escaping Fetch) {
        self.database = database
        fetches.append(fetch)
    }

    /// Reads on a reader that has taken hold of the state when this returns, or else on the writing connection.
    func begin(_ db: Database) {
        guard let database else { return }
        let fetches = fetches
        if database.spawnReadWithoutWaiting({ db in for fetch in fetches { fetch(db) } }) { return }
        for fetch in fetches { fetch(db) }
    }
}
