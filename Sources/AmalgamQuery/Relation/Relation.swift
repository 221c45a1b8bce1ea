import AmalgamCore

/// The data of a request or an association: one table, the selected columns, the clauses, and the joined tables.
///
/// The methods of requests and associations only change these data, without a connection. When the request runs on a
/// connection, `SelectQuery` looks up the schema, names the tables, and writes the SQL.
///
/// A relation is a tree, because each join contains a relation. In the expressions of a relation, columns belong to the
/// table of this relation. Columns of other tables need a `TableAlias`.
///
/// The type is public because the protocols of requests use it. It has no public members.
public struct _Relation: Sendable {
    /// The table, view, or common table expression.
    var source: any SQLSource

    /// The aliases that stand for the table.
    var aliases: [TableAliasBase] = []

    /// The selected columns, from left to right.
    var selection: [Deferred<[SQLSelection]>]

    /// Whether duplicate rows are removed.
    var isDistinct = false

    /// The conditions on rows, combined with `AND`.
    var filters: [Deferred<SQLExpression>] = []

    /// The `GROUP BY` expressions.
    var groups: Deferred<[SQLExpression]>?

    /// The conditions on groups, combined with `AND`.
    var groupFilters: [Deferred<SQLExpression>] = []

    /// The order of rows.
    var ordering = Ordering()

    /// The maximum number of rows, and the offset.
    var limit: Limit?

    /// The joined tables in the order in which they were added, one for each key and kind.
    var joins: [Join] = []

    /// The common table expressions that the statement defines.
    var commonTables: [CommonTable] = []

    init(_ source: any SQLSource, selection: [SQLSelection]) {
        self.source = source
        self.selection = [.known(selection)]
    }
}

/// A LIMIT clause: `LIMIT 10 OFFSET 20`.
struct Limit: Sendable {
    var count: Int
    var offset: Int?
}

// MARK: - Clauses

extension Relation {
    /// Replaces the selection.
    mutating func select(_ selection: Deferred<[SQLSelection]>) {
        self.selection = [selection]
    }

    /// Appends to the selection.
    mutating func annotate(with selection: Deferred<[SQLSelection]>) {
        self.selection.append(selection)
    }

    /// Adds a condition.
    mutating func filter(_ condition: Deferred<SQLExpression>) {
        filters.append(condition)
    }

    /// Replaces the `GROUP BY` expressions.
    mutating func group(by expressions: Deferred<[SQLExpression]>) {
        groups = expressions
    }

    /// Adds a condition on groups.
    mutating func filterGroups(_ condition: Deferred<SQLExpression>) {
        groupFilters.append(condition)
    }

    /// Adds an alias for the table.
    mutating func alias(_ alias: TableAliasBase) {
        if !aliases.contains(alias) { aliases.append(alias) }
    }

    /// Adds the definition of a common table expression. When the SQL is written, an error is thrown if two definitions
    /// of the same name differ.
    mutating func define(_ table: CommonTable) {
        commonTables.append(table)
    }

    /// The relation without the selection of its table and of its joined tables.
    var withoutSelection: Relation {
        var relation = self
        relation.selection = []
        relation.joins = joins.map(\.withoutSelection)
        return relation
    }

    /// Changes the orders of the relation and of its joins.
    mutating func updateOrderings(_ update: (inout Ordering) -> Void) {
        update(&ordering)
        for index in joins.indices where joins[index].isJoined { joins[index].relation.updateOrderings(update) }
    }
}

// MARK: - Depth

extension Relation {
    /// The nodes of the relation and of its joins: see `SQLNode.nestedNodes`. Nodes that a closure computes are unknown
    /// before the request runs.
    var nestedNodes: [any SQLNode] {
        var nodes = source.nestedNodes + commonTables.flatMap(\.source.nestedNodes)
        for part in selection { nodes += (part.known ?? []).map(\.node) }
        nodes += (filters + groupFilters).compactMap(\.known?.node)
        nodes += (groups?.known ?? []).map(\.node)
        nodes += ordering.knownTerms.map(\.node)
        for join in joins {
            if case .expression(let condition, _, _) = join.condition { nodes.append(condition.node) }
            nodes.append(RelationSubquery(relation: join.relation))
        }
        return nodes
    }
}

typealias Relation = _Relation
