// Changes whose rows are not known.
extension ObservationBroker {
    /// Tells of changes in virtual tables, whose rows are not known, once the statements under way have made some.
    func tellChangesWithoutRows() {
        for index in outerRuns.indices {
            for listener in outerRuns[index].listenersToTell() { tellOfChangeNowOrLater(listener) }
        }
        for listener in run?.listenersToTell() ?? [] { tellOfChangeNowOrLater(listener) }
    }

    /// Tells of changes whose rows are not known.
    ///
    /// - Parameter kinds: the kinds of change that may have happened.
    func notifyChanges(_ kinds: [DatabaseEventKind]) {
        for registration in registrations where kinds.contains(where: registration.observes) {
            tellOfChangeNowOrLater(registration)
        }
    }

    /// The content of the database is another one, by a transaction that SQLite does not tell of.
    ///
    /// - Parameter kinds: the kinds of change that may have happened.
    func contentWasReplaced(_ kinds: [DatabaseEventKind]) {
        notifyChanges(kinds)
        transactionEnd = .none
        tellDidCommit()
    }

    private func tellOfChangeNowOrLater(_ registration: ObserverRegistration) {
        if savepoints.isEmpty { tellOfChange(registration) } else { hold(.change(registration)) }
    }

    func tellOfChange(_ registration: ObserverRegistration) {
        guard let observer = registration.rowObserver else { return }
        Self.currentBroker.withValue(self) { observer.databaseDidChange() }
    }
}
