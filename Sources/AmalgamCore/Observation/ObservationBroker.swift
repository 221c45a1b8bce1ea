import CAmalgam

/// Stands between SQLite's hooks and the transaction observers of one connection.
///
/// **Rows.** Before a statement runs, observers are asked which of its kinds of change they want. When nobody wants
/// any, the pre-update hook stays uninstalled and row changes cost nothing. Else the hook feeds the interested
/// observers, or the innermost savepoint, which holds the events back until it is released.
///
/// **Transactions.** SQLite calls its commit hook before a commit, and its rollback hook after a rollback, in the
/// middle of the statement that ends the transaction. The connection cannot be used there. So the hooks only note
/// what happened, and observers hear of the end of the transaction when the statement has returned. SQLite does not
/// call the commit hook for transactions that wrote nothing: these are noticed by the end of the transaction.
///
/// An instance belongs to its connection and is used, like it, from one thread at a time.
final class ObservationBroker {
    /// An observer, and how long it is kept.
    final class Registration {
        private weak var weakObserver: (any TransactionObserver)?
        private let strongObserver: (any TransactionObserver)?
        let extent: Database.TransactionObservationExtent
        /// Set by `stopObservingDatabaseChangesUntilNextTransaction()`.
        var ignoresRows = false
        /// Set when the observer is removed: events that wait in a savepoint are not for it any more.
        var isRemoved = false

        init(_ observer: any TransactionObserver, extent: Database.TransactionObservationExtent) {
            self.extent = extent
            weakObserver = observer
            strongObserver = extent == .observerLifetime ? nil : observer
        }

        var observer: (any TransactionObserver)? { strongObserver ?? weakObserver }
    }

    /// An observer, and the changes of one statement that it wants to hear of.
    private struct Interest {
        let registration: Registration
        let eventKinds: [DatabaseEventKind]

        var includesDeletions: Bool { eventKinds.contains { $0.operation == SQLITE_DELETE } }

        func matches(_ operation: CInt, _ table: String) -> Bool {
            eventKinds.contains { $0.operation == operation && $0.tableName == table }
        }
    }

    /// A row event that waits for the end of a savepoint.
    private struct PendingEvent {
        let registration: Registration
        let willChange: DatabasePreUpdateEvent
        let didChange: DatabaseEvent
    }

    private struct Savepoint {
        let name: String
        /// Whether the savepoint is a transaction by itself: its release commits.
        let isTransaction: Bool
        var events: [PendingEvent] = []
    }

    /// What SQLite's hooks said about the transaction, until the statement under way returns.
    private enum TransactionEnd {
        case none
        /// The commit hook let the transaction pass.
        case willCommit
        /// An observer refused the commit.
        case refused(any Error)
        case rolledBack
    }

    private unowned let database: Database
    private var registrations: [Registration] = [] {
        didSet { database.isObserved = !registrations.isEmpty }
    }
    /// One element per statement under way: statements nest when a SQL function runs another one.
    private var running: [[Interest]] = []
    private var savepoints: [Savepoint] = []
    private var transactionEnd = TransactionEnd.none
    /// The names of the table that changed last. SQLite passes the same pointer for all rows of a table.
    private var recentTable: (pointer: UnsafePointer<CChar>, schema: UnsafePointer<CChar>, names: EventNames)?

    init(_ database: Database) {
        self.database = database
    }

    /// The broker that is calling an observer on this thread.
    static var current: ObservationBroker? { currentBroker.value }
    private static let currentBroker = ThreadLocal<ObservationBroker>()

    /// Whether a statement that ended left something to tell.
    var hasNews: Bool {
        if case .none = transactionEnd { false } else { true }
    }

    // MARK: Observers

    func add(_ observer: some TransactionObserver, extent: Database.TransactionObservationExtent) {
        registrations.append(Registration(observer, extent: extent))
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
    }

    private var observers: [any TransactionObserver] { registrations.compactMap(\.observer) }

    // MARK: Rows

    /// Whether somebody wants to hear of the deletions in a table. Then its rows must be deleted one by one.
    func observesDeletions(_ table: String) -> Bool {
        let kind = DatabaseEventKind.delete(tableName: table)
        return registrations.contains { !$0.ignoresRows && $0.observer?.observes(eventsOfKind: kind) == true }
    }

    /// Starts listening to what a statement changes.
    func beginRun(of statement: Statement) {
        let interests = interests(in: statement)
        if interests.contains(where: \.includesDeletions) { statement.requireRowDeletions() }
        running.append(interests)
        updateRowHook()
    }

    /// Stops listening to what the innermost statement changes.
    func endRun() {
        running.removeLast()
        updateRowHook()
    }

    private func updateRowHook() {
        database.reportRows(running.last?.isEmpty == false)
    }

    private func interests(in statement: Statement) -> [Interest] {
        guard statement.changesRows, !registrations.isEmpty else { return [] }
        return registrations.compactMap { registration in
            guard !registration.ignoresRows, let observer = registration.observer else { return nil }
            let kinds = statement.eventKinds.filter { observer.observes(eventsOfKind: $0) }
            return kinds.isEmpty ? nil : Interest(registration: registration, eventKinds: kinds)
        }
    }

    /// SQLite's pre-update hook.
    func rowWillChange(
        _ operation: CInt, schema: UnsafePointer<CChar>, table: UnsafePointer<CChar>,
        oldRowID: Int64, newRowID: Int64, hasRowID: Bool
    ) {
        guard let interests = running.last, !interests.isEmpty, let connection = database.sqliteConnection else {
            return
        }
        let names = names(schema: schema, table: table)
        guard interests.contains(where: { $0.matches(operation, names.table) }) else { return }
        let kind = DatabaseEvent.Kind(rawValue: operation)!
        let willChange = DatabasePreUpdateEvent(
            connection: connection, kind: .init(rawValue: operation)!, names: names,
            initialRowID: hasRowID && kind != .insert ? oldRowID : nil,
            finalRowID: hasRowID && kind != .delete ? newRowID : nil)
        let rowID = kind == .delete ? oldRowID : newRowID
        let didChange = DatabaseEvent(kind: kind, rowID: hasRowID ? rowID : 0, hasRowID: hasRowID, names: names)
        for interest in interests where interest.matches(operation, names.table) {
            if savepoints.isEmpty {
                tell(interest.registration, willChange, didChange)
            } else {
                savepoints[savepoints.count - 1].events.append(
                    PendingEvent(
                        registration: interest.registration, willChange: willChange.copy(), didChange: didChange))
            }
        }
    }

    private func names(schema: UnsafePointer<CChar>, table: UnsafePointer<CChar>) -> EventNames {
        if let recentTable, recentTable.pointer == table, recentTable.schema == schema { return recentTable.names }
        let names = EventNames(schema: String(cString: schema), table: String(cString: table))
        recentTable = (table, schema, names)
        return names
    }

    private func tell(_ registration: Registration, _ willChange: DatabasePreUpdateEvent, _ didChange: DatabaseEvent) {
        guard !registration.ignoresRows, !registration.isRemoved, let observer = registration.observer else { return }
        Self.currentBroker.withValue(self) {
            observer.databaseWillChange(with: willChange)
            if !registration.ignoresRows { observer.databaseDidChange(with: didChange) }
        }
    }

    private func tell(_ events: [PendingEvent]) {
        for event in events { tell(event.registration, event.willChange, event.didChange) }
    }

    // MARK: Savepoints

    private func index(ofSavepoint name: String) -> Int? {
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

    private func savepointsDidChange(_ effect: TransactionEffect, wasInsideTransaction: Bool) {
        switch effect {
        case .savepoint(let name):
            savepoints.append(Savepoint(name: name, isTransaction: !wasInsideTransaction))
        case .release(let name):
            guard let index = index(ofSavepoint: name) else { return }
            let events = savepoints[index...].flatMap(\.events)
            savepoints.removeSubrange(index...)
            if savepoints.isEmpty {
                tell(events)
            } else {
                savepoints[savepoints.count - 1].events += events
            }
        case .rollbackTo(let name):
            guard let index = index(ofSavepoint: name) else { return }
            savepoints.removeSubrange((index + 1)...)
            savepoints[index].events = []
        case .begin, .commit, .rollback:
            break
        }
    }

    // MARK: Transactions

    /// SQLite's commit hook: whether the transaction may be committed.
    func willCommit() -> Bool {
        if registrations.isEmpty { return true }
        do {
            try tellWillCommit()
            transactionEnd = .willCommit
            return true
        } catch {
            transactionEnd = .refused(error)
            return false
        }
    }

    private func tellWillCommit() throws {
        let events = savepoints.flatMap(\.events)
        savepoints = savepoints.map { Savepoint(name: $0.name, isTransaction: $0.isTransaction) }
        tell(events)
        guard !database.isReadOnlyAccess else { return }
        for observer in observers { try observer.databaseWillCommit() }
    }

    /// SQLite's rollback hook. It also comes after a commit that the commit hook refused.
    func didRollback() {
        if !savepoints.isEmpty { savepoints = [] }
        if registrations.isEmpty { return }
        if case .refused = transactionEnd { return }
        transactionEnd = .rolledBack
    }

    /// A statement is about to commit a transaction that wrote nothing: SQLite will not call its hook.
    ///
    /// - throws: the error of an observer that refuses.
    func willCommitEmptyTransaction() throws {
        try tellWillCommit()
    }

    /// A statement has succeeded: tells what happened to the transaction.
    ///
    /// - Parameters:
    ///   - wasInsideTransaction: whether a transaction was open before the statement.
    ///   - endedTransaction: whether the statement led back to autocommit mode.
    func didSucceed(_ effect: TransactionEffect?, wasInsideTransaction: Bool, endedTransaction: Bool) throws {
        if let effect { savepointsDidChange(effect, wasInsideTransaction: wasInsideTransaction) }
        let end = transactionEnd
        transactionEnd = .none
        switch end {
        case .refused(let error):
            tellDidRollback()
            throw error
        case .rolledBack:
            tellDidRollback()
        case .willCommit:
            tellDidCommit()
        case .none:
            if endedTransaction { tellDidCommit() }
        }
    }

    /// A statement has failed: tells what happened to the transaction.
    ///
    /// - Returns: the error of the observer that is at the origin of the failure.
    func didFail() -> (any Error)? {
        let end = transactionEnd
        transactionEnd = .none
        switch end {
        case .refused(let error):
            // SQLite has rolled back. A refused release of a savepoint leaves an empty transaction behind, though:
            // its rollback tells the observers.
            if database.isInsideTransaction { try? database.rollback() } else { tellDidRollback() }
            return error
        case .rolledBack:
            tellDidRollback()
        case .willCommit, .none:
            // A commit that fails (the database is busy) leaves the transaction open.
            break
        }
        return nil
    }

    private func tellDidCommit() {
        endTransaction { $0.databaseDidCommit(database) }
    }

    private func tellDidRollback() {
        endTransaction { $0.databaseDidRollback(database) }
    }

    /// Observers may use the connection here, hence run other transactions: everything about this one is put away
    /// before they are told.
    private func endTransaction(_ tell: (any TransactionObserver) -> Void) {
        savepoints = []
        database.transactionDidEnd()
        let managedTransaction = database.managesTransaction
        database.managesTransaction = false
        defer { database.managesTransaction = managedTransaction }
        if registrations.isEmpty || database.isReadOnlyAccess { return }
        let told = registrations
        registrations.removeAll { $0.extent == .nextTransaction || $0.observer == nil }
        for registration in told { registration.ignoresRows = false }
        // The transaction has ended: a cancellation of the access that made it must not stop what observers do now.
        // Nor must the sandbox in which it ended.
        database.remote.sparing {
            database.withoutAuthorizer {
                for registration in told {
                    if let observer = registration.observer { tell(observer) }
                }
            }
        }
    }
}
