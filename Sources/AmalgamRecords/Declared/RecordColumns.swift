public import AmalgamCore
import AmalgamQuery
import Foundation

// The types of this folder whose names begin with an underscore are public for the code that macros write. They can
// change with each version.

/// The columns of a type whose properties are declared by a macro.
///
/// The macro numbers the properties. A number is unused if its property is in an inactive `#if` clause.
public final class _RecordColumns: @unchecked Sendable {
    // Sendable: it never changes. Metatypes of protocols that don't require it aren't Sendable.

    struct Property {
        /// The coding key: the name that the property or its attribute gives to the column.
        var key: RecordKey

        let type: Any.Type

        /// Whether the property belongs to the primary key.
        var isKey = false

        /// Whether the property is a key that can't be set after an insertion.
        var isConstant = false

        /// Whether the database computes the values.
        var isGenerated = false

        /// The representation of the values, if they aren't stored in the format of their type.
        var representation: Representation?

        /// The literal that is the default value.
        var defaultValue: DefaultValue?

        /// Whether the property has a default value, a literal or not.
        var hasDefault = false

        /// Whether the property belongs to a type that an optional property embeds.
        var mayBeNull = false

        /// Which format the values have, if no representation tells.
        var kind = Kind.usual
    }

    /// The type; nil if a record embeds it.
    let type: ObjectIdentifier?

    /// The properties by their numbers.
    let properties: [Property?]

    /// The type, if it can be decoded.
    let fetchable: (any FetchableRecord.Type)?

    /// The type, if it can be encoded.
    let encodable: (any EncodableRecord.Type)?

    /// The names of the columns by the numbers of the properties.
    let columnNames: [String]

    /// The columns of the types that properties embed, by the numbers of the properties.
    let embedded: [Int: _RecordColumns]

    /// Whether a record embeds the type. Its columns are then found by their names, which are the keys.
    let isEmbedded: Bool

    /// The keys of the properties that are dates.
    let dates: [String]

    /// The keys of the properties that are `Data`.
    let data: [String]

    /// The error if two properties have the same column: records are neither read nor written.
    let ambiguity: DatabaseError?

    /// Creates the columns of a type.
    ///
    /// - Parameters:
    ///   - count: The number of properties.
    ///   - declare: A closure that adds the properties.
    public init<Record>(_ type: Record.Type, count: Int, _ declare: (inout List) -> Void) {
        var list = List(properties: Array(repeating: nil, count: count))
        declare(&list)
        self.type = ObjectIdentifier(type)
        properties = list.properties
        embedded = list.embedded
        isEmbedded = false
        fetchable = type as? any FetchableRecord.Type
        let encodable = type as? any EncodableRecord.Type
        self.encodable = encodable
        dates = properties.keys(ofType: Date.self, Date?.self)
        data = properties.keys(ofType: Data.self, Data?.self)
        columnNames = properties.map { property in
            guard let property else { return "" }
            return encodable?.databaseColumnEncodingStrategy.column(ofKey: property.key) ?? property.key.stringValue
        }
        ambiguity = Self.ambiguity(of: type, properties, columnNames, embedded)
    }

    /// Creates the columns of a type that a record embeds.
    private init(_ columns: _RecordColumns, prefix: String) {
        columnNames = columns.columnNames.map { prefix + $0 }
        properties = zip(columns.properties, columnNames).map { property, name in
            property.map {
                var property = $0
                property.key = RecordKey(name)
                return property
            }
        }
        embedded = columns.embedded.mapValues { _RecordColumns($0, prefix: prefix) }
        isEmbedded = true
        type = nil
        ambiguity = nil
        dates = properties.keys(ofType: Date.self, Date?.self)
        data = properties.keys(ofType: Data.self, Data?.self)
        fetchable = columns.fetchable
        encodable = columns.encodable
    }

    /// The columns of the type that a property embeds.
    public func _embedded(_ number: Int) -> _RecordColumns { embedded[number, default: self] }

    /// The columns in the order of the properties: the selection of a record.
    public var _selection: [any SQLSelectable] {
        properties.indices.flatMap { number -> [any SQLSelectable] in
            if properties[number] == nil { return [] }
            return embedded[number]?._selection ?? [Column(columnNames[number])]
        }
    }

    /// The column of a property.
    public func columnName(_ number: Int) -> _PropertyColumn { _PropertyColumn(columns: self, number: number) }

    /// The properties of a type, while they are declared.
    public struct List {
        fileprivate var properties: [Property?]
        fileprivate var embedded: [Int: _RecordColumns] = [:]

        /// Adds a property.
        public mutating func add<Value>(
            _ number: Int, _ key: String, _ type: Value.Type, isKey: Bool = false, isConstant: Bool = false,
            isGenerated: Bool = false, representation: (any DatabaseRepresentation & Sendable)? = nil,
            defaultValue: Value? = nil,
            hasDefault: Bool = false
        ) {
            properties[number] = Property(
                key: RecordKey(key), type: type, isKey: isKey, isConstant: isConstant, isGenerated: isGenerated,
                representation: representation.map { Property.Representation($0) },
                defaultValue: defaultValue.map { Property.DefaultValue($0) },
                hasDefault: hasDefault || defaultValue != nil, kind: Property.Kind(type))
        }

        /// Adds a property that embeds a type.
        public mutating func embed<Embedded: _EmbeddableRecord>(
            _ number: Int, _ type: Embedded.Type, prefix: String, isOptional: Bool = false
        ) {
            properties[number] = Property(
                key: RecordKey(""), type: isOptional ? Embedded?.self : Embedded.self, hasDefault: true)
            embedded[number] = _RecordColumns(Embedded._recordColumns, prefix: prefix)
        }
    }
}

extension [_RecordColumns.Property?] {
    fileprivate func keys(ofType types: Any.Type...) -> [String] {
        compactMap { property in
            guard let property, types.contains(where: { $0 == property.type }) else { return nil }
            return property.key.stringValue
        }
    }
}

/// A coding key of a property.
struct RecordKey: CodingKey {
    let stringValue: String

    init(_ stringValue: String) {
        self.stringValue = stringValue
    }

    init?(stringValue: String) { self.init(stringValue) }

    var intValue: Int? { nil }

    init?(intValue: Int) { nil }
}
