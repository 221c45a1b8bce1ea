public import AmalgamCore
public import AmalgamQuery

extension MutablePersistableRecord {
    /// Updates the row with the record's primary key.
    ///
    /// ```swift
    /// try player.update(db)
    /// // UPDATE "player" SET "name"='Anna', "score"=20 WHERE "id"=1
    /// ```
    ///
    /// - Parameter conflictResolution: the conflict resolution of the statement (`UPDATE OR …`), which overrides the `ON CONFLICT`
    ///   clauses of the table. By default, that of ``persistenceConflictPolicy``.
    /// - Throws: a ``RecordError`` if no row is updated; a ``DatabaseError``, such as `SQLITE_CONSTRAINT`; errors
    ///   thrown by the record and its callbacks.
    public func update(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
        try update(db, nil, conflictResolution, .nothing)
    }

    /// Updates some columns of the row with the record's primary key.
    ///
    /// ```swift
    /// try player.update(db, columns: ["score"])
    /// // UPDATE "player" SET "score"=20 WHERE "id"=1
    /// ```
    ///
    /// - Parameter columns: the case-insensitive names of the columns. Columns of the primary key, and columns that the
    ///   record doesn't encode, are ignored. If no column remains, the statement assigns the primary key to itself, so
    ///   that a missing row is still an error.
    /// - Throws: a ``RecordError`` if no row is updated; a ``DatabaseError``, such as `SQLITE_CONSTRAINT`; errors
    ///   thrown by the record and its callbacks.
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<String>
    ) throws {
        try update(db, Array(columns), conflictResolution, .nothing)
    }

    /// Updates some columns of the row with the record's primary key.
    ///
    /// ```swift
    /// try player.update(db, columns: [Column("score")])
    /// // UPDATE "player" SET "score"=20 WHERE "id"=1
    /// ```
    ///
    /// - Throws: a ``RecordError`` if no row is updated; a ``DatabaseError``, such as `SQLITE_CONSTRAINT`; errors
    ///   thrown by the record and its callbacks.
    public func update<Columns: Collection>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: Columns
    ) throws where Columns.Element: NamedColumn {
        try update(db, columns.map(\.name), conflictResolution, .nothing)
    }

    /// Updates some columns, with several types, of the row with the record's primary key.
    ///
    /// ```swift
    /// let (name, score) = (TypedColumn<String>("name"), TypedColumn<Int>("score"))
    /// try player.update(db, columns: [name, score])
    /// // UPDATE "player" SET "name"='Anna', "score"=20 WHERE "id"=1
    /// ```
    ///
    /// - Throws: a ``RecordError`` if no row is updated; a ``DatabaseError``, such as `SQLITE_CONSTRAINT`; errors
    ///   thrown by the record and its callbacks.
    @_disfavoredOverload
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: [any NamedColumn]
    ) throws {
        try update(db, columns.map(\.name), conflictResolution, .nothing)
    }

    // MARK: RETURNING

    /// Updates the row with the record's primary key, and returns the updated row as a record, with the values set by
    /// the database.
    ///
    /// ```swift
    /// let player = try player.updateAndFetch(db)
    /// // UPDATE "player" SET "name"='Anna', "score"=20 WHERE "id"=1 RETURNING *
    /// ```
    ///
    /// - Throws: a ``RecordError`` if no row is updated, for example because a conflict is ignored; a
    ///   ``DatabaseError``, such as `SQLITE_CONSTRAINT`; errors thrown by the record and its callbacks.
    public func updateAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self where Self: FetchableRecord {
        try updateAndFetch(db, onConflict: conflictResolution, as: Self.self)
    }

    /// Updates the row with the record's primary key, and returns the updated row as a record of a given type.
    ///
    /// ```swift
    /// let partialPlayer = PartialPlayer(id: 1, name: "Anna")
    /// let player = try partialPlayer.updateAndFetch(db, as: Player.self)
    /// // UPDATE "player" SET "name"='Anna' WHERE "id"=1 RETURNING *
    /// ```
    ///
    /// - Throws: a ``RecordError`` if no row is updated, for example because a conflict is ignored; a
    ///   ``DatabaseError``, such as `SQLITE_CONSTRAINT`; errors thrown by the record and its callbacks.
    public func updateAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: T.Type
    ) throws -> T {
        try fetched(update(db, nil, conflictResolution, .record(returnedType)), db)
    }

    /// Updates the row with the record's primary key, and fetches columns of the updated row.
    ///
    /// ```swift
    /// let score = try player.updateAndFetch(db, selection: [Column("score")]) { try Int.fetchOne($0) }
    /// // UPDATE "player" SET "name"='Anna', "score"=20 WHERE "id"=1 RETURNING "score"
    /// ```
    ///
    /// - Parameters:
    ///   - selection: the `RETURNING` terms.
    ///   - fetch: a closure that runs the statement. The statement returns no row if there is no row to update, or if a
    ///     conflict is ignored.
    /// - Returns: the result of the closure. With the conflict resolution `.ignore`, this is also the result if the
    ///   statement updates no row.
    /// - Throws: a ``RecordError`` if no row is updated, unless the conflict resolution is `.ignore`; `SQLITE_MISUSE`
    ///   if the selection is empty, or if the closure doesn't run the statement; a ``DatabaseError``, such as
    ///   `SQLITE_CONSTRAINT`; errors thrown by the closure, the record and its callbacks.
    public func updateAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        try updateAndFetch(db, nil, conflictResolution, selection, fetch)
    }

    /// Updates some columns of the row with the record's primary key, and fetches columns of the updated row.
    ///
    /// ```swift
    /// let score = try player.updateAndFetch(db, columns: ["name"], selection: [Column("score")]) {
    ///     try Int.fetchOne($0)
    /// }
    /// // UPDATE "player" SET "name"='Anna' WHERE "id"=1 RETURNING "score"
    /// ```
    ///
    /// - Throws: the errors of ``updateAndFetch(_:onConflict:selection:fetch:)``.
    public func updateAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<String>, selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        try updateAndFetch(db, Array(columns), conflictResolution, selection, fetch)
    }

    /// Updates some columns of the row with the record's primary key, and fetches columns of the updated row.
    ///
    /// - Throws: the errors of ``updateAndFetch(_:onConflict:selection:fetch:)``.
    public func updateAndFetch<T, Columns: Collection>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: Columns, selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T where Columns.Element: NamedColumn {
        try updateAndFetch(db, columns.map(\.name), conflictResolution, selection, fetch)
    }

    /// Updates some columns, with several types, of the row with the record's primary key, and fetches columns of the
    /// updated row.
    ///
    /// - Throws: the errors of ``updateAndFetch(_:onConflict:selection:fetch:)``.
    @_disfavoredOverload
    public func updateAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: [any NamedColumn], selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        try updateAndFetch(db, columns.map(\.name), conflictResolution, selection, fetch)
    }

    private func updateAndFetch<T>(
        _ db: Database, _ columns: [String]?, _ conflictResolution: Database.ConflictResolution?,
        _ selection: [any SQLSelectable], _ fetch: (Statement) throws -> T
    ) throws -> T {
        try withoutActuallyEscaping(fetch) { fetch in
            try update(db, columns, conflictResolution, .fetching(selection, fetch), decidesOnNoRow: true)
        }
    }

    /// The implementation of all updates.
    ///
    /// - Parameter decidesOnNoRow: whether the method returns the result of the caller's closure, instead of throwing a
    ///   ``RecordError``, if `UPDATE OR IGNORE` updates no row.
    private func update<T>(
        _ db: Database, _ columns: [String]?, _ conflictResolution: Database.ConflictResolution?,
        _ returning: Returning<T>, decidesOnNoRow: Bool = false, container: PersistenceContainer? = nil
    ) throws -> T {
        let conflictResolution = conflictResolutionForUpdate(conflictResolution)
        let update = Update(
            columns: columns, conflictResolution: conflictResolution, returning: returning,
            acceptsNoRow: decidesOnNoRow && conflictResolution == .ignore)
        return try self.update(db, update, container: container)
    }
}

// MARK: - Changes

extension MutablePersistableRecord {
    /// Updates the columns whose values differ from those of the given record.
    ///
    /// ```swift
    /// let oldPlayer = player
    /// player.score = 20
    /// let hasChanged = try player.updateChanges(db, from: oldPlayer)
    /// // UPDATE "player" SET "score"=20 WHERE "id"=1
    /// ```
    ///
    /// - Parameter record: a record of any type. Only the columns that both records encode are compared.
    /// - Returns: whether a column differs. If no column differs, no statement runs.
    /// - Throws: a ``RecordError`` if no row is updated; a ``DatabaseError``, such as `SQLITE_CONSTRAINT`; errors
    ///   thrown by the records and their callbacks.
    @discardableResult
    public func updateChanges<Record: MutablePersistableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, from record: Record
    ) throws -> Bool {
        let old = try RecordPlans.of(db).plan(type(of: record)).encodeForComparison(record)
        return try updateChanges(
            db, conflictResolution, from: old, .nothing, ofSameType: isSameType(as: record)) != nil
    }

    /// Modifies the record, and updates the columns that the closure has changed.
    ///
    /// ```swift
    /// let hasChanged = try player.updateChanges(db) { $0.score = 20 }
    /// // UPDATE "player" SET "score"=20 WHERE "id"=1
    /// ```
    ///
    /// - Returns: whether a column has changed. If no column has changed, no statement runs.
    /// - Throws: a ``RecordError`` if no row is updated; a ``DatabaseError``, such as `SQLITE_CONSTRAINT`; errors
    ///   thrown by the closure, the record and its callbacks.
    @discardableResult
    public mutating func updateChanges(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        modify: (inout Self) throws -> Void
    ) throws -> Bool {
        let old = try RecordPlans.of(db).plan(type(of: self)).encodeForComparison(self)
        try modify(&self)
        return try updateChanges(db, conflictResolution, from: old, .nothing) != nil
    }

    /// Modifies the record, updates the columns that the closure has changed, and returns the updated row as a record.
    ///
    /// ```swift
    /// let updated = try player.updateChangesAndFetch(db) { $0.score = 20 }
    /// // UPDATE "player" SET "score"=20 WHERE "id"=1 RETURNING *
    /// ```
    ///
    /// - Returns: the updated record; nil if no column has changed.
    /// - Throws: a ``RecordError`` if no row is updated, for example because a conflict is ignored; a
    ///   ``DatabaseError``, such as `SQLITE_CONSTRAINT`; errors thrown by the closure, the record and its callbacks.
    public mutating func updateChangesAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        modify: (inout Self) throws -> Void
    ) throws -> Self? where Self: FetchableRecord {
        try updateChangesAndFetch(db, onConflict: conflictResolution, as: Self.self, modify: modify)
    }

    /// Modifies the record, updates the columns that the closure has changed, and returns the updated row as a record
    /// of a given type.
    ///
    /// ```swift
    /// var partialPlayer = PartialPlayer(id: 1, name: "Anna")
    /// let updated = try partialPlayer.updateChangesAndFetch(db, as: Player.self) { $0.name = "Bo" }
    /// // UPDATE "player" SET "name"='Bo' WHERE "id"=1 RETURNING *
    /// ```
    ///
    /// - Returns: the updated record; nil if no column has changed.
    /// - Throws: a ``RecordError`` if no row is updated, for example because a conflict is ignored; a
    ///   ``DatabaseError``, such as `SQLITE_CONSTRAINT`; errors thrown by the closure, the record and its callbacks.
    public mutating func updateChangesAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: T.Type,
        modify: (inout Self) throws -> Void
    ) throws -> T? {
        let old = try RecordPlans.of(db).plan(type(of: self)).encodeForComparison(self)
        try modify(&self)
        guard let updated = try updateChanges(db, conflictResolution, from: old, .record(returnedType)) else {
            return nil
        }
        return try fetched(updated, db)
    }

    /// Modifies the record, updates the columns that the closure has changed, and fetches columns of the updated row.
    ///
    /// - Parameters:
    ///   - selection: the `RETURNING` terms.
    ///   - fetch: a closure that runs the statement.
    ///   - modify: a closure that modifies the record.
    /// - Returns: the result of `fetch`; nil if no column has changed. With the conflict resolution `.ignore`, the
    ///   result of `fetch` is also returned if the statement updates no row.
    /// - Throws: a ``RecordError`` if no row is updated, unless the conflict resolution is `.ignore`; `SQLITE_MISUSE`
    ///   if the selection is empty, or if `fetch` doesn't run the statement; a ``DatabaseError``, such as
    ///   `SQLITE_CONSTRAINT`; errors thrown by the closures, the record and its callbacks.
    public mutating func updateChangesAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T, modify: (inout Self) throws -> Void
    ) throws -> T? {
        let old = try RecordPlans.of(db).plan(type(of: self)).encodeForComparison(self)
        try modify(&self)
        return try withoutActuallyEscaping(fetch) { fetch in
            try updateChanges(db, conflictResolution, from: old, .fetching(selection, fetch), decidesOnNoRow: true)
        }
    }

    /// Updates the columns whose values differ from those of `old`. Returns nil if no column differs.
    func updateChanges<T>(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, from old: PersistenceContainer,
        _ returning: Returning<T>, decidesOnNoRow: Bool = false, ofSameType: Bool = true
    ) throws -> T? {
        let container = try RecordPlans.of(db).plan(type(of: self)).encodeForComparison(self)
        let changes = container.changes(from: old, ofSameType: ofSameType)
        if changes.isEmpty { return nil }
        return try update(
            db, changes.map(\.column), conflictResolution, returning, decidesOnNoRow: decidesOnNoRow,
            container: container)
    }
}
