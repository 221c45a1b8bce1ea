public import AmalgamCore
public import AmalgamInspection

extension Database {
    /// The rows of the main database whose foreign key refers to a row that is not there.
    ///
    /// ```swift
    /// let violations = try db.foreignKeyViolations()
    /// while let violation = try violations.next() { print(try violation.failureDescription(db)) }
    /// ```
    ///
    /// Foreign keys are checked whether they are enforced or not.
    ///
    /// - throws: an error of SQLite, now or at the first element, when a foreign key refers to columns that are not a
    ///   key.
    public func foreignKeyViolations() throws -> RecordCursor<ForeignKeyViolation> {
        try ForeignKeyViolation.fetchCursor(foreignKeyViolationStatement())
    }

    /// The rows of a table whose foreign key refers to a row that is not there.
    ///
    /// - Parameter schemaName: the database to look for the table in. All when nil.
    /// - throws: `no such table: x`, `no such schema: x`; an error of SQLite, now or at the first element, when a foreign
    ///   key refers to columns that are not a key.
    public func foreignKeyViolations(
        in tableName: String, in schemaName: String? = nil
    ) throws -> RecordCursor<ForeignKeyViolation> {
        try ForeignKeyViolation.fetchCursor(foreignKeyViolationStatement(in: tableName, in: schemaName))
    }
}
