public import AmalgamCore
public import CAmalgam

extension SQLiteResult {
    /// Whether an UPDATE statement reads the column without changing it: <https://sqlite.org/c3ref/vtab_nochange.html>.
    ///
    /// If so, ``VirtualTableCursor/column(_:_:)`` may leave the result unset. In the update of the row,
    /// ``VirtualTableValues/isUnchanged(_:)`` is then true for the column.
    @inlinable
    public var isUnchangedColumn: Bool { sqlite3_vtab_nochange(context) != 0 }
}
