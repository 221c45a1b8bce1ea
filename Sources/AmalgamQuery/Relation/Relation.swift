import AmalgamCore

/// What a request asks for: one table, what to select of its rows, and which other tables to join.
///
/// Requests and associations are faces of a relation. Their verbs change the clauses of the relation, which are data;
/// nothing is looked up, and no SQL is written, before a database is there. Then `SelectQuery` gives each table its
/// name, and writes the SQL once.
///
/// A relation is a tree: each join has a relation of its own. The expressions of a relation have the columns of its own
/// table; they refer to those of others by a `TableAlias`.
///
/// The type is public because the protocols of requests name it. It has no public members.
public struct _Relation: Sendable {
    /// The table, view, or common table expression.
    var source: any SQLSource

    /// The aliases that stand for the table.
    var aliases: [TableAliasBase] = []

    /// What is selected, from left to right.
    var selection: [Deferred<[SQLSelection]>]

    /// Whether rows are selected once.
    var isDistinct = false

    /// The conditions on rows, all of which must be true.
    var filters: [Deferred<SQLExpression>] = []

    /// What makes groups of rows.
    var groups: Deferred<[SQLExpression]>?

    /// The conditions on groups, all of which must be true.
    var groupFilters: [Deferred<SQLExpression>] = []

    /// The order of rows.
    var ordering = Ordering()

    /// How many rows, at most.
    var limit: Limit?

    /// Other tables, in the order in which they were mentioned, one for each key.
    var joins: [Join] = []

    /// The common table expressions that the statement defines.
    var commonTables: [CommonTable] = []

    init(_ source: any SQLSource, selection: [SQLSelection]) {
        self.source = source
        self.selection = [.known(selection)]
    }
}

/// `LIMIT 10 OFFSET 20`
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

    /// Adds to the selection.
    mutating func annotate(with selection: Deferred<[SQLSelection]>) {
        self.selection.append(selection)
    }

    /// Adds a condition.
    mutating func filter(_ condition: Deferred<SQLExpression>) {
        filters.append(condition)
    }

    /// Replaces what makes groups.
    mutating func group(by expressions: Deferred<[SQLExpression]>) {
        groups = expressions
    }

    /// Adds a condition on groups.
    mutating func filterGroups(_ condition: Deferred<SQLExpression>) {
        groupFilters.append(condition)
    }

    /// Gives the table one more alias.
    mutating func alias(_ alias: TableAliasBase) {
        if !aliases.contains(alias) { aliases.append(alias) }
    }

    /// Defines a common table expression. Two definitions of one name must be the same, which is checked when the SQL is
    /// written.
    mutating func define(_ table: CommonTable) {
        commonTables.append(table)
    }

    /// Selects no column of the tables of the relation.
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

typealias Relation = _Relation
