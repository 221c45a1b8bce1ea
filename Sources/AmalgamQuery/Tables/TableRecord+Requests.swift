public import AmalgamCore

// A record type is a face of the request for all of its rows: each method is documented where requests have it.

extension TableRecord {
    /// The table with an alias, by which other parts of the request refer to its columns.
    public static func aliased(_ alias: TableAlias<Self>) -> QueryInterfaceRequest<Self> { all().aliased(alias) }

    /// The table with an alias, by which other parts of the request refer to its columns.
    public static func aliased(_ alias: TableAlias<Void>) -> QueryInterfaceRequest<Self> { all().aliased(alias) }

    /// No row at all.
    public static func none() -> QueryInterfaceRequest<Self> { all().none() }

    /// Selects some columns of all rows.
    public static func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<Self> {
        all().select(selection)
    }

    /// Selects some columns of all rows.
    public static func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
        all().select(selection)
    }

    /// Selects columns of all rows with plain SQL.
    public static func select(sql: String, arguments: StatementArguments = StatementArguments())
        -> QueryInterfaceRequest<Self>
    {
        all().select(sql: sql, arguments: arguments)
    }

    /// Selects columns of all rows with an SQL literal.
    public static func select(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
        all().select(literal: sqlLiteral)
    }

    /// Selects more than the columns of the table.
    public static func annotated(with selection: any SQLSelectable...) -> QueryInterfaceRequest<Self> {
        all().annotated(with: selection)
    }

    /// Selects more than the columns of the table.
    public static func annotated(with selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
        all().annotated(with: selection)
    }

    /// Selects rows once: `SELECT DISTINCT`.
    public static func distinct() -> QueryInterfaceRequest<Self> { all().distinct() }

    /// The rows that fulfil a condition.
    public static func filter(_ predicate: some SQLSpecificExpressible) -> QueryInterfaceRequest<Self> {
        all().filter(predicate)
    }

    /// The row with a primary key.
    @_disfavoredOverload
    public static func filter(key: some DatabaseValueConvertible) -> QueryInterfaceRequest<Self> {
        all().filter(key: key)
    }

    /// The row with a primary or unique key, by the names of its columns.
    public static func filter(key: [String: (any DatabaseValueConvertible)?]?) -> QueryInterfaceRequest<Self> {
        all().filter(key: key)
    }

    /// The rows with these primary or unique keys, by the names of their columns.
    public static func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> QueryInterfaceRequest<Self> {
        all().filter(keys: keys)
    }

    /// The rows that fulfil a condition made of plain SQL.
    public static func filter(sql: String, arguments: StatementArguments = StatementArguments())
        -> QueryInterfaceRequest<Self>
    {
        all().filter(sql: sql, arguments: arguments)
    }

    /// The rows that fulfil a condition made of an SQL literal.
    public static func filter(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
        all().filter(literal: sqlLiteral)
    }

    /// All rows, in an order.
    public static func order(_ orderings: any SQLOrderingTerm...) -> QueryInterfaceRequest<Self> {
        all().order(orderings)
    }

    /// All rows, in an order.
    public static func order(_ orderings: [any SQLOrderingTerm]) -> QueryInterfaceRequest<Self> {
        all().order(orderings)
    }

    /// All rows, in an order made of plain SQL.
    public static func order(sql: String, arguments: StatementArguments = StatementArguments())
        -> QueryInterfaceRequest<Self>
    {
        all().order(sql: sql, arguments: arguments)
    }

    /// All rows, in an order made of an SQL literal.
    public static func order(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
        all().order(literal: sqlLiteral)
    }

    /// All rows, in the order of the primary key.
    public static func orderByPrimaryKey() -> QueryInterfaceRequest<Self> { all().orderByPrimaryKey() }

    /// Some of the rows.
    public static func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<Self> {
        all().limit(limit, offset: offset)
    }

    /// Selects some columns of all rows, which are decoded as another type.
    public static func select<T>(
        _ selection: any SQLSelectable..., as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(selection, as: type)
    }

    /// Selects some columns of all rows, which are decoded as another type.
    public static func select<T>(
        _ selection: [any SQLSelectable], as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(selection, as: type)
    }

    /// Selects columns with plain SQL, which are decoded as another type.
    public static func select<T>(
        sql: String, arguments: StatementArguments = StatementArguments(), as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(sql: sql, arguments: arguments, as: type)
    }

    /// Selects columns with an SQL literal, which are decoded as another type.
    public static func select<T>(literal sqlLiteral: SQL, as type: T.Type = T.self) -> QueryInterfaceRequest<T> {
        all().select(literal: sqlLiteral, as: type)
    }

    /// Selects the primary key.
    public static func selectPrimaryKey<PrimaryKey>(
        as type: PrimaryKey.Type = PrimaryKey.self
    ) -> QueryInterfaceRequest<PrimaryKey> {
        all().selectPrimaryKey(as: type)
    }

    /// The rows with these primary keys.
    public static func filter<Keys>(keys: Keys) -> QueryInterfaceRequest<Self>
    where Keys: Collection, Keys.Element: DatabaseValueConvertible {
        all().filter(keys: keys)
    }

    /// Defines a common table expression for the statement.
    public static func with<T>(_ cte: CommonTableExpression<T>) -> QueryInterfaceRequest<Self> { all().with(cte) }
}

// MARK: - Columns by their names in the record

extension TableRecord {
    /// Selects some columns of all rows: `Player.select { [$0.id, $0.name] }`.
    public static func select(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().select(selection)
    }

    /// Selects a column of all rows: `Player.select(\.name)`.
    public static func select(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().select(selection)
    }

    /// Selects more than the columns of the table.
    public static func annotated(
        with selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().annotated(with: selection)
    }

    /// Selects more than the columns of the table: `Player.annotated { ($0.score + 1).forKey("next") }`.
    public static func annotated(
        with selection: (DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().annotated(with: selection)
    }

    /// The rows that fulfil a condition: `Player.filter { $0.score > 10 }`.
    public static func filter(
        _ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().filter(predicate)
    }

    /// All rows, in an order: `Player.order { [$0.score.desc, $0.name] }`.
    public static func order(
        _ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().order(orderings)
    }

    /// All rows, in an order: `Player.order(\.score.desc)`.
    public static func order(
        _ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().order(ordering)
    }

    /// Selects some columns of all rows, which are decoded as another type.
    public static func select<T>(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try all().select(selection, as: type)
    }

    /// Selects some columns of all rows, which are decoded as another type.
    public static func select<T>(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try all().select(selection, as: type)
    }
}

// MARK: - Associations

extension TableRecord {
    /// All rows, and associated ones, which a statement of their own fetches.
    public static func including<A: AssociationToMany>(all association: A) -> QueryInterfaceRequest<Self>
    where Self == A.OriginRowDecoder {
        all().including(all: association)
    }

    /// All rows, with the columns of an association, if any.
    public static func including<A: Association>(optional association: A) -> QueryInterfaceRequest<Self>
    where Self == A.OriginRowDecoder {
        all().including(optional: association)
    }

    /// The rows that have an associated one, with its columns.
    public static func including<A: Association>(required association: A) -> QueryInterfaceRequest<Self>
    where Self == A.OriginRowDecoder {
        all().including(required: association)
    }

    /// All rows, joined with those of an association.
    public static func joining<A: Association>(optional association: A) -> QueryInterfaceRequest<Self>
    where Self == A.OriginRowDecoder {
        all().joining(optional: association)
    }

    /// The rows that have an associated one.
    public static func joining<A: Association>(required association: A) -> QueryInterfaceRequest<Self>
    where Self == A.OriginRowDecoder {
        all().joining(required: association)
    }

    /// All rows, with more columns: those of an association, if any.
    public static func annotated<A: Association>(withOptional association: A) -> QueryInterfaceRequest<Self>
    where Self == A.OriginRowDecoder {
        all().annotated(withOptional: association)
    }

    /// The rows that have an associated one, with more columns: those of the association.
    public static func annotated<A: Association>(withRequired association: A) -> QueryInterfaceRequest<Self>
    where Self == A.OriginRowDecoder {
        all().annotated(withRequired: association)
    }
}

extension TableRecord where Self: Identifiable {
    /// The row of a record, by its identifier.
    public static func filter(id: Self.ID) -> QueryInterfaceRequest<Self> where Self.ID: DatabaseValueConvertible {
        all().filter(id: id)
    }

    /// The rows of records, by their identifiers.
    public static func filter<IDS>(ids: IDS) -> QueryInterfaceRequest<Self>
    where IDS: Collection, IDS.Element == Self.ID, Self.ID: DatabaseValueConvertible {
        all().filter(ids: ids)
    }

    /// Selects the identifiers of records.
    public static func selectID() -> QueryInterfaceRequest<Self.ID> { all().selectID() }
}

// MARK: - Aggregates of associations

extension TableRecord {
    /// All rows, with values made of associated rows.
    public static func annotated(with aggregates: AssociationAggregate<Self>...) -> QueryInterfaceRequest<Self> {
        all().annotated(with: aggregates)
    }

    /// All rows, with values made of associated rows.
    public static func annotated(with aggregates: [AssociationAggregate<Self>]) -> QueryInterfaceRequest<Self> {
        all().annotated(with: aggregates)
    }

    /// The rows that fulfil a condition on associated rows.
    public static func having(_ predicate: AssociationAggregate<Self>) -> QueryInterfaceRequest<Self> {
        all().having(predicate)
    }
}
