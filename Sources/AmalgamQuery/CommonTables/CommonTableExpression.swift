public import AmalgamCore

/// A named query of a statement, from which the rest of it selects: <https://sqlite.org/lang_with.html>.
///
/// ```swift
/// let latest = CommonTableExpression(
///     named: "latestMessage",
///     request: Message.annotated { max($0.date) }.group(\.chatId))
/// let request = Chat
///     .with(latest)
///     .including(optional: Chat.association(to: latest, on: { chat, message in chat.id == message["chatId"] }))
/// // WITH "latestMessage" AS (SELECT *, MAX("date") FROM "message" GROUP BY "chatId")
/// // SELECT "chat".*, "latestMessage".* FROM "chat"
/// // LEFT JOIN "latestMessage" ON "chat"."id" = "latestMessage"."chatId"
/// ```
///
/// The main request defines it with `with(_:)`, once, wherever it is used.
public struct CommonTableExpression<RowDecoder>: Sendable {
    let table: CommonTable

    /// The name.
    public var tableName: String { table.source.name }

    private init(_ tableName: String, _ columns: [String]?, isRecursive: Bool, _ subquery: SQLSubquery) {
        table = CommonTable(
            source: CommonTableSource(name: tableName, columns: columns, subquery: subquery.node),
            isRecursive: isRecursive)
    }

    fileprivate init(_ cte: CommonTableExpression<some Any>) {
        table = cte.table
    }

    /// A common table expression whose rows are decoded as the type of the expression.
    ///
    /// - Parameters:
    ///   - recursive: whether the query selects from itself.
    ///   - tableName: the name.
    ///   - columns: the names of the columns. By default, those of the query.
    ///   - request: the query.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil, request: some SQLSubqueryable
    ) {
        self.init(tableName, columns, isRecursive: recursive, request.sqlSubquery)
    }

    /// A common table expression made of plain SQL.
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

    /// A common table expression made of an SQL literal.
    public init(recursive: Bool = false, named tableName: String, columns: [String]? = nil, literal sqlLiteral: SQL) {
        self.init(tableName, columns, isRecursive: recursive, SQLSubquery(sqlLiteral))
    }
}

extension CommonTableExpression where RowDecoder == Row {
    /// A common table expression.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil, request: some SQLSubqueryable
    ) {
        self.init(
            CommonTableExpression<Void>(recursive: recursive, named: tableName, columns: columns, request: request))
    }

    /// A common table expression made of plain SQL.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil, sql: String,
        arguments: StatementArguments = StatementArguments()
    ) {
        self.init(
            recursive: recursive, named: tableName, columns: columns, literal: SQL(sql: sql, arguments: arguments))
    }

    /// A common table expression made of an SQL literal.
    public init(recursive: Bool = false, named tableName: String, columns: [String]? = nil, literal sqlLiteral: SQL) {
        self.init(
            CommonTableExpression<Void>(recursive: recursive, named: tableName, columns: columns, literal: sqlLiteral))
    }
}

extension CommonTableExpression {
    /// All rows of the common table expression, which the request does not define: add `with(_:)`.
    ///
    /// ```swift
    /// Player.with(cte).filter { $0.name == cte.all() }
    /// // WITH "cte" AS (…) SELECT * FROM "player" WHERE "name" = (SELECT * FROM "cte")
    /// ```
    public func all() -> QueryInterfaceRequest<RowDecoder> { QueryInterfaceRequest(relation) }

    var relation: Relation { Relation(table.source, selection: [AllColumns().sqlSelection]) }

    /// Whether a value is among the rows, which have one column: `"score" IN "cte"`.
    public func contains(_ element: some SQLExpressible) -> SQLExpression {
        let rows = SQL(sql: tableName.quotedDatabaseIdentifier)
        return SQLExpression(node: InNode(element: element.sqlExpression.node, set: rows))
    }
}

// MARK: - Definitions

extension DerivableRequest {
    /// Defines a common table expression for the statement.
    ///
    /// A request and its associations may define one several times. Fetching throws `SQLITE_MISUSE` when two definitions of
    /// one name, whatever its case, aren't the same query.
    public func with<T>(_ cte: CommonTableExpression<T>) -> Self {
        with { $0.define(cte.table) }
    }
}

extension SQLInterpolation {
    /// `\(definitionFor: cte)`: `"name"("column") AS (SELECT …)`.
    ///
    /// ```swift
    /// let request: SQLRequest<Row> = "WITH \(definitionFor: cte) SELECT * FROM \(cte)"
    /// ```
    public mutating func appendInterpolation(definitionFor cte: CommonTableExpression<some Any>) {
        append(CommonTableDefinition(table: cte.table))
    }

    /// `\(cte)`: `"name"`.
    public mutating func appendInterpolation(_ cte: CommonTableExpression<some Any>) {
        appendInterpolation(identifier: cte.tableName)
    }
}

private struct CommonTableDefinition: SQLNode {
    let table: CommonTable

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
            condition.map { .expression($0(left, right).sqlExpression, left: left, right: right) } ?? .none
        self.init(
            AssociationPath(
                AssociationPath.Step(
                    key: .inflected(relation.source.name), condition: joinCondition, relation: relation, isToOne: true))
        )
    }
}

extension CommonTableExpression {
    /// An association to another common table expression: each row belongs to all rows.
    public func association<Destination>(
        to cte: CommonTableExpression<Destination>
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: cte.relation, on: nil)
    }

    /// An association to another common table expression, by a condition.
    public func association<Destination>(
        to cte: CommonTableExpression<Destination>,
        on condition: @escaping @Sendable (TableAlias<RowDecoder>, TableAlias<Destination>) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: cte.relation, on: condition)
    }

    /// An association to the table of a record: each row belongs to all rows.
    public func association<Destination: TableRecord>(
        to destination: Destination.Type
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: Destination.relation, on: nil)
    }

    /// An association to the table of a record, by a condition.
    public func association<Destination: TableRecord>(
        to destination: Destination.Type,
        on condition: @escaping @Sendable (TableAlias<RowDecoder>, TableAlias<Destination>) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: Destination.relation, on: condition)
    }

    /// An association to a table: each row belongs to all rows.
    public func association<Destination>(
        to destination: Table<Destination>
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: destination.relation, on: nil)
    }

    /// An association to a table, by a condition.
    public func association<Destination>(
        to destination: Table<Destination>,
        on condition: @escaping @Sendable (TableAlias<RowDecoder>, TableAlias<Destination>) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: destination.relation, on: condition)
    }
}

extension Table {
    /// An association to a common table expression: each row belongs to all rows.
    public func association<Destination>(
        to cte: CommonTableExpression<Destination>
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: cte.relation, on: nil)
    }

    /// An association to a common table expression, by a condition.
    public func association<Destination>(
        to cte: CommonTableExpression<Destination>,
        on condition: @escaping @Sendable (TableAlias<RowDecoder>, TableAlias<Destination>) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: cte.relation, on: condition)
    }
}

extension TableRecord {
    /// An association to a common table expression: each row belongs to all rows.
    public static func association<Destination>(
        to cte: CommonTableExpression<Destination>
    ) -> JoinAssociation<Self, Destination> {
        table.association(to: cte)
    }

    /// An association to a common table expression, by a condition.
    ///
    /// ```swift
    /// Chat.association(to: latest, on: { chat, message in chat.id == message["chatId"] })
    /// ```
    public static func association<Destination>(
        to cte: CommonTableExpression<Destination>,
        on condition: @escaping @Sendable (TableAlias<Self>, TableAlias<Destination>) -> any SQLExpressible
    ) -> JoinAssociation<Self, Destination> {
        table.association(to: cte, on: condition)
    }
}
