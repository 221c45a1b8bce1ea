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
    // Everything here is used by the thread that holds the access, except for parts of `access`, which other threads need
    // to interrupt it.

    /// The configuration of the connection. `readonly` is true for the readers of a pool.
    public let configuration: Configuration

    /// The path of the database file, `:memory:`, or a URI.
    package let path: String

    /// The name of the connection, for debugging.
    public let description: String

    public var debugDescription: String { "<Database: \(description)>" }

    /// The raw C connection; nil once it is closed.
    public private(set) var sqliteConnection: SQLiteConnection?

    /// Who may use the connection, and what stops it.
    package let access: ConnectionAccess

    /// The statements that are kept compiled.
    let statements = StatementStore()

    /// What is known of the schemas.
    let schema: ConnectionSchema

    /// What is notified of changes, and recorded of reads.
    package let observation = ConnectionObservation()

    /// What SQLite calls.
    package let hooks = ConnectionHooks()

    /// Objects of SQLite that live on the connection and must go before it: sessions.
    package let resources = ConnectionResources()

    /// What other features keep on the connection.
    var attachments = Attachments()

    /// The state of the transaction, beyond what SQLite knows.
    var transaction = TransactionMarks()

    /// Begins the transaction of a snapshot; nil for a connection that doesn't see it any more without its transaction.
    package var openSnapshot: ((Database) throws -> Void)?

    /// The state of the schemas when it was last looked at.
    package var schemaStamp: SchemaState.Stamp { schema.state.stamp }

    /// What the application knows about the schema beyond SQLite; nil when it knows nothing.
    public var schemaSource: (any DatabaseSchemaSource)? { schema.source }

    /// The recorder of row changes, if any.
    package var rowRecorder: (any RowChangeRecorder)? {
        get { observation.rowRecorder }
        set {
            observation.rowRecorder = newValue
            observersDidChange()
        }
    }

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
        schema = ConnectionSchema(source: configuration.schemaSource)
        let connection = try Self.open(path, isReadonly: isReadonly, isURI: isURI)
        sqliteConnection = connection
        access = ConnectionAccess(connection)
        observation.broker.database = self
        hooks.functions.database = self
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
        access.owner.store(ThreadID.current.rawValue, ordering: .relaxed)
        if access.deferredReleases.drain() { try? didEndRun() }
    }

    /// Ends the access of the current thread.
    package func release() {
        notifyPendingTransactionEnd()
        forgetAbortedTransaction()
        attachments.forEach { $0.accessDidEnd() }
        access.owner.store(0, ordering: .relaxed)
    }

    /// Whether the current thread has access to the connection.
    package var isAccessible: Bool { isOwned(by: ThreadID.current.rawValue) }

    private func isOwned(by thread: UInt) -> Bool { access.owner.load(ordering: .relaxed) == thread }

    /// Whether the current thread may move a cursor: it has access, and SQLite isn't calling a closure in which the
    /// connection can't be used.
    @usableFromInline
    var mayStep: Bool { isAccessible && !isInsideHook && access.callbackDepth == 0 }

    /// Finalizes a statement, now or at the next access.
    func finalize(_ statement: SQLiteStatement) {
        if isAccessible && sqliteConnection != nil {
            sqlite3_finalize(statement)
        } else {
            access.deferredReleases.finalize(statement)
        }
    }

    /// Releases an object of SQLite at the next access.
    package func deferRelease(of object: OpaquePointer, with release: @escaping (OpaquePointer) -> Void) {
        access.deferredReleases.release(object, with: release)
    }

    /// Releases the objects whose release was deferred to the end of a hook.
    func performDeferredReleases() {
        if !isInsideHook && access.callbackDepth == 0 && !isRecordingSessions && access.deferredReleases.drain() {
            try? didEndRun()
        }
    }

    // MARK: Changes

    /// Observers come and go.
    package func observersDidChange() {
        observation.isActive =
            observation.broker.hasObservers || observation.walCommitHook != nil || rowRecorder != nil
            || hooks.pointer.map { amalgam_has_sessions($0) != 0 } ?? false
    }

    /// Runs C code that may change rows, or end the transaction, without a statement of the library.
    func withUnattributedChanges<T>(_ body: () throws -> T) throws -> T {
        guard observation.isActive else { return try body() }
        let result: T
        do {
            observation.broker.beginUnattributedRun()
            defer { observation.broker.endRun() }
            result = try body()
        } catch {
            throw observation.broker.hasPendingNotifications ? observation.broker.didFail() ?? error : error
        }
        try observation.broker.didSucceed(nil, wasInsideTransaction: isInsideTransaction, endedTransaction: false)
        return result
    }

    /// Notifies observers of transactions that C code has ended by itself.
    private func notifyPendingTransactionEnd() {
        guard observation.isActive, observation.broker.hasPendingNotifications else { return }
        try? observation.broker.didSucceed(nil, wasInsideTransaction: isInsideTransaction, endedTransaction: false)
    }

    // MARK: Closing

    /// Whether the connection is closed, or refuses all use because it is about to be.
    package var isClosed: Bool { access.conditions[.closed] }

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
        access.conditions.insert(.closed)
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
        access.progressMonitor?.removeAll(from: connection)
        let code = access.interrupter.close(connection) { sqlite3_close($0) }
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
        access.progressMonitor?.removeAll(from: connection)
        if let hooks = hooks.pointer { amalgam_hooks_uninstall(hooks) }
        removeWALCommitHook()
        _ = access.interrupter.close(connection) { sqlite3_close_v2($0) }
        didClose()
    }

    private func didClose() {
        sqliteConnection = nil
        access.conditions.insert(.closed)
        observation.walCommitHook = nil
        observersDidChange()
        access.deferredReleases.close()
        if let hooks = hooks.pointer { amalgam_hooks_free(hooks) }
        hooks.pointer = nil
        observation.broker.removeAll()
        rowRecorder = nil
        // Closures of the user, which may hold the connection.
        hooks.tracers = Tracers()
        closeAttachments()
        hooks.functions.removeAll()
    }

    private func hasUnfinalizedStatement(_ connection: SQLiteConnection) -> Bool {
        var statement = sqlite3_next_stmt(connection, nil)
        while let current = statement, amalgam_is_session_statement(hooks.pointer, current) != 0 {
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
