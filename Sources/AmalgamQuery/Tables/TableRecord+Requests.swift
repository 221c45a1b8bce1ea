public import AmalgamCore

// Each method calls the method of the same name on `all()`, the request for all rows.

extension TableRecord {
    /// Returns a request in which an alias stands for the table. Other parts of the request use the alias to refer to
    /// columns of the table.
    ///
    /// ```swift
    /// let player = TableAlias<Player>(name: "p")
    /// Player.aliased(player).filter(player.score > 10)
    /// // SELECT "p".* FROM "player" "p" WHERE "p"."score" > 10
    /// ```
    public static func aliased(_ alias: TableAlias<Self>) -> QueryInterfaceRequest<Self> { all().aliased(alias) }

    /// Returns a request in which an alias without a record type stands for the table.
    ///
    /// ```swift
    /// let p = TableAlias(name: "p")
    /// Player.aliased(p).filter(sql: "p.score > 10")
    /// // SELECT "p".* FROM "player" "p" WHERE p.score > 10
    /// ```
    public static func aliased(_ alias: TableAlias<Void>) -> QueryInterfaceRequest<Self> { all().aliased(alias) }

    /// Returns a request that fetches no row.
    ///
    /// ```swift
    /// Player.none()
    /// // SELECT * FROM "player" WHERE 0
    /// ```
    public static func none() -> QueryInterfaceRequest<Self> { all().none() }

    /// Returns a request that selects columns or expressions, instead of the default selection.
    ///
    /// ```swift
    /// Player.select(Column("name"), Column("score") + 1)
    /// // SELECT "name", "score" + 1 FROM "player"
    /// ```
    public static func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<Self> {
        all().select(selection)
    }

    /// Returns a request that selects an array of columns or expressions, instead of the default selection.
    ///
    /// ```swift
    /// Player.select([Column("id"), Column("name")])
    /// // SELECT "id", "name" FROM "player"
    /// ```
    public static func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
        all().select(selection)
    }

    /// Returns a request that selects result columns written in SQL, instead of the default selection.
    ///
    /// ```swift
    /// Player.select(sql: "name, score + ?", arguments: [1])
    /// // SELECT name, score + 1 FROM "player"
    /// ```
    public static func select(sql: String, arguments: StatementArguments = StatementArguments())
        -> QueryInterfaceRequest<Self>
    {
        all().select(sql: sql, arguments: arguments)
    }

    /// Returns a request that selects result columns written as an `SQL` literal, instead of the default selection.
    ///
    /// ```swift
    /// Player.select(literal: "name, score + \(1)")
    /// // SELECT name, score + 1 FROM "player"
    /// ```
    public static func select(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
        all().select(literal: sqlLiteral)
    }

    /// Returns a request that appends columns or expressions to the default selection.
    ///
    /// ```swift
    /// Player.annotated(with: (Column("score") + 1).forKey("next"))
    /// // SELECT *, "score" + 1 AS "next" FROM "player"
    /// ```
    public static func annotated(with selection: any SQLSelectable...) -> QueryInterfaceRequest<Self> {
        all().annotated(with: selection)
    }

    /// Returns a request that appends an array of columns or expressions to the default selection.
    ///
    /// ```swift
    /// Player.annotated(with: [(Column("score") + 1).forKey("next")])
    /// // SELECT *, "score" + 1 AS "next" FROM "player"
    /// ```
    public static func annotated(with selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
        all().annotated(with: selection)
    }

    /// Returns a request for all rows, without duplicates.
    ///
    /// ```swift
    /// Player.distinct()
    /// // SELECT DISTINCT * FROM "player"
    /// ```
    public static func distinct() -> QueryInterfaceRequest<Self> { all().distinct() }

    /// Returns a request for the rows that satisfy a condition.
    ///
    /// ```swift
    /// Player.filter(Column("score") > 10)
    /// // SELECT * FROM "player" WHERE "score" > 10
    /// ```
    public static func filter(_ predicate: any SQLCondition) -> QueryInterfaceRequest<Self> {
        all().filter(predicate)
    }

    /// Returns a request for the row with the given primary key.
    ///
    /// ```swift
    /// let player = try Player.filter(key: 1).fetchOne(db)
    /// // SELECT * FROM "player" WHERE "id" = 1
    /// ```
    ///
    /// If the key is NULL, the request fetches no row. Fetching throws `SQLITE_MISUSE` if the primary key has several
    /// columns.
    @_disfavoredOverload
    public static func filter(key: any DatabaseValueConvertible) -> QueryInterfaceRequest<Self> {
        all().filter(key: key)
    }

    /// Returns a request for the row with the given primary or unique key. The dictionary maps the columns of the key
    /// to values.
    ///
    /// ```swift
    /// let citizenship = try Citizenship.filter(key: ["citizenId": 1, "countryCode": "FR"]).fetchOne(db)
    /// // SELECT * FROM "citizenship" WHERE ("citizenId" = 1) AND ("countryCode" = 'FR')
    /// ```
    ///
    /// If the dictionary is nil, the request fetches no row. Fetching throws `SQLITE_MISUSE` unless the dictionary
    /// contains all columns of the primary key or of a unique index. A partial unique index doesn't count.
    public static func filter(key: [String: (any DatabaseValueConvertible)?]?) -> QueryInterfaceRequest<Self> {
        all().filter(key: key)
    }

    /// Returns a request for the rows with the given primary or unique keys. Each dictionary maps the columns of a key
    /// to values.
    ///
    /// ```swift
    /// Player.filter(keys: [["email": "anna@example.com"], ["email": "bob@example.com"]])
    /// // SELECT * FROM "player" WHERE ("email" = 'anna@example.com') OR ("email" = 'bob@example.com')
    /// ```
    ///
    /// Fetching throws `SQLITE_MISUSE` unless each dictionary contains all columns of the primary key or of a unique
    /// index.
    public static func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> QueryInterfaceRequest<Self> {
        all().filter(keys: keys)
    }

    /// Returns a request for the rows that satisfy a condition written in SQL.
    ///
    /// ```swift
    /// Player.filter(sql: "score > ?", arguments: [10])
    /// // SELECT * FROM "player" WHERE score > 10
    /// ```
    public static func filter(sql: String, arguments: StatementArguments = StatementArguments())
        -> QueryInterfaceRequest<Self>
    {
        all().filter(sql: sql, arguments: arguments)
    }

    /// Returns a request for the rows that satisfy a condition written as an `SQL` literal.
    ///
    /// ```swift
    /// Player.filter(literal: "score > \(10)")
    /// // SELECT * FROM "player" WHERE score > 10
    /// ```
    public static func filter(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
        all().filter(literal: sqlLiteral)
    }

    /// Returns a request for all rows, sorted by one or more ordering terms.
    ///
    /// ```swift
    /// Player.order(Column("score").desc, Column("name"))
    /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
    /// ```
    public static func order(_ orderings: any SQLOrderingTerm...) -> QueryInterfaceRequest<Self> {
        all().order(orderings)
    }

    /// Returns a request for all rows, sorted by an array of ordering terms.
    ///
    /// ```swift
    /// Player.order([Column("score").desc, Column("name")])
    /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
    /// ```
    public static func order(_ orderings: [any SQLOrderingTerm]) -> QueryInterfaceRequest<Self> {
        all().order(orderings)
    }

    /// Returns a request for all rows, sorted by ordering terms written in SQL.
    ///
    /// ```swift
    /// Player.order(sql: "lower(name) DESC")
    /// // SELECT * FROM "player" ORDER BY lower(name) DESC
    /// ```
    public static func order(sql: String, arguments: StatementArguments = StatementArguments())
        -> QueryInterfaceRequest<Self>
    {
        all().order(sql: sql, arguments: arguments)
    }

    /// Returns a request for all rows, sorted by ordering terms written as an `SQL` literal.
    ///
    /// ```swift
    /// Player.order(literal: "abs(score - \(100))")
    /// // SELECT * FROM "player" ORDER BY abs(score - 100)
    /// ```
    public static func order(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
        all().order(literal: sqlLiteral)
    }

    /// Returns a request for all rows, sorted by the primary key.
    ///
    /// ```swift
    /// Player.orderByPrimaryKey()
    /// // SELECT * FROM "player" ORDER BY "id"
    /// ```
    ///
    /// Fetching throws the error `database view x has no primary key` if the table is a view, unless the
    /// configuration's `schemaSource` defines a key.
    public static func orderByPrimaryKey() -> QueryInterfaceRequest<Self> { all().orderByPrimaryKey() }

    /// Returns a request for a limited number of rows.
    ///
    /// ```swift
    /// Player.limit(10, offset: 20)
    /// // SELECT * FROM "player" LIMIT 10 OFFSET 20
    /// ```
    ///
    /// - Parameters:
    ///   - limit: the maximum number of rows. A negative number means no limit.
    ///   - offset: the number of rows to skip.
    public static func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<Self> {
        all().limit(limit, offset: offset)
    }

    /// Returns a request that selects columns or expressions, and decodes the rows as the given type.
    ///
    /// ```swift
    /// let names = try Player.select(Column("name"), as: String.self).fetchAll(db)   // [String]
    /// // SELECT "name" FROM "player"
    /// ```
    public static func select<T>(
        _ selection: any SQLSelectable..., as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(selection, as: type)
    }

    /// Returns a request that selects an array of columns or expressions, and decodes the rows as the given type.
    ///
    /// ```swift
    /// let rows = try Player.select([Column("id"), Column("name")], as: Row.self).fetchAll(db)
    /// // SELECT "id", "name" FROM "player"
    /// ```
    public static func select<T>(
        _ selection: [any SQLSelectable], as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(selection, as: type)
    }

    /// Returns a request that selects result columns written in SQL, and decodes the rows as the given type.
    ///
    /// ```swift
    /// let names = try Player.select(sql: "upper(name)", as: String.self).fetchAll(db)   // [String]
    /// // SELECT upper(name) FROM "player"
    /// ```
    public static func select<T>(
        sql: String, arguments: StatementArguments = StatementArguments(), as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(sql: sql, arguments: arguments, as: type)
    }

    /// Returns a request that selects an `SQL` literal, and decodes the rows as the given type.
    ///
    /// ```swift
    /// let scores = try Player.select(literal: "score + \(1)", as: Int.self).fetchAll(db)   // [Int]
    /// // SELECT score + 1 FROM "player"
    /// ```
    public static func select<T>(literal sqlLiteral: SQL, as type: T.Type = T.self) -> QueryInterfaceRequest<T> {
        all().select(literal: sqlLiteral, as: type)
    }

    /// Returns a request that selects the columns of the primary key, and decodes the rows as the given type.
    ///
    /// ```swift
    /// let ids = try Player.selectPrimaryKey(as: Int64.self).fetchSet(db)   // Set<Int64>
    /// // SELECT "id" FROM "player"
    /// ```
    public static func selectPrimaryKey<PrimaryKey>(
        as type: PrimaryKey.Type = PrimaryKey.self
    ) -> QueryInterfaceRequest<PrimaryKey> {
        all().selectPrimaryKey(as: type)
    }

    /// Returns a request for the rows with the given primary keys.
    ///
    /// ```swift
    /// let players = try Player.filter(keys: [1, 2, 3]).fetchAll(db)
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2, 3)
    /// ```
    ///
    /// Any number of keys is allowed. Fetching throws `SQLITE_MISUSE` if the primary key has several columns.
    public static func filter<Key: DatabaseValueConvertible>(keys: any Collection<Key>) -> QueryInterfaceRequest<Self> {
        all().filter(keys: keys)
    }

    /// Returns a request for all rows, with a common table expression in its `WITH` clause.
    ///
    /// ```swift
    /// let best = CommonTableExpression(named: "best", request: Player.select { max($0.score) })
    /// Player.with(best).filter(Column("score") == best.all())
    /// // WITH "best" AS (SELECT MAX("score") FROM "player")
    /// // SELECT * FROM "player" WHERE "score" = (SELECT * FROM "best")
    /// ```
    public static func with<T>(_ cte: CommonTableExpression<T>) -> QueryInterfaceRequest<Self> { all().with(cte) }
}

// MARK: - Columns by their names in the record

extension TableRecord {
    /// Returns a request that selects columns or expressions. The closure receives the columns of the record.
    ///
    /// ```swift
    /// Player.select { [$0.name, $0.score + 1] }
    /// // SELECT "name", "score" + 1 FROM "player"
    /// ```
    public static func select(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().select(selection)
    }

    /// Returns a request that selects one column or expression. The closure receives the columns of the record.
    ///
    /// ```swift
    /// Player.select(\.name)
    /// // SELECT "name" FROM "player"
    /// ```
    public static func select(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().select(selection)
    }

    /// Returns a request that also selects columns or expressions. The closure receives the columns of the record.
    ///
    /// ```swift
    /// Player.annotated { [($0.score + 1).forKey("next"), length($0.name).forKey("nameLength")] }
    /// // SELECT *, "score" + 1 AS "next", LENGTH("name") AS "nameLength" FROM "player"
    /// ```
    public static func annotated(
        with selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().annotated(with: selection)
    }

    /// Returns a request that also selects one column or expression. The closure receives the columns of the record.
    ///
    /// ```swift
    /// Player.annotated { ($0.score + 1).forKey("next") }
    /// // SELECT *, "score" + 1 AS "next" FROM "player"
    /// ```
    public static func annotated(
        with selection: (DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().annotated(with: selection)
    }

    /// Returns a request for the rows that satisfy a condition. The closure receives the columns of the record.
    ///
    /// ```swift
    /// let players = try Player.filter { $0.score > 10 }.fetchAll(db)
    /// // SELECT * FROM "player" WHERE "score" > 10
    /// ```
    public static func filter(
        _ predicate: (DatabaseComponents) throws -> any SQLCondition
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().filter(predicate)
    }

    /// Returns a request that sorts the rows by ordering terms. The closure receives the columns of the record.
    ///
    /// ```swift
    /// Player.order { [$0.score.desc, $0.name] }
    /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
    /// ```
    public static func order(
        _ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().order(orderings)
    }

    /// Returns a request that sorts the rows by one ordering term. The closure receives the columns of the record.
    ///
    /// ```swift
    /// Player.order(\.score.desc)
    /// // SELECT * FROM "player" ORDER BY "score" DESC
    /// ```
    public static func order(
        _ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().order(ordering)
    }

    /// Returns a request that selects a column or an expression, and decodes the rows as the given type.
    ///
    /// ```swift
    /// let names = try Player.select(\.name, as: String.self).fetchAll(db)   // [String]
    /// // SELECT "name" FROM "player"
    /// ```
    public static func select<T>(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try all().select(selection, as: type)
    }

    /// Returns a request that selects columns or expressions, and decodes the rows as the given type.
    ///
    /// ```swift
    /// let rows = try Player.select({ [$0.id, $0.name] }, as: Row.self).fetchAll(db)
    /// // SELECT "id", "name" FROM "player"
    /// ```
    public static func select<T>(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try all().select(selection, as: type)
    }
}

// MARK: - Associations

extension TableRecord {
    /// Returns a request for all rows with their associated rows, which a second statement fetches.
    ///
    /// ```swift
    /// let teams = try Team.including(all: Team.players).fetchAll(db)
    /// // SELECT * FROM "team"
    /// // SELECT *, "teamId" AS "grdb_teamId" FROM "player" WHERE "teamId" IN (1, 2)
    /// ```
    ///
    /// The column `grdb_teamId` tells to which team a player belongs.
    public static func including<A: AssociationToMany>(all association: A) -> QueryInterfaceRequest<Self>
    where Self == A.OriginRowDecoder {
        all().including(all: association)
    }

    /// Returns a request for all rows, each with the columns of its associated row, or with NULLs if there is no
    /// associated row.
    ///
    /// ```swift
    /// Player.including(optional: Player.team)
    /// // SELECT "player".*, "team".* FROM "player" LEFT JOIN "team" ON "team"."id" = "player"."teamId"
    /// ```
    public static func including<A: Association>(optional association: A) -> QueryInterfaceRequest<Self>
    where Self == A.OriginRowDecoder {
        all().including(optional: association)
    }

    /// Returns a request for the rows that have an associated row, each with the columns of its associated row.
    ///
    /// ```swift
    /// Player.including(required: Player.team)
    /// // SELECT "player".*, "team".* FROM "player" JOIN "team" ON "team"."id" = "player"."teamId"
    /// ```
    public static func including<A: Association>(required association: A) -> QueryInterfaceRequest<Self>
    where Self == A.OriginRowDecoder {
        all().including(required: association)
    }

    /// Returns a request for all rows. The request joins the table of an association, but doesn't select the columns of
    /// this table.
    ///
    /// ```swift
    /// let team = TableAlias<Team>()
    /// Player.joining(optional: Player.team.aliased(team)).order(team.name)
    /// // SELECT "player".* FROM "player" LEFT JOIN "team" ON "team"."id" = "player"."teamId" ORDER BY "team"."name"
    /// ```
    public static func joining<A: Association>(optional association: A) -> QueryInterfaceRequest<Self>
    where Self == A.OriginRowDecoder {
        all().joining(optional: association)
    }

    /// Returns a request for the rows that have an associated row. The columns of the associated row aren't selected.
    ///
    /// ```swift
    /// Player.joining(required: Player.team.filter { $0.color == "red" })
    /// // SELECT "player".* FROM "player"
    /// // JOIN "team" ON ("team"."id" = "player"."teamId") AND ("team"."color" = 'red')
    /// ```
    public static func joining<A: Association>(required association: A) -> QueryInterfaceRequest<Self>
    where Self == A.OriginRowDecoder {
        all().joining(required: association)
    }

    /// Returns a request for all rows, with the columns of the association appended. If a row has no associated row,
    /// these columns are NULL.
    ///
    /// ```swift
    /// Player.annotated(withOptional: Player.team.select { $0.color.forKey("teamColor") })
    /// // SELECT "player".*, "team"."color" AS "teamColor" FROM "player"
    /// // LEFT JOIN "team" ON "team"."id" = "player"."teamId"
    /// ```
    public static func annotated<A: Association>(withOptional association: A) -> QueryInterfaceRequest<Self>
    where Self == A.OriginRowDecoder {
        all().annotated(withOptional: association)
    }

    /// Returns a request for the rows that have an associated row, with the columns of the association appended.
    ///
    /// ```swift
    /// Player.annotated(withRequired: Player.team.select { $0.color.forKey("teamColor") })
    /// // SELECT "player".*, "team"."color" AS "teamColor" FROM "player"
    /// // JOIN "team" ON "team"."id" = "player"."teamId"
    /// ```
    public static func annotated<A: Association>(withRequired association: A) -> QueryInterfaceRequest<Self>
    where Self == A.OriginRowDecoder {
        all().annotated(withRequired: association)
    }
}

extension TableRecord where Self: Identifiable {
    /// Returns a request for the row with the given identifier, which is the primary key.
    ///
    /// ```swift
    /// let player = try Player.filter(id: 1).fetchOne(db)
    /// // SELECT * FROM "player" WHERE "id" = 1
    /// ```
    public static func filter(id: Self.ID) -> QueryInterfaceRequest<Self> where Self.ID: DatabaseValueConvertible {
        all().filter(id: id)
    }

    /// Returns a request for the rows with the given identifiers, which are primary keys.
    ///
    /// ```swift
    /// let players = try Player.filter(ids: [1, 2]).fetchAll(db)
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2)
    /// ```
    public static func filter(ids: any Collection<Self.ID>) -> QueryInterfaceRequest<Self>
    where Self.ID: DatabaseValueConvertible {
        all().filter(ids: ids)
    }

    /// Returns a request for the identifiers of all rows: the values of the primary key column.
    ///
    /// ```swift
    /// let ids = try Player.selectID().fetchSet(db)
    /// // SELECT "id" FROM "player"
    /// ```
    ///
    /// Fetching throws `SQLITE_MISUSE` if the primary key has several columns.
    public static func selectID() -> QueryInterfaceRequest<Self.ID> { all().selectID() }
}

// MARK: - Aggregates of associations

extension TableRecord {
    /// Returns a request that appends aggregates of associated rows to the selection.
    ///
    /// ```swift
    /// Team.annotated(with: Team.players.count, Team.players.max(\.score))
    /// // SELECT "team".*, COUNT(DISTINCT "player"."id") AS "playerCount", MAX("player"."score") AS "maxPlayerScore"
    /// // FROM "team" LEFT JOIN "player" ON "player"."teamId" = "team"."id" GROUP BY "team"."id"
    /// ```
    public static func annotated(with aggregates: AssociationAggregate<Self>...) -> QueryInterfaceRequest<Self> {
        all().annotated(with: aggregates)
    }

    /// Returns a request that appends an array of aggregates of associated rows to the selection.
    ///
    /// ```swift
    /// Team.annotated(with: [Team.players.count])
    /// // SELECT "team".*, COUNT(DISTINCT "player"."id") AS "playerCount"
    /// // FROM "team" LEFT JOIN "player" ON "player"."teamId" = "team"."id" GROUP BY "team"."id"
    /// ```
    public static func annotated(with aggregates: [AssociationAggregate<Self>]) -> QueryInterfaceRequest<Self> {
        all().annotated(with: aggregates)
    }

    /// Returns a request for the rows that satisfy a condition on an aggregate of their associated rows.
    ///
    /// ```swift
    /// Team.having(Team.players.count >= 2)
    /// // SELECT "team".* FROM "team" LEFT JOIN "player" ON "player"."teamId" = "team"."id"
    /// // GROUP BY "team"."id" HAVING COUNT(DISTINCT "player"."id") >= 2
    /// ```
    public static func having(_ predicate: AssociationAggregate<Self>) -> QueryInterfaceRequest<Self> {
        all().having(predicate)
    }
}
