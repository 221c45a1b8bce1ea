package import AmalgamCore

extension QueryInterfaceRequest {
    /// Creates a request for the rows that are associated with one row, such as the players of one team.
    ///
    /// - Parameter originValues: a closure that returns values of this row (the team). It receives the names of the
    ///   columns, such as `["id"]`.
    package init<A: Association>(
        for association: A, originValues: @escaping @Sendable ([String]) throws -> [DatabaseValue]
    ) where A.RowDecoder == RowDecoder {
        self.init(association._path.relation(originValues: originValues))
    }
}

extension AssociationPath {
    fileprivate func relation(originValues: @escaping @Sendable ([String]) throws -> [DatabaseValue]) -> Relation {
        var relations = steps.map(\.relation)
        let first = steps[0].condition
        let origin: Deferred<SQLExpression> = .whenConnected { db in
            try first.condition(db, originValues: originValues)
        }
        var pivots = relations.dropLast().map(\.asPivot)
        if pivots.isEmpty {
            relations[0].filter(origin)
        } else {
            pivots[0].filter(origin)
        }
        let target = relations[relations.count - 1]
        do {
            return try target.joining(pivots: pivots, conditions: steps.dropFirst().map(\.condition))
        } catch {
            // Using an association doesn't throw. Therefore, the request throws the error when it runs.
            var relation = target
            relation.filter(.whenConnected { _ in throw error })
            return relation
        }
    }
}

extension JoinCondition {
    /// Returns the condition on the joined table, for one row of the other table.
    fileprivate func condition(
        _ db: Database, originValues: ([String]) throws -> [DatabaseValue]
    ) throws -> SQLExpression {
        guard case .foreignKey(let link) = self else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "Not implemented: request association without any foreign key")
        }
        let columns = try link.columns(db)
        let values = try originValues(columns.map(\.left))
        if values.contains(where: \.isNull) { return false.sqlExpression }
        return zip(columns, values).map { Column($0.right) == $1 }.joined(operator: .and)
    }
}
