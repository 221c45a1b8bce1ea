public import AmalgamCore
import CAmalgam

/// The row that an INSERT or UPDATE leaves. It is valid during the call that receives it.
public struct VirtualTableValues: ~Copyable {
    private let values: UnsafeMutablePointer<OpaquePointer?>

    private let hasRowID: Bool

    /// How many columns there are, with the hidden ones.
    public let count: Int

    /// The connection.
    public let database: Database

    /// - Parameter values: the arguments of xUpdate: the old key, the new rowid, the columns.
    init(_ database: Database, count: Int, values: UnsafeMutablePointer<OpaquePointer?>, hasRowID: Bool) {
        self.hasRowID = hasRowID
        self.database = database
        self.count = count - 2
        self.values = values
    }

    /// The value of a column.
    ///
    /// ```swift
    /// let name: String = try values[0]
    /// let score: Int? = try values[1]
    /// ```
    ///
    /// - throws: `SQLITE_MISUSE` when there is no such column, `SQLITE_MISMATCH` when its value does not convert.
    public subscript<Value: DatabaseValueConvertible>(column: Int) -> Value {
        get throws {
            guard column >= 0, column < count else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "there is no column \(column): the table has \(count)")
            }
            return try decode(DatabaseValue(sqliteValue: values[column + 2])) { "column \(column)" }
        }
    }

    /// The rowid of the row after the statement: nil when an INSERT leaves the choice to the table, and for a table
    /// without rowids.
    ///
    /// - throws: `SQLITE_MISMATCH` when the statement gives something else than an integer.
    public var rowID: Int64? {
        get throws { hasRowID ? try decode(DatabaseValue(sqliteValue: values[1])) { "rowid" } : nil }
    }

    /// Whether an UPDATE does not change a column, and the cursor did not tell its value because of
    /// ``SQLiteResult/isUnchangedColumn``: the column reads as NULL, then.
    public func isUnchanged(_ column: Int) -> Bool {
        column >= 0 && column < count && sqlite3_value_nochange(values[column + 2]) != 0
    }

    /// What to do with a row that cannot be stored beside another one: <https://sqlite.org/lang_conflict.html>.
    public enum ConflictResolution: CInt, Sendable {
        /// Throw `SQLITE_CONSTRAINT`: the transaction is rolled back.
        case rollback = 1
        /// Throw `SQLITE_CONSTRAINT`: SQLite leaves this row out.
        case ignore = 2
        /// Throw `SQLITE_CONSTRAINT`: the changes of the statement before this row stay.
        case fail = 3
        /// Throw `SQLITE_CONSTRAINT`: the changes of the statement are undone.
        case abort = 4
        /// Remove the other row first.
        case replace = 5
    }

    /// What the statement wants to happen on a conflict: <https://sqlite.org/c3ref/vtab_on_conflict.html>.
    ///
    /// It concerns tables with the option ``VirtualTableSafetyOptions/supportsConstraints``.
    public var conflictResolution: ConflictResolution {
        database.sqliteConnection.flatMap { ConflictResolution(rawValue: sqlite3_vtab_on_conflict($0)) } ?? .abort
    }
}
