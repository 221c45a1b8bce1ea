import CAmalgam

extension Database {
    /// Compiles a statement.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE id = ?")
    /// let player = try Row.fetchOne(statement, arguments: [1])
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if the string has more than one statement; any error of the compilation.
    public func makeStatement(sql: String) throws -> Statement {
        try makeStatement(sql: sql, flags: 0)
    }

    /// Compiles a statement, with interpolated values as its arguments.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(literal: "SELECT * FROM player WHERE id = \(1)")
    /// // SELECT * FROM player WHERE id = ?
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if the literal has more than one statement, or values for only some of the parameters;
    ///   any error of the compilation.
    public func makeStatement(literal sqlLiteral: SQL) throws -> Statement {
        let (sql, arguments) = try sqlLiteral.build(self)
        let statement = try makeStatement(sql: sql)
        if !arguments.isEmpty { try statement.setArguments(arguments) }
        return statement
    }

    /// Returns the statement for an SQL string from the connection's cache. The first call compiles the statement.
    ///
    /// ```swift
    /// let statement = try db.cachedStatement(sql: "SELECT * FROM player WHERE id = ?")
    /// let row = try Row.fetchOne(statement, arguments: [1])
    /// ```
    ///
    /// Two calls with the same string return the same statement: don't use it for two cursors at the same time.
    ///
    /// - Throws: `SQLITE_MISUSE` outside of a database access, or if the string has more than one statement; any error
    ///   of the compilation.
    public func cachedStatement(sql: String) throws -> Statement {
        try checkAccess(sql: sql)
        if let statement = statements.cachedStatements.statement(sql) { return statement }
        let statement = try makeStatement(sql: sql, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
        statements.cachedStatements.insert(statement, for: sql)
        return statement
    }

    /// Returns the statement for a literal from the connection's cache, with interpolated values as its arguments. The
    /// first call compiles the statement.
    ///
    /// ```swift
    /// let statement = try db.cachedStatement(literal: "SELECT * FROM player WHERE id = \(1)")
    /// let row = try Row.fetchOne(statement)
    /// ```
    ///
    /// - Throws: The errors of ``makeStatement(literal:)``.
    public func cachedStatement(literal sqlLiteral: SQL) throws -> Statement {
        let (sql, arguments) = try sqlLiteral.build(self)
        let statement = try cachedStatement(sql: sql)
        if !arguments.isEmpty { try statement.setArguments(arguments) }
        return statement
    }

    private func makeStatement(sql: String, flags: UInt32) throws -> Statement {
        var sql = sql
        return try sql.withUTF8 { bytes in
            let text = SQLText(bytes)
            guard let (statement, end) = try prepare(text, from: 0, flags: flags) else {
                throw DatabaseError(message: "empty statement", sql: String(decoding: bytes, as: UTF8.self))
            }
            if text.hasStatement(from: end) {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: """
                        Multiple statements found. To execute multiple statements, use Database.execute(sql:) or \
                        Database.allStatements(sql:) instead.
                        """,
                    sql: String(decoding: bytes, as: UTF8.self))
            }
            return statement
        }
    }

    /// Compiles the first statement after `offset`.
    ///
    /// - Returns: The statement, and the offset of its end; nil if there is no statement.
    func prepare(_ text: SQLText, from offset: Int, flags: UInt32) throws -> (statement: Statement, end: Int)? {
        try checkAccess(sql: text.string(from: offset))
        try checkDepth(sql: text.string(from: offset))
        access.authorizerScope?.forgetRefusals()
        var offset = offset
        hooks.pendingError = nil
        while !text.isBlank(from: offset) {
            var sqliteStatement: SQLiteStatement?
            var tail: UnsafePointer<CChar>?
            var facts = amalgam_facts()
            let start = text.pointer + offset
            let code = amalgam_prepare(
                hooks.pointer, start, CInt(clamping: text.count - offset), flags, &sqliteStatement, &tail, &facts)
            guard code == SQLITE_OK else { throw compilationError(code, text, from: offset) }
            observation.walCommitHook?.takeSlotBack()
            noticeSchemaChanges()
            let end = tail.map { $0 - text.pointer } ?? text.count
            if let sqliteStatement {
                let sql = text.string(from: offset, to: end).trimmedSQLStatement
                let statement = Statement(self, sqliteStatement: sqliteStatement, sql: sql, facts: facts)
                if access.authorizerScope != nil { try checkProgram(of: statement) }
                #if AMALGAM_CHECKS
                statement.checkFacts()
                #endif
                return (statement, end)
            }
            // SQLite stops at a NUL character. SQL after it must not be ignored silently.
            if end <= offset || (end < text.count && text.pointer[end] == 0) {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "the SQL contains a NUL character",
                    sql: text.string(from: offset))
            }
            offset = end
        }
        return nil
    }

    /// Throws if nested statements and SQL functions that call each other might overflow the stack of the thread.
    private func checkDepth(sql: @autoclosure () -> String) throws {
        guard let sqliteConnection, amalgam_execution_depth(sqliteConnection) >= Self.maximumDepth else { return }
        throw DatabaseError(
            message: "functions run statements that call functions, too many levels deep", sql: sql())
    }

    /// The number of nested levels that fit on a stack of half a megabyte.
    private static var maximumDepth: CInt { 32 }

    private func compilationError(_ code: CInt, _ text: SQLText, from offset: Int) -> any Error {
        // SQLite's offset counts from the start of the compilation. The SQL of the error has no leading blanks.
        let errorOffset = sqlite3_error_offset(sqliteConnection)
        let sql = text.string(from: offset)
        let error = error(code, sql: sql.trimmedSQLStatement)
            .pointing(at: errorOffset < 0 ? nil : Int(errorOffset) - sql.leadingBlankCount)
        return cancellation(code) ?? interruption(code, error) ?? suspension(code, error) ?? refusal(code, error)
            ?? error
    }

    /// Compiles SQL a second time, and returns the tables and columns that the SQL reads and changes; nil if the
    /// compilation fails.
    ///
    /// - Parameter inspect: Receives the new compiled statement, which is finalized afterwards.
    func facts(sql: String, _ inspect: (SQLiteStatement) -> Void) -> StatementFacts? {
        var sqliteStatement: SQLiteStatement?
        var facts = amalgam_facts()
        guard isAccessible, sqliteConnection != nil,
            amalgam_prepare(hooks.pointer, sql, -1, 0, &sqliteStatement, nil, &facts) == SQLITE_OK
        else { return nil }
        if let sqliteStatement { inspect(sqliteStatement) }
        sqlite3_finalize(sqliteStatement)
        return StatementFacts(facts)
    }

    /// Runs a closure with a statement that no other caller uses during the call. Repeated SQL is cached.
    @usableFromInline
    package func withStatement<T>(sql: String, _ body: (Statement) throws -> T) throws -> T {
        let statement = try acquireStatement(sql: sql)
        defer { statement.returnToCache() }
        return try body(statement)
    }

    /// Makes SQLite compile all statements of the connection again before their next run.
    package func expireStatements() {
        if let sqliteConnection { amalgam_expire_statements(sqliteConnection) }
    }

    /// Returns a cached statement that no other caller uses before it is returned to the cache; nil if there is none.
    package func acquireCachedStatement(sql: String) -> Statement? {
        guard let statement = statements.sqlStatements.statement(sql), !statement.isAcquired else { return nil }
        statement.isAcquired = true
        return statement
    }

    /// Returns a statement that no other caller uses before it is returned to the cache. Repeated SQL is cached.
    package func acquireStatement(sql: String) throws -> Statement {
        if let statement = acquireCachedStatement(sql: sql) { return statement }
        let statement = try makeStatement(sql: sql)
        statements.keep(statement, for: sql)
        statement.isAcquired = true
        return statement
    }

    /// Releases the statements that the connection caches.
    package func clearStatements() {
        statements.removeAll()
        rowRecorder?.releaseStatements()
    }
}
