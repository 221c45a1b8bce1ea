/// Forwards the events of SQLite's hooks to the transaction observers of one connection, on the connection's thread.
///
/// Before a statement runs, the broker asks the observers which row changes of the statement they observe, and installs
/// the pre-update hook if they observe any. Answers are cached for one transaction (``StatementListeners``). Events in
/// a savepoint are deferred until its release. SQLite calls the commit and rollback hooks inside a statement, when the
/// connection can't be used: these hooks only set `transactionEnd`, and observers are notified after the statement. If
/// a transaction wrote nothing, SQLite calls no commit hook: the return to autocommit mode shows its end.
final class ObservationBroker {
    /// What SQLite's hooks have reported about the transaction, until the running statement returns.
    enum TransactionEnd {
        case none
        /// The commit hook has accepted the commit.
        case willCommit
        /// An observer has refused the commit.
        case refused(any Error)
        case rolledBack
    }

    // Unsafe, for speed: the database owns its broker.
    unowned(unsafe) var database: Database!
    var registrations: [ObserverRegistration] = [] { didSet { registrationsDidChange() } }

    /// Incremented when cached answers of observers become invalid: observers, transaction or schema have changed.
    var generation: UInt64 = 0

    /// The innermost running statement. Statements nest when a SQL function runs a statement.
    var run: ObservedRun?

    /// The statements outside of the innermost one.
    var outerRuns: [ObservedRun] = []

    /// The listeners of unattributed changes, which aren't made by a statement of the library.
    var unattributedListeners: StatementListeners?

    /// The kinds of change in virtual tables that statements of SQLite make in the innermost run.
    var unforeseenKinds: [DatabaseEventKind] = []

    var savepoints: [ObservedSavepoint] = []

    /// For each changeset that is being applied, the number of savepoints that were open when it began.
    var applicationSavepoints: [Int] = []

    var transactionEnd = TransactionEnd.none

    /// What has happened since a commit by C code of which observers haven't been notified.
    var pendingCommit = PendingCommit()

    /// Whether observers can't use the connection when they are notified of the end of a transaction.
    var deniesConnection = false

    /// The number of transactions of whose end observers were notified.
    private(set) var transactionEndCount: UInt64 = 0

    func transactionDidEnd() {
        transactionEndCount &+= 1
        hasRowChanges = false
        pendingCommit = PendingCommit()
    }

    /// Whether a row has changed since the last end of a transaction.
    private(set) var hasRowChanges = false

    func rowDidChange() { hasRowChanges = true }

    /// The number of calls of SQLite's commit and rollback hooks, also by statements of C code.
    private(set) var endHookCount: UInt64 = 0

    func endHookWasCalled() { endHookCount &+= 1 }

    let liveRow = LiveRow()

    /// The broker that is calling an observer on this thread.
    static var current: ObservationBroker? { currentBroker.value }
    static let currentBroker = ThreadLocal<ObservationBroker>()

    /// Whether observers must still be notified of the end of a transaction.
    var hasPendingNotifications: Bool {
        if case .none = transactionEnd { false } else { true }
    }

    // MARK: Observers

    func add(_ observer: some TransactionObserver, extent: Database.TransactionObservationExtent) {
        registrations.append(ObserverRegistration(observer, of: database, extent: extent))
    }

    func remove(_ observer: some TransactionObserver) {
        for registration in registrations where registration.observer === observer { registration.isRemoved = true }
        registrations.removeAll { $0.observer == nil || $0.isRemoved }
    }

    func removeAll() { registrations = [] }

    func disableUntilNextTransaction(_ observer: some TransactionObserver) {
        for registration in registrations where registration.observer === observer {
            registration.ignoresRows = true
        }
        generation &+= 1
    }

    private func registrationsDidChange() {
        generation &+= 1
        database.observersDidChange()
        updateRowHook()
    }

    var hasObservers: Bool { !registrations.isEmpty }

    var observers: [any TransactionObserver] { registrations.compactMap(\.observer) }
}
