import AmalgamCore

/// A type that is read from a cell of a copied row, when the cell is of the kind that the type is made of.
///
/// What converts in another way, such as a real that is a whole number, goes the long way: by a ``DatabaseValue``.
protocol CellConvertible {
    /// - Returns: nil for a cell of another kind, which may convert all the same.
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
