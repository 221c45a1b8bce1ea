public import AmalgamCore
import AmalgamQuery
public import Foundation

/// What a connection caches for encoding the records of one type: a reference that doesn't retain it.
///
/// The container from which an `encode(to:)` gets the writer retains it.
public struct _RecordWriter {
    fileprivate unowned(unsafe) let writer: RecordWriter

    fileprivate init(_ writer: RecordWriter) {
        self.writer = writer
    }

    var columns: _RecordColumns { writer.columns }

    /// The writer of the type that a property embeds.
    func embedded(_ number: Int) -> _RecordWriter { _RecordWriter(writer.embedded(number)) }
}

/// What a connection caches for encoding the records of one type.
final class RecordWriter {
    let columns: _RecordColumns

    /// The names of the columns, by the numbers of the properties.
    fileprivate let names: [String]

    /// The stored properties of superclasses, which aren't columns.
    fileprivate(set) var inherited: [InheritedProperty] = []

    /// Whether the type has its own strategies for dates, data or UUIDs.
    fileprivate let hasStrategies: Bool

    /// The `ColumnWriter` of each property that needs one.
    private var writers: [AnyObject?]

    /// The writers of the types that properties embed.
    private var embedded: [Int: RecordWriter] = [:]

    init(_ columns: _RecordColumns) {
        self.columns = columns
        let type = columns.encodable
        names = columns.columnNames
        hasStrategies = zip(columns.properties, columns.columnNames).contains { property, name in
            type.map { property?.hasStrategy($0, name) ?? false } ?? false
        }
        writers = Array(repeating: nil, count: names.count)
    }

    fileprivate func embedded(_ number: Int) -> RecordWriter {
        if let writer = embedded[number] { return writer }
        let writer = RecordWriter(columns._embedded(number))
        embedded[number] = writer
        return writer
    }

    /// Converts a value whose type is a parameter of the record type, and which may have a strategy.
    fileprivate func strategic<Value: DatabaseValueConvertible>(_ value: Value, _ number: Int) throws -> StoredValue {
        switch value {
        case let date as Date: try stored(date, number)
        case let id as UUID: try stored(id, number)
        case let data as Data: try stored(data, number)
        default: StoredValue(value)
        }
    }

    /// Converts a value of any type.
    fileprivate func stored<Value: Encodable>(_ value: Value, _ number: Int) throws -> StoredValue {
        if let writer = writers[number] as? ColumnWriter<Value> { return try writer.write(value) }
        guard let property = columns.properties[number], let type = columns.encodable else { return .null }
        let writer = ColumnWriter<Value>.make(names[number], property.key, type)
        writers[number] = writer
        return try writer.write(value)
    }
}

extension _RecordColumns.Property {
    fileprivate func hasStrategy(_ record: any EncodableRecord.Type, _ column: String) -> Bool {
        if type == Date.self || type == Date?.self {
            if case .deferredToDate = record.databaseDateEncodingStrategy(for: column) { return false }
            return true
        }
        if type == UUID.self || type == UUID?.self {
            if case .deferredToUUID = record.databaseUUIDEncodingStrategy(for: column) { return false }
            return true
        }
        if type == Data.self || type == Data?.self {
            if case .deferredToData = record.databaseDataEncodingStrategy(for: column) { return false }
            return true
        }
        return false
    }
}

extension PersistenceContainer {
    /// Returns the writer of a type, which a connection keeps for its next records.
    ///
    /// - Parameter record: The record, if it is of a class that may inherit properties.
    /// - Throws: `SQLITE_MISUSE` if two properties have the same column.
    public mutating func _writer(_ columns: _RecordColumns, of record: AnyObject? = nil) throws -> _RecordWriter {
        if let writer, writer.columns === columns { return _RecordWriter(writer) }
        if let ambiguity = columns.ambiguity { throw ambiguity }
        let writer = RecordWriter(columns)
        writer.inherited = record.map(InheritedProperty.properties) ?? []
        self.writer = writer
        return _RecordWriter(writer)
    }

    /// Stores a value in the column of a property, or binds it.
    @inline(__always)
    mutating func put(_ writer: _RecordWriter, _ number: Int, _ value: StoredValue) {
        if let parameters {
            parameters.pointee.bind(stored: value)
        } else {
            set(value, writer.writer.names[number])
        }
    }

    /// Stores the value of a property.
    ///
    /// - Throws: errors of the strategy of the record type, and of the JSON encoder.
    public mutating func _set(_ writer: _RecordWriter, _ number: Int, _ value: some DatabaseValueConvertible) throws {
        put(
            writer, number,
            try writer.writer.hasStrategies ? writer.writer.strategic(value, number) : StoredValue(value))
    }

    /// Stores the value of a property of any type: JSON, or a single value such as the raw value of an enumeration.
    ///
    /// - Throws: errors of the strategy of the record type, and of the JSON encoder.
    @_disfavoredOverload
    public mutating func _set(_ writer: _RecordWriter, _ number: Int, _ value: some Encodable) throws {
        try put(writer, number, writer.writer.stored(value, number))
    }

    /// Stores the value of a property of any type, or NULL.
    ///
    /// - Throws: errors of the strategy of the record type, and of the JSON encoder.
    @_disfavoredOverload
    public mutating func _set(_ writer: _RecordWriter, _ number: Int, _ value: (some Encodable)?) throws {
        try put(writer, number, value.map { try writer.writer.stored($0, number) } ?? .null)
    }
}

// MARK: - Frequent types

extension PersistenceContainer {
    /// Stores the value of a property.
    ///
    /// - Throws: errors of the strategy of the record type, and of the JSON encoder.
    public mutating func _set(_ writer: _RecordWriter, _ number: Int, _ value: Int) throws {
        put(writer, number, .integer(Int64(value)))
    }

    /// Stores the value of a property.
    ///
    /// - Throws: errors of the strategy of the record type, and of the JSON encoder.
    public mutating func _set(_ writer: _RecordWriter, _ number: Int, _ value: Int?) throws {
        put(writer, number, value.map { .integer(Int64($0)) } ?? .null)
    }

    /// Stores the value of a property.
    ///
    /// - Throws: errors of the strategy of the record type, and of the JSON encoder.
    public mutating func _set(_ writer: _RecordWriter, _ number: Int, _ value: Int64) throws {
        put(writer, number, .integer(value))
    }

    /// Stores the value of a property.
    ///
    /// - Throws: errors of the strategy of the record type, and of the JSON encoder.
    public mutating func _set(_ writer: _RecordWriter, _ number: Int, _ value: Int64?) throws {
        put(writer, number, value.map { .integer($0) } ?? .null)
    }

    /// Stores the value of a property.
    ///
    /// - Throws: errors of the strategy of the record type, and of the JSON encoder.
    public mutating func _set(_ writer: _RecordWriter, _ number: Int, _ value: Bool) throws {
        put(writer, number, .integer(value ? 1 : 0))
    }

    /// Stores the value of a property.
    ///
    /// - Throws: errors of the strategy of the record type, and of the JSON encoder.
    public mutating func _set(_ writer: _RecordWriter, _ number: Int, _ value: Double) throws {
        put(writer, number, .real(value))
    }

    /// Stores the value of a property.
    ///
    /// - Throws: errors of the strategy of the record type, and of the JSON encoder.
    public mutating func _set(_ writer: _RecordWriter, _ number: Int, _ value: Double?) throws {
        put(writer, number, value.map { .real($0) } ?? .null)
    }

    /// Stores the value of a property.
    ///
    /// - Throws: errors of the strategy of the record type, and of the JSON encoder.
    public mutating func _set(_ writer: _RecordWriter, _ number: Int, _ value: String) throws {
        put(writer, number, .text(value))
    }

    /// Stores the value of a property.
    ///
    /// - Throws: errors of the strategy of the record type, and of the JSON encoder.
    public mutating func _set(_ writer: _RecordWriter, _ number: Int, _ value: String?) throws {
        put(writer, number, value.map { .text($0) } ?? .null)
    }
}

// MARK: - Dates, data and UUIDs

// The encoding strategy of the record type applies.

extension PersistenceContainer {
    /// Stores the value of a property.
    ///
    /// - Throws: errors of the strategy of the record type, and of the JSON encoder.
    public mutating func _set(_ writer: _RecordWriter, _ number: Int, _ value: Date) throws {
        let stored = writer.writer.hasStrategies ? try writer.writer.stored(value, number) : .date(value)
        put(writer, number, stored)
    }

    /// Stores the value of a property.
    ///
    /// - Throws: errors of the strategy of the record type, and of the JSON encoder.
    public mutating func _set(_ writer: _RecordWriter, _ number: Int, _ value: Date?) throws {
        guard let value else { return put(writer, number, .null) }
        try _set(writer, number, value)
    }

    /// Stores the value of a property.
    ///
    /// - Throws: errors of the strategy of the record type, and of the JSON encoder.
    public mutating func _set(_ writer: _RecordWriter, _ number: Int, _ value: UUID) throws {
        let stored = writer.writer.hasStrategies ? try writer.writer.stored(value, number) : .uuid(value)
        put(writer, number, stored)
    }

    /// Stores the value of a property.
    ///
    /// - Throws: errors of the strategy of the record type, and of the JSON encoder.
    public mutating func _set(_ writer: _RecordWriter, _ number: Int, _ value: UUID?) throws {
        guard let value else { return put(writer, number, .null) }
        try _set(writer, number, value)
    }

    /// Stores the value of a property.
    ///
    /// - Throws: errors of the strategy of the record type, and of the JSON encoder.
    public mutating func _set(_ writer: _RecordWriter, _ number: Int, _ value: Data) throws {
        let stored = writer.writer.hasStrategies ? try writer.writer.stored(value, number) : .blob(value)
        put(writer, number, stored)
    }

    /// Stores the value of a property.
    ///
    /// - Throws: errors of the strategy of the record type, and of the JSON encoder.
    public mutating func _set(_ writer: _RecordWriter, _ number: Int, _ value: Data?) throws {
        guard let value else { return put(writer, number, .null) }
        try _set(writer, number, value)
    }
}
