import AmalgamCore
import CAmalgam

// The C functions that SQLite only calls for some tables.

extension sqlite3_module {
    mutating func addOptional(_ optional: OptionalTableOperations) {
        if optional.update != nil { xUpdate = updateTable }
        if optional.transaction != nil {
            xBegin = { ModuleCallContext.perform($0) { try $0.definition.optional.transaction?.begin($0) } }
            xSync = { ModuleCallContext.perform($0) { try $0.definition.optional.transaction?.sync($0) } }
            xCommit = { ModuleCallContext.perform($0) { try $0.definition.optional.transaction?.commit($0) } }
            xRollback = { ModuleCallContext.perform($0) { try $0.definition.optional.transaction?.rollback($0) } }
        }
        if optional.savepoint != nil {
            xSavepoint = { table, number in
                ModuleCallContext.performWithoutMessage(table) {
                    try $0.definition.optional.savepoint?.begin($0, number)
                }
            }
            xRelease = { table, number in
                ModuleCallContext.performWithoutMessage(table) {
                    try $0.definition.optional.savepoint?.release($0, number)
                }
            }
            xRollbackTo = { table, number in
                ModuleCallContext.performWithoutMessage(table) {
                    try $0.definition.optional.savepoint?.rollback($0, number)
                }
            }
        }
        if optional.rename != nil { xRename = renameTable }
        if optional.checkIntegrity != nil { xIntegrity = checkTable }
        if optional.overloadsFunctions { xFindFunction = findFunction }
        if !optional.shadowNames.isEmpty { xShadowName = ShadowNames.function(for: optional.shadowNames) }
    }
}

private func updateTable(
    _ table: ModuleCallContext.Pointer?, count: CInt, values: UnsafeMutablePointer<OpaquePointer?>?,
    rowID: UnsafeMutablePointer<sqlite3_int64>?
) -> CInt {
    ModuleCallContext.perform(table) { object in
        guard let values else { return }
        try object.definition.optional.update?(object, count, values, rowID)
    }
}

private func renameTable(_ table: ModuleCallContext.Pointer?, name: UnsafePointer<CChar>?) -> CInt {
    ModuleCallContext.perform(table) { object in
        try object.definition.optional.rename?(object, name.map { String(cString: $0) } ?? "")
    }
}

private func checkTable(
    _ table: ModuleCallContext.Pointer?, schema: UnsafePointer<CChar>?, name: UnsafePointer<CChar>?, flags: CInt,
    message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    guard let table, let message else { return SQLITE_MISUSE }
    let object = ModuleCallContext.object(of: table)
    do {
        let problem = try object.definition.optional.checkIntegrity?(object, flags != 0)
        message.pointee = problem.flatMap { sqliteCopy(of: $0) }
        return SQLITE_OK
    } catch {
        let failure = CallbackFailure(error)
        object.database.hooks.pendingError = PendingCallbackError(withoutMessage: failure)
        return failure.code
    }
}

private func findFunction(
    _ table: ModuleCallContext.Pointer?, count: CInt, name: UnsafePointer<CChar>?,
    function: UnsafeMutablePointer<
        (@convention(c) (OpaquePointer?, CInt, UnsafeMutablePointer<OpaquePointer?>?) -> Void)?
    >?,
    context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> CInt {
    guard let table, let name, let function, let context else { return 0 }
    let text = String(cString: name)
    guard
        let found = ModuleCallContext.object(of: table).functions.first(where: { $0.function.matches(text, Int(count)) }
        )
    else {
        return 0
    }
    function.pointee = OverloadedFunction.call
    // The table retains the function while it is connected.
    context.pointee = Unmanaged.passUnretained(found).toOpaque()
    return found.function.constraintOperator.map { CInt($0.rawValue) } ?? 1
}
