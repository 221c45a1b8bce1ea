public import AmalgamCore
public import AmalgamQuery

// DELETE and UPDATE statements whose RETURNING rows are decoded as records: <https://sqlite.org/lang_returning.html>.

extension QueryInterfaceRequest where RowDecoder: FetchableRecord & TableRecord {
    /// Returns a cursor over the deleted records. The first step of the cursor deletes all rows of the request.
    ///
    /// ```swift
    /// let losers = try Player.filter { $0.score < 10 }.deleteAndFetchCursor(db)
    /// // DELETE FROM "player" WHERE "score" < 10 RETURNING *
    /// while let loser = try losers.next() { print(loser.name) }
    /// ```
    ///
    /// - Throws: a ``DatabaseError``.
    public func deleteAndFetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> {
        try RowDecoder.fetchCursor(deleteAndFetchStatement(db, selection: RowDecoder.databaseSelection))
    }

    /// Deletes the rows of the request, and returns the deleted records.
    ///
    /// ```swift
    /// let losers = try Player.filter { $0.score < 10 }.deleteAndFetchAll(db)
    /// // DELETE FROM "player" WHERE "score" < 10 RETURNING *
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; errors of the record's initializer.
    public func deleteAndFetchAll(_ db: Database) throws -> [RowDecoder] {
        try Array(deleteAndFetchCursor(db))
    }

    /// Returns a cursor over the updated records. The first step of the cursor updates all rows of the request.
    ///
    /// - Parameter conflictResolution: the conflict resolution of the statement (`UPDATE OR …`), which overrides the `ON CONFLICT`
    ///   clauses of the table. By default, that of ``MutablePersistableRecord/persistenceConflictPolicy``, or the clauses.
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if there is no assignment, or if the request has groups, unless
    ///   it groups by the primary key.
    public func updateAndFetchCursor(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> RecordCursor<RowDecoder> {
        try RowDecoder.fetchCursor(
            updateAndFetchStatement(
                db, onConflict: conflictResolution, assignments, selection: RowDecoder.databaseSelection))
    }

    /// Returns a cursor over the updated records. The first step of the cursor updates all rows of the request.
    ///
    /// ```swift
    /// let players = try Player.all().updateAndFetchCursor(db) { [$0.score += 10] }
    /// // UPDATE "player" SET "score" = "score" + 10 RETURNING *
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if there is no assignment, or if the request has groups, unless
    ///   it groups by the primary key; errors of the closure.
    public func updateAndFetchCursor(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> RecordCursor<RowDecoder> {
        try updateAndFetchCursor(db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
    }

    /// Updates the rows of the request, and returns the updated records.
    ///
    /// ```swift
    /// let players = try Player.all().updateAndFetchAll(db, [Column("score") += 10])
    /// // UPDATE "player" SET "score" = "score" + 10 RETURNING *
    /// ```
    ///
    /// - Returns: the records with their new values.
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if there is no assignment, or if the request has groups, unless
    ///   it groups by the primary key; errors of the record's initializer.
    public func updateAndFetchAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> [RowDecoder] {
        try Array(updateAndFetchCursor(db, onConflict: conflictResolution, assignments))
    }

    /// Updates the rows of the request, and returns the updated records.
    ///
    /// ```swift
    /// let players = try Player.all().updateAndFetchAll(db) { [$0.score += 10] }
    /// // UPDATE "player" SET "score" = "score" + 10 RETURNING *
    /// ```
    ///
    /// - Returns: the records with their new values.
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if there is no assignment, or if the request has groups, unless
    ///   it groups by the primary key; errors of the closure, and of the record's initializer.
    public func updateAndFetchAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> [RowDecoder] {
        try updateAndFetchAll(db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
    }
}

extension QueryInterfaceRequest where RowDecoder: FetchableRecord & TableRecord & Hashable {
    /// Deletes the rows of the request, and returns the set of the deleted records.
    ///
    /// - Throws: a ``DatabaseError``; errors of the record's initializer.
    public func deleteAndFetchSet(_ db: Database) throws -> Set<RowDecoder> { try Set(deleteAndFetchCursor(db)) }

    /// Updates the rows of the request, and returns the set of the updated records.
    ///
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if there is no assignment, or if the request has groups, unless
    ///   it groups by the primary key; errors of the record's initializer.
    public func updateAndFetchSet(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> Set<RowDecoder> {
        try Set(updateAndFetchAll(db, onConflict: conflictResolution, assignments))
    }

    /// Updates the rows of the request, and returns the set of the updated records.
    ///
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if there is no assignment, or if the request has groups, unless
    ///   it groups by the primary key; errors of the closure, and of the record's initializer.
    public func updateAndFetchSet(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> Set<RowDecoder> {
        try Set(updateAndFetchAll(db, onConflict: conflictResolution, assignments: assignments))
    }
}
