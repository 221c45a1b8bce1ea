import AmalgamCore
import Foundation

/// How a `UUID` is stored in a column, when a record is encoded. Each of these forms is read back without a word.
public enum DatabaseUUIDEncodingStrategy: Sendable {
    /// A BLOB of 16 bytes.
    case deferredToUUID

    /// `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`
    case uppercaseString

    /// `e621e1f8-c36c-495a-93fc-0c247a3e6e5f`
    case lowercaseString

    /// The value to store.
    func encode(_ uuid: UUID) -> any DatabaseValueConvertible {
        switch self {
        case .deferredToUUID: uuid
        case .uppercaseString: uuid.uuidString
        case .lowercaseString: uuid.uuidString.lowercased()
        }
    }
}
