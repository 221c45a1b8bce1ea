import CAmalgam

extension Database {
    /// Runs a closure in which another closure decides what statements may do.
    ///
    /// ```swift
    /// try db.withAuthorizer { action in
    ///     action.tableName == "secret" ? .deny : .allow
    /// } perform: {
    ///     try Row.fetchAll(db, sql: sql)
    /// }
    /// ```
    ///
    /// The authorizer is called while a statement is compiled, once for each thing that it would do. Statements are
    /// compiled anew inside, and serve nowhere else: one that comes from outside, or leaves, throws `SQLITE_MISUSE`.
    /// Nested authorizers must all agree. What Amalgam runs by itself (COMMIT, transaction observers) is not asked
    /// for. See <https://sqlite.org/c3ref/set_authorizer.html>, and ``sandboxed(_:_:)`` for SQL of strangers.
    ///
    /// - Parameter authorizer: decides on an action. It must not use the connection. An error that it throws denies
    ///   the action, and comes out of the method that compiles the statement.
    /// - throws: the error of `body`; inside, `SQLITE_AUTH` for statements that were denied something: see
    ///   ``DatabaseError/deniedAction``.
    public func withAuthorizer<T>(
        _ authorizer: (AuthorizerAction) throws -> AuthorizerDecision, perform body: () throws -> T
    ) throws -> T {
        try withoutActuallyEscaping(authorizer) { authorizer in
            try withAuthorizer(authorizer, maximumRowCount: nil, body)
        }
    }

    /// The same, with a limit of the rows that are read inside; nil for none.
    package func withAuthorizer<T>(
        _ authorizer: @escaping (AuthorizerAction) throws -> AuthorizerDecision, maximumRowCount: Int?,
        _ body: () throws -> T
    ) throws -> T {
        try checkAccess()
        access.authorizerScopeCount += 1
        let scope = AuthorizerScope(
            number: access.authorizerScopeCount, outer: access.authorizerScope, maximumRowCount: maximumRowCount,
            authorizer: authorizer)
        return try inScope(scope, body)
    }

    /// Runs a closure for which no authorizer is asked: what Amalgam does by itself.
    func withoutAuthorizer<T>(_ body: () throws -> T) rethrows -> T {
        guard access.authorizerScope != nil else { return try body() }
        return try inScope(nil, body)
    }

    private func inScope<T>(_ scope: AuthorizerScope?, _ body: () throws -> T) rethrows -> T {
        let outer = access.authorizerScope
        let saved = statements.saveAndRemoveCached(schema.state.stamp)
        setAuthorizerScope(scope)
        defer {
            setAuthorizerScope(outer)
            statements.restore(saved, sqliteConnection == nil ? nil : schema.state.stamp)
        }
        return try body()
    }

    /// SQLite's authorizer, beside the collection of facts.
    func decide(_ action: AuthorizerAction) -> AuthorizerDecision {
        guard let authorizerScope = access.authorizerScope else { return .allow }
        return duringCallback { authorizerScope.decide(action) }
    }

    private func setAuthorizerScope(_ scope: AuthorizerScope?) {
        access.authorizerScope = scope
        guard let hooks = hooks.pointer else { return }
        guard scope != nil else { return amalgam_hooks_set_policy(hooks, nil) }
        amalgam_hooks_set_policy(hooks) { owner, action, first, second, schema, accessor, circumstances in
            let action = AuthorizerAction(
                kind: AuthorizerAction.Kind(rawValue: action), first: first.map { String(cString: $0) },
                second: second.map { String(cString: $0) }, schemaName: schema.map { String(cString: $0) },
                accessorName: accessor.map { String(cString: $0) },
                isInternal: Int(circumstances) & AMALGAM_IS_INTERNAL != 0,
                withholdsAccessor: Int(circumstances) & AMALGAM_WITHHOLDS_ACCESSOR != 0)
            return Unmanaged<Database>.fromOpaque(owner!).takeUnretainedValue().decide(action).code
        }
    }

    func foreignScope(_ statement: Statement) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                The statement was compiled under another authorizer. Make it inside the closure of the sandbox, and \
                use it there only.
                """,
            sql: statement.sql)
    }

    /// The refusal behind `SQLITE_AUTH`.
    func refusal(_ code: CInt, _ error: DatabaseError) -> (any Error)? {
        guard let authorizerScope = access.authorizerScope else { return nil }
        // SQLite reports a function that is denied as a mistake of the SQL.
        let isDenial =
            ResultCode(rawValue: code).primaryResultCode == .SQLITE_AUTH
            || error.message?.hasPrefix("not authorized to use function") == true
        guard isDenial else { return nil }
        let failure = authorizerScope.takeFailure()
        guard let action = authorizerScope.takeDenial() else { return failure }
        return failure ?? error.denying(action)
    }

    /// Counts a row of a statement that runs under an authorizer.
    func countRow(of statement: Statement) throws {
        guard let limit = access.authorizerScope?.countRow() else { return }
        statement.isRunning = false
        sqlite3_reset(statement.sqliteStatement)
        throw exceeded(.rows, limit: "\(limit) rows", sql: statement.sql, arguments: statement.arguments)
    }
}
