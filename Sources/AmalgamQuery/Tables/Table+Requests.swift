public import AmalgamCore

// Each method calls the method of the same name on `all()`, the request for all rows.

extension Table {
    /// Returns a request in which an alias stands for the table. Other parts of the request use the alias to refer to
    /// columns of the table.
    ///
    /// ```swift
    /// let player = TableAlias<Player>(name: "p")
    /// Table<Player>("player").aliased(player).filter(player.score > 10)
    /// // SELECT "p".* FROM "player" "p" WHERE "p"."score" > 10
    /// ```
    public func aliased(_ alias: TableAlias<RowDecoder>) -> QueryInterfaceRequest<RowDecoder> { all().aliased(alias) }

    /// Returns a request in which an alias without a record type stands for the table.
    ///
    /// ```swift
    /// let p = TableAlias(name: "p")
    /// Table("player").aliased(p).filter(sql: "p.score > 10")
    /// // SELECT "p".* FROM "player" "p" WHERE p.score > 10
    /// ```
    public func aliased(_ alias: TableAlias<Void>) -> QueryInterfaceRequest<RowDecoder> { all().aliased(alias) }

    /// Returns a request that fetches no row.
    ///
    /// ```swift
    /// Table("player").none()
    /// // SELECT * FROM "player" WHERE 0
    /// ```
    public func none() -> QueryInterfaceRequest<RowDecoder> { all().none() }

    /// Returns a request that selects columns or expressions, instead of the default selection.
    ///
    /// ```swift
    /// Table("player").select(Column("name"), Column("score") + 1)
    /// // SELECT "name", "score" + 1 FROM "player"
    /// ```
    public func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<RowDecoder> {
        all().select(selection)
    }

    /// Returns a request that selects an array of columns or expressions, instead of the default selection.
    ///
    /// ```swift
    /// Table("player").select([Column("id"), Column("name")])
    /// // SELECT "id", "name" FROM "player"
    /// ```
    public func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<RowDecoder> {
        all().select(selection)
    }

    /// Returns a request that selects result columns written in SQL, instead of the default selection.
    ///
    /// ```swift
    /// Table("player").select(sql: "name, score + ?", arguments: [1])
    /// // SELECT name, score + 1 FROM "player"
    /// ```
    public func select(sql: String, arguments: StatementArguments = StatementArguments()) -> QueryInterfaceRequest<
        RowDecoder
    > {
        all().select(sql: sql, arguments: arguments)
    }

    /// Returns a request that selects result columns written as an `SQL` literal, instead of the default selection.
    ///
    /// ```swift
    /// Table("player").select(literal: "name, score + \(1)")
    /// // SELECT name, score + 1 FROM "player"
    /// ```
    public func select(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
        all().select(literal: sqlLiteral)
    }

    /// Returns a request that appends columns or expressions to the default selection.
    ///
    /// ```swift
    /// Table("player").annotated(with: (Column("score") + 1).forKey("next"))
    /// // SELECT *, "score" + 1 AS "next" FROM "player"
    /// ```
    public func annotated(with selection: any SQLSelectable...) -> QueryInterfaceRequest<RowDecoder> {
        all().annotated(with: selection)
    }

    /// Returns a request that appends an array of columns or expressions to the default selection.
    ///
    /// ```swift
    /// Table("player").annotated(with: [(Column("score") + 1).forKey("next")])
    /// // SELECT *, "score" + 1 AS "next" FROM "player"
    /// ```
    public func annotated(with selection: [any SQLSelectable]) -> QueryInterfaceRequest<RowDecoder> {
        all().annotated(with: selection)
    }

    /// Returns a request for all rows, without duplicates.
    ///
    /// ```swift
    /// Table("player").distinct()
    /// // SELECT DISTINCT * FROM "player"
    /// ```
    public func distinct() -> QueryInterfaceRequest<RowDecoder> { all().distinct() }

    /// Returns a request for the rows that satisfy a condition.
    ///
    /// ```swift
    /// Table("player").filter(Column("score") > 10)
    /// // SELECT * FROM "player" WHERE "score" > 10
    /// ```
    public func filter(_ predicate: any SQLCondition) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(predicate)
    }

    /// Returns a request for the row with the given primary key.
    ///
    /// ```swift
    /// let player = try Table("player").filter(key: 1).fetchOne(db)
    /// // SELECT * FROM "player" WHERE "id" = 1
    /// ```
    ///
    /// If the key is NULL, the request fetches no row. Fetching throws `SQLITE_MISUSE` if the primary key has several
    /// columns.
    @_disfavoredOverload
    public func filter(key: any DatabaseValueConvertible) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(key: key)
    }

    /// Returns a request for the row with the given primary or unique key. The dictionary maps the columns of the key
    /// to values.
    ///
    /// ```swift
    /// let citizenship = try Table("citizenship").filter(key: ["citizenId": 1, "countryCode": "FR"]).fetchOne(db)
    /// // SELECT * FROM "citizenship" WHERE ("citizenId" = 1) AND ("countryCode" = 'FR')
    /// ```
    ///
    /// If the dictionary is nil, the request fetches no row. Fetching throws `SQLITE_MISUSE` unless the dictionary
    /// contains all columns of the primary key or of a unique index. A partial unique index doesn't count.
    public func filter(key: [String: (any DatabaseValueConvertible)?]?) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(key: key)
    }

    /// Returns a request for the rows with the given primary or unique keys. Each dictionary maps the columns of a key
    /// to values.
    ///
    /// ```swift
    /// Table("player").filter(keys: [["email": "anna@example.com"], ["email": "bob@example.com"]])
    /// // SELECT * FROM "player" WHERE ("email" = 'anna@example.com') OR ("email" = 'bob@example.com')
    /// ```
    ///
    /// Fetching throws `SQLITE_MISUSE` unless each dictionary contains all columns of the primary key or of a unique
    /// index.
    public func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(keys: keys)
    }

    /// Returns a request for the rows that satisfy a condition written in SQL.
    ///
    /// ```swift
    /// Table("player").filter(sql: "score > ?", arguments: [10])
    /// // SELECT * FROM "player" WHERE score > 10
    /// ```
    public func filter(sql: String, arguments: StatementArguments = StatementArguments()) -> QueryInterfaceRequest<
        RowDecoder
    > {
        all().filter(sql: sql, arguments: arguments)
    }

    /// Returns a request for the rows that satisfy a condition written as an `SQL` literal.
    ///
    /// ```swift
    /// Table("player").filter(literal: "score > \(10)")
    /// // SELECT * FROM "player" WHERE score > 10
    /// ```
    public func filter(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(literal: sqlLiteral)
    }

    /// Returns a request for all rows, sorted by one or more ordering terms.
    ///
    /// ```swift
    /// Table("player").order(Column("score").desc, Column("name"))
    /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
    /// ```
    public func order(_ orderings: any SQLOrderingTerm...) -> QueryInterfaceRequest<RowDecoder> {
        all().order(orderings)
    }

    /// Returns a request for all rows, sorted by an array of ordering terms.
    ///
    /// ```swift
    /// Table("player").order([Column("score").desc, Column("name")])
    /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
    /// ```
    public func order(_ orderings: [any SQLOrderingTerm]) -> QueryInterfaceRequest<RowDecoder> {
        all().order(orderings)
    }

    /// Returns a request for all rows, sorted by ordering terms written in SQL.
    ///
    /// ```swift
    /// Table("player").order(sql: "lower(name) DESC")
    /// // SELECT * FROM "player" ORDER BY lower(name) DESC
    /// ```
    public func order(sql: String, arguments: StatementArguments = StatementArguments()) -> QueryInterfaceRequest<
        RowDecoder
    > {
        all().order(sql: sql, arguments: arguments)
    }

    /// Returns a request for all rows, sorted by ordering terms written as an `SQL` literal.
    ///
    /// ```swift
    /// Table("player").order(literal: "abs(score - \(100))")
    /// // SELECT * FROM "player" ORDER BY abs(score - 100)
    /// ```
    public func order(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
        all().order(literal: sqlLiteral)
    }

    /// Returns a request for all rows, sorted by the primary key.
    ///
    /// ```swift
    /// Table("player").orderByPrimaryKey()
    /// // SELECT * FROM "player" ORDER BY "id"
    /// ```
    ///
    /// Fetching throws the error `database view x has no primary key` if the table is a view, unless the
    /// configuration's `schemaSource` defines a key.
    public func orderByPrimaryKey() -> QueryInterfaceRequest<RowDecoder> { all().orderByPrimaryKey() }

    /// Returns a request for a limited number of rows.
    ///
    /// ```swift
    /// Table("player").limit(10, offset: 20)
    /// // SELECT * FROM "player" LIMIT 10 OFFSET 20
    /// ```
    ///
    /// - Parameters:
    ///   - limit: the maximum number of rows. A negative number means no limit.
    ///   - offset: the number of rows to skip.
    public func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<RowDecoder> {
        all().limit(limit, offset: offset)
    }

    /// Returns a request that selects columns or expressions, and decodes the rows as the given type.
    ///
    /// ```swift
    /// let names = try Table("player").select(Column("name"), as: String.self).fetchAll(db)   // [String]
    /// // SELECT "name" FROM "player"
    /// ```
    public func select<T>(_ selection: any SQLSelectable..., as type: T.Type = T.self) -> QueryInterfaceRequest<T> {
        all().select(selection, as: type)
    }

    /// Returns a request that selects an array of columns or expressions, and decodes the rows as the given type.
    ///
    /// ```swift
    /// let rows = try Table("player").select([Column("id"), Column("name")], as: Row.self).fetchAll(db)
    /// // SELECT "id", "name" FROM "player"
    /// ```
    public func select<T>(_ selection: [any SQLSelectable], as type: T.Type = T.self) -> QueryInterfaceRequest<T> {
        all().select(selection, as: type)
    }

    /// Returns a request that selects result columns written in SQL, and decodes the rows as the given type.
    ///
    /// ```swift
    /// let names = try Table("player").select(sql: "upper(name)", as: String.self).fetchAll(db)   // [String]
    /// // SELECT upper(name) FROM "player"
    /// ```
    public func select<T>(
        sql: String, arguments: StatementArguments = StatementArguments(), as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(sql: sql, arguments: arguments, as: type)
    }

    /// Returns a request that selects an `SQL` literal, and decodes the rows as the given type.
    ///
    /// ```swift
    /// let scores = try Table("player").select(literal: "score + \(1)", as: Int.self).fetchAll(db)   // [Int]
    /// // SELECT score + 1 FROM "player"
    /// ```
    public func select<T>(literal sqlLiteral: SQL, as type: T.Type = T.self) -> QueryInterfaceRequest<T> {
        all().select(literal: sqlLiteral, as: type)
    }

    /// Returns a request that selects the columns of the primary key, and decodes the rows as the given type.
    ///
    /// ```swift
    /// let ids = try Table("player").selectPrimaryKey(as: Int64.self).fetchSet(db)   // Set<Int64>
    /// // SELECT "id" FROM "player"
    /// ```
    public func selectPrimaryKey<PrimaryKey>(
        as type: PrimaryKey.Type = PrimaryKey.self
    ) -> QueryInterfaceRequest<PrimaryKey> {
        all().selectPrimaryKey(as: type)
    }

    /// Returns a request for the rows with the given primary keys.
    ///
    /// ```swift
    /// let players = try Table("player").filter(keys: [1, 2, 3]).fetchAll(db)
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2, 3)
    /// ```
    ///
    /// Any number of keys is allowed. Fetching throws `SQLITE_MISUSE` if the primary key has several columns.
    public func filter<Key: DatabaseValueConvertible>(keys: any Collection<Key>) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(keys: keys)
    }

    /// Returns a request for all rows, with a common table expression in its `WITH` clause.
    ///
    /// ```swift
    /// let best = CommonTableExpression(named: "best", request: Player.select { max($0.score) })
    /// Table("player").with(best).filter(Column("score") == best.all())
    /// // WITH "best" AS (SELECT MAX("score") FROM "player")
    /// // SELECT * FROM "player" WHERE "score" = (SELECT * FROM "best")
    /// ```
    public func with<T>(_ cte: CommonTableExpression<T>) -> QueryInterfaceRequest<RowDecoder> { all().with(cte) }
}

// MARK: - Columns by their names in the record

extension Table where RowDecoder: TableRecord {
    /// The type of `$0` in closures such as `{ $0.score > 10 }`. Its members are the columns of the record.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Returns a request that selects columns or expressions. The closure receives the columns of the record.
    ///
    /// ```swift
    /// Table<Player>("player").select { [$0.name, $0.score + 1] }
    /// // SELECT "name", "score" + 1 FROM "player"
    /// ```
    public func select(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().select(selection)
    }

    /// Returns a request that selects one column or expression. The closure receives the columns of the record.
    ///
    /// ```swift
    /// Table<Player>("player").select(\.name)
    /// // SELECT "name" FROM "player"
    /// ```
    public func select(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().select(selection)
    }

    /// Returns a request that also selects columns or expressions. The closure receives the columns of the record.
    ///
    /// ```swift
    /// Table<Player>("player").annotated { [($0.score + 1).forKey("next"), length($0.name).forKey("nameLength")] }
    /// // SELECT *, "score" + 1 AS "next", LENGTH("name") AS "nameLength" FROM "player"
    /// ```
    public func annotated(
        with selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().annotated(with: selection)
    }

    /// Returns a request that also selects one column or expression. The closure receives the columns of the record.
    ///
    /// ```swift
    /// Table<Player>("player").annotated { ($0.score + 1).forKey("next") }
    /// // SELECT *, "score" + 1 AS "next" FROM "player"
    /// ```
    public func annotated(
        with selection: (DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().annotated(with: selection)
    }

    /// Returns a request for the rows that satisfy a condition. The closure receives the columns of the record.
    ///
    /// ```swift
    /// let players = try Table<Player>("player").filter { $0.score > 10 }.fetchAll(db)
    /// // SELECT * FROM "player" WHERE "score" > 10
    /// ```
    public func filter(
        _ predicate: (DatabaseComponents) throws -> any SQLCondition
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().filter(predicate)
    }

    /// Returns a request that sorts the rows by ordering terms. The closure receives the columns of the record.
    ///
    /// ```swift
    /// Table<Player>("player").order { [$0.score.desc, $0.name] }
    /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
    /// ```
    public func order(
        _ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().order(orderings)
    }

    /// Returns a request that sorts the rows by one ordering term. The closure receives the columns of the record.
    ///
    /// ```swift
    /// Table<Player>("player").order(\.score.desc)
    /// // SELECT * FROM "player" ORDER BY "score" DESC
    /// ```
    public func order(
        _ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().order(ordering)
    }

    /// Returns a request that selects a column or an expression, and decodes the rows as the given type.
    ///
    /// ```swift
    /// let names = try Table<Player>("player").select(\.name, as: String.self).fetchAll(db)   // [String]
    /// // SELECT "name" FROM "player"
    /// ```
    public func select<T>(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try all().select(selection, as: type)
    }

    /// Returns a request that selects columns or expressions, and decodes the rows as the given type.
    ///
    /// ```swift
    /// let rows = try Table<Player>("player").select({ [$0.id, $0.name] }, as: Row.self).fetchAll(db)
    /// // SELECT "id", "name" FROM "player"
    /// ```
    public func select<T>(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try all().select(selection, as: type)
    }
}

// MARK: - Associations

extension Table {
    /// Returns a request for all rows with their associated rows, which a second statement fetches.
    ///
    /// ```swift
    /// let teams = try Table<Team>("team").including(all: Team.players).fetchAll(db)
    /// // SELECT * FROM "team"
    /// // SELECT *, "teamId" AS "grdb_teamId" FROM "player" WHERE "teamId" IN (1, 2)
    /// ```
    ///
    /// The column `grdb_teamId` tells to which team a player belongs.
    public func including<A: AssociationToMany>(all association: A) -> QueryInterfaceRequest<RowDecoder>
    where RowDecoder == A.OriginRowDecoder {
        all().including(all: association)
    }

    /// Returns a request for all rows, each with the columns of its associated row, or with NULLs if there is no
    /// associated row.
    ///
    /// ```swift
    /// Table<Player>("player").including(optional: Player.team)
    /// // SELECT "player".*, "team".* FROM "player" LEFT JOIN "team" ON "team"."id" = "player"."teamId"
    /// ```
    public func including<A: Association>(optional association: A) -> QueryInterfaceRequest<RowDecoder>
    where RowDecoder == A.OriginRowDecoder {
        all().including(optional: association)
    }

    /// Returns a request for the rows that have an associated row, each with the columns of its associated row.
    ///
    /// ```swift
    /// Table<Player>("player").including(required: Player.team)
    /// // SELECT "player".*, "team".* FROM "player" JOIN "team" ON "team"."id" = "player"."teamId"
    /// ```
    public func including<A: Association>(required association: A) -> QueryInterfaceRequest<RowDecoder>
    where RowDecoder == A.OriginRowDecoder {
        all().including(required: association)
    }

    /// Returns a request for all rows. The request joins the table of an association, but doesn't select the columns of
    /// this table.
    ///
    /// ```swift
    /// let team = TableAlias<Team>()
    /// Table<Player>("player").joining(optional: Player.team.aliased(team)).order(team.name)
    /// // SELECT "player".* FROM "player" LEFT JOIN "team" ON "team"."id" = "player"."teamId" ORDER BY "team"."name"
    /// ```
    public func joining<A: Association>(optional association: A) -> QueryInterfaceRequest<RowDecoder>
    where RowDecoder == A.OriginRowDecoder {
        all().joining(optional: association)
    }

    /// Returns a request for the rows that have an associated row. The columns of the associated row aren't selected.
    ///
    /// ```swift
    /// Table<Player>("player").joining(required: Player.team.filter { $0.color == "red" })
    /// // SELECT "player".* FROM "player"
    /// // JOIN "team" ON ("team"."id" = "player"."teamId") AND ("team"."color" = 'red')
    /// ```
    public func joining<A: Association>(required association: A) -> QueryInterfaceRequest<RowDecoder>
    where RowDecoder == A.OriginRowDecoder {
        all().joining(required: association)
    }

    /// Returns a request for all rows, with the columns of the association appended. If a row has no associated row,
    /// these columns are NULL.
    ///
    /// ```swift
    /// Table<Player>("player").annotated(withOptional: Player.team.select { $0.color.forKey("teamColor") })
    /// // SELECT "player".*, "team"."color" AS "teamColor" FROM "player"
    /// // LEFT JOIN "team" ON "team"."id" = "player"."teamId"
    /// ```
    public func annotated<A: Association>(withOptional association: A) -> QueryInterfaceRequest<RowDecoder>
    where RowDecoder == A.OriginRowDecoder {
        all().annotated(withOptional: association)
    }

    /// Returns a request for the rows that have an associated row, with the columns of the association appended.
    ///
    /// ```swift
    /// Table<Player>("player").annotated(withRequired: Player.team.select { $0.color.forKey("teamColor") })
    /// // SELECT "player".*, "team"."color" AS "teamColor" FROM "player"
    /// // JOIN "team" ON "team"."id" = "player"."teamId"
    /// ```
    public func annotated<A: Association>(withRequired association: A) -> QueryInterfaceRequest<RowDecoder>
    where RowDecoder == A.OriginRowDecoder {
        all().annotated(withRequired: association)
    }
}

extension Table where RowDecoder: Identifiable {
    /// Returns a request for the row with the given identifier, which is the primary key.
    ///
    /// ```swift
    /// let player = try Table<Player>("player").filter(id: 1).fetchOne(db)
    /// // SELECT * FROM "player" WHERE "id" = 1
    /// ```
    public func filter(id: RowDecoder.ID) -> QueryInterfaceRequest<RowDecoder>
    where RowDecoder.ID: DatabaseValueConvertible {
        all().filter(id: id)
    }

    /// Returns a request for the rows with the given identifiers, which are primary keys.
    ///
    /// ```swift
    /// let players = try Table<Player>("player").filter(ids: [1, 2]).fetchAll(db)
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2)
    /// ```
    public func filter(ids: any Collection<RowDecoder.ID>) -> QueryInterfaceRequest<RowDecoder>
    where RowDecoder.ID: DatabaseValueConvertible {
        all().filter(ids: ids)
    }

    /// Returns a request for the identifiers of all rows: the values of the primary key column.
    ///
    /// ```swift
    /// let ids = try Table<Player>("player").selectID().fetchSet(db)
    /// // SELECT "id" FROM "player"
    /// ```
    ///
    /// Fetching throws `SQLITE_MISUSE` if the primary key has several columns.
    public func selectID() -> QueryInterfaceRequest<RowDecoder.ID> { all().selectID() }
}

// MARK: - Aggregates of associations

extension Table {
    /// Returns a request that appends aggregates of associated rows to the selection.
    ///
    /// ```swift
    /// Table<Team>("team").annotated(with: Team.players.count, Team.players.max(\.score))
    /// // SELECT "team".*, COUNT(DISTINCT "player"."id") AS "playerCount", MAX("player"."score") AS "maxPlayerScore"
    /// // FROM "team" LEFT JOIN "player" ON "player"."teamId" = "team"."id" GROUP BY "team"."id"
    /// ```
    public func annotated(with aggregates: AssociationAggregate<RowDecoder>...) -> QueryInterfaceRequest<RowDecoder> {
        all().annotated(with: aggregates)
    }

    /// Returns a request that appends an array of aggregates of associated rows to the selection.
    ///
    /// ```swift
    /// Table<Team>("team").annotated(with: [Team.players.count])
    /// // SELECT "team".*, COUNT(DISTINCT "player"."id") AS "playerCount"
    /// // FROM "team" LEFT JOIN "player" ON "player"."teamId" = "team"."id" GROUP BY "team"."id"
    /// ```
    public func annotated(with aggregates: [AssociationAggregate<RowDecoder>]) -> QueryInterfaceRequest<RowDecoder> {
        all().annotated(with: aggregates)
    }

    /// Returns a request for the rows that satisfy a condition on an aggregate of their associated rows.
    ///
    /// ```swift
    /// Table<Team>("team").having(Team.players.count >= 2)
    /// // SELECT "team".* FROM "team" LEFT JOIN "player" ON "player"."teamId" = "team"."id"
    /// // GROUP BY "team"."id" HAVING COUNT(DISTINCT "player"."id") >= 2
    /// ```
    public func having(_ predicate: AssociationAggregate<RowDecoder>) -> QueryInterfaceRequest<RowDecoder> {
        all().having(predicate)
    }
}
