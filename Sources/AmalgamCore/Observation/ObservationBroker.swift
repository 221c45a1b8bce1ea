/// Stands between SQLite's hooks and the transaction observers of one connection.
///
/// **Rows.** Before a statement runs, observers are asked which of its kinds of change they want. When nobody wants
/// any, the pre-update hook is not installed during the run, and row changes cost nothing. Else the hook feeds the
/// interested observers, or the innermost savepoint, which holds the events back until it is released. Answers are kept
/// until the transaction ends: see ``StatementListeners``.
///
/// **Transactions.** SQLite calls its commit hook before a commit, and its rollback hook after a rollback, in the
/// middle of the statement that ends the transaction. The connection cannot be used there. So the hooks only note
/// what happened, and observers hear of the end of the transaction when the statement has returned. SQLite does not
/// call the commit hook for transactions that wrote nothing: these are noticed by the end of the transaction.
///
/// An instance belongs to its connection and is used, like it, from one thread at a time.
final class ObservationBroker {
    /// What SQLite's hooks said about the transaction, until the statement under way returns.
    enum TransactionEnd {
        case none
        /// The commit hook let the transaction pass.
        case willCommit
        /// An observer refused the commit.
        case refused(any Error)
        case rolledBack
    }

    // Unsafe for speed: the database owns its broker.
    unowned(unsafe) var database: Database!
    var registrations: [ObserverRegistration] = [] { didSet { registrationsDidChange() } }

    /// Grows when answers of observers may have become stale: with the list of observers, transactions and the schema.
    var generation: UInt64 = 0

    /// The innermost statement under way. Statements nest when a SQL function runs another one.
    var run: ObservedRun?

    /// The statements around the innermost one.
    var outerRuns: [ObservedRun] = []

    /// The listeners of unattributed changes, which no statement of the library makes.
    var unattributedListeners: StatementListeners?

    var savepoints: [ObservedSavepoint] = []

    /// How many savepoints were open when each changeset that is being applied began.
    var applicationSavepoints: [Int] = []

    var transactionEnd = TransactionEnd.none

    let liveRow = LiveRow()

    /// The broker that is calling an observer on this thread.
    static var current: ObservationBroker? { currentBroker.value }
    static let currentBroker = ThreadLocal<ObservationBroker>()

    /// Whether observers have to be notified of the end of a transaction.
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
