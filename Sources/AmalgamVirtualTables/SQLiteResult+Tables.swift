public import AmalgamCore
public import CAmalgam

extension SQLiteResult {
    /// Whether an UPDATE statement reads the column without changing it: <https://sqlite.org/c3ref/vtab_nochange.html>.
    ///
    /// If so, ``VirtualTableCursor/column(_:_:)`` may return without setting the result.
    /// ``UpdatableVirtualTable/update(_:_:)`` then receives values whose ``VirtualTableValues/isUnchanged(_:)`` is true
    /// for the column.
    @inlinable
    public var isUnchangedColumn: Bool { sqlite3_vtab_nochange(context) != 0 }
}
