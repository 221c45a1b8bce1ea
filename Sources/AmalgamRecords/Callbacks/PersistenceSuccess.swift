/// What an insertion did: see ``MutablePersistableRecord/didInsert(_:)``.
public struct InsertionSuccess: Sendable {
    /// The rowid of the inserted row, or of the one that an upsert has updated.
    ///
    /// It means nothing for a table WITHOUT ROWID, and for a row that was not inserted because of a conflict.
    public var rowID: Int64

    /// The column that is an alias of the rowid, if any: `id` for `id INTEGER PRIMARY KEY`.
    public var rowIDColumn: String?

    /// What was inserted, with the rowid in its column.
    public var persistenceContainer: PersistenceContainer
}

/// What an update, or any other way to save a record, did.
public struct PersistenceSuccess: Sendable {
    /// What was stored.
    public var persistenceContainer: PersistenceContainer
}

extension PersistenceSuccess {
    init(_ inserted: InsertionSuccess) {
        persistenceContainer = inserted.persistenceContainer
    }
}
