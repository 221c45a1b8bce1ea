import AmalgamCore
public import Foundation

/// Decodes `Codable` values from JSONB, SQLite's binary JSON, with no text and no tree in between.
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
/// It is a `JSONDecoder`, with the same settings, and goes where one is expected. So columns of records are JSONB when the
/// record says so:
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
/// Such a column may hold JSON text as well, which is decoded by the same settings: a table needs no migration. Blobs are
/// decoded where SQLite has them, and are not copied.
///
/// | setting | initially | otherwise |
/// | --- | --- | --- |
/// | `dateDecodingStrategy` | `.millisecondsSince1970` | as Foundation says |
/// | `dataDecodingStrategy` | `.base64` | as Foundation says |
/// | `nonConformingFloatDecodingStrategy` | `.throw` | numbers beyond those of the type are errors in any case |
/// | `keyDecodingStrategy` | `.useDefaultKeys` | as Foundation says; keys of dictionaries stay what they are |
/// | `userInfo` | empty | |
///
/// URLs are texts, and `Decimal` values numbers with all their digits. Integers are read from numbers without fraction, exactly:
/// of `9007199254740993.0`, no digit is lost, and `1.00000000000000000001` is none.
/// The first one of equal keys counts, as for SQLite's operator `->>`. With `.convertFromSnakeCase`, the key `player_id` is
/// the value of a property `playerId`, and of a property `playerID`, which `.convertToSnakeCase` encodes with this key.
///
/// Bytes that are no JSONB are an error with a coding path, as are values nested more than 512 levels deep. What a type does
/// not ask for is not looked at: `jsonIsValid(_:options:)` with `.jsonb` checks all of it. See <https://sqlite.org/jsonb.html>.
public final class JSONBDecoder: JSONDecoder, @unchecked Sendable {
    // Sendable: as the class above, which locks its settings; this one adds no state.

    /// A decoder with the settings of JSON columns.
    public override init() {
        super.init()
        dateDecodingStrategy = .millisecondsSince1970
        dataDecodingStrategy = .base64
    }

    /// Decodes a value from JSONB.
    ///
    /// - throws: a `DecodingError` for bytes that are malformed, or do not fit the type; errors of `init(from:)`.
    public override func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
        try data.withUnsafeBytes { try decode(type, from: $0) }
    }

    /// Decodes a value from bytes of JSONB, which are not copied.
    ///
    /// - throws: a `DecodingError` for bytes that are malformed, or do not fit the type; errors of `init(from:)`.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: UnsafeRawBufferPointer) throws -> T {
        try decode(from: bytes) { context, value in try context.unwrap(type, value, depth: 0) }
    }

    /// Decodes a value with a configuration from JSONB.
    ///
    /// - throws: a `DecodingError` for bytes that are malformed, or do not fit the type; errors of the type.
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
        // Decoders that a type has kept must not find the bytes of somebody else.
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
