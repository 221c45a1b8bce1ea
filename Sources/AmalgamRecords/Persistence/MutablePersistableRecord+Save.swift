public import AmalgamCore
public import AmalgamQuery

extension MutablePersistableRecord {
    /// Updates the row with the record's primary key, or inserts the record if there is no such row.
    ///
    /// ```swift
    /// try player.save(db)
    /// // UPDATE "player" SET "name"='Anna', "score"=20 WHERE "id"=1
    /// // INSERT INTO "player" ("id", "name", "score") VALUES (1,'Anna',20), if no row was updated
    /// ```
    ///
    /// A record whose primary key is NULL is inserted without an attempt to update a row. See ``upsert(_:)`` for a
    /// single statement that inserts or updates.
    ///
    /// - Parameter conflictResolution: the conflict resolution of both statements (`UPDATE OR …`, `INSERT OR …`), which overrides
    ///   the `ON CONFLICT` clauses of the table. By default, those of ``persistenceConflictPolicy``.
    /// - Throws: a ``DatabaseError``, such as `SQLITE_CONSTRAINT`; errors thrown by the record and its callbacks.
    public mutating func save(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        try save(db, conflictResolution, .nothing)
    }

    /// Saves a copy of the record, and returns the copy.
    ///
    /// ```swift
    /// let player = try Player(id: nil, name: "Anna", score: 20).saved(db)
    /// // INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'Anna',20)
    /// ```
    ///
    /// - Throws: the errors of ``save(_:onConflict:)``.
    public func saved(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self {
        var record = self
        try record.save(db, onConflict: conflictResolution)
        return record
    }

    /// Saves a copy of the record, and returns the written row as a record, with the values set by the database.
    ///
    /// ```swift
    /// let player = try player.saveAndFetch(db)
    /// // UPDATE "player" SET "name"='Anna', "score"=20 WHERE "id"=1 RETURNING *
    /// // INSERT INTO "player" ("id", "name", "score") VALUES (1,'Anna',20) RETURNING *, if no row was updated
    /// ```
    ///
    /// - Throws: a ``RecordError`` if no row is written because of an ignored conflict; the errors of
    ///   ``save(_:onConflict:)``.
    public func saveAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self where Self: FetchableRecord {
        var record = self
        return try record.saveAndFetch(db, onConflict: conflictResolution, as: Self.self)
    }

    /// Saves the record, and returns the written row as a record of a given type.
    ///
    /// ```swift
    /// var newPlayer = NewPlayer(name: "Anna")
    /// let player = try newPlayer.saveAndFetch(db, as: Player.self)
    /// // INSERT INTO "player" ("name") VALUES ('Anna') RETURNING *
    /// ```
    ///
    /// - Throws: a ``RecordError`` if no row is written because of an ignored conflict; the errors of
    ///   ``save(_:onConflict:)``.
    public mutating func saveAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: T.Type
    ) throws -> T {
        try fetched(save(db, conflictResolution, .record(returnedType)), db)
    }

    /// Saves the record, and fetches columns of the written row.
    ///
    /// ```swift
    /// let score = try player.saveAndFetch(db, selection: [Column("score")]) { try Int.fetchOne($0) }
    /// // UPDATE "player" SET "name"='Anna', "score"=20 WHERE "id"=1 RETURNING "score"
    /// // INSERT INTO "player" ("id", "name", "score") VALUES (1,'Anna',20) RETURNING "score", if no row was updated
    /// ```
    ///
    /// - Parameters:
    ///   - selection: the `RETURNING` terms.
    ///   - fetch: a closure that runs the statement. It is called for the UPDATE statement, and again for the INSERT
    ///     statement if no row was updated. It must accept a statement that returns no row.
    /// - Throws: `SQLITE_MISUSE` if the selection is empty, or if the closure doesn't run the statement; errors of the
    ///   closure; the errors of ``save(_:onConflict:)``.
    public mutating func saveAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        try withoutActuallyEscaping(fetch) { fetch in
            try save(db, conflictResolution, .fetching(selection, fetch))
        }
    }

    fileprivate mutating func save<T>(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, _ returning: Returning<T>
    ) throws -> T {
        let update = Update(
            conflictResolution: conflictResolutionForUpdate(conflictResolution), returning: returning)
        return try save(db, update, .insert(conflictResolutionForInsert(conflictResolution), returning))
    }
}

// MARK: - PersistableRecord

extension PersistableRecord {
    /// Updates the row with the record's primary key, or inserts the record if there is no such row.
    ///
    /// ```swift
    /// try country.save(db)
    /// // UPDATE "country" SET "name"='France' WHERE "code"='FR'
    /// // INSERT INTO "country" ("code", "name") VALUES ('FR','France'), if no row was updated
    /// ```
    ///
    /// - Parameter conflictResolution: the conflict resolution of both statements (`UPDATE OR …`, `INSERT OR …`), which overrides
    ///   the `ON CONFLICT` clauses of the table. By default, those of ``MutablePersistableRecord/persistenceConflictPolicy``.
    /// - Throws: a ``DatabaseError``, such as `SQLITE_CONSTRAINT`; errors thrown by the record and its callbacks.
    public func save(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
        var record = self
        try record.save(db, conflictResolution, .nothing)
    }

    /// Saves the record, and returns the written row as a record of a given type.
    ///
    /// ```swift
    /// let saved = try country.saveAndFetch(db, as: Country.self)
    /// // UPDATE "country" SET "name"='France' WHERE "code"='FR' RETURNING *
    /// ```
    ///
    /// - Throws: a ``RecordError`` if no row is written because of an ignored conflict; the errors of
    ///   ``save(_:onConflict:)``.
    public func saveAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: T.Type
    ) throws -> T {
        var record = self
        return try record.fetched(record.save(db, conflictResolution, .record(returnedType)), db)
    }

    /// Saves the record, and fetches columns of the written row.
    ///
    /// ```swift
    /// let name = try country.saveAndFetch(db, selection: [Column("name")]) { try String.fetchOne($0) }
    /// // UPDATE "country" SET "name"='France' WHERE "code"='FR' RETURNING "name"
    /// ```
    ///
    /// - Parameters:
    ///   - selection: the `RETURNING` terms.
    ///   - fetch: a closure that runs the statement. It is called for the UPDATE statement, and again for the INSERT
    ///     statement if no row was updated. It must accept a statement that returns no row.
    /// - Throws: `SQLITE_MISUSE` if the selection is empty, or if the closure doesn't run the statement; errors of the
    ///   closure; the errors of ``save(_:onConflict:)``.
    public func saveAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        var record = self
        return try withoutActuallyEscaping(fetch) { fetch in
            try record.save(db, conflictResolution, .fetching(selection, fetch))
        }
    }
}
