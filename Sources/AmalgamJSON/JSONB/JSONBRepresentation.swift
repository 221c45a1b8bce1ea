public import AmalgamCore
package import AmalgamQuery
public import AmalgamRecords
import Foundation

/// JSONB as a BLOB: `@Column(as: .jsonb)`. See <https://sqlite.org/jsonb.html>.
///
/// ```swift
/// let settings = ["theme": "dark"]
/// let stored = try JSONBRepresentation<[String: String]>().databaseValue(of: settings)
/// // the BLOB of jsonb('{"theme":"dark"}')
/// ```
///
/// Reading also accepts JSON as TEXT, so that a column may contain both. Dates and data are stored as in
/// ``JSONRepresentation``.
public struct JSONBRepresentation<Value>: Sendable {
    /// Creates a representation.
    public init() {}
}

extension JSONBRepresentation: DatabaseRepresentation where Value: Codable {
    public func databaseValue(of value: Value) throws -> DatabaseValue {
        let encoder = JSONBEncoder()
        encoder.dateEncodingStrategy = .millisecondsSince1970
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(value).databaseValue
    }

    public func value(from databaseValue: DatabaseValue) throws -> Value? {
        guard let data = Data.fromDatabaseValue(databaseValue) else { return nil }
        let decoder = JSONBDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        let isText = if case .string = databaseValue.storage { true } else { false }
        return try decoder.decodeStored(Value.self, from: data, isText: isText)
    }
}

extension JSONBRepresentation: KnownRepresentation {
    package static var order: FormatTraits.Order { .different }

    package static var storesJSONB: Bool? { true }
}

extension DatabaseRepresentation where Self == JSONBRepresentation<Never> {
    /// JSONB as a BLOB. The macro `@Record` replaces it by the representation of the property's type.
    public static var jsonb: JSONBRepresentation<Never> { JSONBRepresentation() }
}
