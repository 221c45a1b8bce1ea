/// A savepoint, and the events that are deferred until its release.
struct ObservedSavepoint {
    let name: String
    /// Whether the savepoint has begun the transaction: its release commits.
    let isTransaction: Bool
    /// The events that observers receive when the savepoint is released.
    var events: [Event] = []

    /// The objects in which table observers collect the deferred rows.
    var deferredRows: [(registration: ObserverRegistration, object: AnyObject)] = []

    /// Passes a row change to a table observer, and stores the object in which the observer collects its changes.
    mutating func deferRow(
        _ event: DatabasePreUpdateEvent, _ registration: ObserverRegistration, _ observer: any TableObserver
    ) {
        if let index = deferredRows.firstIndex(where: { $0.registration === registration }) {
            deferredRows[index].object =
                observer.deferChange(event, deferredRows[index].object) ?? deferredRows[index].object
        } else if let object = observer.deferChange(event, nil) {
            deferredRows.append((registration, object))
        }
    }

    enum Event {
        case row(ObserverRegistration, DatabasePreUpdateEvent, DatabaseEvent)
        case change(ObserverRegistration, [DatabaseEventKind])
    }
}
