public import AmalgamCore
public import AmalgamQuery
import Foundation

// The format of a property's column: what the record's encoder writes for a value, and what its decoder reads. Typed columns,
// keys and `Database.verify(_:)` use it. The strategies of the record type are asked when a value is encoded, and not when
// the column is created: a type may name its columns in its strategies.

extension _RecordColumns.Property {
    /// The kinds of formats that the type of a property has.
    enum Kind {
        /// That of a `DatabaseValueConvertible`.
        case usual

        /// That of a strategy of the record type: dates, data and UUIDs.
        case strategy

        /// A single value or JSON, as `encode(to:)` of the type decides.
        case codable

        init(_ type: Any.Type) {
            let type = withoutOptional(type)
            if type == Date.self || type == Data.self || type == UUID.self {
                self = .strategy
            } else {
                self = !(type is any DatabaseValueConvertible.Type) && type is any Encodable.Type ? .codable : .usual
            }
        }
    }

    /// A representation whose type isn't known.
    struct Representation {
        /// Returns the stored value; nil for a value that the representation isn't for.
        let encode: (Any) throws -> DatabaseValue?

        /// Returns the stored value of a number that the representation is for, though its type is a different one; nil for
        /// other values.
        let encodeNumber: (any DatabaseValueConvertible) throws -> DatabaseValue?

        /// Returns the value of a stored value; nil if there is none.
        let decode: (DatabaseValue) throws -> Any?

        let valueType: Any.Type

        /// Whether JSON is stored as JSONB; nil for other values than JSON, and if it isn't known.
        let storesJSONB: Bool?

        /// Whether values of the property can be keys, which are `DatabaseValueConvertible`.
        var encodesKeys: Bool { valueType is any DatabaseValueConvertible.Type }

        init<Original: DatabaseRepresentation>(_ original: Original) {
            valueType = Original.Value.self
            storesJSONB = (Original.self as? any KnownRepresentation.Type)?.storesJSONB
            encode = { value in try (value as? Original.Value).map { try original.databaseValue(of: $0) } }
            decode = { try original.value(from: $0) }
            encodeNumber = { number in
                guard number is any Numeric, Original.Value.self is any Numeric.Type else { return nil }
                let value: Original.Value? = FormatSamples.value(of: number.databaseValue)
                return try value.map { try original.databaseValue(of: $0) }
            }
        }
    }

    /// A default value of the type of the property.
    struct DefaultValue {
        /// The value; nil if it is nil.
        let value: Any?

        init<Value>(_ value: Value) {
            self.value = unwrapped(value)
        }
    }
}

extension _OptionalValue {
    fileprivate static var wrapped: Any.Type { Wrapped.self }
}

/// Returns the type that an optional wraps, or the type itself.
func withoutOptional(_ type: Any.Type) -> Any.Type { (type as? any _OptionalValue.Type)?.wrapped ?? type }

/// Returns the value that an optional wraps, or the value itself.
private func unwrapped<Value>(_ value: Value) -> Any? {
    func wrapped<Other: _OptionalValue>(_ type: Other.Type) -> Any? {
        (value as! Other)._optional.flatMap { unwrapped($0) }
    }
    if let type = Value.self as? any _OptionalValue.Type { return wrapped(type) }
    return value
}

// MARK: - Encoding

extension _RecordColumns {
    /// Returns the value that the record stores for a value of a property. A value that it can't store is an error of the
    /// statement.
    func stored<Value>(_ value: Value, _ number: Int) -> DatabaseValue {
        do {
            return try unwrapped(value).map { try encoded($0, number) } ?? .null
        } catch {
            return DatabaseValue(unstorable: "\(error)")
        }
    }

    private func encoded(_ value: Any, _ number: Int) throws -> DatabaseValue {
        guard let property = properties[number] else { return .null }
        if let stored = try property.representation?.encode(value) { return stored }
        if let encodable, let value = value as? any Encodable {
            return try written(value, columnNames[number], property.key, encodable)
        }
        return (value as? any DatabaseValueConvertible)?.databaseValue ?? DatabaseValue(unstorable: "\(value)")
    }

    /// Returns what the encoder of the record writes.
    private func written<Value: Encodable>(
        _ value: Value, _ column: String, _ key: RecordKey, _ type: any EncodableRecord.Type
    ) throws -> DatabaseValue {
        try ColumnWriter<Value>.make(column, key, type).write(value).databaseValue
    }

    /// Returns how SQLite sorts the stored values of a property without a representation.
    fileprivate func storedOrder(_ number: Int) -> FormatTraits.Order {
        guard let property = properties[number], property.kind == .strategy, let encodable else { return .unknown }
        guard withoutOptional(property.type) == Date.self else { return .kept }
        switch encodable.databaseDateEncodingStrategy(for: columnNames[number]) {
        case .custom, .formatted: return .unknown
        default: return .kept
        }
    }
}

extension _DeclaredRecord where Self: EncodableRecord {
    public static func _databaseKey(
        _ value: any DatabaseValueConvertible, forColumn column: String
    ) -> DatabaseValue {
        _recordColumns.storedKey(value, column) ?? strategicKey(value, forColumn: column)
    }
}

// MARK: - Decoding

extension _RecordColumns {
    /// Returns the value that the record reads from a stored value; nil if the stored value can't be converted.
    func decoded<Value>(_ stored: DatabaseValue, _ number: Int) throws -> Value? {
        guard let property = properties[number], let fetchable, !stored.isNull else { return convertible(stored) }
        let name = fetchable.strategyName(ofKey: property.key.stringValue, columnNames[number])
        switch property.type {
        case is Date.Type, is Date?.Type:
            // A cast of an optional would make a value of nil.
            return fetchable.databaseDateDecodingStrategy(for: name).date(stored).flatMap { $0 as? Value }
        case is Data.Type, is Data?.Type:
            return fetchable.databaseDataDecodingStrategy(for: name).data(stored).flatMap { $0 as? Value }
        default: return convertible(stored)
        }
    }

    private func convertible<Value>(_ stored: DatabaseValue) -> Value? {
        func value<Other: DatabaseValueConvertible>(_ type: Other.Type) -> Value? {
            Other.fromDatabaseValue(stored).map { $0 as! Value }
        }
        return (Value.self as? any DatabaseValueConvertible.Type).flatMap { value($0) }
    }
}

extension FetchableRecord {
    /// The name that strategies receive, as in `RowSource.strategyName(ofKey:column:)`.
    fileprivate static func strategyName(ofKey key: String, _ column: String) -> String {
        if case .useDefaultKeys = databaseColumnDecodingStrategy { key } else { column }
    }
}

// MARK: - Typed columns

/// The column of a property, from which macros create typed columns.
public struct _PropertyColumn: Sendable {
    let columns: _RecordColumns
    let number: Int

    var name: String { columns.columnNames[number] }

    /// The format of the column; nil for the usual format of the type.
    fileprivate func format<Value>() -> StoredFormat<Value>? {
        if columns.properties[number].map({ $0.kind == .usual }) ?? true { return nil }
        let traits = FormatTraits { columns.storedOrder(number) }
        return StoredFormat(traits, encode: { columns.stored($0, number) }, decode: { try columns.decoded($0, number) })
    }
}

extension TypedColumn {
    /// Creates the column of a property. Values have the format in which the record stores them.
    public init(_ column: _PropertyColumn) { self.init(column.name, format: column.format()) }

    /// Creates the column of a property that has a representation.
    public init(_ column: _PropertyColumn, as representation: some DatabaseRepresentation<Value>) {
        self.init(column.name, as: representation)
    }

    /// Creates the column of an optional property that has a representation.
    public init<Representation: DatabaseRepresentation>(_ column: _PropertyColumn, as representation: Representation)
    where Value == Representation.Value? {
        self.init(column.name, as: representation)
    }

    /// Creates the column of a number that has a representation.
    public init<Representation: DatabaseRepresentation>(_ column: _PropertyColumn, as representation: Representation)
    where Value == Represented<Representation.Value> {
        self.init(column.name, as: representation)
    }

    /// Creates the column of an optional number that has a representation.
    public init<Representation: DatabaseRepresentation>(_ column: _PropertyColumn, as representation: Representation)
    where Value == Represented<Representation.Value>? {
        self.init(column.name, as: representation)
    }
}
