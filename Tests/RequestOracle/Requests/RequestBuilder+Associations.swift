import Amalgam

extension RequestBuilder {
    /// What a request does with an association.
    enum Purpose {
        case join(Joined.Mode)
        case aggregates([AggregatedJoin.Use])
    }

    func joined<R: DerivableRequest<Row>>(_ request: R, _ join: Joined) -> R {
        let step = join.association.step
        if step.kind == .condition, case .commonTable(let table) = join.table.origin {
            let (left, right) = (step.originColumn, step.destinationColumn)
            let association = Table(step.origin)
                .association(to: commonTable(table), on: { $0[left] == $1[right] })
                .forKey(step.key)
            return apply(request, association, join.table, join.mode)
        }
        return combined(request, join.association, join.table, .join(join.mode))
    }

    func combined<R: DerivableRequest<Row>>(
        _ request: R, _ association: Association, _ table: Branch, _ purpose: Purpose
    ) -> R {
        let step = association.step
        guard let pivot = association.pivot else {
            switch step.kind {
            case .belongsTo, .condition: return apply(request, belongsTo(step), table, purpose)
            case .hasOne: return apply(request, hasOne(step), table, purpose)
            case .hasMany: return applyToMany(request, hasMany(step), table, purpose)
            }
        }
        switch pivot.step.kind {
        case .belongsTo, .condition:
            return through(request, refined(belongsTo(pivot.step), pivot.table), step, table, purpose)
        case .hasOne: return through(request, refined(hasOne(pivot.step), pivot.table), step, table, purpose)
        case .hasMany: return throughMany(request, refined(hasMany(pivot.step), pivot.table), step, table, purpose)
        }
    }

    private func through<R: DerivableRequest<Row>, Pivot: AssociationToOne>(
        _ request: R, _ pivot: Pivot, _ step: Association.Step, _ table: Branch, _ purpose: Purpose
    ) -> R where Pivot.OriginRowDecoder == Row, Pivot.RowDecoder == Row {
        switch step.kind {
        case .belongsTo, .condition: through(request, pivot, belongsTo(step), step, table, purpose)
        case .hasOne: through(request, pivot, hasOne(step), step, table, purpose)
        case .hasMany: throughMany(request, pivot, step, table, purpose)
        }
    }

    private func through<R: DerivableRequest<Row>, Pivot: AssociationToOne, Target: AssociationToOne>(
        _ request: R, _ pivot: Pivot, _ target: Target, _ step: Association.Step, _ table: Branch, _ purpose: Purpose
    ) -> R
    where
        Pivot.OriginRowDecoder == Row, Pivot.RowDecoder == Row, Target.OriginRowDecoder == Row, Target.RowDecoder == Row
    {
        let association = Table(step.origin).hasOne(Row.self, through: pivot, using: target, key: step.key)
        return apply(request, association, table, purpose)
    }

    private func throughMany<R: DerivableRequest<Row>, Pivot: Amalgam.Association>(
        _ request: R, _ pivot: Pivot, _ step: Association.Step, _ table: Branch, _ purpose: Purpose
    ) -> R where Pivot.OriginRowDecoder == Row, Pivot.RowDecoder == Row {
        let origin = Table(step.origin)
        switch step.kind {
        case .belongsTo, .condition:
            return applyToMany(
                request, origin.hasMany(Row.self, through: pivot, using: belongsTo(step), key: step.key), table,
                purpose)
        case .hasOne:
            return applyToMany(
                request, origin.hasMany(Row.self, through: pivot, using: hasOne(step), key: step.key), table, purpose)
        case .hasMany:
            return applyToMany(
                request, origin.hasMany(Row.self, through: pivot, using: hasMany(step), key: step.key), table,
                purpose)
        }
    }

    // MARK: - Steps

    private func belongsTo(_ step: Association.Step) -> BelongsToAssociation<Row, Row> {
        Table(step.origin).belongsTo(Table(step.destination), key: step.key, using: step.foreignKey)
    }

    private func hasOne(_ step: Association.Step) -> HasOneAssociation<Row, Row> {
        Table(step.origin).hasOne(Table(step.destination), key: step.key, using: step.foreignKey)
    }

    private func hasMany(_ step: Association.Step) -> HasManyAssociation<Row, Row> {
        Table(step.origin).hasMany(Table(step.destination), key: step.key, using: step.foreignKey)
    }

    // MARK: - Uses

    private func applyToMany<R: DerivableRequest<Row>, A: AssociationToMany>(
        _ request: R, _ association: A, _ table: Branch, _ purpose: Purpose
    ) -> R where A.OriginRowDecoder == Row, A.RowDecoder == Row {
        let association = refined(association, table)
        switch purpose {
        case .join(.includingAll): return request.including(all: association)
        case .join(let mode): return use(request, association, mode)
        case .aggregates(let uses):
            return uses.reduce(request) { request, use in
                let aggregate = aggregate(use, of: association).forKey(use.key)
                guard let (comparison, limit) = use.condition else { return request.annotated(with: aggregate) }
                return request.having(compared(aggregate, comparison, limit))
            }
        }
    }

    private func apply<R: DerivableRequest<Row>, A: Amalgam.Association>(
        _ request: R, _ association: A, _ table: Branch, _ purpose: Purpose
    ) -> R where A.OriginRowDecoder == Row, A.RowDecoder == Row {
        guard case .join(let mode) = purpose else { return request }
        return apply(request, association, table, mode)
    }

    private func apply<R: DerivableRequest<Row>, A: Amalgam.Association>(
        _ request: R, _ association: A, _ table: Branch, _ mode: Joined.Mode
    ) -> R where A.OriginRowDecoder == Row, A.RowDecoder == Row {
        use(request, refined(association, table), mode)
    }

    private func use<R: DerivableRequest<Row>, A: Amalgam.Association>(
        _ request: R, _ association: A, _ mode: Joined.Mode
    ) -> R where A.OriginRowDecoder == Row, A.RowDecoder == Row {
        switch mode {
        case .includingRequired: request.including(required: association)
        case .includingOptional, .includingAll: request.including(optional: association)
        case .joiningRequired: request.joining(required: association)
        case .joiningOptional: request.joining(optional: association)
        case .annotatedWithRequired: request.annotated(withRequired: association)
        case .annotatedWithOptional: request.annotated(withOptional: association)
        }
    }

    private func aggregate<A: AssociationToMany>(
        _ use: AggregatedJoin.Use, of association: A
    ) -> AssociationAggregate<Row> where A.OriginRowDecoder == Row {
        let column = Column(use.column)
        return switch use.name {
        case .count: association.count
        case .isEmpty: association.isEmpty
        case .average: association.average(column)
        case .min: association.min(column)
        case .max: association.max(column)
        case .sum: association.sum(column)
        case .total: association.total(column)
        }
    }

    private func compared(
        _ aggregate: AssociationAggregate<Row>, _ comparison: ComparisonOperator, _ limit: Int64
    ) -> AssociationAggregate<Row> {
        switch comparison {
        case .equal: aggregate == limit
        case .notEqual: aggregate != limit
        case .less: aggregate < limit
        case .lessOrEqual: aggregate <= limit
        case .greater: aggregate > limit
        case .greaterOrEqual: aggregate >= limit
        case .is: aggregate === limit
        case .isNot: aggregate !== limit
        }
    }
}

extension Association.Step {
    /// The foreign key for the association; nil if the library finds it in the schema.
    fileprivate var foreignKey: ForeignKey? {
        if isInferred { return nil }
        return kind == .belongsTo
            ? ForeignKey([originColumn], to: [destinationColumn]) : ForeignKey([destinationColumn], to: [originColumn])
    }
}
