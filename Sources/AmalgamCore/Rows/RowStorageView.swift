import CAmalgam

/// The place from which a row's values are read: a statement, or the cells of a copied row. Code that reads many values
/// uses this view. It is valid until the cursor moves to the next row, or the row is released.
///
/// Other modules read values through this view instead of the row's stored properties: Swift checks each access to a
/// stored property of a class in another module for exclusivity, which takes longer than reading a value.
package struct RowStorageView {
    package let statement: SQLiteStatement?
    package let cells: RowCells?

    package static var none: RowStorageView { RowStorageView(statement: nil, cells: nil) }
}

/// The cells of a copied row.
package struct RowCells {
    fileprivate let start: UnsafePointer<amalgam_cell>

    /// Returns an INTEGER value; nil for a cell of another storage class.
    package func integer(_ index: Int) -> Int64? {
        start[index].type == SQLITE_INTEGER ? start[index].payload : nil
    }

    /// Returns a REAL value; nil for a cell of another storage class.
    package func real(_ index: Int) -> Double? {
        start[index].type == SQLITE_FLOAT ? Double(bitPattern: UInt64(bitPattern: start[index].payload)) : nil
    }

    /// Returns a TEXT value; nil for a cell of another storage class.
    package func text(_ index: Int) -> String? {
        guard start[index].type == SQLITE_TEXT else { return nil }
        let bytes = UnsafeRawPointer(start) + Int(start[index].payload)
        return String(
            decoding: UnsafeRawBufferPointer(start: bytes, count: Int(start[index].length)), as: UTF8.self)
    }
}

extension Row {
    /// The storage of the row's values.
    package var storageView: RowStorageView {
        if let plainStatement { return RowStorageView(statement: plainStatement, cells: nil) }
        if let cells { return RowStorageView(statement: nil, cells: RowCells(start: cells)) }
        return RowStorageView(statement: statement?.sqliteStatement, cells: nil)
    }
}
