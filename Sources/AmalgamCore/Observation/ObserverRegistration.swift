/// An observer of a connection, and how long it is kept.
final class ObserverRegistration {
    private unowned let database: Database
    private weak var weakObserver: (any TransactionObserver)?
    private let strongObserver: (any TransactionObserver)?
    let extent: Database.TransactionObservationExtent

    /// The observer, if it decides at once about rows in savepoints.
    private let strongTableObserver: (any TableObserver)?

    /// Whether the observer receives all row events, and isn't asked about their kinds.
    private let requiresEventKind: Bool

    /// Set by `stopObservingDatabaseChangesUntilNextTransaction()`.
    var ignoresRows = false

    /// Set when the observer is removed: events that wait in a savepoint are not for it any more.
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

    /// The observer, as long as it wants to hear of rows.
    var rowObserver: (any TransactionObserver)? { ignoresRows || isRemoved ? nil : observer }

    /// The observer, as long as it wants to hear of rows, if it decides at once about those in savepoints.
    var tableObserver: (any TableObserver)? { ignoresRows || isRemoved ? nil : strongTableObserver }

    /// The observer, if it wants to hear of the schema.
    var schemaObserver: (any TableObserver)? { isRemoved ? nil : strongTableObserver }

    /// Whether the observer receives all row events, foreseen or not.
    var observesAllEvents: Bool { !requiresEventKind && rowObserver != nil }

    func observes(_ kind: DatabaseEventKind) -> Bool {
        guard let rowObserver else { return false }
        return requiresEventKind ? database.insideHook { rowObserver.observes(eventsOfKind: kind) } : true
    }
}
