import CAmalgam

extension Statement {
    /// Runs the statement to its end, with values that a closure binds to the C statement for this run only.
    ///
    /// - Parameters:
    ///   - bind: binds the values, and returns a result code of SQLite.
    ///   - row: called for each row.
    /// - Throws: the error of binding, of running the statement, or of `row`.
    package func run(
        binding bind: (SQLiteStatement) -> CInt, row: (SQLiteStatement) throws -> Void = { _ in }
    ) throws {
        try checkAccess()
        storeBoundValues()
        restart()
        values = .valuesOfRun
        hasBoundArguments = false
        defer {
            resetAndClear()
            values = .arguments
        }
        let code = bind(sqliteStatement)
        if code != SQLITE_OK { throw database.error(code, sql: sql) }
        if database.access.isSuspended { try database.checkLocks(of: self) }
        while try step() { try row(sqliteStatement) }
    }
}
