/// A cursor over rows.
///
/// Its row moves with the statement. A row that somebody keeps becomes a copy before the cursor moves, and costs what a
/// copy costs.
public final class RowCursor: _StatementRunCursor {
    public typealias Element = Row

    public let _run: StatementRun

    private var layout: StatementLayout

    /// The row that moves, made at the first element: the columns of a statement are known for sure when it runs.
    @usableFromInline
    var row: Row?

    init(_ statement: Statement, arguments: StatementArguments?, adapter: (any RowAdapter)?) throws {
        layout = try StatementLayout(adapter, statement)
        _run = try StatementRun(statement, arguments: arguments)
    }

    deinit { keepRow() }

    /// Leaves the current row to whoever keeps it.
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
    /// A cursor over the rows of a statement.
    ///
    /// - throws: `SQLITE_MISUSE` when the arguments do not fit the statement.
    public static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> RowCursor {
        try RowCursor(statement, arguments: arguments, adapter: adapter)
    }

    /// Copies of all rows of a statement.
    ///
    /// - throws: `SQLITE_MISUSE` when the arguments do not fit the statement; any error of the run.
    public static func fetchAll(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> [Row] {
        var rows: [Row] = []
        try forEachCopy(statement, arguments, adapter) { rows.append($0) }
        return rows
    }

    /// Copies of all different rows of a statement.
    ///
    /// - throws: `SQLITE_MISUSE` when the arguments do not fit the statement; any error of the run.
    public static func fetchSet(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Set<Row> {
        var rows: Set<Row> = []
        try forEachCopy(statement, arguments, adapter) { rows.insert($0) }
        return rows
    }

    /// A copy of the first row of a statement, or nil.
    ///
    /// - throws: `SQLITE_MISUSE` when the arguments do not fit the statement; any error of the run.
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
        // SQLite compiles a statement again when a run begins, and not in between.
        let columns = statement.columns
        let shown = try layout.current(statement)
        repeat { body(try Row(copying: statement, columns, layout: shown)) } while try statement.step()
    }
}

extension Row {
    /// A cursor over the rows of a query.
    ///
    /// ```swift
    /// let rows = try Row.fetchCursor(db, sql: "SELECT id, name FROM player")
    /// while let row = try rows.next() {
    ///     let name: String = row["name"]
    /// }
    /// ```
    ///
    /// The row moves with the cursor: ``copy()`` one to keep it. The query is compiled for this cursor.
    ///
    /// - throws: errors of the compilation; `SQLITE_MISUSE` when there is more than one statement, or when the arguments do
    ///   not fit. Errors of the run come from the cursor.
    public static func fetchCursor(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> RowCursor {
        try fetchCursor(db.makeStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Copies of all rows of a query.
    ///
    /// ```swift
    /// let rows = try Row.fetchAll(db, sql: "SELECT * FROM player WHERE score > ?", arguments: [10])
    /// ```
    ///
    /// The query is compiled once, if it comes back.
    ///
    /// - throws: errors of the compilation; `SQLITE_MISUSE` when there is more than one statement, or when the arguments do
    ///   not fit; any error of the run.
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> [Row] {
        try db.withStatement(sql: sql) { try fetchAll($0, arguments: arguments, adapter: adapter) }
    }

    /// Copies of all different rows of a query.
    ///
    /// ```swift
    /// let teams = try Row.fetchSet(db, sql: "SELECT team, country FROM player")
    /// ```
    ///
    /// The query is compiled once, if it comes back.
    ///
    /// - throws: errors of the compilation; `SQLITE_MISUSE` when there is more than one statement, or when the arguments do
    ///   not fit; any error of the run.
    public static func fetchSet(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Row> {
        try db.withStatement(sql: sql) { try fetchSet($0, arguments: arguments, adapter: adapter) }
    }

    /// A copy of the first row of a query, or nil.
    ///
    /// ```swift
    /// let row = try Row.fetchOne(db, sql: "SELECT * FROM player WHERE id = ?", arguments: [1])
    /// ```
    ///
    /// The query is compiled once, if it comes back.
    ///
    /// - throws: errors of the compilation; `SQLITE_MISUSE` when there is more than one statement, or when the arguments do
    ///   not fit; any error of the run.
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Row? {
        try db.withStatement(sql: sql) { try fetchOne($0, arguments: arguments, adapter: adapter) }
    }
}
