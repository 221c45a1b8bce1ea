public import CAmalgam

/// The cells of a copied row.
@usableFromInline
package struct RowCells {
    @usableFromInline
    package let start: UnsafePointer<amalgam_cell>
}

extension Row {
    /// The cells; nil for a row that moves with a statement.
    package var copiedCells: RowCells? { cells.map { RowCells(start: $0) } }
}

/// A type that is read from a cell of a copied row, when the cell is of the kind that the type is made of.
///
/// What converts in another way, such as a real that is a whole number, goes the long way: by a ``DatabaseValue``.
package protocol CellConvertible {
    /// - Returns: nil for a cell of another kind, which may convert all the same.
    init?(cell index: Int, of cells: RowCells)
}

extension CellConvertible where Self: FixedWidthInteger {
    @inlinable
    package init?(cell index: Int, of cells: RowCells) {
        guard cells.start[index].type == SQLITE_INTEGER, let integer = Self(exactly: cells.start[index].payload) else {
            return nil
        }
        self = integer
    }
}

extension Int: CellConvertible {}
extension Int8: CellConvertible {}
extension Int16: CellConvertible {}
extension Int32: CellConvertible {}
extension Int64: CellConvertible {}
extension UInt: CellConvertible {}
extension UInt8: CellConvertible {}
extension UInt16: CellConvertible {}
extension UInt32: CellConvertible {}
extension UInt64: CellConvertible {}

extension Bool: CellConvertible {
    @inlinable
    package init?(cell index: Int, of cells: RowCells) {
        guard cells.start[index].type == SQLITE_INTEGER else { return nil }
        self = cells.start[index].payload != 0
    }
}

extension Double: CellConvertible {
    @inlinable
    package init?(cell index: Int, of cells: RowCells) {
        guard cells.start[index].type == SQLITE_FLOAT else { return nil }
        self.init(bitPattern: UInt64(bitPattern: cells.start[index].payload))
    }
}

extension Float: CellConvertible {
    @inlinable
    package init?(cell index: Int, of cells: RowCells) {
        guard let double = Double(cell: index, of: cells) else { return nil }
        self.init(double)
    }
}

extension String: CellConvertible {
    @inlinable
    package init?(cell index: Int, of cells: RowCells) {
        guard cells.start[index].type == SQLITE_TEXT else { return nil }
        let start = UnsafeRawPointer(cells.start) + Int(cells.start[index].payload)
        self.init(
            decoding: UnsafeRawBufferPointer(start: start, count: Int(cells.start[index].length)), as: UTF8.self)
    }
}
