import CAmalgam

extension Database {
    /// Runs a closure whose statements may only perform the actions that an authorizer allows.
    ///
    /// ```swift
    /// let rows = try db.withAuthorizer { action in
    ///     action.tableName == "note" ? .deny : .allow
    /// } perform: {
    ///     try Row.fetchAll(db, sql: "SELECT * FROM player")
    /// }
    /// ```
    ///
    /// SQLite calls the authorizer while it compiles a statement, once for each action that the statement would
    /// perform. Then the authorizer is asked about what the compiled program does without such a call: columns of USING
    /// and NATURAL, columns that INSERT gives a value, and columns of `excluded` that it doesn't give a value. A
    /// statement throws `SQLITE_MISUSE` if it is compiled outside of the closure and runs in the closure, or vice
    /// versa. Cached statements are compiled again in the closure. If calls are nested, all authorizers must allow an
    /// action. Statements that Amalgam runs by itself (COMMIT, transaction observers) aren't checked. See
    /// <https://sqlite.org/c3ref/set_authorizer.html>, and ``sandboxed(_:_:)`` for untrusted SQL.
    ///
    /// - Parameters:
    ///   - authorizer: Returns the decision about an action. It must not use the connection. If it throws an error, the
    ///     action is denied, and the method that compiles the statement throws this error.
    ///   - body: Runs the statements about which the authorizer decides.
    /// - Throws: The error of `body`. In `body`, statements with a denied action throw `SQLITE_AUTH`: see
    ///   ``DatabaseError/deniedAction``.
    public func withAuthorizer<T>(
        _ authorizer: (AuthorizerAction) throws -> AuthorizerDecision, perform body: () throws -> T
    ) throws -> T {
        try withoutActuallyEscaping(authorizer) { authorizer in
            try withAuthorizer(authorizer, maximumRowCount: nil, body)
        }
    }

    /// Runs a closure with an authorizer.
    ///
    /// - Parameters:
    ///   - maximumRowCount: The maximum number of rows that are read; nil for no limit.
    ///   - preservesTransaction: Whether a statement that could roll back the transaction throws `SQLITE_AUTH`.
    package func withAuthorizer<T>(
        _ authorizer: @escaping (AuthorizerAction) throws -> AuthorizerDecision, maximumRowCount: Int?,
        preservesTransaction: Bool = false, _ body: () throws -> T
    ) throws -> T {
        try checkAccess()
        access.authorizerScopeCount += 1
        let scope = AuthorizerScope(
            number: access.authorizerScopeCount, outer: access.authorizerScope, maximumRowCount: maximumRowCount,
            preservesTransaction: preservesTransaction, callers: amalgam_executing_statements(sqliteConnection),
            authorizer: authorizer)
        return try inScope(scope, body)
    }

    /// Runs a closure without an authorizer, for statements that Amalgam runs by itself.
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

    /// Decides about an action for SQLite's authorizer callback.
    func decide(_ action: AuthorizerAction) -> AuthorizerDecision {
        guard let authorizerScope = access.authorizerScope else { return .allow }
        return duringCallback { authorizerScope.decide(action) }
    }

    private func setAuthorizerScope(_ scope: AuthorizerScope?) {
        access.authorizerScope = scope
        access.conditions[.authorizing] = scope != nil
        access.progressMonitor?.allocations.preserveTransaction(
            scope?.preservesTransaction == true, callers: scope?.callers ?? 0)
        guard let hooks = hooks.pointer else { return }
        guard scope != nil else { return amalgam_hooks_set_policy(hooks, nil) }
        amalgam_hooks_set_policy(hooks) { owner, action, first, second, schema, accessor, circumstances in
            let action = AuthorizerAction(
                kind: AuthorizerAction.Kind(rawValue: action), first: first.map { String(cString: $0) },
                second: second.map { String(cString: $0) }, schemaName: schema.map { String(cString: $0) },
                accessorName: accessor.map { String(cString: $0) },
                isInternal: Int(circumstances) & AMALGAM_IS_INTERNAL != 0,
                withholdsAccessor: Int(circumstances) & AMALGAM_WITHHOLDS_ACCESSOR != 0)
            let database = Unmanaged<Database>.fromOpaque(owner!).takeUnretainedValue()
            let decision = database.decide(action)
            guard decision == .ignore else { return decision.code }
            let answer = amalgam_answer_to_ignored(
                database.sqliteConnection, action.kind.rawValue, first, second, schema, circumstances)
            if answer == SQLITE_DENY { database.access.authorizerScope?.noteDenial(of: action) }
            return answer
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

    /// Decides about a pragma that has its effect while SQLite compiles it, so that `query_only` doesn't refuse it.
    func refusesPragma(_ effect: amalgam_pragma_effect) -> Bool {
        let reason: String? =
            switch effect {
            case AMALGAM_PRAGMA_CHANGES_KEY_EXPLAINED:
                "EXPLAIN would change the key: SQLCipher performs this pragma when it is compiled."
            case AMALGAM_PRAGMA_CHANGES_KEY where access.isPrepared && isReadOnlyAccess:
                "The key of a database and its settings can't be changed in a read. Change them in a write, or in "
                    + "Configuration.prepareDatabase."
            case AMALGAM_PRAGMA_CHANGES_USED_HEADER:
                "The size of the clear header can't be changed after the first read or write: set it in "
                    + "Configuration.prepareDatabase, or export into a new file with this setting."
            case AMALGAM_PRAGMA_ALLOWS_WRITES where requiresQueryOnly:
                "PRAGMA query_only can't be turned off in a read. Write in a write access."
            case AMALGAM_PRAGMA_DISCARDS_SCHEMAS:
                Self.schemaIsInUse
            default:
                nil
            }
        let code: ResultCode =
            switch effect {
            case AMALGAM_PRAGMA_DISCARDS_SCHEMAS: .SQLITE_LOCKED
            case AMALGAM_PRAGMA_CHANGES_USED_HEADER: .SQLITE_MISUSE
            default: .SQLITE_READONLY
            }
        access.pragmaRefusal = reason.map { DatabaseError(resultCode: code, message: $0) }
        return reason != nil
    }

    /// Whether the library has turned `query_only` on, and the application must not turn it off.
    private var requiresQueryOnly: Bool {
        access.readOnlyDepth > 0 || access.writeRefusalDepth > 0 || observation.applications.hasLostTransaction
    }

    /// If an authorizer has caused an error, returns an error with the denied action, or the authorizer's own error.
    func refusal(_ code: CInt, _ error: DatabaseError) -> (any Error)? {
        if let refusal = access.pragmaRefusal, ResultCode(rawValue: code).primaryResultCode == .SQLITE_AUTH {
            access.pragmaRefusal = nil
            return DatabaseError(resultCode: refusal.resultCode, message: refusal.message, sql: error.sql)
        }
        guard let authorizerScope = access.authorizerScope else { return nil }
        // SQLite reports a denied function as an error in the SQL.
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
