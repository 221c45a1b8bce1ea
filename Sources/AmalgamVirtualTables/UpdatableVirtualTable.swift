public import AmalgamCore

/// A virtual table that supports INSERT, UPDATE and DELETE: <https://sqlite.org/vtab.html#the_xupdate_method>.
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
/// Rows are identified by the rowid that ``VirtualTableCursor/rowID`` returns. If ``VirtualTable/schema`` contains
/// `WITHOUT ROWID`, rows are identified by their primary key, which must have one column, of the type ``Key``.
///
/// SQLite doesn't report changes of rows of virtual tables. Transaction observers are only notified of changes that the
/// virtual table makes to ordinary tables, and of the end of the transaction.
public protocol UpdatableVirtualTable: VirtualTable {
    /// The type that identifies a row: its rowid, or its primary key.
    associatedtype Key: DatabaseValueConvertible = Int64

    /// Inserts a row.
    ///
    /// - Parameter values: the columns of the row.
    /// - Returns: the rowid or primary key of the new row. A rowid becomes ``Database/lastInsertedRowID``.
    func insert(_ values: borrowing VirtualTableValues) throws -> Key

    /// Updates a row.
    ///
    /// - Parameters:
    ///   - key: the rowid or primary key of the row before the update.
    ///   - values: all columns of the row. If the rowid changes, ``VirtualTableValues/rowID`` is the new rowid.
    func update(_ key: Key, _ values: borrowing VirtualTableValues) throws

    /// Deletes a row.
    func delete(_ key: Key) throws
}
