import AmalgamCore

extension Relation {
    /// Writes the statement that counts the rows.
    func writeCount(to writer: inout SQLWriter) throws {
        var relation = self
        relation.updateOrderings { $0 = Ordering() }
        let selection = try relation.selection.flatMap { try $0.resolve(writer.db) }
        if let counted = try relation.countedExpression(selection, writer.db) {
            relation = relation.withoutSelection
            relation.isDistinct = false
            relation.select(.known([counted]))
            try SelectQuery(relation, writer.db).write(to: &writer)
        } else {
            writer.append("SELECT COUNT(*) FROM ")
            try writer.append(operand: ParenthesisedSubquery(subquery: RelationSubquery(relation: relation)))
        }
    }

    /// What counts the rows when it is selected instead of the selection; nil when the rows have to be there.
    private func countedExpression(_ selection: [SQLSelection], _ db: Database) throws -> SQLSelection? {
        if limit != nil || groups != nil || !groupFilters.isEmpty { return nil }
        let isOnlyAggregates = !selection.isEmpty && selection.allSatisfy(\.isAggregate)
        if isOnlyAggregates { return nil }
        if isDistinct {
            if joins.contains(where: { $0.isJoined && $0.hasIncludedRows }) { return nil }
            guard selection.count == 1, let expression = selection[0].expression else { return nil }
            return SQLSelection(node: CountNode(distinct: expression))
        }
        return selection.contains(where: \.hasKey) ? nil : SQLSelection(node: CountNode(distinct: nil))
    }
}

extension SQLSelection {
    /// Whether the columns are made of groups of rows.
    var isAggregate: Bool { expression.map { SQLExpression(node: $0).isAggregate } ?? false }
}

/// `COUNT(*)`, `COUNT(DISTINCT "name")`
private struct CountNode: SelectionNode {
    let distinct: (any SQLNode)?

    func write(to writer: inout SQLWriter) throws {
        guard let distinct else { return writer.append("COUNT(*)") }
        writer.append("COUNT(DISTINCT ")
        try distinct.write(to: &writer)
        writer.append(")")
    }

    func columnCount(in writer: SQLWriter) -> Int? { 1 }
}
