extension Evaluator {
    /// Returns the columns of a row, and the rows of its associations.
    func output(_ table: Branch, _ cells: [Cell], _ row: Env) throws -> Output {
        var output = Output(cells: cells)
        for join in table.joins {
            if join.mode == .includingAll {
                let rows = try associatedRows(join, of: table, row)
                output.lists.append(
                    Output.List(key: join.key, rows: rows, isOrdered: !join.table.orders.isEmpty))
            } else if join.hasIncludedRows {
                output.scopes.append(Output.Scope(key: join.key, row: try scope(join, row)))
            }
        }
        return output
    }

    private func scope(_ join: Joined, _ row: Env) throws -> Output {
        let cells = join.mode.isIncluded ? try cells(join.table, row) : []
        let output = try output(join.table, cells, row)
        if join.association.pivot == nil { return output }
        return Output(cells: [], scopes: [Output.Scope(key: join.association.key, row: output)])
    }

    private func cells(_ table: Branch, _ row: Env) throws -> [Cell] {
        try selected(table).map { try evaluate($0.expression, row) }
    }

    /// Returns the rows of an association to many for one row: those of a request for the association's table.
    private func associatedRows(_ join: Joined, of table: Branch, _ row: Env) throws -> [Output] {
        // The join that leads back to the row.
        var root = table
        root.joins = [Joined(mode: .joiningRequired, association: join.association, table: join.table)]
        var rows = [Env(rows: row.rows)]
        try add(root.joins[0], of: root, to: &rows, Env(rows: row.rows))
        let orders = effectiveOrders(join.table)
        let ties = try sort(rows, by: orders)
        for tie in ties where !orders.isEmpty && tie.count > 1 {
            throw Undecided.ambiguous("the order of equal associated rows")
        }
        return try ties.flatMap(\.self).map { try output(join.table, cells(join.table, $0), $0) }
    }
}

extension Joined {
    /// The key of the first association in fetched rows.
    var key: String {
        association.pivot == nil || mode == .includingAll ? association.key : association.pivot!.step.key
    }

    /// Whether the fetched row has a scope for the association.
    var hasIncludedRows: Bool {
        mode.isIncluded || table.joins.contains { $0.mode != .includingAll && $0.hasIncludedRows }
    }
}
