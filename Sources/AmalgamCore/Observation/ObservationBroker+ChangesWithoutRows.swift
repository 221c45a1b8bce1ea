// Changes whose rows are not known.
extension ObservationBroker {
    /// Tells of changes in virtual tables, whose rows are not known, once the statements under way have made some.
    func tellChangesWithoutRows() {
        for index in outerRuns.indices {
            let listeners = outerRuns[index].listenersToTell()
            tellOfChangesNowOrLater(listeners, outerRuns[index].audience.kindsWithoutRows)
        }
        if let listeners = run?.listenersToTell(), let audience = run?.audience {
            tellOfChangesNowOrLater(listeners, audience.kindsWithoutRows)
        }
    }

    /// Tells of changes whose rows are not known.
    ///
    /// - Parameter kinds: the kinds of change that may have happened.
    func notifyChanges(_ kinds: [DatabaseEventKind]) {
        tellOfChangesNowOrLater(registrations.filter { kinds.contains(where: $0.observes) }, kinds)
    }

    /// The content of the database is another one, by a transaction that SQLite does not tell of.
    ///
    /// - Parameter kinds: the kinds of change that may have happened.
    func contentWasReplaced(_ kinds: [DatabaseEventKind]) {
        notifyChanges(kinds)
        transactionEnd = .none
        tellDidCommit()
    }

    private func tellOfChangesNowOrLater(_ listeners: [ObserverRegistration], _ kinds: [DatabaseEventKind]) {
        for listener in listeners {
            if savepoints.isEmpty { tellOfChange(listener, kinds) } else { hold(.change(listener, kinds)) }
        }
    }

    func tellOfChange(_ registration: ObserverRegistration, _ kinds: [DatabaseEventKind]) {
        guard let observer = registration.rowObserver else { return }
        database.insideHook {
            Self.currentBroker.withValue(self) {
                if let observer = observer as? any TableObserver {
                    observer.databaseDidChange(kinds: kinds)
                } else {
                    observer.databaseDidChange()
                }
            }
        }
    }
}
