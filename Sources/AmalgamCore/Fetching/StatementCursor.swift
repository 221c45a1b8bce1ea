/// A cursor that steps through a statement and makes no value of its rows.
///
/// ```swift
/// let statement = try db.makeStatement(sql: "SELECT * FROM player")
/// let rows = try statement.makeCursor()
/// var count = 0
/// while try rows.next() != nil { count += 1 }
/// ```
public final class StatementCursor: _StatementRunCursor {
    public typealias Element = Void

    public let _run: StatementRun

    init(_ statement: Statement, arguments: StatementArguments?) throws {
        _run = try StatementRun(statement, arguments: arguments)
    }

    @inlinable
    public func _element() throws {}
}

extension Statement {
    /// A cursor over the rows of the statement, which makes no value of them.
    ///
    /// - throws: `SQLITE_MISUSE` when the arguments do not fit the statement.
    public func makeCursor(arguments: StatementArguments? = nil) throws -> StatementCursor {
        try StatementCursor(self, arguments: arguments)
    }
}
