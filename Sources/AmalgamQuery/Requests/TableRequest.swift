import AmalgamCore

/// A request that fetches from a table.
public protocol TableRequest {
    /// The name of the table.
    var databaseTableName: String { get }

    /// Gives the table an alias.
    func _aliased(_ alias: TableAliasBase) -> Self
}

extension TableRequest where Self: TypedRequest {
    /// Gives the table an alias, by which other parts of the request refer to its columns.
    public func aliased(_ alias: TableAlias<RowDecoder>) -> Self { _aliased(alias) }
}

extension TableRequest {
    /// Gives the table an alias, by which other parts of the request refer to its columns.
    ///
    /// ```swift
    /// let p = TableAlias(name: "p")
    /// Player.all().aliased(p).filter(sql: "p.score > 10")
    /// // SELECT "p".* FROM "player" "p" WHERE p.score > 10
    /// ```
    public func aliased(_ alias: TableAlias<Void>) -> Self { _aliased(alias) }
}

extension TableRequest where Self: OrderedRequest {
    /// Orders the rows by the primary key.
    ///
    /// ```swift
    /// Player.all().orderByPrimaryKey()
    /// // SELECT * FROM "player" ORDER BY "id"
    /// ```
    ///
    /// Fetching throws `database view x has no primary key` for a view.
    public func orderByPrimaryKey() -> Self {
        let name = databaseTableName
        return orderWhenConnected { db in try db.primaryKey(name).columns.map { Column($0) } }
    }
}

extension TableRequest where Self: AggregatingRequest {
    /// Makes a group of the rows with the same primary key: one for each row, unless other tables are joined.
    public func groupByPrimaryKey() -> Self {
        let name = databaseTableName
        return groupWhenConnected { db in try db.primaryKey(name).columns.map { Column($0) } }
    }
}
