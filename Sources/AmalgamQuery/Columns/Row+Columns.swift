public import AmalgamCore
public import Foundation

extension Row {
    /// Returns the stored value of a column, as `Int64`, `Double`, `String` or `Data`; nil if it is NULL, or if the row
    /// doesn't have the column.
    public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? { self[column.name] }

    /// Returns the value of a column, converted to the expected type.
    ///
    /// ```swift
    /// let name: String = row[Player.Columns.name]
    /// ```
    ///
    /// Traps if the value can't be converted. Also traps if the row doesn't have the column, unless the type is
    /// optional.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ column: some ColumnExpression) -> Value { self[column.name] }

    /// Returns the value of a column, decoded directly from the statement or, in a copied row, from the stored value.
    @inlinable
    public subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ column: some ColumnExpression
    ) -> Value {
        self[column.name]
    }

    /// Returns the value of a column, converted to the given type.
    ///
    /// ```swift
    /// let name = try row.decode(String.self, forColumn: Player.Columns.name)
    /// ```
    ///
    /// - Throws: a ``RowDecodingError`` if the value can't be converted, or if the row doesn't have the column and the
    ///   type isn't optional.
    @inlinable
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, forColumn column: some ColumnExpression
    ) throws -> Value {
        try decode(type, forColumn: column.name)
    }

    /// Returns the value of a column, decoded directly from the statement or, in a copied row, from the stored value.
    ///
    /// - Throws: a ``RowDecodingError`` if the value can't be converted, or if the row doesn't have the column and the
    ///   type isn't optional.
    @inlinable
    public func decode<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type = Value.self, forColumn column: some ColumnExpression
    ) throws -> Value {
        try decode(type, forColumn: column.name)
    }

    /// Calls a closure with the bytes of a column. The bytes are valid during the call only. The closure receives nil
    /// if the value is NULL, or if the row doesn't have the column.
    ///
    /// ```swift
    /// let size = try row.withUnsafeData(at: Column("photo")) { $0?.count ?? 0 }
    /// ```
    ///
    /// - Throws: the error of the closure, or a ``RowDecodingError`` if the value is a number.
    public func withUnsafeData<T>(at column: some NamedColumn, _ body: (Data?) throws -> T) throws -> T {
        try withUnsafeData(named: column.name, body)
    }

    /// Returns the first value among the given columns that isn't NULL; nil if all are NULL.
    ///
    /// ```swift
    /// let name: String? = row.coalesce([Column("nickname"), Column("name")])
    /// ```
    @_disfavoredOverload
    public func coalesce<T: DatabaseValueConvertible>(_ columns: some Collection<any ColumnExpression>) -> T? {
        coalesce(columns.map(\.name))
    }

    /// Returns the first value among the given columns that isn't NULL; nil if all are NULL. The columns may be typed.
    @_disfavoredOverload
    public func coalesce<T: DatabaseValueConvertible>(_ columns: [any NamedColumn]) -> T? {
        coalesce(columns.map(\.name))
    }
}
