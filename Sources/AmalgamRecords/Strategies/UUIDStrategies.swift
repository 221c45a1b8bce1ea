import AmalgamCore
import Foundation

/// The conversion of `UUID` to column values, for encoding a record. Decoding accepts a BLOB of 16 bytes, and strings
/// in uppercase and lowercase.
///
/// ```swift
/// struct Note: Encodable, PersistableRecord {
///     static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
///         .lowercaseString
///     }
///     var id: UUID   // stored as TEXT
/// }
/// ```
public enum DatabaseUUIDEncodingStrategy: Sendable {
    /// A BLOB value of 16 bytes.
    case deferredToUUID

    /// An uppercase TEXT value: `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`.
    case uppercaseString

    /// A lowercase TEXT value: `e621e1f8-c36c-495a-93fc-0c247a3e6e5f`.
    case lowercaseString

    /// Returns the value to store.
    func encode(_ uuid: UUID) -> any DatabaseValueConvertible {
        switch self {
        case .deferredToUUID: uuid
        case .uppercaseString: uuid.uuidString
        case .lowercaseString: uuid.uuidString.lowercased()
        }
    }
}
