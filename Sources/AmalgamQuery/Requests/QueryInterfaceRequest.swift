public import AmalgamCore

/// A request built with Swift methods instead of SQL.
///
/// ```swift
/// let request = Player.filter { $0.score > 10 }.order(\.name).limit(5)
/// let players = try request.fetchAll(db)
/// // SELECT * FROM "player" WHERE "score" > 10 ORDER BY "name" LIMIT 5
/// ```
///
/// A request is a value, and each method returns a new request. A request uses the database only when it runs.
public struct QueryInterfaceRequest<RowDecoder>: DerivableRequest, Sendable {
    public var _relation: _Relation

    init(_ relation: Relation) {
        _relation = relation
    }
}

extension QueryInterfaceRequest {
    /// Returns the same request, with rows decoded as the given type.
    ///
    /// ```swift
    /// let rows = try Player.select(\.name).asRequest(of: Row.self).fetchAll(db)
    /// ```
    public func asRequest<T>(of type: T.Type) -> QueryInterfaceRequest<T> {
        QueryInterfaceRequest<T>(_relation)
    }

    /// Limits the number of rows. The limit replaces that of a previous call.
    ///
    /// ```swift
    /// Player.order(\.score.desc).limit(10, offset: 20)
    /// // SELECT * FROM "player" ORDER BY "score" DESC LIMIT 10 OFFSET 20
    /// ```
    ///
    /// A negative limit means no limit: <https://sqlite.org/lang_select.html#limitoffset>.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of rows.
    ///   - offset: the number of rows to skip.
    public func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest {
        with { $0.limit = Limit(count: limit, offset: offset) }
    }
}

// MARK: - Selections that are decoded as another type

extension QueryInterfaceRequest {
    /// Replaces the selection, and decodes the rows as the given type.
    ///
    /// ```swift
    /// let names = try Player.all().select(Column("name"), as: String.self).fetchAll(db)
    /// // SELECT "name" FROM "player"
    /// ```
    ///
    /// A value is decoded by its type. Fetching throws `SQLITE_MISUSE` for a typed column of this type that stores its values
    /// in a format that the type doesn't read, such as cents. Select the stored values, `Column("price")`, or fetch rows,
    /// and decode `row[column]`.
    public func select<T>(_ selection: any SQLSelectable..., as type: T.Type = T.self) -> QueryInterfaceRequest<T> {
        _select(selection.decoded(as: T.self)).asRequest(of: T.self)
    }

    /// Replaces the selection with an array of columns or expressions, and decodes the rows as the given type.
    ///
    /// ```swift
    /// let rows = try Player.all().select([Column("id"), Column("name")], as: Row.self).fetchAll(db)
    /// // SELECT "id", "name" FROM "player"
    /// ```
    public func select<T>(_ selection: [any SQLSelectable], as type: T.Type = T.self) -> QueryInterfaceRequest<T> {
        _select(selection.decoded(as: T.self)).asRequest(of: T.self)
    }

    /// Replaces the selection with result columns written in SQL, and decodes the rows as the given type.
    ///
    /// ```swift
    /// let names = try Player.all().select(sql: "upper(name)", as: String.self).fetchAll(db)
    /// // SELECT upper(name) FROM "player"
    /// ```
    public func select<T>(
        sql: String, arguments: StatementArguments = StatementArguments(), as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        select(literal: SQL(sql: sql, arguments: arguments), as: type)
    }

    /// Replaces the selection with an `SQL` literal, and decodes the rows as the given type.
    ///
    /// ```swift
    /// let scores = try Player.all().select(literal: "score + \(1)", as: Int.self).fetchAll(db)
    /// // SELECT score + 1 FROM "player"
    /// ```
    public func select<T>(literal sqlLiteral: SQL, as type: T.Type = T.self) -> QueryInterfaceRequest<T> {
        _select([sqlLiteral]).asRequest(of: T.self)
    }

    /// Selects the columns of the primary key, and decodes the rows as the given type.
    ///
    /// ```swift
    /// let ids = try Player.all().selectPrimaryKey(as: Int64.self).fetchSet(db)
    /// // SELECT "id" FROM "player"
    /// ```
    public func selectPrimaryKey<PrimaryKey>(
        as type: PrimaryKey.Type = PrimaryKey.self
    ) -> QueryInterfaceRequest<PrimaryKey> {
        let name = databaseTableName
        return selectKey(as: PrimaryKey.self) { db in try db.primaryKey(name).columns }
    }

    /// Selects the columns of a key, and decodes the rows as the given type.
    private func selectKey<Key>(
        as type: Key.Type, _ columns: @escaping @Sendable (Database) throws -> [String]
    ) -> QueryInterfaceRequest<Key> {
        selectWhenConnected { db in
            let columns = try columns(db)
            try checkSelectedKey(of: RowDecoder.self, columns, as: Key.self)
            return columns.map { Column($0) }
        }
        .asRequest(of: Key.self)
    }
}

extension QueryInterfaceRequest where RowDecoder: TableRecord {
    /// Replaces the selection with one column or expression, and decodes the rows as the given type.
    ///
    /// ```swift
    /// let names = try Player.all().select({ $0.name }, as: String.self).fetchAll(db)
    /// ```
    public func select<T>(
        _ selection: (RowDecoder.DatabaseComponents) throws -> any SQLSelectable, as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try _select([selection(RowDecoder.databaseComponents)].decoded(as: T.self)).asRequest(of: T.self)
    }

    /// Replaces the selection with columns or expressions, and decodes the rows as the given type.
    ///
    /// ```swift
    /// let rows = try Player.all().select({ [$0.id, $0.name] }, as: Row.self).fetchAll(db)
    /// // SELECT "id", "name" FROM "player"
    /// ```
    public func select<T>(
        _ selection: (RowDecoder.DatabaseComponents) throws -> [any SQLSelectable], as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try _select(selection(RowDecoder.databaseComponents).decoded(as: T.self)).asRequest(of: T.self)
    }
}

extension QueryInterfaceRequest where RowDecoder: Identifiable {
    /// Selects the identifiers of the records: the only column of the primary key.
    ///
    /// ```swift
    /// let ids = try Player.filter { $0.score > 10 }.selectID().fetchSet(db)
    /// // SELECT "id" FROM "player" WHERE "score" > 10
    /// ```
    ///
    /// Fetching throws `SQLITE_MISUSE` if the primary key has several columns, or if the record stores its key in a format
    /// that the type doesn't read, such as a number with `@Column(as:)`.
    public func selectID() -> QueryInterfaceRequest<RowDecoder.ID> {
        let name = databaseTableName
        return selectKey(as: RowDecoder.ID.self) { db in
            let columns = try db.primaryKey(name).columns
            guard columns.count == 1 else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: "selectID requires a single-column primary key in the table \(name)")
            }
            return columns
        }
    }
}
