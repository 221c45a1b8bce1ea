/// Forwards the events of SQLite's hooks to the transaction observers of one connection.
///
/// **Rows.** Before a statement runs, the broker asks the observers which of its kinds of change they observe. If there
/// are any, the pre-update hook reports rows to them, or to the innermost savepoint, which defers events until it is
/// released. Otherwise the hook isn't installed. Answers are cached for one transaction: see ``StatementListeners``.
///
/// **Transactions.** SQLite calls its commit and rollback hooks during the statement that ends the transaction, when
/// the connection can't be used. The hooks only set `transactionEnd`, and the observers are notified after the
/// statement. SQLite calls no commit hook for a transaction that wrote nothing: its end is noticed by autocommit mode.
///
/// Used from one thread at a time, like its connection.
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

    /// Incremented when answers of observers may be outdated: after changes of the observers, transactions or schema.
    var generation: UInt64 = 0

    /// The innermost running statement. Statements nest when a SQL function runs a statement.
    var run: ObservedRun?

    /// The statements outside of the innermost one.
    var outerRuns: [ObservedRun] = []

    /// The listeners of unattributed changes, which aren't made by a statement of the library.
    var unattributedListeners: StatementListeners?

    var savepoints: [ObservedSavepoint] = []

    /// For each changeset that is being applied, the number of savepoints that were open when it began.
    var applicationSavepoints: [Int] = []

    var transactionEnd = TransactionEnd.none

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
