import AmalgamCore
public import Foundation

/// Decodes `Codable` values from JSONB, SQLite's binary JSON, without an intermediate text or tree.
///
/// ```swift
/// struct Address: Codable {
///     var street: String
///     var city: String
/// }
///
/// let jsonb = try Data.fetchOne(db, sql: "SELECT jsonb('{\"street\":\"Main Street 1\",\"city\":\"Rome\"}')")!
/// let address = try JSONBDecoder().decode(Address.self, from: jsonb)
/// ```
///
/// The class is a subclass of `JSONDecoder`. It inherits the settings, such as `dateDecodingStrategy`, and can be used
/// wherever a `JSONDecoder` is expected. For example, a record can store columns as JSONB:
///
/// ```swift
/// struct Player: Codable, FetchableRecord, PersistableRecord {
///     var id: Int64
///     var address: Address   // BLOB
///
///     static func databaseJSONEncoder(for column: String) -> JSONEncoder { JSONBEncoder() }
///     static func databaseJSONDecoder(for column: String) -> JSONDecoder { JSONBDecoder() }
/// }
/// ```
///
/// The column `address` may also contain JSON text. The `JSONBDecoder` decodes the text with its own settings.
/// Therefore, existing tables need no migration. The bytes of BLOB values are decoded in SQLite's memory, without a
/// copy.
///
/// | setting | default | other values |
/// | --- | --- | --- |
/// | `dateDecodingStrategy` | `.millisecondsSince1970` | same as in Foundation |
/// | `dataDecodingStrategy` | `.base64` | same as in Foundation |
/// | `nonConformingFloatDecodingStrategy` | `.throw` | strings for infinities and NaN |
/// | `keyDecodingStrategy` | `.useDefaultKeys` | same as in Foundation; keys of dictionaries aren't converted |
/// | `userInfo` | empty | |
///
/// URLs are strings, and `Decimal` values are numbers with all their digits.
///
/// A number with a decimal point or an exponent can be decoded as an integer if its value is a whole number. The digits
/// aren't rounded to a `Double`: `9007199254740993.0` is decoded as 9007199254740993, and decoding
/// `1.00000000000000000001` as an integer throws an error.
///
/// If a key occurs several times in an object, the first value is decoded, as by SQLite's operator `->>`. With
/// `.convertFromSnakeCase`, the key `player_id` matches the properties `playerId` and `playerID`, because
/// `.convertToSnakeCase` encodes both with this key.
///
/// For bytes that aren't JSONB, numbers out of range, and values nested more than 512 levels deep or too deeply for the
/// stack of the thread, the decoder throws a `DecodingError` with the coding path. Parts of the JSONB that the type doesn't decode aren't checked: to check all
/// bytes, call `jsonIsValid(_:options:)` with `.jsonb`. See <https://sqlite.org/jsonb.html>.
public final class JSONBDecoder: JSONDecoder, @unchecked Sendable {
    // Sendable: like the superclass, which locks its settings. This class adds no state.

    /// Creates a decoder with the default settings listed in the description of the class.
    ///
    /// ```swift
    /// let decoder = JSONBDecoder()
    /// decoder.dateDecodingStrategy = .iso8601
    /// ```
    public override init() {
        super.init()
        dateDecodingStrategy = .millisecondsSince1970
        dataDecodingStrategy = .base64
    }

    /// Decodes a value from JSONB.
    ///
    /// ```swift
    /// let jsonb = try Data.fetchOne(db, sql: "SELECT jsonb('[1,2,3]')")!
    /// let numbers = try JSONBDecoder().decode([Int].self, from: jsonb)   // [1, 2, 3]
    /// ```
    ///
    /// - Throws: A `DecodingError` if the bytes are malformed, or don't match the type; errors of `init(from:)`.
    public override func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
        try data.withUnsafeBytes { try decode(type, from: $0) }
    }

    /// Decodes a value from bytes of JSONB, without copying them.
    ///
    /// ```swift
    /// let jsonb = try Data.fetchOne(db, sql: "SELECT jsonb('[1,2,3]')")!
    /// let numbers = try jsonb.withUnsafeBytes { bytes in try JSONBDecoder().decode([Int].self, from: bytes) }
    /// ```
    ///
    /// - Throws: A `DecodingError` if the bytes are malformed, or don't match the type; errors of `init(from:)`.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: UnsafeRawBufferPointer) throws -> T {
        try decode(from: bytes) { context, value in try context.unwrap(type, value, depth: 0) }
    }

    /// Decodes a value of a `DecodableWithConfiguration` type from JSONB.
    ///
    /// - Throws: A `DecodingError` if the bytes are malformed, or don't match the type; errors of
    ///   `init(from:configuration:)`.
    public override func decode<T: DecodableWithConfiguration>(
        _ type: T.Type, from data: Data, configuration: T.DecodingConfiguration
    ) throws -> T {
        try data.withUnsafeBytes { bytes in
            try decode(from: bytes) { context, value in
                try T(from: JSONBValueDecoder(context, value, depth: 0), configuration: configuration)
            }
        }
    }

    private func decode<T>(
        from bytes: UnsafeRawBufferPointer, _ body: (JSONBContext, JSONBValue) throws -> T
    ) throws -> T {
        var storage = JSONBStorage(bytes)
        // A decoder that outlives this call must not access the bytes after their owner has released them.
        defer { if !isKnownUniquelyReferenced(&storage) { storage.keep() } }
        return try decode(storage, body)
    }

    private func decode<T>(_ storage: JSONBStorage, _ body: (JSONBContext, JSONBValue) throws -> T) throws -> T {
        let context = JSONBContext(storage, JSONBDecodingOptions(self))
        guard storage.count <= Int(Int32.max), let value = storage.value(at: 0, before: storage.count),
            value.end == storage.count
        else { throw context.malformed(depth: 0) }
        let result = try body(context, value)
        if let failure = storage.failure { throw failure }
        return result
    }
}

extension JSONBDecoder: BinaryJSONDecoder {
    package func decodeText<T: Decodable>(_ type: T.Type, from text: Data) throws -> T {
        try super.decode(type, from: text)
    }
}
