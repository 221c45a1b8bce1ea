/// The registration of an observer on a connection.
final class ObserverRegistration {
    private unowned let database: Database
    private weak var weakObserver: (any TransactionObserver)?
    private let strongObserver: (any TransactionObserver)?
    let extent: Database.TransactionObservationExtent

    /// The observer, if it is a table observer, which receives row changes in savepoints immediately.
    private let strongTableObserver: (any TableObserver)?

    /// Whether the observer is asked about the kinds of events. If not, it receives all row events.
    private let requiresEventKind: Bool

    /// Set by `stopObservingDatabaseChangesUntilNextTransaction()`.
    var ignoresRows = false

    /// Set when the observer is removed, so that it doesn't receive events that a savepoint has deferred.
    var isRemoved = false

    init(_ observer: any TransactionObserver, of database: Database, extent: Database.TransactionObservationExtent) {
        self.database = database
        self.extent = extent
        requiresEventKind = observer.databaseEventObservationStrategy.requiresDatabaseEventKind
        weakObserver = observer
        strongObserver = extent == .observerLifetime ? nil : observer
        strongTableObserver = strongObserver as? any TableObserver
    }

    var observer: (any TransactionObserver)? { strongObserver ?? weakObserver }

    /// The observer; nil while it doesn't receive row events.
    var rowObserver: (any TransactionObserver)? { ignoresRows || isRemoved ? nil : observer }

    /// The observer, if it is a table observer; nil while it doesn't receive row events.
    var tableObserver: (any TableObserver)? { ignoresRows || isRemoved ? nil : strongTableObserver }

    /// The observer, if it receives schema changes.
    var schemaObserver: (any TableObserver)? { isRemoved ? nil : strongTableObserver }

    /// Whether the observer receives all row events, whether foreseen or not.
    var observesAllEvents: Bool { !requiresEventKind && rowObserver != nil }

    func observes(_ kind: DatabaseEventKind) -> Bool {
        guard let rowObserver else { return false }
        return requiresEventKind ? database.insideHook { rowObserver.observes(eventsOfKind: kind) } : true
    }
}
