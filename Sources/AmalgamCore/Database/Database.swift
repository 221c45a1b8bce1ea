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
    package let remote: RemoteControl

    /// Statements released on other threads.
    let parkedStatements = ParkedStatements()

    /// Whether the connection sees one state of the database for all its life: without its transaction, it is lost.
    @exclusivity(unchecked)  // It is not used while it changes.
    package var holdsSnapshot = false

    /// Whether a backup is under way that writes here: SQLite trusts us not to use the connection meanwhile.
    @exclusivity(unchecked)  // It is not used while it changes.
    var isReceivingBackup = false

    /// Whether the connection is given its first content, which also those have that are read-only later.
    private(set) var isBeingFilled = false

    /// Told of commits to the WAL file; nil unless somebody wants to know.
    @exclusivity(unchecked)  // It is not used while it changes.
    var walCommitHook: WALCommitHook? {
        didSet { observersDidChange() }
    }

    @exclusivity(unchecked)  // It is not used while it changes.
    private(set) var hooks: OpaquePointer?

    /// Objects of SQLite that live on the connection and must go before it: sessions.
    let resources = ConnectionResources()

    /// Whether a closure runs in the middle of a change of SQLite, where the connection must not be used.
    @exclusivity(unchecked)  // It is not used while it changes.
    var isInsideHook = false

    /// How many changesets are being applied: the handler of a conflict may apply another one.
    var applicationDepth = 0

    /// Whether the transaction has ended while changesets are being applied in it.
    var hasStoppedApplying = false

    let observationBroker = ObservationBroker()

    /// Functions and collations written in Swift.
    let extensions = ExtensionRegistry()

    /// Whether there are observers: without any, statements run without bookkeeping.
    @exclusivity(unchecked)  // As the next one: it is not used while it changes.
    private(set) var isObserved = false

    /// Observers come and go.
    func observersDidChange() {
        isObserved = observationBroker.hasObservers || walCommitHook != nil
    }

    /// Statements given to the user by `cachedStatement(sql:)`.
    private var publicStatements = StatementCache(capacity: 256)

    /// Statements behind the methods that take plain SQL.
    private var internalStatements = StatementCache(capacity: 128)
    private var recentSQL = RecentSQL(capacity: 64)

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

    /// Whether `checkAccess` has more to check than the thread.
    @exclusivity(unchecked)  // It is not used while it changes.
    var isRestricted = false

    /// BEGIN, COMMIT and the like.
    var controlStatements: [String: Statement] = [:]

    /// What table-valued functions read.
    var moduleRegions: [TableName: [any DatabaseRegionConvertible]] = [:]

    /// What a virtual table has to say of the error that SQLite is about to report.
    var untoldFailure: UntoldFailure?

    var busyCallback: BusyCallback?
    var tracers = Tracers()

    /// Whether `inTransaction` has begun a transaction that it will end.
    @exclusivity(unchecked)
    var managesTransaction = false

    /// What was read since somebody began to record it: see `recordingAccess`.
    @exclusivity(unchecked)  // It is not used while it changes.
    var accessedRegion: DatabaseRegion?

    /// Grows with each change of the schema made by this connection.
    private(set) var schemaGeneration = 0

    /// What look-ups have found out about tables and views.
    var schemaCache = SchemaCache()

    /// What the application knows about the schema beyond SQLite; nil when it knows nothing.
    public private(set) var schemaSource: (any DatabaseSchemaSource)?

    func setSchemaSource(_ schemaSource: (any DatabaseSchemaSource)?) {
        self.schemaSource = schemaSource
        schemaCache.removeKeysOfViews()
    }

    /// Whether SQLite has rolled a transaction back since this was last looked at.
    private var wasRolledBack = false

    /// Nesting of `readOnly`.
    var readOnlyDepth = 0

    /// What `PRAGMA query_only` was before.
    var wasQueryOnly = false

    /// The date of the current transaction, once it was asked for.
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
        remote = RemoteControl(connection)
        observationBroker.database = self
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

    private static func open(_ path: String, isReadonly: Bool, isURI: Bool) throws -> SQLiteConnection {
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        flags |= isReadonly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        if isURI { flags |= SQLITE_OPEN_URI }
        // SQLite would open the file whose name ends there.
        if path.utf8.contains(0) {
            throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "the path contains a NUL character")
        }
        var connection: SQLiteConnection?
        let code = sqlite3_open_v2(path, &connection, flags, nil)
        guard code == SQLITE_OK, let connection else {
            let message = connection.map { String(cString: sqlite3_errmsg($0)) }
            sqlite3_close(connection)
            throw DatabaseError(code: code, message: message)
        }
        return connection
    }

    // MARK: Set-up

    private func setUp(_ content: ((Database) throws -> Void)?) throws {
        try installHooks()
        set(SQLITE_DBCONFIG_ENABLE_FKEY, configuration.foreignKeysEnabled)
        set(SQLITE_DBCONFIG_DQS_DML, configuration.acceptsDoubleQuotedStringLiterals)
        set(SQLITE_DBCONFIG_DQS_DDL, configuration.acceptsDoubleQuotedStringLiterals)
        if configuration.isDefensive { set(SQLITE_DBCONFIG_DEFENSIVE, true) }
        if !configuration.trustsSchema { set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false) }
        configuration.automaticCheckpoint.map { applyAutomaticCheckpoint($0) }
        setUpBusyMode()
        try installDefaultExtensions()
        try configuration.extensions.forEach(register)
        try content.map { try fill($0) }
        for prepare in configuration.preparations { try prepare(self) }
        try checkFormat()
    }

    /// Functions and collations that every connection has.
    private func installDefaultExtensions() throws {
        guard let sqliteConnection else { return }
        for slot in FunctionSlot.defaults {
            let code = slot.register(on: sqliteConnection)
            if code != SQLITE_OK { throw error(code) }
        }
        DatabaseCollation.offerDefaults(to: sqliteConnection, except: 0)
    }

    private func fill(_ content: (Database) throws -> Void) throws {
        isBeingFilled = true
        defer { isBeingFilled = false }
        try content(self)
        if configuration.readonly { amalgam_set_query_only(sqliteConnection, 1) }
    }

    package func set(_ option: CInt, _ value: Bool) {
        amalgam_db_config(sqliteConnection, option, value ? 1 : 0, nil)
    }

    private func setUpBusyMode() {
        switch configuration.busyMode {
        case .immediateError:
            busyCallback = configuration.ownReads.map(Self.waiting(for:))
        case .timeout(let seconds):
            // No lock is waited for longer than this, and any number of seconds is accepted.
            busyCallback = Self.waiting(seconds: seconds.isNaN ? 0 : min(max(0, seconds), 1e9))
        case .callback(let callback):
            busyCallback = callback
        }
        guard busyCallback != nil else { return }
        sqlite3_busy_handler(
            sqliteConnection,
            { context, numberOfTries in
                let db = Unmanaged<Database>.fromOpaque(context!).takeUnretainedValue()
                let mayWait = !db.remote.isCancelled && db.progressMonitor?.mayWait() != false
                return mayWait && db.busyCallback?(Int(numberOfTries)) == true ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Waits for reads of the same pool, and for half a second at most.
    private static func waiting(for ownReads: ReadActivity) -> BusyCallback {
        { numberOfTries in
            guard ownReads.isUnderWay, numberOfTries < 500 else { return false }
            Thread.sleep(forTimeInterval: 0.001)
            return true
        }
    }

    /// Waits in small steps, as SQLite's own timeout does, so that a cancellation is noticed between them.
    private static func waiting(seconds: TimeInterval) -> BusyCallback {
        let deadline = Mutex<ContinuousClock.Instant?>(nil)
        return { numberOfTries in
            let now = ContinuousClock.now
            let limit = deadline.withLock { deadline in
                if numberOfTries == 0 { deadline = now + .seconds(seconds) }
                return deadline ?? now
            }
            guard now < limit else { return false }
            let step = Duration.milliseconds(numberOfTries < 5 ? 1 + numberOfTries : 20)
            Thread.sleep(forTimeInterval: min(step, limit - now) / .seconds(1))
            return true
        }
    }

    /// Reads the schema, without a statement that a trace would show: a file that is no database is refused now.
    private func checkFormat() throws {
        let code = sqlite3_table_column_metadata(
            sqliteConnection, nil, "sqlite_master", nil, nil, nil, nil, nil, nil)
        if code != SQLITE_OK { throw error(code) }
    }

    private func installHooks() throws {
        var callbacks = amalgam_callbacks(
            owner: Unmanaged.passUnretained(self).toOpaque(),
            observes_deletions: { owner, schema, table in
                guard let table else { return 0 }
                let db = Unmanaged<Database>.fromOpaque(owner!).takeUnretainedValue()
                return db.isObserved && db.observationBroker.observesDeletions(String(cString: table))
                    ? 1 : 0
            },
            row_will_change: { owner, operation, schema, table, oldRowID, newRowID, hasRowID, isShadow in
                let change = RowChange(
                    operation: operation, schema: schema!, table: table!, oldRowID: oldRowID, newRowID: newRowID,
                    hasRowID: hasRowID != 0, isShadow: isShadow != 0)
                Unmanaged<Database>.fromOpaque(owner!)._withUnsafeGuaranteedRef {
                    $0.observationBroker.rowWillChange(change)
                }
            },
            recompiles: { owner in
                let db = Unmanaged<Database>.fromOpaque(owner!).takeUnretainedValue()
                if db.isObserved { db.observationBroker.statementRecompiles() }
            },
            will_commit: { owner in
                Unmanaged<Database>.fromOpaque(owner!).takeUnretainedValue().observationBroker.willCommit() ? 0 : 1
            },
            did_rollback: { owner in
                let db = Unmanaged<Database>.fromOpaque(owner!).takeUnretainedValue()
                db.wasRolledBack = true
                if db.applicationDepth > 0 { db.stopApplying() }
                db.observationBroker.didRollback()
            },
            savepoint_will_change: { owner, operation, name in
                guard let operation, let name else { return }
                Unmanaged<Database>.fromOpaque(owner!).takeUnretainedValue().observationBroker.savepointWillChange(
                    String(cString: operation), String(cString: name))
            })
        hooks = amalgam_hooks_create(sqliteConnection, &callbacks)
        if hooks == nil { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
    }

    func reportRows(_ isOn: Bool) {
        if let hooks { amalgam_hooks_report_rows(hooks, isOn ? 1 : 0) }
    }

    // MARK: Access

    /// Gives the current thread access to the connection.
    package func claim() {
        owner.store(ThreadID.current.rawValue, ordering: .relaxed)
        if parkedStatements.drain() { try? didEndRun() }
    }

    /// Ends the access of the current thread.
    package func release() {
        tellStrayNews()
        owner.store(0, ordering: .relaxed)
    }

    /// Whether the current thread has access to the connection.
    package var isAccessible: Bool { isOwned(by: ThreadID.current.rawValue) }

    /// Whether a thread has access to the connection.
    @inlinable
    func isOwned(by thread: UInt) -> Bool { owner.load(ordering: .relaxed) == thread }

    /// - throws: `SQLITE_MISUSE` when the connection is closed, or used outside of an access; an error when the
    ///   access was cancelled, or its transaction is gone.
    package func checkAccess(sql: @autoclosure () -> String? = nil) throws {
        if !isAccessible { throw Self.wrongThread(sql: sql()) }
        if sqliteConnection == nil { throw Self.connectionIsClosed }
        if isReceivingBackup { throw Self.isReceivingBackup(sql: sql()) }
        if isInsideHook {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "The connection cannot be used while SQLite changes a row.",
                sql: sql())
        }
        if remote.isCancelled { throw CancellationError() }
        if extensions.isWaiting { extensions.settle(self) }
        if isRestricted { try checkRestrictions(sql: sql()) }
        if holdsSnapshot && !isInsideTransaction {
            throw DatabaseError(resultCode: .SQLITE_ERROR_SNAPSHOT, message: "Snapshot is lost.", sql: sql())
        }
        if managesTransaction && !isInsideTransaction {
            throw DatabaseError(resultCode: .SQLITE_ABORT, message: "Transaction was aborted", sql: sql())
        }
    }

    static func wrongThread(sql: String?) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "Database was not used on the correct thread. Use it inside the closure that receives it, only.",
            sql: sql)
    }

    private static func isReceivingBackup(sql: String?) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_BUSY,
            message: "The connection is the destination of a backup under way. Use it once the backup has ended.",
            sql: sql)
    }

    package static var connectionIsClosed: DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: "Connection is closed")
    }

    /// Finalizes a statement, now or at the next access.
    func finalize(_ statement: SQLiteStatement) {
        if isAccessible && sqliteConnection != nil {
            sqlite3_finalize(statement)
        } else {
            parkedStatements.finalize(statement)
        }
    }

    // MARK: Changes that no statement of ours makes

    /// Runs C code that may change rows, or end the transaction, without a statement of ours.
    func withStrayChanges<T>(_ body: () throws -> T) throws -> T {
        guard isObserved else { return try body() }
        let result: T
        do {
            observationBroker.beginStrayRun()
            defer { observationBroker.endRun() }
            result = try body()
        } catch {
            throw observationBroker.hasNews ? observationBroker.didFail() ?? error : error
        }
        try observationBroker.didSucceed(nil, wasInsideTransaction: isInsideTransaction, endedTransaction: false)
        return result
    }

    /// Tells observers of transactions that C code has ended by itself.
    private func tellStrayNews() {
        guard isObserved, observationBroker.hasNews else { return }
        try? observationBroker.didSucceed(nil, wasInsideTransaction: isInsideTransaction, endedTransaction: false)
    }

    // MARK: Closing

    /// Closes the connection now, and fails if statements are alive.
    package func closeOrThrow() throws {
        guard let connection = sqliteConnection else { return }
        if isReceivingBackup { throw Self.isReceivingBackup(sql: nil) }
        clearStatements()
        configuration.closings.forEach { $0(connection) }
        // A connection that stays open keeps its sessions.
        if !hasUnfinalizedStatement(connection) { resources.destroyAll() }
        progressMonitor?.removeAll()
        let code = remote.close(connection) { sqlite3_close($0) }
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
        progressMonitor?.removeAll()
        if let hooks { amalgam_hooks_uninstall(hooks) }
        removeWALCommitHook()
        _ = remote.close(connection) { sqlite3_close_v2($0) }
        didClose()
    }

    private func didClose() {
        sqliteConnection = nil
        walCommitHook = nil
        parkedStatements.close()
        if let hooks { amalgam_hooks_free(hooks) }
        hooks = nil
        observationBroker.removeAll()
        // Closures of the user, which may hold the connection.
        tracers = Tracers()
        moduleRegions = [:]
        extensions.removeAll()
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

// MARK: - Statements

extension Database {
    /// Compiles a statement.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE id = ?")
    /// ```
    ///
    /// - throws: `SQLITE_MISUSE` when there is more than one statement; any error of the compilation.
    public func makeStatement(sql: String) throws -> Statement {
        try makeStatement(sql: sql, flags: 0)
    }

    /// Compiles a statement. Interpolated values are its arguments.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(literal: "SELECT * FROM player WHERE id = \(1)")
    /// ```
    ///
    /// - throws: `SQLITE_MISUSE` when there is more than one statement, or when values are given for a part of the
    ///   parameters only; any error of the compilation.
    public func makeStatement(literal sqlLiteral: SQL) throws -> Statement {
        let (sql, arguments) = try sqlLiteral.build(self)
        let statement = try makeStatement(sql: sql)
        if !arguments.isEmpty { try statement.setArguments(arguments) }
        return statement
    }

    /// The statement of this SQL, compiled once per connection.
    ///
    /// ```swift
    /// let statement = try db.cachedStatement(sql: "SELECT * FROM player WHERE id = ?")
    /// let row = try Row.fetchOne(statement, arguments: [1])
    /// ```
    ///
    /// Asking twice gives the same object: do not use it for two cursors at the same time.
    public func cachedStatement(sql: String) throws -> Statement {
        try checkAccess(sql: sql)
        if let statement = publicStatements.statement(sql) { return statement }
        let statement = try makeStatement(sql: sql, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
        publicStatements.insert(statement, for: sql)
        return statement
    }

    /// The statement of this SQL, compiled once per connection, with interpolated values as its arguments.
    public func cachedStatement(literal sqlLiteral: SQL) throws -> Statement {
        let (sql, arguments) = try sqlLiteral.build(self)
        let statement = try cachedStatement(sql: sql)
        if !arguments.isEmpty { try statement.setArguments(arguments) }
        return statement
    }

    private func makeStatement(sql: String, flags: UInt32) throws -> Statement {
        var sql = sql
        return try sql.withUTF8 { bytes in
            let text = SQLText(bytes)
            guard let (statement, end) = try prepare(text, from: 0, flags: flags) else {
                throw DatabaseError(message: "empty statement", sql: String(decoding: bytes, as: UTF8.self))
            }
            if try hasStatement(text, from: end) {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: """
                        Multiple statements found. To execute multiple statements, use Database.execute(sql:) or \
                        Database.allStatements(sql:) instead.
                        """,
                    sql: String(decoding: bytes, as: UTF8.self))
            }
            return statement
        }
    }

    /// Whether there is anything but blanks, semicolons and comments.
    private func hasStatement(_ text: SQLText, from offset: Int) throws -> Bool {
        var offset = offset
        while !text.isBlank(from: offset) {
            // A comment compiles to nothing; SQL that does not compile is a statement, if a wrong one.
            var statement: SQLiteStatement?
            guard let next = text.compile(sqliteConnection, from: offset, into: &statement) else { return true }
            if statement != nil {
                sqlite3_finalize(statement)
                return true
            }
            // SQLite stops at a NUL character: there is something, that it would never run.
            if next <= offset { return true }
            offset = next
        }
        return false
    }

    /// Compiles the first statement after `offset`.
    ///
    /// - Returns: the statement and where it ends; nil when there is none.
    func prepare(_ text: SQLText, from offset: Int, flags: UInt32) throws -> (statement: Statement, end: Int)? {
        try checkAccess(sql: text.string(from: offset))
        try checkDepth(sql: text.string(from: offset))
        authorizerScope?.forgetRefusals()
        var offset = offset
        untoldFailure = nil
        while !text.isBlank(from: offset) {
            var sqliteStatement: SQLiteStatement?
            var tail: UnsafePointer<CChar>?
            var facts = amalgam_facts()
            let start = text.pointer + offset
            let code = amalgam_prepare(
                hooks, start, CInt(clamping: text.count - offset), flags, &sqliteStatement, &tail, &facts)
            guard code == SQLITE_OK else { throw compilationError(code, text, from: offset) }
            walCommitHook?.takeSlotBack()
            let end = tail.map { $0 - text.pointer } ?? text.count
            if let sqliteStatement {
                let sql = text.string(from: offset, to: end).trimmedSQLStatement
                return (Statement(self, sqliteStatement: sqliteStatement, sql: sql, facts: facts), end)
            }
            // SQLite stops at a NUL character. What comes after it must not be forgotten in silence.
            if end <= offset || (end < text.count && text.pointer[end] == 0) {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "the SQL contains a NUL character",
                    sql: text.string(from: offset))
            }
            offset = end
        }
        return nil
    }

    /// A function that runs statements which call it would else exhaust the stack of the thread.
    private func checkDepth(sql: @autoclosure () -> String) throws {
        guard let sqliteConnection, amalgam_execution_depth(sqliteConnection) >= Self.maximumDepth else { return }
        throw DatabaseError(
            message: "functions run statements that call functions, too many levels deep", sql: sql())
    }

    /// As many levels as fit on the stack of a thread of half a megabyte.
    private static var maximumDepth: CInt { 32 }

    private func compilationError(_ code: CInt, _ text: SQLText, from offset: Int) -> any Error {
        // The offset counts from where the compilation began; the error shows the statement without its blanks.
        let errorOffset = sqlite3_error_offset(sqliteConnection)
        let sql = text.string(from: offset)
        let error = error(code, sql: sql.trimmedSQLStatement)
            .pointing(at: errorOffset < 0 ? nil : Int(errorOffset) - sql.leadingBlankCount)
        return cancellation(code) ?? interruption(code, error) ?? refusal(code, error) ?? error
    }

    /// What a statement would read and do if it was compiled now; nil when it does not compile any more.
    func facts(sql: String) -> StatementFacts? {
        var sqliteStatement: SQLiteStatement?
        var facts = amalgam_facts()
        guard isAccessible, sqliteConnection != nil,
            amalgam_prepare(hooks, sql, -1, 0, &sqliteStatement, nil, &facts) == SQLITE_OK
        else { return nil }
        sqlite3_finalize(sqliteStatement)
        return StatementFacts(facts)
    }

    /// Runs a closure with a statement that nobody else uses meanwhile. SQL that comes back is compiled once.
    @usableFromInline
    package func withStatement<T>(sql: String, _ body: (Statement) throws -> T) throws -> T {
        let statement = try lendStatement(sql: sql)
        defer { statement.isLent = false }
        return try body(statement)
    }

    /// A statement that nobody else uses until it is not lent any more. SQL that comes back is compiled once.
    func lendStatement(sql: String) throws -> Statement {
        if let statement = internalStatements.statement(sql), !statement.isLent {
            statement.isLent = true
            return statement
        }
        let statement = try makeStatement(sql: sql)
        if recentSQL.hasSeen(sql) { internalStatements.insert(statement, for: sql) }
        statement.isLent = true
        return statement
    }

    /// The statements that the connection keeps, put aside while an authorizer decides.
    struct StatementsAside {
        fileprivate let publicStatements: StatementCache
        fileprivate let internalStatements: StatementCache
        fileprivate let schemaGeneration: Int
    }

    func setAsideStatements() -> StatementsAside {
        defer {
            publicStatements.removeAll()
            internalStatements.removeAll()
        }
        return StatementsAside(
            publicStatements: publicStatements, internalStatements: internalStatements,
            schemaGeneration: schemaGeneration)
    }

    func restoreStatements(_ statements: StatementsAside) {
        publicStatements.removeAll()
        internalStatements.removeAll()
        guard statements.schemaGeneration == schemaGeneration, sqliteConnection != nil else { return }
        publicStatements = statements.publicStatements
        internalStatements = statements.internalStatements
    }

    /// Releases the statements kept by the connection.
    func clearStatements() {
        publicStatements.removeAll()
        internalStatements.removeAll()
        controlStatements.removeAll()
    }
}

// MARK: - Execution

extension Database {
    /// Runs a step of a statement that may do more than read.
    @usableFromInline
    package func step(_ statement: Statement) throws -> Bool {
        guard statement.changesContentAtMost else { return try stepObserved(statement) }
        let code: CInt
        if !isObserved {
            code = statement.stepOnce()
        } else if isInsideTransaction, observationBroker.isUnheard(statement) {
            // The transaction goes on, and nobody wants to hear of the rows: there is nothing to tell.
            code = statement.stepOnce(unreportedBy: hooks)
        } else {
            return try stepObserved(statement)
        }
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw failure(code, of: statement)
    }

    private func stepObserved(_ statement: Statement) throws -> Bool {
        if statement.scope != scope { throw foreignScope(statement) }
        // A statement changes its rows before it gives its first one.
        let changesObservedRows = isObserved && statement.changesRows && !statement.isRunning
        if !statement.isRunning { try willRun(statement) }
        let wasInsideTransaction = isInsideTransaction
        if changesObservedRows { observationBroker.beginRun(of: statement) }
        let code = statement.stepOnce()
        if changesObservedRows { observationBroker.endRun() }
        switch code {
        case SQLITE_ROW:
            statement.isRunning = true
            if scope != 0 { try countRow(of: statement) }
            return true
        case SQLITE_DONE:
            statement.isRunning = false
            // The statement holds no lock any more, whatever the observers do now.
            if statement.transactionEffect != nil || isObserved {
                sqlite3_reset(statement.sqliteStatement)
            }
            try didRun(statement, wasInsideTransaction: wasInsideTransaction)
            return false
        default:
            throw failure(code, of: statement)
        }
    }

    private func willRun(_ statement: Statement) throws {
        if applicationDepth > 0 { try checkTransactionControl(statement) }
        guard isObserved, observationBroker.endsTransaction(statement.transactionEffect) else { return }
        // SQLite does not call its commit hook for a transaction that wrote nothing.
        guard isInsideTransaction, sqlite3_txn_state(sqliteConnection, nil) != SQLITE_TXN_WRITE else { return }
        do {
            try observationBroker.willCommitEmptyTransaction()
        } catch {
            try rollback()
            throw error
        }
    }

    private func didRun(_ statement: Statement, wasInsideTransaction: Bool) throws {
        let effect = statement.transactionEffect
        if statement.invalidatesSchemaCache || effect?.mayUndoSchemaChanges == true { schemaDidChange() }
        if effect == .commit || effect == .rollback { managesTransaction = false }
        let endedTransaction = wasInsideTransaction && !isInsideTransaction
        if effect != nil || endedTransaction || observationBroker.hasNews {
            if endedTransaction { currentTransactionDate = nil }
            try observationBroker.didSucceed(
                effect, wasInsideTransaction: wasInsideTransaction, endedTransaction: endedTransaction)
        }
        if let walCommitHook, walCommitHook.hasNews { try walCommitHook.tell() }
    }

    /// Something other than a step may have ended a transaction outside of BEGIN and COMMIT: a reset, the end of a
    /// blob.
    func didEndRun() throws {
        if let sqliteConnection, walCommitHook != nil { amalgam_wal_notify(sqliteConnection) }
        if wasRolledBack {
            wasRolledBack = false
            schemaDidChange()
        }
        if observationBroker.hasNews {
            try observationBroker.didSucceed(
                nil, wasInsideTransaction: isInsideTransaction, endedTransaction: false)
        }
        if let walCommitHook, walCommitHook.hasNews { try walCommitHook.tell() }
    }

    /// A run was ended by `sqlite3_reset`: an autocommit statement whose rows were not all read is committed then.
    func didReset(_ statement: Statement, _ code: CInt) {
        // A step that failed was reset at once: an error that comes here is that of the commit.
        if code != SQLITE_OK { return logLostError(failure(code, of: statement)) }
        guard statement.isRunning else { return }
        statement.isRunning = false
        if let sqliteConnection, walCommitHook != nil { amalgam_wal_notify(sqliteConnection) }
        do {
            try didRun(statement, wasInsideTransaction: isInsideTransaction)
        } catch {
            logLostError(error)
        }
    }

    /// Tells the error log of an error that nobody is there to catch: whoever releases a cursor calls nothing that throws.
    private func logLostError(_ error: any Error) {
        let code = (error as? DatabaseError)?.extendedResultCode ?? .SQLITE_ERROR
        Self.logError?(code, "a statement failed when its cursor was released before its last row: \(error)")
    }

    /// Statements in use are compiled again by SQLite; those that are only kept are dropped.
    func schemaDidChange() {
        schemaGeneration &+= 1
        if isObserved { observationBroker.schemaDidChange() }
        publicStatements.removeAll()
        internalStatements.removeAll()
    }

    /// The error of a statement that failed, once observers know what became of the transaction.
    func failure(_ code: CInt, of statement: Statement) -> any Error {
        let databaseError = error(code, sql: statement.sql, arguments: statement.arguments)
        statement.isRunning = false
        sqlite3_reset(statement.sqliteStatement)
        return failure(code, databaseError)
    }

    /// An error of a call of SQLite that may have changed rows, once observers know what became of the transaction.
    func failure(_ code: CInt, _ databaseError: DatabaseError) -> any Error {
        didFail() ?? cancellation(code) ?? interruption(code, databaseError) ?? refusal(code, databaseError)
            ?? databaseError
    }

    /// Tells observers what became of the transaction, and returns the error of the one that is at the origin.
    private func didFail() -> (any Error)? {
        let observerError = observationBroker.hasNews ? observationBroker.didFail() : nil
        if !isInsideTransaction { currentTransactionDate = nil }
        if wasRolledBack {
            wasRolledBack = false
            schemaDidChange()
        }
        return observerError
    }

    /// Rolls the transaction back when the statement that does so could not run: for want of memory, in general. This
    /// needs none, and cannot fail.
    func rollbackWithoutStatement() {
        guard isAccessible, isInsideTransaction else { return }
        remote.sparing {
            amalgam_rollback(sqliteConnection)
            _ = didFail()
        }
    }

    /// A statement that stopped, or waited in vain, because its access was cancelled.
    func cancellation(_ code: CInt) -> (any Error)? {
        guard remote.isCancelled else { return nil }
        switch ResultCode(rawValue: code).primaryResultCode {
        case .SQLITE_INTERRUPT, .SQLITE_ABORT, .SQLITE_BUSY: return CancellationError()
        default: return nil
        }
    }

    /// The error of a call of SQLite, or of ours. SQLite's message is that of its own last error.
    package func error(
        _ code: CInt, message: String? = nil, sql: String? = nil, arguments: StatementArguments? = nil
    ) -> DatabaseError {
        var resultCode = ResultCode(rawValue: code)
        let isLastError = resultCode.primaryResultCode == lastErrorCode.primaryResultCode
        var message = message ?? (isLastError ? lastErrorMessage : nil)
        if let failure = untoldFailure {
            untoldFailure = nil
            if failure.isBehind(resultCode, message) { (resultCode, message) = (failure.code, failure.message) }
        }
        return DatabaseError(
            resultCode: resultCode, message: message, sql: sql, arguments: arguments,
            publicStatementArguments: configuration.publicStatementArguments)
    }

    /// Runs statements.
    ///
    /// ```swift
    /// try db.execute(sql: """
    ///     INSERT INTO player (name) VALUES (?);
    ///     INSERT INTO player (name) VALUES (?);
    ///     """, arguments: ["Anna", "Bo"])
    /// ```
    ///
    /// Positional arguments are spread over the statements, from left to right. Named ones serve all of them. Each
    /// statement is compiled when the ones before it have run. Rows are stepped over.
    ///
    /// - throws: the first error met; the statements before it have run. `SQLITE_MISUSE` when there are too few or
    ///   too many arguments.
    public func execute(sql: String, arguments: StatementArguments = StatementArguments()) throws {
        if let count = internalStatements.statement(sql)?.parameterCount, count == arguments.count {
            return try withStatement(sql: sql) { try $0.execute(arguments: arguments) }
        }
        let cursor = SQLStatementCursor(self, sql: sql, arguments: arguments)
        var count = 0
        while let statement = try cursor.next() {
            count += 1
            try statement.execute()
            if count == 1 && cursor.isAtEnd && recentSQL.hasSeen(sql) {
                internalStatements.insert(statement, for: sql)
            }
        }
    }

    /// Runs statements, with interpolated values as arguments.
    ///
    /// ```swift
    /// try db.execute(literal: "INSERT INTO player (name) VALUES (\(name))")
    /// ```
    public func execute(literal sqlLiteral: SQL) throws {
        let (sql, arguments) = try sqlLiteral.build(self)
        try execute(sql: sql, arguments: arguments)
    }

    /// The statements of a string, compiled one by one as the cursor reaches them.
    ///
    /// ```swift
    /// let statements = try db.allStatements(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (?)", arguments: [1])
    /// while let statement = try statements.next() {
    ///     try statement.execute()
    /// }
    /// ```
    ///
    /// - Parameter arguments: spread over the statements; with nil, each statement is left without arguments.
    public func allStatements(sql: String, arguments: StatementArguments? = nil) throws -> SQLStatementCursor {
        try checkAccess(sql: sql)
        return SQLStatementCursor(self, sql: sql, arguments: arguments)
    }

    /// The statements of a literal, compiled one by one as the cursor reaches them.
    public func allStatements(literal sqlLiteral: SQL) throws -> SQLStatementCursor {
        let (sql, arguments) = try sqlLiteral.build(self)
        return try allStatements(sql: sql, arguments: arguments.isEmpty ? nil : arguments)
    }
}
