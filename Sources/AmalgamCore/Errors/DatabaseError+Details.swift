extension DatabaseError {
    /// Where in ``sql`` the compilation failed: an offset in UTF-8 bytes. nil when SQLite does not tell, as for errors of
    /// a statement that runs. See <https://sqlite.org/c3ref/errcode.html>.
    public var sqlOffset: Int? {
        if case .place(let offset) = detail { offset } else { nil }
    }

    /// The line of ``sql`` where the compilation failed, and a caret under the place:
    ///
    ///     SELECT nme FROM player
    ///            ^
    ///
    /// A long line is cut around the place. nil when ``sqlOffset`` is.
    public var sqlExcerpt: String? {
        guard let sql, let sqlOffset else { return nil }
        return SQLExcerpt(sql, offset: sqlOffset).text
    }

    /// The limit that a statement was stopped for: see ``Database/withLimits(_:_:)`` and ``Sandbox``. The code is
    /// `SQLITE_INTERRUPT`. nil for other errors, also for a statement that was interrupted by something else.
    public var exceededLimit: ExceededLimit? {
        if case .limit(let limit) = detail { limit } else { nil }
    }

    /// What a statement was refused for: see ``Database/sandboxed(_:_:)``. The code is `SQLITE_AUTH`.
    public var deniedAction: AuthorizerAction? {
        if case .denial(let action) = detail { action } else { nil }
    }

    /// The error, with the place of the mistake.
    func pointing(at offset: Int?) -> DatabaseError {
        guard let offset, let sql else { return self }
        return DatabaseError(
            resultCode: extendedResultCode, message: message, sql: sql, arguments: arguments,
            publicStatementArguments: publicStatementArguments,
            detail: .place(min(max(0, offset), sql.utf8.count)))
    }

    /// The error, with the action that was refused.
    func denying(_ action: AuthorizerAction) -> DatabaseError {
        DatabaseError(
            resultCode: resultCode == .SQLITE_AUTH ? extendedResultCode : .SQLITE_AUTH,
            message: message == "not authorized" ? "not authorized: \(action)" : message, sql: sql,
            arguments: arguments, publicStatementArguments: publicStatementArguments, detail: .denial(action))
    }
}

extension DatabaseError: CustomDebugStringConvertible {
    /// The description, and below it the line of SQL that does not compile, with a caret under the place.
    ///
    ///     SQLite error 1: no such column: nme - while executing `SELECT nme FROM player`
    ///     SELECT nme FROM player
    ///            ^
    public var debugDescription: String {
        sqlExcerpt.map { description + "\n" + $0 } ?? description
    }
}
