import AmalgamConcurrency
import AmalgamCore
import Synchronization

/// A started region observation. It retains its database until it is cancelled.
final class RegionObservationRun: RunningObservation {
    private let onChange: @Sendable (Database) -> Void
    private let database: Mutex<(any ObservableDatabase)?>

    private let regions: [any DatabaseRegionConvertible]

    init(
        _ database: any ObservableDatabase, tracking regions: [any DatabaseRegionConvertible],
        _ onChange: @escaping @Sendable (Database) -> Void
    ) {
        self.database = Mutex(database)
        self.regions = regions
        self.onChange = onChange
    }

    var findsOutRegions: Bool { false }

    func region(_ db: Database) -> DatabaseRegion? { try? trackedRegion(db) }

    func trackedRegion(_ db: Database) throws -> DatabaseRegion {
        try regions.reduce(into: DatabaseRegion()) { $0.formUnion(try $1.databaseRegion(db)) }
    }

    func forgetDefinitions() {}

    func cancel() {
        let database = database.withLock { database in
            defer { database = nil }
            return database
        }
        if let database { ObservationHub.of(database).remove(self) }
    }

    var trigger: ValueObservationTrigger { .writes }

    var commitPhase: CommitPhase { .callsBack }

    func commitCame() -> ObservationAction { .fetchNow }

    func databaseDidChange() {}

    func act(_ action: ObservationAction, at commit: HubCommit) {
        if database.withLock({ $0 != nil }) { onChange(commit.db) }
    }
}
