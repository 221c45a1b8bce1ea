import CAmalgam

/// Where the values of a row are, for those who read many of them: in a statement, or in the cells of a copy. It is valid
/// until the row moves, or is released.
///
/// Rows do not show these places to other modules: each look at a stored property of a class in another module is checked
/// for exclusive access, which takes longer than to read a value.
package struct RowPlace {
    package let statement: SQLiteStatement?
    package let cells: RowCells?

    package static var nowhere: RowPlace { RowPlace(statement: nil, cells: nil) }
}

/// The cells of a copied row.
package struct RowCells {
    fileprivate let start: UnsafePointer<amalgam_cell>

    /// An integer; nil for a cell of another kind.
    package func integer(_ index: Int) -> Int64? {
        start[index].type == SQLITE_INTEGER ? start[index].payload : nil
    }

    /// A real; nil for a cell of another kind.
    package func real(_ index: Int) -> Double? {
        start[index].type == SQLITE_FLOAT ? Double(bitPattern: UInt64(bitPattern: start[index].payload)) : nil
    }

    /// A text; nil for a cell of another kind.
    package func text(_ index: Int) -> String? {
        guard start[index].type == SQLITE_TEXT else { return nil }
        let bytes = UnsafeRawPointer(start) + Int(start[index].payload)
        return String(
            decoding: UnsafeRawBufferPointer(start: bytes, count: Int(start[index].length)), as: UTF8.self)
    }
}

extension Row {
    /// Where the values of the row are now.
    package var place: RowPlace {
        if let plainStatement { return RowPlace(statement: plainStatement, cells: nil) }
        if let cells { return RowPlace(statement: nil, cells: RowCells(start: cells)) }
        return RowPlace(statement: statement?.sqliteStatement, cells: nil)
    }
}
