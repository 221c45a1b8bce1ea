import AmalgamCore

extension Relation {
    /// Returns whether the prefetch statement has to group the rows by their key, too. Otherwise, one group could
    /// contain rows that belong to several rows of the request.
    ///
    /// If the association has groups and selects an aggregate, such as `MAX("score")`, the statement keeps the
    /// application's groups. If it has no groups, and its selection or a HAVING clause makes one group of all rows, then the
    /// statement makes one group of the rows that belong to one row.
    ///
    /// - Parameter groups: the `GROUP BY` expressions.
    func needsKeyInGroups(_ db: Database, _ groups: [SQLExpression]) throws -> Bool {
        if !groups.isEmpty {
            return try !selection.contains { try $0.resolve(db).contains(where: \.isAggregate) }
        }
        return try !groupFilters.isEmpty || selectsAggregates(db)
    }

    /// Returns whether an aggregate, or an expression of an aggregate, is selected from this table or a joined table.
    private func selectsAggregates(_ db: Database) throws -> Bool {
        if try selection.contains(where: { try $0.resolve(db).contains(where: \.containsAggregate) }) { return true }
        return try joins.contains { try $0.isJoined && $0.isIncluded && $0.relation.selectsAggregates(db) }
    }
}

extension SQLSelection {
    fileprivate var containsAggregate: Bool { expression?.containsAggregate ?? false }
}

extension SQLNode {
    /// Whether the expression contains an aggregate of the statement's rows. False for an aggregate in a subquery or in
    /// plain SQL, and for one that has a window.
    fileprivate var containsAggregate: Bool {
        // Without recursion: the tree may be deep, and the stack of a thread small.
        var nodes: [any SQLNode] = [self]
        while let node = nodes.popLast() {
            switch node {
            case is SQL, is ParenthesisedSubquery, is any SubqueryNode: continue
            case let window as WindowNode: nodes += window.function.nestedNodes + window.window.nodes
            default:
                if SQLExpression(part: node).isAggregate { return true }
                nodes += node.nestedNodes
            }
        }
        return false
    }
}
