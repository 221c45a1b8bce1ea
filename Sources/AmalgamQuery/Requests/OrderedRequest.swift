public import AmalgamCore

/// A request that has an order.
public protocol OrderedRequest {
    /// Replaces the order, with terms that are known when a database is there.
    func orderWhenConnected(_ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]) -> Self

    /// Turns the order around, that of joined tables included. A request without order stays as it is.
    ///
    /// ```swift
    /// Player.order(Column("score").desc, Column("name")).reversed()
    /// // SELECT * FROM "player" ORDER BY "score" ASC, "name" DESC
    /// ```
    func reversed() -> Self

    /// Forgets the order, that of joined tables included.
    func unordered() -> Self

    /// Adds the primary key to the order, so that rows of equal rank have one as well.
    ///
    /// ```swift
    /// Player.order(Column("score")).withStableOrder()
    /// // SELECT * FROM "player" ORDER BY "score", "id"
    /// ```
    ///
    /// Where there is no primary key, as in a view, rows are ordered by all columns.
    func withStableOrder() -> Self

    /// Replaces the order.
    func _order(_ orderings: [any SQLOrderingTerm]) -> Self
}

extension OrderedRequest {
    /// Orders the rows. The last order counts.
    ///
    /// ```swift
    /// Player.all().order(Column("score").desc, Column("name"))
    /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
    /// ```
    public func order(_ orderings: any SQLOrderingTerm...) -> Self { _order(orderings) }

    /// Orders the rows. The last order counts.
    public func order(_ orderings: [any SQLOrderingTerm]) -> Self { _order(orderings) }

    /// Orders the rows by plain SQL.
    public func order(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        order(literal: SQL(sql: sql, arguments: arguments))
    }

    /// Orders the rows by an SQL literal.
    public func order(literal sqlLiteral: SQL) -> Self { _order([sqlLiteral]) }
}

extension OrderedRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// Where closures find the columns.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Orders the rows: `order { [$0.score.desc, $0.name] }`.
    public func order(_ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]) rethrows -> Self {
        try _order(orderings(RowDecoder.databaseComponents))
    }

    /// Orders the rows: `order(\.score)`, `order(\.score.desc)`.
    public func order(_ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm) rethrows -> Self {
        try _order([ordering(RowDecoder.databaseComponents)])
    }
}
