import AmalgamCore

/// A type that can be read directly from a cell (one value) of a copied row, if the cell has the storage class of the
/// type: INTEGER for `Int`, TEXT for `String`.
///
/// Other conversions, such as from an integral REAL value to an `Int`, use a ``DatabaseValue``.
protocol CellConvertible {
    /// - Returns: nil for a cell of a different storage class, which may still be convertible.
    static func fromCell(_ index: Int, of cells: RowCells) -> Self?
}

extension CellConvertible where Self: FixedWidthInteger {
    static func fromCell(_ index: Int, of cells: RowCells) -> Self? {
        cells.integer(index).flatMap(Self.init(exactly:))
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
    static func fromCell(_ index: Int, of cells: RowCells) -> Bool? { cells.integer(index).map { $0 != 0 } }
}

extension Double: CellConvertible {
    static func fromCell(_ index: Int, of cells: RowCells) -> Double? { cells.real(index) }
}

extension Float: CellConvertible {
    static func fromCell(_ index: Int, of cells: RowCells) -> Float? { cells.real(index).map { Float($0) } }
}

extension String: CellConvertible {
    static func fromCell(_ index: Int, of cells: RowCells) -> String? { cells.text(index) }
}
