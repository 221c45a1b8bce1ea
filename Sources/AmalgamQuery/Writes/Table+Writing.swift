public import AmalgamCore

extension Table {
    /// The number of rows.
    public func fetchCount(_ db: Database) throws -> Int { try all().fetchCount(db) }

    /// Deletes all rows.
    ///
    /// - Returns: the number of deleted rows.
    @discardableResult
    public func deleteAll(_ db: Database) throws -> Int { try all().deleteAll(db) }

    /// Deletes the rows with these primary keys.
    ///
    /// - Returns: the number of deleted rows.
    @discardableResult
    public func deleteAll<Keys>(_ db: Database, keys: Keys) throws -> Int
    where Keys: Collection, Keys.Element: DatabaseValueConvertible {
        if keys.isEmpty { return 0 }
        return try all().filter(keys: keys).deleteAll(db)
    }

    /// Deletes the rows with these primary or unique keys, by the names of their columns.
    ///
    /// - Returns: the number of deleted rows.
    @discardableResult
    public func deleteAll(_ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]) throws -> Int {
        if keys.isEmpty { return 0 }
        return try all().filter(keys: keys).deleteAll(db)
    }

    /// Deletes the row with a primary key.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    public func deleteOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
        if key.databaseValue.isNull { return false }
        return try all().filter(key: key).deleteAll(db) > 0
    }

    /// Deletes the row with a primary or unique key, by the names of its columns.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    public func deleteOne(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
        try all().filter(key: key).deleteAll(db) > 0
    }

    /// Whether there is a row with a primary key.
    ///
    /// ```swift
    /// try Player.exists(db, key: 1)
    /// // SELECT EXISTS (SELECT * FROM "player" WHERE "id" = 1)
    /// ```
    public func exists(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
        if key.databaseValue.isNull { return false }
        return try !all().filter(key: key).isEmpty(db)
    }

    /// Whether there is a row with a primary or unique key, by the names of its columns.
    public func exists(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
        try !all().filter(key: key).isEmpty(db)
    }

    /// Changes all rows.
    ///
    /// - Returns: the number of rows.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: ColumnAssignment...
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments)
    }

    /// Changes all rows.
    ///
    /// - Returns: the number of rows.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments)
    }
}

extension Table where RowDecoder: TableRecord {
    /// Changes all rows: `Player.updateAll(db) { $0.score += 10 }`.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignment: (DatabaseComponents) throws -> ColumnAssignment
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignment: assignment)
    }

    /// Changes all rows: `Player.updateAll(db) { [$0.score += 10, $0.bonus.set(to: nil)] }`.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments: assignments)
    }
}

extension Table where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
    /// Deletes the rows of records, by their identifiers.
    ///
    /// - Returns: the number of deleted rows.
    @discardableResult
    public func deleteAll<IDS>(_ db: Database, ids: IDS) throws -> Int
    where IDS: Collection, IDS.Element == RowDecoder.ID {
        try deleteAll(db, keys: ids)
    }

    /// Deletes the row of a record, by its identifier.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    public func deleteOne(_ db: Database, id: RowDecoder.ID) throws -> Bool { try deleteOne(db, key: id) }

    /// Whether there is the row of a record, by its identifier.
    public func exists(_ db: Database, id: RowDecoder.ID) throws -> Bool { try exists(db, key: id) }
}
