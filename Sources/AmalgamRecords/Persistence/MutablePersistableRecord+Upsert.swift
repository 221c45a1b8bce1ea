public import AmalgamCore
public import AmalgamQuery

extension MutablePersistableRecord {
    /// Inserts the record, or updates the row that is there already: <https://sqlite.org/lang_upsert.html>.
    ///
    /// ```swift
    /// try player.upsert(db)
    /// // INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'Anna',20)
    /// // ON CONFLICT DO UPDATE SET "name" = "excluded"."name", "score" = "excluded"."score"
    /// // RETURNING "rowid"
    /// ```
    ///
    /// A row is there when it has the primary key of the record, or the same values in a unique index. The callbacks are
    /// those of an insertion.
    ///
    /// - throws: a ``DatabaseError``, such as `SQLITE_CONSTRAINT` when two rows are in the way; errors of the record and of
    ///   its callbacks.
    public mutating func upsert(_ db: Database) throws {
        try insert(db, .upsert(Upsert<Self>()))
    }

    /// Inserts the record, or updates the row that is there already, and returns the row as a record.
    ///
    /// ```swift
    /// let word = try word.upsertAndFetch(db, onConflict: ["word"], doUpdate: { _ in
    ///     [Column("count") += 1, Column("isTainted").noOverwrite]
    /// })
    /// // INSERT INTO "vocabulary" ("word", "kind", "isTainted", "count") VALUES ('jovial','adjective',0,1)
    /// // ON CONFLICT("word") DO UPDATE SET "count" = "count" + 1, "kind" = "excluded"."kind"
    /// // RETURNING *, "rowid"
    /// ```
    ///
    /// - Parameters:
    ///   - conflictTarget: the columns of the primary key, or of a unique index. Without any, all of them.
    ///   - strategy: which columns get the values of the record.
    ///   - assignments: assignments of columns, from the values of the row, and from those that could not be inserted,
    ///     which are the columns of the closure's argument: `[Column("score").set(to: $0["score"])]`.
    /// - throws: a ``DatabaseError``; errors of the record and of its callbacks.
    public mutating func upsertAndFetch(
        _ db: Database, onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate assignments: ((TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws -> Self where Self: FetchableRecord {
        try upsertAndFetch(
            db, as: Self.self, onConflict: conflictTarget, updating: strategy, doUpdate: assignments)
    }

    /// Inserts the record, or updates the row that is there already, and returns the row as a record of any type.
    public mutating func upsertAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, as returnedType: T.Type, onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate assignments: ((TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws -> T {
        let upsert = Upsert(target: conflictTarget, strategy: strategy, assignments: assignments)
        return try insert(db, .upsert(upsert, returning: returnedType))
    }
}

// MARK: - Records that do not change

extension PersistableRecord {
    /// Inserts the record, or updates the row that is there already: <https://sqlite.org/lang_upsert.html>.
    ///
    /// ```swift
    /// try country.upsert(db)
    /// // INSERT INTO "country" ("code", "name") VALUES ('FR','France')
    /// // ON CONFLICT DO UPDATE SET "name" = "excluded"."name" RETURNING "rowid"
    /// ```
    public func upsert(_ db: Database) throws {
        var record = self
        try record.insert(db, .upsert(Upsert<Self>()))
    }

    /// Inserts the record, or updates the row that is there already, and returns the row as a record.
    public func upsertAndFetch(
        _ db: Database, onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate assignments: ((TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws -> Self where Self: FetchableRecord {
        try upsertAndFetch(
            db, as: Self.self, onConflict: conflictTarget, updating: strategy, doUpdate: assignments)
    }

    /// Inserts the record, or updates the row that is there already, and returns the row as a record of any type.
    public func upsertAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, as returnedType: T.Type, onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate assignments: ((TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws -> T {
        var record = self
        let upsert = Upsert(target: conflictTarget, strategy: strategy, assignments: assignments)
        return try record.insert(db, .upsert(upsert, returning: returnedType))
    }
}
