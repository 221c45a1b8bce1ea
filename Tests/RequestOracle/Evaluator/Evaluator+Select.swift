extension Evaluator {
    /// Returns the request with its aggregates of associations as joins, groups and aggregates: the SQL that they stand
    /// for.
    func lowered(_ select: Select) -> Select {
        if select.table.aggregates.isEmpty { return select }
        var select = select
        for join in select.table.aggregates {
            select.table.joins.append(Joined(mode: .joiningOptional, association: join.association, table: join.table))
            for use in join.uses {
                let value = use.expression(of: join.table, world)
                if let (comparison, limit) = use.condition {
                    select.groupFilters.append(.comparison(comparison, value, .value(.integer(limit))))
                } else {
                    select.table.annotations.append(Selected(expression: value, key: use.key))
                }
            }
        }
        if case .table(let name) = select.table.origin {
            let key = world.table(name).key.name
            select.groups = [.column(source: select.table.source, name: key, isAliased: true)]
        }
        select.table.aggregates = []
        return select
    }

    func answer(_ original: Select, _ outer: Env, isMain: Bool) throws -> Answer {
        let select = lowered(original)
        var rows = try joinedRows(select.table, outer)
        rows = try rows.filter { row in try select.table.filters.allSatisfy { try isTrue($0, row) == true } }
        let columns = try selected(select.table)
        let orders = effectiveOrders(select.table)
        let expressions = columns.map(\.expression) + orders.map(\.term) + select.groupFilters
        let isGrouped = !select.groups.isEmpty || expressions.contains(where: \.isAggregated)
        if isGrouped {
            rows = try groups(rows, select, expressions, outer)
            rows = try rows.filter { row in
                try select.groupFilters.allSatisfy { try evaluateInGroup($0, row).isTrue == true }
            }
        }
        for index in rows.indices { rows[index].index = index }
        let statement = rows
        for index in rows.indices { rows[index].statement = statement }

        var folds = [Collation?](repeating: nil, count: columns.count)
        if isGrouped && isMain { folds = try columns.map { try fold($0.expression, select.groups) } }
        let keyed = try rows.map { row in
            let cells = try zip(columns, folds).map { column, fold in
                try isGrouped ? evaluateInGroup(column.expression, row, fold: fold) : evaluate(column.expression, row)
            }
            let keys = try orders.map { try isGrouped ? evaluateInGroup($0.term, row) : evaluate($0.term, row) }
            return (try output(select.table, cells, row), keys)
        }
        let collations = try orders.map { try collation(of: $0.term) }
        var elements = keyed
        if select.isDistinct {
            (elements, folds) = try distinct(keyed, columns, folds, isMain)
        }
        let ties =
            try orders.isEmpty
            ? (elements.isEmpty ? [] : [elements.map(\.0)])
            : sort(elements, orders, collations).map { $0.map(\.0) }
        return Answer(ties: ties, limit: select.limit, folds: folds)
    }

    // MARK: - FROM

    /// Returns the rows of the FROM clause. Joins are nested loops, from left to right.
    private func joinedRows(_ table: Branch, _ outer: Env) throws -> [Env] {
        try open(table, outer)
        var rows = try source(table.source).rows.map { cells in
            var env = Env(rows: outer.rows)
            env.rows[table.source] = cells
            return env
        }
        for join in table.joins where join.mode != .includingAll { try add(join, of: table, to: &rows, outer) }
        return rows
    }

    func add(_ join: Joined, of table: Branch, to rows: inout [Env], _ outer: Env) throws {
        var left = table.source
        if let pivot = join.association.pivot {
            try add(pivot.step, pivot.table, left, join.mode.isRequired, to: &rows, outer)
            left = pivot.table.source
        }
        try add(join.association.step, join.table, left, join.mode.isRequired, to: &rows, outer)
        for inner in join.table.joins where inner.mode != .includingAll {
            try add(inner, of: join.table, to: &rows, outer)
        }
    }

    private func add(
        _ step: Association.Step, _ table: Branch, _ left: Int, _ isRequired: Bool, to rows: inout [Env], _ outer: Env
    ) throws {
        try open(table, outer)
        let source = try source(table.source)
        rows = try rows.flatMap { row in
            var matches: [Env] = []
            for cells in source.rows {
                var env = row
                env.rows[table.source] = cells
                if try isMatch(step, table, left, env) { matches.append(env) }
            }
            if matches.isEmpty && !isRequired && Mistake.current != .join {
                var env = row
                env.rows[table.source] = Array(repeating: .null, count: source.columns.count)
                matches = [env]
            }
            return matches
        }
        if rows.count > 2000 { throw Undecided.uncomputed("many rows") }
    }

    /// Whether a row of the table satisfies the ON clause. The joined table's column is the left operand.
    private func isMatch(_ step: Association.Step, _ table: Branch, _ left: Int, _ env: Env) throws -> Bool {
        let columns = [
            Expr.column(source: table.source, name: step.destinationColumn, isAliased: true),
            Expr.column(source: left, name: step.originColumn, isAliased: true),
        ]
        // A condition of an association to a common table expression is `left == right`.
        let operands = step.kind == .condition ? columns.reversed() : columns
        guard try isTrue(.comparison(.equal, operands[0], operands[1]), env) == true else { return false }
        return try table.filters.allSatisfy { try isTrue($0, env) == true }
    }

    // MARK: - GROUP BY

    private func groups(
        _ rows: [Env], _ select: Select, _ expressions: [Expr], _ outer: Env
    ) throws -> [Env] {
        var groups: [[Env]] = []
        if select.groups.isEmpty {
            groups = [rows]
        } else {
            let collations = try select.groups.map { try collation(of: $0) }
            if collations.contains(.unknown) { throw Undecided.ambiguous("the collation of a group") }
            var positions: [[Cell]: Int] = [:]
            for row in rows {
                let key = try zip(select.groups, collations).map { try evaluate($0, row).normal($1.candidates[0]) }
                if let position = positions[key] {
                    groups[position].append(row)
                } else {
                    positions[key] = groups.count
                    groups.append([row])
                }
            }
        }
        let extreme = try singleExtreme(expressions)
        return try groups.map { group in
            var env = group.first ?? nullRow(select.table, outer)
            env.group = group
            env.candidates = group.isEmpty ? [env] : try extreme.map { try candidates($0, group) } ?? group
            return env
        }
    }

    private func nullRow(_ table: Branch, _ outer: Env) -> Env {
        var env = outer
        for (number, source) in sources where env.rows[number] == nil {
            env.rows[number] = Array(repeating: .null, count: source.columns.count)
        }
        return env
    }

    /// Returns the only aggregate of a statement, if it is min() or max(): bare columns are read from its row.
    private func singleExtreme(_ expressions: [Expr]) throws -> Aggregate? {
        let aggregates = expressions.flatMap(\.aggregates)
        guard aggregates.count == 1, aggregates[0].name == .min || aggregates[0].name == .max,
            aggregates[0].filter == nil
        else { return nil }
        return aggregates[0]
    }

    private func candidates(_ aggregate: Aggregate, _ group: [Env]) throws -> [Env] {
        let collations = try collation(of: aggregate.argument!).candidates
        let values = try group.map { try evaluate(aggregate.argument!, $0) }
        let wanted: Sign = aggregate.name == .min ? .less : .greater
        guard let first = values.first(where: { !$0.isNull }), collations.count == 1 else { return group }
        let best = values.filter { !$0.isNull }.reduce(first) {
            $1.compared(with: $0, collations[0]) == wanted ? $1 : $0
        }
        return zip(group, values).filter { $1.compared(with: best, collations[0]) == .equal }.map(\.0)
    }

    /// Returns the value of an expression for a group. Each candidate for the row of bare columns must have this value,
    /// or one that is equal by the given collation.
    private func evaluateInGroup(_ expression: Expr, _ row: Env, fold: Collation? = nil) throws -> Cell {
        var values: [Cell] = []
        for candidate in row.candidates {
            var env = candidate
            env.group = row.group
            values.append(try evaluate(expression, env))
            if !expression.hasBareColumn { break }
        }
        if Set(values.map { cell in fold.map { cell.normal($0) } ?? cell }).count > 1 {
            throw Undecided.ambiguous("a bare column of a group")
        }
        return values[0]
    }

    /// The collation of a grouped expression that is selected: any of the group's values may be in the result.
    private func fold(_ expression: Expr, _ groups: [Expr]) throws -> Collation? {
        guard groups.contains(where: { "\($0)" == "\(expression)" }) else { return nil }
        return try collation(of: expression).candidates[0]
    }

    // MARK: - DISTINCT

    private func distinct(
        _ elements: [(Output, [Cell])], _ columns: [Selected], _ folds: [Collation?], _ isMain: Bool
    ) throws -> ([(Output, [Cell])], [Collation?]) {
        let collations = try columns.map { try collation(of: $0.expression) }
        if collations.contains(.unknown) { throw Undecided.ambiguous("the collation of distinct rows") }
        guard elements.allSatisfy({ $0.0.scopes.isEmpty && $0.0.lists.isEmpty }) else {
            throw Undecided.ambiguous("distinct rows with associations")
        }
        var known: [[Cell]: (Output, [Cell])] = [:]
        var result: [(Output, [Cell])] = []
        var newFolds = folds
        for element in elements {
            let key = zip(element.0.cells, collations).map { $0.normal($1.candidates[0]) }
            guard let first = known[key] else {
                known[key] = element
                result.append(element)
                continue
            }
            if first.1 != element.1 { throw Undecided.ambiguous("the order of equal rows") }
            if first.0.cells == element.0.cells { continue }
            guard isMain else { throw Undecided.ambiguous("the first of equal rows") }
            newFolds = zip(folds, collations).map { $0 ?? $1.candidates[0] }
        }
        return (result, newFolds)
    }

    // MARK: - ORDER BY

    /// Returns the terms of the request, then those of its joins. `reversed()` also reverses the terms of joins.
    func effectiveOrders(_ table: Branch) -> [Order] {
        func orders(_ table: Branch, _ isReversed: Bool) -> [Order] {
            let isOwnReversed = table.isReversed != isReversed
            let own = table.orders.map { order in
                Order(term: order.term, direction: isOwnReversed ? order.direction.reversed : order.direction)
            }
            return own + table.joins.filter { $0.mode != .includingAll }.flatMap { orders($0.table, isOwnReversed) }
        }
        return orders(table, false)
    }
}

extension Expr {
    /// The aggregates in the expression, without those of windows.
    var aggregates: [Aggregate] {
        if case .aggregate(let aggregate) = self { return [aggregate] }
        return parts.flatMap(\.aggregates)
    }

    /// Whether a column is read outside of aggregates.
    var hasBareColumn: Bool {
        switch self {
        case .aggregate: false
        case .column, .exists, .scalar, .inQuery: true
        default: parts.contains(where: \.hasBareColumn)
        }
    }
}
