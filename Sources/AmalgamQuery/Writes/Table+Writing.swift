public import AmalgamCore

extension Table {
    /// Returns the number of rows.
    ///
    /// ```swift
    /// let count = try Table("player").fetchCount(db)
    /// // SELECT COUNT(*) FROM "player"
    /// ```
    ///
    /// - Throws: a ``DatabaseError``, for example if the table doesn't exist.
    public func fetchCount(_ db: Database) throws -> Int { try all().fetchCount(db) }

    /// Deletes all rows.
    ///
    /// ```swift
    /// try Table("player").deleteAll(db)
    /// // DELETE FROM "player"
    /// ```
    ///
    /// - Returns: the number of deleted rows.
    /// - Throws: a ``DatabaseError``, for example if a foreign key refers to a row.
    @discardableResult
    public func deleteAll(_ db: Database) throws -> Int { try all().deleteAll(db) }

    /// Deletes the rows with the given primary keys. Without keys, no statement runs.
    ///
    /// ```swift
    /// let count = try Table("player").deleteAll(db, keys: [1, 2, 3])
    /// // DELETE FROM "player" WHERE "id" IN (1, 2, 3)
    /// ```
    ///
    /// - Returns: the number of deleted rows.
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the primary key has several columns.
    @discardableResult
    public func deleteAll<Keys>(_ db: Database, keys: Keys) throws -> Int
    where Keys: Collection, Keys.Element: DatabaseValueConvertible {
        if keys.isEmpty { return 0 }
        return try all().filter(keys: keys).deleteByKey(db)
    }

    /// Deletes the rows with the given primary or unique keys. Each dictionary maps the columns of a key to values.
    ///
    /// ```swift
    /// let count = try Table("citizenship").deleteAll(db, keys: [["citizenId": 1, "countryCode": "FR"]])
    /// // DELETE FROM "citizenship" WHERE ("citizenId" = 1) AND ("countryCode" = 'FR')
    /// ```
    ///
    /// - Returns: the number of deleted rows.
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` unless each dictionary contains all columns of the primary key or
    ///   of a unique index.
    @discardableResult
    public func deleteAll(_ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]) throws -> Int {
        if keys.isEmpty { return 0 }
        return try all().filter(keys: keys).deleteByKey(db)
    }

    /// Deletes the row with the given primary key.
    ///
    /// ```swift
    /// let isDeleted = try Table("player").deleteOne(db, key: 1)
    /// // DELETE FROM "player" WHERE "id" = 1
    /// ```
    ///
    /// - Returns: whether a row was deleted.
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the primary key has several columns.
    @discardableResult
    public func deleteOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
        if key.databaseValue.isNull { return false }
        return try all().filter(key: key).deleteByKey(db) > 0
    }

    /// Deletes the row with the given primary or unique key. The dictionary maps the columns of the key to values.
    ///
    /// ```swift
    /// let isDeleted = try Table("citizenship").deleteOne(db, key: ["citizenId": 1, "countryCode": "FR"])
    /// // DELETE FROM "citizenship" WHERE ("citizenId" = 1) AND ("countryCode" = 'FR')
    /// ```
    ///
    /// - Returns: whether a row was deleted.
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` unless the dictionary contains all columns of the primary key or
    ///   of a unique index.
    @discardableResult
    public func deleteOne(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
        try all().filter(key: key).deleteByKey(db) > 0
    }

    /// Returns whether a row has the given primary key.
    ///
    /// ```swift
    /// let exists = try Table("player").exists(db, key: 1)
    /// // SELECT EXISTS (SELECT * FROM "player" WHERE "id" = 1)
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the primary key has several columns.
    public func exists(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
        if key.databaseValue.isNull { return false }
        return try !all().filter(key: key).isEmpty(db)
    }

    /// Returns whether a row has the given primary or unique key. The dictionary maps the columns of the key to values.
    ///
    /// ```swift
    /// let exists = try Table("citizenship").exists(db, key: ["citizenId": 1, "countryCode": "FR"])
    /// // SELECT EXISTS (SELECT * FROM "citizenship" WHERE ("citizenId" = 1) AND ("countryCode" = 'FR'))
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` unless the dictionary contains all columns of the primary key or
    ///   of a unique index.
    public func exists(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
        try !all().filter(key: key).isEmpty(db)
    }

    /// Updates all rows.
    ///
    /// ```swift
    /// let count = try Table("player").updateAll(db, Column("score") += 10)
    /// // UPDATE "player" SET "score" = "score" + 10
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution: `.ignore` for `UPDATE OR IGNORE`, which overrides the `ON CONFLICT`
    ///     clauses of the table. By default, that of the record type's `persistenceConflictPolicy`, or the clauses.
    ///   - assignments: the new values of columns. Without any, no statement runs.
    /// - Returns: the number of updated rows, including rows whose values don't change.
    /// - Throws: a ``DatabaseError``.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: ColumnAssignment...
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments)
    }

    /// Updates all rows with an array of assignments.
    ///
    /// ```swift
    /// let count = try Table("player").updateAll(db, [Column("score").set(to: 0), Column("name").set(to: "Anna")])
    /// // UPDATE "player" SET "score" = 0, "name" = 'Anna'
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution: `.ignore` for `UPDATE OR IGNORE`, which overrides the `ON CONFLICT`
    ///     clauses of the table. By default, that of the record type's `persistenceConflictPolicy`, or the clauses.
    ///   - assignments: the new values of columns. If the array is empty, no statement runs.
    /// - Returns: the number of updated rows, including rows whose values don't change.
    /// - Throws: a ``DatabaseError``.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments)
    }
}

extension Table where RowDecoder: TableRecord {
    /// Updates one column of all rows. The closure receives the columns of the record.
    ///
    /// ```swift
    /// try Table<Player>("player").updateAll(db) { $0.score += 10 }
    /// // UPDATE "player" SET "score" = "score" + 10
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution: `.ignore` for `UPDATE OR IGNORE`, which overrides the `ON CONFLICT`
    ///     clauses of the table. By default, that of the record type's `persistenceConflictPolicy`, or the clauses.
    ///   - assignment: returns the new value of a column.
    /// - Returns: the number of updated rows, including rows whose values don't change.
    /// - Throws: a ``DatabaseError``, or the error of the closure.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignment: (DatabaseComponents) throws -> ColumnAssignment
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignment: assignment)
    }

    /// Updates several columns of all rows. The closure receives the columns of the record.
    ///
    /// ```swift
    /// try Table<Player>("player").updateAll(db) { [$0.score += 10, $0.name.set(to: "Anna")] }
    /// // UPDATE "player" SET "score" = "score" + 10, "name" = 'Anna'
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution: `.ignore` for `UPDATE OR IGNORE`, which overrides the `ON CONFLICT`
    ///     clauses of the table. By default, that of the record type's `persistenceConflictPolicy`, or the clauses.
    ///   - assignments: returns the new values of columns. If the array is empty, no statement runs.
    /// - Returns: the number of updated rows, including rows whose values don't change.
    /// - Throws: a ``DatabaseError``, or the error of the closure.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments: assignments)
    }
}

extension Table where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
    /// Deletes the rows with the given identifiers. Without identifiers, no statement runs.
    ///
    /// ```swift
    /// let count = try Table<Player>("player").deleteAll(db, ids: [1, 2, 3])
    /// // DELETE FROM "player" WHERE "id" IN (1, 2, 3)
    /// ```
    ///
    /// - Returns: the number of deleted rows.
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the primary key has several columns.
    @discardableResult
    public func deleteAll<IDS>(_ db: Database, ids: IDS) throws -> Int
    where IDS: Collection, IDS.Element == RowDecoder.ID {
        try deleteAll(db, keys: ids)
    }

    /// Deletes the row with the given identifier.
    ///
    /// ```swift
    /// let isDeleted = try Table<Player>("player").deleteOne(db, id: 1)
    /// // DELETE FROM "player" WHERE "id" = 1
    /// ```
    ///
    /// - Returns: whether a row was deleted.
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the primary key has several columns.
    @discardableResult
    public func deleteOne(_ db: Database, id: RowDecoder.ID) throws -> Bool { try deleteOne(db, key: id) }

    /// Returns whether a row has the given identifier.
    ///
    /// ```swift
    /// let exists = try Table<Player>("player").exists(db, id: 1)
    /// // SELECT EXISTS (SELECT * FROM "player" WHERE "id" = 1)
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the primary key has several columns.
    public func exists(_ db: Database, id: RowDecoder.ID) throws -> Bool { try exists(db, key: id) }
}
