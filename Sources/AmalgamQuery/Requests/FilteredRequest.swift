public import AmalgamCore

/// A request that has conditions.
public protocol FilteredRequest {
    /// Adds a condition that is known when a database is there.
    func filterWhenConnected(_ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible) -> Self

    /// Adds a condition.
    func _filter(_ predicate: SQLExpression) -> Self
}

extension FilteredRequest {
    /// The request itself.
    public func all() -> Self { self }

    /// No row at all.
    ///
    /// ```swift
    /// Player.filter { $0.score > 10 }.none()
    /// // SELECT * FROM "player" WHERE ("score" > 10) AND 0
    /// ```
    public func none() -> Self { _filter(false.sqlExpression) }

    /// Adds a condition: rows must fulfil all of them.
    ///
    /// ```swift
    /// Player.all().filter(Column("score") > 10).filter(Column("name") != nil)
    /// // SELECT * FROM "player" WHERE ("score" > 10) AND ("name" IS NOT NULL)
    /// ```
    public func filter(_ predicate: some SQLSpecificExpressible) -> Self { _filter(predicate.sqlExpression) }

    /// Adds a condition made of plain SQL.
    ///
    /// ```swift
    /// Player.all().filter(sql: "score > ?", arguments: [10])
    /// // SELECT * FROM "player" WHERE score > 10
    /// ```
    public func filter(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        filter(literal: SQL(sql: sql, arguments: arguments))
    }

    /// Adds a condition made of an SQL literal.
    public func filter(literal sqlLiteral: SQL) -> Self { _filter(sqlLiteral.sqlExpression) }
}

extension FilteredRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// Where closures find the columns.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Adds a condition: rows must fulfil all of them.
    ///
    /// ```swift
    /// Player.all().filter { $0.score > 10 && $0.name != nil }
    /// // SELECT * FROM "player" WHERE ("score" > 10) AND ("name" IS NOT NULL)
    /// ```
    public func filter(_ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible) rethrows -> Self {
        try _filter(predicate(RowDecoder.databaseComponents).sqlExpression)
    }
}
