public import AmalgamCore
public import AmalgamQuery

extension FetchableRecord {
    /// Returns a cursor over the results of a request, decoded as this record type. The request's own row decoder is
    /// ignored.
    ///
    /// ```swift
    /// let request: SQLRequest<Row> = "SELECT * FROM player WHERE score > \(10)"
    /// let players = try Player.fetchCursor(db, request)
    /// // SELECT * FROM player WHERE score > 10
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the request includes to-many associations.
    public static func fetchCursor(_ db: Database, _ request: some FetchRequest) throws -> RecordCursor<Self> {
        try request.withCursorStatement(db) { try fetchCursor($0, adapter: $1) }
    }

    /// Fetches all results of a request, decoded as this record type. The request's own row decoder is ignored.
    ///
    /// ```swift
    /// let players = try Player.fetchAll(db, SQLRequest(literal: "SELECT * FROM player WHERE score > \(10)"))
    /// // SELECT * FROM player WHERE score > 10
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; errors of the record's initializer.
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
        try request.withStatement(db) { statement, adapter, prefetch in
            guard let prefetch else { return try fetchAll(statement, adapter: adapter) }
            return try records(db, statement, adapter, prefetch)
        }
    }

    /// Fetches the first result of a request, decoded as this record type. Returns nil if there is none.
    ///
    /// ```swift
    /// let best = try Player.fetchOne(db, SQLRequest(sql: "SELECT * FROM player ORDER BY score DESC LIMIT 1"))
    /// // SELECT * FROM player ORDER BY score DESC LIMIT 1
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; errors of the record's initializer.
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
        try request.withStatement(db, forSingleResult: true) { statement, adapter, prefetch in
            guard let prefetch else { return try fetchOne(statement, adapter: adapter) }
            guard let row = try Row.fetchOne(statement, adapter: adapter) else { return nil }
            try prefetch(db, [row])
            return try RowPlans().decode(Self.self, row)
        }
    }

    /// Fetches and decodes all rows of a statement. Before the rows are decoded, the closure `prefetch` adds the rows
    /// of to-many associations to them, with one query for each association.
    fileprivate static func records(
        _ db: Database, _ statement: Statement, _ adapter: (any RowAdapter)?, _ prefetch: RequestPlan.Prefetch
    ) throws -> [Self] {
        let rows = try Row.fetchAll(statement, adapter: adapter)
        try prefetch(db, rows)
        let plans = RowPlans()
        return try rows.map { try plans.decode(Self.self, $0) }
    }
}

extension FetchableRecord where Self: Hashable {
    /// Fetches the set of a request's results, decoded as this record type. The request's own row decoder is ignored.
    ///
    /// ```swift
    /// let players = try Player.fetchSet(db, SQLRequest(literal: "SELECT * FROM player WHERE score > \(10)"))
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; errors of the record's initializer.
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
        try request.withStatement(db) { statement, adapter, prefetch in
            guard let prefetch else { return try fetchSet(statement, adapter: adapter) }
            return Set(try records(db, statement, adapter, prefetch))
        }
    }
}

extension FetchRequest where RowDecoder: FetchableRecord {
    /// Returns a cursor over the fetched records.
    ///
    /// ```swift
    /// let players = try Player.filter { $0.score > 10 }.fetchCursor(db)
    /// // SELECT * FROM "player" WHERE "score" > 10
    /// while let player = try players.next() { print(player.name) }
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the request includes to-many associations.
    public func fetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> {
        try RowDecoder.fetchCursor(db, self)
    }

    /// Fetches all records.
    ///
    /// ```swift
    /// let players = try Player.filter { $0.score > 10 }.fetchAll(db)
    /// // SELECT * FROM "player" WHERE "score" > 10
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; errors of the record's initializer.
    public func fetchAll(_ db: Database) throws -> [RowDecoder] { try RowDecoder.fetchAll(db, self) }

    /// Fetches the record of the first row. Returns nil if there is no row.
    ///
    /// ```swift
    /// let best = try Player.order(\.score.desc).fetchOne(db)
    /// // SELECT * FROM "player" ORDER BY "score" DESC LIMIT 1
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; errors of the record's initializer.
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try RowDecoder.fetchOne(db, self) }
}

extension FetchRequest where RowDecoder: FetchableRecord & Hashable {
    /// Fetches the set of the records.
    ///
    /// ```swift
    /// let players = try Player.filter { $0.score > 10 }.fetchSet(db)
    /// // SELECT * FROM "player" WHERE "score" > 10
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; errors of the record's initializer.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> { try RowDecoder.fetchSet(db, self) }
}

extension Table where RowDecoder: FetchableRecord {
    /// Returns a cursor over all records of the table.
    ///
    /// - Throws: a ``DatabaseError``.
    public func fetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> { try all().fetchCursor(db) }

    /// Fetches all records of the table.
    ///
    /// ```swift
    /// let players = try Table<Player>("player").fetchAll(db)
    /// // SELECT * FROM "player"
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; errors of the record's initializer.
    public func fetchAll(_ db: Database) throws -> [RowDecoder] { try all().fetchAll(db) }

    /// Fetches one record of the table, in no particular order. Returns nil if the table is empty.
    ///
    /// - Throws: a ``DatabaseError``; errors of the record's initializer.
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try all().fetchOne(db) }
}

extension Table where RowDecoder: FetchableRecord & Hashable {
    /// Fetches the set of all records of the table.
    ///
    /// - Throws: a ``DatabaseError``; errors of the record's initializer.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> { try all().fetchSet(db) }
}
