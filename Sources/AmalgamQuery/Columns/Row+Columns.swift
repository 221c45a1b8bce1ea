public import AmalgamCore
public import Foundation

extension Row {
    /// The stored value of a column, as `Int64`, `Double`, `String` or `Data`; nil for NULL and for a missing column.
    public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? { self[column.name] }

    /// The value of a column, as ``Row`` reads it by its name.
    ///
    /// ```swift
    /// let name: String = row[Player.Columns.name]
    /// ```
    ///
    /// A value that does not convert is a programmer error and traps, and so is a missing column, unless the type is
    /// optional.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ column: some ColumnExpression) -> Value { self[column.name] }

    /// The value of a column, decoded straight from the statement.
    @inlinable
    public subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ column: some ColumnExpression
    ) -> Value {
        self[column.name]
    }

    /// The value of a column.
    ///
    /// - throws: a ``RowDecodingError`` when the value does not convert, or the column is missing.
    @inlinable
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, forColumn column: some ColumnExpression
    ) throws -> Value {
        try decode(type, forColumn: column.name)
    }

    /// The value of a column, decoded straight from the statement.
    ///
    /// - throws: a ``RowDecodingError`` when the value does not convert, or the column is missing.
    @inlinable
    public func decode<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type = Value.self, forColumn column: some ColumnExpression
    ) throws -> Value {
        try decode(type, forColumn: column.name)
    }

    /// Calls a closure with the bytes of a column, which are valid during the call only; nil for NULL, and for a missing
    /// column.
    public func withUnsafeData<T>(at column: some ColumnExpression, _ body: (Data?) throws -> T) throws -> T {
        try withUnsafeData(named: column.name, body)
    }

    /// The first value that is not NULL among some columns, in the order given; nil when there is none.
    @_disfavoredOverload
    public func coalesce<T: DatabaseValueConvertible>(_ columns: some Collection<any ColumnExpression>) -> T? {
        coalesce(columns.map(\.name))
    }
}
