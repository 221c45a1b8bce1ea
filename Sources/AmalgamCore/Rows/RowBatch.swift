import CAmalgam

/// Copies of all rows of a statement, in one object.
///
/// Allocating an object for each row takes longer than copying a short row. Therefore, `forEachRow` reuses one row
/// object for all rows. `rows` creates a separate object for each row. These objects retain the whole batch.
package final class RowBatch {
    /// The columns of the rows.
    let columns: StatementColumns

    let layout: RowLayout?

    /// Whether the connection of the statement has ``Configuration/strictDecoding``.
    let isStrict: Bool

    private let memory: RowMemory
    private var cells: [UnsafeMutablePointer<amalgam_cell>]

    /// Runs a statement, with its current arguments.
    ///
    /// - Throws: any error of the statement; `SQLITE_NOMEM` if memory is exhausted.
    package init(_ statement: Statement, adapter: (any RowAdapter)?) throws {
        var layout = try StatementLayout(adapter, statement)
        try statement.start(nil)
        defer { statement.reset() }
        var hasRow = try statement.step()
        // SQLite can recompile a statement only at the first step of a run.
        self.layout = try layout.current(statement)
        columns = self.layout?.columns ?? statement.columns
        isStrict = statement.decodesStrictly
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

    /// Returns the position of the leftmost column with this name, compared without regard to case, or nil.
    package func index(ofColumn name: String) -> Int? { columns.index(of: name) }

    /// Returns the integers of a column, with nil for NULL; nil if the column holds a value of another storage class.
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

    /// Reorders the rows by group. Inside each group, the order of the rows is unchanged. Row positions obtained before
    /// the call become invalid.
    ///
    /// - Parameters:
    ///   - groups: the group of each row; nil for a row without a group, which is moved to the end.
    ///   - groupCount: the number of groups.
    /// - Returns: the positions of the rows of each group.
    package func arrange(by groups: [Int?], groupCount: Int) -> [Range<Int>] {
        var ends = [Int](repeating: 0, count: groupCount)
        for case let group? in groups { ends[group] += 1 }
        var start = 0
        for group in ends.indices {
            start += ends[group]
            ends[group] = start - ends[group]
        }
        let starts = ends
        // Rows without a group are last.
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

    /// Calls a closure with the row at each position. The row object is reused, unless the closure has retained it.
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

/// The rows of a to-many association that belong to one row.
package enum PrefetchedRows {
    case rows([Row])

    /// Some rows of a batch.
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

    /// Calls a closure with each row.
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
