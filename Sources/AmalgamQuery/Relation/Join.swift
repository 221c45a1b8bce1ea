import AmalgamCore

/// A table that an association adds to a relation. The statement of the relation joins the table, or a separate
/// statement fetches the rows of the table.
///
/// The type is public because the protocols of requests use it. It has no public members.
public struct _Join: Sendable {
    enum Kind: Sendable {
        /// A `LEFT JOIN`.
        case optional

        /// A `JOIN`.
        case required

        /// A separate statement fetches the rows.
        case all

        /// A table on the path to a to-many association. A separate statement fetches the associated rows.
        case bridge

        /// A direct association and an indirect one with the same key. Such a request can't be fetched.
        case conflicting
    }

    /// The key of the joined rows. Joins with the same key are merged.
    var key: String

    var kind: Kind

    /// Whether the selection of the relation is fetched. Otherwise, the table is only joined.
    var isIncluded: Bool

    var condition: JoinCondition

    var relation: Relation

    /// The targets of merged joins, if their tables or conditions may differ from those of this join.
    var rivals: [JoinTarget] = []

    /// Whether the association is one to at most one row.
    var isToOne = false

    /// Whether the table is part of the statement.
    var isJoined: Bool { kind == .optional || kind == .required }

    /// Whether columns of the table, or of a table joined to it, are fetched.
    var hasIncludedRows: Bool { isIncluded || relation.joins.contains { $0.isJoined && $0.hasIncludedRows } }

    /// The same join, without any selection.
    var withoutSelection: Join {
        var join = self
        join.isIncluded = false
        join.relation = relation.withoutSelection
        return join
    }
}

extension Relation {
    /// Adds a join, or merges it with the join that has the same key.
    mutating func join(_ join: Join) {
        if let index = joins.firstIndex(where: { $0.key == join.key && $0.isJoined == join.isJoined }) {
            joins[index].merge(join)
        } else {
            joins.append(join)
        }
    }

    /// Merges the clauses of another relation of the same table. Conditions and joined tables are combined. The order,
    /// groups and limit of the other relation, if it has any, replace those of this relation.
    ///
    /// - Parameter isSelecting: whether the selection of the other relation replaces that of this relation.
    fileprivate mutating func merge(_ other: Relation, isSelecting: Bool) {
        other.aliases.forEach { alias($0) }
        if isSelecting { selection = other.selection }
        isDistinct = isDistinct || other.isDistinct
        filters += other.filters
        groups = other.groups ?? groups
        groupFilters += other.groupFilters
        if !other.ordering.isEmpty || (ordering.isEmpty && other.ordering.reversesJoins) { ordering = other.ordering }
        limit = other.limit ?? limit
        other.joins.forEach { join($0) }
        other.commonTables.forEach { define($0) }
    }
}

extension Join {
    /// Merges a join with the same key.
    fileprivate mutating func merge(_ other: Join) {
        kind = kind.merged(other.kind)
        if !target.isSame(as: other.target) { rivals.append(target) }
        rivals += other.rivals
        condition = other.condition
        relation.merge(other.relation, isSelecting: other.isIncluded)
        isIncluded = isIncluded || other.isIncluded
        isToOne = isToOne && other.isToOne
    }
}

extension Join.Kind {
    fileprivate func merged(_ other: Join.Kind) -> Join.Kind {
        switch (self, other) {
        case (.required, _), (_, .required): .required
        case (.all, .all): .all
        case (.all, _), (_, .all), (.conflicting, _), (_, .conflicting): .conflicting
        default: self
        }
    }
}

typealias Join = _Join
