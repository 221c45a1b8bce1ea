public import AmalgamCore

/// A request made with Swift methods instead of SQL.
///
/// ```swift
/// let request = Player.filter { $0.score > 10 }.order(\.name).limit(5)
/// let players = try request.fetchAll(db)
/// // SELECT * FROM "player" WHERE "score" > 10 ORDER BY "name" LIMIT 5
/// ```
///
/// A request is a value: each method returns another one. The database is not looked at before the request is used.
public struct QueryInterfaceRequest<RowDecoder>: DerivableRequest, Sendable {
    public var _relation: _Relation

    init(_ relation: Relation) {
        _relation = relation
    }
}

extension QueryInterfaceRequest {
    /// The same request, whose rows are decoded as another type.
    ///
    /// ```swift
    /// let rows = try Player.select(\.name).asRequest(of: Row.self).fetchAll(db)
    /// ```
    public func asRequest<T>(of type: T.Type) -> QueryInterfaceRequest<T> {
        QueryInterfaceRequest<T>(_relation)
    }

    /// Fetches some of the rows. The last limit counts.
    ///
    /// ```swift
    /// Player.order(\.score.desc).limit(10, offset: 20)
    /// // SELECT * FROM "player" ORDER BY "score" DESC LIMIT 10 OFFSET 20
    /// ```
    ///
    /// A negative limit is none: <https://sqlite.org/lang_select.html#limitoffset>.
    public func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest {
        with { $0.limit = Limit(count: limit, offset: offset) }
    }
}

// MARK: - Selections that are decoded as another type

extension QueryInterfaceRequest {
    /// Replaces the selection, and the type that rows are decoded as.
    ///
    /// ```swift
    /// let names = try Player.all().select(Column("name"), as: String.self).fetchAll(db)
    /// // SELECT "name" FROM "player"
    /// ```
    public func select<T>(_ selection: any SQLSelectable..., as type: T.Type = T.self) -> QueryInterfaceRequest<T> {
        _select(selection).asRequest(of: T.self)
    }

    /// Replaces the selection, and the type that rows are decoded as.
    public func select<T>(_ selection: [any SQLSelectable], as type: T.Type = T.self) -> QueryInterfaceRequest<T> {
        _select(selection).asRequest(of: T.self)
    }

    /// Replaces the selection with plain SQL, and the type that rows are decoded as.
    public func select<T>(
        sql: String, arguments: StatementArguments = StatementArguments(), as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        select(literal: SQL(sql: sql, arguments: arguments), as: type)
    }

    /// Replaces the selection with an SQL literal, and the type that rows are decoded as.
    public func select<T>(literal sqlLiteral: SQL, as type: T.Type = T.self) -> QueryInterfaceRequest<T> {
        _select([sqlLiteral]).asRequest(of: T.self)
    }

    /// Selects the primary key.
    ///
    /// ```swift
    /// let ids = try Player.all().selectPrimaryKey(as: Int64.self).fetchSet(db)
    /// // SELECT "id" FROM "player"
    /// ```
    public func selectPrimaryKey<PrimaryKey>(
        as type: PrimaryKey.Type = PrimaryKey.self
    ) -> QueryInterfaceRequest<PrimaryKey> {
        let name = databaseTableName
        return selectWhenConnected { db in try db.primaryKey(name).columns.map { Column($0) } }
            .asRequest(of: PrimaryKey.self)
    }
}

extension QueryInterfaceRequest where RowDecoder: TableRecord {
    /// Replaces the selection, and the type that rows are decoded as.
    ///
    /// ```swift
    /// let names = try Player.all().select({ $0.name }, as: String.self).fetchAll(db)
    /// ```
    public func select<T>(
        _ selection: (RowDecoder.DatabaseComponents) throws -> any SQLSelectable, as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try _select([selection(RowDecoder.databaseComponents)]).asRequest(of: T.self)
    }

    /// Replaces the selection, and the type that rows are decoded as.
    public func select<T>(
        _ selection: (RowDecoder.DatabaseComponents) throws -> [any SQLSelectable], as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try _select(selection(RowDecoder.databaseComponents)).asRequest(of: T.self)
    }
}

extension QueryInterfaceRequest where RowDecoder: Identifiable {
    /// Selects the identifiers of records: their primary key, which has one column.
    ///
    /// ```swift
    /// let ids = try Player.filter { $0.score > 10 }.selectID().fetchSet(db)
    /// // SELECT "id" FROM "player" WHERE "score" > 10
    /// ```
    ///
    /// Fetching throws `SQLITE_MISUSE` when the primary key has several columns.
    public func selectID() -> QueryInterfaceRequest<RowDecoder.ID> {
        let name = databaseTableName
        return selectWhenConnected { db in
            let columns = try db.primaryKey(name).columns
            guard columns.count == 1 else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: "selectID requires a single-column primary key in the table \(name)")
            }
            return [Column(columns[0])]
        }
        .asRequest(of: RowDecoder.ID.self)
    }
}
