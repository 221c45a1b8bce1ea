public import AmalgamCore
import CAmalgam

extension Database {
    /// Makes virtual tables of a module available on this connection, in the place of those of a former module with
    /// the same name. Tables in use keep the module that they were connected with.
    ///
    /// - throws: `SQLITE_MISUSE` when the name is empty or contains a NUL character.
    public func add(module: DatabaseModule) throws {
        try checkAccess()
        try check(moduleName: module.name)
        let registration = ModuleRegistration(module.definition, self)
        try register(module.name, module.definition.module, Unmanaged.passRetained(registration).toOpaque())
    }

    /// Removes a module from this connection. Tables in use keep it; others cannot be connected any more: `no such
    /// module`.
    ///
    /// - throws: `SQLITE_MISUSE` outside of an access, and for a name that is none.
    public func remove(module: DatabaseModule) throws {
        try checkAccess()
        try check(moduleName: module.name)
        try register(module.name, nil, nil)
    }

    private func check(moduleName name: String) throws {
        guard name.isEmpty || name.utf8.contains(0) else { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE, message: "a module needs a name without NUL characters")
    }

    /// - Parameter registration: retained for SQLite, which releases it, also when it fails.
    private func register(
        _ name: String, _ module: UnsafeMutableRawPointer?, _ registration: UnsafeMutableRawPointer?
    ) throws {
        let functions = module?.assumingMemoryBound(to: sqlite3_module.self)
        let code = sqlite3_create_module_v2(sqliteConnection, name, functions, registration) { registration in
            if let registration { Unmanaged<ModuleRegistration>.fromOpaque(registration).release() }
        }
        if code != SQLITE_OK { throw error(code) }
        // Statements compiled before hold on to the table of the former module.
        expireStatements()
    }
}

// MARK: - Table-valued functions

extension Database {
    /// Makes a table-valued function available on this connection, in the place of a former one with the same name.
    ///
    /// - throws: `SQLITE_MISUSE` when the name is empty or contains a NUL character, or a table has no columns.
    public func add(tableFunction function: DatabaseTableFunction) throws {
        if function.columns.isEmpty {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "table function \(function.name) needs a column")
        }
        try add(module: function.module)
        setRegions(function.regions, ofTableFunction: function.name)
    }

    /// Removes a table-valued function from this connection.
    ///
    /// - throws: `SQLITE_MISUSE` outside of an access.
    public func remove(tableFunction function: DatabaseTableFunction) throws {
        try remove(module: function.module)
        setRegions([], ofTableFunction: function.name)
    }
}
