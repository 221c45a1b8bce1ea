public import AmalgamCore

/// A request that can filter its rows.
///
/// ```swift
/// Player.all().filter { $0.score > 10 }
/// // SELECT * FROM "player" WHERE "score" > 10
/// ```
public protocol FilteredRequest {
    /// Adds a condition that the closure returns. The request calls the closure with a connection, when it writes its
    /// SQL.
    ///
    /// ```swift
    /// Player.all().filterWhenConnected { db in
    ///     try db.tableExists("team") ? Column("teamId") == 1 : Column("id") == 1
    /// }
    /// // SELECT * FROM "player" WHERE "teamId" = 1
    /// ```
    func filterWhenConnected(_ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible) -> Self

    /// Adds a condition.
    func _filter(_ predicate: SQLExpression) -> Self
}

extension FilteredRequest {
    /// Returns the request unchanged.
    public func all() -> Self { self }

    /// Returns a request that fetches no row.
    ///
    /// ```swift
    /// Player.filter { $0.score > 10 }.none()
    /// // SELECT * FROM "player" WHERE ("score" > 10) AND 0
    /// ```
    public func none() -> Self { _filter(false.sqlExpression) }

    /// Adds a condition on rows. Conditions of several calls are combined with `AND`.
    ///
    /// ```swift
    /// Player.all().filter(Column("score") > 10).filter(Column("name") != nil)
    /// // SELECT * FROM "player" WHERE ("score" > 10) AND ("name" IS NOT NULL)
    /// ```
    public func filter(_ predicate: any SQLCondition) -> Self { _filter(predicate.conditionExpression) }

    /// Adds a condition written in SQL.
    ///
    /// ```swift
    /// Player.all().filter(sql: "score > ?", arguments: [10])
    /// // SELECT * FROM "player" WHERE score > 10
    /// ```
    public func filter(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        filter(literal: SQL(sql: sql, arguments: arguments))
    }

    /// Adds a condition written as an `SQL` literal.
    ///
    /// ```swift
    /// Player.all().filter(literal: "score > \(10)")
    /// // SELECT * FROM "player" WHERE score > 10
    /// ```
    public func filter(literal sqlLiteral: SQL) -> Self { _filter(sqlLiteral.sqlExpression) }
}

extension FilteredRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// The type of `$0` in closures such as `{ $0.score > 10 }`. Its members are the columns of the record.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Adds a condition on rows. The closure receives the columns of the record.
    ///
    /// ```swift
    /// Player.all().filter { $0.score > 10 && $0.name != nil }
    /// // SELECT * FROM "player" WHERE ("score" > 10) AND ("name" IS NOT NULL)
    /// ```
    public func filter(_ predicate: (DatabaseComponents) throws -> any SQLCondition) rethrows -> Self {
        try _filter(predicate(RowDecoder.databaseComponents).conditionExpression)
    }
}
