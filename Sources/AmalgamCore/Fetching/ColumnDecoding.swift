public import CAmalgam

/// Where the first column of the rows is, seen through an adapter.
///
/// It is computed before the statement runs, so that an adapter that does not fit is reported early, and again at the
/// first row: SQLite may have compiled the statement anew at its first step, after a change of the schema.
@usableFromInline
package struct FirstColumn {
    @usableFromInline
    let adapter: (any RowAdapter)?

    @usableFromInline
    var index: CInt

    @usableFromInline
    var isCurrent: Bool

    /// - throws: `SQLITE_MISUSE` when the adapter shows no column. Statements that give no row at all, such as CREATE
    ///   TABLE, need none.
    @usableFromInline
    init(_ statement: Statement, _ adapter: (any RowAdapter)?) throws {
        self.adapter = adapter
        index = 0
        isCurrent = adapter == nil
        if adapter != nil { try update(statement) }
        isCurrent = adapter == nil
    }

    /// The column, for a statement that has given a row.
    @inlinable
    mutating func index(_ statement: Statement) throws -> CInt {
        if !isCurrent { try update(statement) }
        return index
    }

    @usableFromInline
    mutating func update(_ statement: Statement) throws {
        guard let first = try adapter?.layout(statement).baseIndexes.first else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "the row adapter shows no column to fetch a value from",
                sql: statement.sql)
        }
        index = CInt(first)
        isCurrent = true
    }
}

extension Statement {
    /// The error of a column that does not hold the expected type.
    @usableFromInline
    package func mismatch(_ type: Any.Type, column: CInt) -> RowDecodingError {
        Row(self).mismatch(type, index: Int(column))
    }

    /// The error of a column that gave no value: it does not hold the expected type, or there was no memory to convert
    /// it.
    @usableFromInline
    package func undecodable(_ type: Any.Type, column: CInt) -> any Error {
        decodingError(mismatch(type, column: column))
    }

    /// The error of a row that gave no value: that of whoever decoded it, unless there was no memory to convert a column.
    @usableFromInline
    package func decodingError(_ error: any Error) -> any Error {
        if error is DatabaseError || database.lastErrorCode.primaryResultCode != .SQLITE_NOMEM { return error }
        return database.error(SQLITE_NOMEM, sql: sql)
    }

    /// The value of a column, decoded from its stored value.
    @inlinable
    package func stored<Value: DatabaseValueConvertible>(_ type: Value.Type, column: CInt) throws -> Value {
        if let value = Value.fromDatabaseValue(DatabaseValue(sqliteStatement: sqliteStatement, index: column)) {
            return value
        }
        throw undecodable(type, column: column)
    }

    /// The first value, or nil: without a row, and when a NULL has no meaning for the type.
    @inlinable
    package func firstValue<Value>(
        _ type: Value.Type, _ arguments: StatementArguments?, _ adapter: (any RowAdapter)?,
        decode: (CInt) -> Value?
    ) throws -> Value? {
        var firstColumn = try FirstColumn(self, adapter)
        try start(arguments)
        return try endingRun { try firstValue(&firstColumn, decode) }
    }

    /// Runs a closure that reads rows of a run that was started, and ends the run. A value that there was no memory to
    /// convert is an error, whatever the closure has made of it.
    @inlinable
    package func endingRun<T>(_ body: () throws -> T) throws -> T {
        let result: T
        do {
            result = try body()
        } catch {
            let error = decodingError(error)
            reset()
            throw error
        }
        try resetOrThrow()
        return result
    }

    @inlinable
    func firstValue<Value>(_ firstColumn: inout FirstColumn, _ decode: (CInt) -> Value?) throws -> Value? {
        guard try step() else { return nil }
        let column = try firstColumn.index(self)
        let value = decode(column)
        if value == nil && !amalgam_column(sqliteStatement, column).pointee.isNull {
            throw undecodable(Value?.self, column: column)
        }
        try finishWriting()
        return value
    }
}
