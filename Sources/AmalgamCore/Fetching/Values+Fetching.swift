import CAmalgam

/// A cursor over the values of the first column, for types that don't conform to ``StatementColumnConvertible``. It
/// decodes each value with `fromDatabaseValue`.
///
/// ```swift
/// let urls = try URL.fetchCursor(db, sql: "SELECT url FROM book")   // a DatabaseValueCursor<URL>
/// while let url = try urls.next() { print(url) }
/// ```
public final class DatabaseValueCursor<Value: DatabaseValueConvertible>: _StatementRunCursor {
    public typealias Element = Value

    public let _run: StatementRun

    @usableFromInline
    var column: FirstColumn

    @usableFromInline
    init(_ statement: Statement, arguments: StatementArguments?, adapter: (any RowAdapter)?) throws {
        column = try FirstColumn(statement, adapter)
        _run = try StatementRun(statement, arguments: arguments)
    }

    @inlinable
    public func _element() throws -> Value {
        if !column.isCurrent { try column.update(_run.statement) }
        return try _run.statement.stored(Value.self, column: column.index)
    }
}

/// A cursor over the values of the first column, for types that conform to ``StatementColumnConvertible``. It decodes
/// each value with `fromStatement`, which is faster than `fromDatabaseValue`.
///
/// ```swift
/// let names = try String.fetchCursor(db, sql: "SELECT name FROM player")   // a FastDatabaseValueCursor<String>
/// while let name = try names.next() { print(name) }
/// ```
public final class FastDatabaseValueCursor<Value: DatabaseValueConvertible & StatementColumnConvertible>:
    _StatementRunCursor
{
    public typealias Element = Value

    public let _run: StatementRun

    @usableFromInline
    var column: FirstColumn

    @usableFromInline
    init(_ statement: Statement, arguments: StatementArguments?, adapter: (any RowAdapter)?) throws {
        column = try FirstColumn(statement, adapter)
        _run = try StatementRun(statement, arguments: arguments)
    }

    @inlinable
    public func _element() throws -> Value {
        // Uses the cursor's own pointer: reading it from the statement would retain the statement for each row.
        if !column.isCurrent { try column.update(_run.statement) }
        if let value = Value.fromStatement(_run.sqliteStatement, atUncheckedIndex: column.index) { return value }
        throw _run.statement.undecodable(Value.self, column: column.index)
    }
}

// MARK: - Values of any type

extension DatabaseValueConvertible {
    /// Returns a cursor over the values of the first column of a statement.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT name FROM player WHERE score > ?")
    /// let names = try String.fetchCursor(statement, arguments: [10])
    /// while let name = try names.next() { print(name) }
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if the arguments don't match the parameters of the statement. The cursor throws a
    ///   ``RowDecodingError`` at a value that doesn't convert, such as NULL if the type isn't optional.
    @inlinable
    public static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> DatabaseValueCursor<Self> {
        try DatabaseValueCursor(statement, arguments: arguments, adapter: adapter)
    }

    /// Fetches all values of the first column of a statement.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT name FROM player WHERE score > ?")
    /// let names = try String.fetchAll(statement, arguments: [10])
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if the arguments don't match the parameters of the statement; a ``RowDecodingError``
    ///   at a value that doesn't convert; any error of running the statement.
    @inlinable
    public static func fetchAll(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try fetchCursor(statement, arguments: arguments, adapter: adapter).remainder()
    }

    /// Fetches the first value of the first column of a statement, or nil if the result is empty or the value is NULL.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT name FROM player WHERE id = ?")
    /// let name = try String.fetchOne(statement, arguments: [1])
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if the arguments don't match the parameters of the statement; a ``RowDecodingError``
    ///   at a value that doesn't convert; any error of running the statement.
    @inlinable
    public static func fetchOne(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try statement.firstValue(Self.self, arguments, adapter) { column in
            Self.fromDatabaseValue(DatabaseValue(sqliteStatement: statement.sqliteStatement, index: column))
        }
    }

    /// Returns a cursor over the values of the first column of a query.
    ///
    /// ```swift
    /// let names = try String.fetchCursor(db, sql: "SELECT name FROM player")
    /// while let name = try names.next() { print(name) }
    /// ```
    ///
    /// - Throws: Errors of the compilation; `SQLITE_MISUSE` if there is more than one statement, or if the arguments
    ///   don't match its parameters. The cursor throws the errors of running the statement, and ``RowDecodingError``.
    @inlinable
    public static func fetchCursor(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> DatabaseValueCursor<Self> {
        try fetchCursor(db.makeStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches all values of the first column of a query.
    ///
    /// ```swift
    /// let names = try String.fetchAll(db, sql: "SELECT name FROM player")
    /// ```
    ///
    /// When the same SQL is run a second time, the connection caches the compiled statement for further runs.
    ///
    /// - Throws: Errors of the compilation; `SQLITE_MISUSE` if there is more than one statement, or if the arguments
    ///   don't match its parameters; a ``RowDecodingError`` at a value that doesn't convert; any error of running the
    ///   statement.
    @inlinable
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try db.withStatement(sql: sql) { try fetchAll($0, arguments: arguments, adapter: adapter) }
    }

    /// Fetches the first value of the first column of a query, or nil if the result is empty or the value is NULL.
    ///
    /// ```swift
    /// let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
    /// ```
    ///
    /// When the same SQL is run a second time, the connection caches the compiled statement for further runs.
    ///
    /// - Throws: Errors of the compilation; `SQLITE_MISUSE` if there is more than one statement, or if the arguments
    ///   don't match its parameters; a ``RowDecodingError`` at a value that doesn't convert; any error of running the
    ///   statement.
    @inlinable
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try db.withStatement(sql: sql) { try fetchOne($0, arguments: arguments, adapter: adapter) }
    }
}

extension DatabaseValueConvertible where Self: Hashable {
    /// Fetches the values of the first column of a statement as a set, without duplicates.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT team FROM player WHERE score > ?")
    /// let teams = try String.fetchSet(statement, arguments: [10])
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if the arguments don't match the parameters of the statement; a ``RowDecodingError``
    ///   at a value that doesn't convert; any error of running the statement.
    @inlinable
    public static func fetchSet(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try Set(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    /// Fetches the values of the first column of a query as a set, without duplicates.
    ///
    /// ```swift
    /// let teams = try String.fetchSet(db, sql: "SELECT team FROM player")
    /// ```
    ///
    /// When the same SQL is run a second time, the connection caches the compiled statement for further runs.
    ///
    /// - Throws: Errors of the compilation; `SQLITE_MISUSE` if there is more than one statement, or if the arguments
    ///   don't match its parameters; a ``RowDecodingError`` at a value that doesn't convert; any error of running the
    ///   statement.
    @inlinable
    public static func fetchSet(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try db.withStatement(sql: sql) { try fetchSet($0, arguments: arguments, adapter: adapter) }
    }
}

// MARK: - Values that are decoded directly from statements

extension DatabaseValueConvertible where Self: StatementColumnConvertible {
    /// Returns a cursor over the values of the first column of a statement.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT name FROM player WHERE score > ?")
    /// let names = try String.fetchCursor(statement, arguments: [10])
    /// while let name = try names.next() { print(name) }
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if the arguments don't match the parameters of the statement. The cursor throws a
    ///   ``RowDecodingError`` at a value that doesn't convert, such as NULL if the type isn't optional.
    @inlinable
    public static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> FastDatabaseValueCursor<Self> {
        try FastDatabaseValueCursor(statement, arguments: arguments, adapter: adapter)
    }

    /// Fetches all values of the first column of a statement.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT name FROM player WHERE score > ?")
    /// let names = try String.fetchAll(statement, arguments: [10])
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if the arguments don't match the parameters of the statement; a ``RowDecodingError``
    ///   at a value that doesn't convert; any error of running the statement.
    @inlinable
    public static func fetchAll(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try fetchCursor(statement, arguments: arguments, adapter: adapter).remainder()
    }

    /// Fetches the first value of the first column of a statement, or nil if the result is empty or the value is NULL.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT name FROM player WHERE id = ?")
    /// let name = try String.fetchOne(statement, arguments: [1])
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if the arguments don't match the parameters of the statement; a ``RowDecodingError``
    ///   at a value that doesn't convert; any error of running the statement.
    @inlinable
    public static func fetchOne(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try statement.firstValue(Self.self, arguments, adapter) { column in
            Self.fromStatement(statement.sqliteStatement, atUncheckedIndex: column)
        }
    }

    /// Returns a cursor over the values of the first column of a query.
    ///
    /// ```swift
    /// let names = try String.fetchCursor(db, sql: "SELECT name FROM player")
    /// while let name = try names.next() { print(name) }
    /// ```
    ///
    /// - Throws: Errors of the compilation; `SQLITE_MISUSE` if there is more than one statement, or if the arguments
    ///   don't match its parameters. The cursor throws the errors of running the statement, and ``RowDecodingError``.
    @inlinable
    public static func fetchCursor(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> FastDatabaseValueCursor<Self> {
        try fetchCursor(db.makeStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches all values of the first column of a query.
    ///
    /// ```swift
    /// let names = try String.fetchAll(db, sql: "SELECT name FROM player")
    /// ```
    ///
    /// When the same SQL is run a second time, the connection caches the compiled statement for further runs.
    ///
    /// - Throws: Errors of the compilation; `SQLITE_MISUSE` if there is more than one statement, or if the arguments
    ///   don't match its parameters; a ``RowDecodingError`` at a value that doesn't convert; any error of running the
    ///   statement.
    @inlinable
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try db.withStatement(sql: sql) { try fetchAll($0, arguments: arguments, adapter: adapter) }
    }

    /// Fetches the first value of the first column of a query, or nil if the result is empty or the value is NULL.
    ///
    /// ```swift
    /// let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
    /// ```
    ///
    /// When the same SQL is run a second time, the connection caches the compiled statement for further runs.
    ///
    /// - Throws: Errors of the compilation; `SQLITE_MISUSE` if there is more than one statement, or if the arguments
    ///   don't match its parameters; a ``RowDecodingError`` at a value that doesn't convert; any error of running the
    ///   statement.
    @inlinable
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try db.withStatement(sql: sql) { try fetchOne($0, arguments: arguments, adapter: adapter) }
    }
}

extension DatabaseValueConvertible where Self: Hashable & StatementColumnConvertible {
    /// Fetches the values of the first column of a statement as a set, without duplicates.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT team FROM player WHERE score > ?")
    /// let teams = try String.fetchSet(statement, arguments: [10])
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if the arguments don't match the parameters of the statement; a ``RowDecodingError``
    ///   at a value that doesn't convert; any error of running the statement.
    @inlinable
    public static func fetchSet(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try Set(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    /// Fetches the values of the first column of a query as a set, without duplicates.
    ///
    /// ```swift
    /// let teams = try String.fetchSet(db, sql: "SELECT team FROM player")
    /// ```
    ///
    /// When the same SQL is run a second time, the connection caches the compiled statement for further runs.
    ///
    /// - Throws: Errors of the compilation; `SQLITE_MISUSE` if there is more than one statement, or if the arguments
    ///   don't match its parameters; a ``RowDecodingError`` at a value that doesn't convert; any error of running the
    ///   statement.
    @inlinable
    public static func fetchSet(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try db.withStatement(sql: sql) { try fetchSet($0, arguments: arguments, adapter: adapter) }
    }
}
