import AmalgamCore
public import Foundation

/// Encodes `Codable` values as JSONB, SQLite's binary JSON, with no text in between.
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
/// It is a `JSONEncoder`, with the same settings, and goes where one is expected: see ``JSONBDecoder`` for records whose
/// columns are JSONB. `DatabaseValueConvertible` types may return it from `databaseJSONEncoder()`.
///
/// | setting | initially | otherwise |
/// | --- | --- | --- |
/// | `dateEncodingStrategy` | `.millisecondsSince1970` | as Foundation says |
/// | `dataEncodingStrategy` | `.base64` | as Foundation says |
/// | `nonConformingFloatEncodingStrategy` | `.throw` | texts for infinities and NaN |
/// | `keyEncodingStrategy` | `.useDefaultKeys` | as Foundation says; keys of dictionaries stay what they are |
/// | `outputFormatting` | `.sortedKeys`, so that equal values are equal blobs | other formats are those of text |
/// | `userInfo` | empty | |
///
/// Numbers are written as `JSONEncoder` writes them: a `Double` or `Float` without fraction is an integer, `3` and not `3.0`,
/// so that SQL sees the same types in both forms of JSON. URLs are strings, and `Decimal` values numbers with all their
/// digits.
///
/// A key that is encoded twice has its last value; without `.sortedKeys`, both are written, and the first one counts.
///
/// The result is what SQLite checks with `json_valid(x, 8)`. See <https://sqlite.org/jsonb.html>.
public final class JSONBEncoder: JSONEncoder, @unchecked Sendable {
    // Sendable: as the class above, which locks its settings; this one adds no state.

    /// An encoder with the settings of JSON columns.
    public override init() {
        super.init()
        dateEncodingStrategy = .millisecondsSince1970
        dataEncodingStrategy = .base64
        outputFormatting = .sortedKeys
    }

    /// Encodes a value as JSONB.
    ///
    /// - throws: an `EncodingError` for values that JSON cannot express, and for those nested more than 512 levels deep;
    ///   errors of `encode(to:)`.
    public override func encode<T: Encodable>(_ value: T) throws -> Data {
        try encoded { try $0.encode(value) }
    }

    /// Encodes a value with a configuration as JSONB.
    ///
    /// - throws: an `EncodingError` for values that JSON cannot express; errors of the type.
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
