import Amalgam

/// An observer whose methods perform the steps of a scenario.
final class CallbackObserver: TransactionObserver {
    private unowned let run: ScenarioRun

    init(_ run: ScenarioRun) { self.run = run }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        try? run.call(.observes)
        return true
    }

    func databaseWillChange(with event: DatabasePreUpdateEvent) { try? run.call(.willChange) }

    func databaseDidChange(with event: DatabaseEvent) { try? run.call(.didChange) }

    func databaseWillCommit() throws { try run.call(.willCommit) }

    func databaseDidCommit(_ db: Database) { try? run.call(.didCommit) }

    func databaseDidRollback(_ db: Database) { try? run.call(.didRollback) }
}
