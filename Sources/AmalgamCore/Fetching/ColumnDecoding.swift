public import CAmalgam

/// The index of the column from which values are fetched: the first column that the row adapter shows. Without an
/// adapter, column 0.
///
/// With an adapter, the index is computed twice. Before the statement runs, an adapter that shows no column is reported
/// as an error. At the first row, the index is computed again, because SQLite may have recompiled the statement after a
/// schema change.
@usableFromInline
package struct FirstColumn {
    @usableFromInline
    let adapter: (any RowAdapter)?

    @usableFromInline
    var index: CInt

    @usableFromInline
    var isCurrent: Bool

    /// - Throws: `SQLITE_MISUSE` if the adapter selects no column. Without an adapter, a statement without columns,
    ///   such as CREATE TABLE, isn't an error.
    @usableFromInline
    init(_ statement: Statement, _ adapter: (any RowAdapter)?) throws {
        self.adapter = adapter
        index = 0
        isCurrent = adapter == nil
        if adapter != nil { try update(statement) }
        isCurrent = adapter == nil
    }

    /// Returns the column of a statement that has returned a row.
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
    /// Whether the connection has ``Configuration/strictDecoding``.
    var decodesStrictly: Bool { amalgam_decodes_strictly(sqliteStatement) != 0 }

    /// Returns the error of a column whose value doesn't convert to the expected type.
    @usableFromInline
    package func mismatch(_ type: Any.Type, column: CInt) -> RowDecodingError {
        Row(self).mismatch(type, index: Int(column))
    }

    /// Returns the error of a column that couldn't be decoded: a ``RowDecodingError``, or `SQLITE_NOMEM` if memory was
    /// exhausted during the conversion.
    @usableFromInline
    package func undecodable(_ type: Any.Type, column: CInt) -> any Error {
        decodingError(mismatch(type, column: column))
    }

    /// Returns the error of a row that couldn't be decoded: `SQLITE_NOMEM` if memory was exhausted during the
    /// conversion of a column, the given error otherwise.
    @usableFromInline
    package func decodingError(_ error: any Error) -> any Error {
        if error is DatabaseError || database.lastErrorCode.primaryResultCode != .SQLITE_NOMEM { return error }
        return database.error(SQLITE_NOMEM, sql: sql)
    }

    /// Decodes a column with `fromDatabaseValue`.
    @inlinable
    package func stored<Value: DatabaseValueConvertible>(_ type: Value.Type, column: CInt) throws -> Value {
        if let value = Value.fromDatabaseValue(DatabaseValue(sqliteStatement: sqliteStatement, index: column)) {
            return value
        }
        throw undecodable(type, column: column)
    }

    /// Returns the first value, or nil if there is no row, or if the value is a NULL that the type doesn't decode.
    @inlinable
    package func firstValue<Value>(
        _ type: Value.Type, _ arguments: StatementArguments?, _ adapter: (any RowAdapter)?,
        decode: (CInt) -> Value?
    ) throws -> Value? {
        var firstColumn = try FirstColumn(self, adapter)
        try start(arguments)
        return try endingRun { try firstValue(&firstColumn, decode) }
    }

    /// Runs a closure that reads rows of a started statement, and then resets the statement. Throws an error if memory
    /// was exhausted during a conversion, even if the closure has returned a value.
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
