public import AmalgamCore

extension Row {
    /// Returns the value of a typed column.
    ///
    /// ```swift
    /// let score = TypedColumn<Int>("score")
    /// let row = try Row.fetchOne(db, sql: "SELECT score FROM player")!
    /// row[score]   // an Int
    /// ```
    ///
    /// Traps if the value can't be converted. Also traps if the row doesn't have the column, unless the type is
    /// optional.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ column: TypedColumn<Value>) -> Value {
        column.format == nil ? self[column.name] : formatted(column)
    }

    /// Returns the value of a typed column, decoded directly from the statement or, in a copied row, from the stored
    /// value.
    @inlinable
    public subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ column: TypedColumn<Value>
    ) -> Value {
        column.format == nil ? self[column.name] : formatted(column)
    }

    /// Returns the value of a typed column.
    ///
    /// ```swift
    /// let score = TypedColumn<Int>("score")
    /// let row = try Row.fetchOne(db, sql: "SELECT score FROM player")!
    /// try row.decode(forColumn: score)   // an Int
    /// ```
    ///
    /// - Throws: a ``RowDecodingError`` if the value can't be converted, or if the row doesn't have the column and the
    ///   type isn't optional.
    @inlinable
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, forColumn column: TypedColumn<Value>
    ) throws -> Value {
        try column.format == nil ? decode(type, forColumn: column.name) : decodeFormatted(column)
    }

    /// Returns the value of a typed column, decoded directly from the statement or, in a copied row, from the stored
    /// value.
    ///
    /// - Throws: a ``RowDecodingError`` if the value can't be converted, or if the row doesn't have the column and the
    ///   type isn't optional.
    @inlinable
    public func decode<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type = Value.self, forColumn column: TypedColumn<Value>
    ) throws -> Value {
        try column.format == nil ? decode(type, forColumn: column.name) : decodeFormatted(column)
    }

    /// Returns the value of a column that doesn't store values in their usual format.
    @usableFromInline
    func formatted<Value: DatabaseValueConvertible>(_ column: TypedColumn<Value>) -> Value {
        guard let index = index(ofColumn: column.name) else { return trappingMissing(column.name) }
        return trapping(index) { try decode(column, index) }
    }

    /// Returns the value of a column that doesn't store values in their usual format.
    @usableFromInline
    func decodeFormatted<Value: DatabaseValueConvertible>(_ column: TypedColumn<Value>) throws -> Value {
        guard let index = index(ofColumn: column.name) else { return try missing(column.name) }
        return try decode(column, index)
    }

    private func decode<Value: DatabaseValueConvertible>(_ column: TypedColumn<Value>, _ index: Int) throws -> Value {
        if let value = try column.value(ofStored: databaseValue(atUncheckedIndex: index)) { return value }
        throw mismatch(Value.self, index: index)
    }
}
