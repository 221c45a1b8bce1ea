public import AmalgamCore

extension FetchRequest where RowDecoder == Row {
    /// Returns a cursor over the rows.
    ///
    /// ```swift
    /// let rows = try Table("player").filter(Column("score") > 10).fetchCursor(db)
    /// while let row = try rows.next() { print(row["name"] as String) }
    /// ```
    ///
    /// - Throws: a ``DatabaseError`` if the statement doesn't compile; `SQLITE_MISUSE` if the request includes to-many
    ///   associations. The cursor throws the errors of running the statement.
    public func fetchCursor(_ db: Database) throws -> RowCursor { try Row.fetchCursor(db, self) }

    /// Fetches all rows.
    ///
    /// ```swift
    /// let rows = try Table("player").filter(Column("score") > 10).fetchAll(db)   // [Row]
    /// // SELECT * FROM "player" WHERE "score" > 10
    /// ```
    ///
    /// - Throws: a ``DatabaseError``.
    public func fetchAll(_ db: Database) throws -> [Row] { try Row.fetchAll(db, self) }

    /// Fetches the first row.
    ///
    /// ```swift
    /// let row = try Table("player").filter(Column("score") > 10).fetchOne(db)   // Row?
    /// // SELECT * FROM "player" WHERE "score" > 10 LIMIT 1
    /// ```
    ///
    /// - Returns: nil if the result is empty.
    /// - Throws: a ``DatabaseError``.
    public func fetchOne(_ db: Database) throws -> Row? { try Row.fetchOne(db, self) }

    /// Fetches all rows as a set, without duplicates.
    ///
    /// ```swift
    /// let rows = try Table("player").select(Column("name")).fetchSet(db)   // Set<Row>
    /// // SELECT "name" FROM "player"
    /// ```
    ///
    /// - Throws: a ``DatabaseError``.
    public func fetchSet(_ db: Database) throws -> Set<Row> { try Row.fetchSet(db, self) }
}

extension Row {
    /// Returns a cursor over the rows of a request of any type.
    ///
    /// ```swift
    /// let rows = try Row.fetchCursor(db, Player.filter { $0.score > 10 })
    /// while let row = try rows.next() { print(row["name"] as String) }
    /// ```
    ///
    /// - Throws: a ``DatabaseError`` if the statement doesn't compile; `SQLITE_MISUSE` if the request includes to-many
    ///   associations. The cursor throws the errors of running the statement.
    public static func fetchCursor(_ db: Database, _ request: some FetchRequest) throws -> RowCursor {
        try request.withCursorStatement(db) { try fetchCursor($0, adapter: $1) }
    }

    /// Fetches all rows of a request of any type.
    ///
    /// ```swift
    /// let rows = try Row.fetchAll(db, Player.filter { $0.score > 10 })   // [Row]
    /// // SELECT * FROM "player" WHERE "score" > 10
    /// ```
    ///
    /// - Throws: a ``DatabaseError``.
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Row] {
        try request.withStatement(db) { statement, adapter, prefetch in
            let rows = try fetchAll(statement, adapter: adapter)
            try prefetch?(db, rows)
            return rows
        }
    }

    /// Fetches the first row of a request of any type.
    ///
    /// ```swift
    /// let row = try Row.fetchOne(db, Player.filter { $0.score > 10 })   // Row?
    /// // SELECT * FROM "player" WHERE "score" > 10 LIMIT 1
    /// ```
    ///
    /// - Returns: nil if the result is empty.
    /// - Throws: a ``DatabaseError``.
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Row? {
        try request.withStatement(db, forSingleResult: true) { statement, adapter, prefetch in
            guard let row = try fetchOne(statement, adapter: adapter) else { return nil }
            try prefetch?(db, [row])
            return row
        }
    }

    /// Fetches all rows of a request of any type as a set, without duplicates.
    ///
    /// ```swift
    /// let rows = try Row.fetchSet(db, Player.select(\.name))   // Set<Row>
    /// // SELECT "name" FROM "player"
    /// ```
    ///
    /// - Throws: a ``DatabaseError``.
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Row> {
        try request.withStatement(db) { statement, adapter, prefetch in
            guard let prefetch else { return try fetchSet(statement, adapter: adapter) }
            let rows = try fetchAll(statement, adapter: adapter)
            try prefetch(db, rows)
            return Set(rows)
        }
    }
}
