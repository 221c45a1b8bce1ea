public import AmalgamCore
public import AmalgamQuery

extension MutablePersistableRecord {
    /// Inserts the record.
    ///
    /// ```swift
    /// var player = Player(id: nil, name: "Anna", score: 20)
    /// try player.insert(db)
    /// // INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'Anna',20)
    /// player.id   // 1, if the type implements `didInsert`
    /// ```
    ///
    /// If a conflict is ignored, no row is inserted. In this case, `didInsert` and `didSave` aren't called, so
    /// `player.id` remains nil. To get an error instead, use ``insertAndFetch(_:onConflict:)``.
    ///
    /// - Parameter conflictResolution: the conflict resolution of the statement (`INSERT OR …`), which overrides the `ON CONFLICT`
    ///   clauses of the table. By default, that of ``persistenceConflictPolicy``.
    /// - Throws: a ``DatabaseError``, such as `SQLITE_CONSTRAINT`; errors thrown by the record and its callbacks.
    public mutating func insert(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        try insert(db, resolvingConflictsBy: conflictResolution)
    }

    /// Inserts a copy of the record, and returns the copy.
    ///
    /// ```swift
    /// let player = try Player(id: nil, name: "Anna", score: 20).inserted(db)
    /// // INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'Anna',20)
    /// player.id   // 1, if the type implements `didInsert`
    /// ```
    ///
    /// - Throws: the errors of ``insert(_:onConflict:)``.
    public func inserted(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self {
        var record = self
        try record.insert(db, onConflict: conflictResolution)
        return record
    }

    /// Inserts a copy of the record, and returns the inserted row as a record, with the values set by the database.
    ///
    /// ```swift
    /// let player = try Player(id: nil, name: "Anna", score: 20).insertAndFetch(db)
    /// // INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'Anna',20) RETURNING *
    /// ```
    ///
    /// - Throws: a ``RecordError`` if an ignored conflict prevents the insertion; a ``DatabaseError``, such as
    ///   `SQLITE_CONSTRAINT`; errors thrown by the record and its callbacks.
    public func insertAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self where Self: FetchableRecord {
        var record = self
        return try record.insertAndFetch(db, onConflict: conflictResolution, as: Self.self)
    }

    /// Inserts the record, and returns the inserted row as a record of a given type.
    ///
    /// ```swift
    /// var newPlayer = NewPlayer(name: "Anna")
    /// let player = try newPlayer.insertAndFetch(db, as: Player.self)
    /// // INSERT INTO "player" ("name") VALUES ('Anna') RETURNING *
    /// ```
    ///
    /// - Throws: a ``RecordError`` if an ignored conflict prevents the insertion; a ``DatabaseError``, such as
    ///   `SQLITE_CONSTRAINT`; errors thrown by the record and its callbacks.
    public mutating func insertAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: T.Type
    ) throws -> T {
        try insertedAndFetched(db, conflictResolution)
    }

    /// Inserts the record, and fetches columns of the inserted row.
    ///
    /// ```swift
    /// let id = try player.insertAndFetch(db, selection: [Column("id")]) { statement in
    ///     try Int64.fetchOne(statement)!
    /// }
    /// // INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'Anna',20) RETURNING "id"
    /// ```
    ///
    /// - Parameters:
    ///   - selection: the `RETURNING` terms.
    ///   - fetch: a closure that runs the statement. The statement returns no row if an ignored conflict prevents the
    ///     insertion.
    /// - Throws: `SQLITE_MISUSE` if the selection is empty, or if the closure doesn't run the statement; a
    ///   ``DatabaseError``, such as `SQLITE_CONSTRAINT`; errors thrown by the closure, the record and its callbacks.
    public mutating func insertAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        try insertedAndFetched(db, conflictResolution, selection, fetch)
    }

    /// Inserts the record, and fetches columns of the inserted row. The `select` closure selects them from the record's
    /// `Columns`.
    ///
    /// ```swift
    /// let id = try player.insertAndFetch(db) { try Int64.fetchOne($0)! } select: { [$0.id] }
    /// // INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'Anna',20) RETURNING "id"
    /// ```
    ///
    /// - Throws: the errors of ``insertAndFetch(_:onConflict:selection:fetch:)``; errors of the `select` closure.
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

    /// Returns the record of the written row.
    ///
    /// - Throws: a ``RecordError`` if no row was written.
    func fetched<T>(_ record: T?, _ db: Database) throws -> T {
        if let record { return record }
        throw recordNotFound(db)
    }
}

// MARK: - PersistableRecord

extension PersistableRecord {
    /// Inserts the record.
    ///
    /// ```swift
    /// try Country(code: "FR", name: "France").insert(db)
    /// // INSERT INTO "country" ("code", "name") VALUES ('FR','France')
    /// ```
    ///
    /// If a conflict is ignored, no row is inserted, and `didInsert` and `didSave` aren't called.
    ///
    /// - Parameter conflictResolution: the conflict resolution of the statement (`INSERT OR …`), which overrides the `ON CONFLICT`
    ///   clauses of the table. By default, that of ``MutablePersistableRecord/persistenceConflictPolicy``.
    /// - Throws: a ``DatabaseError``, such as `SQLITE_CONSTRAINT`; errors thrown by the record and its callbacks.
    public func insert(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
        var record = self
        try record.insert(db, resolvingConflictsBy: conflictResolution)
    }

    /// Inserts the record, and returns the inserted row as a record of a given type.
    ///
    /// ```swift
    /// let country = try NewCountry(code: "FR").insertAndFetch(db, as: Country.self)
    /// // INSERT INTO "country" ("code") VALUES ('FR') RETURNING *
    /// ```
    ///
    /// - Throws: a ``RecordError`` if an ignored conflict prevents the insertion; a ``DatabaseError``, such as
    ///   `SQLITE_CONSTRAINT`; errors thrown by the record and its callbacks.
    public func insertAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: T.Type
    ) throws -> T {
        var record = self
        return try record.insertedAndFetched(db, conflictResolution)
    }

    /// Inserts the record, and fetches columns of the inserted row.
    ///
    /// ```swift
    /// let name = try country.insertAndFetch(db, selection: [Column("name")]) { try String.fetchOne($0)! }
    /// // INSERT INTO "country" ("code", "name") VALUES ('FR','France') RETURNING "name"
    /// ```
    ///
    /// - Parameters:
    ///   - selection: the `RETURNING` terms.
    ///   - fetch: a closure that runs the statement. The statement returns no row if an ignored conflict prevents the
    ///     insertion.
    /// - Throws: `SQLITE_MISUSE` if the selection is empty, or if the closure doesn't run the statement; a
    ///   ``DatabaseError``, such as `SQLITE_CONSTRAINT`; errors thrown by the closure, the record and its callbacks.
    public func insertAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        var record = self
        return try record.insertedAndFetched(db, conflictResolution, selection, fetch)
    }

    /// Inserts the record, and fetches columns of the inserted row. The `select` closure selects them from the record's
    /// `Columns`.
    ///
    /// - Throws: the errors of ``insertAndFetch(_:onConflict:selection:fetch:)``; errors of the `select` closure.
    public func insertAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        fetch: (Statement) throws -> T, select: (DatabaseComponents) throws -> [any SQLSelectable]
    ) throws -> T {
        try insertAndFetch(
            db, onConflict: conflictResolution, selection: select(Self.databaseComponents), fetch: fetch)
    }
}
