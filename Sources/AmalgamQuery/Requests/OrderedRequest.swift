public import AmalgamCore

/// A request that can sort its rows.
///
/// ```swift
/// Player.all().order(\.score.desc)
/// // SELECT * FROM "player" ORDER BY "score" DESC
/// ```
public protocol OrderedRequest {
    /// Replaces the ordering terms with those that the closure returns. The request calls the closure with a
    /// connection, when it writes its SQL.
    func orderWhenConnected(_ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]) -> Self

    /// Reverses the ordering terms of the request and of its joined associations. A request without ordering terms
    /// doesn't change.
    ///
    /// ```swift
    /// Player.order(Column("score").desc, Column("name")).reversed()
    /// // SELECT * FROM "player" ORDER BY "score" ASC, "name" DESC
    /// ```
    func reversed() -> Self

    /// Removes the ordering terms of the request and of its joined associations.
    ///
    /// ```swift
    /// Player.order(Column("score")).unordered()
    /// // SELECT * FROM "player"
    /// ```
    func unordered() -> Self

    /// Appends the primary key to the ordering terms, so that rows with equal values have a defined order. The primary
    /// keys of joined associations are appended, too.
    ///
    /// ```swift
    /// Player.order(Column("score")).withStableOrder()
    /// // SELECT * FROM "player" ORDER BY "score", "id"
    /// ```
    ///
    /// If a joined virtual table has the key of the first table as its rowid, like the index of
    /// <https://sqlite.org/fts5.html#external_content_tables>, its rowid is the only key: a full-text index then finds the
    /// best rows first.
    ///
    /// If the table has no primary key, for example because it is a view, the rows are sorted by all selected columns.
    func withStableOrder() -> Self

    /// Replaces the ordering terms.
    func _order(_ orderings: [any SQLOrderingTerm]) -> Self
}

extension OrderedRequest {
    /// Sorts the rows. The terms replace those of a previous call.
    ///
    /// ```swift
    /// Player.all().order(Column("score").desc, Column("name"))
    /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
    /// ```
    public func order(_ orderings: any SQLOrderingTerm...) -> Self { _order(orderings) }

    /// Sorts the rows by an array of ordering terms, which replace those of a previous call.
    ///
    /// ```swift
    /// Player.all().order([Column("score").desc, Column("name")])
    /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
    /// ```
    public func order(_ orderings: [any SQLOrderingTerm]) -> Self { _order(orderings) }

    /// Sorts the rows by ordering terms written in SQL.
    ///
    /// ```swift
    /// Player.all().order(sql: "lower(name) DESC")
    /// // SELECT * FROM "player" ORDER BY lower(name) DESC
    /// ```
    public func order(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        order(literal: SQL(sql: sql, arguments: arguments))
    }

    /// Sorts the rows by ordering terms written as an `SQL` literal.
    ///
    /// ```swift
    /// Player.all().order(literal: "abs(score - \(100))")
    /// // SELECT * FROM "player" ORDER BY abs(score - 100)
    /// ```
    public func order(literal sqlLiteral: SQL) -> Self { _order([sqlLiteral]) }
}

extension OrderedRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// The type of `$0` in closures such as `{ $0.score > 10 }`. Its members are the columns of the record.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Sorts the rows by ordering terms. The closure receives the columns of the record.
    ///
    /// ```swift
    /// Player.all().order { [$0.score.desc, $0.name] }
    /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
    /// ```
    public func order(_ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]) rethrows -> Self {
        try _order(orderings(RowDecoder.databaseComponents))
    }

    /// Sorts the rows by one ordering term. The closure receives the columns of the record.
    ///
    /// ```swift
    /// Player.all().order(\.score.desc)
    /// // SELECT * FROM "player" ORDER BY "score" DESC
    /// ```
    public func order(_ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm) rethrows -> Self {
        try _order([ordering(RowDecoder.databaseComponents)])
    }
}
