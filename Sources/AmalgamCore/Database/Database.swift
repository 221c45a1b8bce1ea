import CAmalgam
import Dispatch
import Foundation
public import Synchronization

/// A connection to a database: where SQL runs.
///
/// You get one from a `DatabaseQueue` or `DatabasePool`, for the time of an access:
///
/// ```swift
/// try dbQueue.write { db in
///     try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Anna"])
///     let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
/// }
/// ```
///
/// A connection is used from one thread at a time. Methods that can throw throw `SQLITE_MISUSE` when they are called
/// outside of an access.
public final class Database: CustomStringConvertible, CustomDebugStringConvertible {
    // Everything here is used by the thread that holds the access, except `owner` and `connection`, which
    // `interrupt()` needs from any thread.

    /// The configuration of the connection. `readonly` is true for the readers of a pool.
    public let configuration: Configuration

    /// The path of the database file, `:memory:`, or a URI.
    package let path: String

    /// The name of the connection, for debugging.
    public let description: String

    public var debugDescription: String { "<Database: \(description)>" }

    /// The raw C connection; nil once it is closed.
    @exclusivity(unchecked)  // It is not used while it changes.
    public private(set) var sqliteConnection: SQLiteConnection?

    /// The thread that has access to the connection, 0 for none. Used only to report misuse.
    @usableFromInline
    let owner = Atomic<UInt>(0)

    /// What other threads may ask of the connection.
    package let interrupter: Interrupter

    /// Statements released on other threads.
    let deferredReleases = DeferredReleases()

    /// What must be looked at before the connection is used.
    @exclusivity(unchecked)  // It is not used while it changes.
    var conditions: AccessConditions = []

    /// Whether the connection is given its first content, which also those have that are read-only later.
    var isBeingFilled = false

    /// Told of commits to the WAL file; nil unless somebody wants to know.
    @exclusivity(unchecked)  // It is not used while it changes.
    var walCommitHook: WALCommitHook? {
        didSet { observersDidChange() }
    }

    @exclusivity(unchecked)  // It is not used while it changes.
    package internal(set) var hooks: OpaquePointer? {
        didSet { if let hooks { schemaState = SchemaState(hooks) } }
    }

    /// Objects of SQLite that live on the connection and must go before it: sessions.
    package let resources = ConnectionResources()

    /// Changesets that are being applied.
    var applications = ChangesetApplications()

    let observationBroker = ObservationBroker()

    /// Functions and collations written in Swift.
    let functionRegistry = FunctionRegistry()

    /// Whether there are observers, sessions or a recorder of rows: without any, statements run without bookkeeping.
    @exclusivity(unchecked)  // As the next one: it is not used while it changes.
    private(set) var isObserved = false

    /// Observers come and go.
    package func observersDidChange() {
        isObserved =
            observationBroker.hasObservers || walCommitHook != nil || rowRecorder != nil
            || hooks.map { amalgam_has_sessions($0) != 0 } ?? false
    }

    /// The recorder of row changes, if any.
    @exclusivity(unchecked)  // It is not used while it changes.
    package var rowRecorder: (any RowChangeRecorder)? {
        didSet { observersDidChange() }
    }

    /// Statements given to the user by `cachedStatement(sql:)`.
    var publicStatements = StatementCache(capacity: 256)

    /// Statements behind the methods that take plain SQL.
    var internalStatements = StatementCache(capacity: 128)
    var recentSQL = RecentSQL(capacity: 64)

    /// Where the arguments of the statement under way are.
    @exclusivity(unchecked)  // None of its methods calls anything else.
    var argumentMemory = ArgumentMemory()
    /// Who decides what statements may do; nil when they may do everything.
    var authorizerScope: AuthorizerScope? {
        didSet {
            scope = authorizerScope?.number ?? 0
            setPolicy(hooks, isOn: scope != 0)
        }
    }

    /// The number of `authorizerScope`; 0 for none.
    @exclusivity(unchecked)  // It is not used while it changes.
    private(set) var scope = 0

    /// How many scopes there have been.
    var authorizerScopeCount = 0

    /// Limits of time and the like, once somebody has set one.
    var progressMonitor: ProgressMonitor?

    /// Nesting of closures that SQLite calls, and that must not use the connection.
    var callbackDepth = 0

    /// BEGIN, COMMIT and the like.
    @exclusivity(unchecked)  // None of its methods calls anything else.
    var controlStatements = ControlStatements()

    /// What a virtual table has to say of the error that SQLite is about to report.
    package var pendingCallbackError: PendingCallbackError?

    var busyCallback: BusyCallback?
    var tracers = Tracers()

    /// What was read since somebody began to record it: see `recordingAccess`.
    @exclusivity(unchecked)  // It is not used while it changes.
    var accessedRegion: DatabaseRegion?

    /// Whether what was read is recorded for later readings as well: see `recordingAccess`.
    package internal(set) var recordsConstantAccess = false

    /// The rows that the statement of a request is known to read, while it is recorded.
    var knownRead: KnownRead?

    /// The state of the schemas: what is known of statements and tables is valid for one state.
    private(set) var schemaState: SchemaState!

    /// What look-ups have found out about tables and views.
    var schemaCache = SchemaCache()

    /// What the application knows about the schema beyond SQLite; nil when it knows nothing.
    public private(set) var schemaSource: (any DatabaseSchemaSource)?

    func setSchemaSource(_ schemaSource: (any DatabaseSchemaSource)?) {
        self.schemaSource = schemaSource
        schemaCache.removeKeysOfViews()
    }

    /// Whether SQLite has rolled a transaction back since this was last looked at.
    var wasRolledBack = false

    /// What other features keep on the connection.
    var attachments = Attachments()

    /// Whether a transaction is open that a statement has begun.
    var hasBegunTransaction = false

    /// Whether an interruption has ended a transaction that the application has not rolled back since.
    var hasAbortedTransaction = false

    /// Begins the transaction of a snapshot; nil for a connection that doesn't see it any more without its transaction.
    package var openSnapshot: ((Database) throws -> Void)?

    /// Nesting of `readOnly`.
    var readOnlyDepth = 0

    /// What `PRAGMA query_only` was before.
    var wasQueryOnly = false

    /// The date of the current transaction, once it was asked for.
    @exclusivity(unchecked)  // It is not used while it changes.
    var currentTransactionDate: Date?

    /// Opens a connection, and prepares it.
    ///
    /// - Parameters:
    ///   - uri: whether the path is a URI: <https://sqlite.org/uri.html>.
    ///   - content: gives a new database its content, before it is prepared. A read-only connection may write here,
    ///     only.
    package init(
        path: String, description: String, configuration: Configuration, isURI: Bool = false,
        content: ((Database) throws -> Void)? = nil
    ) throws {
        try SQLiteBuild.verify()
        self.path = path
        self.description = description
        self.configuration = configuration
        let isReadonly = configuration.readonly && content == nil
        schemaSource = configuration.schemaSource
        let connection = try Self.open(path, isReadonly: isReadonly, isURI: isURI)
        sqliteConnection = connection
        interrupter = Interrupter(connection)
        observationBroker.database = self
        functionRegistry.database = self
        claim()
        do {
            try setUp(content)
        } catch {
            close()
            throw error
        }
    }

    deinit {
        // A connection that is released without a call of `close` leaves nothing behind, whatever is still alive.
        if sqliteConnection != nil { close() }
    }

    // MARK: Access

    /// Gives the current thread access to the connection.
    package func claim() {
        owner.store(ThreadID.current.rawValue, ordering: .relaxed)
        if deferredReleases.drain() { try? didEndRun() }
    }

    /// Ends the access of the current thread.
    package func release() {
        notifyPendingTransactionEnd()
        forgetAbortedTransaction()
        attachments.forEach { $0.accessDidEnd() }
        owner.store(0, ordering: .relaxed)
    }

    /// Whether the current thread has access to the connection.
    package var isAccessible: Bool { isOwned(by: ThreadID.current.rawValue) }

    private func isOwned(by thread: UInt) -> Bool { owner.load(ordering: .relaxed) == thread }

    /// Whether the current thread may move a cursor: it has access, and SQLite isn't calling a closure in which the
    /// connection can't be used.
    @usableFromInline
    var mayStep: Bool { isAccessible && !isInsideHook && callbackDepth == 0 }

    /// Finalizes a statement, now or at the next access.
    func finalize(_ statement: SQLiteStatement) {
        if isAccessible && sqliteConnection != nil {
            sqlite3_finalize(statement)
        } else {
            deferredReleases.finalize(statement)
        }
    }

    /// Releases the objects whose release was deferred to the end of a hook.
    func performDeferredReleases() {
        if !isInsideHook && callbackDepth == 0 && !isRecordingSessions && deferredReleases.drain() { try? didEndRun() }
    }

    // MARK: Unattributed changes

    /// Runs C code that may change rows, or end the transaction, without a statement of the library.
    func withUnattributedChanges<T>(_ body: () throws -> T) throws -> T {
        guard isObserved else { return try body() }
        let result: T
        do {
            observationBroker.beginUnattributedRun()
            defer { observationBroker.endRun() }
            result = try body()
        } catch {
            throw observationBroker.hasPendingNotifications ? observationBroker.didFail() ?? error : error
        }
        try observationBroker.didSucceed(nil, wasInsideTransaction: isInsideTransaction, endedTransaction: false)
        return result
    }

    /// Notifies observers of transactions that C code has ended by itself.
    private func notifyPendingTransactionEnd() {
        guard isObserved, observationBroker.hasPendingNotifications else { return }
        try? observationBroker.didSucceed(nil, wasInsideTransaction: isInsideTransaction, endedTransaction: false)
    }

    // MARK: Closing

    /// Whether the connection is closed, or refuses all use because it is about to be.
    package var isClosed: Bool { conditions[.closed] }

    /// Refuses all use from now on, for a connection that is closed once others are.
    ///
    /// - throws: the error that ``closeOrThrow()`` would throw. Nothing is refused, then.
    package func prepareToClose() throws {
        guard let connection = sqliteConnection else { return }
        if isReceivingBackup { throw Self.isReceivingBackup(sql: nil) }
        clearStatements()
        amalgam_disconnect_tables(connection)
        if hasUnfinalizedStatement(connection) {
            reportUnfinalizedStatements(connection, SQLITE_BUSY)
            throw DatabaseError(
                resultCode: .SQLITE_BUSY,
                message: "unable to close due to unfinalized statements or unfinished backups")
        }
        conditions.insert(.closed)
    }

    /// Closes the connection now, and fails if statements are alive.
    package func closeOrThrow() throws {
        guard let connection = sqliteConnection else { return }
        if isReceivingBackup { throw Self.isReceivingBackup(sql: nil) }
        clearStatements()
        configuration.closings.forEach { $0(connection) }
        // SQLite does so before it looks for statements: virtual tables have some of their own.
        amalgam_disconnect_tables(connection)
        // A connection that stays open keeps its sessions.
        if !hasUnfinalizedStatement(connection) { resources.destroyAll() }
        progressMonitor?.removeAll(from: connection)
        let code = interrupter.close(connection) { sqlite3_close($0) }
        if code == SQLITE_OK { return didClose() }
        reportUnfinalizedStatements(connection, code)
        throw DatabaseError(code: code, message: String(cString: sqlite3_errmsg(connection)))
    }

    /// Closes the connection; statements that are alive keep SQLite's part of it until they are released.
    package func close() {
        guard let connection = sqliteConnection else { return }
        clearStatements()
        configuration.closings.forEach { $0(connection) }
        resources.destroyAll()
        progressMonitor?.removeAll(from: connection)
        if let hooks { amalgam_hooks_uninstall(hooks) }
        removeWALCommitHook()
        _ = interrupter.close(connection) { sqlite3_close_v2($0) }
        didClose()
    }

    private func didClose() {
        sqliteConnection = nil
        conditions.insert(.closed)
        walCommitHook = nil
        deferredReleases.close()
        if let hooks { amalgam_hooks_free(hooks) }
        hooks = nil
        observationBroker.removeAll()
        rowRecorder = nil
        // Closures of the user, which may hold the connection.
        tracers = Tracers()
        closeAttachments()
        functionRegistry.removeAll()
    }

    private func hasUnfinalizedStatement(_ connection: SQLiteConnection) -> Bool {
        var statement = sqlite3_next_stmt(connection, nil)
        while let current = statement, amalgam_is_session_statement(hooks, current) != 0 {
            statement = sqlite3_next_stmt(connection, current)
        }
        return statement != nil
    }

    private func reportUnfinalizedStatements(_ connection: SQLiteConnection, _ code: CInt) {
        guard let log = Self.logError else { return }
        let resultCode = ResultCode(rawValue: code)
        log(resultCode, "could not close database: \(description)")
        var statement = sqlite3_next_stmt(connection, nil)
        while let current = statement {
            let sql = sqlite3_sql(current).map { String(cString: $0) } ?? ""
            log(resultCode, "unfinalized statement: \(sql)")
            statement = sqlite3_next_stmt(connection, current)
        }
    }
}
