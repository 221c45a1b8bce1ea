import CAmalgam

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

    /// Called when SQLite compiles a statement that changes a virtual table, while it applies a changeset, or because the
    /// running statement is outdated. The observers of the table are notified after the run.
    func virtualTableMayChange(_ kind: DatabaseEventKind) {
        if run != nil && !unforeseenKinds.contains(kind) { unforeseenKinds.append(kind) }
    }

    /// Notifies the observers of virtual tables that have changed without being foreseen.
    func notifyUnforeseenChanges() {
        if unforeseenKinds.isEmpty { return }
        let foreseenKinds = run?.statementListeners.kindsWithoutRows ?? []
        let kinds = unforeseenKinds.filter { kind in
            !foreseenKinds.contains { $0.isOf(kind.operation, table: kind.tableName) }
        }
        unforeseenKinds = []
        if !kinds.isEmpty { notifyChanges(kinds) }
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

extension DatabaseEventKind {
    /// The kind of change with an action code of the authorizer; nil for other actions.
    init?(_ action: CInt, _ table: UnsafePointer<CChar>?, _ column: UnsafePointer<CChar>?) {
        guard let table = table.map({ String(cString: $0) }) else { return nil }
        switch action {
        case SQLITE_INSERT: self = .insert(tableName: table)
        case SQLITE_DELETE: self = .delete(tableName: table)
        case SQLITE_UPDATE:
            self = .update(tableName: table, columnNames: column.map { [String(cString: $0)] } ?? [])
        default: return nil
        }
    }
}
