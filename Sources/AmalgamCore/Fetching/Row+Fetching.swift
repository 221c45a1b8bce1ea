/// A cursor over rows.
///
/// ```swift
/// let rows = try Row.fetchCursor(db, sql: "SELECT id, name FROM player")
/// while let row = try rows.next() {
///     let name: String = row["name"]
/// }
/// ```
///
/// The cursor reuses one row object for all rows. If the application still retains this object at the next step, the
/// object keeps a copy of its values, and the cursor creates a new object for the next row.
public final class RowCursor: _StatementRunCursor {
    public typealias Element = Row

    public let _run: StatementRun

    private var layout: StatementLayout

    /// The row object that the cursor returns. It is created at the first row, and not earlier: at the first step,
    /// SQLite may recompile the statement after a schema change, which may change the columns.
    @usableFromInline
    var row: Row?

    init(_ statement: Statement, arguments: StatementArguments?, adapter: (any RowAdapter)?) throws {
        layout = try StatementLayout(adapter, statement)
        _run = try StatementRun(statement, arguments: arguments)
    }

    deinit { keepRow() }

    /// If the application retains the current row, detaches it from the statement.
    @inlinable
    func keepRow() {
        if row != nil && !isKnownUniquelyReferenced(&row) { detachRow() }
    }

    @usableFromInline
    func detachRow() {
        if _run.isCurrent && _run.statement.database.isAccessible { row?.detach() }
        row = nil
    }

    @inlinable
    public func next() throws -> Row? {
        keepRow()
        guard try _run.step() else { return nil }
        return try element()
    }

    @inlinable
    public func forEach(_ body: (Row) throws -> Void) throws {
        while let row = try next() { try body(row) }
    }

    @inlinable
    public func _element() throws -> Row {
        if let row { return row }
        return try makeRow()
    }

    @usableFromInline
    func makeRow() throws -> Row {
        let row = Row(_run.statement, layout: try layout.current(_run.statement))
        self.row = row
        return row
    }
}

extension Row {
    /// Returns a cursor over the rows of a statement.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE score > ?")
    /// let rows = try Row.fetchCursor(statement, arguments: [10])
    /// while let row = try rows.next() { print(row) }
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if the arguments don't match the parameters of the statement.
    public static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> RowCursor {
        try RowCursor(statement, arguments: arguments, adapter: adapter)
    }

    /// Fetches copies of all rows of a statement.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE score > ?")
    /// let rows = try Row.fetchAll(statement, arguments: [10])
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if the arguments don't match the parameters of the statement; any error of running the
    ///   statement.
    public static func fetchAll(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> [Row] {
        var rows: [Row] = []
        try forEachCopy(statement, arguments, adapter) { rows.append($0) }
        return rows
    }

    /// Fetches copies of all rows of a statement as a set, without duplicates.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT team, country FROM player")
    /// let teams = try Row.fetchSet(statement)
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if the arguments don't match the parameters of the statement; any error of running the
    ///   statement.
    public static func fetchSet(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Set<Row> {
        var rows: Set<Row> = []
        try forEachCopy(statement, arguments, adapter) { rows.insert($0) }
        return rows
    }

    /// Fetches a copy of the first row of a statement, or nil if there is none.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE id = ?")
    /// let row = try Row.fetchOne(statement, arguments: [1])
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if the arguments don't match the parameters of the statement; any error of running the
    ///   statement.
    public static func fetchOne(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Row? {
        var layout = try StatementLayout(adapter, statement)
        try statement.start(arguments)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        let row = try Row(copying: statement, layout: layout.current(statement))
        try statement.finishWriting()
        return row
    }

    private static func forEachCopy(
        _ statement: Statement, _ arguments: StatementArguments?, _ adapter: (any RowAdapter)?, _ body: (Row) -> Void
    ) throws {
        var layout = try StatementLayout(adapter, statement)
        try statement.start(arguments)
        defer { statement.reset() }
        guard try statement.step() else { return }
        // SQLite compiles a statement again only when a run begins.
        let columns = statement.columns
        let shown = try layout.current(statement)
        repeat { body(try Row(copying: statement, columns, layout: shown)) } while try statement.step()
    }
}

extension Row {
    /// Returns a cursor over the rows of a query.
    ///
    /// ```swift
    /// let rows = try Row.fetchCursor(db, sql: "SELECT id, name FROM player")
    /// while let row = try rows.next() {
    ///     let name: String = row["name"]
    /// }
    /// ```
    ///
    /// If the application retains a row beyond the next step of the cursor, the row keeps a copy of its values. Each
    /// call compiles the query.
    ///
    /// - Throws: Errors of the compilation; `SQLITE_MISUSE` if there is more than one statement, or if the arguments
    ///   don't match its parameters. The cursor throws the errors of running the statement.
    public static func fetchCursor(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> RowCursor {
        try fetchCursor(db.makeStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches copies of all rows of a query.
    ///
    /// ```swift
    /// let rows = try Row.fetchAll(db, sql: "SELECT * FROM player WHERE score > ?", arguments: [10])
    /// ```
    ///
    /// When the same SQL is run a second time, the connection caches the compiled statement for further runs.
    ///
    /// - Throws: Errors of the compilation; `SQLITE_MISUSE` if there is more than one statement, or if the arguments
    ///   don't match its parameters; any error of running the statement.
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> [Row] {
        try db.withStatement(sql: sql) { try fetchAll($0, arguments: arguments, adapter: adapter) }
    }

    /// Fetches copies of all rows of a query as a set, without duplicates.
    ///
    /// ```swift
    /// let teams = try Row.fetchSet(db, sql: "SELECT team, country FROM player")
    /// ```
    ///
    /// When the same SQL is run a second time, the connection caches the compiled statement for further runs.
    ///
    /// - Throws: Errors of the compilation; `SQLITE_MISUSE` if there is more than one statement, or if the arguments
    ///   don't match its parameters; any error of running the statement.
    public static func fetchSet(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Row> {
        try db.withStatement(sql: sql) { try fetchSet($0, arguments: arguments, adapter: adapter) }
    }

    /// Fetches a copy of the first row of a query, or nil if there is none.
    ///
    /// ```swift
    /// let row = try Row.fetchOne(db, sql: "SELECT * FROM player WHERE id = ?", arguments: [1])
    /// ```
    ///
    /// When the same SQL is run a second time, the connection caches the compiled statement for further runs.
    ///
    /// - Throws: Errors of the compilation; `SQLITE_MISUSE` if there is more than one statement, or if the arguments
    ///   don't match its parameters; any error of running the statement.
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Row? {
        try db.withStatement(sql: sql) { try fetchOne($0, arguments: arguments, adapter: adapter) }
    }
}
