import AmalgamCore
import AmalgamQuery

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
        if !hasContent(number), !(type is any DatabaseValueConvertible.Type) { try checkWholeRow(number) }
        return try withReader(number, type) { try $0.value($1) }
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
        if hasColumn(number) { return true }
        let name = name(number)
        return row.hasPart(named: name) || row.prefetchedRows(forKey: name) != nil
    }

    /// Checks that no property before the given one has been read from the row itself: see ``WholeRowClaim``.
    ///
    /// - Throws: `DecodingError.keyNotFound`.
    private func checkWholeRow(_ number: Int) throws {
        for other in 0..<number {
            if let property = columns.properties[other], property.isRequired, !hasContent(other) {
                throw WholeRowClaim.keysNotFound(name(other), name(number))
            }
        }
    }
}

extension _RecordColumns.Property {
    /// Whether a row without content for the property can't be read, unless the property is the row itself.
    fileprivate var isRequired: Bool { !hasDefault && !(type is any _OptionalValue.Type) }
}

// MARK: - Associations

// Records that aren't `Decodable` are read from the columns of a to-one association, or from the whole row.

extension _RecordReader {
    /// The value of a property.
    ///
    /// - Throws: a ``RowDecodingError``; errors of the JSON decoder, and of the initializer of a record.
    @_disfavoredOverload
    public func value<Value: FetchableRecord>(_ number: Int, _ type: Value.Type) throws -> Value {
        try row.withPart(named: name(number)) { part in
            if let part { return try Value(row: part) }
            try checkWholeRow(number)
            return try Value(row: row)
        }
    }

    /// The value of a property.
    ///
    /// - Throws: a ``RowDecodingError``; errors of the JSON decoder, and of the initializer of a record.
    @_disfavoredOverload
    public func value<Value: FetchableRecord & Decodable>(_ number: Int, _ type: Value.Type) throws -> Value {
        try decodedValue(number, type)
    }

    /// The record of an association; a default value if the row has nothing for the property.
    ///
    /// - Throws: a ``RowDecodingError``; errors of the JSON decoder, and of the initializer of a record.
    @_disfavoredOverload
    public func value<Value: FetchableRecord>(
        _ number: Int, _ type: Value.Type, default: @autoclosure () -> Value
    ) throws -> Value {
        hasContent(number) ? try value(number, type) : `default`()
    }

    /// The value of a property.
    ///
    /// - Throws: a ``RowDecodingError``; errors of the JSON decoder, and of the initializer of a record.
    @_disfavoredOverload
    public func value<Value: FetchableRecord & Decodable>(
        _ number: Int, _ type: Value.Type, default: @autoclosure () -> Value
    ) throws -> Value {
        hasContent(number) ? try decodedValue(number, type) : `default`()
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
    public func value<List: _RecordList>(_ number: Int, _ type: List.Type) throws -> List {
        guard let list = try value(number, ifPresent: type) else { throw row.columnNotFound(name(number)) }
        return list
    }

    /// The value of a property.
    ///
    /// - Throws: a ``RowDecodingError``; errors of the JSON decoder, and of the initializer of a record.
    @_disfavoredOverload
    public func value<List: _RecordList & Decodable>(_ number: Int, _ type: List.Type) throws -> List {
        try decodedValue(number, type)
    }

    /// The records of a to-many association; a default value if the request doesn't include them.
    ///
    /// - Throws: a ``RowDecodingError``; errors of the JSON decoder, and of the initializer of a record.
    @_disfavoredOverload
    public func value<List: _RecordList>(
        _ number: Int, _ type: List.Type, default: @autoclosure () -> List
    ) throws -> List {
        try value(number, ifPresent: type) ?? `default`()
    }

    /// The value of a property.
    ///
    /// - Throws: a ``RowDecodingError``; errors of the JSON decoder, and of the initializer of a record.
    @_disfavoredOverload
    public func value<List: _RecordList & Decodable>(
        _ number: Int, _ type: List.Type, default: @autoclosure () -> List
    ) throws -> List {
        hasContent(number) ? try decodedValue(number, type) : `default`()
    }

    /// The records of a to-many association; nil if the request doesn't include them.
    ///
    /// - Throws: a ``RowDecodingError``; errors of the JSON decoder, and of the initializer of a record.
    @_disfavoredOverload
    public func value<List: _RecordList>(_ number: Int, ifPresent type: List.Type) throws -> List? {
        try row.prefetchedRows(forKey: name(number)).map { List(_records: try RowPlans().decode(List.Record.self, $0)) }
    }

    /// The value of a property.
    ///
    /// - Throws: a ``RowDecodingError``; errors of the JSON decoder, and of the initializer of a record.
    @_disfavoredOverload
    public func value<List: _RecordList & Decodable>(_ number: Int, ifPresent type: List.Type) throws -> List? {
        try decodedValue(number, ifPresent: type)
    }
}

/// A list of records, which is read from a to-many association.
public protocol _RecordList {
    associatedtype Record: FetchableRecord

    init(_records: [Record])
}

extension Array: _RecordList where Element: FetchableRecord {
    /// Creates a list of records.
    public init(_records records: [Element]) { self = records }
}

extension ContiguousArray: _RecordList where Element: FetchableRecord {
    /// Creates a list of records.
    public init(_records records: [Element]) { self.init(records) }
}

extension Set: _RecordList where Element: FetchableRecord {
    /// Creates a set of records.
    public init(_records records: [Element]) { self.init(records) }
}
