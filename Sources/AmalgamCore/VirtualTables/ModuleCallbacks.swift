import CAmalgam
import Foundation

// The C functions that SQLite calls for the tables of all modules. They find the Swift object behind SQLite's
// structure, call it, and turn an error into a code and a message.

private typealias TablePointer = UnsafeMutablePointer<sqlite3_vtab>
private typealias CursorPointer = UnsafeMutablePointer<sqlite3_vtab_cursor>

extension sqlite3_module {
    /// The functions for the tables of a module. Where one is missing, SQLite knows that tables do not do that.
    static func callbacks(
        _ optional: OptionalTableOperations, creates: Bool, isEponymousOnly: Bool
    ) -> sqlite3_module {
        var module = sqlite3_module()
        module.iVersion = 4
        // SQLite compares the two: a module that connects as it creates has an eponymous table.
        let connect:
            @convention(c) (
                OpaquePointer?, UnsafeMutableRawPointer?, CInt, UnsafePointer<UnsafePointer<CChar>?>?,
                UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
                UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
            ) -> CInt = connectTable
        module.xConnect = connect
        module.xCreate = creates ? createTable : isEponymousOnly ? nil : connect
        module.xBestIndex = chooseIndex
        module.xDisconnect = disconnectTable
        module.xDestroy = destroyTable
        module.xOpen = openCursor
        module.xClose = closeCursor
        module.xFilter = filterCursor
        module.xNext = moveCursor
        module.xEof = isAtEnd
        module.xColumn = readColumn
        module.xRowid = readRowID
        module.addOptional(optional)
        return module
    }

    private mutating func addOptional(_ optional: OptionalTableOperations) {
        if optional.update != nil { xUpdate = updateTable }
        if optional.transaction != nil {
            xBegin = { perform($0) { try $0.definition.optional.transaction?.begin($0) } }
            xSync = { perform($0) { try $0.definition.optional.transaction?.sync($0) } }
            xCommit = { perform($0) { try $0.definition.optional.transaction?.commit($0) } }
            xRollback = { perform($0) { try $0.definition.optional.transaction?.rollback($0) } }
        }
        if optional.savepoint != nil {
            xSavepoint = { table, number in
                performUntold(table) { try $0.definition.optional.savepoint?.begin($0, number) }
            }
            xRelease = { table, number in
                performUntold(table) { try $0.definition.optional.savepoint?.release($0, number) }
            }
            xRollbackTo = { table, number in
                performUntold(table) { try $0.definition.optional.savepoint?.rollback($0, number) }
            }
        }
        if optional.rename != nil { xRename = renameTable }
        if optional.checkIntegrity != nil { xIntegrity = checkTable }
        if optional.overloadsFunctions { xFindFunction = findFunction }
        if !optional.shadowNames.isEmpty { xShadowName = ShadowNames.function(for: optional.shadowNames) }
    }
}

// MARK: - Tables

// Not members of the pointers: whoever uses such a member of any pointer would have the compiler look at SQLite's
// structures, and a program may import another `sqlite3.h` beside this module.

private func object(of table: TablePointer) -> ConnectedTable {
    let table = UnsafeMutableRawPointer(table).assumingMemoryBound(to: amalgam_table.self)
    return Unmanaged<ConnectedTable>.fromOpaque(table.pointee.object).takeUnretainedValue()
}

/// Runs an operation of a table; SQLite takes the message of an error from the table.
private func perform(_ table: TablePointer?, _ operation: (ConnectedTable) throws -> Void) -> CInt {
    guard let table else { return SQLITE_MISUSE }
    do {
        try operation(object(of: table))
        return SQLITE_OK
    } catch {
        return CallbackFailure(error).report(to: table)
    }
}

/// Runs an operation of a table whose message SQLite does not look for: the connection remembers it.
private func performUntold(_ table: TablePointer?, _ operation: (ConnectedTable) throws -> Void) -> CInt {
    guard let table else { return SQLITE_MISUSE }
    let object = object(of: table)
    do {
        try operation(object)
        return SQLITE_OK
    } catch {
        let failure = CallbackFailure(error)
        object.database.untoldFailure = UntoldFailure(withoutMessage: failure)
        return failure.code
    }
}

private func connectTable(
    _: OpaquePointer?, registration: UnsafeMutableRawPointer?, count: CInt,
    texts: UnsafePointer<UnsafePointer<CChar>?>?,
    table: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
    message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    makeTable(registration, count, texts, table, message) { $0.connect }
}

private func createTable(
    _: OpaquePointer?, registration: UnsafeMutableRawPointer?, count: CInt,
    texts: UnsafePointer<UnsafePointer<CChar>?>?,
    table: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
    message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    makeTable(registration, count, texts, table, message) { $0.create ?? $0.connect }
}

private func makeTable(
    _ registration: UnsafeMutableRawPointer?, _ count: CInt, _ texts: UnsafePointer<UnsafePointer<CChar>?>?,
    _ table: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
    _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ constructor: (ModuleDefinition) -> ModuleDefinition.Connect
) -> CInt {
    guard let registration, let table, let message else { return SQLITE_MISUSE }
    let registered = Unmanaged<ModuleRegistration>.fromOpaque(registration).takeUnretainedValue()
    let strings = (0..<Int(count)).map { index in (texts?[index]).map { String(cString: $0) } ?? "" }
    do {
        let object = try constructor(registered.definition)(VirtualTableDeclaration(registered.database, strings))
        object.definition = registered.definition
        try object.declare()
        guard let memory = sqlite3_malloc64(UInt64(MemoryLayout<amalgam_table>.size)) else { return SQLITE_NOMEM }
        let pointer = memory.bindMemory(to: amalgam_table.self, capacity: 1)
        pointer.initialize(to: amalgam_table())
        pointer.pointee.object = Unmanaged.passRetained(object).toOpaque()
        table.pointee = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: sqlite3_vtab.self)
        return SQLITE_OK
    } catch {
        return CallbackFailure(error).report(to: message)
    }
}

extension ConnectedTable {
    /// Tells SQLite the columns, options and functions.
    fileprivate func declare() throws {
        guard let connection = database.sqliteConnection else { throw Database.connectionIsClosed }
        let code = sqlite3_declare_vtab(connection, schema)
        if code != SQLITE_OK { throw database.error(code) }
        configure(connection)
        functions = VirtualTableFunction.numbered(overloads).map { OverloadedFunction($0, database) }
        for function in functions.map(\.function) {
            // SQLite must know the name before it asks the table.
            sqlite3_overload_function(connection, function.name, CInt(clamping: function.argumentCount ?? -1))
        }
    }

    private func configure(_ connection: SQLiteConnection) {
        let options = options
        if options.contains(.innocuous) { amalgam_vtab_config(connection, SQLITE_VTAB_INNOCUOUS, 0) }
        if options.contains(.directOnly) { amalgam_vtab_config(connection, SQLITE_VTAB_DIRECTONLY, 0) }
        if options.contains(.supportsConstraints) {
            amalgam_vtab_config(connection, SQLITE_VTAB_CONSTRAINT_SUPPORT, 1)
        }
        if options.contains(.usesAllSchemas) { amalgam_vtab_config(connection, SQLITE_VTAB_USES_ALL_SCHEMAS, 0) }
    }
}

private func disconnectTable(_ table: TablePointer?) -> CInt {
    guard let table else { return SQLITE_OK }
    let memory = UnsafeMutableRawPointer(table)
    let object = memory.assumingMemoryBound(to: amalgam_table.self).pointee.object
    sqlite3_free(table.pointee.zErrMsg)
    sqlite3_free(memory)
    if let object { Unmanaged<ConnectedTable>.fromOpaque(object).release() }
    return SQLITE_OK
}

private func destroyTable(_ table: TablePointer?) -> CInt {
    // The object outlives the memory that the C structure takes.
    let code = performUntold(table) { try $0.definition.table.destroy($0) }
    return code == SQLITE_OK ? disconnectTable(table) : code
}

private func chooseIndex(_ table: TablePointer?, info: UnsafeMutablePointer<sqlite3_index_info>?) -> CInt {
    guard let table, let info else { return SQLITE_MISUSE }
    let object = object(of: table)
    do {
        return try object.definition.table.bestIndex(object, info) ? SQLITE_OK : SQLITE_CONSTRAINT
    } catch {
        let failure = CallbackFailure(error)
        object.database.untoldFailure = UntoldFailure(compiling: failure)
        // SQLite takes this code for "no such plan": the message would be lost.
        let code = failure.report(to: table)
        return code & 0xFF == SQLITE_CONSTRAINT ? SQLITE_ERROR : code
    }
}

private func updateTable(
    _ table: TablePointer?, count: CInt, values: UnsafeMutablePointer<OpaquePointer?>?,
    rowID: UnsafeMutablePointer<sqlite3_int64>?
) -> CInt {
    perform(table) { object in
        guard let values else { return }
        try object.definition.optional.update?(object, count, values, rowID)
    }
}

private func renameTable(_ table: TablePointer?, name: UnsafePointer<CChar>?) -> CInt {
    perform(table) { object in
        try object.definition.optional.rename?(object, name.map { String(cString: $0) } ?? "")
    }
}

private func checkTable(
    _ table: TablePointer?, schema: UnsafePointer<CChar>?, name: UnsafePointer<CChar>?, flags: CInt,
    message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    guard let table, let message else { return SQLITE_MISUSE }
    let object = object(of: table)
    do {
        let problem = try object.definition.optional.checkIntegrity?(object, flags != 0)
        message.pointee = problem.flatMap { sqliteCopy(of: $0) }
        return SQLITE_OK
    } catch {
        let failure = CallbackFailure(error)
        object.database.untoldFailure = UntoldFailure(withoutMessage: failure)
        return failure.code
    }
}

private func findFunction(
    _ table: TablePointer?, count: CInt, name: UnsafePointer<CChar>?,
    function: UnsafeMutablePointer<
        (@convention(c) (OpaquePointer?, CInt, UnsafeMutablePointer<OpaquePointer?>?) -> Void)?
    >?,
    context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> CInt {
    guard let table, let name, let function, let context else { return 0 }
    let text = String(cString: name)
    guard let found = object(of: table).functions.first(where: { $0.function.matches(text, Int(count)) }) else {
        return 0
    }
    function.pointee = OverloadedFunction.call
    // The table keeps the function as long as it is connected.
    context.pointee = Unmanaged.passUnretained(found).toOpaque()
    return found.function.constraintOperator.map { CInt($0.rawValue) } ?? 1
}

// MARK: - Cursors

@inline(__always)
private func parts(of cursor: CursorPointer) -> UnsafeMutablePointer<amalgam_table_cursor> {
    UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: amalgam_table_cursor.self)
}

extension amalgam_table_cursor {
    /// Runs an operation of the cursor. The table keeps them alive, so nothing is retained meanwhile.
    @inline(__always)
    fileprivate func perform<Result>(
        _ operation: (CursorOperations, UnsafeMutableRawPointer) throws -> Result
    ) rethrows -> Result {
        try Unmanaged<CursorOperations>.fromOpaque(operations)._withUnsafeGuaranteedRef { try operation($0, state) }
    }
}

private func openCursor(
    _ table: TablePointer?, cursor: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab_cursor>?>?
) -> CInt {
    perform(table) { object in
        guard let memory = sqlite3_malloc64(UInt64(MemoryLayout<amalgam_table_cursor>.size)) else {
            throw DatabaseError(resultCode: .SQLITE_NOMEM)
        }
        do {
            let state = try object.definition.table.open(object)
            let pointer = memory.bindMemory(to: amalgam_table_cursor.self, capacity: 1)
            pointer.initialize(to: amalgam_table_cursor())
            pointer.pointee.operations = UnsafeRawPointer(
                Unmanaged.passUnretained(object.definition.cursor).toOpaque())
            pointer.pointee.state = state
            pointer.pointee.is_at_end = 1
            cursor?.pointee = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
        } catch {
            sqlite3_free(memory)
            throw error
        }
    }
}

private func closeCursor(_ cursor: CursorPointer?) -> CInt {
    guard let cursor else { return SQLITE_OK }
    parts(of: cursor).pointee.perform { $0.close($1) }
    sqlite3_free(cursor)
    return SQLITE_OK
}

private func filterCursor(
    _ cursor: CursorPointer?, planNumber: CInt, _: UnsafePointer<CChar>?, count: CInt,
    values: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
    let cursor = cursor.unsafelyUnwrapped
    let parts = parts(of: cursor)
    parts.pointee.is_at_end = 1
    do {
        let hasRow = try parts.pointee.perform {
            try $0.filter(object(of: cursor.pointee.pVtab), $1, planNumber, count, values)
        }
        parts.pointee.is_at_end = hasRow ? 0 : 1
        return SQLITE_OK
    } catch {
        return fail(cursor, error)
    }
}

// The functions of the loop over rows and columns are one piece each: what SQLite calls, with the failure kept apart.

/// The failure of a cursor, kept out of its loop.
@inline(never)
private func fail(_ cursor: CursorPointer, _ error: any Error) -> CInt {
    parts(of: cursor).pointee.is_at_end = 1
    return CallbackFailure(error).report(to: cursor.pointee.pVtab)
}

@inline(__always)
private func moveCursor(_ cursor: CursorPointer?) -> CInt {
    let cursor = cursor.unsafelyUnwrapped
    do {
        parts(of: cursor).pointee.is_at_end = try parts(of: cursor).pointee.perform { try $0.next($1) } ? 0 : 1
        return SQLITE_OK
    } catch {
        return fail(cursor, error)
    }
}

private func isAtEnd(_ cursor: CursorPointer?) -> CInt {
    parts(of: cursor.unsafelyUnwrapped).pointee.is_at_end
}

@inline(__always)
private func readColumn(_ cursor: CursorPointer?, context: OpaquePointer?, index: CInt) -> CInt {
    let cursor = cursor.unsafelyUnwrapped
    do {
        try parts(of: cursor).pointee.perform { try $0.column($1, index, context.unsafelyUnwrapped) }
        return SQLITE_OK
    } catch {
        return fail(cursor, error)
    }
}

private func readRowID(_ cursor: CursorPointer?, rowID: UnsafeMutablePointer<sqlite3_int64>?) -> CInt {
    let cursor = cursor.unsafelyUnwrapped
    do {
        rowID?.pointee = try parts(of: cursor).pointee.perform { try $0.rowID($1) }
        return SQLITE_OK
    } catch {
        return fail(cursor, error)
    }
}
