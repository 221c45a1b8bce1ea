public import AmalgamCore
public import AmalgamQuery

/// A type that is written to a table, and may change when it is inserted: because its key comes from the database, in
/// general.
///
/// ```swift
/// struct Player: Codable, MutablePersistableRecord {
///     var id: Int64?
///     var name: String
///
///     mutating func didInsert(_ inserted: InsertionSuccess) {
///         id = inserted.rowID
///     }
/// }
///
/// var player = Player(id: nil, name: "Anna")
/// try player.insert(db)
/// // INSERT INTO "player" ("id", "name") VALUES (NULL,'Anna')
/// player.id   // 1
/// ```
///
/// Types that do not change are better off with ``PersistableRecord``.
///
/// Methods that write call some other ones of the record before, around and after they do, its callbacks:
///
/// | `insert`, `upsert` | `update` | `save` | `delete` |
/// | --- | --- | --- | --- |
/// | `willSave` | `willSave` | `willSave` | `willDelete` |
/// | `aroundSave` begins | `aroundSave` begins | `aroundSave` begins | `aroundDelete` begins |
/// | `willInsert` | `willUpdate` | those of an update… | |
/// | `aroundInsert` begins | `aroundUpdate` begins | | |
/// | | | | |
/// | `aroundInsert` ends | `aroundUpdate` ends | …and of an insertion, | `aroundDelete` ends |
/// | `didInsert` | `didUpdate` | if no row was updated | `didDelete` |
/// | `aroundSave` ends | `aroundSave` ends | `aroundSave` ends | |
/// | `didSave` | `didSave` | `didSave` | |
///
/// What has been written is not committed yet when they are called: see ``Database/afterNextTransaction(onCommit:onRollback:)``.
/// Batch operations and plain SQL call none.
public protocol MutablePersistableRecord: EncodableRecord, TableRecord, _UpdateConflictPolicy {
    /// What happens when a constraint is broken, unless a method is told.
    static var persistenceConflictPolicy: PersistenceConflictPolicy { get }

    // MARK: Insertion

    /// Called before the record is inserted. An error stops the insertion.
    mutating func willInsert(_ db: Database) throws

    /// Called to insert the record. It must call `insert`, and rethrow its errors.
    func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws

    /// Called when the record is inserted. It isn't called when no row is inserted because of a conflict that is ignored.
    mutating func didInsert(_ inserted: InsertionSuccess)

    // MARK: Update

    /// Called before the record is updated. An error stops the update.
    func willUpdate(_ db: Database, columns: Set<String>) throws

    /// Called to update the record. It must call `update`, and rethrow its errors.
    func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws

    /// Called when the record is updated.
    func didUpdate(_ updated: PersistenceSuccess)

    // MARK: Either

    /// Called before the record is inserted or updated. An error stops it.
    func willSave(_ db: Database) throws

    /// Called to insert or update the record. It must call `save`, and rethrow its errors.
    func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws

    /// Called when the record is inserted or updated. It isn't called when no row is inserted because of a conflict that is
    /// ignored.
    func didSave(_ saved: PersistenceSuccess)

    // MARK: Deletion

    /// Called before the record is deleted. An error stops the deletion.
    func willDelete(_ db: Database) throws

    /// Called to delete the record. It must call `delete`, and rethrow its errors.
    func aroundDelete(_ db: Database, delete: () throws -> Bool) throws

    /// Called when the record is deleted.
    ///
    /// - Parameter deleted: whether there was a row.
    func didDelete(deleted: Bool)
}

extension MutablePersistableRecord {
    public static var persistenceConflictPolicy: PersistenceConflictPolicy { PersistenceConflictPolicy() }

    public static var _updateConflictResolution: Database.ConflictResolution {
        persistenceConflictPolicy.conflictResolutionForUpdate
    }

    public mutating func willInsert(_ db: Database) throws {}

    public func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws { _ = try insert() }

    public mutating func didInsert(_ inserted: InsertionSuccess) {}

    public func willUpdate(_ db: Database, columns: Set<String>) throws {}

    public func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws {
        _ = try update()
    }

    public func didUpdate(_ updated: PersistenceSuccess) {}

    public func willSave(_ db: Database) throws {}

    public func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws { _ = try save() }

    public func didSave(_ saved: PersistenceSuccess) {}

    public func willDelete(_ db: Database) throws {}

    public func aroundDelete(_ db: Database, delete: () throws -> Bool) throws { _ = try delete() }

    public func didDelete(deleted: Bool) {}
}

/// A type that is written to a table, and does not change then.
///
/// ```swift
/// struct Country: Codable, PersistableRecord {
///     var code: String
///     var name: String
/// }
///
/// try Country(code: "FR", name: "France").insert(db)
/// // INSERT INTO "country" ("code", "name") VALUES ('FR','France')
/// ```
///
/// Its callbacks are those of ``MutablePersistableRecord``.
public protocol PersistableRecord: MutablePersistableRecord {
    /// Called before the record is inserted. An error stops the insertion.
    func willInsert(_ db: Database) throws

    /// Called when the record is inserted.
    func didInsert(_ inserted: InsertionSuccess)
}

extension PersistableRecord {
    public func willInsert(_ db: Database) throws {}

    public func didInsert(_ inserted: InsertionSuccess) {}
}
