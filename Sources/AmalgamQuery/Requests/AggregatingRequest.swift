public import AmalgamCore

// `having(_:)` has an overload with a generic parameter, and one with a closure. The generic overload is disfavored.
// Otherwise, the compiler would also try it for `having { max($0.score) > 10 }`, with each overload of each operator in
// the closure. This takes half a second for a condition of one line.

/// A request that can group its rows.
///
/// ```swift
/// Player.select(Column("teamId"), max(Column("score"))).group(Column("teamId")).having(max(Column("score")) > 10)
/// // SELECT "teamId", MAX("score") FROM "player" GROUP BY "teamId" HAVING MAX("score") > 10
/// ```
public protocol AggregatingRequest {
    /// Replaces the `GROUP BY` expressions with those that the closure returns. The request calls the closure with a
    /// connection, when it writes its SQL.
    func groupWhenConnected(_ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]) -> Self

    /// Adds a `HAVING` condition, which the closure returns. The request calls the closure with a connection, when it
    /// writes its SQL.
    func havingWhenConnected(_ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible) -> Self

    /// Replaces the `GROUP BY` expressions.
    func _group(_ expressions: [any SQLExpressible]) -> Self

    /// Adds a `HAVING` condition.
    func _having(_ predicate: SQLExpression) -> Self
}

extension AggregatingRequest {
    /// Groups the rows by expressions, which replace those of a previous call.
    ///
    /// ```swift
    /// Player.select(Column("teamId"), max(Column("score"))).group(Column("teamId"))
    /// // SELECT "teamId", MAX("score") FROM "player" GROUP BY "teamId"
    /// ```
    public func group(_ expressions: any SQLExpressible...) -> Self { _group(expressions) }

    /// Groups the rows by an array of expressions, which replace those of a previous call.
    ///
    /// ```swift
    /// Player.select(Column("teamId"), count()).group([Column("teamId")])
    /// // SELECT "teamId", COUNT(*) FROM "player" GROUP BY "teamId"
    /// ```
    public func group(_ expressions: [any SQLExpressible]) -> Self { _group(expressions) }

    /// Groups the rows by expressions written in SQL.
    ///
    /// ```swift
    /// Player.select(sql: "teamId, max(score)").group(sql: "teamId")
    /// // SELECT teamId, max(score) FROM "player" GROUP BY teamId
    /// ```
    public func group(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        group(literal: SQL(sql: sql, arguments: arguments))
    }

    /// Groups the rows by expressions written as an `SQL` literal.
    ///
    /// ```swift
    /// Player.select(sql: "max(score)").group(literal: "score / \(100)")
    /// // SELECT max(score) FROM "player" GROUP BY score / 100
    /// ```
    public func group(literal sqlLiteral: SQL) -> Self { _group([sqlLiteral]) }

    /// Adds a condition on groups. Conditions of several calls are combined with `AND`.
    ///
    /// ```swift
    /// Player.select(Column("teamId")).group(Column("teamId")).having(max(Column("score")) > 10)
    /// // SELECT "teamId" FROM "player" GROUP BY "teamId" HAVING MAX("score") > 10
    /// ```
    @_disfavoredOverload
    public func having(_ predicate: any SQLExpressible) -> Self { _having(predicate.conditionExpression) }

    /// Adds a condition on groups, written in SQL.
    ///
    /// ```swift
    /// Player.select(Column("teamId")).group(Column("teamId")).having(sql: "max(score) > ?", arguments: [10])
    /// // SELECT "teamId" FROM "player" GROUP BY "teamId" HAVING max(score) > 10
    /// ```
    public func having(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        having(literal: SQL(sql: sql, arguments: arguments))
    }

    /// Adds a condition on groups, written as an `SQL` literal.
    ///
    /// ```swift
    /// Player.select(Column("teamId")).group(Column("teamId")).having(literal: "max(score) > \(10)")
    /// // SELECT "teamId" FROM "player" GROUP BY "teamId" HAVING max(score) > 10
    /// ```
    public func having(literal sqlLiteral: SQL) -> Self { _having(sqlLiteral.sqlExpression) }
}

extension AggregatingRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// The type of `$0` in closures such as `{ $0.score > 10 }`. Its members are the columns of the record.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Groups the rows by expressions. The closure receives the columns of the record.
    ///
    /// ```swift
    /// Player.select(\.name).group { [$0.name, $0.score] }
    /// // SELECT "name" FROM "player" GROUP BY "name", "score"
    /// ```
    public func group(_ expressions: (DatabaseComponents) throws -> [any SQLExpressible]) rethrows -> Self {
        try _group(expressions(RowDecoder.databaseComponents))
    }

    /// Groups the rows by one expression. The closure receives the columns of the record.
    ///
    /// ```swift
    /// Player.select(\.name).group(\.name)
    /// // SELECT "name" FROM "player" GROUP BY "name"
    /// ```
    public func group(_ expression: (DatabaseComponents) throws -> any SQLExpressible) rethrows -> Self {
        try _group([expression(RowDecoder.databaseComponents)])
    }

    /// Adds a condition on groups. The closure receives the columns of the record.
    ///
    /// ```swift
    /// Player.select(\.name).group(\.name).having { max($0.score) > 10 }
    /// // SELECT "name" FROM "player" GROUP BY "name" HAVING MAX("score") > 10
    /// ```
    public func having(_ predicate: (DatabaseComponents) throws -> any SQLExpressible) rethrows -> Self {
        try _having(predicate(RowDecoder.databaseComponents).conditionExpression)
    }
}
