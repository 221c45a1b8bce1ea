public import AmalgamCore

// Each method exists twice: `StatementColumnConvertible` types have a faster cursor.

extension FetchRequest where RowDecoder: DatabaseValueConvertible {
    /// Returns a cursor over the values of the first column.
    ///
    /// - Throws: a ``DatabaseError`` if the statement doesn't compile; `SQLITE_MISUSE` if the request includes to-many
    ///   associations. The cursor throws the errors of running the statement, and ``RowDecodingError``.
    public func fetchCursor(_ db: Database) throws -> DatabaseValueCursor<RowDecoder> {
        try RowDecoder.fetchCursor(db, self)
    }

    /// Fetches the values of the first column.
    ///
    /// - Throws: a ``DatabaseError``, or a ``RowDecodingError`` if a value can't be converted.
    public func fetchAll(_ db: Database) throws -> [RowDecoder] { try RowDecoder.fetchAll(db, self) }

    /// Fetches the value of the first column of the first row.
    ///
    /// - Returns: nil if the result is empty, or if the value is NULL.
    /// - Throws: a ``DatabaseError``, or a ``RowDecodingError`` if the value can't be converted.
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try RowDecoder.fetchOne(db, self) }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible & Hashable {
    /// Fetches the values of the first column as a set, without duplicates.
    ///
    /// - Throws: a ``DatabaseError``, or a ``RowDecodingError`` if a value can't be converted.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> { try RowDecoder.fetchSet(db, self) }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible & StatementColumnConvertible {
    /// Returns a cursor over the values of the first column.
    ///
    /// ```swift
    /// let names = try Player.select(\.name, as: String.self).fetchCursor(db)
    /// while let name = try names.next() { print(name) }
    /// ```
    ///
    /// - Throws: a ``DatabaseError`` if the statement doesn't compile; `SQLITE_MISUSE` if the request includes to-many
    ///   associations. The cursor throws the errors of running the statement, and ``RowDecodingError``.
    public func fetchCursor(_ db: Database) throws -> FastDatabaseValueCursor<RowDecoder> {
        try RowDecoder.fetchCursor(db, self)
    }

    /// Fetches the values of the first column.
    ///
    /// ```swift
    /// let names = try Player.select(\.name, as: String.self).fetchAll(db)   // [String]
    /// // SELECT "name" FROM "player"
    /// ```
    ///
    /// - Throws: a ``DatabaseError``, or a ``RowDecodingError`` if a value can't be converted.
    public func fetchAll(_ db: Database) throws -> [RowDecoder] { try RowDecoder.fetchAll(db, self) }

    /// Fetches the value of the first column of the first row.
    ///
    /// ```swift
    /// let best = try Player.select({ max($0.score) }, as: Int.self).fetchOne(db)   // Int?
    /// // SELECT MAX("score") FROM "player"
    /// ```
    ///
    /// - Returns: nil if the result is empty, or if the value is NULL.
    /// - Throws: a ``DatabaseError``, or a ``RowDecodingError`` if the value can't be converted.
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try RowDecoder.fetchOne(db, self) }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible & StatementColumnConvertible & Hashable {
    /// Fetches the values of the first column as a set, without duplicates.
    ///
    /// ```swift
    /// let names = try Player.select(\.name, as: String.self).fetchSet(db)   // Set<String>
    /// // SELECT "name" FROM "player"
    /// ```
    ///
    /// - Throws: a ``DatabaseError``, or a ``RowDecodingError`` if a value can't be converted.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> { try RowDecoder.fetchSet(db, self) }
}

extension DatabaseValueConvertible {
    /// Returns a cursor over the values of the first column of a request.
    ///
    /// - Throws: a ``DatabaseError`` if the statement doesn't compile; `SQLITE_MISUSE` if the request includes to-many
    ///   associations. The cursor throws the errors of running the statement, and ``RowDecodingError``.
    public static func fetchCursor(
        _ db: Database, _ request: some FetchRequest
    ) throws -> DatabaseValueCursor<Self> {
        try request.withCursorStatement(db) { try fetchCursor($0, adapter: $1) }
    }

    /// Fetches the values of the first column of a request.
    ///
    /// ```swift
    /// let names = try String.fetchAll(db, Player.select(\.name))
    /// // SELECT "name" FROM "player"
    /// ```
    ///
    /// - Throws: a ``DatabaseError``, or a ``RowDecodingError`` if a value can't be converted.
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
        try request.withStatement(db) { statement, adapter, _ in try fetchAll(statement, adapter: adapter) }
    }

    /// Fetches the value of the first column of the first row of a request.
    ///
    /// - Returns: nil if the result is empty, or if the value is NULL.
    /// - Throws: a ``DatabaseError``, or a ``RowDecodingError`` if the value can't be converted.
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
        try request.withStatement(db, forSingleResult: true) { statement, adapter, _ in
            try fetchOne(statement, adapter: adapter)
        }
    }
}

extension DatabaseValueConvertible where Self: Hashable {
    /// Fetches the values of the first column of a request as a set, without duplicates.
    ///
    /// - Throws: a ``DatabaseError``, or a ``RowDecodingError`` if a value can't be converted.
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
        try request.withStatement(db) { statement, adapter, _ in try fetchSet(statement, adapter: adapter) }
    }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible {
    /// Returns a cursor over the values of the first column of a request.
    ///
    /// ```swift
    /// let names = try String.fetchCursor(db, Player.select(\.name))
    /// while let name = try names.next() { print(name) }
    /// ```
    ///
    /// - Throws: a ``DatabaseError`` if the statement doesn't compile; `SQLITE_MISUSE` if the request includes to-many
    ///   associations. The cursor throws the errors of running the statement, and ``RowDecodingError``.
    public static func fetchCursor(
        _ db: Database, _ request: some FetchRequest
    ) throws -> FastDatabaseValueCursor<Self> {
        try request.withCursorStatement(db) { try fetchCursor($0, adapter: $1) }
    }

    /// Fetches the values of the first column of a request.
    ///
    /// ```swift
    /// let names = try String.fetchAll(db, Player.select(\.name))   // [String]
    /// // SELECT "name" FROM "player"
    /// ```
    ///
    /// - Throws: a ``DatabaseError``, or a ``RowDecodingError`` if a value can't be converted.
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
        try request.withStatement(db) { statement, adapter, _ in try fetchAll(statement, adapter: adapter) }
    }

    /// Fetches the value of the first column of the first row of a request.
    ///
    /// ```swift
    /// let best = try Int.fetchOne(db, Player.select { max($0.score) })   // Int?
    /// // SELECT MAX("score") FROM "player"
    /// ```
    ///
    /// - Returns: nil if the result is empty, or if the value is NULL.
    /// - Throws: a ``DatabaseError``, or a ``RowDecodingError`` if the value can't be converted.
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
        try request.withStatement(db, forSingleResult: true) { statement, adapter, _ in
            try fetchOne(statement, adapter: adapter)
        }
    }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible & Hashable {
    /// Fetches the values of the first column of a request as a set, without duplicates.
    ///
    /// ```swift
    /// let names = try String.fetchSet(db, Player.select(\.name))   // Set<String>
    /// // SELECT "name" FROM "player"
    /// ```
    ///
    /// - Throws: a ``DatabaseError``, or a ``RowDecodingError`` if a value can't be converted.
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
        try request.withStatement(db) { statement, adapter, _ in try fetchSet(statement, adapter: adapter) }
    }
}
