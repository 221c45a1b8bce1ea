import CAmalgam

extension Database {
    /// Compiles a statement.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE id = ?")
    /// ```
    ///
    /// - throws: `SQLITE_MISUSE` when there is more than one statement; any error of the compilation.
    public func makeStatement(sql: String) throws -> Statement {
        try makeStatement(sql: sql, flags: 0)
    }

    /// Compiles a statement. Interpolated values are its arguments.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(literal: "SELECT * FROM player WHERE id = \(1)")
    /// ```
    ///
    /// - throws: `SQLITE_MISUSE` when there is more than one statement, or when values are given for a part of the
    ///   parameters only; any error of the compilation.
    public func makeStatement(literal sqlLiteral: SQL) throws -> Statement {
        let (sql, arguments) = try sqlLiteral.build(self)
        let statement = try makeStatement(sql: sql)
        if !arguments.isEmpty { try statement.setArguments(arguments) }
        return statement
    }

    /// The statement of this SQL, compiled once per connection.
    ///
    /// ```swift
    /// let statement = try db.cachedStatement(sql: "SELECT * FROM player WHERE id = ?")
    /// let row = try Row.fetchOne(statement, arguments: [1])
    /// ```
    ///
    /// Asking twice gives the same object: do not use it for two cursors at the same time.
    public func cachedStatement(sql: String) throws -> Statement {
        try checkAccess(sql: sql)
        if let statement = statements.cachedStatements.statement(sql) { return statement }
        let statement = try makeStatement(sql: sql, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
        statements.cachedStatements.insert(statement, for: sql)
        return statement
    }

    /// The statement of this SQL, compiled once per connection, with interpolated values as its arguments.
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
    /// - Returns: the statement and where it ends; nil when there is none.
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
                return (Statement(self, sqliteStatement: sqliteStatement, sql: sql, facts: facts), end)
            }
            // SQLite stops at a NUL character. What comes after it must not be forgotten in silence.
            if end <= offset || (end < text.count && text.pointer[end] == 0) {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "the SQL contains a NUL character",
                    sql: text.string(from: offset))
            }
            offset = end
        }
        return nil
    }

    /// A function that runs statements which call it would else exhaust the stack of the thread.
    private func checkDepth(sql: @autoclosure () -> String) throws {
        guard let sqliteConnection, amalgam_execution_depth(sqliteConnection) >= Self.maximumDepth else { return }
        throw DatabaseError(
            message: "functions run statements that call functions, too many levels deep", sql: sql())
    }

    /// As many levels as fit on the stack of a thread of half a megabyte.
    private static var maximumDepth: CInt { 32 }

    private func compilationError(_ code: CInt, _ text: SQLText, from offset: Int) -> any Error {
        // The offset counts from where the compilation began; the error shows the statement without its blanks.
        let errorOffset = sqlite3_error_offset(sqliteConnection)
        let sql = text.string(from: offset)
        let error = error(code, sql: sql.trimmedSQLStatement)
            .pointing(at: errorOffset < 0 ? nil : Int(errorOffset) - sql.leadingBlankCount)
        return cancellation(code) ?? interruption(code, error) ?? suspension(code, error) ?? refusal(code, error)
            ?? error
    }

    /// What a statement would read and do if it was compiled now; nil when it does not compile any more.
    ///
    /// - Parameter inspect: gets the statement that was compiled to find out.
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

    /// Runs a closure with a statement that no other caller uses during the call. SQL that is run again is compiled once.
    @usableFromInline
    package func withStatement<T>(sql: String, _ body: (Statement) throws -> T) throws -> T {
        let statement = try acquireStatement(sql: sql)
        defer { statement.isAcquired = false }
        return try body(statement)
    }

    /// Has statements compile again before they run.
    package func expireStatements() {
        if let sqliteConnection { amalgam_expire_statements(sqliteConnection) }
    }

    /// Acquires a statement, until its `isAcquired` is reset. SQL that is run again is compiled once.
    package func acquireStatement(sql: String) throws -> Statement {
        if let statement = statements.sqlStatements.statement(sql), !statement.isAcquired {
            statement.isAcquired = true
            return statement
        }
        let statement = try makeStatement(sql: sql)
        statements.keep(statement, for: sql)
        statement.isAcquired = true
        return statement
    }

    /// Releases the statements kept by the connection.
    package func clearStatements() {
        statements.removeAll()
        rowRecorder?.releaseStatements()
    }
}
