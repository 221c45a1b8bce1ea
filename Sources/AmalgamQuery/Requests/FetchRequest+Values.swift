public import AmalgamCore

// The methods stand twice: values that decode themselves from statements have faster cursors.

extension FetchRequest where RowDecoder: DatabaseValueConvertible {
    /// A cursor over the values of the first column.
    public func fetchCursor(_ db: Database) throws -> DatabaseValueCursor<RowDecoder> {
        try RowDecoder.fetchCursor(db, self)
    }

    /// The values of the first column.
    public func fetchAll(_ db: Database) throws -> [RowDecoder] { try RowDecoder.fetchAll(db, self) }

    /// The value of the first column of the first row; nil without a row, and for NULL.
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try RowDecoder.fetchOne(db, self) }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible & Hashable {
    /// The different values of the first column.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> { try RowDecoder.fetchSet(db, self) }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible & StatementColumnConvertible {
    /// A cursor over the values of the first column.
    public func fetchCursor(_ db: Database) throws -> FastDatabaseValueCursor<RowDecoder> {
        try RowDecoder.fetchCursor(db, self)
    }

    /// The values of the first column.
    public func fetchAll(_ db: Database) throws -> [RowDecoder] { try RowDecoder.fetchAll(db, self) }

    /// The value of the first column of the first row; nil without a row, and for NULL.
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try RowDecoder.fetchOne(db, self) }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible & StatementColumnConvertible & Hashable {
    /// The different values of the first column.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> { try RowDecoder.fetchSet(db, self) }
}

extension DatabaseValueConvertible {
    /// A cursor over the values of the first column of a request.
    public static func fetchCursor(
        _ db: Database, _ request: some FetchRequest
    ) throws -> DatabaseValueCursor<Self> {
        try request.withCursorStatement(db) { try fetchCursor($0, adapter: $1) }
    }

    /// The values of the first column of a request.
    ///
    /// ```swift
    /// let names = try String.fetchAll(db, Player.select(\.name))
    /// ```
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
        try request.withStatement(db) { statement, adapter, _ in try fetchAll(statement, adapter: adapter) }
    }

    /// The value of the first column of the first row of a request; nil without a row, and for NULL.
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
        try request.withStatement(db, forSingleResult: true) { statement, adapter, _ in
            try fetchOne(statement, adapter: adapter)
        }
    }
}

extension DatabaseValueConvertible where Self: Hashable {
    /// The different values of the first column of a request.
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
        try request.withStatement(db) { statement, adapter, _ in try fetchSet(statement, adapter: adapter) }
    }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible {
    /// A cursor over the values of the first column of a request.
    public static func fetchCursor(
        _ db: Database, _ request: some FetchRequest
    ) throws -> FastDatabaseValueCursor<Self> {
        try request.withCursorStatement(db) { try fetchCursor($0, adapter: $1) }
    }

    /// The values of the first column of a request.
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
        try request.withStatement(db) { statement, adapter, _ in try fetchAll(statement, adapter: adapter) }
    }

    /// The value of the first column of the first row of a request; nil without a row, and for NULL.
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
        try request.withStatement(db, forSingleResult: true) { statement, adapter, _ in
            try fetchOne(statement, adapter: adapter)
        }
    }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible & Hashable {
    /// The different values of the first column of a request.
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
        try request.withStatement(db) { statement, adapter, _ in try fetchSet(statement, adapter: adapter) }
    }
}
