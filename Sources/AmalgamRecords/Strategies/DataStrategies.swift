public import AmalgamCore
public import Foundation

/// The conversion of column values to `Data`, for decoding a record.
///
/// ```swift
/// struct Note: Decodable, FetchableRecord {
///     static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy {
///         .custom { value in String.fromDatabaseValue(value).flatMap { Data(base64Encoded: $0) } }
///     }
///     var content: Data   // stored as base64
/// }
/// ```
public enum DatabaseDataDecodingStrategy: Sendable {
    /// The bytes of a BLOB or TEXT value.
    case deferredToData

    /// A closure converts the value. It returns nil if the value can't be converted.
    case custom(@Sendable (DatabaseValue) -> Data?)

    /// Returns the data of a stored value; nil if the value can't be converted.
    func data(_ stored: DatabaseValue) -> Data? {
        switch self {
        case .deferredToData: Data.fromDatabaseValue(stored)
        case .custom(let decode): decode(stored)
        }
    }
}

/// The conversion of `Data` to column values, for encoding a record.
///
/// ```swift
/// struct Payload: Encodable, PersistableRecord {
///     static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy { .text }
///     var json: Data   // stored as TEXT
/// }
/// ```
public enum DatabaseDataEncodingStrategy: Sendable {
    /// A BLOB value.
    case deferredToData

    /// A TEXT value. Encoding throws an error if the bytes aren't UTF-8.
    case text

    /// A closure converts the data. It returns nil for NULL.
    case custom(@Sendable (Data) -> (any DatabaseValueConvertible)?)

    /// Returns the value to store.
    ///
    /// - Throws: `SQLITE_MISMATCH` if the strategy is `.text`, and the bytes aren't UTF-8.
    func encode(_ data: Data) throws -> (any DatabaseValueConvertible)? {
        switch self {
        case .deferredToData: return data
        case .custom(let encode): return encode(data)
        case .text:
            if let text = String(validating: data, as: UTF8.self) { return text }
            throw DatabaseError(resultCode: .SQLITE_MISMATCH, message: Self.notText)
        }
    }

    static var notText: String { "Non-UTF8 data can't be encoded as text in the database" }
}
