public import AmalgamCore

/// What happens when a record that is written breaks a constraint: <https://sqlite.org/lang_conflict.html>.
///
/// ```swift
/// struct Player: PersistableRecord {
///     static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .replace, update: .replace)
/// }
///
/// try player.insert(db)
/// // INSERT OR REPLACE INTO "player" …
/// ```
public struct PersistenceConflictPolicy: Sendable {
    /// What insertions do.
    public let conflictResolutionForInsert: Database.ConflictResolution

    /// What updates do.
    public let conflictResolutionForUpdate: Database.ConflictResolution

    /// A policy. The default throws an error, and changes nothing.
    public init(insert: Database.ConflictResolution = .abort, update: Database.ConflictResolution = .abort) {
        conflictResolutionForInsert = insert
        conflictResolutionForUpdate = update
    }
}
