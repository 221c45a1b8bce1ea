public import AmalgamCore

// A table is a face of the request for all of its rows: each method is documented where requests have it.

extension Table {
    /// The table with an alias, by which other parts of the request refer to its columns.
    public func aliased(_ alias: TableAlias<RowDecoder>) -> QueryInterfaceRequest<RowDecoder> { all().aliased(alias) }

    /// The table with an alias, by which other parts of the request refer to its columns.
    public func aliased(_ alias: TableAlias<Void>) -> QueryInterfaceRequest<RowDecoder> { all().aliased(alias) }

    /// No row at all.
    public func none() -> QueryInterfaceRequest<RowDecoder> { all().none() }

    /// Selects some columns of all rows.
    public func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<RowDecoder> {
        all().select(selection)
    }

    /// Selects some columns of all rows.
    public func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<RowDecoder> {
        all().select(selection)
    }

    /// Selects columns of all rows with plain SQL.
    public func select(sql: String, arguments: StatementArguments = StatementArguments()) -> QueryInterfaceRequest<
        RowDecoder
    > {
        all().select(sql: sql, arguments: arguments)
    }

    /// Selects columns of all rows with an SQL literal.
    public func select(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
        all().select(literal: sqlLiteral)
    }

    /// Selects more than the columns of the table.
    public func annotated(with selection: any SQLSelectable...) -> QueryInterfaceRequest<RowDecoder> {
        all().annotated(with: selection)
    }

    /// Selects more than the columns of the table.
    public func annotated(with selection: [any SQLSelectable]) -> QueryInterfaceRequest<RowDecoder> {
        all().annotated(with: selection)
    }

    /// Selects rows once: `SELECT DISTINCT`.
    public func distinct() -> QueryInterfaceRequest<RowDecoder> { all().distinct() }

    /// The rows that fulfil a condition.
    public func filter(_ predicate: some SQLSpecificExpressible) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(predicate)
    }

    /// The row with a primary key.
    @_disfavoredOverload
    public func filter(key: some DatabaseValueConvertible) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(key: key)
    }

    /// The row with a primary or unique key, by the names of its columns.
    public func filter(key: [String: (any DatabaseValueConvertible)?]?) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(key: key)
    }

    /// The rows with these primary or unique keys, by the names of their columns.
    public func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(keys: keys)
    }

    /// The rows that fulfil a condition made of plain SQL.
    public func filter(sql: String, arguments: StatementArguments = StatementArguments()) -> QueryInterfaceRequest<
        RowDecoder
    > {
        all().filter(sql: sql, arguments: arguments)
    }

    /// The rows that fulfil a condition made of an SQL literal.
    public func filter(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(literal: sqlLiteral)
    }

    /// All rows, in an order.
    public func order(_ orderings: any SQLOrderingTerm...) -> QueryInterfaceRequest<RowDecoder> {
        all().order(orderings)
    }

    /// All rows, in an order.
    public func order(_ orderings: [any SQLOrderingTerm]) -> QueryInterfaceRequest<RowDecoder> {
        all().order(orderings)
    }

    /// All rows, in an order made of plain SQL.
    public func order(sql: String, arguments: StatementArguments = StatementArguments()) -> QueryInterfaceRequest<
        RowDecoder
    > {
        all().order(sql: sql, arguments: arguments)
    }

    /// All rows, in an order made of an SQL literal.
    public func order(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
        all().order(literal: sqlLiteral)
    }

    /// All rows, in the order of the primary key.
    public func orderByPrimaryKey() -> QueryInterfaceRequest<RowDecoder> { all().orderByPrimaryKey() }

    /// Some of the rows.
    public func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<RowDecoder> {
        all().limit(limit, offset: offset)
    }

    /// Selects some columns of all rows, which are decoded as another type.
    public func select<T>(_ selection: any SQLSelectable..., as type: T.Type = T.self) -> QueryInterfaceRequest<T> {
        all().select(selection, as: type)
    }

    /// Selects some columns of all rows, which are decoded as another type.
    public func select<T>(_ selection: [any SQLSelectable], as type: T.Type = T.self) -> QueryInterfaceRequest<T> {
        all().select(selection, as: type)
    }

    /// Selects columns with plain SQL, which are decoded as another type.
    public func select<T>(
        sql: String, arguments: StatementArguments = StatementArguments(), as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(sql: sql, arguments: arguments, as: type)
    }

    /// Selects columns with an SQL literal, which are decoded as another type.
    public func select<T>(literal sqlLiteral: SQL, as type: T.Type = T.self) -> QueryInterfaceRequest<T> {
        all().select(literal: sqlLiteral, as: type)
    }

    /// Selects the primary key.
    public func selectPrimaryKey<PrimaryKey>(
        as type: PrimaryKey.Type = PrimaryKey.self
    ) -> QueryInterfaceRequest<PrimaryKey> {
        all().selectPrimaryKey(as: type)
    }

    /// The rows with these primary keys.
    public func filter<Keys>(keys: Keys) -> QueryInterfaceRequest<RowDecoder>
    where Keys: Collection, Keys.Element: DatabaseValueConvertible {
        all().filter(keys: keys)
    }

    /// Defines a common table expression for the statement.
    public func with<T>(_ cte: CommonTableExpression<T>) -> QueryInterfaceRequest<RowDecoder> { all().with(cte) }
}

// MARK: - Columns by their names in the record

extension Table where RowDecoder: TableRecord {
    /// Where closures find the columns.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Selects some columns of all rows: `Player.select { [$0.id, $0.name] }`.
    public func select(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().select(selection)
    }

    /// Selects a column of all rows: `Player.select(\.name)`.
    public func select(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().select(selection)
    }

    /// Selects more than the columns of the table.
    public func annotated(
        with selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().annotated(with: selection)
    }

    /// Selects more than the columns of the table: `Player.annotated { ($0.score + 1).forKey("next") }`.
    public func annotated(
        with selection: (DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().annotated(with: selection)
    }

    /// The rows that fulfil a condition: `Player.filter { $0.score > 10 }`.
    public func filter(
        _ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().filter(predicate)
    }

    /// All rows, in an order: `Player.order { [$0.score.desc, $0.name] }`.
    public func order(
        _ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().order(orderings)
    }

    /// All rows, in an order: `Player.order(\.score.desc)`.
    public func order(
        _ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().order(ordering)
    }

    /// Selects some columns of all rows, which are decoded as another type.
    public func select<T>(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try all().select(selection, as: type)
    }

    /// Selects some columns of all rows, which are decoded as another type.
    public func select<T>(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try all().select(selection, as: type)
    }
}

// MARK: - Associations

extension Table {
    /// All rows, and associated ones, which a statement of their own fetches.
    public func including<A: AssociationToMany>(all association: A) -> QueryInterfaceRequest<RowDecoder>
    where RowDecoder == A.OriginRowDecoder {
        all().including(all: association)
    }

    /// All rows, with the columns of an association, if any.
    public func including<A: Association>(optional association: A) -> QueryInterfaceRequest<RowDecoder>
    where RowDecoder == A.OriginRowDecoder {
        all().including(optional: association)
    }

    /// The rows that have an associated one, with its columns.
    public func including<A: Association>(required association: A) -> QueryInterfaceRequest<RowDecoder>
    where RowDecoder == A.OriginRowDecoder {
        all().including(required: association)
    }

    /// All rows, joined with those of an association.
    public func joining<A: Association>(optional association: A) -> QueryInterfaceRequest<RowDecoder>
    where RowDecoder == A.OriginRowDecoder {
        all().joining(optional: association)
    }

    /// The rows that have an associated one.
    public func joining<A: Association>(required association: A) -> QueryInterfaceRequest<RowDecoder>
    where RowDecoder == A.OriginRowDecoder {
        all().joining(required: association)
    }

    /// All rows, with more columns: those of an association, if any.
    public func annotated<A: Association>(withOptional association: A) -> QueryInterfaceRequest<RowDecoder>
    where RowDecoder == A.OriginRowDecoder {
        all().annotated(withOptional: association)
    }

    /// The rows that have an associated one, with more columns: those of the association.
    public func annotated<A: Association>(withRequired association: A) -> QueryInterfaceRequest<RowDecoder>
    where RowDecoder == A.OriginRowDecoder {
        all().annotated(withRequired: association)
    }
}

extension Table where RowDecoder: Identifiable {
    /// The row of a record, by its identifier.
    public func filter(id: RowDecoder.ID) -> QueryInterfaceRequest<RowDecoder>
    where RowDecoder.ID: DatabaseValueConvertible {
        all().filter(id: id)
    }

    /// The rows of records, by their identifiers.
    public func filter<IDS>(ids: IDS) -> QueryInterfaceRequest<RowDecoder>
    where IDS: Collection, IDS.Element == RowDecoder.ID, RowDecoder.ID: DatabaseValueConvertible {
        all().filter(ids: ids)
    }

    /// Selects the identifiers of records.
    public func selectID() -> QueryInterfaceRequest<RowDecoder.ID> { all().selectID() }
}

// MARK: - Aggregates of associations

extension Table {
    /// All rows, with values made of associated rows.
    public func annotated(with aggregates: AssociationAggregate<RowDecoder>...) -> QueryInterfaceRequest<RowDecoder> {
        all().annotated(with: aggregates)
    }

    /// All rows, with values made of associated rows.
    public func annotated(with aggregates: [AssociationAggregate<RowDecoder>]) -> QueryInterfaceRequest<RowDecoder> {
        all().annotated(with: aggregates)
    }

    /// The rows that fulfil a condition on associated rows.
    public func having(_ predicate: AssociationAggregate<RowDecoder>) -> QueryInterfaceRequest<RowDecoder> {
        all().having(predicate)
    }
}
