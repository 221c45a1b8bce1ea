public import AmalgamCore
public import AmalgamQuery

extension MutablePersistableRecord {
    /// Inserts the record, or updates the row that conflicts with it: <https://sqlite.org/lang_upsert.html>.
    ///
    /// ```swift
    /// try player.upsert(db)
    /// // INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'Anna',20)
    /// // ON CONFLICT DO UPDATE SET "name" = "excluded"."name", "score" = "excluded"."score"
    /// // RETURNING "rowid"
    /// ```
    ///
    /// A row conflicts if it has the primary key of the record, or the same values in a unique index. The method calls
    /// the callbacks of an insertion.
    ///
    /// - Throws: a ``DatabaseError``, such as `SQLITE_CONSTRAINT` if the record conflicts with two rows; errors thrown
    ///   by the record and its callbacks.
    public mutating func upsert(_ db: Database) throws {
        try insert(db, .upsert(Upsert<Self>()))
    }

    /// Inserts the record, or updates the row that conflicts with it, and returns the written row as a record.
    ///
    /// ```swift
    /// let upserted = try word.upsertAndFetch(db, onConflict: ["word"], doUpdate: { _ in
    ///     [Column("count") += 1, Column("isTainted").noOverwrite]
    /// })
    /// // INSERT INTO "vocabulary" ("word", "kind", "isTainted", "count") VALUES ('jovial','adjective',0,1)
    /// // ON CONFLICT("word") DO UPDATE SET "count" = "count" + 1, "kind" = "excluded"."kind"
    /// // RETURNING *, "rowid"
    /// ```
    ///
    /// - Parameters:
    ///   - conflictTarget: the columns of the primary key, or of a unique index. If empty, `ON CONFLICT` has no target,
    ///     and applies to the primary key and all unique indexes.
    ///   - strategy: the columns of the existing row that are overwritten with the values of the record.
    ///   - assignments: a closure that returns the assignments of the `SET` clause. In these assignments,
    ///     `Column("score")` is the column of the existing row. The closure's argument is the `excluded` table, which
    ///     contains the values that couldn't be inserted: `[Column("score").set(to: $0["score"])]`.
    /// - Throws: a ``DatabaseError``, such as `SQLITE_CONSTRAINT`; errors thrown by the record and its callbacks.
    public mutating func upsertAndFetch(
        _ db: Database, onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate assignments: ((TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws -> Self where Self: FetchableRecord {
        try upsertAndFetch(
            db, as: Self.self, onConflict: conflictTarget, updating: strategy, doUpdate: assignments)
    }

    /// Inserts the record, or updates the row that conflicts with it, and returns the written row as a record of a
    /// given type.
    ///
    /// ```swift
    /// var newPlayer = NewPlayer(name: "Anna")
    /// let player = try newPlayer.upsertAndFetch(db, as: Player.self, onConflict: ["name"])
    /// // INSERT INTO "player" ("name") VALUES ('Anna')
    /// // ON CONFLICT("name") DO UPDATE SET "name" = "name" RETURNING *, "rowid"
    /// ```
    ///
    /// If no column is left to update, as in the example, the statement sets a column to itself, because `DO NOTHING`
    /// would return no row.
    ///
    /// - Throws: a ``DatabaseError``, such as `SQLITE_CONSTRAINT`; errors thrown by the record and its callbacks.
    public mutating func upsertAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, as returnedType: T.Type, onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate assignments: ((TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws -> T {
        let upsert = Upsert(target: conflictTarget, strategy: strategy, assignments: assignments)
        return try insert(db, .upsert(upsert, returning: returnedType))
    }
}

// MARK: - PersistableRecord

extension PersistableRecord {
    /// Inserts the record, or updates the row that conflicts with it: <https://sqlite.org/lang_upsert.html>.
    ///
    /// ```swift
    /// try country.upsert(db)
    /// // INSERT INTO "country" ("code", "name") VALUES ('FR','France')
    /// // ON CONFLICT DO UPDATE SET "name" = "excluded"."name" RETURNING "rowid"
    /// ```
    ///
    /// - Throws: a ``DatabaseError``, such as `SQLITE_CONSTRAINT` if the record conflicts with two rows; errors thrown
    ///   by the record and its callbacks.
    public func upsert(_ db: Database) throws {
        var record = self
        try record.insert(db, .upsert(Upsert<Self>()))
    }

    /// Inserts the record, or updates the row that conflicts with it, and returns the written row as a record.
    ///
    /// ```swift
    /// let upserted = try country.upsertAndFetch(db, onConflict: ["code"])
    /// // INSERT INTO "country" ("code", "name") VALUES ('FR','France')
    /// // ON CONFLICT("code") DO UPDATE SET "name" = "excluded"."name" RETURNING *, "rowid"
    /// ```
    ///
    /// The parameters are those of ``MutablePersistableRecord/upsertAndFetch(_:onConflict:updating:doUpdate:)``.
    ///
    /// - Throws: a ``DatabaseError``, such as `SQLITE_CONSTRAINT`; errors thrown by the record and its callbacks.
    public func upsertAndFetch(
        _ db: Database, onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate assignments: ((TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws -> Self where Self: FetchableRecord {
        try upsertAndFetch(
            db, as: Self.self, onConflict: conflictTarget, updating: strategy, doUpdate: assignments)
    }

    /// Inserts the record, or updates the row that conflicts with it, and returns the written row as a record of a
    /// given type.
    ///
    /// The parameters are those of ``MutablePersistableRecord/upsertAndFetch(_:onConflict:updating:doUpdate:)``.
    ///
    /// - Throws: a ``DatabaseError``, such as `SQLITE_CONSTRAINT`; errors thrown by the record and its callbacks.
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
