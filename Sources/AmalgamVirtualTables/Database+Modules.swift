public import AmalgamCore
import CAmalgam

extension Database {
    /// Registers a module of virtual tables on this connection, and replaces an existing module with the same name.
    /// Tables of `CREATE VIRTUAL TABLE` that are already connected continue to use the replaced module.
    ///
    /// ```swift
    /// try db.add(module: DatabaseModule("weekdays") { _ in Weekdays() })
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` outside of a database access, or if the name is empty or contains a NUL character.
    public func add(module: DatabaseModule) throws {
        try checkAccess()
        try check(moduleName: module.name)
        let registration = ModuleRegistration(module.definition, self)
        try register(module.name, module.definition.module, Unmanaged.passRetained(registration).toOpaque())
    }

    /// Removes a module from this connection, and its eponymous table. Tables of `CREATE VIRTUAL TABLE` that are
    /// already connected continue to use the module. Statements that use other tables of this module throw
    /// `no such module`.
    ///
    /// ```swift
    /// try db.remove(module: weekdays)
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` outside of a database access, or if the name is empty or contains a NUL character.
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

    /// - Parameter registration: a retained object. SQLite releases this object, even if the call fails.
    private func register(
        _ name: String, _ module: UnsafeMutableRawPointer?, _ registration: UnsafeMutableRawPointer?
    ) throws {
        let functions = module?.assumingMemoryBound(to: sqlite3_module.self)
        let code = sqlite3_create_module_v2(sqliteConnection, name, functions, registration) { registration in
            if let registration { Unmanaged<ModuleRegistration>.fromOpaque(registration).release() }
        }
        if code != SQLITE_OK { throw error(code) }
        // Compiled statements still refer to tables of the replaced module.
        expireStatements()
    }
}

// MARK: - Table-valued functions

extension Database {
    /// Registers a table-valued function on this connection, and replaces an existing one with the same name.
    ///
    /// ```swift
    /// try db.add(tableFunction: series)
    /// // SELECT value FROM series(1, 10)
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` outside of a database access, if the name is empty or contains a NUL character, or if
    ///   the function has no columns.
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
    /// ```swift
    /// try db.remove(tableFunction: series)
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` outside of a database access.
    public func remove(tableFunction function: DatabaseTableFunction) throws {
        try remove(module: function.module)
        setRegions([], ofTableFunction: function.name)
    }
}
