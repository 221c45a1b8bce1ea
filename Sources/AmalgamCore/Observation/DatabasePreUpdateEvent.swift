import CAmalgam

/// The change of one row, with the values of its columns before and after:
/// <https://sqlite.org/c3ref/preupdate_blobwrite.html>.
///
/// ```swift
/// final class Audit: TransactionObserver {
///     func databaseWillChange(with event: DatabasePreUpdateEvent) {
///         guard event.kind == .update else { return }
///         for index in 0..<event.count {
///             let old = event.initialDatabaseValue(atIndex: index)
///             let new = event.finalDatabaseValue(atIndex: index)
///             if old != new { print(event.tableName, index, old!, new!) }
///         }
///     }
///     …
/// }
/// ```
///
/// An event is valid during the callback that receives it; a ``copy()`` lives on. Values are read from SQLite when
/// they are asked for: an observer pays for the columns it looks at.
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

    /// 0 for a change made by the statement itself, 1 for one made by a trigger or foreign key action of it, 2 for a
    /// trigger of that trigger, and so on.
    public var depth: CInt { source.depth }

    /// The rowid before the change; nil for an insertion, and for WITHOUT ROWID tables.
    public let initialRowID: Int64?

    /// The rowid after the change; nil for a deletion, and for WITHOUT ROWID tables.
    public let finalRowID: Int64?

    let names: EventNames

    private let source: Source

    private enum Source {
        /// The callback is running: SQLite has the values.
        case live(SQLiteConnection)
        case copied(Copy)

        var count: Int {
            switch self {
            case .live(let connection): Int(sqlite3_preupdate_count(connection))
            case .copied(let copy): copy.count
            }
        }

        var depth: CInt {
            switch self {
            case .live(let connection): sqlite3_preupdate_depth(connection)
            case .copied(let copy): copy.depth
            }
        }
    }

    private struct Copy {
        var count: Int
        var depth: CInt
        var initial: [DatabaseValue]?
        var final: [DatabaseValue]?
    }

    private init(_ event: DatabasePreUpdateEvent, source: Source) {
        kind = event.kind
        initialRowID = event.initialRowID
        finalRowID = event.finalRowID
        names = event.names
        self.source = source
    }

    init(connection: SQLiteConnection, kind: Kind, names: EventNames, initialRowID: Int64?, finalRowID: Int64?) {
        self.kind = kind
        self.names = names
        self.initialRowID = initialRowID
        self.finalRowID = finalRowID
        source = .live(connection)
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
        switch source {
        case .copied(let copy): return copy.initial?[index]
        case .live(let connection):
            var value: OpaquePointer?
            guard sqlite3_preupdate_old(connection, CInt(index), &value) == SQLITE_OK else { return nil }
            return DatabaseValue(sqliteValue: value)
        }
    }

    /// The value of a column after the change; nil for a deletion, and when there is no such column.
    ///
    /// - Parameter index: the position of the column in the table, counted from 0.
    public func finalDatabaseValue(atIndex index: Int) -> DatabaseValue? {
        guard kind != .delete, index >= 0, index < count else { return nil }
        switch source {
        case .copied(let copy): return copy.final?[index]
        case .live(let connection):
            var value: OpaquePointer?
            guard sqlite3_preupdate_new(connection, CInt(index), &value) == SQLITE_OK else { return nil }
            let final = DatabaseValue(sqliteValue: value)
            guard case .int64(let integer) = final.storage, amalgam_preupdate_is_real(connection, CInt(index)) != 0
            else { return final }
            return DatabaseValue(storage: .double(Double(integer)))
        }
    }

    /// The event with all its values, to be kept after the callback.
    public func copy() -> DatabasePreUpdateEvent {
        if case .copied = source { return self }
        let copy = Copy(count: count, depth: depth, initial: initialDatabaseValues, final: finalDatabaseValues)
        return DatabasePreUpdateEvent(self, source: .copied(copy))
    }
}

// Not Sendable: a live event reads from its connection, on the thread of the callback.
@available(*, unavailable)
extension DatabasePreUpdateEvent: Sendable {}
