import CAmalgam

// What SQLite calls for tables that do more than be read.

extension sqlite3_module {
    mutating func addOptional(_ optional: OptionalTableOperations) {
        if optional.update != nil { xUpdate = updateTable }
        if optional.transaction != nil {
            xBegin = { TableCall.perform($0) { try $0.definition.optional.transaction?.begin($0) } }
            xSync = { TableCall.perform($0) { try $0.definition.optional.transaction?.sync($0) } }
            xCommit = { TableCall.perform($0) { try $0.definition.optional.transaction?.commit($0) } }
            xRollback = { TableCall.perform($0) { try $0.definition.optional.transaction?.rollback($0) } }
        }
        if optional.savepoint != nil {
            xSavepoint = { table, number in
                TableCall.performUntold(table) { try $0.definition.optional.savepoint?.begin($0, number) }
            }
            xRelease = { table, number in
                TableCall.performUntold(table) { try $0.definition.optional.savepoint?.release($0, number) }
            }
            xRollbackTo = { table, number in
                TableCall.performUntold(table) { try $0.definition.optional.savepoint?.rollback($0, number) }
            }
        }
        if optional.rename != nil { xRename = renameTable }
        if optional.checkIntegrity != nil { xIntegrity = checkTable }
        if optional.overloadsFunctions { xFindFunction = findFunction }
        if !optional.shadowNames.isEmpty { xShadowName = ShadowNames.function(for: optional.shadowNames) }
    }
}

private func updateTable(
    _ table: TableCall.Pointer?, count: CInt, values: UnsafeMutablePointer<OpaquePointer?>?,
    rowID: UnsafeMutablePointer<sqlite3_int64>?
) -> CInt {
    TableCall.perform(table) { object in
        guard let values else { return }
        try object.definition.optional.update?(object, count, values, rowID)
    }
}

private func renameTable(_ table: TableCall.Pointer?, name: UnsafePointer<CChar>?) -> CInt {
    TableCall.perform(table) { object in
        try object.definition.optional.rename?(object, name.map { String(cString: $0) } ?? "")
    }
}

private func checkTable(
    _ table: TableCall.Pointer?, schema: UnsafePointer<CChar>?, name: UnsafePointer<CChar>?, flags: CInt,
    message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    guard let table, let message else { return SQLITE_MISUSE }
    let object = TableCall.object(of: table)
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
    _ table: TableCall.Pointer?, count: CInt, name: UnsafePointer<CChar>?,
    function: UnsafeMutablePointer<
        (@convention(c) (OpaquePointer?, CInt, UnsafeMutablePointer<OpaquePointer?>?) -> Void)?
    >?,
    context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> CInt {
    guard let table, let name, let function, let context else { return 0 }
    let text = String(cString: name)
    guard let found = TableCall.object(of: table).functions.first(where: { $0.function.matches(text, Int(count)) })
    else {
        return 0
    }
    function.pointee = OverloadedFunction.call
    // The table keeps the function as long as it is connected.
    context.pointee = Unmanaged.passUnretained(found).toOpaque()
    return found.function.constraintOperator.map { CInt($0.rawValue) } ?? 1
}
