public import AmalgamCore

extension Database {
    /// Checks the database for corruption: pages that are lost or used twice, rows and index entries that don't match,
    /// and values that violate a NOT NULL, CHECK or UNIQUE constraint, or the types of a STRICT table.
    ///
    /// ```swift
    /// let problems = try db.integrityCheck()
    /// if !problems.isEmpty { print("The database is damaged:", problems) }
    /// ```
    ///
    /// Foreign keys aren't checked: see ``checkForeignKeys()``. A full-text index with external content that doesn't match
    /// the content isn't reported: `FTS5Index.checkIntegrity` and `FTS4Index.checkIntegrity` compare them. The check reads every page, which takes time, and can
    /// be interrupted like any statement. See <https://sqlite.org/pragma.html#pragma_integrity_check>.
    ///
    /// - Parameters:
    ///   - tableName: the table to check. If nil, all tables are checked.
    ///   - schemaName: the schema to check. If nil, all schemas of the connection are checked.
    ///   - limit: the maximum number of reported problems. For a single table, SQLite reports at most 100 problems,
    ///     even if the limit is higher.
    /// - Returns: SQLite's descriptions of the problems. The array is empty for an intact database.
    /// - Throws: `no such table: x`, `no such schema: x`; `SQLITE_MISUSE` if the limit is less than 1; a
    ///   ``DatabaseError``, such as `SQLITE_CORRUPT`, if the schema can't be read.
    public func integrityCheck(
        _ tableName: String? = nil, in schemaName: String? = nil, limit: Int = 100
    ) throws -> [String] {
        try check("integrity_check", tableName, in: schemaName, limit: limit)
    }

    /// Checks the database for corruption, but doesn't compare rows with index entries, and doesn't check UNIQUE
    /// constraints. This is faster than ``integrityCheck(_:in:limit:)``. See
    /// <https://sqlite.org/pragma.html#pragma_quick_check>.
    ///
    /// ```swift
    /// let problems = try db.quickCheck()
    /// // PRAGMA quick_check(100)
    /// ```
    ///
    /// - Parameters:
    ///   - tableName: the table to check. If nil, all tables are checked.
    ///   - schemaName: the schema to check. If nil, all schemas of the connection are checked.
    ///   - limit: the maximum number of reported problems. For a single table, SQLite reports at most 100 problems,
    ///     even if the limit is higher.
    /// - Returns: SQLite's descriptions of the problems. The array is empty for an intact database.
    /// - Throws: the errors of ``integrityCheck(_:in:limit:)``.
    public func quickCheck(
        _ tableName: String? = nil, in schemaName: String? = nil, limit: Int = 100
    ) throws -> [String] {
        try check("quick_check", tableName, in: schemaName, limit: limit)
    }

    private func check(_ pragma: String, _ tableName: String?, in schemaName: String?, limit: Int) throws -> [String] {
        try checkAccess()
        if limit < 1 {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the limit of a check is 1 at least, not \(limit)")
        }
        let sql = try checkSQL(pragma, tableName, in: schemaName, limit: limit)
        let problems = try String.fetchAll(makeStatement(sql: sql))
        return problems == ["ok"] ? [] : Array(problems.prefix(limit))
    }

    /// Returns the SQL of the pragma, which accepts either a table or a limit. For a table, SQLite's limit is 100.
    private func checkSQL(_ pragma: String, _ tableName: String?, in schemaName: String?, limit: Int) throws -> String {
        if let tableName {
            return try withTable(tableName, in: schemaName) { $0.id.pragma(pragma) }
        }
        let limit = Int32(clamping: limit)
        guard let schemaName else { return "PRAGMA \(pragma)(\(limit))" }
        let name = try schemaID(schemaIndex(schemaName)).name
        return "PRAGMA \(name.quotedDatabaseIdentifier).\(pragma)(\(limit))"
    }

    /// Returns the statement whose rows are the violations in the main database.
    package func foreignKeyViolationStatement() throws -> Statement {
        try foreignKeyViolationStatement(table: nil, schemaName: DatabaseSchemaID.main.name)
    }

    /// Returns the statement whose rows are the violations of a table.
    package func foreignKeyViolationStatement(in tableName: String, in schemaName: String?) throws -> Statement {
        let id = try withTable(tableName, in: schemaName) { $0.id }
        return try foreignKeyViolationStatement(table: id.name, schemaName: id.schemaID.name)
    }

    /// Returns a statement that selects from the table-valued function of `PRAGMA foreign_key_check`, whose arguments
    /// are a table and a schema: <https://www.sqlite.org/pragma.html#pragfunc>.
    private func foreignKeyViolationStatement(table: String?, schemaName: String) throws -> Statement {
        let statement = try makeStatement(sql: "SELECT *, schema FROM pragma_foreign_key_check(?, ?)")
        try statement.setArguments([table, schemaName])
        return statement
    }

    /// Checks the foreign keys of the main database, and throws the first violation.
    ///
    /// ```swift
    /// try db.checkForeignKeys()
    /// // SQLite error 19: FOREIGN KEY constraint violation - from player(teamId) to team(id), in [id:1 teamId:2]
    /// ```
    ///
    /// - Throws: `SQLITE_CONSTRAINT_FOREIGNKEY` for the first violation; a ``DatabaseError`` if a foreign key refers to
    ///   columns that aren't a primary key or unique.
    public func checkForeignKeys() throws {
        try throwFirst(foreignKeyViolationStatement())
    }

    /// Checks the foreign keys of a table, and throws the first violation.
    ///
    /// ```swift
    /// try db.checkForeignKeys(in: "player")
    /// ```
    ///
    /// - Parameter schemaName: the schema of the table: `main`, `temp`, or the name of an attached database. If nil,
    ///   the table is searched in all schemas.
    /// - Throws: `SQLITE_CONSTRAINT_FOREIGNKEY` for the first violation; `no such table: x`, `no such schema: x`; a
    ///   ``DatabaseError`` if a foreign key refers to columns that aren't a primary key or unique.
    public func checkForeignKeys(in tableName: String, in schemaName: String? = nil) throws {
        try throwFirst(foreignKeyViolationStatement(in: tableName, in: schemaName))
    }

    /// Checks the foreign keys of the main database, and of the temporary and attached databases that the transaction may
    /// have changed, and throws the first violation.
    package func checkForeignKeysBeforeCommit() throws {
        try checkForeignKeys()
        for name in try attachedDatabases().map(\.schemaID.name)
        where name != DatabaseSchemaID.main.name && transactionState(name) == .write {
            try throwFirst(foreignKeyViolationStatement(table: nil, schemaName: name))
        }
    }

    private func throwFirst(_ violations: Statement) throws {
        guard let row = try Row.fetchOne(violations) else { return }
        throw ForeignKeyViolation(row: row).databaseError(self)
    }
}
