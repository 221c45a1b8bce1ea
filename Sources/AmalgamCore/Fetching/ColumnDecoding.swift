public import CAmalgam

extension Statement {
    /// Where the first column of the rows is, seen through an adapter. Statements that give no row at all, such as
    /// CREATE TABLE, need no column.
    ///
    /// - throws: `SQLITE_MISUSE` when the adapter shows no column.
    @usableFromInline
    package func firstColumn(_ adapter: (any RowAdapter)?) throws -> CInt {
        guard let adapter else { return 0 }
        guard let index = try adapter.layout(self).baseIndexes.first else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "the row adapter shows no column to fetch a value from", sql: sql)
        }
        return CInt(index)
    }

    /// The first column for rows that have come, when it was `column` before the run: SQLite may have compiled the
    /// statement again, after a change of the schema.
    @inlinable
    package func currentFirstColumn(_ column: CInt, _ adapter: (any RowAdapter)?) throws -> CInt {
        adapter == nil ? column : try firstColumn(adapter)
    }

    /// The error of a column that does not hold the expected type.
    @usableFromInline
    package func mismatch(_ type: Any.Type, column: CInt) -> RowDecodingError {
        Row(self).mismatch(type, index: Int(column))
    }

    /// The value of a column, decoded from its stored value.
    @inlinable
    package func stored<Value: DatabaseValueConvertible>(_ type: Value.Type, column: CInt) throws -> Value {
        if let value = Value.fromDatabaseValue(DatabaseValue(sqliteStatement: sqliteStatement, index: column)) {
            return value
        }
        throw mismatch(type, column: column)
    }

    /// The value of a column, decoded straight from the statement.
    @inlinable
    package func fast<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type, column: CInt
    ) throws -> Value {
        if let value = Value.fromStatement(sqliteStatement, atUncheckedIndex: column) { return value }
        throw mismatch(type, column: column)
    }

    /// The first value, or nil: without a row, and when a NULL has no meaning for the type.
    @inlinable
    package func firstValue<Value>(
        _ type: Value.Type, _ arguments: StatementArguments?, _ adapter: (any RowAdapter)?,
        decode: (CInt) -> Value?
    ) throws -> Value? {
        let columnBefore = try firstColumn(adapter)
        try start(arguments)
        defer { reset() }
        guard try step() else { return nil }
        let column = try currentFirstColumn(columnBefore, adapter)
        if let value = decode(column) {
            try finishWriting()
            return value
        }
        if amalgam_column(sqliteStatement, column).pointee.isNull {
            try finishWriting()
            return nil
        }
        throw mismatch(Value?.self, column: column)
    }
}
