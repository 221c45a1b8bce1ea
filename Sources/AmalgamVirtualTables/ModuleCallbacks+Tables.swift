import AmalgamCore
import CAmalgam

// The C functions for a table.

extension sqlite3_module {
    mutating func addTables(creates: Bool, isEponymousOnly: Bool) {
        // SQLite compares both pointers: a module whose xCreate and xConnect are equal has an eponymous table.
        let connect:
            @convention(c) (
                OpaquePointer?, UnsafeMutableRawPointer?, CInt, UnsafePointer<UnsafePointer<CChar>?>?,
                UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
                UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
            ) -> CInt = connectTable
        xConnect = connect
        xCreate = creates ? createTable : isEponymousOnly ? nil : connect
        xBestIndex = chooseIndex
        xDisconnect = disconnectTable
        xDestroy = destroyTable
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

private func disconnectTable(_ table: ModuleCallContext.Pointer?) -> CInt {
    guard let table else { return SQLITE_OK }
    let memory = UnsafeMutableRawPointer(table)
    let object = memory.assumingMemoryBound(to: amalgam_table.self).pointee.object
    sqlite3_free(table.pointee.zErrMsg)
    sqlite3_free(memory)
    if let object { Unmanaged<ConnectedTable>.fromOpaque(object).release() }
    return SQLITE_OK
}

private func destroyTable(_ table: ModuleCallContext.Pointer?) -> CInt {
    // Like xDisconnect, xDestroy must free the C structure and release the object, but only if the table was destroyed.
    let code = ModuleCallContext.performWithoutMessage(table) { try $0.definition.table.destroy($0) }
    return code == SQLITE_OK ? disconnectTable(table) : code
}

private func chooseIndex(_ table: ModuleCallContext.Pointer?, info: UnsafeMutablePointer<sqlite3_index_info>?) -> CInt {
    guard let table, let info else { return SQLITE_MISUSE }
    let object = ModuleCallContext.object(of: table)
    do {
        return try object.definition.table.bestIndex(object, info) ? SQLITE_OK : SQLITE_CONSTRAINT
    } catch {
        let failure = CallbackFailure(error)
        object.database.hooks.pendingError = PendingCallbackError(compiling: failure)
        // SQLite interprets `SQLITE_CONSTRAINT` as a missing plan, and would lose the error message.
        let code = failure.report(to: table)
        return code & 0xFF == SQLITE_CONSTRAINT ? SQLITE_ERROR : code
    }
}
