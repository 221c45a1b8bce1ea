public import AmalgamCore

// Sources of the rows of table functions, and readers of the columns of a row. Each is a small generic type with one
// method, so that the compiler can specialize the loop over the rows.

/// A source of the rows of a table function.
@usableFromInline
protocol RowSupply {
    associatedtype Row

    mutating func next() throws -> Row?
}

@usableFromInline
struct IteratorSupply<Base: IteratorProtocol>: RowSupply {
    @usableFromInline
    var base: Base

    @inlinable
    init(_ base: Base) { self.base = base }

    @inlinable
    mutating func next() -> Base.Element? { base.next() }
}

@usableFromInline
struct CursorSupply<Base: Cursor>: RowSupply {
    @usableFromInline
    let base: Base

    @inlinable
    init(_ base: Base) { self.base = base }

    @inlinable
    mutating func next() throws -> Base.Element? { try base.next() }
}

/// A reader of the columns of a row.
@usableFromInline
protocol TableFunctionReader: Sendable {
    associatedtype Row

    func read(_ row: Row, _ column: Int, _ result: borrowing SQLiteResult) throws
}

/// A reader that treats a value as a row with one column.
@usableFromInline
struct ValueReader<Row: DatabaseValueConvertible>: TableFunctionReader {
    @inlinable
    init() {}

    @inlinable
    func read(_ row: Row, _ column: Int, _ result: borrowing SQLiteResult) {
        if column == 0 { result.set(row) }
    }
}

@usableFromInline
struct TupleReader<each Value: DatabaseValueConvertible>: TableFunctionReader {
    @usableFromInline
    typealias Row = (repeat each Value)

    @inlinable
    init() {}

    @inlinable
    func read(_ row: Row, _ column: Int, _ result: borrowing SQLiteResult) {
        var index = 0
        for value in repeat each row {
            if index == column { result.set(value) }
            index += 1
        }
    }
}

@usableFromInline
struct ArrayReader<Row: RandomAccessCollection>: TableFunctionReader where Row.Element: DatabaseValueConvertible {
    @inlinable
    init() {}

    @inlinable
    func read(_ row: Row, _ column: Int, _ result: borrowing SQLiteResult) {
        if column < row.count { result.set(row[row.index(row.startIndex, offsetBy: column)]) }
    }
}

@usableFromInline
struct ColumnReader<Row>: TableFunctionReader {
    @usableFromInline
    let columns: [TableFunctionColumn<Row>]

    @inlinable
    init(_ columns: [TableFunctionColumn<Row>]) { self.columns = columns }

    @inlinable
    func read(_ row: Row, _ column: Int, _ result: borrowing SQLiteResult) throws {
        try columns[column].read(row, result)
    }
}
