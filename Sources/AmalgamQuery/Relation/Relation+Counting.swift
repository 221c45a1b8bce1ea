import AmalgamCore

extension Relation {
    /// Writes the statement that counts the rows.
    func writeCount(to writer: inout SQLWriter) throws {
        let db = writer.db
        var relation = self
        // A fetch also selects the keys of to-many associations, which can make more rows distinct.
        if isDistinct { _ = try relation.prepareForPrefetch(db) }
        relation.updateOrderings { $0 = Ordering() }
        if let counted = try relation.countedExpression(db) {
            relation = relation.withoutSelection
            relation.isDistinct = false
            relation.select(.known([counted]))
            try SelectQuery(relation, db).write(to: &writer)
        } else {
            writer.append("SELECT COUNT(*) FROM ")
            try writer.append(operand: ParenthesisedSubquery(subquery: RelationSubquery(relation: relation)))
        }
    }

    /// Returns the expression that counts the rows if it replaces the selection; nil if a subquery is needed.
    private func countedExpression(_ db: Database) throws -> SQLSelection? {
        if limit != nil || groups != nil || !groupFilters.isEmpty { return nil }
        let query = try SelectQuery(self, db)
        let selection = query.includedSelection
        guard selection.allSatisfy(\.isComputedPerRow) else { return nil }
        if isDistinct { return try query.countedDistinctExpression.map { SQLSelection(node: CountNode(distinct: $0)) } }
        return selection.contains(where: \.hasKey) ? nil : SQLSelection(node: CountNode(distinct: nil))
    }
}

extension SelectQuery {
    /// The selection of all tables that are included.
    fileprivate var includedSelection: [SQLSelection] {
        var selection: [SQLSelection] = []
        root.forEach { table in if table.join?.isIncluded ?? true { selection += table.selection } }
        return selection
    }

    /// The expression whose `COUNT(DISTINCT …)` is the number of distinct rows: the selected expression, if it is the
    /// only one and never NULL. Nil if only a subquery can count the distinct rows.
    fileprivate var countedDistinctExpression: (any SQLNode)? {
        get throws {
            guard includedSelection.count == 1, root.selection.count == 1, let expression = root.selection[0].expression
            else { return nil }
            // Conditions may refer to the name of the expression.
            let hasConditions = !root.filters.isEmpty || !root.joined.isEmpty
            if root.selection[0].hasKey && hasConditions { return nil }
            return try isNeverNull(expression) ? expression : nil
        }
    }

    /// Returns whether an expression is a column of the first table that is certainly not NULL.
    private func isNeverNull(_ node: any SQLNode) throws -> Bool {
        let table = identifiedTable
        guard table.source is TableSource, let column = SQLExpression(node: node).plainColumn(in: table) else {
            return false
        }
        if try table.isRowID(column) { return true }
        return try db.columns(in: table.source.name).contains { TableName($0.name) == column && $0.isNotNull }
    }
}

extension SQLSelection {
    /// Whether the columns are computed from groups of rows.
    var isAggregate: Bool { expression.map { SQLExpression(node: $0).isAggregate } ?? false }

    /// Whether the selection certainly returns one row for each row of the table: it contains no aggregate.
    var isComputedPerRow: Bool {
        switch node {
        case let selection as any SelectionNode: selection.isComputedPerRow
        // Plain SQL may also name columns to which conditions refer.
        case is SQL: false
        default: SQLExpression(node: node).isComputedPerRow
        }
    }
}

/// `COUNT(*)`, `COUNT(DISTINCT "name")`
private struct CountNode: SelectionNode {
    let distinct: (any SQLNode)?

    var nestedNodes: [any SQLNode] { distinct.map { [$0] } ?? [] }

    func write(to writer: inout SQLWriter) throws {
        guard let distinct else { return writer.append("COUNT(*)") }
        writer.append("COUNT(DISTINCT ")
        try distinct.write(to: &writer)
        writer.append(")")
    }

    func columnCount(in writer: SQLWriter) -> Int? { 1 }
}
