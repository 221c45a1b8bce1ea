import AmalgamCore
import AmalgamQuery
import Foundation

/// A property that `Database.verify(_:)` compares with a column.
struct ComparedProperty {
    /// The name of the column.
    let name: String

    var property: _RecordColumns.Property

    fileprivate let columns: _RecordColumns
    fileprivate let number: Int

    /// The default value as the record stores it; nil if there is none.
    var defaultValue: DatabaseValue? { property.defaultValue?.value.map { columns.stored($0, number) } }

    /// What the record stores for values of the property; nil if the type of the property doesn't tell.
    var storedForm: StoredForm? {
        let type = withoutOptional(property.type)
        guard let sample = Self.sample(of: type) else { return storedFormOfJSON(type) }
        if property.representation != nil, Swift.type(of: sample) != type { return nil }
        let stored = columns.stored(sample, number)
        if type == Decimal.self, property.representation == nil { return .decimal }
        switch stored.storage {
        case .int64: return .integer
        case .double: return .real
        case .blob: return .blob
        case .string: return stored == sample.databaseValue && sample is String ? .string : .text
        case .null: return nil
        }
    }

    /// What the record stores for values of a type that has no sample, and is stored as JSON; nil for other types.
    private func storedFormOfJSON(_ type: Any.Type) -> StoredForm? {
        if let representation = property.representation {
            return representation.storesJSONB.map { $0 ? .blob : .text }
        }
        guard columns.encodable != nil, property.kind == .codable, let type = type as? any Decodable.Type,
            ContainerProbe.usesContainer(type)
        else { return nil }
        // The JSON encoder of the record type tells.
        return if case .blob = columns.stored([Int](), number).storage { .blob } else { .text }
    }

    /// A value of a type. One of an enumeration stands for its raw values. Nil for an enumeration that may encode
    /// different values, and whose cases aren't known.
    private static func sample(of type: Any.Type) -> (any DatabaseValueConvertible & Encodable)? {
        if let type = type as? any CaseIterable.Type, let sample = encoded(type) { return sample }
        if type is any (FixedWidthInteger & DatabaseValueConvertible).Type || type == Bool.self { return 1 }
        if type is any (BinaryFloatingPoint & DatabaseValueConvertible).Type { return 1.5 }
        if let type = type as? any RawRepresentable.Type { return sample(ofRawValuesOf: type) }
        let samples: [any DatabaseValueConvertible & Encodable] = [
            "a", Date(timeIntervalSince1970: 0.5), UUID(), Data([1]), Decimal(1.5), URL(fileURLWithPath: "/"),
        ]
        return samples.first { Swift.type(of: $0) == type }
    }

    private static func sample<Value: RawRepresentable>(
        ofRawValuesOf type: Value.Type
    ) -> (any DatabaseValueConvertible & Encodable)? {
        let sample = sample(of: Value.RawValue.self)
        if type is any DatabaseValueConvertible.Type || !(type is any Encodable.Type) { return sample }
        // The type may encode other values than its raw values.
        let rawValues = [sample as? Value.RawValue].compactMap(\.self) + integers(Value.RawValue.self)
        for value in rawValues.lazy.compactMap(Value.init(rawValue:)) {
            if let value = value as? any Encodable { return encoded(value) }
        }
        return nil
    }

    /// The numbers that an enumeration may use.
    private static func integers<Value>(_ type: Value.Type) -> [Value] {
        func integers<Integer: FixedWidthInteger>(_ type: Integer.Type) -> [Value] {
            (0...127).map { Integer($0) as! Value }
        }
        return (type as? any FixedWidthInteger.Type).map { integers($0) } ?? []
    }

    /// The first case of an enumeration, as its `encode(to:)` encodes it.
    private static func encoded<Value: CaseIterable>(_ type: Value.Type) -> (any DatabaseValueConvertible & Encodable)?
    {
        if type is any DatabaseValueConvertible.Type { return nil }
        return (type.allCases.first as? any Encodable).flatMap { encoded($0) }
    }

    private static func encoded(_ value: any Encodable) -> (any DatabaseValueConvertible & Encodable)? {
        switch (try? DatabaseValueEncoder.singleValue(of: value))?.storage {
        case .int64(let integer): integer
        case .double(let number): number
        case .string(let string): string
        case .blob(let data): data
        default: nil
        }
    }
}

/// Finds out whether a type is encoded as an object or an array, by the container from which it is decoded. It decodes nothing.
private final class ContainerProbe: Decoder {
    private var usesContainer = false

    let codingPath: [any CodingKey] = []

    let userInfo: [CodingUserInfoKey: Any] = [:]

    static func usesContainer(_ type: any Decodable.Type) -> Bool {
        let probe = ContainerProbe()
        _ = try? type.init(from: probe)
        return probe.usesContainer
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        usesContainer = true
        throw CancellationError()
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        usesContainer = true
        throw CancellationError()
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw CancellationError() }
}

/// The forms of stored values that columns treat differently.
enum StoredForm {
    case integer
    case real

    /// TEXT that may look like a number.
    case string

    /// TEXT that doesn't, such as that of a date.
    case text

    /// TEXT that looks like a number.
    case decimal

    case blob

    var storageClass: String {
        switch self {
        case .integer: "INTEGER"
        case .real: "REAL"
        case .string, .text, .decimal: "TEXT"
        case .blob: "BLOB"
        }
    }
}

extension _RecordColumns {
    /// The names and properties of all columns, including those of types that properties embed.
    var allProperties: [ComparedProperty] {
        properties.indices.flatMap { number -> [ComparedProperty] in
            guard let property = properties[number] else { return [] }
            guard let columns = embedded[number] else {
                return [ComparedProperty(name: columnNames[number], property: property, columns: self, number: number)]
            }
            return columns.allProperties.map { embedded in
                var embedded = embedded
                // The columns of a property that is nil are NULL.
                embedded.property.mayBeNull = embedded.property.mayBeNull || property.isOptional
                return embedded
            }
        }
    }

    /// The property with a name, unless its column has another one.
    func property(named name: String) -> Property? {
        properties.compactMap(\.self).first { $0.key.stringValue == name }
    }
}

extension _RecordColumns.Property {
    var isOptional: Bool { type is any _OptionalValue.Type }
}
