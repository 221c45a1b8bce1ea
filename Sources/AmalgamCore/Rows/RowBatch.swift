import CAmalgam

/// Copies of all rows of a statement, in one object.
///
/// An object for each row takes longer to make and to release than a short row to copy. Most rows are decoded once and
/// forgotten: one row serves for all of them. Rows of their own are made when somebody asks for them; they keep the
/// batch, with all its rows.
package final class RowBatch {
    /// The columns that the rows show.
    let columns: StatementColumns

    let layout: RowLayout?

    private let memory: RowMemory
    private var cells: [UnsafeMutablePointer<amalgam_cell>]

    /// Runs a statement, with the arguments that it has.
    ///
    /// - throws: any error of the run; `SQLITE_NOMEM` when memory is exhausted.
    package init(_ statement: Statement, adapter: (any RowAdapter)?) throws {
        var layout = try StatementLayout(adapter, statement)
        try statement.start(nil)
        defer { statement.reset() }
        var hasRow = try statement.step()
        // SQLite compiles a statement again when a run begins, and not in between.
        self.layout = try layout.current(statement)
        columns = self.layout?.columns ?? statement.columns
        let count = statement.columnCount
        var memory = RowMemory()
        var cells: [UnsafeMutablePointer<amalgam_cell>] = []
        while hasRow {
            cells.append(try memory.copy(statement, count: count))
            hasRow = try statement.step()
        }
        self.memory = memory
        self.cells = cells
    }

    /// The number of rows.
    package var count: Int { cells.count }

    /// The position of the leftmost column with this name, whatever its case, or nil.
    package func index(ofColumn name: String) -> Int? { columns.index(of: name) }

    /// The integers of a column, nil for NULL; nil when there is any other value.
    package func integers(atIndex index: Int) -> [Int64?]? {
        let base = layout?.baseIndexes[index] ?? index
        var integers: [Int64?] = []
        integers.reserveCapacity(count)
        for row in cells {
            switch row[base].type {
            case SQLITE_INTEGER: integers.append(row[base].payload)
            case SQLITE_NULL: integers.append(nil)
            default: return nil
            }
        }
        return integers
    }

    /// Puts the rows of each group next to each other, in their order.
    ///
    /// - Parameters:
    ///   - groups: the group of each row, or nil. There must be nobody who knows rows by their position.
    ///   - groupCount: the number of groups.
    /// - Returns: where the rows of each group are.
    package func arrange(by groups: [Int?], groupCount: Int) -> [Range<Int>] {
        var ends = [Int](repeating: 0, count: groupCount)
        for case let group? in groups { ends[group] += 1 }
        var start = 0
        for group in ends.indices {
            start += ends[group]
            ends[group] = start - ends[group]
        }
        let starts = ends
        // Those of no group come last.
        var arranged = cells
        for (row, group) in zip(cells, groups) {
            if let group {
                arranged[ends[group]] = row
                ends[group] += 1
            } else {
                arranged[start] = row
                start += 1
            }
        }
        cells = arranged
        return zip(starts, ends).map { $0..<$1 }
    }

    /// All rows.
    package var rows: [Row] { rows(cells.indices) }

    func rows(_ positions: Range<Int>) -> [Row] { positions.map { Row(self, cells[$0]) } }

    /// Lends a row at each position. One that somebody keeps stays as it is.
    func forEachRow(_ positions: Range<Int>, _ body: (Row) throws -> Void) rethrows {
        var row: Row?
        for position in positions {
            if isKnownUniquelyReferenced(&row) {
                row?.move(to: cells[position])
            } else {
                row = Row(self, cells[position])
            }
            try body(row!)
        }
    }
}

/// The rows of an association to many that belong to one row.
package enum PrefetchedRows {
    case rows([Row])

    /// Rows of a batch.
    case part(RowBatch, Range<Int>)

    package var rows: [Row] {
        switch self {
        case .rows(let rows): rows
        case .part(let batch, let positions): batch.rows(positions)
        }
    }

    package var count: Int {
        switch self {
        case .rows(let rows): rows.count
        case .part(_, let positions): positions.count
        }
    }

    /// Lends the rows, one after the other.
    package func forEachRow(_ body: (Row) throws -> Void) rethrows {
        switch self {
        case .rows(let rows): for row in rows { try body(row) }
        case .part(let batch, let positions): try batch.forEachRow(positions, body)
        }
    }
}

extension PrefetchedRows: Equatable {
    package static func == (lhs: PrefetchedRows, rhs: PrefetchedRows) -> Bool { lhs.rows == rhs.rows }
}
