/// The result of an insertion, passed to ``MutablePersistableRecord/didInsert(_:)``.
///
/// ```swift
/// struct Player: Encodable, MutablePersistableRecord {
///     var id: Int64?
///     var name: String
///
///     mutating func didInsert(_ inserted: InsertionSuccess) {
///         id = inserted.rowID
///     }
/// }
/// ```
public struct InsertionSuccess: Sendable {
    /// The rowid of the inserted row, or of the row updated by an upsert.
    ///
    /// The rowid has no meaning for a `WITHOUT ROWID` table, or for a view. The rowid is 0 if an ignored conflict
    /// prevented the insertion.
    public var rowID: Int64

    /// The column that is an alias of the rowid, if any: `id` for `id INTEGER PRIMARY KEY`. The property is nil if an
    /// ignored conflict prevented the insertion.
    public var rowIDColumn: String?

    /// The inserted columns, including the rowid in its alias column.
    public var persistenceContainer: PersistenceContainer

    /// Whether an ignored conflict prevented the insertion.
    var isIgnored = false

    /// Receives the default callbacks that are called.
    var probe: CallbackProbe?
}

extension InsertionSuccess {
    /// The rowid, for the `didInsert(_:)` that a macro writes: it uses nothing else of this value.
    public func _rowID(of type: (some MutablePersistableRecord).Type) -> Int64 {
        probe?.note(.didInsert, type)
        return rowID
    }

    /// The result of an insertion that was prevented by an ignored conflict.
    init(ignored container: PersistenceContainer) {
        self.init(rowID: 0, rowIDColumn: nil, persistenceContainer: container, isIgnored: true)
    }
}

/// The result of an update, an insertion, or a save.
///
/// ```swift
/// func didSave(_ saved: PersistenceSuccess) {
///     print("saved \(saved.persistenceContainer.count) columns")
/// }
/// ```
public struct PersistenceSuccess: Sendable {
    /// The written columns.
    public var persistenceContainer: PersistenceContainer

    /// Whether an ignored conflict prevented the insertion.
    var isIgnored = false

    /// Receives the default callbacks that are called.
    var probe: CallbackProbe?
}

extension PersistenceSuccess {
    init(_ inserted: InsertionSuccess) {
        self.init(
            persistenceContainer: inserted.persistenceContainer, isIgnored: inserted.isIgnored, probe: inserted.probe)
    }
}
