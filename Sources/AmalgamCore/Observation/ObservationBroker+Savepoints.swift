// Savepoints, and the events that they defer.
extension ObservationBroker {
    func index(ofSavepoint name: String) -> Int? {
        savepoints.lastIndex { $0.name.equalsIgnoringCase(name) }
    }

    /// Whether a statement with this effect commits the transaction.
    func endsTransaction(_ effect: TransactionEffect?) -> Bool {
        switch effect {
        case .commit: true
        case .release(let name): index(ofSavepoint: name) == 0 && savepoints[0].isTransaction
        default: false
        }
    }

    func savepointsDidChange(_ effect: TransactionEffect, wasInsideTransaction: Bool) {
        switch effect {
        case .savepoint(let name):
            savepoints.append(ObservedSavepoint(name: name, isTransaction: !wasInsideTransaction))
        case .release(let name):
            guard let index = index(ofSavepoint: name) else { return }
            let released = savepoints[index...]
            savepoints.removeSubrange(index...)
            if savepoints.isEmpty { return notify(released) }
            savepoints[savepoints.count - 1].events += released.flatMap(\.events)
            savepoints[savepoints.count - 1].deferredRows += released.flatMap(\.deferredRows)
        case .rollbackTo(let name):
            guard let index = index(ofSavepoint: name) else { return }
            savepoints.removeSubrange((index + 1)...)
            savepoints[index].events = []
            savepoints[index].deferredRows = []
        case .begin, .commit, .rollback:
            break
        }
    }

    func deferEvent(_ event: ObservedSavepoint.Event) { savepoints[savepoints.count - 1].events.append(event) }

    /// Notifies observers of the changes that released savepoints have deferred.
    func notify(_ released: ArraySlice<ObservedSavepoint>) {
        for (registration, object) in released.flatMap(\.deferredRows) {
            registration.tableObserver?.databaseDidChange(deferred: object)
        }
        for event in released.flatMap(\.events) {
            switch event {
            case .row(let registration, let willChange, let didChange): notify(registration, willChange, didChange)
            case .change(let registration, let kinds): notifyOfChange(registration, kinds)
            }
        }
    }
}
