public import AmalgamCore

extension QueryInterfaceRequest {
    /// Deletes the rows of the request.
    ///
    /// ```swift
    /// let count = try Player.filter { $0.score < 10 }.deleteAll(db)
    /// // DELETE FROM "player" WHERE "score" < 10
    /// try Player.order(\.score).limit(10).deleteAll(db)
    /// // DELETE FROM "player" WHERE "id" IN (SELECT "id" FROM "player" ORDER BY "score" LIMIT 10)
    /// ```
    ///
    /// - Returns: the number of deleted rows.
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the request has groups, unless it groups by the primary key.
    @discardableResult
    public func deleteAll(_ db: Database) throws -> Int {
        try run(.delete, db)
    }

    /// Updates the rows of the request.
    ///
    /// ```swift
    /// let count = try Player.all().updateAll(db, Column("score") += 10)
    /// // UPDATE "player" SET "score" = "score" + 10
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution: `.ignore` for `UPDATE OR IGNORE`, which overrides the `ON CONFLICT`
    ///     clauses of the table. By default, that of the record type's `persistenceConflictPolicy`, or the clauses.
    ///   - assignments: the new values of columns. Without any, no statement runs.
    /// - Returns: the number of updated rows, including rows whose values don't change.
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the request has groups, unless it groups by the primary key.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: ColumnAssignment...
    ) throws -> Int {
        try updateAll(db, onConflict: conflictResolution, assignments)
    }

    /// Updates the rows of the request with an array of assignments.
    ///
    /// ```swift
    /// let count = try Player.filter { $0.score < 0 }.updateAll(db, [Column("score").set(to: 0)])
    /// // UPDATE "player" SET "score" = 0 WHERE "score" < 0
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution: `.ignore` for `UPDATE OR IGNORE`, which overrides the `ON CONFLICT`
    ///     clauses of the table. By default, that of the record type's `persistenceConflictPolicy`, or the clauses.
    ///   - assignments: the new values of columns. If the array is empty, no statement runs.
    /// - Returns: the number of updated rows, including rows whose values don't change.
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the request has groups, unless it groups by the primary key.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> Int {
        if assignments.isEmpty { return 0 }
        return try run(.update(assignments, conflictResolution ?? defaultConflictResolution), db)
    }

    /// Deletes the rows of a request for keys, and returns their number.
    ///
    /// For a view, `sqlite3_changes` is 0, even if the view's INSTEAD OF triggers have deleted rows of tables. Therefore,
    /// the rows of a view are counted before.
    func deleteByKey(_ db: Database) throws -> Int {
        guard try db.viewExists(databaseTableName) else { return try deleteAll(db) }
        let count = try fetchCount(db)
        try deleteAll(db)
        return count
    }

    /// The resolution of the record type. Its default, ABORT, leaves the `ON CONFLICT` clauses of the table in force.
    private var defaultConflictResolution: Database.ConflictResolution? {
        let resolution = (RowDecoder.self as? any _UpdateConflictPolicy.Type)?._updateConflictResolution
        return resolution == .abort ? nil : resolution
    }

    private func run(_ statement: BatchStatement, _ db: Database) throws -> Int {
        var writer = SQLWriter(db)
        try _relation.write(statement, to: &writer)
        try db.execute(sql: writer.sql, arguments: writer.arguments)
        return db.changesCount
    }

    // MARK: RETURNING

    /// Returns a statement that deletes the rows, and whose result is the selected columns of the deleted rows:
    /// <https://sqlite.org/lang_returning.html>.
    ///
    /// ```swift
    /// let statement = try Player.all().deleteAndFetchStatement(db, selection: [Column("name")])
    /// // DELETE FROM "player" RETURNING "name"
    /// let names = try String.fetchAll(statement)
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the selection is empty, or if the request has groups, unless
    ///   it groups by the primary key.
    public func deleteAndFetchStatement(_ db: Database, selection: [any SQLSelectable]) throws -> Statement {
        try statement(.delete, db, returning: selection)
    }

    /// Returns a statement that updates the rows, and whose result is the new values of the selected columns.
    ///
    /// ```swift
    /// let statement = try Player.all().updateAndFetchStatement(
    ///     db, [Column("score") += 10], selection: [Column("score")])
    /// // UPDATE "player" SET "score" = "score" + 10 RETURNING "score"
    /// let scores = try Int.fetchAll(statement)
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the assignments or the selection are empty, or if the request
    ///   has groups, unless it groups by the primary key.
    public func updateAndFetchStatement(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment], selection: [any SQLSelectable]
    ) throws -> Statement {
        if assignments.isEmpty {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "Invalid empty assignments")
        }
        return try statement(
            .update(assignments, conflictResolution ?? defaultConflictResolution), db, returning: selection)
    }

    private func statement(
        _ statement: BatchStatement, _ db: Database, returning selection: [any SQLSelectable]
    ) throws -> Statement {
        if selection.isEmpty { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "Invalid empty selection") }
        var writer = SQLWriter(db)
        try _relation.write(statement, returning: selection.map(\.sqlSelection), to: &writer)
        let statement = try db.makeStatement(sql: writer.sql)
        try statement.setArguments(writer.arguments)
        return statement
    }

    /// Deletes the rows, and returns their identifiers.
    ///
    /// ```swift
    /// let ids = try Player.filter { $0.score < 10 }.deleteAndFetchIds(db)
    /// // DELETE FROM "player" WHERE "score" < 10 RETURNING "id"
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the primary key has several columns, or if the request has
    ///   groups, unless it groups by the primary key.
    public func deleteAndFetchIds(_ db: Database) throws -> Set<RowDecoder.ID>
    where
        RowDecoder: TableRecord & Identifiable,
        RowDecoder.ID: DatabaseValueConvertible & StatementColumnConvertible
    {
        let columns = try db.primaryKey(databaseTableName).columns
        guard columns.count == 1 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "Fetching id requires a single-column primary key in the table \(databaseTableName)")
        }
        return try RowDecoder.ID.fetchSet(deleteAndFetchStatement(db, selection: [Column(columns[0])]))
    }
}

// MARK: - Columns by their names in the record

extension QueryInterfaceRequest where RowDecoder: TableRecord {
    /// Updates one column of the rows. The closure receives the columns of the record.
    ///
    /// ```swift
    /// let count = try Player.filter { $0.score < 10 }.updateAll(db) { $0.score += 10 }
    /// // UPDATE "player" SET "score" = "score" + 10 WHERE "score" < 10
    /// ```
    ///
    /// - Returns: the number of updated rows, including rows whose values don't change.
    /// - Throws: a ``DatabaseError``, or the error of the closure; `SQLITE_MISUSE` if the request has groups, unless it
    ///   groups by the primary key.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignment: (DatabaseComponents) throws -> ColumnAssignment
    ) throws -> Int {
        try updateAll(db, onConflict: conflictResolution, [assignment(RowDecoder.databaseComponents)])
    }

    /// Updates several columns of the rows. The closure receives the columns of the record.
    ///
    /// ```swift
    /// let count = try Player.filter { $0.score < 10 }.updateAll(db) { [$0.score += 10, $0.name.set(to: "Anna")] }
    /// // UPDATE "player" SET "score" = "score" + 10, "name" = 'Anna' WHERE "score" < 10
    /// ```
    ///
    /// If the closure returns an empty array, no statement runs.
    ///
    /// - Returns: the number of updated rows, including rows whose values don't change.
    /// - Throws: a ``DatabaseError``, or the error of the closure; `SQLITE_MISUSE` if the request has groups, unless it
    ///   groups by the primary key.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> Int {
        try updateAll(db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
    }

    /// Returns a statement that deletes the rows of the request, and whose result is the selected columns of the
    /// deleted rows. The closure receives the columns of the record.
    ///
    /// ```swift
    /// let statement = try Player.all().deleteAndFetchStatement(db) { [$0.name] }
    /// // DELETE FROM "player" RETURNING "name"
    /// let names = try String.fetchAll(statement)
    /// ```
    ///
    /// - Throws: a ``DatabaseError``, or the error of the closure; `SQLITE_MISUSE` if the selection is empty, or if the
    ///   request has groups, unless it groups by the primary key.
    public func deleteAndFetchStatement(
        _ db: Database, select: (DatabaseComponents) throws -> [any SQLSelectable]
    ) throws -> Statement {
        try deleteAndFetchStatement(db, selection: select(RowDecoder.databaseComponents))
    }

    /// Returns a statement that updates the rows of the request, and whose result is the new values of the selected
    /// columns. The closures receive the columns of the record.
    ///
    /// ```swift
    /// let statement = try Player.all().updateAndFetchStatement(
    ///     db, assignments: { [$0.score += 10] }, select: { [$0.score] })
    /// // UPDATE "player" SET "score" = "score" + 10 RETURNING "score"
    /// let scores = try Int.fetchAll(statement)
    /// ```
    ///
    /// - Throws: a ``DatabaseError``, or the error of a closure; `SQLITE_MISUSE` if the assignments or the selection
    ///   are empty, or if the request has groups, unless it groups by the primary key.
    public func updateAndFetchStatement(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment],
        select: (DatabaseComponents) throws -> [any SQLSelectable]
    ) throws -> Statement {
        try updateAndFetchStatement(
            db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents),
            selection: select(RowDecoder.databaseComponents))
    }
}
