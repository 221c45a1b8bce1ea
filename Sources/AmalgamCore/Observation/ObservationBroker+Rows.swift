// Row changes.
extension ObservationBroker {
    /// Called by SQLite's pre-update hook.
    func rowWillChange(_ change: RowChange) {
        guard !registrations.isEmpty, let connection = database.sqliteConnection else { return }
        var changeListeners = changeListeners(of: change)
        if changeListeners.isEmpty { return }
        if hasPendingNotifications {
            noteRowAfterEnd()
            changeListeners = self.changeListeners(of: change)
        }
        rowDidChange()
        liveRow.begin(connection)
        notify(change, changeListeners, isIncluded: isIncluded(liveRow.blobWrite))
        liveRow.end()
    }

    private func changeListeners(of change: RowChange) -> StatementListeners.ChangeListeners {
        run?.statementListeners.changeListeners(of: change)
            ?? currentUnattributedListeners.changeListeners(of: change)
    }

    /// - Parameter isIncluded: whether the change is a blob write that was applied to an already deferred event.
    private func notify(_ change: RowChange, _ changeListeners: StatementListeners.ChangeListeners, isIncluded: Bool) {
        let willChange = DatabasePreUpdateEvent(liveRow, change, changeListeners.table)
        let didChange = DatabaseEvent(change, changeListeners.table.names)
        if let listener = changeListeners.onlyListener {
            return notifyOrDefer(listener, willChange, didChange, isIncluded)
        }
        for listener in changeListeners.listeners ?? listeners(of: willChange) {
            notifyOrDefer(listener, willChange, didChange, isIncluded)
        }
    }

    /// Returns the observers of an unforeseen update. Its columns are determined by comparing values.
    private func listeners(of update: DatabasePreUpdateEvent) -> [ObserverRegistration] {
        var columns = Set(update.columnChanges.map(\.columnName))
        if update.initialRowID != update.finalRowID { columns.insert("ROWID") }
        let kind = DatabaseEventKind.update(tableName: update.tableName, columnNames: columns)
        return registrations.filter { $0.observes(kind) }
    }

    private func notifyOrDefer(
        _ registration: ObserverRegistration, _ willChange: DatabasePreUpdateEvent, _ didChange: DatabaseEvent,
        _ isIncluded: Bool
    ) {
        if savepoints.isEmpty {
            notify(registration, willChange, didChange)
        } else if let observer = registration.tableObserver {
            savepoints[savepoints.count - 1].deferRow(willChange, registration, observer)
        } else if !isIncluded {
            deferEvent(.row(registration, willChange.copy(), didChange))
        }
    }

    /// If the last deferred events report an earlier write to the same blob, adds this write to their new values. Blobs
    /// are often written in pieces: in a savepoint, an observer receives one event for consecutive writes.
    ///
    /// - Returns: whether the write was added.
    private func isIncluded(_ write: BlobWrite?) -> Bool {
        guard let write, let savepoint = savepoints.last else { return false }
        let events = savepoint.events.reversed().prefix { event in
            if case .row(_, let willChange, _) = event { willChange.include(write) } else { false }
        }
        return !events.isEmpty
    }

    func notify(
        _ registration: ObserverRegistration, _ willChange: DatabasePreUpdateEvent, _ didChange: DatabaseEvent
    ) {
        guard let observer = registration.rowObserver else { return }
        database.insideHook {
            Self.currentBroker.withValue(self) {
                observer.databaseWillChange(with: willChange)
                if !registration.ignoresRows { observer.databaseDidChange(with: didChange) }
            }
        }
    }
}
