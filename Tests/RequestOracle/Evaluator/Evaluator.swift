/// Evaluates queries in plain Swift, without indexes, plans or byte code: each operator does what the documentation of
/// SQLite says.
final class Evaluator {
    let world: World
    private var stored: [String: Source] = [:]
    /// The sources of the query by their numbers.
    var sources: [Int: Source] = [:]

    init(_ world: World) throws {
        self.world = world
        for table in world.tables {
            let columns = table.columns.map {
                Source.Column(name: $0.name, affinity: .known($0.affinity), collation: .known($0.collation))
            }
            stored[table.name] = Source(columns: columns, rows: try table.storedRows())
        }
    }

    func source(_ number: Int) throws -> Source {
        guard let source = sources[number] else { throw Undecided.uncomputed("a source that isn't there yet") }
        return source
    }

    /// Makes the columns of a branch's source known.
    func open(_ branch: Branch, _ outer: Env) throws {
        switch branch.origin {
        case .table(let name): sources[branch.source] = stored[name]!
        case .commonTable(let table): sources[branch.source] = try source(of: table, outer)
        }
    }

    private func source(of table: CommonTable, _ outer: Env) throws -> Source {
        var columns = try columns(of: table.query)
        for index in columns.indices { columns[index].name = "c\(index)" }
        var rows = try self.rows(of: table.query, outer)
        for index in columns.indices where try readsReals(table.query, index) {
            if rows.contains(where: { $0[index].isInteger }) {
                throw Undecided.ambiguous("an integer in a column that may have REAL affinity")
            }
        }
        if let step = table.step {
            columns = columns.map { Source.Column(name: $0.name, affinity: .unknown, collation: .unknown) }
            rows = try self.rows(from: rows, step)
        }
        return Source(columns: columns, rows: rows)
    }

    /// Whether SQLite may take a column of a compound query for one with REAL affinity, and convert integers.
    private func readsReals(_ query: Query, _ index: Int) throws -> Bool {
        guard case .compound(let compound) = query else { return false }
        let queries = [compound.first] + compound.others.map(\.query)
        return try queries.contains { try columns(of: $0)[index].affinity == .known(.real) }
    }

    private func rows(from first: [[Cell]], _ step: RecursiveStep) throws -> [[Cell]] {
        var rows = step.isUnionAll ? first : []
        var queue = first
        if !step.isUnionAll {
            queue = []
            for row in first where try isNew(row, rows) {
                rows.append(row)
                queue.append(row)
            }
        }
        while !queue.isEmpty {
            let value = queue.removeFirst()[0]
            if case .text = value { throw Undecided.ambiguous("a string in a recursive query") }
            guard !value.isNull, value.compared(with: .integer(step.limit), .binary) == .less else { continue }
            let row = [try ArithmeticOperator.add(value, .integer(step.increment))]
            if try !step.isUnionAll && !isNew(row, rows) { continue }
            rows.append(row)
            queue.append(row)
            if rows.count > 500 { throw Undecided.uncomputed("many rows") }
        }
        return rows
    }

    private func isNew(_ row: [Cell], _ rows: [[Cell]]) throws -> Bool {
        for other in rows where zip(row, other).allSatisfy({ $0.normal(.binary) == $1.normal(.binary) }) {
            if row != other { throw Undecided.ambiguous("equal values in a recursive query") }
            return false
        }
        return true
    }

    // MARK: - Types of the result

    func columns(of query: Query) throws -> [Source.Column] {
        switch query {
        case .select(let select):
            try openAll(lowered(select).table)
            return try selected(lowered(select).table).map { selected in
                let isColumn = if case .column = selected.expression { true } else { false }
                return Source.Column(
                    name: "", affinity: isColumn ? try affinity(of: selected.expression) : .unknown,
                    collation: isColumn ? try collation(of: selected.expression) : .unknown)
            }
        case .compound(let compound):
            let parts = try ([compound.first] + compound.others.map(\.query)).map { try columns(of: $0) }
            return parts[0].indices.map { index in
                let columns = parts.map { $0[index] }
                let (affinity, collation) = (columns[0].affinity, columns[0].collation)
                return Source.Column(
                    name: "", affinity: columns.allSatisfy { $0.affinity == affinity } ? affinity : .unknown,
                    collation: columns.allSatisfy { $0.collation == collation } ? collation : .unknown)
            }
        }
    }

    private func openAll(_ branch: Branch) throws {
        if sources[branch.source] == nil { try open(branch, Env()) }
        for join in branch.joins {
            if let pivot = join.association.pivot { try openAll(pivot.table) }
            try openAll(join.table)
        }
    }

    /// Returns the columns of a request, with those of the joins that annotate it.
    func selected(_ branch: Branch) throws -> [Selected] {
        let own = try branch.selection ?? allColumns(branch.source)
        let annotations = try branch.joins.filter(\.mode.isAnnotated).flatMap { join in
            try join.table.selection ?? allColumns(join.table.source)
        }
        return own + branch.annotations + annotations
    }

    private func allColumns(_ number: Int) throws -> [Selected] {
        try source(number).columns.map {
            Selected(expression: .column(source: number, name: $0.name, isAliased: true))
        }
    }

    // MARK: - Subqueries

    /// Returns the rows of a subquery, whose order is not known.
    func rows(of query: Query, _ outer: Env) throws -> [[Cell]] {
        let answer = try self.answer(query, outer, isMain: false)
        return try answer.rows.map(\.cells)
    }

    /// Returns the value of a subquery: the first column of the first row.
    func scalar(_ query: Query, _ outer: Env) throws -> Cell {
        let answer = try self.answer(query, outer, isMain: false)
        let first = answer.ties.first { !$0.isEmpty }
        if let limit = answer.limit, limit.count == 0 || limit.offset != nil {
            return try answer.rows.first?.cells[0] ?? .null
        }
        guard let first else { return .null }
        if Set(first.map { $0.cells[0] }).count > 1 { throw Undecided.ambiguous("the first of several rows") }
        return first[0].cells[0]
    }

    func answer(_ query: Query, _ outer: Env, isMain: Bool) throws -> Answer {
        switch query {
        case .select(let select): try answer(select, outer, isMain: isMain)
        case .compound(let compound): try answer(compound, outer, isMain: isMain)
        }
    }
}

/// The rows of a query.
struct Answer {
    /// The rows by rank: the order of rows that are equal by the ORDER BY clause isn't determined. Without such a
    /// clause, all rows have the same rank.
    var ties: [[Output]]
    var limit: Limit?
    /// For each column, the collation by which its values may be replaced by equal values.
    var folds: [Collation?]

    /// The rows within the limit, if they are determined.
    var rows: [Output] {
        get throws {
            guard let limit else { return ties.flatMap(\.self) }
            let count = ties.map(\.count).reduce(0, +)
            let start = min(limit.offset ?? 0, count)
            let end = limit.count < 0 ? count : min(count, start + limit.count)
            var position = 0
            for tie in ties {
                for cut in [start, end] where cut > position && cut < position + tie.count && start < end {
                    if Set(tie.map(\.cells)).count > 1 { throw Undecided.ambiguous("a limit between equal rows") }
                }
                position += tie.count
            }
            return Array(ties.flatMap(\.self)[start..<max(start, end)])
        }
    }
}

/// A row of a result, with the rows of its associations.
struct Output {
    struct Scope {
        var key: String
        var row: Output
    }

    struct List {
        var key: String
        var rows: [Output]
        var isOrdered: Bool
    }

    var cells: [Cell]
    var scopes: [Scope] = []
    var lists: [List] = []
}
