import Amalgam

/// The rows that a request fetched.
struct FetchedRows {
    /// The rows as text, with those of associations.
    var rows: [String]
    /// The rows as text, as the statement returns them.
    var flatRows: [String]
    /// The statements that SQLite ran for the rows.
    var statements: [String]
    /// Whether rows of associations to many were fetched: their keys may be in the statement.
    var isPrefetched: Bool
    /// The number of rows by `fetchCount`.
    var count: Int

    init(_ outputs: [Output], _ answer: Answer?, _ statements: [String], count: Int) {
        rows = outputs.map { $0.text(answer?.folds ?? [Collation?](repeating: nil, count: $0.cells.count)) }
        flatRows = outputs.map { output in
            let cells = output.allCells
            return Output(cells: cells).text([Collation?](repeating: nil, count: cells.count))
        }
        self.statements = statements
        isPrefetched = outputs.contains { $0.hasLists } || statements.count > 1
        self.count = count
    }
}

extension Output {
    /// Whether the row has rows of associations to many.
    fileprivate var hasLists: Bool { !lists.isEmpty || scopes.contains { $0.row.hasLists } }
}

extension Output {
    /// The row as text. Values that may be replaced by equal values have a normal form, rows of associations without an
    /// order are sorted.
    func text(_ folds: [Collation?]) -> String {
        var parts = zip(cells, folds).map { cell, fold in (fold.map { cell.normal($0) } ?? cell).text }
        parts += scopes.map { "\($0.key): (\($0.row.text([Collation?](repeating: nil, count: $0.row.cells.count))))" }
        parts += lists.map { list in
            let rows = list.rows.map { $0.text([Collation?](repeating: nil, count: $0.cells.count)) }
            return "\(list.key): [\((list.isOrdered ? rows : rows.sorted()).joined(separator: ", "))]"
        }
        return parts.joined(separator: "|")
    }
}

extension Cell {
    /// -0.0 is the same as 0.0: SQLite doesn't store the sign.
    fileprivate var text: String {
        if case .real(let number) = self { return number == 0 ? "0.0" : "\(number)" }
        return description
    }
}

extension Output {
    /// Reads a fetched row, whose parts are those of a table and its joins.
    init(_ row: Row, _ table: Branch, columnCount: Int) {
        cells = (0..<min(columnCount, row.count)).map { Cell(row[$0] as DatabaseValue) }
        for join in table.joins {
            if join.mode == .includingAll {
                let rows = row.prefetchedRows[join.key] ?? []
                lists.append(
                    List(
                        key: join.key,
                        rows: rows.map { Output($0, join.table, columnCount: join.table.columnCount($0)) },
                        isOrdered: !join.table.orders.isEmpty))
            } else if join.hasIncludedRows {
                scopes.append(Scope(key: join.key, row: Output(row, join)))
            }
        }
    }

    private init(_ row: Row, _ join: Joined) {
        guard let scope = row.scopes[join.key] else {
            self.init(cells: [.string("no scope \(join.key)")])
            return
        }
        guard join.association.pivot != nil else {
            self.init(scope, join.table, columnCount: join.mode.isIncluded ? join.table.columnCount(scope) : 0)
            return
        }
        guard let inner = scope.scopes[join.association.key] else {
            self.init(cells: [.string("no scope \(join.association.key)")])
            return
        }
        let columnCount = join.mode.isIncluded ? join.table.columnCount(inner) : 0
        let row = Output(inner, join.table, columnCount: columnCount)
        self.init(cells: [], scopes: [Scope(key: join.association.key, row: row)])
    }
}

extension Branch {
    /// The number of columns that the application has selected. The library may add keys behind them.
    func columnCount(_ row: Row) -> Int { selection?.count ?? row.columnNames.count(where: { !$0.hasPrefix("grdb_") }) }
}

extension Answer {
    /// Returns why the rows aren't an answer; nil if they are.
    func difference(from rows: [String]) -> String? {
        let ties = ties.map { $0.map { $0.text(folds) } }
        let count = ties.map(\.count).reduce(0, +)
        let start = min(limit?.offset ?? 0, count)
        let limitCount = limit?.count ?? -1
        let end = limitCount < 0 ? count : min(count, start + limitCount)
        if rows.count != end - start { return "\(rows.count) rows instead of \(end - start)" }
        var (position, index) = (0, 0)
        for tie in ties {
            let (lower, upper) = (max(start, position), min(end, position + tie.count))
            position += tie.count
            if lower >= upper { continue }
            var counts: [String: Int] = [:]
            for row in tie { counts[row, default: 0] += 1 }
            for row in rows[index..<index + upper - lower] {
                counts[row, default: 0] -= 1
                if counts[row]! < 0 { return "\(row) is at a wrong place, or should not be there" }
            }
            index += upper - lower
        }
        return nil
    }

    /// The rows of the answer, in one of the possible orders.
    var lines: [String] { ties.flatMap { $0.map { $0.text(folds) } } }
}
