import AmalgamCore

extension DerivableRequest {
    /// Appends aggregates of associated rows to the selection, and groups the rows by the primary key.
    ///
    /// ```swift
    /// Team.all().annotated(with: Team.players.count)
    /// // SELECT "team".*, COUNT(DISTINCT "player"."id") AS "playerCount"
    /// // FROM "team" LEFT JOIN "player" ON "player"."teamId" = "team"."id" GROUP BY "team"."id"
    /// ```
    ///
    /// If the primary key may contain NULL, the rows are grouped by the rowid: `GROUP BY "team"."rowid"`.
    public func annotated(with aggregates: AssociationAggregate<RowDecoder>...) -> Self {
        annotated(with: aggregates)
    }

    /// Appends an array of aggregates of associated rows to the selection, and groups the rows by the primary key.
    public func annotated(with aggregates: [AssociationAggregate<RowDecoder>]) -> Self {
        with { relation in
            for aggregate in aggregates {
                let expression = aggregate.expression
                relation.annotate(
                    with: .known([aggregate.key.map { expression.forKey($0) } ?? expression.sqlSelection]))
                relation.join(aggregate)
            }
        }
    }

    /// Adds a condition on an aggregate of the associated rows, and groups the rows by the primary key.
    ///
    /// ```swift
    /// Team.all().having(Team.players.isEmpty)
    /// // SELECT "team".* FROM "team" LEFT JOIN "player" ON "player"."teamId" = "team"."id"
    /// // GROUP BY "team"."id" HAVING COUNT(DISTINCT "player"."id") = 0
    /// ```
    ///
    /// If the primary key may contain NULL, the rows are grouped by the rowid.
    public func having(_ predicate: AssociationAggregate<RowDecoder>) -> Self {
        with { relation in
            relation.filterGroups(.known(predicate.expression))
            relation.join(predicate)
        }
    }
}

extension Relation {
    fileprivate mutating func join(_ aggregate: AssociationAggregate<some Any>) {
        aggregate.joins.forEach { join($0) }
        let source = source
        group(
            by: .whenConnected { db in
                guard let columns = try source.groupKey(db) else {
                    throw DatabaseError(message: "database view \(source.name) has no primary key")
                }
                return columns.map { Column($0).sqlExpression }
            })
    }
}
