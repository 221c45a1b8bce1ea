public import AmalgamCore
public import AmalgamQuery

extension MutablePersistableRecord {
    /// Updates the row of the record, or inserts it when there is none.
    ///
    /// ```swift
    /// try player.save(db)
    /// // UPDATE "player" SET "name"='Anna' WHERE "id"=1
    /// // INSERT INTO "player" ("id", "name") VALUES (1,'Anna'), if no row was updated
    /// ```
    ///
    /// A record whose primary key is NULL is inserted at once. See ``upsert(_:)`` for one statement that does both.
    ///
    /// - Parameter conflictResolution: what happens when a constraint is broken. By default, what
    ///   ``persistenceConflictPolicy`` says.
    /// - throws: a ``DatabaseError``, such as `SQLITE_CONSTRAINT`; errors of the record and of its callbacks.
    public mutating func save(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        try save(db, conflictResolution, .nothing)
    }

    /// Saves a copy of the record, and returns it.
    public func saved(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self {
        var record = self
        try record.save(db, onConflict: conflictResolution)
        return record
    }

    /// Saves a copy of the record, and returns the row as a record: with the values that the database has set.
    ///
    /// ```swift
    /// let player = try player.saveAndFetch(db)
    /// // UPDATE "player" SET "name"='Anna' WHERE "id"=1 RETURNING *
    /// // INSERT INTO "player" ("id", "name") VALUES (1,'Anna') RETURNING *, if no row was updated
    /// ```
    ///
    /// - throws: a ``RecordError`` when the row was ignored because of a conflict.
    public func saveAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self where Self: FetchableRecord {
        var record = self
        return try record.saveAndFetch(db, onConflict: conflictResolution, as: Self.self)
    }

    /// Saves the record, and returns the row as a record of any type.
    ///
    /// - throws: a ``RecordError`` when the row was ignored because of a conflict.
    public mutating func saveAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: T.Type
    ) throws -> T {
        try fetched(save(db, conflictResolution, .record(returnedType)), db)
    }

    /// Saves the record, and fetches columns of the row.
    ///
    /// - Parameter fetch: runs the statement. It is called for the update, and once more for the insertion if there was no
    ///   row: a statement that gives no row is no error for it.
    /// - throws: `SQLITE_MISUSE` for an empty selection, and for a closure that does not run the statement; errors of the
    ///   closure.
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

// MARK: - Records that do not change

extension PersistableRecord {
    /// Updates the row of the record, or inserts it when there is none.
    ///
    /// ```swift
    /// try country.save(db)
    /// // UPDATE "country" SET "name"='France' WHERE "code"='FR'
    /// // INSERT INTO "country" ("code", "name") VALUES ('FR','France'), if no row was updated
    /// ```
    public func save(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
        var record = self
        try record.save(db, conflictResolution, .nothing)
    }

    /// Saves the record, and returns the row as a record of any type.
    ///
    /// - throws: a ``RecordError`` when the row was ignored because of a conflict.
    public func saveAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: T.Type
    ) throws -> T {
        var record = self
        return try record.fetched(record.save(db, conflictResolution, .record(returnedType)), db)
    }

    /// Saves the record, and fetches columns of the row.
    ///
    /// - Parameter fetch: runs the statement. It is called for the update, and once more for the insertion if there was no
    ///   row.
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
