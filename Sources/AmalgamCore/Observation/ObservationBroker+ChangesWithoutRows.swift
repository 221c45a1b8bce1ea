// Changes of rows that SQLite doesn't report.
extension ObservationBroker {
    /// If the running statements have changed virtual tables, notifies the observers of these tables. SQLite doesn't
    /// report the row changes of virtual tables.
    func notifyChangesWithoutRows() {
        for index in outerRuns.indices {
            let listeners = outerRuns[index].listenersToNotify()
            notifyOfChangesOrDefer(listeners, outerRuns[index].statementListeners.kindsWithoutRows)
        }
        if let listeners = run?.listenersToNotify(), let statementListeners = run?.statementListeners {
            notifyOfChangesOrDefer(listeners, statementListeners.kindsWithoutRows)
        }
    }

    /// Notifies observers of changes whose rows SQLite doesn't report.
    ///
    /// - Parameter kinds: the kinds of change that may have happened.
    func notifyChanges(_ kinds: [DatabaseEventKind]) {
        notifyOfChangesOrDefer(registrations.filter { kinds.contains(where: $0.observes) }, kinds)
    }

    /// Called after the whole database was replaced (backup, `deserialize`, `erase`), for which SQLite invokes no hook.
    ///
    /// - Parameter kinds: the kinds of change that may have happened.
    func contentWasReplaced(_ kinds: [DatabaseEventKind]) {
        notifyChanges(kinds)
        transactionEnd = .none
        notifyDidCommit()
    }

    private func notifyOfChangesOrDefer(_ listeners: [ObserverRegistration], _ kinds: [DatabaseEventKind]) {
        for listener in listeners {
            if savepoints.isEmpty { notifyOfChange(listener, kinds) } else { deferEvent(.change(listener, kinds)) }
        }
    }

    func notifyOfChange(_ registration: ObserverRegistration, _ kinds: [DatabaseEventKind]) {
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
