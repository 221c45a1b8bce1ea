public import AmalgamCore

// What takes any generic type beside a closure is disfavoured: the compiler would try the closure there first, with each
// overload of each operator in it, and take half a second for a condition of one line.

/// A request that groups rows.
public protocol AggregatingRequest {
    /// Replaces what makes groups, with expressions that are known when a database is there.
    func groupWhenConnected(_ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]) -> Self

    /// Adds a condition on groups that is known when a database is there.
    func havingWhenConnected(_ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible) -> Self

    /// Replaces what makes groups.
    func _group(_ expressions: [any SQLExpressible]) -> Self

    /// Adds a condition on groups.
    func _having(_ predicate: SQLExpression) -> Self
}

extension AggregatingRequest {
    /// Makes a group of the rows with the same values. The last grouping counts.
    ///
    /// ```swift
    /// Player.select(Column("teamId"), max(Column("score"))).group(Column("teamId"))
    /// // SELECT "teamId", MAX("score") FROM "player" GROUP BY "teamId"
    /// ```
    public func group(_ expressions: any SQLExpressible...) -> Self { _group(expressions) }

    /// Makes a group of the rows with the same values. The last grouping counts.
    public func group(_ expressions: [any SQLExpressible]) -> Self { _group(expressions) }

    /// Makes groups by plain SQL.
    public func group(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        group(literal: SQL(sql: sql, arguments: arguments))
    }

    /// Makes groups by an SQL literal.
    public func group(literal sqlLiteral: SQL) -> Self { _group([sqlLiteral]) }

    /// Adds a condition on groups: they must fulfil all of them.
    ///
    /// ```swift
    /// Player.select(Column("teamId")).group(Column("teamId")).having(max(Column("score")) > 10)
    /// // SELECT "teamId" FROM "player" GROUP BY "teamId" HAVING MAX("score") > 10
    /// ```
    @_disfavoredOverload
    public func having(_ predicate: some SQLExpressible) -> Self { _having(predicate.sqlExpression) }

    /// Adds a condition on groups made of plain SQL.
    public func having(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        having(literal: SQL(sql: sql, arguments: arguments))
    }

    /// Adds a condition on groups made of an SQL literal.
    public func having(literal sqlLiteral: SQL) -> Self { _having(sqlLiteral.sqlExpression) }
}

extension AggregatingRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// Where closures find the columns.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Makes a group of the rows with the same values: `group { [$0.teamId, $0.year] }`.
    public func group(_ expressions: (DatabaseComponents) throws -> [any SQLExpressible]) rethrows -> Self {
        try _group(expressions(RowDecoder.databaseComponents))
    }

    /// Makes a group of the rows with the same value: `group(\.teamId)`.
    public func group(_ expression: (DatabaseComponents) throws -> any SQLExpressible) rethrows -> Self {
        try _group([expression(RowDecoder.databaseComponents)])
    }

    /// Adds a condition on groups: `having { max($0.score) > 10 }`.
    public func having(_ predicate: (DatabaseComponents) throws -> any SQLExpressible) rethrows -> Self {
        try _having(predicate(RowDecoder.databaseComponents).sqlExpression)
    }
}
