import AmalgamCore

/// The joins from one table to another, with one step for each joined table.
///
/// The type is public because the `Association` protocol uses it. It has no public members.
public struct _AssociationPath: Sendable {
    struct Step: Sendable {
        var key: AssociationKey
        var condition: JoinCondition

        /// The selection and clauses for the table that the step joins.
        var relation: Relation

        /// Whether the step joins at most one row.
        var isToOne: Bool
    }

    /// The steps before the last one.
    private(set) var pivots: [Step]

    /// The last step.
    var target: Step

    init(_ target: Step, through pivots: [Step] = []) {
        self.target = target
        self.pivots = pivots
    }

    /// Creates a path through another table.
    init(through pivot: AssociationPath, using target: AssociationPath) {
        self.init(target.target, through: pivot.steps + target.pivots)
    }

    /// All steps.
    var steps: [Step] { pivots + [target] }

    /// Returns the join of the first step of the path, which contains the join of the second step, and so on.
    ///
    /// - Parameter isIncluded: whether the columns of the last table are selected.
    func join(_ kind: Join.Kind, isIncluded: Bool) -> Join {
        let isOne = kind != .all
        let targetJoin = Join(
            key: isOne ? target.key.singular : target.key.plural, kind: kind, isIncluded: isIncluded,
            condition: target.condition, relation: target.relation, isToOne: target.isToOne)
        return pivots.reversed().reduce(targetJoin) { join, pivot in
            var relation = pivot.relation
            relation.join(join)
            return Join(
                key: isOne || pivot.isToOne ? pivot.key.singular : pivot.key.plural, kind: isOne ? kind : .bridge,
                isIncluded: false, condition: pivot.condition, relation: relation, isToOne: pivot.isToOne)
        }
    }
}

typealias AssociationPath = _AssociationPath
