public import AmalgamCore

extension Table where RowDecoder == Row {
    /// Returns a cursor over all rows.
    ///
    /// ```swift
    /// let rows = try Table("player").fetchCursor(db)
    /// // SELECT * FROM "player"
    /// while let row = try rows.next() { print(row["name"] as String) }
    /// ```
    ///
    /// - Throws: a ``DatabaseError`` if the statement doesn't compile. The cursor throws the errors of running the
    ///   statement.
    public func fetchCursor(_ db: Database) throws -> RowCursor { try all().fetchCursor(db) }

    /// Fetches all rows.
    ///
    /// ```swift
    /// let rows = try Table("player").fetchAll(db)   // [Row]
    /// // SELECT * FROM "player"
    /// ```
    ///
    /// - Throws: a ``DatabaseError``.
    public func fetchAll(_ db: Database) throws -> [Row] { try all().fetchAll(db) }

    /// Fetches the first row.
    ///
    /// ```swift
    /// let row = try Table("player").fetchOne(db)   // Row?
    /// // SELECT * FROM "player" LIMIT 1
    /// ```
    ///
    /// - Returns: nil if the table is empty.
    /// - Throws: a ``DatabaseError``.
    public func fetchOne(_ db: Database) throws -> Row? { try all().fetchOne(db) }

    /// Fetches all rows as a set, without duplicates.
    ///
    /// ```swift
    /// let rows = try Table("player").fetchSet(db)   // Set<Row>
    /// // SELECT * FROM "player"
    /// ```
    ///
    /// - Throws: a ``DatabaseError``.
    public func fetchSet(_ db: Database) throws -> Set<Row> { try all().fetchSet(db) }
}

extension Table where RowDecoder: DatabaseValueConvertible {
    /// Returns a cursor over the values of the first column.
    ///
    /// - Throws: a ``DatabaseError`` if the statement doesn't compile. The cursor throws the errors of running the
    ///   statement, and ``RowDecodingError``.
    public func fetchCursor(_ db: Database) throws -> DatabaseValueCursor<RowDecoder> { try all().fetchCursor(db) }

    /// Fetches the values of the first column.
    ///
    /// - Throws: a ``DatabaseError``, or a ``RowDecodingError`` if a value can't be converted.
    public func fetchAll(_ db: Database) throws -> [RowDecoder] { try all().fetchAll(db) }

    /// Fetches the value of the first column of the first row.
    ///
    /// - Returns: nil if the table is empty, or if the value is NULL.
    /// - Throws: a ``DatabaseError``, or a ``RowDecodingError`` if the value can't be converted.
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try all().fetchOne(db) }
}

extension Table where RowDecoder: DatabaseValueConvertible & Hashable {
    /// Fetches the values of the first column as a set, without duplicates.
    ///
    /// - Throws: a ``DatabaseError``, or a ``RowDecodingError`` if a value can't be converted.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> { try all().fetchSet(db) }
}

extension Table where RowDecoder: DatabaseValueConvertible & StatementColumnConvertible {
    /// Returns a cursor over the values of the first column.
    ///
    /// ```swift
    /// let names = try Table<String>("name").fetchCursor(db)
    /// // SELECT * FROM "name"
    /// while let name = try names.next() { print(name) }
    /// ```
    ///
    /// - Throws: a ``DatabaseError`` if the statement doesn't compile. The cursor throws the errors of running the
    ///   statement, and ``RowDecodingError``.
    public func fetchCursor(_ db: Database) throws -> FastDatabaseValueCursor<RowDecoder> {
        try all().fetchCursor(db)
    }

    /// Fetches the values of the first column.
    ///
    /// ```swift
    /// let names = try Table<String>("name").fetchAll(db)   // [String]
    /// // SELECT * FROM "name"
    /// ```
    ///
    /// - Throws: a ``DatabaseError``, or a ``RowDecodingError`` if a value can't be converted.
    public func fetchAll(_ db: Database) throws -> [RowDecoder] { try all().fetchAll(db) }

    /// Fetches the value of the first column of the first row.
    ///
    /// ```swift
    /// let name = try Table<String>("name").fetchOne(db)   // String?
    /// // SELECT * FROM "name" LIMIT 1
    /// ```
    ///
    /// - Returns: nil if the table is empty, or if the value is NULL.
    /// - Throws: a ``DatabaseError``, or a ``RowDecodingError`` if the value can't be converted.
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try all().fetchOne(db) }
}

extension Table where RowDecoder: DatabaseValueConvertible & StatementColumnConvertible & Hashable {
    /// Fetches the values of the first column as a set, without duplicates.
    ///
    /// ```swift
    /// let names = try Table<String>("name").fetchSet(db)   // Set<String>
    /// // SELECT * FROM "name"
    /// ```
    ///
    /// - Throws: a ``DatabaseError``, or a ``RowDecodingError`` if a value can't be converted.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> { try all().fetchSet(db) }
}
