public import AmalgamCore

/// A value made of the rows of an association: their number, the largest of their values…
///
/// ```swift
/// Team.annotated(with: Team.players.count, Team.players.max(\.score))
/// // SELECT "team".*, COUNT(DISTINCT "player"."id") AS "playerCount", MAX("player"."score") AS "maxPlayerScore"
/// // FROM "team" LEFT JOIN "player" ON "player"."teamId" = "team"."id"
/// // GROUP BY "team"."id"
///
/// Team.having(Team.players.count >= 2)
/// // SELECT "team".* FROM "team" LEFT JOIN "player" ON "player"."teamId" = "team"."id"
/// // GROUP BY "team"."id" HAVING COUNT(DISTINCT "player"."id") >= 2
/// ```
///
/// Aggregates of associations of one name are made of the same rows. Aggregates of different rows need different names:
///
/// ```swift
/// let best = Team.players.filter { $0.score > 1000 }.forKey("bestPlayers")
/// Team.annotated(with: Team.players.count, best.count)   // playerCount, bestPlayerCount
/// ```
///
/// A second association to many multiplies the rows that sums, totals and averages are made of; counts, minima and maxima
/// do not mind.
public struct AssociationAggregate<RowDecoder>: Sendable {
    /// The associations that the value is made of.
    let joins: [Join]

    let expression: SQLExpression

    /// The name of the column; nil when it has none.
    var key: String?

    /// Names the column.
    public func forKey(_ key: String) -> AssociationAggregate<RowDecoder> {
        var aggregate = self
        aggregate.key = key
        return aggregate
    }

    /// Names the column after a coding key.
    public func forKey(_ key: some CodingKey) -> AssociationAggregate<RowDecoder> { forKey(key.stringValue) }
}

extension AssociationAggregate {
    /// Another value made of the same rows, without a name.
    func map(_ transform: (SQLExpression) -> SQLExpression) -> AssociationAggregate {
        AssociationAggregate(joins: joins, expression: transform(expression))
    }

    /// A value made of the rows of both, without a name.
    func combined(
        _ other: AssociationAggregate, _ transform: (SQLExpression, SQLExpression) -> SQLExpression
    ) -> AssociationAggregate {
        AssociationAggregate(joins: joins + other.joins, expression: transform(expression, other.expression))
    }
}

// MARK: - Aggregates of an association

extension AssociationToMany {
    /// The number of associated rows: `COUNT(DISTINCT "player"."id")`, named `playerCount`.
    public var count: AssociationAggregate<OriginRowDecoder> {
        aggregate(named: _path.target.key.singular + "Count") { RowCountNode(alias: $0) }
    }

    /// Whether there is no associated row: `COUNT(DISTINCT "player"."id") = 0`, named `hasNoPlayer`.
    public var isEmpty: AssociationAggregate<OriginRowDecoder> {
        aggregate(named: "hasNo" + _path.target.key.singular.capitalizedFirst) {
            EmptinessNode(count: RowCountNode(alias: $0), isEmpty: true)
        }
    }

    /// The mean of a value of the associated rows: `AVG("player"."score")`, named `averagePlayerScore`.
    public func average(_ expression: some SQLSpecificExpressible) -> AssociationAggregate<OriginRowDecoder> {
        aggregate(of: expression, { AmalgamQuery.average($0) }) { "average" + $0.capitalizedFirst + $1 }
    }

    /// The largest of a value of the associated rows: `MAX("player"."score")`, named `maxPlayerScore`.
    public func max(_ expression: some SQLSpecificExpressible) -> AssociationAggregate<OriginRowDecoder> {
        aggregate(of: expression, { AmalgamQuery.max($0) }) { "max" + $0.capitalizedFirst + $1 }
    }

    /// The smallest of a value of the associated rows: `MIN("player"."score")`, named `minPlayerScore`.
    public func min(_ expression: some SQLSpecificExpressible) -> AssociationAggregate<OriginRowDecoder> {
        aggregate(of: expression, { AmalgamQuery.min($0) }) { "min" + $0.capitalizedFirst + $1 }
    }

    /// The sum of a value of the associated rows, NULL when there are none: `SUM("player"."score")`, named
    /// `playerScoreSum`.
    public func sum(_ expression: some SQLSpecificExpressible) -> AssociationAggregate<OriginRowDecoder> {
        aggregate(of: expression, { AmalgamQuery.sum($0) }) { $0 + $1 + "Sum" }
    }

    /// The sum of a value of the associated rows, 0.0 when there are none: `TOTAL("player"."score")`, named
    /// `playerScoreSum`.
    public func total(_ expression: some SQLSpecificExpressible) -> AssociationAggregate<OriginRowDecoder> {
        aggregate(of: expression, { AmalgamQuery.total($0) }) { $0 + $1 + "Sum" }
    }

    private func aggregate(
        named key: String?, _ node: (TableAliasBase) -> any SQLNode
    ) -> AssociationAggregate<OriginRowDecoder> {
        let alias = TableAlias<Void>(anonymous: nil)
        var path = _path
        path.target.relation.alias(alias)
        return AssociationAggregate(
            joins: [path.join(.optional, isIncluded: false)], expression: SQLExpression(node: node(alias)), key: key)
    }

    /// - Parameter name: the name for a column, made of the names of the association and of the column.
    private func aggregate(
        of expression: some SQLSpecificExpressible, _ function: (SQLExpression) -> SQLExpression,
        _ name: (String, String) -> String
    ) -> AssociationAggregate<OriginRowDecoder> {
        let column = expression.sqlExpression.node as? ColumnNode
        let key = column.map { name(_path.target.key.singular, $0.name.capitalizedFirst) }
        return aggregate(named: key) { function($0[expression]).node }
    }
}

extension AssociationToMany where RowDecoder: TableRecord {
    /// Where closures find the columns.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// The mean of a value of the associated rows: `Team.players.average(\.score)`.
    public func average(
        _ expression: (DatabaseComponents) throws -> some SQLSpecificExpressible
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try average(expression(RowDecoder.databaseComponents))
    }

    /// The largest of a value of the associated rows: `Team.players.max(\.score)`.
    public func max(
        _ expression: (DatabaseComponents) throws -> some SQLSpecificExpressible
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try max(expression(RowDecoder.databaseComponents))
    }

    /// The smallest of a value of the associated rows: `Team.players.min(\.score)`.
    public func min(
        _ expression: (DatabaseComponents) throws -> some SQLSpecificExpressible
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try min(expression(RowDecoder.databaseComponents))
    }

    /// The sum of a value of the associated rows, NULL when there are none: `Team.players.sum(\.score)`.
    public func sum(
        _ expression: (DatabaseComponents) throws -> some SQLSpecificExpressible
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try sum(expression(RowDecoder.databaseComponents))
    }

    /// The sum of a value of the associated rows, 0.0 when there are none: `Team.players.total(\.score)`.
    public func total(
        _ expression: (DatabaseComponents) throws -> some SQLSpecificExpressible
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try total(expression(RowDecoder.databaseComponents))
    }
}

extension String {
    /// The string, with a capital in front.
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
