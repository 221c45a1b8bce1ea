public import AmalgamCore

/// The conflict resolutions of a record type, for statements that violate a constraint:
/// <https://sqlite.org/lang_conflict.html>.
///
/// ```swift
/// struct Player: Encodable, PersistableRecord {
///     var id: Int64
///     var name: String
///
///     static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .replace, update: .replace)
/// }
///
/// try Player(id: 1, name: "Anna").insert(db)
/// // INSERT OR REPLACE INTO "player" …
/// ```
public struct PersistenceConflictPolicy: Sendable {
    /// The conflict resolution of insertions: `.replace` for `INSERT OR REPLACE`.
    public let conflictResolutionForInsert: Database.ConflictResolution

    /// The conflict resolution of updates: `.replace` for `UPDATE OR REPLACE`.
    public let conflictResolutionForUpdate: Database.ConflictResolution

    /// Creates a policy. By default, a violated constraint throws an error, and the statement changes nothing (ABORT).
    ///
    /// `.abort` writes no clause, so that the `ON CONFLICT` clauses of the table apply. The argument `onConflict: .abort` of a
    /// method overrides them.
    ///
    /// ```swift
    /// let policy = PersistenceConflictPolicy(insert: .ignore)
    /// policy.conflictResolutionForUpdate   // .abort
    /// ```
    public init(insert: Database.ConflictResolution = .abort, update: Database.ConflictResolution = .abort) {
        conflictResolutionForInsert = insert
        conflictResolutionForUpdate = update
    }
    // ABORT is also the default of a policy that the application doesn't state: it must not override the clauses of the table.

    /// The resolution that an INSERT statement names.
    var insertClause: Database.ConflictResolution? {
        conflictResolutionForInsert == .abort ? nil : conflictResolutionForInsert
    }

    /// The resolution that an UPDATE statement names.
    var updateClause: Database.ConflictResolution? {
        conflictResolutionForUpdate == .abort ? nil : conflictResolutionForUpdate
    }
}
