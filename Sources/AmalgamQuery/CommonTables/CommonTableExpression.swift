public import AmalgamCore

/// A named query in the `WITH` clause of a statement: <https://sqlite.org/lang_with.html>.
///
/// ```swift
/// let best = CommonTableExpression(
///     named: "bestPlayer",
///     request: Player.annotated { max($0.score) }.group(\.teamId))
/// let request = Team
///     .with(best)
///     .including(optional: Team.association(to: best, on: { team, player in team.id == player["teamId"] }))
/// // WITH "bestPlayer" AS (SELECT *, MAX("score") FROM "player" GROUP BY "teamId")
/// // SELECT "team".*, "bestPlayer".* FROM "team"
/// // LEFT JOIN "bestPlayer" ON "team"."id" = "bestPlayer"."teamId"
/// ```
///
/// Call `with(_:)` once, on the main request, to define the common table expression for all parts of the statement.
public struct CommonTableExpression<RowDecoder>: Sendable {
    let table: CommonTable

    /// The name of the common table expression.
    public var tableName: String { table.source.name }

    private init(_ tableName: String, _ columns: [String]?, isRecursive: Bool, _ subquery: SQLSubquery) {
        table = CommonTable(
            source: CommonTableSource(name: tableName, columns: columns, subquery: subquery.node),
            isRecursive: isRecursive)
    }

    fileprivate init(_ cte: CommonTableExpression<some Any>) {
        table = cte.table
    }

    /// Creates a common table expression whose rows are decoded as the type parameter.
    ///
    /// ```swift
    /// let best = CommonTableExpression<Player>(named: "best", request: Player.filter { $0.score > 1000 })
    /// let players = try best.all().with(best).fetchAll(db)   // [Player]
    /// // WITH "best" AS (SELECT * FROM "player" WHERE "score" > 1000) SELECT * FROM "best"
    /// ```
    ///
    /// - Parameters:
    ///   - recursive: whether the query selects from the common table expression itself.
    ///   - tableName: the name of the common table expression.
    ///   - columns: the names of its columns. By default, the column names of the query.
    ///   - request: the query.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil, request: some SQLSubqueryable
    ) {
        self.init(tableName, columns, isRecursive: recursive, request.sqlSubquery)
    }

    /// Creates a common table expression from SQL.
    ///
    /// ```swift
    /// let counter = CommonTableExpression<Int>(
    ///     recursive: true, named: "counter", columns: ["x"],
    ///     sql: "VALUES(1) UNION ALL SELECT x + 1 FROM counter WHERE x < 10")
    /// let numbers = try counter.all().with(counter).fetchAll(db)   // 1 to 10
    /// ```
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil, sql: String,
        arguments: StatementArguments = StatementArguments()
    ) {
        self.init(
            recursive: recursive, named: tableName, columns: columns, literal: SQL(sql: sql, arguments: arguments))
    }

    /// Creates a common table expression from an `SQL` literal.
    ///
    /// ```swift
    /// let best = CommonTableExpression<Player>(named: "best", literal: "SELECT * FROM player WHERE score > \(1000)")
    /// ```
    public init(recursive: Bool = false, named tableName: String, columns: [String]? = nil, literal sqlLiteral: SQL) {
        self.init(tableName, columns, isRecursive: recursive, SQLSubquery(sqlLiteral))
    }
}

extension CommonTableExpression where RowDecoder == Row {
    /// Creates a common table expression whose rows are decoded as `Row`.
    ///
    /// ```swift
    /// let best = CommonTableExpression(named: "best", request: Player.filter { $0.score > 1000 })
    /// ```
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil, request: some SQLSubqueryable
    ) {
        self.init(
            CommonTableExpression<Void>(recursive: recursive, named: tableName, columns: columns, request: request))
    }

    /// Creates a common table expression from SQL. Its rows are decoded as `Row`.
    ///
    /// ```swift
    /// let best = CommonTableExpression(named: "best", sql: "SELECT * FROM player WHERE score > ?", arguments: [1000])
    /// ```
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil, sql: String,
        arguments: StatementArguments = StatementArguments()
    ) {
        self.init(
            recursive: recursive, named: tableName, columns: columns, literal: SQL(sql: sql, arguments: arguments))
    }

    /// Creates a common table expression from an `SQL` literal. Its rows are decoded as `Row`.
    public init(recursive: Bool = false, named tableName: String, columns: [String]? = nil, literal sqlLiteral: SQL) {
        self.init(
            CommonTableExpression<Void>(recursive: recursive, named: tableName, columns: columns, literal: sqlLiteral))
    }
}

extension CommonTableExpression {
    /// Returns a request for all rows of the common table expression. The request doesn't define the common table
    /// expression: add `with(_:)` to the main request.
    ///
    /// ```swift
    /// let best = CommonTableExpression(named: "best", request: Player.select { max($0.score) })
    /// Player.with(best).filter { $0.score == best.all() }
    /// // WITH "best" AS (SELECT MAX("score") FROM "player")
    /// // SELECT * FROM "player" WHERE "score" = (SELECT * FROM "best")
    /// ```
    public func all() -> QueryInterfaceRequest<RowDecoder> { QueryInterfaceRequest(relation) }

    var relation: Relation { Relation(table.source, selection: [AllColumns().sqlSelection]) }

    /// Returns an expression that is true if the common table expression, which has one column, contains a value:
    /// `"score" IN "cte"`.
    ///
    /// ```swift
    /// let scores = CommonTableExpression(named: "scores", request: Player.select(\.score))
    /// Player.with(scores).filter { scores.contains($0.id) }
    /// // WITH "scores" AS (SELECT "score" FROM "player") SELECT * FROM "player" WHERE "id" IN "scores"
    /// ```
    public func contains(_ element: some SQLExpressible) -> SQLExpression {
        let rows = SQL(sql: tableName.quotedDatabaseIdentifier)
        return SQLExpression(node: InNode(element: element.sqlExpression.node, set: rows))
    }
}

// MARK: - Definitions

extension DerivableRequest {
    /// Adds a common table expression to the `WITH` clause of the statement.
    ///
    /// ```swift
    /// let best = CommonTableExpression(named: "best", request: Player.select { max($0.score) })
    /// Player.all().with(best).filter { $0.score == best.all() }
    /// // WITH "best" AS (SELECT MAX("score") FROM "player")
    /// // SELECT * FROM "player" WHERE "score" = (SELECT * FROM "best")
    /// ```
    ///
    /// A request and its associations may define the same common table expression several times. Fetching throws
    /// `SQLITE_MISUSE` if two definitions of one name differ. Names are case-insensitive.
    public func with<T>(_ cte: CommonTableExpression<T>) -> Self {
        with { $0.define(cte.table) }
    }
}

extension SQLInterpolation {
    /// Appends the definition of a common table expression, for `\(definitionFor: cte)`. The definition is
    /// `"name" AS (SELECT …)`, or `"name"("column") AS (SELECT …)` if the expression was created with column names.
    ///
    /// ```swift
    /// let best = CommonTableExpression(named: "best", request: Player.filter { $0.score > 1000 })
    /// let request: SQLRequest<Row> = "WITH \(definitionFor: best) SELECT * FROM \(best)"
    /// // WITH "best" AS (SELECT * FROM "player" WHERE "score" > 1000) SELECT * FROM "best"
    /// ```
    public mutating func appendInterpolation(definitionFor cte: CommonTableExpression<some Any>) {
        append(CommonTableDefinition(table: cte.table))
    }

    /// Appends the name of a common table expression, for `\(cte)`: `"name"`.
    public mutating func appendInterpolation(_ cte: CommonTableExpression<some Any>) {
        appendInterpolation(identifier: cte.tableName)
    }
}

private struct CommonTableDefinition: SQLNode {
    let table: CommonTable

    var nestedNodes: [any SQLNode] { table.source.nestedNodes }

    func write(to writer: inout SQLWriter) throws { try table.write(to: &writer) }
}

// MARK: - Associations

extension JoinAssociation {
    init(
        to relation: Relation,
        on condition: ((TableAlias<Origin>, TableAlias<Destination>) -> any SQLExpressible)?
    ) {
        let (left, right) = (TableAlias<Origin>(anonymous: nil), TableAlias<Destination>(anonymous: nil))
        let joinCondition: JoinCondition =
            condition.map { .expression($0(left, right).conditionExpression, left: left, right: right) } ?? .none
        self.init(
            AssociationPath(
                AssociationPath.Step(
                    key: .inflected(relation.source.name), condition: joinCondition, relation: relation, isToOne: true))
        )
    }
}

extension CommonTableExpression {
    /// Returns an association to all rows of another common table expression, without a join condition.
    public func association<Destination>(
        to cte: CommonTableExpression<Destination>
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: cte.relation, on: nil)
    }

    /// Returns an association to another common table expression, with a join condition.
    ///
    /// ```swift
    /// let best = CommonTableExpression(named: "best", sql: "SELECT max(score) AS score FROM player")
    /// let names = CommonTableExpression(named: "names", sql: "SELECT name, score FROM player")
    /// let association = best.association(to: names, on: { best, names in best["score"] == names["score"] })
    /// // JOIN "names" ON "best"."score" = "names"."score"
    /// ```
    public func association<Destination>(
        to cte: CommonTableExpression<Destination>,
        on condition: @escaping @Sendable (TableAlias<RowDecoder>, TableAlias<Destination>) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: cte.relation, on: condition)
    }

    /// Returns an association to all rows of a record's table, without a join condition.
    public func association<Destination: TableRecord>(
        to destination: Destination.Type
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: Destination.relation, on: nil)
    }

    /// Returns an association to a record's table, with a join condition.
    ///
    /// ```swift
    /// let best = CommonTableExpression(named: "best", request: Player.filter { $0.score > 1000 })
    /// let association = best.association(to: Team.self, on: { best, team in best["teamId"] == team.id })
    /// // JOIN "team" ON "best"."teamId" = "team"."id"
    /// ```
    public func association<Destination: TableRecord>(
        to destination: Destination.Type,
        on condition: @escaping @Sendable (TableAlias<RowDecoder>, TableAlias<Destination>) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: Destination.relation, on: condition)
    }

    /// Returns an association to all rows of a table, without a join condition.
    public func association<Destination>(
        to destination: Table<Destination>
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: destination.relation, on: nil)
    }

    /// Returns an association to a table, with a join condition.
    ///
    /// ```swift
    /// let best = CommonTableExpression(named: "best", request: Player.filter { $0.score > 1000 })
    /// let association = best.association(to: Table("team"), on: { best, team in best["teamId"] == team["id"] })
    /// // JOIN "team" ON "best"."teamId" = "team"."id"
    /// ```
    public func association<Destination>(
        to destination: Table<Destination>,
        on condition: @escaping @Sendable (TableAlias<RowDecoder>, TableAlias<Destination>) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: destination.relation, on: condition)
    }
}

extension Table {
    /// Returns an association to all rows of a common table expression, without a join condition.
    public func association<Destination>(
        to cte: CommonTableExpression<Destination>
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: cte.relation, on: nil)
    }

    /// Returns an association to a common table expression, with a join condition.
    ///
    /// ```swift
    /// let best = CommonTableExpression(named: "best", request: Player.filter { $0.score > 1000 })
    /// let player = Table("player")
    /// let association = player.association(to: best, on: { player, best in player["id"] == best["id"] })
    /// // JOIN "best" ON "player"."id" = "best"."id"
    /// ```
    public func association<Destination>(
        to cte: CommonTableExpression<Destination>,
        on condition: @escaping @Sendable (TableAlias<RowDecoder>, TableAlias<Destination>) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: cte.relation, on: condition)
    }
}

extension TableRecord {
    /// Returns an association to all rows of a common table expression, without a join condition.
    ///
    /// ```swift
    /// let best = CommonTableExpression(named: "best", request: Player.filter { $0.score > 1000 })
    /// Player.with(best).including(required: Player.association(to: best))
    /// // WITH "best" AS (…) SELECT "player".*, "best".* FROM "player" JOIN "best"
    /// ```
    public static func association<Destination>(
        to cte: CommonTableExpression<Destination>
    ) -> JoinAssociation<Self, Destination> {
        table.association(to: cte)
    }

    /// Returns an association to a common table expression, with a join condition.
    ///
    /// ```swift
    /// let best = CommonTableExpression(named: "best", request: Player.filter { $0.score > 1000 })
    /// let association = Team.association(to: best, on: { team, best in team.id == best["teamId"] })
    /// // JOIN "best" ON "team"."id" = "best"."teamId"
    /// ```
    public static func association<Destination>(
        to cte: CommonTableExpression<Destination>,
        on condition: @escaping @Sendable (TableAlias<Self>, TableAlias<Destination>) -> any SQLExpressible
    ) -> JoinAssociation<Self, Destination> {
        table.association(to: cte, on: condition)
    }
}
