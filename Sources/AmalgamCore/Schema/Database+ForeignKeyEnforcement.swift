import CAmalgam

extension Database {
    /// Runs a closure, outside of a transaction, while foreign keys are not enforced.
    ///
    /// The switch is that of the connection, and not the pragma: turning it back on cannot fail. A pragma would need
    /// memory, and would do nothing in a transaction that the closure has left open.
    ///
    /// - throws: the error of the closure; `SQLITE_MISUSE` inside a transaction, in the middle of which SQLite would
    ///   lose count of violations: <https://www.sqlite.org/pragma.html#pragma_foreign_keys>.
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
