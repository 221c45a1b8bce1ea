public import AmalgamCore
public import AmalgamQuery

extension MutablePersistableRecord {
    /// Inserts the record.
    ///
    /// ```swift
    /// try player.insert(db)
    /// // INSERT INTO "player" ("id", "name") VALUES (NULL,'Anna')
    /// ```
    ///
    /// - Parameter conflictResolution: what happens when a constraint is broken. By default, what
    ///   ``persistenceConflictPolicy`` says. When a conflict is ignored, no row is inserted: `didInsert` and `didSave`
    ///   aren't called, and the record keeps the primary key that it has. ``insertAndFetch(_:onConflict:)`` throws then.
    /// - throws: a ``DatabaseError``, such as `SQLITE_CONSTRAINT`; errors of the record and of its callbacks.
    public mutating func insert(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        try insert(db, conflictResolutionForInsert(conflictResolution))
    }

    /// Inserts a copy of the record, and returns it.
    ///
    /// ```swift
    /// let player = try Player(id: nil, name: "Anna").inserted(db)
    /// player.id   // 1
    /// ```
    public func inserted(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self {
        var record = self
        try record.insert(db, onConflict: conflictResolution)
        return record
    }

    /// Inserts a copy of the record, and returns the row as a record: with the values that the database has set.
    ///
    /// ```swift
    /// let player = try Player(id: nil, name: "Anna").insertAndFetch(db)
    /// // INSERT INTO "player" ("id", "name") VALUES (NULL,'Anna') RETURNING *
    /// ```
    ///
    /// - throws: a ``RecordError`` when the row was ignored because of a conflict; a ``DatabaseError``; errors of the
    ///   record and of its callbacks.
    public func insertAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self where Self: FetchableRecord {
        var record = self
        return try record.insertAndFetch(db, onConflict: conflictResolution, as: Self.self)
    }

    /// Inserts the record, and returns the row as a record of any type.
    ///
    /// ```swift
    /// let player = try newPlayer.insertAndFetch(db, as: Player.self)
    /// // INSERT INTO "player" ("name") VALUES ('Anna') RETURNING *
    /// ```
    ///
    /// - throws: a ``RecordError`` when the row was ignored because of a conflict.
    public mutating func insertAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: T.Type
    ) throws -> T {
        try insertedAndFetched(db, conflictResolution)
    }

    /// Inserts the record, and fetches columns of the row.
    ///
    /// ```swift
    /// let score = try player.insertAndFetch(db, selection: [Column("score")]) { statement in
    ///     try Int.fetchOne(statement)!
    /// }
    /// // INSERT INTO "player" ("id", "name") VALUES (NULL,'Anna') RETURNING "score"
    /// ```
    ///
    /// - Parameter fetch: runs the statement. It gives no row when the insertion is ignored because of a conflict.
    /// - throws: `SQLITE_MISUSE` for an empty selection, and for a closure that does not run the statement; errors of the
    ///   closure.
    public mutating func insertAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        try insertedAndFetched(db, conflictResolution, selection, fetch)
    }

    /// Inserts the record, and fetches columns of the row, by their names in the record.
    ///
    /// ```swift
    /// let score = try player.insertAndFetch(db) { try Int.fetchOne($0)! } select: { [$0.score] }
    /// ```
    public mutating func insertAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        fetch: (Statement) throws -> T, select: (DatabaseComponents) throws -> [any SQLSelectable]
    ) throws -> T {
        try insertAndFetch(
            db, onConflict: conflictResolution, selection: select(Self.databaseComponents), fetch: fetch)
    }

    fileprivate mutating func insertedAndFetched<T: FetchableRecord & TableRecord>(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?
    ) throws -> T {
        try fetched(insert(db, .insert(conflictResolutionForInsert(conflictResolution), .record(T.self))), db)
    }

    fileprivate mutating func insertedAndFetched<T>(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, _ selection: [any SQLSelectable],
        _ fetch: (Statement) throws -> T
    ) throws -> T {
        try withoutActuallyEscaping(fetch) { fetch in
            try insert(db, .insert(conflictResolutionForInsert(conflictResolution), .fetching(selection, fetch)))
        }
    }

    /// The record of the row that was written; an error when none was.
    func fetched<T>(_ record: T?, _ db: Database) throws -> T {
        if let record { return record }
        throw recordNotFound(db)
    }
}

// MARK: - Records that do not change

extension PersistableRecord {
    /// Inserts the record.
    ///
    /// ```swift
    /// try country.insert(db)
    /// // INSERT INTO "country" ("code", "name") VALUES ('FR','France')
    /// ```
    ///
    /// - Parameter conflictResolution: what happens when a constraint is broken. By default, what
    ///   ``MutablePersistableRecord/persistenceConflictPolicy`` says.
    /// - throws: a ``DatabaseError``, such as `SQLITE_CONSTRAINT`; errors of the record and of its callbacks.
    public func insert(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
        var record = self
        try record.insert(db, conflictResolutionForInsert(conflictResolution))
    }

    /// Inserts the record, and returns the row as a record of any type.
    ///
    /// - throws: a ``RecordError`` when the row was ignored because of a conflict.
    public func insertAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: T.Type
    ) throws -> T {
        var record = self
        return try record.insertedAndFetched(db, conflictResolution)
    }

    /// Inserts the record, and fetches columns of the row.
    public func insertAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        var record = self
        return try record.insertedAndFetched(db, conflictResolution, selection, fetch)
    }

    /// Inserts the record, and fetches columns of the row, by their names in the record.
    public func insertAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        fetch: (Statement) throws -> T, select: (DatabaseComponents) throws -> [any SQLSelectable]
    ) throws -> T {
        try insertAndFetch(
            db, onConflict: conflictResolution, selection: select(Self.databaseComponents), fetch: fetch)
    }
}
