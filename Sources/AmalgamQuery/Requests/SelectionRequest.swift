public import AmalgamCore

/// A request that selects columns.
public protocol SelectionRequest {
    /// Replaces the selection, with columns that are known when a database is there.
    ///
    /// ```swift
    /// Player.all().selectWhenConnected { db in
    ///     try db.columns(in: "player").filter { $0.name != "photo" }.map { Column($0.name) }
    /// }
    /// ```
    func selectWhenConnected(_ selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]) -> Self

    /// Adds to the selection columns that are known when a database is there.
    func annotatedWhenConnected(with selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]) -> Self

    /// Replaces the selection.
    func _select(_ selection: [any SQLSelectable]) -> Self

    /// Adds to the selection.
    func _annotated(with selection: [any SQLSelectable]) -> Self
}

extension SelectionRequest {
    /// Replaces the selection.
    ///
    /// ```swift
    /// Player.all().select(Column("name"), Column("score") + 1)
    /// // SELECT "name", "score" + 1 FROM "player"
    /// ```
    public func select(_ selection: any SQLSelectable...) -> Self { _select(selection) }

    /// Replaces the selection.
    public func select(_ selection: [any SQLSelectable]) -> Self { _select(selection) }

    /// Replaces the selection, with plain SQL.
    ///
    /// ```swift
    /// Player.all().select(sql: "name, score + ?", arguments: [1])
    /// // SELECT name, score + 1 FROM "player"
    /// ```
    public func select(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        select(literal: SQL(sql: sql, arguments: arguments))
    }

    /// Replaces the selection, with an SQL literal.
    public func select(literal sqlLiteral: SQL) -> Self { _select([sqlLiteral]) }

    /// Adds to the selection.
    ///
    /// ```swift
    /// Player.all().annotated(with: (Column("score") + Column("bonus")).forKey("total"))
    /// // SELECT *, "score" + "bonus" AS "total" FROM "player"
    /// ```
    public func annotated(with selection: any SQLSelectable...) -> Self { _annotated(with: selection) }

    /// Adds to the selection.
    public func annotated(with selection: [any SQLSelectable]) -> Self { _annotated(with: selection) }
}

extension SelectionRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// Where closures find the columns.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Replaces the selection.
    ///
    /// ```swift
    /// Player.all().select { [$0.name, $0.score + 1] }
    /// // SELECT "name", "score" + 1 FROM "player"
    /// ```
    public func select(_ selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows -> Self {
        try _select(selection(RowDecoder.databaseComponents))
    }

    /// Replaces the selection: `Player.all().select(\.name)`, `Player.all().select { $0.score + 1 }`.
    public func select(_ selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows -> Self {
        try _select([selection(RowDecoder.databaseComponents)])
    }

    /// Adds to the selection.
    public func annotated(with selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows -> Self {
        try _annotated(with: selection(RowDecoder.databaseComponents))
    }

    /// Adds to the selection: `Player.all().annotated { ($0.score + $0.bonus).forKey("total") }`.
    public func annotated(with selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows -> Self {
        try _annotated(with: [selection(RowDecoder.databaseComponents)])
    }
}
