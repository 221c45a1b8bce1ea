import CAmalgam
import Dispatch
import Foundation
import Synchronization

/// A connection to a database, which runs SQL.
///
/// A `DatabaseQueue` or `DatabasePool` passes a connection to the closure of a database access, such as a call of
/// `read` or `write`:
///
/// ```swift
/// try dbQueue.write { db in
///     try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Anna"])
///     let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
/// }
/// ```
///
/// One thread at a time uses a connection. Outside of a database access, methods that can fail throw `SQLITE_MISUSE`.
public final class Database: CustomStringConvertible, CustomDebugStringConvertible {
    // The thread of the current database access may use all properties. Other threads may use only some parts of
    // `access`, such as the interrupter.

    /// The configuration of the connection. `readonly` is true for the readers of a pool.
    public let configuration: Configuration

    /// The path of the database file, `:memory:`, or a URI.
    package let path: String

    /// The name of the connection, for debugging.
    public let description: String

    public var debugDescription: String { "<Database: \(description)>" }

    /// The raw C connection, or nil after the connection is closed.
    ///
    /// C functions that set a callback, such as `sqlite3_commit_hook`, `sqlite3_rollback_hook` and
    /// `sqlite3_set_authorizer`, would replace the callbacks of the library: observations would miss commits, and sandboxes
    /// would have no effect. Use ``TransactionObserver`` and ``withAuthorizer(_:perform:)``. Sessions and
    /// `sqlite3_preupdate_hook` work next to the library's.
    public var sqliteConnection: SQLiteConnection? { openConnection }

    /// The stored ``sqliteConnection``. Each statement reads this property. As it isn't public, the compiler can prove
    /// that no read overlaps with a change, and omits the run-time check for exclusive access.
    private var openConnection: SQLiteConnection?

    /// The thread that has access, and the conditions that stop or restrict it.
    package let access: ConnectionAccess

    /// The caches of prepared statements.
    let statements = StatementStore()

    /// The state of the schemas, and the cache of schema look-ups.
    let schema: ConnectionSchema

    /// The observers of changes, and the regions recorded for reads.
    package let observation = ConnectionObservation()

    /// The callbacks that SQLite calls.
    package let hooks = ConnectionHooks()

    /// The C objects that use the connection and must be destroyed before it closes, such as sessions.
    package let resources = ConnectionResources()

    /// The state that other features store on the connection.
    @exclusivity(unchecked)  // No code runs while an attachment is added.
    var attachments = Attachments()

    /// The state of the transaction, in addition to what SQLite provides.
    var transaction = TransactionMarks()

    /// Begins a transaction that reads the snapshot again. Nil if the snapshot is lost when its transaction ends.
    package var openSnapshot: ((Database) throws -> Void)?

    /// A value that identifies the state of the schemas at the last check.
    package var schemaStamp: SchemaState.Stamp { schema.state.stamp }

    /// The source of schema information that SQLite doesn't have, if any: see ``Configuration/schemaSource``.
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
    ///   - isURI: Whether the path is a URI: <https://sqlite.org/uri.html>.
    ///   - file: The file of another connection, which is opened in place of the file at `path`.
    ///   - content: Writes the first content of a new database, before the closures of `prepareDatabase` run. With
    ///     `Configuration.readonly`, the connection becomes read-only after this closure.
    /// - Throws: An error of SQLite if the file can't be opened; `SQLITE_READONLY_DBMOVED` if `file` was moved or
    ///   replaced; an error of `content` or of a closure of `prepareDatabase`; `SQLITE_MISUSE` if the build of SQLite
    ///   lacks required features.
    package init(
        path: String, description: String, configuration: Configuration, isURI: Bool = false,
        file: DatabaseFile? = nil, content: ((Database) throws -> Void)? = nil
    ) throws {
        if let defect = SQLiteBuild.defect { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: defect) }
        self.path = path
        self.description = description
        self.configuration = configuration
        let isReadonly = configuration.readonly && content == nil
        schema = ConnectionSchema(source: configuration.schemaSource)
        let connection = try Self.open(
            path, vfsName: configuration.vfsName, isReadonly: isReadonly, isURI: isURI, file)
        openConnection = connection
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
        // Closes a connection that wasn't closed explicitly, even if statements are alive.
        if sqliteConnection != nil { close() }
    }

    // MARK: Access

    /// Gives the current thread access to the connection, and performs the releases that other threads have deferred.
    package func claim() {
        access.owner.store(ThreadID.current.rawValue, ordering: .relaxed)
        access.outerLimits = amalgam_limits_use(nil)
        endInterruption()
        if access.deferredReleases.drain() { try? didEndRun() }
    }

    /// Ends the database access of the current thread.
    package func release() {
        endActiveStatements()
        notifyPendingTransactionEnd()
        forgetAbortedTransaction()
        attachments.forEach { $0.accessDidEnd() }
        if let outerLimits = access.outerLimits, isAccessible { _ = amalgam_limits_use(outerLimits) }
        access.outerLimits = nil
        access.owner.store(0, ordering: .relaxed)
    }

    /// Whether the current thread has access to the connection.
    package var isAccessible: Bool { isOwned(by: ThreadID.current.rawValue) }

    private func isOwned(by thread: UInt) -> Bool { access.owner.load(ordering: .relaxed) == thread }

    /// Whether the current thread may step a cursor: the thread has access to the connection, and SQLite isn't calling
    /// a closure that must not use the connection.
    var mayStep: Bool { isAccessible && !isInsideHook && access.callbackDepth == 0 }

    /// Whether the current thread may step any cursor: see ``mayStep``. In a closure of `withAuthorizer`, only cursors of
    /// this closure continue.
    @usableFromInline
    var mayStepAnyStatement: Bool {
        isAccessible && access.conditions.isDisjoint(with: .checkingCursors) && access.callbackDepth == 0
    }

    /// Finalizes a statement: immediately if the current thread has access, otherwise at the next access.
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

    /// Performs the releases that were deferred to the end of a hook.
    func performDeferredReleases() {
        if !isInsideHook && access.callbackDepth == 0 && !isRecordingSessions && access.deferredReleases.drain() {
            try? didEndRun()
        }
    }

    // MARK: Changes

    /// Updates `observation.isActive` after an observer, hook, recorder or session was added or removed.
    package func observersDidChange() {
        observation.isActive =
            observation.broker.hasObservers || observation.walCommitHook != nil || rowRecorder != nil
            || hooks.pointer.map { amalgam_has_listeners($0) != 0 } ?? false
    }

    /// Runs C code that may change rows, or end the transaction, without using a `Statement`. Notifies observers.
    ///
    /// - Throws: The error of `body`, or of an observer.
    func withUnattributedChanges<T>(_ body: () throws -> T) throws -> T {
        guard observation.isActive else { return try body() }
        try observation.broker.notifyPendingEnd()
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

    /// Notifies observers of transactions that C code has ended.
    private func notifyPendingTransactionEnd() {
        if observation.isActive { try? observation.broker.notifyPendingEnd() }
    }

    // MARK: Closing

    /// Whether the connection is closed, or rejects all use because it is about to be closed.
    package var isClosed: Bool { access.conditions[.closed] }

    /// Checks that the connection can be closed, and then makes it reject all further use. A pool calls this method for
    /// its writer before it closes the readers, and stays open if the writer can't be closed.
    ///
    /// - Throws: The error that ``closeOrThrow()`` would throw. The connection then stays usable.
    package func prepareToClose() throws {
        guard let connection = sqliteConnection else { return }
        if isReceivingBackup { throw Self.isReceivingBackup(sql: nil) }
        clearStatements()
        amalgam_disconnect_tables(connection)
        if isInUse(connection) {
            reportUnfinalizedStatements(connection, SQLITE_BUSY)
            throw DatabaseError(
                resultCode: .SQLITE_BUSY,
                message: "unable to close due to unfinalized statements or unfinished backups")
        }
        access.conditions.insert(.closed)
    }

    /// Closes the connection.
    ///
    /// - Throws: `SQLITE_BUSY` if statements are alive, or if the connection receives a backup.
    package func closeOrThrow() throws {
        guard let connection = sqliteConnection else { return }
        if isReceivingBackup { throw Self.isReceivingBackup(sql: nil) }
        clearStatements()
        configuration.closings.forEach { $0(connection) }
        // `sqlite3_close` does this first as well, because virtual tables may own statements.
        amalgam_disconnect_tables(connection)
        // If the connection can't be closed, its sessions stay.
        if !isInUse(connection) { resources.destroyAll() }
        access.progressMonitor?.removeAll(from: connection)
        let code = access.interrupter.close(connection) { sqlite3_close($0) }
        if code == SQLITE_OK { return didClose() }
        reportUnfinalizedStatements(connection, code)
        throw DatabaseError(code: code, message: String(cString: sqlite3_errmsg(connection)))
    }

    /// Closes the connection, even if statements are alive. SQLite frees its memory with the last statement.
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
        openConnection = nil
        access.progressMonitor?.allocations.detach()
        access.conditions.insert(.closed)
        observation.walCommitHook = nil
        observersDidChange()
        access.deferredReleases.close()
        if let hooks = hooks.pointer { amalgam_hooks_free(hooks) }
        hooks.pointer = nil
        observation.broker.removeAll()
        rowRecorder = nil
        // Releases the closures of the application, which may retain the connection.
        hooks.tracers = Tracers()
        closeAttachments()
        hooks.functions.removeAll()
    }

    private func isInUse(_ connection: SQLiteConnection) -> Bool {
        hasUnfinalizedStatement(connection) || amalgam_is_backup_source(connection) != 0
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
