public import AmalgamCore
public import AmalgamQuery

extension FetchableRecord {
    /// A cursor over the records of a request, whatever it decodes its rows as.
    ///
    /// - throws: a ``DatabaseError``; `SQLITE_MISUSE` for a request that includes associations to many.
    public static func fetchCursor(_ db: Database, _ request: some FetchRequest) throws -> RecordCursor<Self> {
        try request.withCursorStatement(db) { try fetchCursor($0, adapter: $1) }
    }

    /// All records of a request, whatever it decodes its rows as.
    ///
    /// ```swift
    /// let players = try Player.fetchAll(db, SQLRequest("SELECT * FROM player WHERE score > \(10)"))
    /// ```
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
        try request.withStatement(db) { statement, adapter, prefetch in
            guard let prefetch else { return try fetchAll(statement, adapter: adapter) }
            return try records(db, statement, adapter, prefetch)
        }
    }

    /// The record of the first row of a request, or nil.
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
        try request.withStatement(db, forSingleResult: true) { statement, adapter, prefetch in
            guard let prefetch else { return try fetchOne(statement, adapter: adapter) }
            guard let row = try Row.fetchOne(statement, adapter: adapter) else { return nil }
            try prefetch(db, [row])
            return try RowPlans().decode(Self.self, row)
        }
    }

    /// Rows wait for those of the associations to many, which are fetched for all of them at once.
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
    /// All different records of a request, whatever it decodes its rows as.
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
        try request.withStatement(db) { statement, adapter, prefetch in
            guard let prefetch else { return try fetchSet(statement, adapter: adapter) }
            return Set(try records(db, statement, adapter, prefetch))
        }
    }
}

extension FetchRequest where RowDecoder: FetchableRecord {
    /// A cursor over the records.
    ///
    /// - throws: a ``DatabaseError``; `SQLITE_MISUSE` for a request that includes associations to many.
    public func fetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> {
        try RowDecoder.fetchCursor(db, self)
    }

    /// All records.
    ///
    /// ```swift
    /// let players = try Player.filter { $0.score > 10 }.fetchAll(db)
    /// // SELECT * FROM "player" WHERE "score" > 10
    /// ```
    public func fetchAll(_ db: Database) throws -> [RowDecoder] { try RowDecoder.fetchAll(db, self) }

    /// The record of the first row, or nil.
    ///
    /// ```swift
    /// let best = try Player.order(\.score.desc).fetchOne(db)
    /// // SELECT * FROM "player" ORDER BY "score" DESC LIMIT 1
    /// ```
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try RowDecoder.fetchOne(db, self) }
}

extension FetchRequest where RowDecoder: FetchableRecord & Hashable {
    /// All different records.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> { try RowDecoder.fetchSet(db, self) }
}

extension Table where RowDecoder: FetchableRecord {
    /// A cursor over all records.
    public func fetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> { try all().fetchCursor(db) }

    /// All records.
    public func fetchAll(_ db: Database) throws -> [RowDecoder] { try all().fetchAll(db) }

    /// The first record, or nil.
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try all().fetchOne(db) }
}

extension Table where RowDecoder: FetchableRecord & Hashable {
    /// All different records.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> { try all().fetchSet(db) }
}
