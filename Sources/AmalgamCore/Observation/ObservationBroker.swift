import CAmalgam

/// Stands between SQLite's hooks and the transaction observers of one connection.
///
/// **Rows.** Before a statement runs, observers are asked which of its kinds of change they want. When nobody wants
/// any, the pre-update hook is not installed during the run, and row changes cost nothing. Else the hook feeds the
/// interested observers, or the innermost savepoint, which holds the events back until it is released. Answers are kept
/// until the transaction ends: see ``Audience``.
///
/// **Transactions.** SQLite calls its commit hook before a commit, and its rollback hook after a rollback, in the
/// middle of the statement that ends the transaction. The connection cannot be used there. So the hooks only note
/// what happened, and observers hear of the end of the transaction when the statement has returned. SQLite does not
/// call the commit hook for transactions that wrote nothing: these are noticed by the end of the transaction.
///
/// An instance belongs to its connection and is used, like it, from one thread at a time.
final class ObservationBroker {
    /// An event that waits for the end of a savepoint.
    private enum PendingEvent {
        case row(ObserverRegistration, DatabasePreUpdateEvent, DatabaseEvent)
        case change(ObserverRegistration)
    }

    /// A statement under way, or C code that changes rows without a statement of ours.
    private struct Run {
        let audience: Audience
        var statement: SQLiteStatement?
        /// The count of changes that those who hear of virtual tables were told of.
        var changesTold: Int64 = 0

        /// Those who must be told of changes in virtual tables.
        mutating func listenersToTell() -> [ObserverRegistration] {
            guard !audience.listenersWithoutRows.isEmpty, let statement else { return [] }
            let changes = amalgam_changes_so_far(statement)
            guard changes != changesTold else { return [] }
            changesTold = changes
            return audience.listenersWithoutRows
        }
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

    // Unsafe for speed: the database owns its broker.
    unowned(unsafe) var database: Database!
    private var registrations: [ObserverRegistration] = [] { didSet { registrationsDidChange() } }

    // None of these is used while it changes: a connection is used from one thread at a time, and observers are called
    // when the broker is at rest.

    /// Grows when answers of observers may have become stale: with the list of observers, transactions and the schema.
    @exclusivity(unchecked)
    private var generation: UInt64 = 0

    /// The innermost statement under way. Statements nest when a SQL function runs another one.
    @exclusivity(unchecked)
    private var run: Run?

    /// The statements around the innermost one.
    @exclusivity(unchecked)
    private var outerRuns: [Run] = []

    /// Those who hear of changes that no statement of ours makes.
    private var strayAudience: Audience?

    @exclusivity(unchecked)
    private var savepoints: [Savepoint] = []

    /// How many savepoints were open when each changeset that is being applied began.
    private var applicationSavepoints: [Int] = []

    @exclusivity(unchecked)
    private var transactionEnd = TransactionEnd.none

    private let liveRow = LiveRow()

    /// The broker that is calling an observer on this thread.
    static var current: ObservationBroker? { currentBroker.value }
    private static let currentBroker = ThreadLocal<ObservationBroker>()

    /// Whether a statement that ended left something to tell.
    var hasNews: Bool {
        if case .none = transactionEnd { false } else { true }
    }

    // MARK: Observers

    func add(_ observer: some TransactionObserver, extent: Database.TransactionObservationExtent) {
        registrations.append(ObserverRegistration(observer, extent: extent))
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

    private var observers: [any TransactionObserver] { registrations.compactMap(\.observer) }

    // MARK: Rows

    /// Whether somebody wants to hear of the deletions in a table. Then its rows must be deleted one by one.
    func observesDeletions(_ table: String) -> Bool {
        let kind = DatabaseEventKind.delete(tableName: table)
        return registrations.contains { $0.observes(kind) }
    }

    /// Whether it is known that nobody wants to hear of what a statement changes.
    func isUnheard(_ statement: Statement) -> Bool {
        guard let audience = statement.audience, audience.generation == generation else { return false }
        return audience.isEmpty
    }

    /// Starts listening to what a statement changes.
    func beginRun(of statement: Statement) {
        let audience = audience(of: statement)
        if audience.includesDeletions { statement.requireRowDeletions() }
        var run = Run(audience: audience, statement: statement.sqliteStatement)
        if !audience.listenersWithoutRows.isEmpty {
            run.changesTold = amalgam_changes_so_far(statement.sqliteStatement)
        }
        begin(run)
        database.reportRows(!audience.isEmpty)
    }

    /// Starts listening to C code that changes rows without a statement of ours.
    func beginStrayRun() {
        begin(Run(audience: currentStrayAudience))
        database.reportRows(true)
    }

    /// Starts listening to a write through a blob handle, which ends with `endRun()`.
    ///
    /// - Parameter audience: that of the last write through the blob.
    /// - Returns: the audience of this one.
    func beginRun(of write: BlobWrite, _ kind: DatabaseEventKind, _ audience: Audience?) -> Audience {
        let isCurrent = audience?.generation == generation
        let audience =
            isCurrent
            ? audience!
            : Audience(
                foreseenKinds: [kind], virtualTables: [], registrations: registrations, generation: generation)
        begin(Run(audience: audience))
        liveRow.blobWrite = write
        database.reportRows(!audience.isEmpty)
        return audience
    }

    private func begin(_ newRun: Run) {
        if let run { outerRuns.append(run) }
        run = newRun
    }

    /// Starts listening to what SQLite changes by itself while it applies a changeset: its statements are not known.
    func beginApplication() {
        applicationSavepoints.append(savepoints.count)
        beginStrayRun()
    }

    func endApplication() {
        applicationSavepoints.removeLast()
        endRun()
    }

    /// Whether a statement leaves alone the transaction and the savepoints that a changeset is being applied in.
    func sparesApplication(_ effect: TransactionEffect) -> Bool {
        guard let count = applicationSavepoints.last else { return true }
        switch effect {
        case .begin, .savepoint: return true
        case .commit, .rollback: return false
        case .release(let name), .rollbackTo(let name): return index(ofSavepoint: name).map { $0 >= count } ?? true
        }
    }

    /// SQLite begins or ends a savepoint by itself while it applies a changeset.
    func savepointWillChange(_ operation: String, _ name: String) {
        switch operation {
        case "BEGIN": savepointsDidChange(.savepoint(name), wasInsideTransaction: database.isInsideTransaction)
        case "RELEASE": savepointsDidChange(.release(name), wasInsideTransaction: true)
        default: savepointsDidChange(.rollbackTo(name), wasInsideTransaction: true)
        }
    }

    /// Stops listening to what the innermost statement changes.
    func endRun() {
        liveRow.blobWrite = nil
        if run?.audience.listenersWithoutRows.isEmpty == false { tellChangesWithoutRows() }
        run = outerRuns.popLast()
        updateRowHook()
    }

    /// Between statements, the hook is there for changes that no statement of ours makes.
    private func updateRowHook() {
        if let run {
            database.reportRows(run.statement == nil || !run.audience.isEmpty)
        } else {
            database.reportRows(!registrations.isEmpty)
        }
    }

    private func audience(of statement: Statement) -> Audience {
        if let audience = statement.audience, audience.generation == generation { return audience }
        let audience = Audience(
            foreseenKinds: statement.eventKinds, virtualTables: statement.changedVirtualTables,
            registrations: registrations, generation: generation)
        statement.audience = audience
        return audience
    }

    private var currentStrayAudience: Audience {
        if let strayAudience, strayAudience.generation == generation { return strayAudience }
        let audience = Audience(
            foreseenKinds: [], virtualTables: [], registrations: registrations, generation: generation)
        strayAudience = audience
        return audience
    }

    /// The schema has changed: names of tables are at other places.
    func schemaDidChange() {
        generation &+= 1
        run?.audience.schemaDidChange()
        for run in outerRuns { run.audience.schemaDidChange() }
    }

    /// A statement is compiled again in the middle of its run, because another connection has changed the schema. It
    /// may fire other triggers now.
    func statementRecompiles() {
        schemaDidChange()
        if run != nil && !registrations.isEmpty { database.reportRows(true) }
    }

    /// SQLite's pre-update hook.
    func rowWillChange(_ change: RowChange) {
        guard !registrations.isEmpty, let connection = database.sqliteConnection else { return }
        let route = run?.audience.route(of: change) ?? currentStrayAudience.route(of: change)
        if route.isEmpty { return }
        liveRow.begin(connection)
        if !isHeld(liveRow.blobWrite) { tell(change, route) }
        liveRow.end()
    }

    private func tell(_ change: RowChange, _ route: Audience.Route) {
        let willChange = DatabasePreUpdateEvent(liveRow, change, route.table)
        let didChange = DatabaseEvent(change, route.table.names)
        if let listener = route.onlyListener { return tellNowOrLater(listener, willChange, didChange) }
        for listener in route.listeners ?? listeners(of: willChange) {
            tellNowOrLater(listener, willChange, didChange)
        }
    }

    /// Those who want to hear of an update that was not foreseen: its columns are known by its values only.
    private func listeners(of update: DatabasePreUpdateEvent) -> [ObserverRegistration] {
        var columns = Set(update.columnChanges.map(\.columnName))
        if update.initialRowID != update.finalRowID { columns.insert("ROWID") }
        let kind = DatabaseEventKind.update(tableName: update.tableName, columnNames: columns)
        return registrations.filter { $0.observes(kind) }
    }

    private func tellNowOrLater(
        _ registration: ObserverRegistration, _ willChange: DatabasePreUpdateEvent, _ didChange: DatabaseEvent
    ) {
        if savepoints.isEmpty {
            tell(registration, willChange, didChange)
        } else {
            hold(.row(registration, willChange.copy(), didChange))
        }
    }

    /// A blob is most often written in many pieces: in a savepoint, one event stands for all that follow each other.
    private func isHeld(_ write: BlobWrite?) -> Bool {
        guard let write, let savepoint = savepoints.last else { return false }
        let events = savepoint.events.reversed().prefix { event in
            if case .row(_, let willChange, _) = event { willChange.include(write) } else { false }
        }
        return !events.isEmpty
    }

    private func hold(_ event: PendingEvent) { savepoints[savepoints.count - 1].events.append(event) }

    private func tell(
        _ registration: ObserverRegistration, _ willChange: DatabasePreUpdateEvent, _ didChange: DatabaseEvent
    ) {
        guard let observer = registration.rowObserver else { return }
        Self.currentBroker.withValue(self) {
            observer.databaseWillChange(with: willChange)
            if !registration.ignoresRows { observer.databaseDidChange(with: didChange) }
        }
    }

    private func tell(_ events: [PendingEvent]) {
        for event in events {
            switch event {
            case .row(let registration, let willChange, let didChange): tell(registration, willChange, didChange)
            case .change(let registration): tellOfChange(registration)
            }
        }
    }

    // MARK: Changes without rows

    /// Tells of changes in virtual tables, whose rows are not known, once the statements under way have made some.
    private func tellChangesWithoutRows() {
        for index in outerRuns.indices {
            for listener in outerRuns[index].listenersToTell() { tellOfChangeNowOrLater(listener) }
        }
        for listener in run?.listenersToTell() ?? [] { tellOfChangeNowOrLater(listener) }
    }

    /// Tells of changes whose rows are not known.
    ///
    /// - Parameter kinds: the kinds of change that may have happened.
    func notifyChanges(_ kinds: [DatabaseEventKind]) {
        for registration in registrations where kinds.contains(where: registration.observes) {
            tellOfChangeNowOrLater(registration)
        }
    }

    /// The content of the database is another one, by a transaction that SQLite does not tell of.
    ///
    /// - Parameter kinds: the kinds of change that may have happened.
    func contentWasReplaced(_ kinds: [DatabaseEventKind]) {
        notifyChanges(kinds)
        transactionEnd = .none
        tellDidCommit()
    }

    private func tellOfChangeNowOrLater(_ registration: ObserverRegistration) {
        if savepoints.isEmpty { tellOfChange(registration) } else { hold(.change(registration)) }
    }

    private func tellOfChange(_ registration: ObserverRegistration) {
        guard let observer = registration.rowObserver else { return }
        Self.currentBroker.withValue(self) { observer.databaseDidChange() }
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
        tellChangesWithoutRows()
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
        generation &+= 1
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
