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
    public var rowIDColumn: String? {
        get { details?.rowIDColumn }
        set {
            details = Details(
                rowIDColumn: newValue, assignedColumn: assignedColumn, container: persistenceContainer,
                isIgnored: isIgnored, probe: probe)
        }
    }

    /// The inserted columns, including the rowid in its alias column.
    public var persistenceContainer: PersistenceContainer {
        get { details?.container ?? PersistenceContainer() }
        set {
            details = Details(
                rowIDColumn: rowIDColumn, assignedColumn: assignedColumn, container: newValue, isIgnored: isIgnored,
                probe: probe)
        }
    }

    /// Whether an ignored conflict prevented the insertion.
    var isIgnored: Bool { details?.isIgnored ?? false }

    /// The column of the rowid: `rowIDColumn`, or a hidden one such as `rowid`.
    private var assignedColumn: String? { details?.assignedColumn }

    /// Receives the default callbacks that are called.
    var probe: CallbackProbe? { details?.probe }

    private final class Details: Sendable {
        let rowIDColumn: String?
        let assignedColumn: String?
        let container: PersistenceContainer
        let isIgnored: Bool
        let probe: CallbackProbe?

        init(
            rowIDColumn: String?, assignedColumn: String?, container: PersistenceContainer, isIgnored: Bool,
            probe: CallbackProbe?
        ) {
            self.rowIDColumn = rowIDColumn
            self.assignedColumn = assignedColumn
            self.container = container
            self.isIgnored = isIgnored
            self.probe = probe
        }
    }

    /// All but the rowid. Nil for a record that is inserted directly: its `didInsert(_:)` uses nothing else.
    private var details: Details?

    /// The result of a direct insertion.
    init(rowID: Int64) {
        self.rowID = rowID
    }

    init(
        rowID: Int64, rowIDColumn: String?, assignedColumn: String?, persistenceContainer: PersistenceContainer,
        probe: CallbackProbe?
    ) {
        self.rowID = rowID
        details = Details(
            rowIDColumn: rowIDColumn, assignedColumn: assignedColumn, container: persistenceContainer,
            isIgnored: false, probe: probe)
    }

    /// The same result, whose default `didInsert(_:)` reports to a probe.
    func reporting(to probe: CallbackProbe?) -> InsertionSuccess {
        var success = self
        success.details = Details(
            rowIDColumn: rowIDColumn, assignedColumn: assignedColumn, container: persistenceContainer,
            isIgnored: isIgnored, probe: probe)
        return success
    }

    /// The result of an insertion that was prevented by an ignored conflict.
    init(ignored container: PersistenceContainer) {
        rowID = 0
        details = Details(
            rowIDColumn: nil, assignedColumn: nil, container: container, isIgnored: true, probe: nil)
    }
}

extension InsertionSuccess {
    /// The key, for the `didInsert(_:)` that a macro writes: it uses nothing else of this value. The key is the rowid, or the
    /// value that the representation of the key has for the rowid. Nil if SQLite doesn't assign the key, because its column
    /// isn't the rowid.
    public func _rowID(of type: (some MutablePersistableRecord & _DeclaredRecord).Type) -> Int64? {
        probe?.note(.didInsert, type)
        // A record whose key isn't assigned, or has a representation, isn't passed the result of a direct insertion.
        guard let details else { return rowID }
        return type._recordColumns.assignedKey(rowID, details.assignedColumn)
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
