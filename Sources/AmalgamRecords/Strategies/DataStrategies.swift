public import AmalgamCore
public import Foundation

/// How `Data` is read from a column, when a record is decoded.
public enum DatabaseDataDecodingStrategy: Sendable {
    /// The bytes of a blob, or of a text.
    case deferredToData

    /// A closure that returns nil for a value that does not convert.
    case custom(@Sendable (DatabaseValue) -> Data?)
}

/// How `Data` is stored in a column, when a record is encoded.
///
/// ```swift
/// struct Payload: Encodable, PersistableRecord {
///     static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy { .text }
///     var json: Data   // stored as TEXT
/// }
/// ```
public enum DatabaseDataEncodingStrategy: Sendable {
    /// A BLOB.
    case deferredToData

    /// A TEXT. Encoding throws for bytes that are not UTF-8.
    case text

    /// A closure that returns nil for NULL.
    case custom(@Sendable (Data) -> (any DatabaseValueConvertible)?)

    /// The value to store.
    ///
    /// - throws: `SQLITE_MISMATCH` for bytes that are no text.
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
