import Amalgam

/// An observer whose calls take steps.
final class ActingObserver: TransactionObserver {
    private unowned let stage: Stage

    init(_ stage: Stage) { self.stage = stage }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        try? stage.call(.observes)
        return true
    }

    func databaseWillChange(with event: DatabasePreUpdateEvent) { try? stage.call(.willChange) }

    func databaseDidChange(with event: DatabaseEvent) { try? stage.call(.didChange) }

    func databaseWillCommit() throws { try stage.call(.willCommit) }

    func databaseDidCommit(_ db: Database) { try? stage.call(.didCommit) }

    func databaseDidRollback(_ db: Database) { try? stage.call(.didRollback) }
}
