public import AmalgamCore
public import CAmalgam

extension SQLiteResult {
    /// Whether an UPDATE asks for a column that it does not change: <https://sqlite.org/c3ref/vtab_nochange.html>.
    ///
    /// When the result is then not set, ``VirtualTableValues/isUnchanged(_:)`` tells the update so.
    @inlinable
    public var isUnchangedColumn: Bool { sqlite3_vtab_nochange(context) != 0 }
}
