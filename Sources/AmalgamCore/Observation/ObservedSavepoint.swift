/// A savepoint, with the events that wait for its end.
struct ObservedSavepoint {
    let name: String
    /// Whether the savepoint is a transaction by itself: its release commits.
    let isTransaction: Bool
    /// What observers are told once the savepoint is released.
    var events: [Event] = []

    enum Event {
        case row(ObserverRegistration, DatabasePreUpdateEvent, DatabaseEvent)
        case change(ObserverRegistration, [DatabaseEventKind])
    }
}
