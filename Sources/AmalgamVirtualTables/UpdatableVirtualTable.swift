public import AmalgamCore

/// A virtual table that INSERT, UPDATE and DELETE change: <https://sqlite.org/vtab.html#the_xupdate_method>.
///
/// ```swift
/// extension PlayerTable: UpdatableVirtualTable {
///     func insert(_ values: borrowing VirtualTableValues) throws -> Int64 {
///         let id = try values.rowID ?? nextID
///         players[id] = Player(name: try values[0], score: try values[1])
///         return id
///     }
///
///     func update(_ id: Int64, _ values: borrowing VirtualTableValues) throws {
///         players[id] = nil
///         players[try values.rowID ?? id] = Player(name: try values[0], score: try values[1])
///     }
///
///     func delete(_ id: Int64) throws {
///         players[id] = nil
///     }
/// }
/// ```
///
/// Rows are known by their rowid, which ``VirtualTableCursor/rowID`` gives. When ``VirtualTable/schema`` says `WITHOUT
/// ROWID`, they are known by their primary key, which is one column: ``Key`` is its type, then.
///
/// SQLite calls no row hook for virtual tables: transaction observers hear of what the table writes to ordinary
/// tables, and of the end of the transaction.
public protocol UpdatableVirtualTable: VirtualTable {
    /// What a row is known by: its rowid, or its primary key.
    associatedtype Key: DatabaseValueConvertible = Int64

    /// Adds a row.
    ///
    /// - Returns: what the new row is known by. A rowid is what ``Database/lastInsertedRowID`` gives then.
    func insert(_ values: borrowing VirtualTableValues) throws -> Key

    /// Changes a row.
    ///
    /// - Parameters:
    ///   - key: what the row is known by, before the change.
    ///   - values: all columns of the row. See ``VirtualTableValues/rowID`` for a new rowid.
    func update(_ key: Key, _ values: borrowing VirtualTableValues) throws

    /// Removes a row.
    func delete(_ key: Key) throws
}
