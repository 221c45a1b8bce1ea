public import AmalgamCore
import CAmalgam

/// The new values of a row that is inserted or updated. They are only valid during the call that receives them.
///
/// ```swift
/// func insert(_ values: borrowing VirtualTableValues) throws -> Int64 {
///     let id = try values.rowID ?? nextID
///     notes[id] = Note(id: id, text: try values[0])
///     return id
/// }
/// ```
public struct VirtualTableValues: ~Copyable {
    private let values: UnsafeMutablePointer<OpaquePointer?>

    private let hasRowID: Bool

    /// The number of columns, including hidden columns.
    public let count: Int

    /// The connection that runs the statement.
    public let database: Database

    /// - Parameter values: the arguments of `xUpdate`: the old key, the new rowid, and the values of all columns.
    init(_ database: Database, count: Int, values: UnsafeMutablePointer<OpaquePointer?>, hasRowID: Bool) {
        self.hasRowID = hasRowID
        self.database = database
        self.count = count - 2
        self.values = values
    }

    /// Returns the value of a column.
    ///
    /// ```swift
    /// let name: String = try values[0]
    /// let score: Int? = try values[1]
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if there is no such column, `SQLITE_MISMATCH` if its value can't be converted.
    public subscript<Value: DatabaseValueConvertible>(column: Int) -> Value {
        get throws {
            guard column >= 0, column < count else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "there is no column \(column): the table has \(count)")
            }
            return try decode(DatabaseValue(sqliteValue: values[column + 2])) { "column \(column)" }
        }
    }

    /// The rowid that the row must have after the statement. Nil if the table must choose the rowid of a new row, and
    /// for a table without rowids.
    ///
    /// - Throws: `SQLITE_MISMATCH` if the rowid in the statement isn't an integer.
    public var rowID: Int64? {
        get throws { hasRowID ? try decode(DatabaseValue(sqliteValue: values[1])) { "rowid" } : nil }
    }

    /// Whether the value of a column is missing, because an UPDATE doesn't change the column. If true, this object
    /// contains NULL in place of the value.
    ///
    /// The result is only true if the cursor has returned no value for the column: see
    /// ``SQLiteResult/isUnchangedColumn``. If the cursor has returned the value, this object contains the value.
    public func isUnchanged(_ column: Int) -> Bool {
        column >= 0 && column < count && sqlite3_value_nochange(values[column + 2]) != 0
    }

    /// The conflict resolution of a statement: <https://sqlite.org/lang_conflict.html>.
    public enum ConflictResolution: CInt, Sendable {
        /// Throw `SQLITE_CONSTRAINT`. SQLite rolls back the transaction.
        case rollback = 1
        /// Throw `SQLITE_CONSTRAINT`. SQLite skips the row.
        case ignore = 2
        /// Throw `SQLITE_CONSTRAINT`. SQLite keeps the changes that the statement has made before this row.
        case fail = 3
        /// Throw `SQLITE_CONSTRAINT`. SQLite undoes the changes of the statement.
        case abort = 4
        /// Delete the conflicting row first.
        case replace = 5
    }

    /// The conflict resolution of the current statement: <https://sqlite.org/c3ref/vtab_on_conflict.html>.
    ///
    /// It is only meaningful for tables with the option ``VirtualTableSafetyOptions/supportsConstraints``.
    public var conflictResolution: ConflictResolution {
        database.sqliteConnection.flatMap { ConflictResolution(rawValue: sqlite3_vtab_on_conflict($0)) } ?? .abort
    }
}
