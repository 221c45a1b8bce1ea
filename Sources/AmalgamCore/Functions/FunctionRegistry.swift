import CAmalgam

/// The functions, collations and tokenizers of one connection that are written in Swift.
///
/// While a statement runs, SQLite refuses to replace or remove functions and collations. Such a change is deferred
/// until no statement runs, and statements use the previous function until then. Exception: a ``FunctionSlot`` replaces
/// its function immediately, without SQLite, if both functions have the same callbacks and flags. A change that fails
/// with `SQLITE_NOMEM` is deferred to the next use of the connection. Only the thread that has access to the connection
/// uses the registry.
final class FunctionRegistry {
    // Unsafe, because the deinitializer of the database calls the registry, which the database owns. A checked
    // reference to the database would trap in its deinitializer.
    unowned(unsafe) var database: Database!

    /// The changes that SQLite refused, oldest first.
    private var pending: [() -> Void] = [] {
        didSet { updateHasPending() }
    }

    /// Replaced functions that may still be running.
    private var retired: [DatabaseFunction] = [] {
        didSet { updateHasPending() }
    }

    /// Whether statements must be compiled again, because a name may refer to a different function or collation.
    private var mustExpire = false {
        didSet { updateHasPending() }
    }

    /// Whether changes are pending until no statement runs.
    private var hasPending = false {
        didSet { database.access.conditions[.waitingRegistrations] = hasPending }
    }

    /// Whether the pending changes are being applied. A nested application would change their order.
    private var isApplyingPending = false

    private var slots: [DatabaseFunction.ID: FunctionSlot] = [:]

    private var collations: Set<DatabaseCollation.ID> = []

    /// The default collations that were removed, one bit each.
    private var removedCollations: UInt = 0

    private func updateHasPending() {
        hasPending = mustExpire || !pending.isEmpty || !retired.isEmpty
    }

    /// Applies the pending changes, if no statement runs.
    func applyPending() {
        guard !isApplyingPending, let connection = database.sqliteConnection, amalgam_is_busy(connection) == 0 else {
            return
        }
        // Released last, because releasing these objects may run code of the application, which may call this method.
        let (changes, released) = (pending, retired)
        pending = []
        retired = []
        isApplyingPending = true
        for change in changes { change() }
        isApplyingPending = false
        if mustExpire { database.expireStatements() }
        mustExpire = false
        withExtendedLifetime((changes, released)) {}
    }

    /// Releases all functions and pending changes, after the connection is closed.
    func removeAll() {
        let released = (pending, retired, slots)
        (pending, retired, slots) = ([], [], [:])
        collations = []
        mustExpire = false
        withExtendedLifetime(released) {}
    }

    /// Returns the connection if functions and collations can be changed now; otherwise logs the reason.
    private func openConnection(_ what: String) -> SQLiteConnection? {
        if !database.isAccessible {
            amalgam_log(SQLITE_MISUSE, "\(what): Database was not used on the correct thread")
            return nil
        }
        if database.sqliteConnection == nil { amalgam_log(SQLITE_MISUSE, "\(what): Connection is closed") }
        return database.sqliteConnection
    }

    /// Performs a change of a function, collation or tokenizer, or defers it if SQLite is busy or out of memory.
    private func change(_ what: String, _ body: @escaping (SQLiteConnection) -> CInt) {
        guard let connection = openConnection(what) else { return }
        if hasPending { applyPending() }
        let code = pending.isEmpty ? body(connection) : SQLITE_BUSY
        switch code {
        case SQLITE_OK:
            mustExpire = true
            applyPending()
        case SQLITE_BUSY:
            amalgam_log(SQLITE_BUSY, "\(what): waits until no statement runs")
            wait(what, body)
        case SQLITE_NOMEM:
            amalgam_log(SQLITE_NOMEM, "\(what): waits until the connection is used again")
            wait(what, body)
        default:
            amalgam_log(code, "\(what): \(ResultCode(rawValue: code))")
        }
    }

    private func wait(_ what: String, _ body: @escaping (SQLiteConnection) -> CInt) {
        pending.append { [unowned self] in change(what, body) }
    }
}

// MARK: - Functions

extension FunctionRegistry {
    func add(_ function: DatabaseFunction) {
        guard function.hasUsableName else { return function.log("its name is empty, or holds a NUL character") }
        if replaces(function) { return }
        change("adding function \(function.name)()") { [unowned self] connection in
            if slots[function.id] != nil && amalgam_is_busy(connection) != 0 { return SQLITE_BUSY }
            let slot = FunctionSlot(function)
            let code = slot.register(on: connection)
            if code == SQLITE_OK { set(slot, for: function.id) }
            return code
        }
    }

    /// Sets the slot of a function. The previous slot is released after the dictionary was changed, because the release
    /// may run code of the application.
    private func set(_ slot: FunctionSlot?, for id: DatabaseFunction.ID) {
        let previous = slots[id]
        slots[id] = slot
        withExtendedLifetime(previous) {}
    }

    /// Replaces a function immediately, if the new function has the same callbacks and flags.
    ///
    /// - Returns: whether the function was replaced.
    private func replaces(_ function: DatabaseFunction) -> Bool {
        guard database.isAccessible, let connection = database.sqliteConnection, pending.isEmpty else { return false }
        guard let slot = slots[function.id] else { return false }
        let previous = slot.function
        guard slot.replace(with: function) else { return false }
        if previous !== function && amalgam_is_busy(connection) != 0 { retired.append(previous) }
        return true
    }

    func remove(_ function: DatabaseFunction) {
        guard function.hasUsableName else { return }
        change("removing function \(function.name)()") { [unowned self] connection in
            if amalgam_is_busy(connection) != 0 { return SQLITE_BUSY }
            let code = sqlite3_create_function_v2(
                connection, function.name, CInt(clamping: function.id.argumentCount), SQLITE_UTF8, nil, nil, nil, nil,
                nil)
            if code == SQLITE_OK { set(nil, for: function.id) }
            return code
        }
    }
}

// MARK: - Collations

extension FunctionRegistry {
    func add(_ collation: DatabaseCollation) {
        guard collation.hasUsableName else { return collation.log("its name is empty, or holds a NUL character") }
        change("adding collation \(collation.name)") { [unowned self] connection in
            let mayExist = collations.contains(collation.id) || collation.defaultIndex != nil
            if mayExist && amalgam_is_busy(connection) != 0 { return SQLITE_BUSY }
            let code = collation.register(on: connection, database: database)
            if code == SQLITE_OK { collations.insert(collation.id) }
            return code
        }
    }

    func remove(_ collation: DatabaseCollation) {
        guard collation.hasUsableName else { return }
        change("removing collation \(collation.name)") { [unowned self] connection in
            if amalgam_is_busy(connection) != 0 { return SQLITE_BUSY }
            if let index = collation.defaultIndex {
                removedCollations |= 1 << index
                DatabaseCollation.offerDefaults(to: connection, except: removedCollations)
            }
            collations.remove(collation.id)
            return collation.unregister(from: connection)
        }
    }
}

// MARK: - Other objects

extension FunctionRegistry {
    /// Registers an object of another kind, such as a tokenizer.
    func register(_ kind: String, named name: String, _ body: @escaping (SQLiteConnection) -> CInt) {
        if name.isEmpty || name.utf8.contains(0) {
            amalgam_log(
                SQLITE_MISUSE,
                "\(kind) \(name.debugDescription) was not added: its name is empty, or holds a NUL character")
            return
        }
        change("adding \(kind) \(name)", body)
    }
}

extension DatabaseFunction {
    fileprivate var hasUsableName: Bool { !name.isEmpty && !name.utf8.contains(0) }

    fileprivate func log(_ reason: String) {
        amalgam_log(SQLITE_MISUSE, "function \(name.debugDescription) was not added: \(reason)")
    }
}

extension DatabaseCollation {
    fileprivate var hasUsableName: Bool { !name.isEmpty && !name.utf8.contains(0) }

    fileprivate func log(_ reason: String) {
        amalgam_log(SQLITE_MISUSE, "collation \(name.debugDescription) was not added: \(reason)")
    }
}
