public import AmalgamCore

extension FetchableRecord {
    /// Returns a cursor over the records of a statement, with one argument for each parameter.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE team = ? AND score > ?")
    /// let players = try Player.fetchCursor(statement, values: "red", 1000)
    /// ```
    ///
    /// - Throws: the errors of ``Statement/setArguments(values:)``.
    @inlinable
    public static func fetchCursor<each Value: DatabaseValueConvertible>(
        _ statement: Statement, values: repeat each Value
    ) throws -> RecordCursor<Self> {
        try statement.setArguments(values: repeat each values)
        return try fetchCursor(statement)
    }
}
