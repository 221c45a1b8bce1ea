public import AmalgamCore

extension Database {
    /// Looks for damage in the database: pages that are lost or used twice, rows and index entries that do not agree,
    /// values that break a NOT NULL, CHECK, UNIQUE constraint, or the types of a STRICT table.
    ///
    /// ```swift
    /// let problems = try db.integrityCheck()
    /// if !problems.isEmpty { throw DamagedDatabase(problems) }
    /// ```
    ///
    /// Foreign keys are not part of it: see ``checkForeignKeys()``. Every page is read, so this takes a while, and can
    /// be cancelled as any statement. See <https://sqlite.org/pragma.html#pragma_integrity_check>.
    ///
    /// - Parameters:
    ///   - tableName: the only table to look at. All when nil.
    ///   - schemaName: the database to look at. All of the connection when nil.
    ///   - limit: the greatest number of problems to report.
    /// - Returns: the problems in SQLite's words; an empty array for a sound database.
    /// - throws: `no such table: x`, `no such schema: x`; `SQLITE_MISUSE` for a limit below 1; an error of SQLite,
    ///   such as `SQLITE_CORRUPT`, when the schema itself cannot be read.
    public func integrityCheck(
        _ tableName: String? = nil, in schemaName: String? = nil, limit: Int = 100
    ) throws -> [String] {
        try check("integrity_check", tableName, in: schemaName, limit: limit)
    }

    /// Looks for damage in the database, without looking every row up in its indexes, and without UNIQUE constraints: a
    /// faster ``integrityCheck(_:in:limit:)``. See <https://sqlite.org/pragma.html#pragma_quick_check>.
    ///
    /// - Parameters:
    ///   - tableName: the only table to look at. All when nil.
    ///   - schemaName: the database to look at. All of the connection when nil.
    ///   - limit: the greatest number of problems to report.
    /// - Returns: the problems in SQLite's words; an empty array for a sound database.
    /// - throws: as ``integrityCheck(_:in:limit:)``.
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

    /// The pragma takes a table or a limit, and with a table its limit is 100.
    private func checkSQL(_ pragma: String, _ tableName: String?, in schemaName: String?, limit: Int) throws -> String {
        if let tableName {
            return try withTable(tableName, in: schemaName) { $0.id.pragma(pragma) }
        }
        let limit = Int32(clamping: limit)
        guard let schemaName else { return "PRAGMA \(pragma)(\(limit))" }
        let name = try schemaID(schemaIndex(schemaName)).name
        return "PRAGMA \(name.quotedDatabaseIdentifier).\(pragma)(\(limit))"
    }

    /// The statement whose rows are the violations of the main database.
    package func foreignKeyViolationStatement() throws -> Statement {
        try foreignKeyViolationStatement(table: nil, schemaName: DatabaseSchemaID.main.name)
    }

    /// The statement whose rows are the violations of a table.
    package func foreignKeyViolationStatement(in tableName: String, in schemaName: String?) throws -> Statement {
        let id = try withTable(tableName, in: schemaName) { $0.id }
        return try foreignKeyViolationStatement(table: id.name, schemaName: id.schemaID.name)
    }

    /// As a table, the pragma says which database it was asked for: <https://www.sqlite.org/pragma.html#pragfunc>.
    private func foreignKeyViolationStatement(table: String?, schemaName: String) throws -> Statement {
        let statement = try makeStatement(sql: "SELECT *, schema FROM pragma_foreign_key_check(?, ?)")
        try statement.setArguments([table, schemaName])
        return statement
    }

    /// Throws when a foreign key of the main database is violated.
    ///
    /// ```swift
    /// try db.checkForeignKeys()
    /// // SQLite error 19: FOREIGN KEY constraint violation - from player(teamId) to team(id), in [id:1 teamId:2]
    /// ```
    ///
    /// - throws: `SQLITE_CONSTRAINT_FOREIGNKEY` for the first violation; an error of SQLite, when a
    ///   foreign key refers to columns that are not a key.
    public func checkForeignKeys() throws {
        try throwFirst(foreignKeyViolationStatement())
    }

    /// Throws when a foreign key of a table is violated.
    ///
    /// - Parameter schemaName: the database to look for the table in. All when nil.
    /// - throws: `SQLITE_CONSTRAINT_FOREIGNKEY` for the first violation; `no such table: x`, `no
    ///   such schema: x`; an error of SQLite, when a foreign key refers to columns that are not a key.
    public func checkForeignKeys(in tableName: String, in schemaName: String? = nil) throws {
        try throwFirst(foreignKeyViolationStatement(in: tableName, in: schemaName))
    }

    private func throwFirst(_ violations: Statement) throws {
        guard let row = try Row.fetchOne(violations) else { return }
        throw ForeignKeyViolation(row: row).databaseError(self)
    }
}
