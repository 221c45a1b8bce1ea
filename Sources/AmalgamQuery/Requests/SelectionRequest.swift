public import AmalgamCore

/// A request that can select columns.
///
/// ```swift
/// Player.all().select(\.name)
/// // SELECT "name" FROM "player"
/// ```
public protocol SelectionRequest {
    /// Replaces the selection with the columns that the closure returns. The request calls the closure with a
    /// connection, when it writes its SQL.
    ///
    /// ```swift
    /// Player.all().selectWhenConnected { db in
    ///     try db.columns(in: "player").filter { $0.name != "photo" }.map { Column($0.name) }
    /// }
    /// ```
    func selectWhenConnected(_ selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]) -> Self

    /// Appends the columns that the closure returns to the selection. The request calls the closure with a connection,
    /// when it writes its SQL.
    func annotatedWhenConnected(with selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]) -> Self

    /// Replaces the selection.
    func _select(_ selection: [any SQLSelectable]) -> Self

    /// Appends columns to the selection.
    func _annotated(with selection: [any SQLSelectable]) -> Self
}

extension SelectionRequest {
    /// Replaces the selection with columns or expressions.
    ///
    /// ```swift
    /// Player.all().select(Column("name"), Column("score") + 1)
    /// // SELECT "name", "score" + 1 FROM "player"
    /// ```
    public func select(_ selection: any SQLSelectable...) -> Self { _select(selection) }

    /// Replaces the selection with an array of columns or expressions.
    ///
    /// ```swift
    /// Player.all().select([Column("id"), Column("name")])
    /// // SELECT "id", "name" FROM "player"
    /// ```
    public func select(_ selection: [any SQLSelectable]) -> Self { _select(selection) }

    /// Replaces the selection with result columns written in SQL.
    ///
    /// ```swift
    /// Player.all().select(sql: "name, score + ?", arguments: [1])
    /// // SELECT name, score + 1 FROM "player"
    /// ```
    public func select(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        select(literal: SQL(sql: sql, arguments: arguments))
    }

    /// Replaces the selection with result columns written as an `SQL` literal.
    ///
    /// ```swift
    /// Player.all().select(literal: "name, score + \(1)")
    /// // SELECT name, score + 1 FROM "player"
    /// ```
    public func select(literal sqlLiteral: SQL) -> Self { _select([sqlLiteral]) }

    /// Appends columns or expressions to the selection.
    ///
    /// ```swift
    /// Player.all().annotated(with: (Column("score") + Column("bonus")).forKey("total"))
    /// // SELECT *, "score" + "bonus" AS "total" FROM "player"
    /// ```
    public func annotated(with selection: any SQLSelectable...) -> Self { _annotated(with: selection) }

    /// Appends an array of columns or expressions to the selection.
    ///
    /// ```swift
    /// Player.all().annotated(with: [(Column("score") + 1).forKey("next")])
    /// // SELECT *, "score" + 1 AS "next" FROM "player"
    /// ```
    public func annotated(with selection: [any SQLSelectable]) -> Self { _annotated(with: selection) }
}

extension SelectionRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// The type of `$0` in closures such as `{ $0.score > 10 }`. Its members are the columns of the record.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Replaces the selection with columns or expressions. The closure receives the columns of the record.
    ///
    /// ```swift
    /// Player.all().select { [$0.name, $0.score + 1] }
    /// // SELECT "name", "score" + 1 FROM "player"
    /// ```
    public func select(_ selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows -> Self {
        try _select(selection(RowDecoder.databaseComponents))
    }

    /// Replaces the selection with one column or expression. The closure receives the columns of the record.
    ///
    /// ```swift
    /// Player.all().select(\.name)
    /// // SELECT "name" FROM "player"
    /// ```
    public func select(_ selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows -> Self {
        try _select([selection(RowDecoder.databaseComponents)])
    }

    /// Appends columns or expressions to the selection. The closure receives the columns of the record.
    ///
    /// ```swift
    /// Player.all().annotated { [($0.score + 1).forKey("next"), length($0.name).forKey("nameLength")] }
    /// // SELECT *, "score" + 1 AS "next", LENGTH("name") AS "nameLength" FROM "player"
    /// ```
    public func annotated(with selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows -> Self {
        try _annotated(with: selection(RowDecoder.databaseComponents))
    }

    /// Appends one column or expression to the selection. The closure receives the columns of the record.
    ///
    /// ```swift
    /// Player.all().annotated { ($0.score + 1).forKey("next") }
    /// // SELECT *, "score" + 1 AS "next" FROM "player"
    /// ```
    public func annotated(with selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows -> Self {
        try _annotated(with: [selection(RowDecoder.databaseComponents)])
    }
}
