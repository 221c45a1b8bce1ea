/// The result of an insertion: see ``MutablePersistableRecord/didInsert(_:)``.
public struct InsertionSuccess: Sendable {
    /// The rowid of the inserted row, or of the row that an upsert has updated.
    ///
    /// It has no meaning for a table WITHOUT ROWID, and for a view. It is 0 for a row that was not inserted because of a
    /// conflict that is ignored.
    public var rowID: Int64

    /// The column that is an alias of the rowid, if any: `id` for `id INTEGER PRIMARY KEY`. nil for a row that was not
    /// inserted.
    public var rowIDColumn: String?

    /// The inserted columns, with the rowid in its column.
    public var persistenceContainer: PersistenceContainer

    /// Whether no row was inserted because of a conflict that is ignored.
    var isIgnored = false
}

extension InsertionSuccess {
    /// The row of a record that was not inserted because of a conflict that is ignored.
    init(ignored container: PersistenceContainer) {
        self.init(rowID: 0, rowIDColumn: nil, persistenceContainer: container, isIgnored: true)
    }
}

/// The result of an update, or of any other way to save a record.
public struct PersistenceSuccess: Sendable {
    /// The stored columns.
    public var persistenceContainer: PersistenceContainer

    /// Whether no row was inserted because of a conflict that is ignored.
    var isIgnored = false
}

extension PersistenceSuccess {
    init(_ inserted: InsertionSuccess) {
        self.init(persistenceContainer: inserted.persistenceContainer, isIgnored: inserted.isIgnored)
    }
}
