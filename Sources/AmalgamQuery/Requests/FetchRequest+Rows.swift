public import AmalgamCore

extension FetchRequest where RowDecoder == Row {
    /// A cursor over the rows.
    ///
    /// - throws: a ``DatabaseError``; `SQLITE_MISUSE` for a request that includes associations to many.
    public func fetchCursor(_ db: Database) throws -> RowCursor { try Row.fetchCursor(db, self) }

    /// All rows.
    public func fetchAll(_ db: Database) throws -> [Row] { try Row.fetchAll(db, self) }

    /// The first row, or nil.
    public func fetchOne(_ db: Database) throws -> Row? { try Row.fetchOne(db, self) }

    /// All different rows.
    public func fetchSet(_ db: Database) throws -> Set<Row> { try Row.fetchSet(db, self) }
}

extension Row {
    /// A cursor over the rows of a request, whatever it decodes them as.
    ///
    /// - throws: a ``DatabaseError``; `SQLITE_MISUSE` for a request that includes associations to many.
    public static func fetchCursor(_ db: Database, _ request: some FetchRequest) throws -> RowCursor {
        try request.withCursorStatement(db) { try fetchCursor($0, adapter: $1) }
    }

    /// All rows of a request, whatever it decodes them as.
    ///
    /// ```swift
    /// let rows = try Row.fetchAll(db, Player.filter { $0.score > 10 })
    /// ```
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Row] {
        try request.withStatement(db) { statement, adapter, prefetch in
            let rows = try fetchAll(statement, adapter: adapter)
            try prefetch?(db, rows)
            return rows
        }
    }

    /// The first row of a request, or nil.
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Row? {
        try request.withStatement(db, forSingleResult: true) { statement, adapter, prefetch in
            guard let row = try fetchOne(statement, adapter: adapter) else { return nil }
            try prefetch?(db, [row])
            return row
        }
    }

    /// All different rows of a request.
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Row> {
        try request.withStatement(db) { statement, adapter, prefetch in
            guard let prefetch else { return try fetchSet(statement, adapter: adapter) }
            let rows = try fetchAll(statement, adapter: adapter)
            try prefetch(db, rows)
            return Set(rows)
        }
    }
}
