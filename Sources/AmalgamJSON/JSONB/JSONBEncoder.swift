import AmalgamCore
public import Foundation

/// Encodes `Codable` values as JSONB, SQLite's binary JSON, without an intermediate text.
///
/// ```swift
/// struct Address: Codable {
///     var street: String
///     var city: String
/// }
///
/// let jsonb = try JSONBEncoder().encode(Address(street: "Main Street 1", city: "Rome"))
/// try String.fetchOne(db, sql: "SELECT json(?)", arguments: [jsonb])
/// // {"city":"Rome","street":"Main Street 1"}
/// ```
///
/// The class is a subclass of `JSONEncoder`. It inherits the settings, such as `dateEncodingStrategy`, and can be used
/// wherever a `JSONEncoder` is expected. See ``JSONBDecoder`` for records with JSONB columns.
/// `DatabaseValueConvertible` types may return a `JSONBEncoder` from `databaseJSONEncoder()`.
///
/// | setting | default | other values |
/// | --- | --- | --- |
/// | `dateEncodingStrategy` | `.millisecondsSince1970` | same as in Foundation |
/// | `dataEncodingStrategy` | `.base64` | same as in Foundation |
/// | `nonConformingFloatEncodingStrategy` | `.throw` | strings for infinities and NaN |
/// | `keyEncodingStrategy` | `.useDefaultKeys` | same as in Foundation; keys of dictionaries aren't converted |
/// | `outputFormatting` | `.sortedKeys`: equal values have equal bytes | other options only apply to JSON text |
/// | `userInfo` | empty | |
///
/// Numbers are encoded as by `JSONEncoder`: a `Double` or `Float` without a fraction becomes an integer, `3` instead of
/// `3.0`. SQL then sees the same types in JSON text and JSONB. URLs are strings, and `Decimal` values are numbers with
/// all their digits.
///
/// If `encode(to:)` encodes a key twice, the encoder writes only the last value, provided that `outputFormatting`
/// contains `.sortedKeys`. Without `.sortedKeys`, the encoder writes both values. SQLite and ``JSONBDecoder`` then read
/// the first value.
///
/// The result is valid according to `json_valid(x, 8)`. See <https://sqlite.org/jsonb.html>.
public final class JSONBEncoder: JSONEncoder, @unchecked Sendable {
    // Sendable: like the superclass, which locks its settings. This class adds no state.

    /// Creates an encoder with the default settings listed in the description of the class.
    ///
    /// ```swift
    /// let encoder = JSONBEncoder()
    /// encoder.dateEncodingStrategy = .iso8601
    /// ```
    public override init() {
        super.init()
        dateEncodingStrategy = .millisecondsSince1970
        dataEncodingStrategy = .base64
        outputFormatting = .sortedKeys
    }

    /// Encodes a value as JSONB.
    ///
    /// ```swift
    /// let jsonb = try JSONBEncoder().encode(["score": 10])
    /// try String.fetchOne(db, sql: "SELECT json(?)", arguments: [jsonb])   // {"score":10}
    /// ```
    ///
    /// - Throws: An `EncodingError` for values that JSON can't represent, and for values nested more than 512 levels
    ///   deep; errors of `encode(to:)`.
    public override func encode<T: Encodable>(_ value: T) throws -> Data {
        try encoded { try $0.encode(value) }
    }

    /// Encodes a value of an `EncodableWithConfiguration` type as JSONB.
    ///
    /// - Throws: An `EncodingError` for values that JSON can't represent; errors of `encode(to:configuration:)`.
    public override func encode<T: EncodableWithConfiguration>(
        _ value: T, configuration: T.EncodingConfiguration
    ) throws -> Data {
        try encoded { encoder in
            try encoder.nesting { try value.encode(to: encoder, configuration: configuration) }
        }
    }

    private func encoded(_ body: (JSONBValueEncoder) throws -> Void) throws -> Data {
        let encoder = JSONBValueEncoder(JSONBEncodingOptions(self))
        try body(encoder)
        return encoder.writer.data
    }
}

extension JSONBEncoder: BinaryJSONEncoder {}
