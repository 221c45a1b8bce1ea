public import AmalgamCore

extension QueryInterfaceRequest {
    /// Deletes the rows.
    ///
    /// ```swift
    /// let count = try Player.filter { $0.score < 10 }.deleteAll(db)
    /// // DELETE FROM "player" WHERE "score" < 10
    /// try Player.order(\.score).limit(10).deleteAll(db)
    /// // DELETE FROM "player" WHERE "id" IN (SELECT "id" FROM "player" ORDER BY "score" LIMIT 10)
    /// ```
    ///
    /// - Returns: the number of deleted rows.
    /// - throws: a ``DatabaseError``; `SQLITE_MISUSE` for a request with groups, unless they are
    ///   those of the primary key.
    @discardableResult
    public func deleteAll(_ db: Database) throws -> Int {
        try run(.delete, db)
    }

    /// Changes the rows.
    ///
    /// ```swift
    /// let count = try Player.all().updateAll(db, Column("score") += 10)
    /// // UPDATE "player" SET "score" = "score" + 10
    /// ```
    ///
    /// - Parameter conflictResolution: what happens when a constraint is broken. By default, what the record says.
    /// - Returns: the number of rows, whether their values differ or not. Without assignment, nothing is done.
    /// - throws: a ``DatabaseError``; `SQLITE_MISUSE` for a request with groups, unless they are
    ///   those of the primary key.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: ColumnAssignment...
    ) throws -> Int {
        try updateAll(db, onConflict: conflictResolution, assignments)
    }

    /// Changes the rows.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> Int {
        if assignments.isEmpty { return 0 }
        return try run(.update(assignments, conflictResolution ?? defaultConflictResolution), db)
    }

    private var defaultConflictResolution: Database.ConflictResolution? {
        (RowDecoder.self as? any _UpdateConflictPolicy.Type)?._updateConflictResolution
    }

    private func run(_ statement: BatchStatement, _ db: Database) throws -> Int {
        var writer = SQLWriter(db)
        try _relation.write(statement, to: &writer)
        try db.execute(sql: writer.sql, arguments: writer.arguments)
        return db.changesCount
    }

    // MARK: RETURNING

    /// A statement that deletes the rows, and returns columns of them: <https://sqlite.org/lang_returning.html>.
    ///
    /// ```swift
    /// let statement = try Player.all().deleteAndFetchStatement(db, selection: [Column("name")])
    /// // DELETE FROM "player" RETURNING "name"
    /// let names = try String.fetchAll(statement)
    /// ```
    ///
    /// - throws: a ``DatabaseError``; `SQLITE_MISUSE` for an empty selection, or for a request with
    ///   groups, unless they are those of the primary key.
    public func deleteAndFetchStatement(_ db: Database, selection: [any SQLSelectable]) throws -> Statement {
        try statement(.delete, db, returning: selection)
    }

    /// A statement that changes the rows, and returns columns of them, with their new values.
    ///
    /// - throws: a ``DatabaseError``; `SQLITE_MISUSE` without an assignment or a selection, or for a request with
    ///   groups, unless they are those of the primary key.
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
    /// Changes the rows: `updateAll(db) { $0.score += 10 }`.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignment: (DatabaseComponents) throws -> ColumnAssignment
    ) throws -> Int {
        try updateAll(db, onConflict: conflictResolution, [assignment(RowDecoder.databaseComponents)])
    }

    /// Changes the rows: `updateAll(db) { [$0.score += 10, $0.bonus.set(to: nil)] }`.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> Int {
        try updateAll(db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
    }

    /// A statement that deletes the rows, and returns columns of them.
    public func deleteAndFetchStatement(
        _ db: Database, select: (DatabaseComponents) throws -> [any SQLSelectable]
    ) throws -> Statement {
        try deleteAndFetchStatement(db, selection: select(RowDecoder.databaseComponents))
    }

    /// A statement that changes the rows, and returns columns of them, with their new values.
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
