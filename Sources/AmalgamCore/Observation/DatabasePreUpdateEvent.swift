import CAmalgam

/// The change of one row, with its column values before and after:
/// <https://sqlite.org/c3ref/preupdate_blobwrite.html>.
///
/// ```swift
/// final class Audit: TransactionObserver {
///     func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { eventKind.tableName == "player" }
///
///     func databaseWillChange(with event: DatabasePreUpdateEvent) {
///         for change in event.columnChanges {
///             print(event.tableName, change.columnName, change.initialValue, change.finalValue)
///         }
///     }
///
///     func databaseDidChange(with event: DatabaseEvent) {}
///     func databaseDidCommit(_ db: Database) {}
///     func databaseDidRollback(_ db: Database) {}
/// }
/// ```
///
/// A VIRTUAL generated column is NULL before and after each change, because SQLite doesn't store it: ``columnChanges`` of an
/// update doesn't contain it. A STORED one has its value.
///
/// An event is valid during the callback that receives it. Afterwards, it has no values. Use ``copy()`` to retain an
/// event. Values are read from SQLite on access, so the cost depends on the columns that are read.
public struct DatabasePreUpdateEvent {
    /// The operation. The raw values are SQLite's.
    public enum Kind: CInt, Sendable {
        /// `SQLITE_INSERT`: a row is inserted.
        case insert = 18
        /// `SQLITE_DELETE`: a row is deleted.
        case delete = 9
        /// `SQLITE_UPDATE`: a row is updated.
        case update = 23
    }

    /// The operation on the row.
    public let kind: Kind

    /// The schema of the table: `main`, `temp`, or the name of an attached database.
    public var databaseName: String { table.names.schema }

    /// The name of the table, spelled as in the schema.
    public var tableName: String { table.names.table }

    /// The number of columns of the table.
    public var count: Int { isValid ? row.count : 0 }

    /// The names of the columns of the table, spelled as in the schema.
    public var columnNames: [String] { isValid ? table.columnNames(row) : [] }

    /// The trigger depth: 0 for a change made by the statement itself, 1 for a change made by a trigger or foreign key
    /// action of the statement, 2 for a trigger of that trigger, and so on.
    public var depth: CInt { isValid ? row.depth : 0 }

    /// The rowid before the change; nil for an insertion, and for WITHOUT ROWID tables.
    public let initialRowID: Int64?

    /// The rowid after the change; nil for a deletion, and for WITHOUT ROWID tables.
    public let finalRowID: Int64?

    let table: EventTable

    private let row: EventRow

    /// The number of the row when the event was created. `EventRow.number` differs when the object holds another row.
    private let rowNumber: UInt64

    /// Whether the row object still holds the row of this event.
    private var isValid: Bool { row.number == rowNumber }

    init(_ row: LiveRow, _ change: RowChange, _ table: EventTable) {
        let kind = Kind(rawValue: change.operation)!
        self.init(
            row, kind: kind, table: table,
            initialRowID: change.hasRowID && kind != .insert ? change.oldRowID : nil,
            finalRowID: change.hasRowID && kind != .delete ? change.newRowID : nil)
    }

    private init(_ row: EventRow, kind: Kind, table: EventTable, initialRowID: Int64?, finalRowID: Int64?) {
        self.kind = kind
        self.table = table
        self.initialRowID = initialRowID
        self.finalRowID = finalRowID
        self.row = row
        rowNumber = row.number
    }

    /// The column values before the change; nil for an insertion.
    public var initialDatabaseValues: [DatabaseValue]? { values(initialDatabaseValue(atIndex:), except: .insert) }

    /// The column values after the change; nil for a deletion.
    public var finalDatabaseValues: [DatabaseValue]? { values(finalDatabaseValue(atIndex:), except: .delete) }

    private func values(_ value: (Int) -> DatabaseValue?, except kind: Kind) -> [DatabaseValue]? {
        if self.kind == kind { return nil }
        return (0..<count).map { value($0) ?? .null }
    }

    /// Returns the value of a column before the change; nil for an insertion, and if there is no such column.
    ///
    /// - Parameter index: the position of the column in the table, counted from 0.
    public func initialDatabaseValue(atIndex index: Int) -> DatabaseValue? {
        kind != .insert && isValid ? row.initialValue(index) : nil
    }

    /// Returns the value of a column after the change; nil for a deletion, and if there is no such column.
    ///
    /// ```swift
    /// func databaseWillChange(with event: DatabasePreUpdateEvent) {
    ///     if let name = event.finalDatabaseValue(atIndex: 1) { print("the new name is \(name)") }
    /// }
    /// ```
    ///
    /// - Parameter index: the position of the column in the table, counted from 0.
    public func finalDatabaseValue(atIndex index: Int) -> DatabaseValue? {
        kind != .delete && isValid ? row.finalValue(index) : nil
    }

    /// Whether an update gives a column a value with a different storage class or different bytes: 1 and 1.0 are equal as
    /// values, but a column that changes from one to the other has changed.
    package func changesValue(atIndex index: Int) -> Bool { isValid && row.changesValue(index) }

    /// Returns a copy with all values, which may be used after the callback.
    ///
    /// ```swift
    /// func databaseWillChange(with event: DatabasePreUpdateEvent) { events.append(event.copy()) }
    /// ```
    public func copy() -> DatabasePreUpdateEvent {
        if row is CopiedRow { return self }
        // SQLite returns the names only during the callback.
        _ = columnNames
        let copy = CopiedRow(
            count: count, depth: depth, initial: initialDatabaseValues, final: finalDatabaseValues,
            writtenBlob: row.writtenBlob)
        return DatabasePreUpdateEvent(
            copy, kind: kind, table: table, initialRowID: initialRowID, finalRowID: finalRowID)
    }

    /// If this event is a copy, and reports a write through a blob handle, adds a later write to the same blob to the
    /// new values.
    ///
    /// - Returns: whether the write was added.
    func include(_ write: BlobWrite) -> Bool { (row as? CopiedRow)?.include(write) ?? false }
}

// MARK: - Columns

extension DatabasePreUpdateEvent {
    /// The change of one column value.
    public struct ColumnChange: Sendable, Equatable {
        /// The position of the column in the table, counted from 0.
        public let index: Int

        /// The name of the column, with the spelling of the schema.
        public let columnName: String

        /// The value before the change; NULL for an insertion.
        public let initialValue: DatabaseValue

        /// The value after the change; NULL for a deletion.
        public let finalValue: DatabaseValue
    }

    /// The columns whose values change, from left to right: all columns of an inserted or deleted row, and the columns
    /// of an updated row that receive a different value. `UPDATE player SET name = name` changes none.
    ///
    /// The property reads all values of the row.
    public var columnChanges: [ColumnChange] {
        let names = columnNames
        return (0..<count).compactMap { index in
            if kind == .update && !changesValue(atIndex: index) { return nil }
            return ColumnChange(
                index: index, columnName: names[index],
                initialValue: initialDatabaseValue(atIndex: index) ?? .null,
                finalValue: finalDatabaseValue(atIndex: index) ?? .null)
        }
    }

    /// Returns the value of a column before the change; nil for an insertion, and if there is no such column.
    ///
    /// ```swift
    /// func databaseWillChange(with event: DatabasePreUpdateEvent) {
    ///     if let name = event.initialDatabaseValue(named: "name") { print("the old name is \(name)") }
    /// }
    /// ```
    ///
    /// - Parameter name: the name of the column, compared without regard to case.
    public func initialDatabaseValue(named name: String) -> DatabaseValue? {
        index(ofColumn: name).flatMap(initialDatabaseValue(atIndex:))
    }

    /// Returns the value of a column after the change; nil for a deletion, and if there is no such column.
    ///
    /// ```swift
    /// func databaseWillChange(with event: DatabasePreUpdateEvent) {
    ///     if let score = event.finalDatabaseValue(named: "score") { print("the new score is \(score)") }
    /// }
    /// ```
    ///
    /// - Parameter name: the name of the column, compared without regard to case.
    public func finalDatabaseValue(named name: String) -> DatabaseValue? {
        index(ofColumn: name).flatMap(finalDatabaseValue(atIndex:))
    }

    private func index(ofColumn name: String) -> Int? {
        let names = columnNames
        return names.firstIndex(of: name) ?? names.firstIndex { $0.equalsIgnoringCase(name) }
    }
}

// Not Sendable: a live event reads from its connection, on the thread of the callback.
@available(*, unavailable)
extension DatabasePreUpdateEvent: Sendable {}
