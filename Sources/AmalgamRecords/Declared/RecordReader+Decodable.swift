import AmalgamCore

// Properties of other types are read as `Decodable` records read them: from a column of JSON, from the columns of an
// association, or from the whole row.

extension _RecordReader {
    /// The value of a property of any type.
    ///
    /// - Throws: a ``RowDecodingError``; errors of the JSON decoder, and of the initializer of a record.
    @_disfavoredOverload
    public func value<Value: Decodable>(_ number: Int, _ type: Value.Type) throws -> Value {
        try decodedValue(number, type)
    }

    /// The value of a property of any type; nil for NULL, and if the row has nothing for the property.
    ///
    /// - Throws: a ``RowDecodingError``; errors of the JSON decoder, and of the initializer of a record.
    @_disfavoredOverload
    public func value<Value: Decodable>(_ number: Int, ifPresent type: Value.Type) throws -> Value? {
        try decodedValue(number, ifPresent: type)
    }

    /// The value of a property.
    ///
    /// - Throws: a ``RowDecodingError``; errors of the JSON decoder, and of the initializer of a record.
    @_disfavoredOverload
    public func value<Value: Decodable>(
        _ number: Int, _ type: Value.Type, default: @autoclosure () -> Value
    ) throws -> Value {
        hasContent(number) ? try decodedValue(number, type) : `default`()
    }

    @usableFromInline
    func decodedValue<Value: Decodable>(_ number: Int, _ type: Value.Type) throws -> Value {
        try withReader(number, type) { try $0.value($1) }
    }

    @usableFromInline
    func decodedValue<Value: Decodable>(_ number: Int, ifPresent type: Value.Type) throws -> Value? {
        try withReader(number, type) { try $0.valueIfPresent($1) }
    }

    private func withReader<Value: Decodable, Result>(
        _ number: Int, _ type: Value.Type, _ body: (PropertyReader<Value>, RowSource) throws -> Result
    ) throws -> Result {
        guard let property = columns.properties[number], let fetchable = columns.fetchable else {
            throw row.columnNotFound(name(number))
        }
        return try RecordDecoder.with(row, of: fetchable) { decoder in
            try decoder.property(type, property.key, row, body)
        }
    }

    /// Whether the row has a column, the columns of an association, or the rows of one.
    @usableFromInline
    func hasContent(_ number: Int) -> Bool {
        let name = name(number)
        return hasColumn(number) || row.hasPart(named: name) || row.prefetchedRows(forKey: name) != nil
    }
}

// MARK: - Associations

// Records that aren't `Decodable` are read from the columns of a to-one association, or from the whole row.

extension _RecordReader {
    /// The value of a property.
    ///
    /// - Throws: a ``RowDecodingError``; errors of the JSON decoder, and of the initializer of a record.
    @_disfavoredOverload
    public func value<Value: FetchableRecord>(_ number: Int, _ type: Value.Type) throws -> Value {
        try row.withPart(named: name(number)) { part in try Value(row: part ?? row) }
    }

    /// The value of a property.
    ///
    /// - Throws: a ``RowDecodingError``; errors of the JSON decoder, and of the initializer of a record.
    @_disfavoredOverload
    public func value<Value: FetchableRecord & Decodable>(_ number: Int, _ type: Value.Type) throws -> Value {
        try decodedValue(number, type)
    }

    /// The record of an association; nil if all its columns are NULL, or if the row doesn't have them.
    ///
    /// - Throws: a ``RowDecodingError``; errors of the JSON decoder, and of the initializer of a record.
    @_disfavoredOverload
    public func value<Value: FetchableRecord>(_ number: Int, ifPresent type: Value.Type) throws -> Value? {
        try row.withPart(named: name(number)) { part in
            guard let part, part.containsNonNullValue else { return nil }
            return try Value(row: part)
        }
    }

    /// The value of a property.
    ///
    /// - Throws: a ``RowDecodingError``; errors of the JSON decoder, and of the initializer of a record.
    @_disfavoredOverload
    public func value<Value: FetchableRecord & Decodable>(
        _ number: Int, ifPresent type: Value.Type
    ) throws -> Value? {
        try decodedValue(number, ifPresent: type)
    }

    /// The records of a to-many association.
    ///
    /// - Throws: a ``RowDecodingError``; errors of the JSON decoder, and of the initializer of a record.
    @_disfavoredOverload
    public func value<Value: FetchableRecord>(_ number: Int, _ type: [Value].Type) throws -> [Value] {
        guard let rows = row.prefetchedRows(forKey: name(number)) else { throw row.columnNotFound(name(number)) }
        return try RowPlans().decode(Value.self, rows)
    }

    /// The value of a property.
    ///
    /// - Throws: a ``RowDecodingError``; errors of the JSON decoder, and of the initializer of a record.
    @_disfavoredOverload
    public func value<Value: FetchableRecord & Decodable>(_ number: Int, _ type: [Value].Type) throws -> [Value] {
        try decodedValue(number, type)
    }
}
