import CAmalgam

/// A cursor over the values of the first column, decoded from their stored values.
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

/// A cursor over the values of the first column, decoded straight from the statement.
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
        // Not by way of the statement: it would be retained for each row.
        if !column.isCurrent { try column.update(_run.statement) }
        if let value = Value.fromStatement(_run.sqliteStatement, atUncheckedIndex: column.index) { return value }
        throw _run.statement.undecodable(Value.self, column: column.index)
    }
}

// MARK: - Values of any type

extension DatabaseValueConvertible {
    /// A cursor over the values of the first column of a statement.
    ///
    /// - throws: `SQLITE_MISUSE` when the arguments do not fit the statement. The cursor throws a
    ///   ``RowDecodingError`` at a value that does not convert, such as NULL for a type that is not optional.
    @inlinable
    public static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> DatabaseValueCursor<Self> {
        try DatabaseValueCursor(statement, arguments: arguments, adapter: adapter)
    }

    /// All values of the first column of a statement.
    ///
    /// - throws: `SQLITE_MISUSE` when the arguments do not fit the statement; a ``RowDecodingError`` at a value that does
    ///   not convert; any error of the run.
    @inlinable
    public static func fetchAll(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try fetchCursor(statement, arguments: arguments, adapter: adapter).remainder()
    }

    /// The first value of the first column of a statement; nil without a row, and for NULL.
    ///
    /// - throws: `SQLITE_MISUSE` when the arguments do not fit the statement; a ``RowDecodingError`` at a value that does
    ///   not convert; any error of the run.
    @inlinable
    public static func fetchOne(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try statement.firstValue(Self.self, arguments, adapter) { column in
            Self.fromDatabaseValue(DatabaseValue(sqliteStatement: statement.sqliteStatement, index: column))
        }
    }

    /// A cursor over the values of the first column of a query.
    ///
    /// ```swift
    /// let names = try String.fetchCursor(db, sql: "SELECT name FROM player")
    /// while let name = try names.next() { print(name) }
    /// ```
    ///
    /// - throws: errors of the compilation; `SQLITE_MISUSE` when there is more than one statement, or when the arguments do
    ///   not fit. Errors of the run, and ``RowDecodingError``, come from the cursor.
    @inlinable
    public static func fetchCursor(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> DatabaseValueCursor<Self> {
        try fetchCursor(db.makeStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// All values of the first column of a query.
    ///
    /// ```swift
    /// let names = try String.fetchAll(db, sql: "SELECT name FROM player")
    /// ```
    ///
    /// The query is compiled once, if it comes back.
    ///
    /// - throws: errors of the compilation; `SQLITE_MISUSE` when there is more than one statement, or when the arguments do
    ///   not fit; a ``RowDecodingError`` at a value that does not convert; any error of the run.
    @inlinable
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try db.withStatement(sql: sql) { try fetchAll($0, arguments: arguments, adapter: adapter) }
    }

    /// The first value of the first column of a query; nil without a row, and for NULL.
    ///
    /// ```swift
    /// let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
    /// ```
    ///
    /// The query is compiled once, if it comes back.
    ///
    /// - throws: errors of the compilation; `SQLITE_MISUSE` when there is more than one statement, or when the arguments do
    ///   not fit; a ``RowDecodingError`` at a value that does not convert; any error of the run.
    @inlinable
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try db.withStatement(sql: sql) { try fetchOne($0, arguments: arguments, adapter: adapter) }
    }
}

extension DatabaseValueConvertible where Self: Hashable {
    /// All different values of the first column of a statement.
    ///
    /// - throws: `SQLITE_MISUSE` when the arguments do not fit the statement; a ``RowDecodingError`` at a value that does
    ///   not convert; any error of the run.
    @inlinable
    public static func fetchSet(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try Set(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    /// All different values of the first column of a query.
    ///
    /// ```swift
    /// let teams = try String.fetchSet(db, sql: "SELECT team FROM player")
    /// ```
    ///
    /// The query is compiled once, if it comes back.
    ///
    /// - throws: errors of the compilation; `SQLITE_MISUSE` when there is more than one statement, or when the arguments do
    ///   not fit; a ``RowDecodingError`` at a value that does not convert; any error of the run.
    @inlinable
    public static func fetchSet(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try db.withStatement(sql: sql) { try fetchSet($0, arguments: arguments, adapter: adapter) }
    }
}

// MARK: - Values that decode themselves from statements

extension DatabaseValueConvertible where Self: StatementColumnConvertible {
    /// A cursor over the values of the first column of a statement.
    ///
    /// - throws: `SQLITE_MISUSE` when the arguments do not fit the statement. The cursor throws a
    ///   ``RowDecodingError`` at a value that does not convert, such as NULL for a type that is not optional.
    @inlinable
    public static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> FastDatabaseValueCursor<Self> {
        try FastDatabaseValueCursor(statement, arguments: arguments, adapter: adapter)
    }

    /// All values of the first column of a statement.
    ///
    /// - throws: `SQLITE_MISUSE` when the arguments do not fit the statement; a ``RowDecodingError`` at a value that does
    ///   not convert; any error of the run.
    @inlinable
    public static func fetchAll(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try fetchCursor(statement, arguments: arguments, adapter: adapter).remainder()
    }

    /// The first value of the first column of a statement; nil without a row, and for NULL.
    ///
    /// - throws: `SQLITE_MISUSE` when the arguments do not fit the statement; a ``RowDecodingError`` at a value that does
    ///   not convert; any error of the run.
    @inlinable
    public static func fetchOne(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try statement.firstValue(Self.self, arguments, adapter) { column in
            Self.fromStatement(statement.sqliteStatement, atUncheckedIndex: column)
        }
    }

    /// A cursor over the values of the first column of a query.
    ///
    /// ```swift
    /// let names = try String.fetchCursor(db, sql: "SELECT name FROM player")
    /// while let name = try names.next() { print(name) }
    /// ```
    ///
    /// - throws: errors of the compilation; `SQLITE_MISUSE` when there is more than one statement, or when the arguments do
    ///   not fit. Errors of the run, and ``RowDecodingError``, come from the cursor.
    @inlinable
    public static func fetchCursor(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> FastDatabaseValueCursor<Self> {
        try fetchCursor(db.makeStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// All values of the first column of a query.
    ///
    /// ```swift
    /// let names = try String.fetchAll(db, sql: "SELECT name FROM player")
    /// ```
    ///
    /// The query is compiled once, if it comes back.
    ///
    /// - throws: errors of the compilation; `SQLITE_MISUSE` when there is more than one statement, or when the arguments do
    ///   not fit; a ``RowDecodingError`` at a value that does not convert; any error of the run.
    @inlinable
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try db.withStatement(sql: sql) { try fetchAll($0, arguments: arguments, adapter: adapter) }
    }

    /// The first value of the first column of a query; nil without a row, and for NULL.
    ///
    /// ```swift
    /// let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
    /// ```
    ///
    /// The query is compiled once, if it comes back.
    ///
    /// - throws: errors of the compilation; `SQLITE_MISUSE` when there is more than one statement, or when the arguments do
    ///   not fit; a ``RowDecodingError`` at a value that does not convert; any error of the run.
    @inlinable
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try db.withStatement(sql: sql) { try fetchOne($0, arguments: arguments, adapter: adapter) }
    }
}

extension DatabaseValueConvertible where Self: Hashable & StatementColumnConvertible {
    /// All different values of the first column of a statement.
    ///
    /// - throws: `SQLITE_MISUSE` when the arguments do not fit the statement; a ``RowDecodingError`` at a value that does
    ///   not convert; any error of the run.
    @inlinable
    public static func fetchSet(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try Set(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    /// All different values of the first column of a query.
    ///
    /// ```swift
    /// let teams = try String.fetchSet(db, sql: "SELECT team FROM player")
    /// ```
    ///
    /// The query is compiled once, if it comes back.
    ///
    /// - throws: errors of the compilation; `SQLITE_MISUSE` when there is more than one statement, or when the arguments do
    ///   not fit; a ``RowDecodingError`` at a value that does not convert; any error of the run.
    @inlinable
    public static func fetchSet(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try db.withStatement(sql: sql) { try fetchSet($0, arguments: arguments, adapter: adapter) }
    }
}
