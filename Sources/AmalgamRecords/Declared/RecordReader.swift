public import AmalgamCore
public import Foundation

/// Reads the properties of a record from a row, by their numbers in `_RecordColumns`.
///
/// The positions of the columns are looked up for the first row of a statement, and then kept with the row object, which
/// moves with the statement. Values are read directly from the statement if the row has all columns.
public struct _RecordReader {
    @usableFromInline
    unowned(unsafe) let row: Row

    @usableFromInline
    unowned(unsafe) let columns: _RecordColumns

    @usableFromInline
    let positions: _RowPositions

    /// Creates a reader.
    ///
    /// - Throws: `SQLITE_MISUSE` if two properties have the same column.
    @inlinable @inline(__always)
    public init(_ row: Row, _ columns: _RecordColumns) throws {
        self.row = row
        self.columns = columns
        positions = try row.positions(of: columns) ?? Self.lookUp(columns, row)
    }

    /// The value of a column. Types with strategies, such as `Date`, have functions of their own.
    ///
    /// - Throws: a ``RowDecodingError``.
    @inlinable @inline(__always)
    public func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ number: Int, _ type: Value.Type
    ) throws -> Value {
        if hasStrategy(type) { return try strategicValue(number, type) }
        if let value = positions.value(number, type) { return value }
        return try convertedValue(number, type)
    }

    /// The value of a column; nil for NULL, and if the row doesn't have the column.
    ///
    /// - Throws: a ``RowDecodingError``.
    @inlinable @inline(__always)
    public func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ number: Int, ifPresent type: Value.Type
    ) throws -> Value? {
        if hasStrategy(type) { return try strategicValue(number, Value?.self) }
        if let value = positions.value(number, type) { return value }
        return positions.isNil(number) ? nil : try convertedValue(number, Value?.self)
    }

    /// The value of a column; a default value if the row doesn't have the column.
    ///
    /// - Throws: a ``RowDecodingError``.
    @inlinable @inline(__always)
    public func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ number: Int, _ type: Value.Type, default: @autoclosure () -> Value
    ) throws -> Value {
        if hasStrategy(type) { return positions.isMissing(number) ? `default`() : try strategicValue(number, type) }
        if let value = positions.value(number, type) { return value }
        return positions.isMissing(number) ? `default`() : try convertedValue(number, type)
    }

    /// Whether the record type has a strategy for a type that is a parameter of the record type. Other dates and data have
    /// functions of their own, and for other types this is known to be false when the call is compiled.
    @inlinable @inline(__always)
    func hasStrategy(_ type: Any.Type) -> Bool { (type == Date.self || type == Data.self) && positions.flag }

    @usableFromInline
    func strategicValue<Value>(_ number: Int, _ type: Value.Type) throws -> Value {
        switch type {
        case is Date.Type: try decodedValue(number, Date.self) as! Value
        case is Data.Type: try decodedValue(number, Data.self) as! Value
        case is Date?.Type: try decodedValue(number, ifPresent: Date.self) as! Value
        default: try decodedValue(number, ifPresent: Data.self) as! Value
        }
    }

    @usableFromInline
    func convertedValue<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ number: Int, _ type: Value.Type
    ) throws -> Value {
        guard let index = index(number) else { return try row.missing(name(number)) }
        return try row.decodeFast(type, atUncheckedIndex: index)
    }

    /// The value of a column.
    ///
    /// - Throws: a ``RowDecodingError``.
    public func value<Value: DatabaseValueConvertible>(_ number: Int, _ type: Value.Type) throws -> Value {
        guard let index = index(number) else { return try row.missing(name(number)) }
        return try row.decodeStored(type, atUncheckedIndex: index)
    }

    /// The value of a column; nil for NULL, and if the row doesn't have the column.
    ///
    /// - Throws: a ``RowDecodingError``.
    public func value<Value: DatabaseValueConvertible>(
        _ number: Int, ifPresent type: Value.Type
    ) throws -> Value? {
        try value(number, Value?.self)
    }

    /// The value of a column; a default value if the row doesn't have the column.
    ///
    /// - Throws: a ``RowDecodingError``.
    public func value<Value: DatabaseValueConvertible>(
        _ number: Int, _ type: Value.Type, default: @autoclosure () -> Value
    ) throws -> Value {
        hasColumn(number) ? try value(number, type) : `default`()
    }
}

// MARK: - Positions

extension _RecordReader {
    @inlinable
    func hasColumn(_ number: Int) -> Bool { !positions.isMissing(number) }

    /// The position of a column in the row.
    func index(_ number: Int) -> Int? { positions.index(number) }

    func name(_ number: Int) -> String { columns.properties[number]?.key.stringValue ?? "" }

    /// Looks up the columns in a row.
    @usableFromInline
    static func lookUp(_ columns: _RecordColumns, _ row: Row) throws -> _RowPositions {
        if let ambiguity = columns.ambiguity { throw ambiguity }
        let hasStrategies = columns.hasDecodingStrategies
        // An adapter has other columns in each run of the statement.
        let statement = row.layout == nil ? row.statement : nil
        if let known = statement?.columnPositions(of: columns, in: row.columns) {
            return row.setPositions(known, flag: hasStrategies)
        }
        let positions = ColumnPositions(owner: columns, of: columns.indexes(in: row), in: row)
        statement?.keepPositions(positions)
        return row.setPositions(positions, flag: hasStrategies)
    }
}

extension _RecordColumns {
    fileprivate func indexes(in row: Row) -> [Int?] {
        if isEmbedded { return columnNames.map { row.columns.index(of: $0) } }
        guard let fetchable else { return properties.map { _ in nil } }
        let source = RowSource(fetchable, row)
        return source.reading(row) {
            properties.enumerated().map { number, property in
                embedded[number] == nil ? property.flatMap { source.column(ofKey: $0.key.stringValue) } : nil
            }
        }
    }

    /// Whether the type has its own strategies for dates or data of its properties.
    fileprivate var hasDecodingStrategies: Bool {
        guard let fetchable else { return false }
        return dates.contains {
            if case .deferredToDate = fetchable.databaseDateDecodingStrategy(for: $0) { false } else { true }
        }
            || data.contains {
                if case .deferredToData = fetchable.databaseDataDecodingStrategy(for: $0) { false } else { true }
            }
    }
}

// MARK: - Dates and data

// The decoding strategy of the record type applies.

extension _RecordReader {
    /// The value of a property.
    ///
    /// - Throws: a ``RowDecodingError``.
    @inlinable @inline(__always)
    public func value(_ number: Int, _ type: Date.Type) throws -> Date {
        if !positions.flag, let value = positions.value(number, type) { return value }
        return try decodedValue(number, type)
    }

    /// The value of a property.
    ///
    /// - Throws: a ``RowDecodingError``.
    @inlinable @inline(__always)
    public func value(_ number: Int, ifPresent type: Date.Type) throws -> Date? {
        if !positions.flag, let value = positions.value(number, type) { return value }
        return try decodedValue(number, ifPresent: type)
    }

    /// The value of a property.
    ///
    /// - Throws: a ``RowDecodingError``.
    @inlinable @inline(__always)
    public func value(_ number: Int, _ type: Data.Type) throws -> Data {
        if !positions.flag, let value = positions.value(number, type) { return value }
        return try decodedValue(number, type)
    }

    /// The value of a property.
    ///
    /// - Throws: a ``RowDecodingError``.
    @inlinable @inline(__always)
    public func value(_ number: Int, ifPresent type: Data.Type) throws -> Data? {
        if !positions.flag, let value = positions.value(number, type) { return value }
        return try decodedValue(number, ifPresent: type)
    }

    /// The value of a property.
    ///
    /// - Throws: a ``RowDecodingError``.
    @inlinable
    public func value(_ number: Int, _ type: Date.Type, default: @autoclosure () -> Date) throws -> Date {
        hasColumn(number) ? try value(number, type) : `default`()
    }

    /// The value of a property.
    ///
    /// - Throws: a ``RowDecodingError``.
    @inlinable
    public func value(_ number: Int, _ type: Data.Type, default: @autoclosure () -> Data) throws -> Data {
        hasColumn(number) ? try value(number, type) : `default`()
    }
}

// MARK: - Defaults of optionals

extension _RecordReader {
    /// The value of an optional property; a default value if the row has nothing for the property.
    ///
    /// - Throws: a ``RowDecodingError``.
    @inlinable
    public func value<Value>(
        _ number: Int, default: @autoclosure () -> Value?, ifPresent read: () throws -> Value?
    ) throws -> Value? {
        hasContent(number) ? try read() : `default`()
    }
}
