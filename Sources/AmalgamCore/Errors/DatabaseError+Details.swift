extension DatabaseError {
    /// The position in ``sql`` at which the compilation failed, in UTF-8 bytes. Nil if SQLite reports no position, as
    /// for errors of running statements. See <https://sqlite.org/c3ref/errcode.html>.
    public var sqlOffset: Int? {
        if case .place(let offset) = detail { offset } else { nil }
    }

    /// The line of ``sql`` that failed to compile, and a caret below the position:
    ///
    ///     SELECT nme FROM player
    ///            ^
    ///
    /// A long line is shortened on both sides of the position. Nil if ``sqlOffset`` is nil.
    public var sqlExcerpt: String? {
        guard let sql, let sqlOffset else { return nil }
        return SQLExcerpt(sql, offset: sqlOffset).text
    }

    /// The limit that stopped a statement: see ``Database/withLimits(_:_:)`` and ``Sandbox``. The result code is
    /// `SQLITE_INTERRUPT`. Nil for other errors, even if a statement was interrupted for a different reason.
    public var exceededLimit: ExceededLimit? {
        if case .limit(let limit) = detail { limit } else { nil }
    }

    /// The action that an authorizer denied: see ``Database/sandboxed(_:_:)``. The result code is `SQLITE_AUTH`. Nil
    /// for other errors.
    public var deniedAction: AuthorizerAction? {
        if case .denial(let action) = detail { action } else { nil }
    }

    /// Returns a copy of the error with the position of the mistake in the SQL.
    func pointing(at offset: Int?) -> DatabaseError {
        guard let offset, let sql else { return self }
        return DatabaseError(
            resultCode: extendedResultCode, message: message, sql: sql, arguments: arguments,
            publicStatementArguments: publicStatementArguments,
            detail: .place(min(max(0, offset), sql.utf8.count)))
    }

    /// Returns a copy of the error with the action that an authorizer has denied.
    func denying(_ action: AuthorizerAction) -> DatabaseError {
        DatabaseError(
            resultCode: resultCode == .SQLITE_AUTH ? extendedResultCode : .SQLITE_AUTH,
            message: message == "not authorized" ? "not authorized: \(action)" : message, sql: sql,
            arguments: arguments, publicStatementArguments: publicStatementArguments, detail: .denial(action))
    }
}

extension DatabaseError: CustomDebugStringConvertible {
    /// The description, and below it the line of SQL that failed to compile, with a caret below the position. The last line
    /// is the ``recoverySuggestion``, unless the description has it.
    ///
    ///     SQLite error 1: no such column: nme - while executing `SELECT nme FROM player`
    ///     SELECT nme FROM player
    ///            ^
    public var debugDescription: String {
        let suggestion = describedSuggestion == nil ? recoverySuggestion : nil
        return [description, sqlExcerpt, suggestion].compactMap(\.self).joined(separator: "\n")
    }
}
