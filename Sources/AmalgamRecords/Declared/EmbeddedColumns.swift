public import AmalgamCore
public import AmalgamQuery

/// A type whose properties are columns of the tables of records that embed it: see `@Embeddable`.
public protocol _EmbeddableRecord: FetchableRecord, EncodableRecord {
    associatedtype Columns: _EmbeddedColumns

    static var _recordColumns: _RecordColumns { get }

    /// Reads the properties from columns that may have a prefix.
    init(_reader: _RecordReader) throws

    /// Writes the properties to columns that may have a prefix.
    func _encode(to container: inout PersistenceContainer, _ writer: _RecordWriter) throws
}

/// The typed columns of a type that records embed.
public protocol _EmbeddedColumns: Sendable {
    init(_columns: _RecordColumns)
}

/// The typed columns of a type that a property embeds if it isn't nil. Each of them may be NULL.
///
/// ```
/// @Record("customer")
/// struct Customer {
///     @Key var id: Int64?
///     @Embedded(prefix: "home_") var home: Address?
/// }
///
/// Customer.filter { $0.home.street == nil }
/// // SELECT "id", "home_street", "home_city" FROM "customer" WHERE "home_street" IS NULL
/// ```
@dynamicMemberLookup
public struct OptionalColumns<Columns> {
    private let columns: Columns

    /// Creates the columns of a property.
    public init(_columns columns: Columns) {
        self.columns = columns
    }

    /// A column.
    public subscript<Value: DatabaseValueConvertible>(
        dynamicMember path: KeyPath<Columns, TypedColumn<Value>>
    ) -> TypedColumn<Value?> { columns[keyPath: path].optional }

    /// A column that may be NULL anyway.
    public subscript<Value>(
        dynamicMember path: KeyPath<Columns, TypedColumn<Value?>>
    ) -> TypedColumn<Value?> { columns[keyPath: path] }

    /// A column of numbers that have a representation.
    public subscript<Number>(
        dynamicMember path: KeyPath<Columns, TypedColumn<Represented<Number>>>
    ) -> TypedColumn<Represented<Number>?> { columns[keyPath: path].optional }

    /// The columns of a type that the type embeds.
    public subscript<Inner: _EmbeddedColumns>(
        dynamicMember path: KeyPath<Columns, Inner>
    ) -> OptionalColumns<Inner> { OptionalColumns<Inner>(_columns: columns[keyPath: path]) }

    /// The columns of a type that a property of the type embeds.
    public subscript<Inner>(
        dynamicMember path: KeyPath<Columns, OptionalColumns<Inner>>
    ) -> OptionalColumns<Inner> { columns[keyPath: path] }
}

extension OptionalColumns: Sendable where Columns: Sendable {}

// MARK: - Reading

extension _RecordReader {
    /// The value of a property that embeds a type.
    ///
    /// - Throws: a ``RowDecodingError``; errors of representations and JSON decoders.
    public func embedded<Value: _EmbeddableRecord>(_ number: Int, _ type: Value.Type) throws -> Value {
        try Value(_reader: reader(number))
    }

    /// The value of a property that embeds a type; nil if all its columns are NULL, or if the row doesn't have them.
    ///
    /// - Throws: a ``RowDecodingError``; errors of representations and JSON decoders.
    public func embedded<Value: _EmbeddableRecord>(_ number: Int, ifPresent type: Value.Type) throws -> Value? {
        let reader = try reader(number)
        return try reader.hasOnlyNulls ? nil : Value(_reader: reader)
    }

    /// The value of a property that embeds a type; a default value if the row doesn't have any of its columns.
    ///
    /// - Throws: a ``RowDecodingError``; errors of representations and JSON decoders.
    public func embedded<Value: _EmbeddableRecord>(
        _ number: Int, _ type: Value.Type, default: @autoclosure () -> Value
    ) throws -> Value {
        let reader = try reader(number)
        return try reader.hasAnyColumn ? Value(_reader: reader) : `default`()
    }

    /// The value of an optional property that embeds a type; a default value if the row doesn't have any of its columns.
    ///
    /// - Throws: a ``RowDecodingError``; errors of representations and JSON decoders.
    public func embedded<Value: _EmbeddableRecord>(
        _ number: Int, ifPresent type: Value.Type, default: @autoclosure () -> Value?
    ) throws -> Value? {
        try reader(number).hasAnyColumn ? embedded(number, ifPresent: type) : `default`()
    }

    private func reader(_ number: Int) throws -> _RecordReader { try _RecordReader(row, columns._embedded(number)) }

    /// The numbers of the properties that aren't in an inactive `#if` clause.
    private var numbers: [Int] { columns.properties.indices.filter { columns.properties[$0] != nil } }

    private var hasAnyColumn: Bool {
        get throws {
            try numbers.contains { try columns.embedded[$0] == nil ? hasColumn($0) : reader($0).hasAnyColumn }
        }
    }

    private var hasOnlyNulls: Bool {
        get throws { try numbers.allSatisfy(isNull) }
    }

    private func isNull(_ number: Int) throws -> Bool {
        if columns.embedded[number] != nil { return try reader(number).hasOnlyNulls }
        return index(number).map { row.hasNull(atIndex: $0) } ?? true
    }
}

// MARK: - Writing

extension PersistenceContainer {
    /// Stores the value of a property that embeds a type.
    ///
    /// - Throws: errors of strategies, representations, and JSON encoders.
    public mutating func _embed(_ writer: _RecordWriter, _ number: Int, _ value: some _EmbeddableRecord) throws {
        try value._encode(to: &self, writer.embedded(number))
    }

    /// Stores the value of a property that embeds a type, or NULL in all its columns.
    ///
    /// - Throws: errors of strategies, representations, and JSON encoders.
    public mutating func _embed(_ writer: _RecordWriter, _ number: Int, _ value: (some _EmbeddableRecord)?) throws {
        if let value { try _embed(writer, number, value) } else { putNulls(writer.embedded(number)) }
    }

    private mutating func putNulls(_ writer: _RecordWriter) {
        for (number, property) in writer.columns.properties.enumerated() {
            guard let property, !property.isGenerated else { continue }
            if writer.columns.embedded[number] != nil {
                putNulls(writer.embedded(number))
            } else {
                put(writer, number, .null)
            }
        }
    }
}
