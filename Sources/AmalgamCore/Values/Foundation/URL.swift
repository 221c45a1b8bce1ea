public import Foundation

/// Stored as TEXT: the absolute string.
extension URL: DatabaseValueConvertible {
    /// A TEXT such as `https://sqlite.org/`.
    public var databaseValue: DatabaseValue { absoluteString.databaseValue }

    /// The URL of a text, or of a blob of UTF-8; nil when it is empty or no URL, and for anything else.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> URL? {
        switch dbValue.storage {
        case .string(let string): URL(string: string)
        case .blob(let data): String(validating: data, as: UTF8.self).flatMap { URL(string: $0) }
        default: nil
        }
    }
}
