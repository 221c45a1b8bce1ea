import CAmalgam
import Foundation
import Synchronization

extension Database {
    /// Opens the file at a path, or the file of another connection.
    static func open(
        _ path: String, vfsName: String?, isReadonly: Bool, isURI: Bool, _ file: DatabaseFile?
    ) throws -> SQLiteConnection {
        guard let file else { return try open(path, vfsName, isReadonly: isReadonly, isURI: isURI) }
        let connection = try open(file.path, vfsName, isReadonly: isReadonly, isURI: false)
        do {
            try file.check(connection)
        } catch {
            sqlite3_close(connection)
            throw error
        }
        return connection
    }

    private static func open(
        _ path: String, _ vfsName: String?, isReadonly: Bool, isURI: Bool
    ) throws -> SQLiteConnection {
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        flags |= isReadonly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        if isURI { flags |= SQLITE_OPEN_URI }
        // SQLite would ignore the rest of the path, and open a different file.
        if path.utf8.contains(0) {
            throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "the path contains a NUL character")
        }
        if let vfsName, vfsName.utf8.contains(0) {
            throw DatabaseError(resultCode: .SQLITE_ERROR, message: "the name of the VFS contains a NUL character")
        }
        _ = initialization
        var connection: SQLiteConnection?
        let code = sqlite3_open_v2(path, &connection, flags, vfsName)
        guard code == SQLITE_OK, let connection else {
            defer { sqlite3_close(connection) }
            throw openingError(code, path, isURI: isURI, mayCreate: !isReadonly, connection)
        }
        return connection
    }

    private static func openingError(
        _ code: CInt, _ path: String, isURI: Bool, mayCreate: Bool, _ connection: SQLiteConnection?
    ) -> DatabaseError {
        guard let connection else { return DatabaseError(code: code) }
        var error = DatabaseError(code: code, message: String(cString: sqlite3_errmsg(connection)))
        let hasReason = error.resultCode == .SQLITE_CANTOPEN || error.resultCode == .SQLITE_IOERR
        let systemError = sqlite3_system_errno(connection)
        error.context =
            hasReason && !isURI
            ? FileProblem.description(of: path, systemError: systemError, mayCreate: mayCreate) : path
        return error
    }

    /// Initializes SQLite once, on one thread. If two threads initialized SQLite by opening the first connections at
    /// the same time, ThreadSanitizer would report a race. If initialization fails, `sqlite3_open_v2` initializes
    /// SQLite again, and reports the error.
    private static let initialization = {
        let code = sqlite3_initialize()
        if code == SQLITE_OK { _ = amalgam_limit_functions() }
        return code
    }()

    func setUp(_ content: ((Database) throws -> Void)?) throws {
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
        if let role = configuration.recoveryRole { return try prepareRecovery(role) }
        for prepare in configuration.preparations { try prepare(self) }
        access.isPrepared = true
        try checkFormat()
        noticeSchemaChanges()
    }

    /// Runs the closures of `prepareDatabase`, which set a key, and register functions. Other statements may fail: one that
    /// writes, and one that reads a damaged schema, or an empty one.
    private func prepareRecovery(_ role: Configuration.RecoveryRole) throws {
        amalgam_set_query_only(sqliteConnection, 1)
        for prepare in configuration.preparations {
            do {
                try prepare(self)
            } catch let error as DatabaseError where Self.isIgnoredInRecovery(error) {
                continue
            }
        }
        access.isPrepared = true
        guard role == .newFile else { return }
        access.isBeingFilled = true
        amalgam_set_query_only(sqliteConnection, 0)
    }

    /// `SQLITE_ERROR` is also the code of an application's errors, such as a key that can't be read: then nothing may be written
    /// in clear text. So only the messages about a missing part of the schema are ignored.
    private static func isIgnoredInRecovery(_ error: DatabaseError) -> Bool {
        if error.resultCode == .SQLITE_ERROR {
            return ["no such ", "vtable constructor failed"].contains { error.message?.hasPrefix($0) == true }
        }
        return [ResultCode.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_READONLY].contains(error.resultCode)
    }

    /// Registers the functions and collations that every connection has.
    private func installDefaultExtensions() throws {
        guard let sqliteConnection else { return }
        let code = amalgam_add_decimals(sqliteConnection)
        if code != SQLITE_OK { throw error(code) }
        for slot in FunctionSlot.defaults {
            let code = slot.register(on: sqliteConnection)
            if code != SQLITE_OK { throw error(code) }
        }
        DatabaseCollation.offerDefaults(to: sqliteConnection, except: 0)
    }

    private func fill(_ content: (Database) throws -> Void) throws {
        access.isBeingFilled = true
        defer { access.isBeingFilled = false }
        try content(self)
        access.wasFilled = true
        if configuration.readonly { amalgam_set_query_only(sqliteConnection, 1) }
    }

    package func set(_ option: CInt, _ value: Bool) { _ = configure(option, value ? 1 : 0) }

    /// Sets an option of the connection, or reads it if `newValue` is −1: <https://sqlite.org/c3ref/db_config.html>.
    ///
    /// - Returns: SQLite's result code, and the value of the option; `SQLITE_MISUSE` and 0 if the connection is closed. A
    ///   closure of the application may have closed the connection before an option is restored.
    package func configure(_ option: CInt, _ newValue: CInt) -> (code: CInt, value: CInt) {
        guard let sqliteConnection else { return (SQLITE_MISUSE, 0) }
        var value: CInt = 0
        let code = amalgam_db_config(sqliteConnection, option, newValue, &value)
        return (code, value)
    }

    /// Returns the callback that decides whether the connection waits for a lock, or nil if it never waits.
    package func makeBusyCallback() -> BusyCallback? {
        switch configuration.busyMode {
        case .immediateError: configuration.ownReads.map(Self.waiting(for:))
        // Limits the duration, so that any number of seconds is accepted.
        case .timeout(let seconds): Self.waiting(seconds: seconds.isNaN ? 0 : min(max(0, seconds), 1e9))
        case .callback(let callback): callback
        }
    }

    private func setUpBusyMode() {
        access.busyCallback = makeBusyCallback()
        guard access.busyCallback != nil else { return }
        sqlite3_busy_handler(
            sqliteConnection,
            { context, numberOfTries in
                let db = Unmanaged<Database>.fromOpaque(context!).takeUnretainedValue()
                let isStopped = db.access.interrupter.isCancelled || db.access.interrupter.isSuspended
                let mayWait = !isStopped && db.access.progressMonitor?.mayWait() != false
                return mayWait && db.duringCallback { db.access.busyCallback?(Int(numberOfTries)) == true } ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Returns a callback that waits at most half a second, while the connection is opened, or reads of the same pool are
    /// in progress.
    private static func waiting(for ownReads: ReadActivity) -> BusyCallback {
        let wait = waiting(seconds: 0.5) { _ in .milliseconds(1) }
        return { numberOfTries in ownReads.isUnderWay && wait(numberOfTries) }
    }

    /// Returns a busy callback that sleeps for a few milliseconds in each call, as SQLite's own timeout does, so that
    /// cancellations are checked between two calls.
    private static func waiting(
        seconds: TimeInterval,
        step: @escaping @Sendable (_ numberOfTries: Int) -> Duration = { .milliseconds($0 < 5 ? 1 + $0 : 20) }
    ) -> BusyCallback {
        let deadline = Mutex<ContinuousClock.Instant?>(nil)
        return { numberOfTries in
            let now = ContinuousClock.now
            let limit = deadline.withLock { deadline in
                if numberOfTries == 0 { deadline = now + .seconds(seconds) }
                return deadline ?? now
            }
            guard now < limit else { return false }
            Thread.sleep(forTimeInterval: min(step(numberOfTries), limit - now) / .seconds(1))
            return true
        }
    }

    /// Reads the schema, so that opening a file that isn't a database throws an error. The method runs no statement,
    /// because a trace closure of the application would receive it.
    private func checkFormat() throws {
        let code = sqlite3_table_column_metadata(
            sqliteConnection, nil, "sqlite_master", nil, nil, nil, nil, nil, nil)
        if code == SQLITE_OK { return }
        if ResultCode(rawValue: code).primaryResultCode == .SQLITE_NOTADB { throw Self.notADatabase(path) }
        var error = error(code)
        error.context = path
        throw error
    }

    /// The error for a file that SQLite can't read. With the trait Encryption, it lists the possible reasons: only the key
    /// tells encrypted bytes from others.
    package static func notADatabase(_ path: String) -> DatabaseError {
        let reasons = "wrong pass phrase, other cipher settings, a database that isn't encrypted, or something else"
        var error = DatabaseError(
            resultCode: .SQLITE_NOTADB,
            message: "file is not a database" + (SQLiteBuild.cipher == nil ? "" : " (\(reasons))"))
        error.context = path
        return error
    }

    private func installHooks() throws {
        var callbacks = amalgam_callbacks(
            owner: Unmanaged.passUnretained(self).toOpaque(),
            observes_deletions: { owner, schema, table in
                guard let table else { return 0 }
                let db = Unmanaged<Database>.fromOpaque(owner!).takeUnretainedValue()
                return db.observation.isActive && db.observesDeletions(String(cString: table)) ? 1 : 0
            },
            row_will_change: { owner, operation, schema, table, oldRowID, newRowID, hasRowID, isShadow in
                let change = RowChange(
                    operation: operation, schema: schema!, table: table!, oldRowID: oldRowID, newRowID: newRowID,
                    hasRowID: hasRowID != 0, isShadow: isShadow != 0)
                Unmanaged<Database>.fromOpaque(owner!)._withUnsafeGuaranteedRef {
                    $0.observation.broker.rowWillChange(change)
                }
            },
            recompiles: { owner, action, table, column, isVirtual in
                let db = Unmanaged<Database>.fromOpaque(owner!).takeUnretainedValue()
                db.noticeSchemaChanges()
                if db.observation.isActive {
                    db.observation.broker.statementRecompiles()
                    if isVirtual != 0, let kind = DatabaseEventKind(action, table, column) {
                        db.observation.broker.virtualTableMayChange(kind)
                    }
                }
                db.rowRecorder?.statementRecompiles()
            },
            will_commit: { owner in
                Unmanaged<Database>.fromOpaque(owner!).takeUnretainedValue().observation.broker.willCommit() ? 0 : 1
            },
            did_rollback: { owner in
                let db = Unmanaged<Database>.fromOpaque(owner!).takeUnretainedValue()
                db.transaction.wasRolledBack = true
                db.transactionOfApplicationsDidEnd()
                db.observation.broker.didRollback()
                db.rowRecorder?.transactionDidRollback()
            },
            savepoint_will_change: { owner, operation, name in
                guard let operation, let name else { return }
                let db = Unmanaged<Database>.fromOpaque(owner!).takeUnretainedValue()
                db.observation.broker.savepointWillChange(String(cString: operation), String(cString: name))
            },
            listeners_did_change: { owner in
                Unmanaged<Database>.fromOpaque(owner!).takeUnretainedValue().observersDidChange()
            },
            refuses_pragma: { owner, effect in
                Unmanaged<Database>.fromOpaque(owner!).takeUnretainedValue().refusesPragma(effect) ? 1 : 0
            })
        guard let pointer = amalgam_hooks_create(sqliteConnection, &callbacks) else {
            throw DatabaseError(resultCode: .SQLITE_NOMEM)
        }
        hooks.pointer = pointer
        if configuration.strictDecoding { amalgam_hooks_decode_strictly(pointer) }
        schema.didInstall(pointer)
    }

    private func observesDeletions(_ table: String) -> Bool {
        observation.broker.observesDeletions(table) || rowRecorder?.recordsDeletions(table) == true
    }

    func reportRows(_ isOn: Bool) {
        if let hooks = hooks.pointer { amalgam_hooks_report_rows(hooks, isOn ? 1 : 0) }
    }

    /// Runs a closure, outside of a transaction, without enforcing foreign keys.
    ///
    /// This sets an option of the connection rather than executing `PRAGMA foreign_keys`, because restoring the option
    /// can't fail. The pragma needs memory. It also has no effect if the closure has left a transaction open.
    ///
    /// - Throws: The error of the closure; `SQLITE_MISUSE` inside a transaction, where a change of the option would
    ///   make SQLite's count of violations wrong: <https://www.sqlite.org/pragma.html#pragma_foreign_keys>.
    package func withoutForeignKeys<T>(_ body: () throws -> T) throws -> T {
        try checkAccess()
        guard enforcesForeignKeys else { return try body() }
        if isInsideTransaction {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "Foreign keys cannot be turned off inside a transaction.")
        }
        set(SQLITE_DBCONFIG_ENABLE_FKEY, false)
        defer { set(SQLITE_DBCONFIG_ENABLE_FKEY, true) }
        return try body()
    }

    private var enforcesForeignKeys: Bool { configure(SQLITE_DBCONFIG_ENABLE_FKEY, -1).value != 0 }
}
