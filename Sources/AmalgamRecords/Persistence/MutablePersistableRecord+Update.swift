public import AmalgamCore
public import AmalgamQuery

extension MutablePersistableRecord {
    /// Updates the row of the record.
    ///
    /// ```swift
    /// try player.update(db)
    /// // UPDATE "player" SET "name"='Anna', "score"=20 WHERE "id"=1
    /// ```
    ///
    /// - Parameter conflictResolution: what happens when a constraint is broken. By default, what
    ///   ``persistenceConflictPolicy`` says.
    /// - throws: a ``RecordError`` when there is no row; a ``DatabaseError``, such as `SQLITE_CONSTRAINT`; errors of the
    ///   record and of its callbacks.
    public func update(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
        try update(db, nil, conflictResolution, .nothing)
    }

    /// Updates columns of the row of the record.
    ///
    /// ```swift
    /// try player.update(db, columns: ["score"])
    /// // UPDATE "player" SET "score"=20 WHERE "id"=1
    /// ```
    ///
    /// - Parameter columns: names of columns, in any case. Without a column that the record has, the row is only looked
    ///   for.
    /// - throws: a ``RecordError`` when there is no row.
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<String>
    ) throws {
        try update(db, Array(columns), conflictResolution, .nothing)
    }

    /// Updates columns of the row of the record: `player.update(db, columns: [Player.Columns.score])`.
    public func update<Columns: Collection>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: Columns
    ) throws where Columns.Element: ColumnExpression {
        try update(db, columns.map(\.name), conflictResolution, .nothing)
    }

    // MARK: RETURNING

    /// Updates the row of the record, and returns it as a record: with the values that the database has set.
    ///
    /// ```swift
    /// let player = try player.updateAndFetch(db)
    /// // UPDATE "player" SET "name"='Anna', "score"=20 WHERE "id"=1 RETURNING *
    /// ```
    ///
    /// - throws: a ``RecordError`` when there is no row, or when it was ignored because of a conflict.
    public func updateAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self where Self: FetchableRecord {
        try updateAndFetch(db, onConflict: conflictResolution, as: Self.self)
    }

    /// Updates the row of the record, and returns it as a record of any type.
    ///
    /// - throws: a ``RecordError`` when there is no row, or when it was ignored because of a conflict.
    public func updateAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: T.Type
    ) throws -> T {
        try fetched(update(db, nil, conflictResolution, .record(returnedType)), db)
    }

    /// Updates the row of the record, and fetches columns of it.
    ///
    /// ```swift
    /// let score = try player.updateAndFetch(db, selection: [Column("score")]) { try Int.fetchOne($0)! }
    /// // UPDATE "player" SET "name"='Anna', "score"=20 WHERE "id"=1 RETURNING "score"
    /// ```
    ///
    /// - Parameter fetch: runs the statement. It gives no row when there is none, and when the update is ignored because of
    ///   a conflict.
    /// - throws: a ``RecordError`` when there is no row; `SQLITE_MISUSE` for an empty selection, and for a closure that
    ///   does not run the statement; errors of the closure.
    public func updateAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        try updateAndFetch(db, nil, conflictResolution, selection, fetch)
    }

    /// Updates columns of the row of the record, and fetches columns of it.
    public func updateAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<String>, selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        try updateAndFetch(db, Array(columns), conflictResolution, selection, fetch)
    }

    /// Updates columns of the row of the record, and fetches columns of it.
    public func updateAndFetch<T, Columns: Collection>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: Columns, selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T where Columns.Element: ColumnExpression {
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

    /// All updates.
    ///
    /// - Parameter decidesOnNoRow: whether what is fetched tells what became of a row that was ignored.
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
    /// Updates the columns that differ from those of another record.
    ///
    /// ```swift
    /// let hasChanged = try newPlayer.updateChanges(db, from: oldPlayer)
    /// // UPDATE "player" SET "score"=20 WHERE "id"=1
    /// ```
    ///
    /// - Parameter record: a record of any type: the columns that both records have are compared.
    /// - Returns: whether there was a change. Without any, no statement runs.
    /// - throws: a ``RecordError`` when there is no row.
    @discardableResult
    public func updateChanges<Record: MutablePersistableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, from record: Record
    ) throws -> Bool {
        let old = try RecordPlans.of(db).plan(type(of: record)).encodeForComparison(record)
        return try updateChanges(db, conflictResolution, from: old, .nothing) != nil
    }

    /// Changes the record, and updates the columns that differ then.
    ///
    /// ```swift
    /// let hasChanged = try player.updateChanges(db) { $0.score = 20 }
    /// // UPDATE "player" SET "score"=20 WHERE "id"=1
    /// ```
    ///
    /// - Returns: whether there was a change. Without any, no statement runs.
    /// - throws: a ``RecordError`` when there is no row; errors of the closure.
    @discardableResult
    public mutating func updateChanges(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        modify: (inout Self) throws -> Void
    ) throws -> Bool {
        let old = try RecordPlans.of(db).plan(type(of: self)).encodeForComparison(self)
        try modify(&self)
        return try updateChanges(db, conflictResolution, from: old, .nothing) != nil
    }

    /// Changes the record, updates the columns that differ then, and returns the row as a record.
    ///
    /// - Returns: nil when there was no change.
    /// - throws: a ``RecordError`` when there is no row, or when it was ignored because of a conflict.
    public mutating func updateChangesAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        modify: (inout Self) throws -> Void
    ) throws -> Self? where Self: FetchableRecord {
        try updateChangesAndFetch(db, onConflict: conflictResolution, as: Self.self, modify: modify)
    }

    /// Changes the record, updates the columns that differ then, and returns the row as a record of any type.
    ///
    /// - Returns: nil when there was no change.
    /// - throws: a ``RecordError`` when there is no row, or when it was ignored because of a conflict.
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

    /// Changes the record, updates the columns that differ then, and fetches columns of the row.
    ///
    /// - Returns: nil when there was no change.
    /// - throws: a ``RecordError`` when there is no row; errors of the closures.
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

    /// Updates the columns that differ from others. Nil when there is none.
    func updateChanges<T>(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, from old: PersistenceContainer,
        _ returning: Returning<T>, decidesOnNoRow: Bool = false
    ) throws -> T? {
        let container = try RecordPlans.of(db).plan(type(of: self)).encodeForComparison(self)
        let changes = container.changes(from: old)
        if changes.isEmpty { return nil }
        return try update(
            db, changes.map(\.column), conflictResolution, returning, decidesOnNoRow: decidesOnNoRow,
            container: container)
    }
}
