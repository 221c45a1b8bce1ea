public import AmalgamCore

extension FetchableRecord {
    /// A cursor over the records of a statement.
    ///
    /// - throws: `SQLITE_MISUSE` when the arguments do not fit the statement.
    public static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> RecordCursor<Self> {
        try RecordCursor(statement, arguments: arguments, adapter: adapter)
    }

    /// All records of a statement.
    @inlinable
    public static func fetchAll(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try fetchCursor(statement, arguments: arguments, adapter: adapter).remainder()
    }

    /// The record of the first row of a statement, or nil.
    public static func fetchOne(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        var layout = try StatementLayout(adapter, statement)
        try statement.start(arguments)
        return try statement.endingRun {
            guard try statement.step() else { return nil }
            let record = try Self(movingRow: Row(statement, layout: layout.current(statement)))
            try statement.finishWriting()
            return record
        }
    }

    /// Makes a record from a row that moves. It becomes a copy when the record keeps it.
    init(movingRow: consuming Row) throws {
        var row = movingRow
        try self.init(row: row)
        if !isKnownUniquelyReferenced(&row) { row.detach() }
    }

    /// A cursor over the records of a query.
    ///
    /// ```swift
    /// let players = try Player.fetchCursor(db, sql: "SELECT * FROM player")
    /// while let player = try players.next() { print(player.name) }
    /// ```
    public static func fetchCursor(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> RecordCursor<Self> {
        try fetchCursor(db.makeStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// All records of a query.
    ///
    /// ```swift
    /// let players = try Player.fetchAll(db, sql: "SELECT * FROM player WHERE score > ?", arguments: [10])
    /// ```
    @inlinable
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try db.withStatement(sql: sql) { try fetchAll($0, arguments: arguments, adapter: adapter) }
    }

    /// The record of the first row of a query, or nil.
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try db.withStatement(sql: sql) { try fetchOne($0, arguments: arguments, adapter: adapter) }
    }
}

extension FetchableRecord where Self: Hashable {
    /// All different records of a statement.
    @inlinable
    public static func fetchSet(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try Set(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    /// All different records of a query.
    @inlinable
    public static func fetchSet(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try db.withStatement(sql: sql) { try fetchSet($0, arguments: arguments, adapter: adapter) }
    }
}
