import CAmalgam

/// The change of one row, with the values of its columns before and after:
/// <https://sqlite.org/c3ref/preupdate_blobwrite.html>.
///
/// ```swift
/// final class Audit: TransactionObserver {
///     func databaseWillChange(with event: DatabasePreUpdateEvent) {
///         for change in event.columnChanges {
///             print(event.tableName, change.columnName, change.initialValue, change.finalValue)
///         }
///     }
///     …
/// }
/// ```
///
/// An event is valid during the callback that receives it, and has no values afterwards; a ``copy()`` lives on. Values
/// are read from SQLite when they are asked for: an observer pays for the columns it looks at.
public struct DatabasePreUpdateEvent {
    /// What happens to the row. Raw values are those of SQLite.
    public enum Kind: CInt, Sendable {
        /// `SQLITE_INSERT`
        case insert = 18
        /// `SQLITE_DELETE`
        case delete = 9
        /// `SQLITE_UPDATE`
        case update = 23
    }

    /// What happens to the row.
    public let kind: Kind

    /// The schema of the table: `main`, `temp`, or the name of an attached database.
    public var databaseName: String { names.schema }

    /// The table, with the spelling of the schema.
    public var tableName: String { names.table }

    /// The number of columns of the table.
    public var count: Int { source.count }

    /// The names of the columns of the table, with the spelling of the schema.
    public var columnNames: [String] {
        switch source {
        case .live(let row, let number): row.isCurrent(number) ? columns.names(of: row, count: count) : []
        case .copied(let copy): copy.columnNames
        }
    }

    /// 0 for a change made by the statement itself, 1 for one made by a trigger or foreign key action of it, 2 for a
    /// trigger of that trigger, and so on.
    public var depth: CInt { source.depth }

    /// The rowid before the change; nil for an insertion, and for WITHOUT ROWID tables.
    public let initialRowID: Int64?

    /// The rowid after the change; nil for a deletion, and for WITHOUT ROWID tables.
    public let finalRowID: Int64?

    let names: EventNames

    private let columns: EventColumns

    private let source: Source

    private enum Source {
        /// The callback is running: SQLite has the values.
        case live(LiveRow, number: UInt64)
        case copied(Copy)

        var count: Int {
            switch self {
            case .live(let row, let number): row.connection(number).map { Int(sqlite3_preupdate_count($0)) } ?? 0
            case .copied(let copy): copy.columnNames.count
            }
        }

        var depth: CInt {
            switch self {
            case .live(let row, let number): row.connection(number).map { sqlite3_preupdate_depth($0) } ?? 0
            case .copied(let copy): copy.depth
            }
        }
    }

    private struct Copy {
        var columnNames: [String]
        var depth: CInt
        var initial: [DatabaseValue]?
        var final: [DatabaseValue]?
    }

    private init(_ event: DatabasePreUpdateEvent, source: Source) {
        kind = event.kind
        initialRowID = event.initialRowID
        finalRowID = event.finalRowID
        names = event.names
        columns = event.columns
        self.source = source
    }

    init(
        _ row: LiveRow, kind: Kind, names: EventNames, columns: EventColumns, initialRowID: Int64?,
        finalRowID: Int64?
    ) {
        self.kind = kind
        self.names = names
        self.columns = columns
        self.initialRowID = initialRowID
        self.finalRowID = finalRowID
        source = .live(row, number: row.number)
    }

    /// The values before the change, one per column; nil for an insertion.
    public var initialDatabaseValues: [DatabaseValue]? { values(initialDatabaseValue(atIndex:), except: .insert) }

    /// The values after the change, one per column; nil for a deletion.
    public var finalDatabaseValues: [DatabaseValue]? { values(finalDatabaseValue(atIndex:), except: .delete) }

    private func values(_ value: (Int) -> DatabaseValue?, except kind: Kind) -> [DatabaseValue]? {
        if self.kind == kind { return nil }
        return (0..<count).map { value($0) ?? .null }
    }

    /// The value of a column before the change; nil for an insertion, and when there is no such column.
    ///
    /// - Parameter index: the position of the column in the table, counted from 0.
    public func initialDatabaseValue(atIndex index: Int) -> DatabaseValue? {
        guard kind != .insert, index >= 0, index < count else { return nil }
        return switch source {
        case .copied(let copy): copy.initial?[index]
        case .live(let row, _): row.initialValue(CInt(index))
        }
    }

    /// The value of a column after the change; nil for a deletion, and when there is no such column.
    ///
    /// - Parameter index: the position of the column in the table, counted from 0.
    public func finalDatabaseValue(atIndex index: Int) -> DatabaseValue? {
        guard kind != .delete, index >= 0, index < count else { return nil }
        return switch source {
        case .copied(let copy): copy.final?[index]
        case .live(let row, _): row.finalValue(CInt(index))
        }
    }

    /// The event with all its values, to be kept after the callback.
    public func copy() -> DatabasePreUpdateEvent {
        if case .copied = source { return self }
        let copy = Copy(
            columnNames: columnNames, depth: depth, initial: initialDatabaseValues, final: finalDatabaseValues)
        return DatabasePreUpdateEvent(self, source: .copied(copy))
    }
}

// MARK: - Columns

extension DatabasePreUpdateEvent {
    /// A column whose value changes.
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

    /// The columns whose values change, from left to right: all columns of an inserted or deleted row, and those
    /// columns of an updated one that get another value. `UPDATE player SET name = name` changes none.
    ///
    /// All values of the row are read.
    public var columnChanges: [ColumnChange] {
        let names = columnNames
        return (0..<count).compactMap { index in
            let initial = initialDatabaseValue(atIndex: index)
            let final = finalDatabaseValue(atIndex: index)
            if kind == .update && initial == final { return nil }
            return ColumnChange(
                index: index, columnName: names[index], initialValue: initial ?? .null, finalValue: final ?? .null)
        }
    }

    /// The value of a column before the change; nil for an insertion, and when there is no such column.
    ///
    /// - Parameter name: the name of the column, whatever its case.
    public func initialDatabaseValue(named name: String) -> DatabaseValue? {
        index(ofColumn: name).flatMap(initialDatabaseValue(atIndex:))
    }

    /// The value of a column after the change; nil for a deletion, and when there is no such column.
    ///
    /// - Parameter name: the name of the column, whatever its case.
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
