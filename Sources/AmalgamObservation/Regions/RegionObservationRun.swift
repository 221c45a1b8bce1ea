import AmalgamConcurrency
import AmalgamCore
import Synchronization

/// A started region observation. It retains its database until it is cancelled.
final class RegionObservationRun: HubMember {
    private let onChange: @Sendable (Database) -> Void
    private let database: Mutex<(any ObservableDatabase)?>

    init(_ database: any ObservableDatabase, _ onChange: @escaping @Sendable (Database) -> Void) {
        self.database = Mutex(database)
        self.onChange = onChange
    }

    func cancel() {
        let database = database.withLock { database in
            defer { database = nil }
            return database
        }
        if let database { ObservationHub.of(database).remove(self) }
    }

    var trigger: ValueObservationTrigger { .writes }

    var turn: HubTurn { .callsBack }

    func commitCame() -> ObservationState.Action { .fetchNow }

    func databaseDidChange() {}

    func act(_ action: ObservationState.Action, at commit: HubCommit) {
        if database.withLock({ $0 != nil }) { onChange(commit.db) }
    }
}
