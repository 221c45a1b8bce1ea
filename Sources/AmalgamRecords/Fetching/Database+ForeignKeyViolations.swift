public import AmalgamCore
public import AmalgamInspection

extension Database {
    /// Returns a cursor over the foreign key violations of the main database: rows whose foreign key refers to a
    /// missing row.
    ///
    /// ```swift
    /// let violations = try db.foreignKeyViolations()
    /// while let violation = try violations.next() { print(try violation.failureDescription(db)) }
    /// ```
    ///
    /// The check works even if foreign keys aren't enforced.
    ///
    /// - Throws: a ``DatabaseError`` if a foreign key refers to columns that aren't a primary key or unique. This
    ///   method, or the first step of the cursor, throws the error.
    public func foreignKeyViolations() throws -> RecordCursor<ForeignKeyViolation> {
        try ForeignKeyViolation.fetchCursor(foreignKeyViolationStatement())
    }

    /// Returns a cursor over the foreign key violations of a table: rows whose foreign key refers to a missing row.
    ///
    /// ```swift
    /// let violations = try db.foreignKeyViolations(in: "player")
    /// while let violation = try violations.next() { print(try violation.failureDescription(db)) }
    /// ```
    ///
    /// - Parameter schemaName: the schema of the table: `main`, `temp`, or the name of an attached database. If nil,
    ///   the table is searched in all schemas.
    /// - Throws: `no such table: x`, `no such schema: x`; a ``DatabaseError`` if a foreign key refers to columns that
    ///   aren't a primary key or unique. The first step of the cursor may throw the latter error instead.
    public func foreignKeyViolations(
        in tableName: String, in schemaName: String? = nil
    ) throws -> RecordCursor<ForeignKeyViolation> {
        try ForeignKeyViolation.fetchCursor(foreignKeyViolationStatement(in: tableName, in: schemaName))
    }
}
