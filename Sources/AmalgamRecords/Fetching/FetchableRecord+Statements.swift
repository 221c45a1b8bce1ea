public import AmalgamCore

extension FetchableRecord {
    /// Returns a cursor over the records of a statement.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE score > ?")
    /// let players = try Player.fetchCursor(statement, arguments: [10])
    /// while let player = try players.next() { print(player.name) }
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if the arguments don't match the parameters of the statement.
    public static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> RecordCursor<Self> {
        try RecordCursor(statement, arguments: arguments, adapter: adapter)
    }

    /// Fetches all records of a statement.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE score > ?")
    /// let players = try Player.fetchAll(statement, arguments: [10])
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the arguments don't match the parameters of the statement;
    ///   errors of the record's initializer.
    @inlinable
    public static func fetchAll(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try fetchCursor(statement, arguments: arguments, adapter: adapter).remainder()
    }

    /// Fetches the record of the first row of a statement. Returns nil if there is no row.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE id = ?")
    /// let player = try Player.fetchOne(statement, arguments: [1])
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the arguments don't match the parameters of the statement;
    ///   errors of the record's initializer.
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

    /// Creates a record from a row that reads its values from the statement. If the record stores the row, the values
    /// are copied, and the row is detached from the statement.
    @inlinable
    init(movingRow: consuming Row) throws {
        var row = movingRow
        try self.init(row: row)
        if !isKnownUniquelyReferenced(&row) { row.detach() }
    }

    /// Returns a cursor over the records of a query.
    ///
    /// ```swift
    /// let players = try Player.fetchCursor(db, sql: "SELECT * FROM player")
    /// while let player = try players.next() { print(player.name) }
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the arguments don't match the parameters of the statement.
    public static func fetchCursor(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> RecordCursor<Self> {
        try fetchCursor(db.makeStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches all records of a query.
    ///
    /// ```swift
    /// let players = try Player.fetchAll(db, sql: "SELECT * FROM player WHERE score > ?", arguments: [10])
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the arguments don't match the parameters of the statement;
    ///   errors of the record's initializer.
    @inlinable
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try db.withStatement(sql: sql) { try fetchAll($0, arguments: arguments, adapter: adapter) }
    }

    /// Fetches the record of the first row of a query. Returns nil if there is no row.
    ///
    /// ```swift
    /// let best = try Player.fetchOne(db, sql: "SELECT * FROM player ORDER BY score DESC LIMIT 1")
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the arguments don't match the parameters of the statement;
    ///   errors of the record's initializer.
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try db.withStatement(sql: sql) { try fetchOne($0, arguments: arguments, adapter: adapter) }
    }
}

extension FetchableRecord where Self: Hashable {
    /// Fetches the set of a statement's records.
    ///
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the arguments don't match the parameters of the statement;
    ///   errors of the record's initializer.
    @inlinable
    public static func fetchSet(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try Set(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    /// Fetches the set of a query's records.
    ///
    /// ```swift
    /// let players = try Player.fetchSet(db, sql: "SELECT * FROM player WHERE score > ?", arguments: [10])
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; `SQLITE_MISUSE` if the arguments don't match the parameters of the statement;
    ///   errors of the record's initializer.
    @inlinable
    public static func fetchSet(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try db.withStatement(sql: sql) { try fetchSet($0, arguments: arguments, adapter: adapter) }
    }
}
