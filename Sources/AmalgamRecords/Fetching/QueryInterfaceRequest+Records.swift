public import AmalgamCore
public import AmalgamQuery

// Rows that are deleted or changed, as records: <https://sqlite.org/lang_returning.html>.

extension QueryInterfaceRequest where RowDecoder: FetchableRecord & TableRecord {
    /// Deletes the rows, and returns a cursor over the deleted records. All rows are deleted at its first step.
    public func deleteAndFetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> {
        try RowDecoder.fetchCursor(deleteAndFetchStatement(db, selection: RowDecoder.databaseSelection))
    }

    /// Deletes the rows, and returns the deleted records.
    ///
    /// ```swift
    /// let losers = try Player.filter { $0.score < 10 }.deleteAndFetchAll(db)
    /// // DELETE FROM "player" WHERE "score" < 10 RETURNING *
    /// ```
    public func deleteAndFetchAll(_ db: Database) throws -> [RowDecoder] {
        try Array(deleteAndFetchCursor(db))
    }

    /// Changes the rows, and returns a cursor over the changed records. All rows are changed at its first step.
    ///
    /// - Parameter conflictResolution: what happens when a constraint is broken. By default, what the record says.
    public func updateAndFetchCursor(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> RecordCursor<RowDecoder> {
        try RowDecoder.fetchCursor(
            updateAndFetchStatement(
                db, onConflict: conflictResolution, assignments, selection: RowDecoder.databaseSelection))
    }

    /// Changes the rows, and returns a cursor over the changed records.
    public func updateAndFetchCursor(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> RecordCursor<RowDecoder> {
        try updateAndFetchCursor(db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
    }

    /// Changes the rows, and returns the changed records.
    ///
    /// ```swift
    /// let players = try Player.all().updateAndFetchAll(db) { [$0.score += 10] }
    /// // UPDATE "player" SET "score" = "score" + 10 RETURNING *
    /// ```
    ///
    /// - Returns: the records with their new values.
    /// - throws: a ``DatabaseError``; `SQLITE_MISUSE` without an assignment, or for a request with groups.
    public func updateAndFetchAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> [RowDecoder] {
        try Array(updateAndFetchCursor(db, onConflict: conflictResolution, assignments))
    }

    /// Changes the rows, and returns the changed records.
    public func updateAndFetchAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> [RowDecoder] {
        try updateAndFetchAll(db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
    }
}

extension QueryInterfaceRequest where RowDecoder: FetchableRecord & TableRecord & Hashable {
    /// Deletes the rows, and returns the different deleted records.
    public func deleteAndFetchSet(_ db: Database) throws -> Set<RowDecoder> { try Set(deleteAndFetchCursor(db)) }

    /// Changes the rows, and returns the different changed records.
    public func updateAndFetchSet(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> Set<RowDecoder> {
        try Set(updateAndFetchAll(db, onConflict: conflictResolution, assignments))
    }

    /// Changes the rows, and returns the different changed records.
    public func updateAndFetchSet(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> Set<RowDecoder> {
        try Set(updateAndFetchAll(db, onConflict: conflictResolution, assignments: assignments))
    }
}
