import AmalgamCore

/// A table beside the one of a relation: one that is joined, or one that is fetched afterwards.
///
/// The type is public because the protocols of requests name it. It has no public members.
public struct _Join: Sendable {
    enum Kind: Sendable {
        /// `LEFT JOIN`
        case optional

        /// `JOIN`
        case required

        /// Fetched by a statement of its own.
        case all

        /// On the way to others that are fetched by statements of their own.
        case bridge

        /// Both: what cannot be fetched.
        case conflicting
    }

    /// The name of the joined rows. Joins of one key are one join.
    var key: String

    var kind: Kind

    /// Whether the selection of the relation is fetched, or the table is only joined.
    var isIncluded: Bool

    var condition: JoinCondition

    var relation: Relation

    /// What else was joined under the same key, where it may be another table or another condition.
    var rivals: [JoinTarget] = []

    /// Whether the table is a part of the statement.
    var isJoined: Bool { kind == .optional || kind == .required }

    /// Whether rows of the table, or of one joined to it, are fetched.
    var hasIncludedRows: Bool { isIncluded || relation.joins.contains { $0.isJoined && $0.hasIncludedRows } }

    /// The same join, of which nothing is selected.
    var withoutSelection: Join {
        var join = self
        join.isIncluded = false
        join.relation = relation.withoutSelection
        return join
    }
}

extension Relation {
    /// Adds a join. With one of the same key, it becomes one join.
    mutating func join(_ join: Join) {
        if let index = joins.firstIndex(where: { $0.key == join.key && $0.isJoined == join.isJoined }) {
            joins[index].merge(join)
        } else {
            joins.append(join)
        }
    }

    /// Adds what another relation of the same table says.
    ///
    /// The last selection, order and limit win; conditions and tables add up.
    ///
    /// - Parameter isSelecting: whether the selection of the other relation counts.
    fileprivate mutating func merge(_ other: Relation, isSelecting: Bool) {
        other.aliases.forEach { alias($0) }
        if isSelecting { selection = other.selection }
        isDistinct = isDistinct || other.isDistinct
        filters += other.filters
        groups = other.groups ?? groups
        groupFilters += other.groupFilters
        if !other.ordering.isEmpty { ordering = other.ordering }
        limit = other.limit ?? limit
        other.joins.forEach { join($0) }
        other.commonTables.forEach { define($0) }
    }
}

extension Join {
    /// Makes two joins of one key one join.
    fileprivate mutating func merge(_ other: Join) {
        kind = kind.merged(other.kind)
        if !target.isSame(as: other.target) { rivals.append(target) }
        rivals += other.rivals
        condition = other.condition
        relation.merge(other.relation, isSelecting: other.isIncluded)
        isIncluded = isIncluded || other.isIncluded
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
