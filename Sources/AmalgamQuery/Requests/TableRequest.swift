import AmalgamCore

/// A request that fetches from a table.
///
/// ```swift
/// Player.all().orderByPrimaryKey()
/// // SELECT * FROM "player" ORDER BY "id"
/// ```
public protocol TableRequest {
    /// The name of the table.
    var databaseTableName: String { get }

    /// Gives the table an alias.
    func _aliased(_ alias: TableAliasBase) -> Self
}

extension TableRequest where Self: TypedRequest {
    /// Gives the table an alias. Other parts of the request use the alias to refer to columns of the table.
    ///
    /// ```swift
    /// let player = TableAlias<Player>(name: "p")
    /// Player.all().aliased(player).filter(player.score > 10)
    /// // SELECT "p".* FROM "player" "p" WHERE "p"."score" > 10
    /// ```
    public func aliased(_ alias: TableAlias<RowDecoder>) -> Self { _aliased(alias) }
}

extension TableRequest {
    /// Gives the table an alias without a record type. Other parts of the request use the alias to refer to columns of
    /// the table.
    ///
    /// ```swift
    /// let p = TableAlias(name: "p")
    /// Player.all().aliased(p).filter(sql: "p.score > 10")
    /// // SELECT "p".* FROM "player" "p" WHERE p.score > 10
    /// ```
    public func aliased(_ alias: TableAlias<Void>) -> Self { _aliased(alias) }
}

extension TableRequest where Self: OrderedRequest {
    /// Sorts the rows by the primary key.
    ///
    /// ```swift
    /// Player.all().orderByPrimaryKey()
    /// // SELECT * FROM "player" ORDER BY "id"
    /// ```
    ///
    /// Fetching throws the error `database view x has no primary key` if the table is a view, unless the
    /// configuration's `schemaSource` defines a key.
    public func orderByPrimaryKey() -> Self {
        let name = databaseTableName
        return orderWhenConnected { db in try db.primaryKey(name).columns.map { Column($0) } }
    }
}

extension TableRequest where Self: AggregatingRequest {
    /// Groups the rows by the primary key. Each row is its own group, unless other tables are joined.
    ///
    /// ```swift
    /// Team.all().groupByPrimaryKey()
    /// // SELECT * FROM "team" GROUP BY "id"
    /// ```
    ///
    /// A primary key of several columns is replaced by the rowid, if the table has one.
    public func groupByPrimaryKey() -> Self {
        let name = databaseTableName
        return groupWhenConnected { db in
            let primaryKey = try db.primaryKey(name)
            if primaryKey.columns.count > 1, primaryKey.tableHasRowID, let rowID = try db.rowIDName(ofTable: name) {
                return [Column(rowID)]
            }
            return primaryKey.columns.map { Column($0) }
        }
    }
}
