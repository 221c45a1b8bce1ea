public import AmalgamCore
import AmalgamQuery

/// A base class of records that track which columns have changed since they were fetched or written. It exists for
/// older code.
///
/// ```swift
/// class PlayerRecord: Record {
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
/// In new code, use structures that conform to ``FetchableRecord`` and ``PersistableRecord``, and
/// ``MutablePersistableRecord/updateChanges(_:onConflict:modify:)``. Subclasses that override a callback must call
/// `super`.
open class Record: FetchableRecord, PersistableRecord {
    /// The known values of the row; nil for a record that was never fetched or written.
    private var storedValues: [TableName: DatabaseValue]?

    /// Creates a record that isn't in the database.
    public init() {}

    /// Creates a record from a row.
    ///
    /// If a fetch or a cursor of records supplies the row, the record stores the row's values, in order to find changed
    /// columns. If the caller supplies a copied row, such as one returned by `Row.fetchOne`, the record doesn't store
    /// the values: all columns then count as changed.
    ///
    /// - Throws: nothing, unless a subclass does.
    public required init(row: Row) throws {
        if row.statement != nil || row.plans != nil { storedValues = Self.values(row) }
    }

    private static func values(_ columns: some Sequence<(String, DatabaseValue)>) -> [TableName: DatabaseValue] {
        Dictionary(columns.map { (TableName($0.0), $0.1) }, uniquingKeysWith: { first, _ in first })
    }

    // MARK: Overridable properties

    /// The name of the table. Subclasses must override it: the default implementation traps.
    open class var databaseTableName: String { fatalError("subclass must override: databaseTableName") }

    /// The columns selected by requests. By default, all of them: `SELECT *`.
    open class var databaseSelection: [any SQLSelectable] { [AllColumns()] }

    /// The conflict resolutions of insertions and updates. The default is ABORT.
    open class var persistenceConflictPolicy: PersistenceConflictPolicy { PersistenceConflictPolicy() }

    /// Stores the values of the columns in a container. The default implementation stores none.
    ///
    /// - Throws: an error if the record can't be encoded. Methods that write or delete it throw this error.
    open func encode(to container: inout PersistenceContainer) throws {}

    // MARK: Changes

    /// Whether a column has changed since the record was last fetched or saved. A column whose value at that time isn't
    /// known counts as changed. The property is false if the record can't be encoded.
    ///
    /// Setting the property to false declares that the database contains the current values of the record. Setting the
    /// property to true discards the values that were last fetched or saved, so that all columns count as changed.
    ///
    /// ```swift
    /// let player = try PlayerRecord.fetchOne(db, key: 1)!
    /// player.name = "Bo"
    /// player.hasDatabaseChanges   // true
    /// try player.update(db)
    /// player.hasDatabaseChanges   // false
    /// ```
    public var hasDatabaseChanges: Bool {
        get { (try? databaseChanges.isEmpty) == false }
        set { storedValues = newValue ? nil : (try? encoded()).map(Self.values) }
    }

    /// The changed columns, each with the value that it had when the record was last fetched or saved; nil if this
    /// value isn't known.
    ///
    /// ```swift
    /// let player = try PlayerRecord.fetchOne(db, key: 1)!
    /// player.name = "Bo"
    /// for (column, oldValue) in try player.databaseChanges {
    ///     print("\(column) was \(oldValue ?? .null)")
    /// }
    /// ```
    ///
    /// - Throws: errors of ``encode(to:)``.
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
    /// ```swift
    /// let player = try PlayerRecord.fetchOne(db, key: 1)!
    /// player.name = "Bo"
    /// try player.updateChanges(db)
    /// // UPDATE "player" SET "name"='Bo' WHERE "id"=1
    /// ```
    ///
    /// - Returns: whether a column has changed. If no column has changed, no statement runs.
    /// - Throws: a ``RecordError`` if no row is updated; a ``DatabaseError``, such as `SQLITE_CONSTRAINT`; errors
    ///   thrown by the record and its callbacks.
    @discardableResult
    public final func updateChanges(_ db: Database) throws -> Bool {
        let columns = try changes().map(\.0)
        if columns.isEmpty { return false }
        try update(db, columns: columns)
        return true
    }

    // MARK: Callbacks

    /// Called before the record is inserted. An error thrown by this method cancels the insertion.
    open func willInsert(_ db: Database) throws {}

    /// Called to insert the record. Overriding methods call `super` once.
    ///
    /// - Throws: the errors of `insert`.
    open func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
        let inserted = try insert()
        // An ignored conflict has inserted no row: the record keeps its changes.
        if !inserted.isIgnored { storedValues = Self.values(inserted.persistenceContainer) }
    }

    /// Called after the record was inserted.
    open func didInsert(_ inserted: InsertionSuccess) {}

    /// Called before the record is updated. An error thrown by this method cancels the update.
    open func willUpdate(_ db: Database, columns: Set<String>) throws {}

    /// Called to update the record. Overriding methods call `super` once.
    ///
    /// - Throws: the errors of `update`.
    open func aroundUpdate(
        _ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess
    ) throws {
        let updated = Self.values(try update().persistenceContainer)
        let columns = Set(columns.map(TableName.init))
        storedValues = (storedValues ?? [:]).merging(updated.filter { columns.contains($0.key) }) { $1 }
    }

    /// Called after the record was updated.
    open func didUpdate(_ updated: PersistenceSuccess) {}

    /// Called before the record is inserted or updated. An error thrown by this method cancels the operation.
    open func willSave(_ db: Database) throws {}

    /// Called to insert or update the record. Overriding methods call `super` once.
    ///
    /// - Throws: the errors of `save`.
    open func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws { _ = try save() }

    /// Called after the record was inserted or updated.
    open func didSave(_ saved: PersistenceSuccess) {}

    /// Called before the record is deleted. An error thrown by this method cancels the deletion.
    open func willDelete(_ db: Database) throws {}

    /// Called to delete the record. Overriding methods call `super` once.
    ///
    /// - Throws: the errors of `delete`.
    open func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
        _ = try delete()
        storedValues = nil
    }

    /// Called after the deletion, even if the table had no row with the primary key of the record.
    open func didDelete(deleted: Bool) {}
}
