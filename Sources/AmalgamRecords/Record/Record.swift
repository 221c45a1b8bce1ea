public import AmalgamCore
import AmalgamQuery

/// A class of records that know whether they have changed since they were fetched or written: for older code.
///
/// ```swift
/// class Player: Record {
///     var id: Int64?
///     var name: String
///
///     override class var databaseTableName: String { "player" }
///
///     required init(row: Row) throws {
///         id = row["id"]
///         name = row["name"]
///         try super.init(row: row)
///     }
///
///     override func encode(to container: inout PersistenceContainer) {
///         container["id"] = id
///         container["name"] = name
///     }
///
///     override func didInsert(_ inserted: InsertionSuccess) {
///         super.didInsert(inserted)
///         id = inserted.rowID
///     }
/// }
/// ```
///
/// Structures with ``FetchableRecord`` and ``PersistableRecord`` do the same with less:
/// ``MutablePersistableRecord/updateChanges(_:onConflict:modify:)``. Methods that override callbacks call `super`.
open class Record: FetchableRecord, PersistableRecord {
    /// The values in the database, as far as they are known; nil for a record that was never there.
    private var storedValues: [TableName: DatabaseValue]?

    /// A record that was never in the database.
    public init() {}

    /// A record of a row. It is in the database when the row has just been fetched.
    public required init(row: Row) throws {
        if row.statement != nil || row.plans != nil { storedValues = Self.values(row) }
    }

    private static func values(_ columns: some Sequence<(String, DatabaseValue)>) -> [TableName: DatabaseValue] {
        Dictionary(columns.map { (TableName($0.0), $0.1) }, uniquingKeysWith: { first, _ in first })
    }

    // MARK: Overridable properties

    /// The name of the table. Subclasses must override it.
    open class var databaseTableName: String { fatalError("subclass must override: databaseTableName") }

    /// The columns that requests fetch: all of them, by default.
    open class var databaseSelection: [any SQLSelectable] { [AllColumns()] }

    /// What happens when a constraint is broken.
    open class var persistenceConflictPolicy: PersistenceConflictPolicy { PersistenceConflictPolicy() }

    /// Sets the columns of a container.
    open func encode(to container: inout PersistenceContainer) throws {}

    // MARK: Changes

    /// Whether the record has a value that is not known to be in the database.
    ///
    /// Set it to false to take the values as they are for those of the database.
    public var hasDatabaseChanges: Bool {
        get { (try? databaseChanges.isEmpty) == false }
        set { storedValues = newValue ? nil : (try? encoded()).map(Self.values) }
    }

    /// The columns that are not known to be as in the database, with the values there; nil for those not known.
    ///
    /// - throws: errors of ``encode(to:)``.
    public var databaseChanges: [String: DatabaseValue?] {
        get throws { Dictionary(try changes(), uniquingKeysWith: { first, _ in first }) }
    }

    private func changes() throws -> [(String, DatabaseValue?)] {
        try encoded().compactMap { column, value in
            let storedValue = storedValues?[TableName(column)]
            if let storedValue, storedValue == value { return nil }
            return (column, storedValue)
        }
    }

    /// Updates the columns that have changed since the record was fetched or written.
    ///
    /// - Returns: whether there was a change. Without any, no statement runs.
    /// - throws: a ``RecordError`` when there is no row.
    @discardableResult
    public final func updateChanges(_ db: Database) throws -> Bool {
        let columns = try changes().map(\.0)
        if columns.isEmpty { return false }
        try update(db, columns: columns)
        return true
    }

    // MARK: Callbacks

    /// Called before the record is inserted.
    open func willInsert(_ db: Database) throws {}

    /// Called to insert the record.
    open func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
        let inserted = try insert()
        // A row that was not inserted because of a conflict leaves the record as changed as it was.
        if !inserted.isIgnored { storedValues = Self.values(inserted.persistenceContainer) }
    }

    /// Called when the record is inserted.
    open func didInsert(_ inserted: InsertionSuccess) {}

    /// Called before the record is updated.
    open func willUpdate(_ db: Database, columns: Set<String>) throws {}

    /// Called to update the record.
    open func aroundUpdate(
        _ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess
    ) throws {
        let updated = Self.values(try update().persistenceContainer)
        let columns = Set(columns.map(TableName.init))
        storedValues = (storedValues ?? [:]).merging(updated.filter { columns.contains($0.key) }) { $1 }
    }

    /// Called when the record is updated.
    open func didUpdate(_ updated: PersistenceSuccess) {}

    /// Called before the record is inserted or updated.
    open func willSave(_ db: Database) throws {}

    /// Called to insert or update the record.
    open func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws { _ = try save() }

    /// Called when the record is inserted or updated.
    open func didSave(_ saved: PersistenceSuccess) {}

    /// Called before the record is deleted.
    open func willDelete(_ db: Database) throws {}

    /// Called to delete the record.
    open func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
        _ = try delete()
        storedValues = nil
    }

    /// Called when the record is deleted.
    open func didDelete(deleted: Bool) {}
}
