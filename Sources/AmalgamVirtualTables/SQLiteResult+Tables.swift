public import AmalgamCore
public import CAmalgam

extension SQLiteResult {
    /// Whether an UPDATE reads a column that it doesn't change: <https://sqlite.org/c3ref/vtab_nochange.html>.
    ///
    /// If the cursor then sets no result, ``VirtualTableValues/isUnchanged(_:)`` is true in the update.
    @inlinable
    public var isUnchangedColumn: Bool { sqlite3_vtab_nochange(context) != 0 }
}
