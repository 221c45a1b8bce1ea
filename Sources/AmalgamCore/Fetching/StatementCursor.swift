/// A cursor that steps through a statement without decoding its rows.
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
    /// Returns a cursor that steps through the rows of the statement without decoding them.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE score > ?")
    /// let rows = try statement.makeCursor(arguments: [10])
    /// let isEmpty = try rows.next() == nil
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if the arguments don't match the parameters of the statement.
    public func makeCursor(arguments: StatementArguments? = nil) throws -> StatementCursor {
        try StatementCursor(self, arguments: arguments)
    }
}
