/// A savepoint, with the events that wait for its end.
struct ObservedSavepoint {
    let name: String
    /// Whether the savepoint is a transaction by itself: its release commits.
    let isTransaction: Bool
    /// What observers are told once the savepoint is released.
    var events: [Event] = []

    /// What observers that decide at once about rows will want to know then.
    var held: [(registration: ObserverRegistration, object: AnyObject)] = []

    /// A row changes.
    mutating func hold(
        _ event: DatabasePreUpdateEvent, _ registration: ObserverRegistration, _ observer: any TableObserver
    ) {
        if let index = held.firstIndex(where: { $0.registration === registration }) {
            held[index].object = observer.hold(event, held[index].object) ?? held[index].object
        } else if let object = observer.hold(event, nil) {
            held.append((registration, object))
        }
    }

    enum Event {
        case row(ObserverRegistration, DatabasePreUpdateEvent, DatabaseEvent)
        case change(ObserverRegistration, [DatabaseEventKind])
    }
}
