// Changes of rows.
extension ObservationBroker {
    /// SQLite's pre-update hook.
    func rowWillChange(_ change: RowChange) {
        guard !registrations.isEmpty, let connection = database.sqliteConnection else { return }
        let route = run?.audience.route(of: change) ?? currentStrayAudience.route(of: change)
        if route.isEmpty { return }
        liveRow.begin(connection)
        tell(change, route, isHeld: isHeld(liveRow.blobWrite))
        liveRow.end()
    }

    /// - Parameter isHeld: whether the event is included in one that waits in a savepoint.
    private func tell(_ change: RowChange, _ route: Audience.Route, isHeld: Bool) {
        let willChange = DatabasePreUpdateEvent(liveRow, change, route.table)
        let didChange = DatabaseEvent(change, route.table.names)
        if let listener = route.onlyListener { return tellNowOrLater(listener, willChange, didChange, isHeld) }
        for listener in route.listeners ?? listeners(of: willChange) {
            tellNowOrLater(listener, willChange, didChange, isHeld)
        }
    }

    /// Those who want to hear of an update that was not foreseen: its columns are known by its values only.
    private func listeners(of update: DatabasePreUpdateEvent) -> [ObserverRegistration] {
        var columns = Set(update.columnChanges.map(\.columnName))
        if update.initialRowID != update.finalRowID { columns.insert("ROWID") }
        let kind = DatabaseEventKind.update(tableName: update.tableName, columnNames: columns)
        return registrations.filter { $0.observes(kind) }
    }

    private func tellNowOrLater(
        _ registration: ObserverRegistration, _ willChange: DatabasePreUpdateEvent, _ didChange: DatabaseEvent,
        _ isHeld: Bool
    ) {
        if savepoints.isEmpty {
            tell(registration, willChange, didChange)
        } else if let observer = registration.tableObserver {
            savepoints[savepoints.count - 1].hold(willChange, registration, observer)
        } else if !isHeld {
            hold(.row(registration, willChange.copy(), didChange))
        }
    }

    /// A blob is most often written in many pieces: in a savepoint, one event stands for all that follow each other.
    private func isHeld(_ write: BlobWrite?) -> Bool {
        guard let write, let savepoint = savepoints.last else { return false }
        let events = savepoint.events.reversed().prefix { event in
            if case .row(_, let willChange, _) = event { willChange.include(write) } else { false }
        }
        return !events.isEmpty
    }

    func tell(
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
